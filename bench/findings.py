"""What a run of a suite says of its target, its settings and its end."""

import json
from collections.abc import Sequence
from pathlib import Path

from evalspec.bench.report import Settings
from evalspec.bench.results import TrialLine
from evalspec.bench.settings import BenchFile
from evalspec.bench.suite import Suite
from evalspec.bench.targets.config import TargetConfig
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.source import Place

_MOST = 400


def hopeless(target: str, failed: int, error: str, place: Place, kind: str = "provider") -> Diagnostic:
    """An ES741: no trial was answered."""
    tried = f"{failed:,} {'trial' if failed == 1 else 'trials'} failed and none was answered"
    message = f"the target {target} gives no answers: {tried}; the first error: {error[:_MOST]}"
    hint = "see that it runs, and that its address and mapping are right; then run the same command again"
    if kind == "recorded":
        hint = "see that it is of this suite: case_id, epoch and turn say which answer a line is"
    return found("ES741", message, place, hint=hint)


def silent(target: str, seconds: float, error: str, place: Place, *, ever: bool) -> Diagnostic:
    """An ES741: a target is out of reach; `ever` says whether it had answered before in this run."""
    what = "has not answered for" if ever else "answered nothing in"
    message = f"the target {target} {what} {seconds:.0f} s: {error[:_MOST]}"
    hint = "see that it runs; what it answered is kept, and the same command goes on from there"
    return found("ES741", message, place, hint=hint)


def refused(target: str, error: str, place: Place, kind: str = "provider") -> Diagnostic:
    """An ES504: asking again cannot mend it."""
    message = f"the target {target} refused for good: {error[:_MOST]}"
    what = "the module, or what it imports" if kind == "python" else "the key, the address or the request"
    hint = f"mend {what}, then run again: what was answered is kept"
    return found("ES504", message, place, hint=hint)


def capped(error: str, place: Place) -> Diagnostic:
    """An ES516: --max-calls."""
    hint = "the same command goes on from here; with a higher --max-calls it gets further"
    return found("ES516", f"the run stopped before a cap: {error}", place, hint=hint)


def no_target(module: str | None, place: Place) -> Diagnostic:
    """An ES740: nothing is named that could answer."""
    if module is not None:
        hint = f"name it with --target, or set target in [bench.modules.{module}] of evalspec.toml"
    else:
        hint = "name what is to answer: --target bot.yaml, http://..., python:module:function, recorded:answers.jsonl"
    return found("ES740", "no target is named", place, hint=hint)


def no_judge(suite: Suite, checks: int) -> Diagnostic:
    """An ES746: so many checks stay unscored."""
    message = f"{checks:,} {'check needs' if checks == 1 else 'checks need'} a judge, and none is named: not scored"
    return found(
        "ES746", message, suite.place, hint="name one with --judge, for example a file with provider and model"
    )


def not_strict(suite: Suite, file: BenchFile, settings: Settings, kind: str | None = None) -> list[Diagnostic]:
    """Why --ci does not take a run: it is a draft (ES742), settings are not set (ES743).

    `kind` is that of the target: what is no model takes none of the settings, and needs them beside bars alone.
    """
    from evalspec.bench.gating import draft_reasons

    out = []
    if draft := draft_reasons(suite, settings, Settings()):
        hint = "run it without --ci until it is whole and its bars are signed"
        out.append(found("ES742", f"--ci takes no draft: {'; '.join(draft)}", suite.place, hint=hint))
    if suite.bars or kind == "provider":
        since = "this suite declares bars" if suite.bars else "the target is a model"
        out += file.not_reproducible(since)
    return out


def failed(lines: Sequence[TrialLine], of: int, suite: Suite, kind: str = "provider") -> Diagnostic:
    """An ES745: trials with an error, and the first of them; `kind` is that of the target."""
    first = lines[0]
    error = next((result.error for result in first.results if result.error), "")
    message = f"{len(lines):,} of {of:,} trials met an error; {first.case_id}: {error[:_MOST]}"
    hint = "the same command asks these again, and no others"
    if kind == "recorded":
        hint = "a recording is not asked again: add the lines that it lacks, as in "
        hint += f'{{"case_id": {json.dumps(first.case_id, ensure_ascii=False)}, "text": "..."}}'
    return found("ES745", message, suite.place, hint=hint)


def some_kept(suite: Suite, kept: int, of: int, work: Path) -> Diagnostic:
    """An ES748: answers of an earlier run stand beside new ones, and the target may have changed between them."""
    are = "is" if kept == 1 else "are"
    message = f"{kept:,} of {of:,} answers {are} from an earlier run: they are kept in {work.as_posix()}"
    return found("ES748", message, suite.place, hint="--fresh asks anew, as where the target has changed since")


def unmapped(trials: Sequence[TrialLine], config: TargetConfig) -> Diagnostic | None:
    """An ES736 where `map` names the place of the text, and every answer called tools and had no text there."""
    path = config.settings.map.text
    results = [result for line in trials for result in line.results if result.error is None]
    if path is None or not results or any(result.text or not result.tool_calls for result in results):
        return None
    message = f"none of the {len(results):,} answers has a text at {path}, which `map` names; all of them called tools"
    hint = "see where the text stands in an answer of the target, and write its path"
    return found("ES736", message, config.place_of("map", "text"), hint=hint)


def nothing_asked(suite: Suite, kept: int, work: Path) -> Diagnostic:
    """An ES747: every answer was kept."""
    message = f"all {kept:,} trials were answered before: their answers are in {work.as_posix()}"
    return found("ES747", message, suite.place, hint="--fresh sets them aside and asks anew")
