"""Who filled a dataset: providers, models and versions, as the journal has them."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from evalspec.spec.journal import AttemptLine, Journal, RunLine


@dataclass(frozen=True, slots=True)
class Maker:
    """A provider and model, and the number of groups in the release that it filled."""

    provider: str
    model: str
    groups: int


@dataclass(frozen=True, slots=True)
class Provenance:
    """All makers, by the number of groups, and the versions of evalspec that ran."""

    makers: tuple[Maker, ...]
    versions: tuple[str, ...]

    @property
    def preview(self) -> bool:
        """Whether any group was composed without a model."""
        return any(maker.provider == "embedded" for maker in self.makers)


def provenance(journal: Journal, attempts: Iterable[AttemptLine], groups: Iterable[str]) -> Provenance:
    """Who filled `groups`."""
    wanted = set(groups)
    counted = Counter((line.provider, line.model) for line in attempts if line.group in wanted)
    makers = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    versions = {line.evalspec_version for line in journal.lines if isinstance(line, RunLine)}
    return Provenance(tuple(Maker(*who, count) for who, count in makers), tuple(sorted(versions)))
