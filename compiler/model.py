"""A spec folder as the compiler knows it: typed, defaults merged, every value with its place in the YAML."""

from dataclasses import field
from typing import Any, Protocol

from evalspec.spec.config import GenerationConfig, Rubric, SourceConfig
from evalspec.spec.dataclass import dataclass
from evalspec.spec.language import Fault
from evalspec.spec.passage import Passage
from evalspec.spec.source import Place, YamlPath
from evalspec.spec.template import Template


class Places(Protocol):
    """Where the values of a spec stand. A path that no file holds gives the nearest place above it."""

    def place_of(self, file: str, path: YamlPath) -> Place:
        """The place of a value."""

    def key_place(self, file: str, path: YamlPath) -> Place:
        """The place of the key of a value; of the value itself where it has no key."""

    def place_in(self, file: str, path: YamlPath, start: int, end: int) -> Place:
        """The place of the characters `start` to `end` (exclusive) of a text value."""


@dataclass(frozen=True, slots=True)
class TextFault:
    """Something wrong with a text of a template or rubric, and where; `start` and `end` count in the text."""

    file: str
    path: YamlPath
    fault: Fault
    declared: frozenset[str]
    """The names that may stand in the text."""


@dataclass(frozen=True, slots=True)
class Spec:
    """What a spec folder asks for.

    With errors among the diagnostics a Spec may hold stand-ins (see `lost`): it is then for lint only, and
    nothing may be planned from it.
    """

    config: GenerationConfig
    """Defaults merged: subdimensions, strategies and rubrics are never empty unless the spec is faulty."""
    sources: SourceConfig
    templates: dict[str, Template]
    """By id, sorted by id."""
    fields: dict[str, dict[str, dict[str, Any]]]
    """Template id to Cerberus rules by field, with `meta.role` and `meta.shared` always set."""
    places: Places
    digest: str
    """SHA-256 over the sorted relative names and bytes of the spec's files, corpus included; hexadecimal."""
    corpus: tuple[tuple[str, Passage], ...]
    """Relative path and passage of every text and Markdown file of the enabled corpus folders."""
    corpus_files: tuple[str, ...]
    """Relative path of every file of the enabled corpus folders that is read at run time, HTML included."""
    inferred_subdimensions: bool
    """Whether `subdimensions` was left out and made from the templates."""
    template_files: dict[str, str]
    """Template id to its file, relative to the spec folder with forward slashes."""
    faults: tuple[TextFault, ...] = ()
    """What is wrong with its texts, in the order of templates and texts."""
    lost: frozenset[tuple[str, YamlPath]] = field(default_factory=frozenset)
    """File and path of every value that was faulty and dropped or stood in for; the empty path is the whole file."""

    def clean(self, file: str, path: YamlPath = ()) -> bool:
        """Whether nothing was lost at, under or above a path, so that a rule may judge the value there."""
        return not any(
            name == file and (lost[: len(path)] == path or path[: len(lost)] == lost) for name, lost in self.lost
        )

    def subdimension_dimension(self, name: str) -> str:
        """The dimension of a subdimension: its own, or that of its first template that exists."""
        entry = self.config.subdimensions[name]
        if entry.dimension is not None:
            return entry.dimension
        found = (self.templates[t].dimension for t in entry.templates if t in self.templates)
        return next(found, "")

    def strategies_of(self, template_id: str) -> tuple[str, ...]:
        """The strategies that a template's hard slots may be given, in the spec's order."""
        template = self.templates[template_id]
        known = self.config.strategies
        if template.strategies:
            return tuple(name for name in known if name in template.strategies)
        return tuple(
            name for name, entry in known.items() if not entry.dimensions or template.dimension in entry.dimensions
        )

    def rubric_of(self, template_id: str) -> tuple[str, Rubric] | None:
        """The name and rubric of a template: the one that it names, or the first that takes its dimension."""
        template, rubrics = self.templates[template_id], self.config.rubrics
        if (name := template.pass_criteria.rubric_type) is not None:
            return (name, rubrics[name]) if name in rubrics else None
        return next(((n, r) for n, r in rubrics.items() if template.dimension in r.dimensions), None)
