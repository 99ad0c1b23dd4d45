"""Runs the trials of a suite: every case in every epoch, its turns in order in one session, each answer journaled."""

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from evalspec.bench.events import Answered, Began, BenchEvent
from evalspec.bench.findings import capped, hopeless, refused, silent
from evalspec.bench.journal import BenchJournal, answered, trial_key
from evalspec.bench.results import TargetResult, TrialLine
from evalspec.bench.suite import Case, Suite
from evalspec.bench.targets import Target
from evalspec.bench.targets.failing import FailingError
from evalspec.bench.trials import Pending, Run, RunOptions, Trials
from evalspec.runtime.admission import Admission
from evalspec.runtime.budget import CHARS_PER_TOKEN, Budget
from evalspec.runtime.events import Event, Stopped, Throttled
from evalspec.runtime.journaling import JournalError
from evalspec.runtime.providers import BusyError, RefusedError
from evalspec.runtime.retry import with_retries
from evalspec.runtime.run_state import RunState, StoppingError, interruptible
from evalspec.runtime.spending import SpentError
from evalspec.spec.diagnostic import Diagnostic

LONGEST_PAUSE = 15.0
"""Seconds that a trial waits at most before it is tried once more, a Retry-After apart."""
LEAST_ROUNDS = 3
"""Rounds of tries that a trial has at least where the target answers others: it may only have waited its turn."""
MOST_OF_AN_ERROR = 400


Trial = tuple[Case, int, str]
"""Case, epoch and key."""


def pending(suite: Suite, target_digest: str, runs: int) -> list[Trial]:
    """Every trial, a whole run after the other."""
    return [
        (case, epoch, trial_key(case, target_digest, epoch)) for epoch in range(1, runs + 1) for case in suite.cases
    ]


async def run_trials(
    suite: Suite,
    target: Target,
    journal: BenchJournal,
    options: RunOptions,
    events: Callable[[BenchEvent], None],
    every: Sequence[Trial] | None = None,
    finished: Callable[[TrialLine], None] = lambda _: None,
) -> Trials:
    """Ask what the journal does not hold of `every` trial that there is, and give all that it holds then.

    `finished` is told each line that is new, while others are waited for, and must not take long.

    Never raises for what a target does. A trial with an error is journaled, and asked again by the next run; one for
    which the target was busy beyond patience is not journaled at all.
    """
    if every is None:
        every = pending(suite, target.digest, options.runs)
    made = {key: line for _, _, key in every if (line := journal.trial(key)) is not None}
    queue = deque(Pending(*trial) for trial in every if trial[2] not in made)
    kept, left = len(made), len(queue)
    target.has_answered = target.has_answered or bool(kept)
    most = max(1, min(options.concurrency, target.most_at_once))

    def told(event: Event) -> None:
        if isinstance(event, Stopped):
            events(event)

    run = Run(
        target=target,
        journal=journal,
        options=options,
        events=events,
        state=RunState(told),
        admission=Admission(
            most, alone_first=getattr(target, "probes", False), grace=getattr(target, "grace", math.inf)
        ),
        budget=Budget(options.requests_per_minute, options.tokens_per_minute),
        queue=queue,
        made=made,
        enough=max(options.hopeless_after, 2 * most if most > 1 else 0),
        finished=finished,
        kept=kept,
    )
    events(Began(len(every), left))
    if queue:
        await _work(run, 1 if most == 1 else min(left, 2 * most))
    lines = tuple(made[key] for _, _, key in sorted(every, key=_by_case(suite)) if key in made)
    cut_off = run.state.stopped == "interrupted"  # then a failure may be of our own making
    none = _none(run) if run.bad and not run.good and not kept and not cut_off else None
    stopped = none if run.state.stopped == "hopeless" else run.state.stopped
    return Trials(lines, len(every) - len(lines), kept, run.calls, stopped, none)


def _by_case(suite: Suite) -> Callable[[Trial], tuple[int, int]]:
    places = {case.case_id: number for number, case in enumerate(suite.cases)}
    return lambda trial: (places[trial[0].case_id], trial[1])


async def _work(run: Run, workers: int) -> None:
    """Let workers take trials until none is left or the run stops; what is in flight is waited for."""
    try:
        with interruptible(run.state, asyncio.current_task()):
            await _together([_worker(run) for _ in range(workers)])
    except JournalError as error:
        run.state.end(error.diagnostic, error.diagnostic.message)
    except asyncio.CancelledError:
        if run.state.stopped != "interrupted":
            raise
    finally:
        for trial in run.queue:
            await _close(trial)


async def _together(work: Sequence[Any]) -> None:
    """Run the coroutines at once; the first error ends them all."""
    if len(work) == 1:
        await work[0]
        return
    tasks = [asyncio.ensure_future(item) for item in work]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()


async def _worker(run: Run) -> None:
    while run.queue and not run.state.stop.is_set():
        trial = run.queue.popleft()
        try:
            await _pause(run, trial)
            await _answer(run, trial)
        except StoppingError:
            await _close(trial)
        except SpentError as error:
            await _close(trial)
            finding = capped(str(error), run.options.place)
            run.state.end(finding, finding.message)
        except RefusedError as error:
            await _close(trial)
            finding = refused(run.target.name, str(error), run.options.place, run.target.kind)
            run.state.end(finding, finding.message)
        except BusyError as error:
            await _put_off(run, trial, error)
        except BaseException:
            await _close(trial)
            raise


