"""The loop of a run: fill, assemble, mark what fell, refill, until every cell is full or the rounds are used up."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from threading import Thread

from evalspec.cli.refresh import holds_more, keep_larger
from evalspec.outputs import database
from evalspec.outputs.assemble import Assembled, AssembleOptions, assemble
from evalspec.outputs.embedder import Embedded
from evalspec.runtime.events import Event, FillOptions, FillResult, Started
from evalspec.runtime.fill import fill
from evalspec.runtime.journaling import mark_fallen
from evalspec.runtime.spending import cost
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import Diagnostic
from evalspec.spec.journal import Usage
from evalspec.spec.plan import Plan


@dataclass(frozen=True, slots=True)
class LoopResult:
    """How a run ended: the last fill, the release if one was assembled, and all findings."""

    fill: FillResult
    assembled: Assembled | None
    rounds: int
    fallen: int
    """Groups that were made again because they were duplicates, over all rounds."""
    calls: int
    usage: Usage
    diagnostics: tuple[Diagnostic, ...]


def run_loop(
    plan: Plan, folder: Path, options: FillOptions, events: Callable[[Event | Embedded], None], *, write: bool
) -> LoopResult:
    """Fill the plan's slots and assemble the release; with `write` false nothing goes to the output folder.

    What a model, a source or a provider did is in the result's diagnostics. Raises JournalError where the journal
    cannot be written between rounds, and KeyboardInterrupt.
    """
    found: list[Diagnostic] = []
    fallen = calls = tokens_in = tokens_out = 0
    usage = Usage()
    target = folder / plan.dataset.output_dir

    def fits(records: int) -> bool:
        return records > 0 and not holds_more(target, records)

    database.spare_threads(sum(len(group.slots) for group in plan.groups))
    writing = AssembleOptions(write=write, provider=options.provider, may_write=fits, watch=events)
    for round_number in range(1, plan.dedup.max_rounds + 1):
        again = options if round_number == 1 else _next_round(plan, options, calls, usage)
        with _warming(events) as told:
            filled = fill(plan, folder, again, told)
        calls += filled.calls
        tokens_in += filled.usage.input_tokens
        tokens_out += filled.usage.output_tokens
        usage = Usage(input_tokens=tokens_in, output_tokens=tokens_out)
        found = [*found, *filled.diagnostics] if round_number == 1 else _later(found, filled.diagnostics)
        if filled.stopped is not None:
            return LoopResult(filled, None, round_number, fallen, calls, usage, tuple(found))
        final = round_number == plan.dedup.max_rounds
        made = assemble(plan, folder, replace(writing, final=final))
        if not made.fallen or final:
            break
        fallen += len(made.fallen)
        details = tuple(f"{item.of} at cosine {item.cosine:.4f}" for item in made.fallen)
        mark_fallen(folder, "duplicate", tuple(item.group_id for item in made.fallen), details)
    if write and made.records and made.release_dir is None:
        aside = keep_larger(target, folder, made.records)
        found += [aside] if aside is not None else []
        made = assemble(plan, folder, AssembleOptions(final=True, provider=options.provider, watch=events))
    if calls or fallen:
        found = [d for d in found if d.code != "ES514"]
    return LoopResult(filled, made, round_number, fallen, calls, usage, tuple(_later(found, made.diagnostics)))


@contextmanager
def _warming(events: Callable[[Event | Embedded], None]) -> Iterator[Callable[[Event], None]]:
    """Import what assembles while the fill waits for replies: from its start, and not while it still reads.

    What is given takes the fill's events to `events`. A process that ended meanwhile would abort, so the imports are
    waited for. The embedded provider waits for nothing, and what it does first must not meet them: once in some
    thousand runs the class checks of Cerberus went wrong beside them.
    """
    thread = Thread(target=_warm)

    def told(event: Event) -> None:
        if isinstance(event, Started) and event.provider != "embedded" and thread.ident is None:
            thread.start()
        events(event)

    try:
        yield told
    finally:
        if thread.ident is not None:
            thread.join()


def _warm() -> None:
    database.spare_pandas()
    import_module("pyarrow.parquet")
    import_module("duckdb")


def _next_round(plan: Plan, options: FillOptions, calls: int, usage: Usage) -> FillOptions:
    """The options of a later round: nothing is fetched or given up anew, and the caps are what is left of them."""
    spent = cost(plan.generation_model.prices, usage) or 0.0
    return replace(
        options,
        retry_given_up=False,
        scrape=False,
        max_calls=None if options.max_calls is None else max(options.max_calls - calls, 0),
        max_cost=None if options.max_cost is None else max(options.max_cost - spent, 0.0),
    )


def _later(before: list[Diagnostic], after: "tuple[Diagnostic, ...] | list[Diagnostic]") -> list[Diagnostic]:
    """Findings of a later round replace those of the same code and place."""
    keys = {(d.code, d.place) for d in after}
    return [*(d for d in before if (d.code, d.place) not in keys), *after]
