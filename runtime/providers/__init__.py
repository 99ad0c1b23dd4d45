"""Who writes the replies: the protocols that a provider keeps, what it may raise, and how one is made."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.generation import NO_MODEL, GenerationModel, ProviderName
from evalspec.spec.journal import Usage
from evalspec.spec.source import Place

if TYPE_CHECKING:
    from evalspec.runtime.chunks import Chunk
    from evalspec.spec.plan import Group, Plan

Finish = Literal["stop", "length", "refusal"]


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A call of a function that the model asks for; nobody runs it."""

    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back, as it came; `finish` says whether it is whole, cut off, or a refusal."""

    text: str
    usage: Usage
    finish: Finish
    model: str
    tool_calls: tuple[ToolUse, ...] = ()


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One reply to a chat; what is None is left to the service."""

    messages: tuple[Message, ...]
    schema: dict[str, Any] | None = None
    """JSON Schema that the reply must fit; shared between requests, so it is not to be changed."""
    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    tools: tuple[dict[str, Any], ...] = ()
    """Functions that the model may call: {name, description, parameters}, the last a JSON Schema."""


@dataclass(frozen=True, slots=True)
class GroupRequest:
    """What a provider is asked for: one reply for one group, made from one chunk."""

    plan: "Plan"
    group: "Group"
    chunk: "Chunk"
    attempt: int
    """Counts from 1 over the life of the journal."""
    number: int
    """Counts, from 0, the groups of the same subdimension and cell that the chunk serves first."""
    schema: dict[str, Any]
    """JSON Schema that the reply must fit; shared between requests, so it is not to be changed."""
    max_tokens: int
    last_resort: bool = False
    """Whether so many chunks gave nothing for the group that a poor reply is better than none."""


