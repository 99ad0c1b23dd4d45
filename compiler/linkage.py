"""Linkage: which template makes which member of a group, and what groups are called."""

from collections.abc import Iterable, Sequence
from itertools import count
from string import ascii_lowercase

from evalspec.spec.draw import draw

GroupKey = tuple[int, tuple[str, ...]]
"""Which of its cell's groups a group is, from 1, and the values of the cell."""


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


def group_numbers(keys: Iterable[GroupKey]) -> dict[GroupKey, int]:
    """A number for each key of a group in a subdimension.

    It is drawn by the key alone, of five digits or, where those are taken, of more: so that it hangs on no other key
    but for the few that draw the same, of which the first of its cell has it.
    """
    numbers: dict[int, GroupKey] = {}
    for key in sorted(keys):
        tries = (draw(0, "number", key[0], *key[1], at) % 10 ** (5 + at // 2) for at in count())
        numbers[next(number for number in tries if number and number not in numbers)] = key
    return {key: number for number, key in numbers.items()}


def group_id(prefix: str, number: int) -> str:
    """`<prefix>-<number>` with at least five digits."""
    return f"{prefix}-{number:05d}"
