"""A document nests or repeats itself beyond any use.

## What it does
Reports YAML that nests over 40 levels deep, holds over 50,000 values, repeats values over 100,000 times through
aliases, or an alias that stands inside the value it names.

## Why
A few lines of anchors that hold anchors can stand for more values than a machine has memory. No spec needs them.

## Example
```yaml
a: &a [x, x, x, x, x, x, x, x, x]
b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]
c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]
```

## Use instead
```yaml
a: [x, y, z]
```
"""
