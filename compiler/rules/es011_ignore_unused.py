"""A comment silences what was not found.

## What it does
Reports a code in `# evalspec: ignore` that was not found on its line, or on the line below a comment that stands
alone. It says so where the code cannot be silenced: what keeps a plan from being made must be mended.

## Why
A comment that outlives its reason hides the next finding of that kind.

## Example
```yaml
# evalspec: ignore ES402 -- our own host
delay_seconds: 2
```

## Use instead
```yaml
delay_seconds: 2
```
"""
