"""A comment silences a rule and gives no reason.

## What it does
Reports `# evalspec: ignore ES315` without ` -- reason` behind it, and an ignore that names no code.

## Why
The next reader must see why a finding was set aside, and when it no longer holds.

## Example
```yaml
# evalspec: ignore ES315
generation_instruction: |
```

## Use instead
```yaml
# evalspec: ignore ES315 -- this template asks for lookups on purpose, as a floor
generation_instruction: |
```
"""
