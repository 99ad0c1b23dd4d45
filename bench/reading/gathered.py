"""What the readers of all formats hand on: cases with their parts, and what their files say of the suite."""

from dataclasses import field
from hashlib import sha256
from typing import Any

from evalspec.bench.reading.parts import Part
from evalspec.bench.suite import Bar, Case, Metric, Share, Suite, SuiteFormat
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import Diagnostic, Severity
from evalspec.spec.source import Place, YamlPath


@dataclass(frozen=True, slots=True)
class Reading:
    """A suite, or what keeps it from being one; `diagnostics` hold warnings and notes also where there is a suite."""

    suite: Suite | None
    diagnostics: tuple[Diagnostic, ...]


@dataclass(slots=True)
class Threshold:
    """A threshold that cases demand of a metric of a set: how many do, and where the first stands."""

    part: Part
    path: YamlPath
    cases: int = 1

    def where(self) -> Place:
        """The place of the number in the first case."""
        return self.part.place(*self.path)


@dataclass(frozen=True, slots=True)
class Named:
    """Where an id stood first, and whether as text or as a number."""

    kind: str
    place: Place


@dataclass(slots=True)
class SetFacts:
    """What is declared of one set of cases: how it is mixed, what it must reach, and where it stands."""

    name: str
    place: Place
    shares: list[Share] = field(default_factory=list)
    bars: list[Bar] = field(default_factory=list)
    metrics: list[str] = field(default_factory=list)
    """The metrics that it is scored by, in order."""
    gates: bool = False
    """Whether it is of a format that gates on bars, so that it is a draft without them."""


@dataclass(slots=True)
class Gathered:
    """All that was read so far."""

    format: SuiteFormat
    name: str
    place: Place
    cases: list[Case] = field(default_factory=list)
    names: dict[str, Named] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    """Relative name to SHA-256 of the bytes."""
    sets: dict[str, SetFacts] = field(default_factory=dict)
    thresholds: dict[tuple[str, str, float], Threshold] = field(default_factory=dict)
    """By set, metric and value."""
    metrics: dict[str, Metric] = field(default_factory=dict)
    directions: dict[str, str] = field(default_factory=dict)
    tool_names: dict[str, str] = field(default_factory=dict)
    tool_places: dict[str, Place] = field(default_factory=dict)
    description: str = ""
    module: str | None = None
    latency_p95_ms: float | None = None
    max_validator_rejections: float = 0.05
    output_schema: dict[str, Any] | None = None
    limits: dict[str, tuple[float, Place]] = field(default_factory=dict)
    """What files of the native form limit, by key, and where the first of them says so."""
    lost: int = 0
    """Cases that were there and could not be read."""

    def add(self, *diagnostics: Diagnostic) -> None:
        """Take findings."""
        self.diagnostics += diagnostics

    def demand(self, key: tuple[str, str, float], part: Part, path: YamlPath) -> None:
        """Take the threshold of a case."""
        known = self.thresholds.get(key)
        if known is None:
            self.thresholds[key] = Threshold(part, path)
        else:
            known.cases += 1

    @property
    def sound(self) -> bool:
        """Whether nothing keeps the suite from running."""
        return all(d.severity is not Severity.ERROR for d in self.diagnostics)

    def digest(self) -> str:
        """SHA-256 over the relative names and the digests of the bytes of all files."""
        total = sha256()
        for name, digest in sorted(self.files.items()):
            total.update(f"{name}\0{digest}\n".encode())
        return total.hexdigest()

    def suite(self, draft: tuple[str, ...]) -> Suite:
        """The suite that was gathered."""
        bars = {bar.metric: bar for facts in self.sets.values() for bar in facts.bars}
        used = [name for name in self.metrics if any(name in facts.metrics for facts in self.sets.values())]
        return Suite(
            name=self.name,
            module=self.module,
            format=self.format,
            cases=tuple(self.cases),
            digest=self.digest(),
            place=self.place,
            description=self.description,
            metrics=tuple(self.metrics[name] for name in used),
            bars=tuple(bars.values()),
            shares=tuple(share for facts in self.sets.values() for share in facts.shares),
            latency_p95_ms=self.latency_p95_ms,
            max_validator_rejections=self.max_validator_rejections,
            tool_names=dict(self.tool_names),
            output_schema=self.output_schema,
            draft=draft,
        )
