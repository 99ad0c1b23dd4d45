"""Where text comes from: a source gives documents, and says which ones it left out and why."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

from evalspec.runtime.events import SourceProgress
from evalspec.spec.dataclass import dataclass
from evalspec.spec.passage import Boundary, Fact, Sensitive
from evalspec.spec.plan import Plan


@dataclass(frozen=True, slots=True)
class Document:
    """The text of one page or file: paragraphs with a blank line between them, headings marked with `#`."""

    name: str
    """What a user finds it by: a path or an address."""
    title: str
    text: str
    origin: str
    """The kind of source: `corpus`, and others as they come."""
    domains: tuple[str, ...] = ()
    """The domains that it serves; none means all."""
    geographies: tuple[str, ...] = ()
    """The geographies that it serves; none means all."""
    as_of: str | None = None
    facts: tuple[Fact, ...] = ()
    boundaries: tuple[Boundary, ...] = ()
    sensitive: tuple[Sensitive, ...] = ()


@dataclass(frozen=True, slots=True)
class Skipped:
    """A document, or a part of one, that was not used."""

    name: str
    reason: str
    origin: str = ""
    """Key of the plan's `origins`: the entry that asked for it; empty for a file, which is its own place."""


class Source(Protocol):
    """Gives documents in an order that is the same on every machine; never raises for what a document holds."""

    def documents(self) -> Iterator[Document | Skipped]: ...


def make_sources(
    plan: Plan, folder: Path, *, scrape: bool, report: Callable[[SourceProgress], None] | None = None
) -> tuple[Source, ...]:
    """The sources that the plan enables, in the order in which they are read; `scrape` allows the network.

    `folder` is the one in which plan.json lies. Without `scrape` the sources of the network give what data/raw/
    holds of them.
    """
    from evalspec.runtime.sources.corpus import CorpusSource
    from evalspec.runtime.sources.live import LiveSource

    sources: list[Source] = [LiveSource(plan, folder, scrape, report=report)]
    if plan.sources.corpus.enabled:
        language = plan.dataset.language
        entries = plan.sources.corpus.folders
        sources += [CorpusSource(folder, e, language, f"sources.corpus.folders.{i}") for i, e in enumerate(entries)]
    return tuple(sources)
