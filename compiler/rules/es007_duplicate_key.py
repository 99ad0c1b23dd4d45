"""A key stands twice in one mapping.

## What it does
Reports the second key, and names the line of the first.

## Why
YAML forbids it, and readers differ: most take the last one in silence, so the number you look at is not the one used.

## Example
```yaml
domain_split:
  banking: 0.2
  insurance: 0.8
  banking: 0.3
```

## Use instead
```yaml
domain_split:
  banking: 0.2
  insurance: 0.8
```
"""
