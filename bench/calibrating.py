"""Calibrates a judge: asks it about answers that people labelled, several times, and says how far it can be trusted."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Any, Literal

from evalspec.bench.judging.agreement import Confusion, Figure, Pair, confusion, kappa_of, rate
from evalspec.bench.judging.judge import Judge, refused
from evalspec.bench.judging.kept import KeptVerdicts
from evalspec.bench.judging.labels import Labelled, Labels, read_labels
from evalspec.bench.results import CheckResult
from evalspec.runtime.providers import RefusedError
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.model import Model
from evalspec.spec.source import Place

REPEATS = 3


class Disagreement(Model):
    """An answer of which the judge says otherwise than the people."""

    id: str
    line: int
    label: Literal["pass", "fail"]
    verdict: Literal["pass", "fail"]
    votes: tuple[str, ...]
    """The verdict of each repeat."""
    reason: str
    """The judge's, of the first repeat that says so."""


class Unscored(Model):
    """An answer on which the judge came to no verdict."""

    id: str
    line: int
    reason: str


class ScoreAgreement(Model):
    """Over the answers labelled with a score: how often the median score is the same, and how far it is off."""

    of: int
    same: int
    mean_difference: float
    """Of the judge's score less the people's, on the scale: over 0 it is lenient."""
    mean_distance: float


class Calibration(Model):
    """What a judge is worth by the labels of people. Rates are over answers, never over repeats.

    The verdict on an answer is the majority of its repeats. Passing is the positive side: `tpr` is the share of the
    answers that people pass which the judge passes, `tnr` that of those that people fail which it fails.
    """

    labels: str
    labels_digest: str
    judge: dict[str, Any]
    repeats: int
    items: int
    scored: int
    unscored: int
    unscored_repeats: int
    """Of all items times repeats."""
    confusion: Confusion
    kappa: Figure
    agreement: Figure
    tpr: Figure
    tnr: Figure
    self_consistency: Figure
    """The share of the answers with the same verdict in every repeat; one unscored repeat leaves an answer out."""
    scores: ScoreAgreement | None
    disagreements: tuple[Disagreement, ...]
    unscored_items: tuple[Unscored, ...]


async def calibrate(
    labels: Path, judge: Judge, kept: KeptVerdicts, repeats: int = REPEATS
) -> tuple[Calibration | None, tuple[Diagnostic, ...]]:
    """Ask the judge `repeats` times about each label; what `kept` holds is not asked again.

    None with findings where the labels cannot be used (ES754 and others) or the judge refuses for good (ES753); a
    warning (ES755) where the labels show one side alone. Raises what `kept` raises.
    """
    read, diagnostics = read_labels(labels)
    if read is None:
        return None, diagnostics
    try:
        judged = await _judged(read.items, judge, kept, max(1, repeats))
    except RefusedError as error:
        return None, (*diagnostics, refused(judge, error))
    missing = _missing(read)
    if missing:
        hint = "add answers that people judged the other way"
        message = f"{read.name}: {missing}; agreement by chance cannot be told from skill"
        diagnostics = (*diagnostics, found("ES755", message, Place(read.name), hint=hint))
    return _calibration(read, judge, judged, max(1, repeats)), diagnostics


async def _judged(items: Sequence[Labelled], judge: Judge, kept: KeptVerdicts, repeats: int) -> "list[_Judged]":
    """The results of all repeats. Raises RefusedError, and what `kept` raises; then nothing is asked any more."""
    asked = [
        asyncio.ensure_future(judge.verdict(item.check, item.case, [item.result], epoch, kept))
        for item in items
        for epoch in range(1, repeats + 1)
    ]
    try:
        results = await asyncio.gather(*asked)
    finally:
        for task in asked:
            task.cancel()
        await asyncio.gather(*asked, return_exceptions=True)
    return [_Judged(item, tuple(results[at * repeats : (at + 1) * repeats])) for at, item in enumerate(items)]


