"""Fills the open groups of a plan: reads the sources, asks the provider, journals, and says what is left."""

import asyncio
import json
import math
from collections import Counter, deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from re import search

from evalspec.runtime import event_loop
from evalspec.runtime.admission import Admission
from evalspec.runtime.asking import Tools, fill_group
from evalspec.runtime.budget import Budget
from evalspec.runtime.chunks import Chunk, chunks_of
from evalspec.runtime.draw_chunk import ChunkDrawer
from evalspec.runtime.environment import environment
from evalspec.runtime.events import Event, FillOptions, FillResult, OpenGroup, SourceRead, Started
from evalspec.runtime.findings import (
    borrowed_notes,
    cap_reached,
    hopeless,
    nothing_to_do,
    refused,
    skipped,
    stale_text,
)
from evalspec.runtime.history import History
from evalspec.runtime.journaling import JournalError, JournalWriter, held
from evalspec.runtime.patience import lose_patience
from evalspec.runtime.providers import Provider, ProviderOptions, RefusedError, SetupError, make_provider
from evalspec.runtime.resume import Work, interleaved, open_work
from evalspec.runtime.run_state import RunState, interruptible
from evalspec.runtime.shapes import Shapes
from evalspec.runtime.source_use import source_uses
from evalspec.runtime.sources import Document, Skipped, make_sources
from evalspec.runtime.spending import Purse, SpentError
from evalspec.spec.diagnostic import Diagnostic
from evalspec.spec.journal import RunLine, Usage
from evalspec.spec.language import MAX_TEXT
from evalspec.spec.plan import Group, Plan, PlannedTemplate


def fill(
    plan: Plan,
    folder: Path,
    options: FillOptions,
    events: Callable[[Event], None],
    provider: Provider | None = None,
) -> FillResult:
    """Fill the plan's open groups; `folder` is the one in which plan.json lies.

    `provider` stands in for the one that the plan or the options name. Never raises for what a provider, a source
    or the disk does: the result says it.
    """
    try:
        with held(folder):
            writer = JournalWriter(folder)
            try:
                filled = _fill(plan, folder, options, events, writer, provider)
                return replace(filled, by_group=tuple(writer.spending.by_group(plan.generation_model.prices)))
            finally:
                writer.close()
    except JournalError as error:
        return _not_begun(plan, plan.groups, error.diagnostic)


def _not_begun(plan: Plan, left: Sequence[Group], why: Diagnostic) -> FillResult:
    """The result where nothing could be asked; a journal that cannot be read counts for nothing."""
    named = tuple(OpenGroup(group.group_id, why.message) for group in left)
    return FillResult(len(plan.groups) - len(named), named, (why,), 0, Usage(), why)


def _fill(
    plan: Plan,
    folder: Path,
    options: FillOptions,
    events: Callable[[Event], None],
    writer: JournalWriter,
    provider: Provider | None,
) -> FillResult:
    plan = canonical(plan)
    name = provider.name if provider else options.provider or plan.generation_model.provider
    torn = writer.torn()
    diagnostics = [torn] if torn else []
    work = open_work(plan, writer.before, name, options)
    before = [(group, work.served[group.group_id]) for group in plan.groups if group.group_id in work.served]
    if not work.open:
        unread = replace(options, scrape=False)
        chunks, _ = _read_sources(plan, folder, unread, lambda _event: None)
        diagnostics += _stale(chunks, work.chunks.values()) if chunks else []
        diagnostics += borrowed_notes(plan, before)
        return FillResult(len(plan.groups), (), (*diagnostics, nothing_to_do(plan)), 0, Usage())
    if provider is None:
        try:
            provider = make_provider(plan, ProviderOptions(folder, options.provider), environment(folder))
        except SetupError as error:
            return _not_begun(plan, work.open, error.diagnostic)
    chunks, left_out = _read_sources(plan, folder, options, events)
    diagnostics += skipped(plan, left_out)
    state = event_loop.run(_run(plan, provider, options, events, writer, work, chunks))
    diagnostics += borrowed_notes(plan, [*before, *state.served])
    if state.stopped == "hopeless":
        diagnostics.append(hopeless(plan, state.given_up, next(iter(state.reasons.values()), "")))
    if isinstance(state.stopped, Diagnostic):
        diagnostics.append(state.stopped)
    used = (work.chunks | state.chunks).values()
    diagnostics += _stale(chunks, used)
    uses = source_uses(plan, chunks, used)
    return replace(_result(plan, work, state, diagnostics), sources=uses)


def _stale(chunks: Sequence[Chunk], used: Collection[str]) -> list[Diagnostic]:
    """A finding where groups stand on chunks that no source gives any more; `used` are their digests, one a group."""
    at_hand = {chunk.digest for chunk in chunks}
    gone = sum(bool(digest) and digest not in at_hand for digest in used)
    return [stale_text(gone, len(used))] if gone else []


def canonical(plan: Plan) -> Plan:
    """The plan as its file gives it back, with the fields of each template in the order in which its texts show them.

    So a fill does not depend on whether the plan was just compiled or read.
    """
    templates = {}
    for name, made in plan.templates.items():
        data = json.dumps(made.model_dump(mode="json"), sort_keys=True)
        template = PlannedTemplate.model_validate_json(data)
        shown = f"{template.user_message_template}\n{template.system_prompt}"
        places = {
            field: match.start() if (match := search(rf"\b{field}\b", shown)) else MAX_TEXT for field in template.fields
        }
        order = sorted(template.fields, key=lambda field: (places[field], field))
        templates[name] = template.model_copy(update={"fields": {field: template.fields[field] for field in order}})
    copy = plan.model_copy(update={"templates": templates})
    copy.__dict__["digest"] = plan.digest  # the order of keys is no part of the file
    return copy


