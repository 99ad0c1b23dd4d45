"""Answers from a journal that was recorded before: for tests, demonstrations, and looking at a run again."""

from collections import defaultdict
from pathlib import Path

from evalspec.runtime.providers import GroupRequest, Reply, ReplyError, SetupError, setting_of, unconfigured
from evalspec.spec import journal
from evalspec.spec.dataclass import dataclass
from evalspec.spec.journal import AttemptLine
from evalspec.spec.plan import Plan

REPLAY_NAME = "replay.jsonl"


def make_replay(plan: Plan, folder: Path) -> "ReplayProvider":
    """A provider that answers from `replay.jsonl` beside the plan. Raises SetupError with ES406."""
    path = folder / REPLAY_NAME
    try:
        lines = journal.read(path).lines if path.is_file() else ()
    except (OSError, journal.JournalCorruptError) as error:
        raise SetupError(
            unconfigured(setting_of(plan), f"{REPLAY_NAME} cannot be read: {error}", "copy a journal.jsonl there")
        ) from None
    recorded: dict[str, list[AttemptLine]] = defaultdict(list)
    for line in lines:
        if isinstance(line, AttemptLine) and line.reply is not None:
            recorded[line.group].append(line)
    if not recorded:
        hint = f"copy the journal.jsonl of an earlier run to {REPLAY_NAME} beside plan.json"
        raise SetupError(unconfigured(setting_of(plan), f"there is no {REPLAY_NAME} to replay", hint))
    return ReplayProvider(dict(recorded), plan.generation_model.model_name)


@dataclass(frozen=True, slots=True)
class ReplayProvider:
    """Gives the recorded replies of each group in their order, then none."""

    recorded: dict[str, list[AttemptLine]]
    model: str
    name: str = "replay"

    def client(self, request: GroupRequest) -> "ReplayClient":
        """A client for the next recorded reply of the request's group."""
        lines = self.recorded.get(request.group.group_id, [])
        return ReplayClient(next((line for line in lines if line.attempt >= request.attempt), None))

    async def close(self) -> None:
        """Nothing to close."""


@dataclass(frozen=True, slots=True)
class ReplayClient:
    """One recorded reply."""

    line: AttemptLine | None

    async def generate(self, prompt: str, system_prompt: str) -> Reply:
        """The recorded reply. Raises ReplyError where there is none."""
        del prompt, system_prompt
        if self.line is None or self.line.reply is None:
            raise ReplyError("the recording holds no further reply for this group")
        finish = "length" if self.line.outcome == "cut_off" else "refusal" if self.line.outcome == "refused" else "stop"
        return Reply(self.line.reply, self.line.usage, finish, self.line.model)  # type: ignore[arg-type]
