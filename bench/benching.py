"""A run of a suite from its files to its report: read, lint, try, grade, judge, score."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from evalspec.bench import findings
from evalspec.bench.events import BenchEvent, Waiting
from evalspec.bench.journal import BenchJournal, opened
from evalspec.bench.outlook import Ahead, look_ahead
from evalspec.bench.preparing import Prepared
from evalspec.bench.report import Report, Settings
from evalspec.bench.results import TrialLine
from evalspec.bench.running import Trial, pending, run_trials
from evalspec.bench.settings import REPRODUCIBLE
from evalspec.bench.trials import RunOptions, Trials
from evalspec.runtime import event_loop
from evalspec.runtime.journaling import JournalError
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import Diagnostic

if TYPE_CHECKING:
    from evalspec.bench.marking import Marked, Marker
    from evalspec.bench.scoring import Ground

MAY_CHANGE = ("http", "command", "python")
"""Kinds of targets whose answers hang on code that no digest sees whole."""
Stop = Literal["interrupted", "declined"] | Diagnostic


@dataclass(frozen=True, slots=True, repr=False)  # asyncio writes the repr of a task's result
class Benched:
    """What a run came to: a report, or why there is none."""

    report: Report | None
    diagnostics: tuple[Diagnostic, ...]
    trials: Trials | None = None
    stopped: Stop | None = None
    """Set where the run did not come to its end; what was answered until then is kept."""


def bench(
    prepared: Prepared, events: Callable[[BenchEvent], None], agree: Callable[[Ahead], bool] = lambda _: True
) -> Benched:
    """Run what was prepared. `agree` is told what lies ahead, and may decline.

    Never raises for what a target, a judge or the disk does: the result says it.
    """
    try:
        fresh = prepared.wanted.fresh
        with opened(prepared.work, fresh=fresh, waiting=lambda why: events(Waiting(why))) as journal:
            every = pending(prepared.suite, prepared.target.digest, prepared.settings.runs)
            ahead = look_ahead(prepared, journal, every)
            if not agree(ahead):
                event_loop.run(_close(prepared))
                return Benched(None, (), stopped="declined")
            return event_loop.run(_bench(prepared, journal, every, events))
    except JournalError as error:
        return Benched(None, (error.diagnostic,), stopped=error.diagnostic)
    except KeyboardInterrupt:
        return Benched(None, (), stopped="interrupted")


async def _close(prepared: Prepared) -> None:
    await prepared.target.close()
    if prepared.judge is not None:
        await prepared.judge.close()


async def _bench(
    prepared: Prepared, journal: BenchJournal, every: Sequence[Trial], events: Callable[[BenchEvent], None]
) -> Benched:
    with ExitStack() as held:
        warming = asyncio.get_running_loop().run_in_executor(None, _warm, prepared, held)
        try:
            return await _tried(prepared, journal, every, events, warming)
        finally:
            await warming
            await _close(prepared)


async def _tried(
    prepared: Prepared,
    journal: BenchJournal,
    every: Sequence[Trial],
    events: Callable[[BenchEvent], None],
    warming: "asyncio.Future[Ground]",
) -> Benched:
    """Ask, mark and score; `warming` gives what the score stands on."""

    @cache
    def marker() -> "Marker":
        from evalspec.bench.marking import Marker

        return Marker(prepared.suite, journal, prepared.judge, prepared.ratings)

    def finished(line: TrialLine) -> None:
        marker().begin(line)

    suite, target, options = prepared.suite, prepared.target, _options(prepared)
    trials = await run_trials(suite, target, journal, options, events, every, finished)
    said = _of_trials(prepared, journal, trials)
    if trials.stopped is not None:
        return _stopped(trials.stopped, said, trials)
    marked = await marker().mark(trials.lines, events)
    if marked.stopped is not None:
        return _stopped(marked.stopped, said, trials)
    return Benched(_report(prepared, marked, trials.kept, await warming), tuple(said), trials)


def _warm(prepared: Prepared, held: ExitStack) -> "Ground":
    """Load what marks and reports need while the target is waited for, and make what the score stands on.

    That is a third of what a short run takes. What must be closed is put on `held`.
    """
    if prepared.client is not None:
        prepared.client.join()  # the first request waits for it

    from evalspec.bench import marking, reports, scoring  # noqa: F401

    return held.enter_context(scoring.ground(prepared.suite))


def _options(prepared: Prepared) -> RunOptions:
    settings = prepared.settings
    return RunOptions(
        runs=settings.runs,
        concurrency=settings.concurrency,
        max_calls=prepared.wanted.max_calls,
        requests_per_minute=prepared.file.settings.requests_per_minute,
        tokens_per_minute=prepared.file.settings.tokens_per_minute,
        place=prepared.target_config.place,
    )


def _stopped(why: Literal["interrupted"] | Diagnostic, said: Sequence[Diagnostic], trials: Trials) -> Benched:
    extra = (why,) if isinstance(why, Diagnostic) and why not in said else ()
    return Benched(None, (*said, *extra), trials, why)


def _of_trials(prepared: Prepared, journal: BenchJournal, trials: Trials) -> list[Diagnostic]:
    """What there is to say of the trials besides their figures."""
    out = [journal.torn] if journal.torn else []
    if trials.hopeless is not None:
        out.append(trials.hopeless)
    elif failed := [line for line in trials.lines if any(result.error for result in line.results)]:
        out.append(findings.failed(failed, len(trials.lines), prepared.suite, prepared.target.kind))
    if (unmapped := findings.unmapped(trials.lines, prepared.target_config)) is not None:
        out.append(unmapped)
    if trials.lines and not trials.open and trials.kept == len(trials.lines):
        out.append(findings.nothing_asked(prepared.suite, trials.kept, prepared.work))
    elif trials.kept and prepared.target.kind in MAY_CHANGE:
        out.append(findings.some_kept(prepared.suite, trials.kept, len(trials.lines), prepared.work))
    return out


def _report(prepared: Prepared, marked: "Marked", kept: int, ground: "Ground") -> Report:
    from importlib.metadata import version

    from evalspec.bench import scoring

    target = prepared.target
    context = scoring.Context(
        target=target.shown(),
        settings=prepared.settings,
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        version=version("evalspec-compiler"),
        model=target.model or target.name,
        prompt_version=prepared.prompt_version,
        judge=prepared.judge.shown() if prepared.judge else None,
        judge_tokens=marked.judge_tokens,
        kept=kept,
        ci=prepared.wanted.ci,
        required=_required(prepared.settings, scoring.REPRODUCIBLE),
    )
    return scoring.score_on(ground, marked.scores, context)


def for_people(prepared: Prepared, trials: Trials, path: Path) -> Path | None:
    """The list of answers that people are to rate; None where none waits for them.

    It is the one that was given, where that has all of them; else it is written to `path`, with the ratings that there
    are. Raises OSError.
    """
    from evalspec.bench.people import Ratings, to_rate, write_list

    given = prepared.ratings or Ratings()
    items = to_rate(prepared.suite, trials.lines, given)
    waiting = [item for item in items if item.waits]
    if not waiting:
        return None
    known = (given.of(item.case_id, item.epoch, item.turn, item.check, item.answer) for item in waiting)
    if prepared.wanted.ratings is not None and all(known):
        return prepared.wanted.ratings
    path.parent.mkdir(parents=True, exist_ok=True)
    return write_list(path, items)


def _required(settings: Settings, usual: Settings) -> Settings:
    """What the settings of a run that is cited must be: those that evalspec.toml declares, else the usual ones."""
    declared = {name: value for name in REPRODUCIBLE if (value := getattr(settings, name)) is not None}
    return usual.model_copy(update=declared)
