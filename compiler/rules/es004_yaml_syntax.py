"""A file is not YAML.

## What it does
Reports where the reader had to stop: a missing colon, a tab as indent, a quote or bracket that is not closed, an alias
without an anchor, a second document in the file.

## Why
Nothing of the file can be known for sure after that point, so nothing of it is used.

## Example
```yaml
description: Faithfulness: the model stays with the excerpt
```

## Use instead
```yaml
description: "Faithfulness: the model stays with the excerpt"
```
"""