@dataclass(frozen=True, slots=True)
class _Judged:
    """An answer and the results of its repeats."""

    item: Labelled
    results: tuple[CheckResult, ...]

    @property
    def votes(self) -> tuple[str, ...]:
        return tuple(result.verdict for result in self.results)

    @property
    def verdict(self) -> Literal["pass", "fail"] | None:
        """The majority of the repeats; None where it is tied, or under half of them were scored."""
        passes, fails = self.votes.count("pass"), self.votes.count("fail")
        if passes == fails or 2 * (passes + fails) < len(self.votes):
            return None
        return "pass" if passes > fails else "fail"

    @property
    def why_not(self) -> str:
        """Why there is no verdict."""
        reasons = [result.reason for result in self.results if result.verdict == "unscored"]
        return reasons[0] if reasons else f"its repeats are tied: {', '.join(self.votes)}"

    @property
    def same(self) -> bool | None:
        """Whether all repeats say the same; None where one of them says nothing."""
        return None if "unscored" in self.votes else len(set(self.votes)) == 1


def _missing(read: Labels) -> str:
    """Which side the labels lack; empty where they have both."""
    passing = sum(item.verdict == "pass" for item in read.items)
    if 0 < passing < len(read.items):
        return ""
    return "no label is pass" if passing == 0 else "no label is fail"


def _calibration(read: Labels, judge: Judge, judged: Sequence[_Judged], repeats: int) -> Calibration:
    pairs: list[Pair] = [
        (one.item.verdict == "pass", one.verdict == "pass") for one in judged if one.verdict is not None
    ]
    lacking = _missing(read) or _unscored_side(pairs)
    counts = confusion(pairs)
    passing, failing = counts.pass_pass + counts.pass_fail, counts.fail_pass + counts.fail_fail
    nothing = Figure(value=None, of=len(pairs), reason=lacking)
    return Calibration(
        labels=read.name,
        labels_digest=read.digest,
        judge=judge.shown(),
        repeats=repeats,
        items=len(judged),
        scored=len(pairs),
        unscored=len(judged) - len(pairs),
        unscored_repeats=sum(one.votes.count("unscored") for one in judged),
        confusion=counts,
        kappa=nothing if lacking else kappa_of(pairs),
        agreement=nothing if lacking else rate(counts.pass_pass + counts.fail_fail, len(pairs), ""),
        tpr=nothing if lacking else rate(counts.pass_pass, passing, ""),
        tnr=nothing if lacking else rate(counts.fail_fail, failing, ""),
        self_consistency=_consistency(judged, repeats),
        scores=_scores(judged),
        disagreements=tuple(_disagreements(judged)),
        unscored_items=tuple(
            Unscored(id=one.item.case.case_id, line=one.item.case.place.line, reason=one.why_not)
            for one in judged
            if one.verdict is None
        ),
    )


def _unscored_side(pairs: Sequence[Pair]) -> str:
    """Which side has no scored answer; empty where both have some."""
    if not pairs:
        return "no answer was scored"
    sides = {people for people, _ in pairs}
    if len(sides) == 2:
        return ""
    return f"no answer that is labelled {'fail' if True in sides else 'pass'} was scored"


def _consistency(judged: Sequence[_Judged], repeats: int) -> Figure:
    if repeats < 2:
        return Figure(value=None, of=0, reason="each answer was judged once")
    same = [one.same for one in judged if one.same is not None]
    return rate(sum(same), len(same), "no answer was scored in every repeat")


def _scores(judged: Sequence[_Judged]) -> ScoreAgreement | None:
    differences = []
    for one in judged:
        given = [result.score for result in one.results if result.score is not None]
        if one.item.score is not None and given and one.verdict is not None:
            differences.append(median(given) - one.item.score)
    if not differences:
        return None
    return ScoreAgreement(
        of=len(differences),
        same=differences.count(0.0),
        mean_difference=fmean(differences),
        mean_distance=fmean(map(abs, differences)),
    )


def _disagreements(judged: Sequence[_Judged]) -> list[Disagreement]:
    out = []
    for one in judged:
        if one.verdict is None or one.verdict == one.item.verdict:
            continue
        reason = next(result.reason for result in one.results if result.verdict == one.verdict)
        out.append(
            Disagreement(
                id=one.item.case.case_id,
                line=one.item.case.place.line,
                label=one.item.verdict,
                verdict=one.verdict,
                votes=one.votes,
                reason=reason,
            )
        )
    return out
