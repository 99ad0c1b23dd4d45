"""A tag asks for a type that a spec cannot hold.

## What it does
Reports every YAML tag (`!!python/object`, `!!binary`, `!!str`, `!mine`).

## Why
A tag can ask a reader to build any object. A spec holds texts, numbers, truth values, lists and mappings, and each key
says which it wants.

## Example
```yaml
version: !!str 1.10
```

## Use instead
```yaml
version: "1.1.0"
```
"""
