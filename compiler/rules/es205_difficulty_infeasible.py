"""A subdimension is too small to hold every difficulty.

## What it does
Reports a subdimension with fewer groups than there are difficulties with a share.

## Why
Members of a group share one difficulty, and every subdimension is meant to be read at each of them.

## Example
```yaml
subdimensions:
  self_contradiction: {target_count: 6, templates: [H4], linkage: 3}     # two groups, three difficulties
```

## Use instead
```yaml
subdimensions:
  self_contradiction: {target_count: 9, templates: [H4], linkage: 3}
```
"""

from collections.abc import Iterator

from evalspec.compiler.counts import counts_clean, dimensions_known, groups_of, subdimension_place
from evalspec.compiler.files import CONFIG_FILE
from evalspec.compiler.model import Spec
from evalspec.spec.diagnostic import Diagnostic, found


def check(spec: Spec) -> Iterator[Diagnostic]:
    """One finding a subdimension, at its count."""
    wanted = [name for name, share in spec.config.difficulty_split.items() if share > 0]
    if not (counts_clean(spec) and dimensions_known(spec) and spec.clean(CONFIG_FILE, ("difficulty_split",))):
        return
    for name, entry in spec.config.subdimensions.items():
        groups = groups_of(spec, name)
        if groups < len(wanted):
            made = f"{groups} group" + ("" if groups == 1 else "s")
            message = f"{name} comes to {made} of {entry.linkage}, too few for {', '.join(wanted)}"
            hint = f"a target_count of {len(wanted) * entry.linkage} or more has room for each"
            yield found("ES205", message, subdimension_place(spec, name, "target_count"), hint=hint)