class Chat(Protocol):
    """A model that answers chats."""

    @property
    def name(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def unsupported(self) -> tuple[str, ...]:
        """Settings of a request that the service does not take, so far as is known: they are left out."""
        ...

    async def ask(self, request: ChatRequest) -> Reply:
        """One reply. Raises RefusedError, BusyError, ReplyError; no message of theirs holds the key."""
        ...

    async def close(self) -> None: ...


class LLMClient(Protocol):
    """Answers prompts; the schema of the reply is bound when the client is made."""

    async def generate(self, prompt: str, system_prompt: str) -> Reply: ...


class Provider(Protocol):
    """Makes clients; `name` and `model` are journalled with each reply."""

    @property
    def name(self) -> str: ...
    @property
    def model(self) -> str: ...
    def client(self, request: GroupRequest) -> LLMClient: ...
    async def close(self) -> None: ...


class RefusedError(Exception):
    """The provider refuses for good (key, billing, request): never retried, stops the run."""


class BusyError(Exception):
    """The provider is busy or out of reach: worth another try, after `retry_after` seconds where it says so."""

    def __init__(
        self,
        message: str,
        *,
        retry_after: float | None = None,
        throttled: bool = False,
        unsure: bool = False,
        closed: bool = False,
    ) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.throttled = throttled
        self.unsure = unsure
        """Whether a reply may have been made, and billed, that never came."""
        self.closed = closed
        """Whether nobody listens at the address, or no such host is known: no connection was made."""


class ReplyError(Exception):
    """This one request got no reply and will not get one as it stands; others may.

    With `unfit`, the chunk gives nothing for this group (`no_chunk` in the journal, and not counted as a try); with
    `unsure`, a reply was made, and may be billed, that was not read.
    """

    def __init__(self, message: str, *, unfit: bool = False, unsure: bool = False) -> None:
        super().__init__(message)
        self.unfit = unfit
        self.unsure = unsure


class SetupError(Exception):
    """The provider cannot be made; `diagnostic` says what it lacks."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


@dataclass(frozen=True, slots=True)
class ProviderOptions:
    """What the caller sets over the plan; `folder` is the plan's, in which a replayed journal lies."""

    folder: Path
    provider: ProviderName | None = None
    heard: Callable[[Mapping[str, str]], None] | None = None
    """Told the headers of every response of a service."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A model to ask, and where its settings stand."""

    model: GenerationModel
    place: Callable[[str], Place]
    """Of a key of the settings."""
    section: str = "generation_model"
    beside: str = "plan.json"
    """Beside what a `.env` is read."""
    longest: float | None = None
    """Seconds for a whole answer; None for three times `limits.timeout_seconds`, which is for silence."""


def make_provider(plan: "Plan", options: ProviderOptions, env: Mapping[str, str]) -> Provider:
    """The provider that the plan or the options name. Raises SetupError with ES406 or ES505."""
    name = options.provider or plan.generation_model.provider
    match name:
        case "embedded":
            from evalspec.runtime.providers.embedded import EmbeddedProvider

            return EmbeddedProvider(plan)
        case "replay":
            from evalspec.runtime.providers.replay import make_replay

            return make_replay(plan, options.folder)
        case _:
            if plan.generation_model.model_name == NO_MODEL and name != plan.generation_model.provider:
                message = f"the provider {name} needs the name of a model"
                raise SetupError(unconfigured(setting_of(plan), message, "set generation_model.model_name"))
            return _asked(name, setting_of(plan), options.folder, env, options.heard)


def make_chat(
    model: GenerationModel,
    folder: Path,
    env: Mapping[str, str],
    *,
    place: Callable[[str], Place],
    section: str = "model",
    beside: str = "evalspec.toml, or where you start the command",
    longest: float | None = None,
) -> Chat:
    """A chat with a model; weights of the provider local are looked for from `folder`.

    `longest` is for how many seconds a whole answer is waited for, by default three times as long as silence is.
    `place` gives where a key of the model's settings stands; `section` is what they are called and `beside` where a
    `.env` is read, for hints. The temperature and max_tokens of `model` are not used: each request brings its own.
    Raises SetupError with ES406, or with ES505 where the key is missing.
    """
    setting = Setting(model, place, section, beside, longest)
    if model.provider in ("embedded", "replay"):
        message = f"the provider {model.provider} fills datasets, and answers no chat"
        hint = "name openai, anthropic, mistral, custom or local"
        raise SetupError(unconfigured(setting, message, hint))
    return _asked(model.provider, setting, folder, env)


def _asked(
    name: ProviderName,
    setting: Setting,
    folder: Path,
    env: Mapping[str, str],
    heard: Callable[[Mapping[str, str]], None] | None = None,
) -> "AskedProvider":
    """A provider that is a model, and so a chat too."""
    match name:
        case "anthropic":
            from evalspec.runtime.providers.anthropic import make_anthropic

            return make_anthropic(setting, env, heard)
        case "mistral":
            from evalspec.runtime.providers.mistral import make_mistral

            return make_mistral(setting, env, heard)
        case "local":
            from evalspec.runtime.providers.local import make_local

            return make_local(setting, folder)
        case "custom" | "openai":
            from evalspec.runtime.providers.custom import make_custom

            return make_custom(name, setting, env, heard)
        case "embedded" | "replay":
            raise AssertionError(name)


class AskedProvider(Provider, Chat, Protocol):
    """A provider whose replies are a model's."""


def setting_of(plan: "Plan") -> Setting:
    """The model of a plan, and its places in the config."""
    return Setting(plan.generation_model, lambda key: model_place(plan, key))


def unconfigured(setting: Setting, message: str, hint: str) -> Diagnostic:
    """An ES406 at the provider's section of the settings."""
    return found("ES406", message, setting.place("provider"), hint=hint)


def model_place(plan: "Plan", key: str = "provider") -> Place:
    """Where the config says `generation_model.<key>`, or at least that section."""
    for name in (f"generation_model.{key}", "generation_model"):
        if name in plan.origins:
            return plan.origins[name].place()
    return Place("generation_config.yaml", path="generation_model")
