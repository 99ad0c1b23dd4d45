"""YAML files in a suite's folder that are not of the suite: settings of targets and judges, whatever their names."""

import re
from pathlib import Path

from evalspec.bench.targets.config import KINDS
from evalspec.compiler.document import build
from evalspec.compiler.tree import TreeError, parse_tree

_SUITE = re.compile(r"^[\"']?(scenarios|cases)[\"']?\s*:", re.MULTILINE)
_LARGEST = 1 << 20
"""Bytes; settings are shorter."""


def is_beside(path: Path) -> bool:
    """Whether a YAML file holds settings of a target (a `kind` of one) or of a judge (provider and model, or panel).

    What cannot be read is taken for a part of the suite, whose reader says why.
    """
    try:
        text = path.read_text(encoding="utf-8-sig") if path.stat().st_size <= _LARGEST else "cases:"
        if _SUITE.search(text):
            return False
        root = parse_tree(text)
    except (OSError, ValueError, TreeError):
        return False
    data = None if root is None else build(path.name, text, root).data
    if not isinstance(data, dict) or {"scenarios", "cases"} & data.keys():
        return False
    kind = data.get("kind")
    return (isinstance(kind, str) and kind in KINDS) or {"provider", "model"} <= data.keys() or "panel" in data
