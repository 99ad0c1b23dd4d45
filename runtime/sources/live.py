"""The sources of the network, together: all at once while fetching, and in the order of the config when read."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from evalspec.runtime import event_loop
from evalspec.runtime.environment import CONTACT, environment
from evalspec.runtime.events import SourceProgress
from evalspec.runtime.journaling import JournalError
from evalspec.runtime.sources import Document, Skipped, edgar, osfi, web, wikipedia
from evalspec.runtime.sources.fetch import Bounds, Check, Pace, open_fetcher
from evalspec.runtime.sources.library import Library, Visit
from evalspec.runtime.sources.raw import Raw
from evalspec.runtime.sources.readers import ReadBounds, open_readers
from evalspec.runtime.sources.robots import TOKEN, Robots
from evalspec.spec.dataclass import dataclass
from evalspec.spec.plan import Plan

Items = list[Document | Skipped]
Report = Callable[[SourceProgress], None]


@dataclass(frozen=True, slots=True)
class Job:
    """What is read one after the other: a target, or all of an interface."""

    source: str
    name: str
    """What a user knows it by."""
    read: Callable[[], Awaitable[Items]]
    origin: str
    """Key of the plan's `origins`."""


@dataclass(frozen=True, slots=True)
class LiveSource:
    """Wikipedia, web pages and interfaces, as the plan enables them; without `scrape` only what data/raw/ holds."""

    plan: Plan
    folder: Path
    scrape: bool
    anew: bool = False
    """Whether what data/raw/ holds is fetched again."""
    report: Report | None = None
    bounds: Bounds | None = None
    reading: ReadBounds | None = None

    def documents(self) -> Iterator[Document | Skipped]:
        """Each address once; where two entries lead to it, it serves what both serve. Raises JournalError."""
        if enabled(self.plan):
            yield from merged(event_loop.run(self._all()))

    async def _all(self) -> list[Items]:
        contact = _contact(self.folder)
        async with AsyncExitStack() as stack:
            fetcher = None
            check: Check | None = None
            settings = self.plan.sources.web_sources
            if self.scrape:
                opening = open_fetcher(_agent(contact), settings.allow_hosts, self.bounds)
                fetcher = await stack.enter_async_context(opening)
                pace = Pace(settings.delay_seconds)
                check = Robots(fetcher, pace, respected=settings.respect_robots_txt).check
            progress = _Progress(self.report)
            readers = await stack.enter_async_context(open_readers(self.reading))
            raw = Raw(self.folder, anew=self.anew and self.scrape)
            make = partial(Library, readers=readers, language=self.plan.dataset.language, visited=progress.take)
            library = make(raw, fetcher)
            # whom the SEC could not reach asks nothing of it, and reads what there is
            filings = library if contact or not self.scrape else make(Raw(self.folder), None)
            jobs = _jobs(self.plan, library, filings, check)
            progress.expect(jobs)
            return await asyncio.gather(*(_guarded(job, progress) for job in jobs))


def enabled(plan: Plan) -> tuple[str, ...]:
    """The sources of the network that the plan enables and lists something for."""
    sources = plan.sources
    apis = sources.apis
    on = {
        wikipedia.NAME: sources.wikipedia.enabled and sources.wikipedia.categories,
        web.NAME: sources.web_sources.enabled and sources.web_sources.targets,
        edgar.NAME: apis.enabled and apis.sec_edgar is not None and apis.sec_edgar.enabled,
        osfi.NAME: apis.enabled and apis.osfi_guidelines is not None and apis.osfi_guidelines.enabled,
    }
    return tuple(name for name, wanted in on.items() if wanted)


def _jobs(plan: Plan, library: Library, filings: Library, check: Check | None) -> list[Job]:
    """What is to be read, in the order of the config's sections; the targets of web pages each on their own.

    `filings` is the library that the SEC's are read from.
    """
    sources, on = plan.sources, enabled(plan)
    pace = Pace(sources.web_sources.delay_seconds)
    jobs: list[Job] = []
    read: Callable[[], Awaitable[Items]]
    if wikipedia.NAME in on:
        read = partial(_articles, plan, library, pace)
        jobs.append(Job(wikipedia.NAME, wikipedia.NAME, read, "sources.wikipedia"))
    if web.NAME in on:
        for number, target in enumerate(sources.web_sources.targets):
            read = partial(web.read_target, library, target, pace, check)
            jobs.append(Job(web.NAME, target.name, read, f"sources.web_sources.targets.{number}"))
    sec, guidance = sources.apis.sec_edgar, sources.apis.osfi_guidelines
    if edgar.NAME in on and sec is not None:
        queries = sec.queries or _queries(plan, sec.domains)
        read = partial(edgar.read_filings, filings, sec, queries, pace, check)
        unknown = library.fetcher is not None and filings.fetcher is None
        read = partial(_kept_filings, filings, read) if unknown else read
        jobs.append(Job(edgar.NAME, edgar.NAME, read, "sources.apis.sec_edgar"))
    if osfi.NAME in on and guidance is not None:
        read = partial(osfi.read_guidance, library, guidance, pace, check)
        jobs.append(Job(osfi.NAME, osfi.NAME, read, "sources.apis.osfi_guidelines"))
    return jobs