def _read_sources(
    plan: Plan, folder: Path, options: FillOptions, events: Callable[[Event], None]
) -> tuple[tuple[Chunk, ...], list[Skipped]]:
    documents: list[Document] = []
    left_out: list[Skipped] = []
    for source in make_sources(plan, folder, scrape=options.scrape, report=events):
        for item in source.documents():
            match item:
                case Document():
                    documents.append(item)
                case Skipped():
                    left_out.append(item)
    chunks = chunks_of(documents)
    events(SourceRead(len(documents), len(left_out), len(chunks)))
    return chunks, left_out


async def _run(
    plan: Plan,
    provider: Provider,
    options: FillOptions,
    events: Callable[[Event], None],
    writer: JournalWriter,
    work: Work,
    chunks: Sequence[Chunk],
) -> RunState:
    state = RunState(events)
    limits = plan.generation_model.limits
    embedded = provider.name == "embedded"
    most = 1 if provider.name == "local" else options.concurrency or limits.max_concurrency
    tools = Tools(
        plan=plan,
        provider=provider,
        drawer=ChunkDrawer(plan, chunks),
        shapes=Shapes(plan),
        writer=writer,
        admission=Admission(most, alone_first=True, grace=getattr(provider, "grace", math.inf), wary=True),
        budget=Budget(limits.requests_per_minute, limits.tokens_per_minute),
        purse=Purse(None if embedded else plan.generation_model.prices, options.max_calls, options.max_cost),
        options=options,
        forms=work.forms,
        state=state,
    )
    groups = work.open[: options.limit]
    counts = Counter(group.slots[0].dimension for group in groups)
    events(Started(len(plan.groups), len(groups), dict(counts), provider.name, provider.model))
    queue = deque(groups if tools.embedded else interleaved(groups))
    known = {group.group_id: _opened(tools, work.histories.get(group.group_id, History())) for group in groups}
    try:
        writer.append(_run_line(plan, provider))
        with interruptible(state, asyncio.current_task()):
            await _work_off(tools, queue, known, 1 if tools.embedded else min(len(queue), 4 * most))
    except JournalError as error:
        state.end(error.diagnostic, error.diagnostic.message)
    except asyncio.CancelledError:
        if state.stopped != "interrupted":
            raise
    finally:
        await provider.close()
    return state


def _opened(tools: Tools, history: History) -> History:
    """A history that an earlier call used up, with its tries before it again where that is asked for."""
    wanted = tools.options.retry_given_up
    if wanted is None:
        wanted = not tools.embedded
    used_up = history.tried >= tools.options.chunks or history.unfit > 0
    return history.reopened() if wanted and used_up and history.tried >= tools.options.chunks else history


def _run_line(plan: Plan, provider: Provider) -> RunLine:
    from importlib.metadata import PackageNotFoundError, version

    try:
        release = version("evalspec-compiler")
    except PackageNotFoundError:
        release = "unknown"
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return RunLine(
        at=now, plan_digest=plan.digest, provider=provider.name, model=provider.model, evalspec_version=release
    )


async def _work_off(tools: Tools, queue: deque[Group], known: dict[str, History], workers: int) -> None:
    """Let `workers` take groups from the queue until it is empty or the run stops; an error of one ends all."""
    enough = max(tools.options.hopeless_after, len({group.subdimension for group in queue}))
    if workers <= 1:
        await _worker(tools, queue, known, enough)
        return
    tasks = [asyncio.create_task(_worker(tools, queue, known, enough)) for _ in range(workers)]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()


async def _worker(tools: Tools, queue: deque[Group], known: dict[str, History], enough: int) -> None:
    """Fill groups from the queue; `enough` given up and none accepted end the run."""
    state = tools.state
    turns = 0
    while queue and not state.stop.is_set():
        group = queue.popleft()
        try:
            left = await fill_group(tools, group, known[group.group_id])
        except SpentError as error:
            finding = cap_reached(tools.plan, str(error))
            state.end(finding, finding.message)
            return
        except RefusedError as error:
            state.reasons[group.group_id] = f"the provider refused: {error}"
            finding = refused(tools.plan, tools.provider.name, str(error))
            state.end(finding, finding.message)
            return
        if left is not None and not state.stop.is_set():
            known[group.group_id] = left
            queue.append(group)
            reason = state.reasons.get(group.group_id, "")
            lose_patience(tools.plan, tools.provider.name, state, tools.options.patience, reason)
        if not tools.embedded and not state.accepted and state.given_up >= enough:
            state.end("hopeless", f"{state.given_up} groups were given up and none was accepted")
        turns += 1
        if tools.embedded and turns % 64 == 0:
            await asyncio.sleep(0)


def _result(plan: Plan, work: Work, state: RunState, diagnostics: list[Diagnostic]) -> FillResult:
    stopped = None if state.stopped == "hopeless" else state.stopped
    default = "the run stopped before it was filled" if state.stopped else "it was not tried in this call"
    accepted = {group.group_id for group, _ in state.served}
    left = [
        OpenGroup(group.group_id, state.reasons.get(group.group_id, default))
        for group in work.open
        if group.group_id not in accepted
    ]
    usage = Usage(input_tokens=state.input_tokens, output_tokens=state.output_tokens)
    filled = len(plan.groups) - len(left)
    return FillResult(filled, tuple(left), tuple(diagnostics), state.calls, usage, stopped)
