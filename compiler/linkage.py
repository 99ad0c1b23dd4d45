"""Linkage: which template makes which member of a group, and what groups are called."""

from collections.abc import Iterable, Sequence
from string import ascii_lowercase


def member_templates(templates: Sequence[str], linkage: int) -> tuple[str, ...]:
    """The template of each member in order: one repeated, or several in order as often as they fit.

    Raises ValueError where the templates do not make up the group.
    """
    if not templates or linkage % len(templates):
        raise ValueError(f"{len(templates)} templates do not make up groups of {linkage}")
    return tuple(templates) * (linkage // len(templates))


def group_prefixes(leads: Sequence[tuple[str, str]], template_ids: Iterable[str]) -> dict[str, str]:
    """What group ids of each subdimension start with, from `leads`: pairs of subdimension and lead template.

    It is the lead template's id; where several subdimensions have one lead, the later ones get a letter behind it,
    and never one that makes another template's id.
    """
    taken = set(template_ids)
    used: set[str] = set()
    out: dict[str, str] = {}
    for name, lead in leads:
        choices = (
            lead,
            *(lead + letter for letter in ascii_lowercase[1:]),
            *(f"{lead}z{n}" for n in range(len(leads))),
        )
        out[name] = next(c for c in choices if c not in used and (c == lead or c not in taken))
        used.add(out[name])
    return out


def group_id(prefix: str, ordinal: int) -> str:
    """`<prefix>-<ordinal>` with at least four digits."""
    return f"{prefix}-{ordinal:04d}"
