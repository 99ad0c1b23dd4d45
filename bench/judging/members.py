"""Who votes: a model that is asked, or a recording that is looked into."""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from evalspec.bench.judging.config import JudgeConfig, JudgeModel
from evalspec.bench.judging.prompts import Question
from evalspec.bench.judging.recording import Recording, recorded
from evalspec.runtime.admission import Admission
from evalspec.runtime.budget import CHARS_PER_TOKEN, Budget
from evalspec.runtime.events import Throttled
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
from evalspec.runtime.run_state import RunState, StoppingError
from evalspec.spec.dataclass import dataclass
from evalspec.spec.journal import Usage
from evalspec.spec.source import Place

MOST_UNREACHED = 3
"""Ballots, each tried three times, that a model may leave without a word before it is taken for out of reach."""
MANY = 3
"""Ballots that wait together, for a silence to be the model's and not theirs."""
PATIENCE, LONE_PATIENCE = 300.0, 60.0
"""Seconds of silence of a model that has answered before: with many ballots waiting, and with fewer."""
LEAST_ROUNDS, THROTTLED_ROUNDS = 3, 12
"""Rounds of three tries that one ballot has while others are answered: after a fault, and after a refusal for rate."""
LONGEST_PAUSE = 30.0
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

    async def reply(self, ballot: Ballot, state: RunState | None = None) -> Reply:
        """Its reply. Raises RefusedError, BusyError, ReplyError; StoppingError where the run of `state` stops."""
        ...

    async def close(self) -> None:
        """Close connections."""
        ...


class ModelMember:
    """A model that is asked over a chat; what is busy is tried again."""

    def __init__(self, model: JudgeModel, chat: Chat) -> None:
        self._model, self._chat = model, chat
        limits = model.limits
        self._admission = Admission(limits.max_concurrency)
        self._budget = Budget(limits.requests_per_minute, limits.tokens_per_minute)
        self._refused: RefusedError | None = None
        self._answered = False
        self._reached = False
        self._failed, self._failure = 0, ""
        self._heard_at = time.monotonic()
        self._put_off = 0
        """Ballots that wait for another round."""
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

    async def reply(self, ballot: Ballot, state: RunState | None = None) -> Reply:
        """The model's reply. Raises RefusedError, from then on at once; BusyError; ReplyError; StoppingError."""
        if not self._reached:
            async with self._alone:
                if not self._reached and (reply := await self._first(ballot, state)) is not None:
                    return reply
        return await self._patient(ballot, state)

    async def _first(self, ballot: Ballot, state: RunState | None) -> Reply | None:
        """The reply of a model of which nothing was heard in this run; None where it is there, and refuses for rate.

        Raises as `reply`; UnreachedError.
        """
        if self._refused is not None:
            raise type(self._refused)(str(self._refused))
        try:
            reply = await self._asked(ballot, state)
        except BusyError as error:
            self._reached = error.throttled
            if self._reached:
                return None
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

    async def _patient(self, ballot: Ballot, state: RunState | None) -> Reply:
        """The reply of a model that is there; a ballot that it has no time for waits its turn again.

        Raises as `reply`: BusyError where this ballot finds no answer and others do, UnreachedError where none does.
        """
        rounds = 0
        try:
            while True:
                began = time.monotonic()
                try:
                    return await self._asked(ballot, state)
                except BusyError as error:
                    self._put_off += not rounds
                    rounds += 1
                    self._lose_patience(error, rounds, began)
                await _sleeper(state)(min(LONGEST_PAUSE, 0.5 * 2.0**rounds))
        finally:
            self._put_off -= rounds > 0

    def _lose_patience(self, error: BusyError, rounds: int, began: float) -> None:
        """Raise BusyError or UnreachedError where a ballot last asked at `began` has waited long enough."""
        if self._heard_at > began:
            if rounds >= (THROTTLED_ROUNDS if error.throttled else LEAST_ROUNDS):
                raise error
            return
        many = self._put_off >= MANY
        if time.monotonic() - self._heard_at <= (PATIENCE if many else LONE_PATIENCE):
            return
        if not many:
            raise error
        self._refused = UnreachedError(f"nothing was heard for {time.monotonic() - self._heard_at:.0f} s: {error}")
        raise self._refused from None

    async def _asked(self, ballot: Ballot, state: RunState | None) -> Reply:
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
                raise type(self._refused)(str(self._refused))
            try:
                reply = await self._chat.ask(request)
            except RefusedError as error:
                if _is_its_own(str(error), self._answered):
                    self._heard_at = time.monotonic()
                    raise ReplyError(str(error)) from None
                self._refused = error
                raise
            except ReplyError:
                self._heard_at = time.monotonic()
                raise
            self._heard_at = time.monotonic()
            self.answered()
            return reply

        async def before() -> None:
            if state is not None and state.stop.is_set():
                raise StoppingError
            if not self._budget.free:
                tokens = len(question.message) // CHARS_PER_TOKEN + model.max_tokens
                await sleep(self._budget.take(tokens))

        def waiting(error: BusyError, seconds: float) -> None:
            if state is not None:
                state.events(Throttled(str(error)[:200], seconds, int(self._admission.limit)))

        sleep = _sleeper(state)
        return await with_retries(call, self._admission, waiting, ballot.key, sleep, before)

    async def close(self) -> None:
        """Close connections."""
        await self._chat.close()


def _sleeper(state: RunState | None) -> Callable[[float], Awaitable[None]]:
    """What waits: not beyond the stop of a run."""
    return asyncio.sleep if state is None else state.sleep


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

    async def reply(self, ballot: Ballot, state: RunState | None = None) -> Reply:
        """The recorded reply; votes are counted within the recording. Raises ReplyError where there is none."""
        del state  # it waits for nothing
        said = self._recording.find(ballot.case_id, ballot.check, ballot.turn, ballot.epoch, ballot.repeat)
        if said is None:
            raise ReplyError(f"the recording holds no verdict on {ballot.check} of case {ballot.case_id}")
        return Reply(said, Usage(), "stop", self._recording.name)

    async def close(self) -> None:
        """Nothing to close."""


def make_members(config: JudgeConfig, env: Mapping[str, str], folder: Path) -> list[Member]:
    """The members of a panel, one a model of the settings. Raises SetupError."""
    return [
        _made(model, place, config.folder if model.provider == "recorded" else folder, env)
        for model, place in zip(config.models, config.places, strict=True)
    ]


def _made(model: JudgeModel, place: Place, folder: Path, env: Mapping[str, str]) -> Member:
    if model.provider == "recorded":
        return RecordedMember(recorded(folder / model.model, model.model))
    chat = make_chat(model.generation_model(), folder, env, place=lambda _key: place, section="judge", beside=BESIDE)
    return ModelMember(model, chat)
