"""Several votes into one verdict: the majority of those that were scored, and none where too few were."""

from collections.abc import Sequence
from statistics import median

from evalspec.bench.judging.verdicts import Vote
from evalspec.bench.results import CheckResult, Verdict


def counted(check: str, turn: int, metric: str | None, votes: Sequence[Vote]) -> CheckResult:
    """The result of a check from all votes on it, at least one.

    Unscored where under half of the votes were scored, or the scored ones are tied. The score of a rubric is the
    median of the scored votes; whether it passes is their majority's to say, so that hard fails count.
    """
    verdict, reason = _majority(votes)
    scores = [vote.score for vote in votes if vote.score is not None]
    score = float(median(scores)) if scores and verdict != "unscored" else None
    return CheckResult(check=check, turn=turn, verdict=verdict, reason=reason, metric=metric, score=score, judged=True)


def _majority(votes: Sequence[Vote]) -> tuple[Verdict, str]:
    scored = [vote for vote in votes if vote.passed is not None]
    passes = [vote for vote in scored if vote.passed]
    fails = [vote for vote in scored if not vote.passed]
    if not scored or 2 * len(scored) < len(votes):
        first = next(vote.reason for vote in votes if vote.passed is None)
        if len(votes) == 1:
            return "unscored", first
        return "unscored", f"{len(scored)} of {len(votes)} votes were scored; the first that was not: {first}"
    if len(passes) == len(fails):
        return "unscored", f"the votes are tied, {len(passes)} to {len(fails)}"
    side = passes if len(passes) > len(fails) else fails
    verdict: Verdict = "pass" if side is passes else "fail"
    if len(votes) == 1:
        return verdict, side[0].reason
    said = f"{len(side)} of {len(votes)} votes: {verdict}"
    return verdict, f"{said}; {side[0].reason}" if side[0].reason else said
