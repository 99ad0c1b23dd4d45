"""A judge: asks its members for their votes on one answer, keeps what they said, and counts."""

import asyncio
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from evalspec.bench.checks import Check, JudgedByPolicy, JudgedByRubric
from evalspec.bench.judging.config import JudgeConfig
from evalspec.bench.judging.kept import KeptVerdicts
from evalspec.bench.judging.material import MAX_CHARS, answer_of, material_of, plain
from evalspec.bench.judging.members import Ballot, Member, UnreachedError, make_members
from evalspec.bench.judging.objects import MAX_CHARS as MAX_REPLY
from evalspec.bench.judging.panel import counted
from evalspec.bench.judging.prompts import Question, prompt_digest, question
from evalspec.bench.judging.verdicts import Vote, read_vote, shortened, unless_repeated
from evalspec.bench.results import CheckResult, JudgeLine, TargetResult
from evalspec.bench.suite import Case
from evalspec.runtime.providers import BusyError, RefusedError, Reply, ReplyError
from evalspec.runtime.run_state import RunState, StoppingError
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.fingerprint import digest_of

KEY_VERSION = 1


class Judge:
    """One judge or a panel, each with one or more votes."""

    def __init__(self, config: JudgeConfig, members: Sequence[Member]) -> None:
        self.config = config
        self._members = tuple(members)

    @property
    def name(self) -> str:
        """What reports call it: its models."""
        return ", ".join(model.model for model in self.config.models)

    def shown(self) -> dict[str, Any]:
        """What decides its verdicts, for a report; never a key."""
        return {**self._shown, "digest": self.digest}

    @cached_property
    def _shown(self) -> dict[str, Any]:
        return {
            "judges": [member.shown() for member in self._members],
            "votes": self.config.votes,
            "prompt": self.config.prompt,
            "prompt_digest": prompt_digest(self.config.prompt),
        }

    @cached_property
    def digest(self) -> str:
        """Over models, addresses, parameters, votes and prompt: verdicts of two digests are not comparable."""
        return digest_of(self._shown)

    async def verdict(
        self,
        check: Check,
        case: Case,
        results: Sequence[TargetResult],
        epoch: int,
        kept: KeptVerdicts,
        state: RunState | None = None,
    ) -> CheckResult:
        """The verdict on the last of `results`, which answer the first turns of the case, one each.

        A vote that `kept` holds is not asked for again. Whatever goes wrong makes it unscored, with the reason. Raises
        RefusedError alone, where a model refuses for good (key, billing, request) or fell silent, StoppingError where
        the run of `state` stops first, and what `kept` raises.
        """
        spec, turn, result = check.spec, len(results) - 1, results[-1]
        if not isinstance(spec, (JudgedByPolicy, JudgedByRubric)):
            return _unscored(check, turn, f"{check.name} is no check for a judge")
        if result.error is not None:
            return _unscored(check, turn, "the target gave no answer to judge")
        if sum(len(answer_of(one)) for one in results) > MAX_CHARS:
            what = "answer is" if turn == 0 else "answers up to this one are"
            return _unscored(check, turn, f"the {what} over {MAX_CHARS:,} characters, more than a judge is shown")
        asked = question(spec, material_of(case, results))
        ballots = self._ballots(check, case, turn, epoch, asked)
        answers = [answer_of(one) for one in results]
        votes = await asyncio.gather(
            *(self._vote(member, ballot, spec, answers, kept, state) for member, ballot in ballots),
            return_exceptions=True,
        )
        for vote in votes:  # raised only now, when none is in flight any more
            if isinstance(vote, BaseException):
                raise vote
        return counted(check.name, turn, check.metric, [vote for vote in votes if isinstance(vote, Vote)])

    @property
    def unreached(self) -> RefusedError | None:
        """Why a model of the panel could not be reached in this run, where it was asked and never heard of."""
        return next((why for member in self._members if (why := member.unreached) is not None), None)

    async def close(self) -> None:
        """Close connections."""
        for member in self._members:
            await member.close()

    def _ballots(self, check: Check, case: Case, turn: int, epoch: int, asked: Question) -> list[tuple[Member, Ballot]]:
        out = []
        for index, (member, shown) in enumerate(zip(self._members, self._shown["judges"], strict=True)):
            for repeat in range(1, self.config.votes + 1):
                spot = [plain(case.case_id), plain(check.name), turn, epoch, repeat]
                words = [asked.system, asked.message, asked.schema]
                key = digest_of([KEY_VERSION, shown, self.config.prompt, words, spot])
                vote = index * self.config.votes + repeat
                ballot = Ballot(asked, case.case_id, check.name, turn, epoch, vote, repeat, key)
                out.append((member, ballot))
        return out

    async def _vote(
        self,
        member: Member,
        ballot: Ballot,
        spec: JudgedByPolicy | JudgedByRubric,
        answers: Sequence[str],
        kept: KeptVerdicts,
        state: RunState | None,
    ) -> Vote:
        """One vote, from what is kept or from the member. Raises RefusedError, StoppingError, what `kept` raises."""
        line = kept.get(ballot.key)
        if line is None or line.reply is None:
            try:
                reply = await member.reply(ballot, state)
            except (RefusedError, StoppingError):
                raise
            except (BusyError, ReplyError) as error:
                return Vote(None, f"the judge gave no reply: {shortened(str(error))}")
            except Exception as error:  # a client's own fault must not cost the run
                return Vote(None, f"the judge failed: {type(error).__name__}")
            line = _line(ballot, reply)
            kept.put(line)
        else:
            member.answered()
        return unless_repeated(read_vote(spec, line), line.reply, answers)


def _line(ballot: Ballot, reply: Reply) -> JudgeLine:
    return JudgeLine(
        key=ballot.key,
        case_id=ballot.case_id,
        epoch=ballot.epoch,
        check=ballot.check,
        turn=ballot.turn,
        vote=ballot.vote,
        reply=reply.text[: MAX_REPLY + 1],
        finish=reply.finish,
        input_tokens=reply.usage.input_tokens,
        output_tokens=reply.usage.output_tokens,
    )


def _unscored(check: Check, turn: int, reason: str) -> CheckResult:
    return CheckResult(check=check.name, turn=turn, verdict="unscored", reason=reason, metric=check.metric, judged=True)


def make_judge(config: JudgeConfig, env: Mapping[str, str], folder: Path) -> Judge:
    """The judge that the settings describe; nothing is asked yet.

    `env` holds the keys, `folder` is where the run was started. Raises SetupError with ES406, ES505 or ES752.
    """
    return Judge(config, make_members(config, env, folder))


def refused(judge: Judge, error: RefusedError) -> Diagnostic:
    """The finding for a judge that refused for good, or that is out of reach: no further verdict can be had."""
    if isinstance(error, UnreachedError):
        message = f"the judge {judge.name} cannot be reached: {shortened(str(error))}"
        hint = "see that it runs and that its address is right; what was answered is kept, and the same command goes on"
        return found("ES756", message, judge.config.place, hint=hint)
    hint = "mend the key, the billing or the model's name and run again: verdicts that were given are kept"
    return found("ES753", f"the judge {judge.name} refuses: {shortened(str(error))}", judge.config.place, hint=hint)
