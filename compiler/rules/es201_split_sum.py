"""The shares of a split do not sum to 1.

## What it does
Adds up `domain_split`, `difficulty_split` and `geography_split`, and reports a sum that is off by more than 1e-9.

## Why
Shares that sum to 1.01 cannot all be met; which one would give way is not for evalspec to guess.

## Example
```yaml
domain_split:
  insurance: 0.26
  banking: 0.75
```

## Use instead
```yaml
domain_split:
  insurance: 0.25
  banking: 0.75
```
"""

from collections.abc import Iterator
from math import fsum

from evalspec.compiler.files import CONFIG_FILE
from evalspec.compiler.model import Spec
from evalspec.spec.diagnostic import Diagnostic, found

_SPLITS = ("domain_split", "difficulty_split", "geography_split")


def check(spec: Spec) -> Iterator[Diagnostic]:
    """One finding a split, at its key."""
    for name in _SPLITS:
        shares = getattr(spec.config, name)
        off = round(fsum(shares.values()) - 1, 12)
        if abs(off) > 1e-9 and spec.clean(CONFIG_FILE, (name,)):
            message = f"the shares of {name} sum to {1 + off:.10g}, not to 1"
            hint = f"take {abs(off):.10g} {'from' if off > 0 else 'more for'} one of them"
            yield found("ES201", message, spec.places.key_place(CONFIG_FILE, (name,)), hint=hint)