async def _pause(run: Run, trial: Pending) -> None:
    """Wait until the trial may be tried again. Raises StoppingError."""
    seconds = trial.not_before - time.monotonic()
    if seconds > 0:
        await run.state.sleep(seconds)


async def _answer(run: Run, trial: Pending) -> None:
    """Ask the turns that are left, in order, and write the trial down. Raises what asking raises."""
    if trial.session is None:
        trial.session = run.target.session(trial.case, trial.epoch)
    for turn in trial.case.turns[len(trial.results) :]:
        trial.results.append(await _ask(run, trial, turn.input))
        trial.busy_since = None
    line = _line(trial)
    run.journal.add(line)
    await _finish(run, trial, line)


async def _ask(run: Run, trial: Pending, given: Any) -> TargetResult:
    """The answer to one turn. Raises BusyError, RefusedError, StoppingError, SpentError."""
    session = trial.session
    assert session is not None

    async def before() -> None:
        if run.state.stop.is_set() and not trial.results:
            raise StoppingError  # nothing of the trial is paid for yet
        if not run.budget.free:
            await run.state.sleep(run.budget.take(len(str(given)) // CHARS_PER_TOKEN))

    async def call() -> TargetResult:
        _take(run)
        try:
            result = await session.ask(given)
        except BusyError as error:
            if not error.unsure:
                run.calls -= 1
            raise
        run.replied, run.replied_at = True, time.monotonic()
        return result

    def waiting(error: BusyError, seconds: float) -> None:
        run.events(Throttled(str(error)[:200], seconds, int(run.admission.limit)))

    try:
        key = f"{trial.key} {len(trial.results)}"
        return await with_retries(call, run.admission, waiting, key, run.state.sleep, before, again=trial.rounds > 0)
    except (BusyError, RefusedError, StoppingError, SpentError):
        raise
    except Exception as error:  # a target that breaks its own rules is recorded like any that fails
        return TargetResult(error=f"{type(error).__name__}: {error}"[:MOST_OF_AN_ERROR])


def _take(run: Run) -> None:
    """Count a request that is about to be sent. Raises SpentError."""
    most = run.options.max_calls
    if most is not None and run.calls >= most:
        raise SpentError(f"{run.calls:,} requests were sent to the target, and {most:,} are allowed")
    run.calls += 1


def _line(trial: Pending) -> TrialLine:
    return TrialLine(case_id=trial.case.case_id, epoch=trial.epoch, key=trial.key, results=tuple(trial.results))


async def _finish(run: Run, trial: Pending, line: TrialLine) -> None:
    """Count a trial that is through; end the run where none of the first ones was answered."""
    await _close(trial)
    run.made[trial.key] = line
    error = next((result.error for result in line.results if result.error is not None), None)
    run.good += answered(line)
    run.bad += not answered(line)
    run.first_error = run.first_error or error or ""
    run.finished(line)
    run.events(Answered(trial.case.case_id, trial.epoch, error))
    if not run.good and not run.kept and run.bad >= run.enough and run.queue and run.target.kind != "recorded":
        run.state.end("hopeless", _none(run).message)


async def _put_off(run: Run, trial: Pending, error: BusyError) -> None:
    """Let the trial wait its turn again; past all patience its open turns are errors, which no journal keeps.

    Where the target answers nobody, and many wait or none was ever answered, the run stops instead. Patience is shorter
    where it answers others, and there is none for a fault at one of a few trials that an earlier run left over.
    """
    now = time.monotonic()
    run.throttled |= error.throttled
    patience = run.options.patience if run.replied or run.throttled else run.options.unseen_patience
    trial.busy_since = now if trial.busy_since is None else trial.busy_since
    silence, waited = now - run.replied_at, now - trial.busy_since
    alone = run.replied_at > trial.busy_since and trial.rounds >= LEAST_ROUNDS
    fails_here = isinstance(error, FailingError) and run.kept > len(run.queue)
    if silence > patience and _many_wait(run) and not fails_here:
        run.queue.append(trial)
        finding = silent(run.target.name, silence, str(error), run.options.place, ever=run.replied)
        run.state.end(finding, finding.message)
    elif fails_here or waited > (min(patience, run.options.lone_patience) if alone else patience):
        busy = f"the target was busy or out of reach for {waited:.0f} s: {error}"
        why = (str(error) if fails_here else busy)[:MOST_OF_AN_ERROR]
        trial.results += [TargetResult(error=why)] * (len(trial.case.turns) - len(trial.results))
        await _finish(run, trial, _line(trial))
    else:
        trial.rounds += 1
        trial.not_before = now + min(LONGEST_PAUSE, patience / 5, 0.5 * 2.0**trial.rounds)
        run.queue.append(trial)


def _many_wait(run: Run) -> bool:
    """Whether a silence is that of the target, and not of a few cases."""
    return not run.made or len(run.queue) + 1 >= run.options.hopeless_after


async def _close(trial: Pending) -> None:
    session, trial.session = trial.session, None
    if session is not None:
        with suppress(Exception):  # what a target does at its end changes no answer
            await session.close()


def _none(run: Run) -> Diagnostic:
    return hopeless(run.target.name, run.bad, run.first_error, run.options.place, run.target.kind)
