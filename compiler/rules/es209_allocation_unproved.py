"""The allocation is good, and not proved to be the best.

## What it does
Notes that the integer program of an axis stopped at its node limit. Totals and whole groups hold; a domain, difficulty
or geography may deviate from its share by a record or two more than it had to.

## Why
Some combinations of counts take longer to prove than anyone would wait. The limit counts nodes and not seconds, so that
every machine gets the same plan.

## Example
```yaml
domain_split: {}      # sixty domains
subdimensions: {}     # of forty subdimensions with odd counts
```

## Use instead
Nothing needs to change. Rounder counts or fewer domains are proved sooner.
"""
