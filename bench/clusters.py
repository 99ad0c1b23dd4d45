"""Clusters of cases: those that are linked, directly or over others, stand and fall together."""

from collections.abc import Iterable, Mapping, Sequence


def clusters(links: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """The number of the cluster of each case, from the ids that it is linked to; counted from 0 in the order of cases.

    Ids that are no case of the mapping still bind those that name them.
    """
    parents: dict[str, str] = {}
    for case_id, others in links.items():
        for other in others:
            parents[_root(parents, other)] = _root(parents, case_id)
    numbers: dict[str, int] = {}
    return {case_id: numbers.setdefault(_root(parents, case_id), len(numbers)) for case_id in links}


def members(cases: Iterable[str], links: Mapping[str, Sequence[str]]) -> list[tuple[str, ...]]:
    """The clusters as tuples of case ids, in the order of `cases`."""
    found: dict[int, list[str]] = {}
    numbers = clusters({case_id: links[case_id] for case_id in cases})
    for case_id, number in numbers.items():
        found.setdefault(number, []).append(case_id)
    return [tuple(group) for group in found.values()]


def _root(parents: dict[str, str], name: str) -> str:
    parents.setdefault(name, name)
    while parents[name] != name:
        parents[name] = parents[parents[name]]
        name = parents[name]
    return name
