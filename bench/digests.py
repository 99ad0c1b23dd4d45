"""The digest of a case: what, when it changes, makes answers to the case no longer comparable.

In it: the turns with their inputs, checks and limits, the facts (a target may be told them), and whether only people
may score it.

Left out, and why:

| left out                  | why a change leaves two runs comparable                               |
|---------------------------|-----------------------------------------------------------------------|
| id, set, place            | where a case stands says nothing of what it asks                       |
| tags, links               | slices and intervals follow them, and no verdict does                  |
| severity, blocking        | they say what a failure comes to, not whether there is one             |
| the detail of a check     | it repeats in words what the check asks                                |
"""

from dataclasses import fields, is_dataclass
from typing import Any

from evalspec.bench.suite import Case
from evalspec.spec.fingerprint import digest_of

CASE_VERSION = 1


def case_digest(case: Case) -> str:
    """The versioned digest of what a case asks and expects, `c1:<hexadecimal>`; the same wherever it stands."""
    data = {
        "turns": [
            [
                turn.input,
                [[check.name, check.metric, type(check.spec).__name__, _plain(check.spec)] for check in turn.checks],
                turn.max_latency_seconds,
            ]
            for turn in case.turns
        ],
        "facts": case.facts,
        "people": not case.auto_scoreable,
    }
    return f"c{CASE_VERSION}:{digest_of(data)}"


def _plain(spec: Any) -> dict[str, Any]:
    """The fields of a check; tuples become lists in JSON by themselves."""
    assert is_dataclass(spec)
    return {field.name: getattr(spec, field.name) for field in fields(spec)}
