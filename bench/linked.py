"""Linkage groups of a release in a report's rows, and what each of their members came to."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from evalspec.bench.clusters import members
from evalspec.bench.results import TrialScore
from evalspec.spec.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Group:
    """A group of which every member was scored: in each run that did, what its members came to, in their order."""

    templates: tuple[str, ...]
    """The template of each member."""
    outcomes: tuple[tuple[bool, ...], ...]
    """A run, then a member."""

    def share(self, member: int) -> float:
        """The share of the runs that a member passed."""
        return sum(run[member] for run in self.outcomes) / len(self.outcomes)


@dataclass(frozen=True, slots=True)
class Groups:
    """The whole groups, and how many there are besides that were not scored in full or are not there in full."""

    whole: tuple[Group, ...]
    partial: int


def of_subdimensions(rows: Sequence[TrialScore], names: Sequence[str]) -> list[TrialScore]:
    """The rows of some subdimensions."""
    return [row for row in rows if row.facts.get("subdimension") in names]


def groups(rows: Sequence[TrialScore]) -> Groups:
    """The groups that rows are linked to; members in the order of their templates, and as they stand."""
    by_case: dict[str, list[TrialScore]] = {}
    for row in rows:
        by_case.setdefault(row.case_id, []).append(row)
    links = {case: runs[0].links for case, runs in by_case.items()}
    whole, partial = [], 0
    for ids in members(by_case, links):
        ordered = sorted(ids, key=lambda case: template_of(by_case[case][0]))
        complete = len(ids) > 1 and all(set(links[case]) <= set(ids) for case in ids)
        outcomes = tuple(_runs([by_case[case] for case in ordered])) if complete else ()
        if outcomes:
            whole.append(Group(tuple(template_of(by_case[case][0]) for case in ordered), outcomes))
        else:
            partial += 1
    return Groups(tuple(whole), partial)


def template_of(row: TrialScore) -> str:
    """The template that a row's prompt was made from; empty where it does not say."""
    named: Any = row.facts.get("prompt_template_id")
    return named if isinstance(named, str) else ""


def _runs(cases: Sequence[Sequence[TrialScore]]) -> Iterator[tuple[bool, ...]]:
    """Outcomes of the runs in which every member was scored."""
    rows = sorted(
        ((row.epoch, place, row) for place, runs in enumerate(cases) for row in runs), key=lambda one: one[:2]
    )
    for _, run in groupby(rows, key=lambda one: one[0]):
        outcomes = [row.outcome for _, _, row in run]
        if len(outcomes) == len(cases) and set(outcomes) <= {"passed", "failed"}:
            yield tuple(outcome == "passed" for outcome in outcomes)
