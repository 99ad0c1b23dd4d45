"""Who filled a dataset, and when: providers, models, dates and versions, as the journal has them."""

from collections import Counter
from collections.abc import Collection, Iterable

from evalspec.outputs.standing import Attempt
from evalspec.spec.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Maker:
    """A provider and model, and the number of groups in the release that it filled."""

    provider: str
    model: str
    groups: int


@dataclass(frozen=True, slots=True)
class Provenance:
    """All makers, by the number of groups; the versions of evalspec that ran, and the days on which a model wrote.

    Runs count that made something of the release: a run that found nothing to do leaves no trace. What is composed
    without a model has no days, since it comes out the same on all of them.
    """

    makers: tuple[Maker, ...]
    versions: tuple[str, ...]
    days: tuple[str, ...] = ()
    """The first and the last, ISO 8601, in UTC; one where they are the same."""

    @property
    def preview(self) -> bool:
        """Whether any group was composed without a model."""
        return any(maker.provider == "embedded" for maker in self.makers)


def provenance(attempts: Iterable[Attempt], groups: Collection[str]) -> Provenance:
    """Who filled `groups`; `attempts` are those that stand."""
    counted: Counter[tuple[str, str]] = Counter()
    versions, days = set(), set()
    for attempt in attempts:
        if attempt.group not in groups:
            continue
        counted[attempt.provider, attempt.model] += 1
        if attempt.run is not None:
            versions.add(attempt.run.evalspec_version)
        if attempt.run is not None and attempt.provider != "embedded":
            days.add(attempt.run.at[:10])
    makers = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    ends = tuple(dict.fromkeys((min(days), max(days)))) if days else ()
    return Provenance(tuple(Maker(*who, count) for who, count in makers), tuple(sorted(versions)), ends)
