"""A negative example lacks its bad response or the reason.

## What it does
Reports an entry of `negative_examples` without `prompt`, `bad_response` or `why_bad`, or with an empty one.

## Why
A bad response without a reason teaches its wording, not its fault.

## Example
```yaml
negative_examples:
  - prompt: "..."
    bad_response: "The ratio is 8%."
    why_bad: ""
```

## Use instead
```yaml
negative_examples:
  - prompt: "..."
    bad_response: "The ratio is 8%."
    why_bad: "Takes the figure from memory and not from the excerpt."
```
"""

from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.source import Place


def incomplete(key: str, entry: str, place: Place) -> Diagnostic:
    """For the `key` of the negative example at the rendered path `entry`."""
    return found("ES302", f"{entry} has no {key}", place, hint=f"write the {key}: the generation LLM is shown it")
