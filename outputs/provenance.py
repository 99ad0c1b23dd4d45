"""Who filled a dataset, and when: providers, models, dates and versions, as the journal has them."""

from collections import Counter
from collections.abc import Iterable

from evalspec.spec.dataclass import dataclass
from evalspec.spec.journal import AttemptLine, Journal, RunLine


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


def provenance(journal: Journal, attempts: Iterable[AttemptLine], groups: Iterable[str]) -> Provenance:
    """Who filled `groups`; `attempts` are lines of `journal`."""
    wanted = set(groups)
    standing = {id(line) for line in attempts if line.group in wanted}
    run: RunLine | None = None
    counted: Counter[tuple[str, str]] = Counter()
    versions, days = set(), set()
    for line in journal.lines:
        if isinstance(line, RunLine):
            run = line
        elif isinstance(line, AttemptLine) and id(line) in standing:
            counted[line.provider, line.model] += 1
            if run is not None:
                versions.add(run.evalspec_version)
            if run is not None and line.provider != "embedded":
                days.add(run.at[:10])
    makers = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    ends = tuple(dict.fromkeys((min(days), max(days)))) if days else ()
    return Provenance(tuple(Maker(*who, count) for who, count in makers), tuple(sorted(versions)), ends)