async def _articles(plan: Plan, library: Library, pace: Pace) -> Items:
    """All categories, one after the other: they are one host's."""
    config = plan.sources.wikipedia
    encyclopedia = wikipedia.Encyclopedia(library, config, pace)
    out: Items = []
    for number, category in enumerate(config.categories):
        out += _asked_for(await encyclopedia.read(category), f"sources.wikipedia.categories.{number}")
    return out


def _asked_for(items: Items, origin: str) -> Items:
    """The items, of which those that were skipped say which entry asked for them."""
    return [replace(i, origin=origin) if isinstance(i, Skipped) and not i.origin else i for i in items]


async def _kept_filings(library: Library, read: Callable[[], Awaitable[Items]]) -> Items:
    """The filings that are kept, and why there are no others where more are wanted."""
    items = await read()
    return [*items, Skipped(edgar.NAME, edgar.NO_CONTACT)] if library.missing or not items else items


def _queries(plan: Plan, domains: tuple[str, ...]) -> tuple[str, ...]:
    """What is searched for where the config does not say: the domains, as they are written in a sentence."""
    names = domains or tuple(quota.name for quota in plan.allocation.domains)
    return tuple(dict.fromkeys(plan.labels.get(name, name.replace("_", " ")) for name in names))


async def _guarded(job: Job, progress: "_Progress") -> Items:
    """What a job gives; one that fails is named, and stops no other. Raises JournalError."""
    try:
        items = await job.read()
    except JournalError:
        raise
    except Exception as error:
        cause: BaseException = error
        while isinstance(cause, BaseExceptionGroup):
            cause = cause.exceptions[0]
        items = [Skipped(job.name, f"it failed: {type(cause).__name__}: {cause}"[:300])]
    progress.ended(job)
    return _asked_for(items, job.origin)


class _Progress:
    """Counts by source, told with every page."""

    def __init__(self, report: Report | None) -> None:
        self._report = report
        self._counts: dict[str, SourceProgress] = {}
        self._open: Counter[str] = Counter()

    def expect(self, jobs: list[Job]) -> None:
        """The jobs that will be done."""
        for job in jobs:
            self._open[job.source] += 1
            self._counts.setdefault(job.source, SourceProgress(job.source))

    def take(self, visit: Visit) -> None:
        """One page."""
        old = self._counts[visit.source]
        new = replace(
            old,
            fetched=old.fetched + (not visit.cached and not visit.failed),
            failed=old.failed + visit.failed,
            kept=old.kept + visit.cached,
            skipped=old.skipped + (not visit.used and not visit.failed),
        )
        self._tell(new)

    def ended(self, job: Job) -> None:
        """One job."""
        self._open[job.source] -= 1
        self._tell(replace(self._counts[job.source], done=not self._open[job.source]))

    def _tell(self, new: SourceProgress) -> None:
        self._counts[new.source] = new
        if self._report is not None:
            self._report(new)


def merged(results: Iterable[Items]) -> Iterator[Document | Skipped]:
    """Everything in order, each address once."""
    out: dict[str, Document | Skipped] = {}
    for item in (item for items in results for item in items):
        key = item.name if isinstance(item, Document) else f"{item.name} {item.reason}"
        before = out.get(key)
        out[key] = _both(before, item) if isinstance(before, Document) and isinstance(item, Document) else item
    yield from out.values()


def _both(one: Document, other: Document) -> Document:
    """A document that two entries lead to; what each serves is joined where that says no more than they do."""
    if one.domains == other.domains:
        return replace(one, geographies=_union(one.geographies, other.geographies))
    if one.geographies == other.geographies:
        return replace(one, domains=_union(one.domains, other.domains))
    return one


def _union(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*one, *other))) if one and other else ()


def _contact(folder: Path) -> str | None:
    """The address in EVALSPEC_CONTACT, if it is one that fits in a header."""
    contact = environment(folder).get(CONTACT, "").strip()
    fits = contact.isascii() and contact.isprintable() and len(contact) <= 200
    return contact if fits and ("@" in contact or "://" in contact) else None


def _agent(contact: str | None) -> str:
    try:
        name = f"{TOKEN}/{version('evalspec-compiler')}"
    except PackageNotFoundError:
        name = TOKEN
    return f"{name} ({contact})" if contact else name
