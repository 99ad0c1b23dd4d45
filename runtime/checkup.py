"""One small call to the provider of a plan, to see before a run what would stop it."""

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Literal

from evalspec.runtime import event_loop
from evalspec.runtime.chunks import Chunk
from evalspec.runtime.environment import environment
from evalspec.runtime.findings import refused, reply_unfit, unreachable
from evalspec.runtime.providers import (
    BusyError,
    GroupRequest,
    Provider,
    ProviderOptions,
    RefusedError,
    Reply,
    ReplyError,
    SetupError,
    make_provider,
)
from evalspec.runtime.providers.endpoint import address, bare
from evalspec.runtime.spending import cost
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import Diagnostic
from evalspec.spec.generation import ProviderName
from evalspec.spec.journal import Usage
from evalspec.spec.plan import Plan

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"word": {"type": "string", "enum": ["yes"]}},
    "required": ["word"],
    "additionalProperties": False,
}
SYSTEM = "Reply with one JSON object and nothing else."
PROMPT = 'Reply with the object {"word": "yes"}.'
_MOST_TOKENS = 1000
_BOUND = {"schema", "lowered", "output", "tool", "constrained"}
"""Forms in which the provider itself holds the reply to the schema."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at; `note` is a thing to know, and `skipped` one that could not be looked at."""

    name: str
    verdict: Literal["passed", "failed", "note", "skipped"]
    found: str


@dataclass(slots=True)
class Checkup:
    """What was looked at, in order, and what the call used and cost."""

    checks: list[Check] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None

    def add(self, name: str, verdict: Literal["passed", "failed", "note", "skipped"], found: str) -> None:
        """Note one thing that was looked at."""
        self.checks.append(Check(name, verdict, found))


def check_up(plan: Plan, folder: Path, provider: ProviderName | None = None) -> Checkup:
    """Look at the provider of `plan`, or the one named, with one small call; nothing is journalled."""
    name = provider or plan.generation_model.provider
    out = Checkup()
    headers: dict[str, str] = {}
    env = environment(folder)
    try:
        made = make_provider(plan, ProviderOptions(folder, provider, headers.update), env)
    except SetupError as error:
        key = error.diagnostic.code == "ES505"
        out.add("config", "passed" if key else "failed", _address(name, plan) if key else error.diagnostic.message)
        if key:
            out.add("key", "failed", error.diagnostic.message)
        out.diagnostics.append(error.diagnostic)
        return out
    out.add("config", "passed", _address(name, plan))
    if name in ("embedded", "replay"):
        out.add("endpoint", "skipped", "nothing is asked of a model")
        return out
    if name != "local":
        out.add("key", "passed" if _key(plan, env) else "note", _key_words(plan, env))
    event_loop.run(_ask(plan, made, out))
    out.checks += _limits(name, headers)
    return out


def _address(name: ProviderName, plan: Plan) -> str:
    url = address(name, plan)
    return f"{name} {plan.generation_model.model_name}" + (f" at {bare(url)}" if url else "")


def _key(plan: Plan, env: Mapping[str, str]) -> str:
    return env.get(plan.generation_model.api_key_env, "").strip()


def _key_words(plan: Plan, env: Mapping[str, str]) -> str:
    name = plan.generation_model.api_key_env
    if _key(plan, env):
        return f"{name} is set"
    unread = getattr(env, "unread", "")
    return f"{name} is not set, and this machine's endpoint may need none" + (f"; {unread}" if unread else "")


async def _ask(plan: Plan, provider: Provider, out: Checkup) -> None:
    """The one call, and what it shows."""
    tokens = min(plan.generation_model.max_tokens, _MOST_TOKENS)
    chunk = Chunk("", "", "", "", "", "corpus", (), None, (), (), ())
    request = GroupRequest(plan, plan.groups[0], chunk, 1, 0, SCHEMA, tokens)
    began = time.monotonic()
    try:
        reply = await provider.client(request).generate(PROMPT, SYSTEM)
    except BusyError as error:
        out.add("endpoint", "failed", str(error))
        waited, refusing = time.monotonic() - began, error.throttled
        out.diagnostics.append(
            unreachable(plan, provider.name, waited, str(error), closed=error.closed, throttled=refusing)
        )
        return
    except (RefusedError, ReplyError) as error:
        out.add("endpoint", "failed", str(error))
        out.diagnostics.append(refused(plan, provider.name, str(error)))
        return
    finally:
        await provider.close()
    out.add("endpoint", "passed", f"answered in {time.monotonic() - began:.1f} s")
    out.add("model", "passed", reply.model)
    form = str(getattr(provider, "form", None))
    wrong = _wrong(reply)
    if form not in _BOUND:
        out.add("structured output", "note", f"asked for in words only ({form})")
    elif wrong and reply.finish != "length":
        out.add("structured output", "failed", f"the schema was taken, and the reply does not keep to it ({form})")
    else:
        out.add("structured output", "passed", f"the reply is held to the schema ({form})")
    out.add("reply", "failed" if wrong else "passed", wrong or "fits the schema")
    if wrong:
        out.diagnostics.append(reply_unfit(plan, wrong))
    out.usage = reply.usage
    out.cost = cost(plan.generation_model.prices, reply.usage)


def _wrong(reply: Reply) -> str:
    """What keeps the reply from being what was asked for; empty where it is."""
    try:
        if json.loads(reply.text) == {"word": "yes"}:
            return ""
    except ValueError:
        pass
    return "was cut off" if reply.finish == "length" else f"was {reply.text[:80]!r}"


def _limits(name: ProviderName, headers: Mapping[str, str]) -> Iterator[Check]:
    """What the endpoint says of its limits."""
    if name == "local":
        return
    said = [f"{key.lower()}: {value}" for key, value in sorted(headers.items()) if "ratelimit" in key.lower()]
    yield Check("limits", "note", ", ".join(said) or "the endpoint says nothing of its limits")
