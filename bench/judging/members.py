"""Who votes: a model that is asked, or a recording that is looked into."""

import asyncio
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from evalspec.bench.judging.config import JudgeConfig, JudgeModel
from evalspec.bench.judging.prompts import Question
from evalspec.bench.judging.recording import Recording, recorded
from evalspec.runtime.admission import Admission
from evalspec.runtime.budget import CHARS_PER_TOKEN, Budget
from evalspec.runtime.providers import (
    BusyError,
    Chat,
    ChatRequest,
    Message,
    RefusedError,
    Reply,
    ReplyError,
    make_chat,
)
from evalspec.runtime.providers.endpoint import bare
from evalspec.runtime.retry import with_retries
from evalspec.spec.draw import draw
from evalspec.spec.journal import Usage
from evalspec.spec.source import Place

Waiting = Callable[[BusyError, float], None]
"""Told why a request waits for another try, and for how many seconds."""

MOST_UNREACHED = 3
"""Ballots, each tried three times, that a model may leave without a word before it is taken for out of reach."""
BESIDE = "evalspec.toml, or where you start the command"
"""Where a `.env` is read."""
_NOT_TAKEN = re.compile(r"HTTP (400|413|422)\b")
_TOO_LONG = ("context length", "context_length", "context window", "too long", "too many tokens")


@dataclass(frozen=True, slots=True)
class Ballot:
    """One vote to be given: what is asked, and about what."""

    question: Question
    case_id: str
    check: str
    turn: int
    epoch: int
    vote: int
    """Counts over the whole panel from 1."""
    repeat: int
    """Counts the votes of one member from 1."""
    key: str


class UnreachedError(RefusedError):
    """A model did not answer at all: nobody is at its address, or what is there only fails."""


class Member(Protocol):
    """One judge of a panel."""

    def shown(self) -> dict[str, Any]:
        """What decides its votes, and may be shown."""
        ...

    def answered(self) -> None:
        """Told that it gave a reply before, which is kept: what it refuses now it refuses for what a request holds."""
        ...

    @property
    def unreached(self) -> "UnreachedError | None":
        """Why nobody heard of it in this run, where it was asked."""
        ...

    async def reply(self, ballot: Ballot) -> Reply:
        """Its reply. Raises RefusedError, BusyError, ReplyError."""
        ...

    async def close(self) -> None:
        """Close connections."""
        ...


class ModelMember:
    """A model that is asked over a chat; what is busy is tried again."""

    def __init__(self, model: JudgeModel, chat: Chat, waiting: Waiting) -> None:
        self._model, self._chat, self._waiting = model, chat, waiting
        limits = model.limits
        self._admission = Admission(limits.max_concurrency)
        self._budget = Budget(limits.requests_per_minute, limits.tokens_per_minute)
        self._refused: RefusedError | None = None
        self._answered = False
        self._reached = False
        self._failed, self._failure = 0, ""
        self._alone = asyncio.Lock()
        """Held by the one ballot that is out until the model is known to be there."""

    def shown(self) -> dict[str, Any]:
        """Provider, model, address without a user, and parameters."""
        model = self._model
        return {
            "provider": model.provider,
            "model": model.model,
            "base_url": bare(model.base_url) if model.base_url else None,
            "temperature": model.temperature,
            "top_p": model.top_p,
            "max_tokens": model.max_tokens,
            "seed": model.seed,
        }

    def answered(self) -> None:
        """Remember that the model gives replies."""
        self._answered = True

    @property
    def unreached(self) -> UnreachedError | None:
        """Why nobody heard of it in this run, where it was asked."""
        return UnreachedError(self._failure) if self._failed and not self._reached else None

    async def reply(self, ballot: Ballot) -> Reply:
        """The model's reply. Raises RefusedError, from then on at once; BusyError after the last try; ReplyError."""
        if not self._reached:
            async with self._alone:
                if not self._reached:
                    return await self._first(ballot)
        return await self._asked(ballot)

    async def _first(self, ballot: Ballot) -> Reply:
        """The reply of a model of which nothing was heard in this run. Raises as `reply`; UnreachedError."""
        if self._refused is not None:
            raise type(self._refused)(str(self._refused))
        try:
            reply = await self._asked(ballot)
        except BusyError as error:
            self._reached = error.throttled
            if not self._reached:
                self._failed, self._failure = self._failed + 1, str(error)
            if self._failed >= MOST_UNREACHED and (unreached := self.unreached) is not None:
                self._refused = unreached
                raise unreached from None
            raise
        except ReplyError:
            self._reached = True
            raise
        self._reached = True
        return reply

    async def _asked(self, ballot: Ballot) -> Reply:
        question, model = ballot.question, self._model
        request = ChatRequest(
            messages=(Message("system", question.system), Message("user", question.message)),
            schema=question.schema,
            max_tokens=model.max_tokens,
            temperature=model.temperature,
            top_p=model.top_p,
            seed=None if model.seed is None else model.seed + ballot.repeat - 1,
        )

        async def call() -> Reply:
            if self._refused is not None:
                raise RefusedError(str(self._refused))
            try:
                reply = await self._chat.ask(request)
            except RefusedError as error:
                if _is_its_own(str(error), self._answered):
                    raise ReplyError(str(error)) from None
                self._refused = error
                raise
            self.answered()
            return reply

        async def before() -> None:
            if not self._budget.free:
                tokens = len(question.message) // CHARS_PER_TOKEN + model.max_tokens
                await asyncio.sleep(self._budget.take(tokens))

        spread = draw(0, ballot.key) / 2**64
        return await with_retries(call, self._admission, self._waiting, spread, before=before)

    async def close(self) -> None:
        """Close connections."""
        await self._chat.close()


def _is_its_own(reason: str, answered: bool) -> bool:
    """Whether a request was refused for what it holds, as one that is too long, and others may be taken."""
    if not _NOT_TAKEN.match(reason):
        return False
    return answered or any(mark in reason.lower() for mark in _TOO_LONG)


class RecordedMember:
    """Verdicts that were recorded before."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording

    def shown(self) -> dict[str, Any]:
        """The name of the file and the digest of its bytes."""
        return {"provider": "recorded", "model": self._recording.name, "digest": self._recording.digest}

    def answered(self) -> None:
        """Nothing to remember."""

    @property
    def unreached(self) -> UnreachedError | None:
        """None: a recording is there, or was never opened."""
        return None

    async def reply(self, ballot: Ballot) -> Reply:
        """The recorded reply; votes are counted within the recording. Raises ReplyError where there is none."""
        said = self._recording.find(ballot.case_id, ballot.check, ballot.turn, ballot.epoch, ballot.repeat)
        if said is None:
            raise ReplyError(f"the recording holds no verdict on {ballot.check} of case {ballot.case_id}")
        return Reply(said, Usage(), "stop", self._recording.name)

    async def close(self) -> None:
        """Nothing to close."""


def make_members(config: JudgeConfig, env: Mapping[str, str], folder: Path, waiting: Waiting) -> list[Member]:
    """The members of a panel, one a model of the settings. Raises SetupError."""
    return [
        _made(model, place, config.folder if model.provider == "recorded" else folder, env, waiting)
        for model, place in zip(config.models, config.places, strict=True)
    ]


def _made(model: JudgeModel, place: Place, folder: Path, env: Mapping[str, str], waiting: Waiting) -> Member:
    if model.provider == "recorded":
        return RecordedMember(recorded(folder / model.model, model.model))
    chat = make_chat(model.generation_model(), folder, env, place=lambda _key: place, section="judge", beside=BESIDE)
    return ModelMember(model, chat, waiting)
