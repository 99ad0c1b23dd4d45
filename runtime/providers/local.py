"""A model on this machine through outlines: a GGUF file or transformers weights, with decoding bound to the schema."""

import asyncio
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from evalspec.runtime.providers import Finish, GroupRequest, RefusedError, Reply, SetupError, unconfigured
from evalspec.runtime.providers.dialects import Lowering
from evalspec.spec.journal import Usage
from evalspec.spec.plan import Plan

BACKEND = "llguidance"
"""It follows a schema as it decodes; an index over the vocabulary, the other way, is built for every schema first."""
_EXTRA = "pip install 'evalspec-compiler[local]'"
_CONTEXT = 8192
"""Tokens of context that a GGUF model is opened with."""


def make_local(plan: Plan, folder: Path) -> "LocalProvider":
    """The provider for the plan's model_name: a GGUF file or a folder of weights, seen from `folder`, or a name that
    transformers knows. Raises SetupError with ES406.
    """
    model = plan.generation_model
    path = folder / model.model_name
    gguf = path.suffix.lower() == ".gguf"
    if gguf and not path.is_file():
        raise SetupError(unconfigured(plan, f"there is no file {path}", "name the GGUF file in model_name"))
    needed = ("outlines", BACKEND, "llama_cpp" if gguf else "transformers")
    missing = [name for name in needed if find_spec(name) is None]
    if missing:
        hint = _EXTRA + (" llama-cpp-python" if "llama_cpp" in missing else "")
        raise SetupError(unconfigured(plan, f"the provider local needs {', '.join(missing)}", hint))
    name = str(path) if path.exists() else model.model_name
    loader = _load_gguf if gguf else _load_transformers
    return LocalProvider(model.model_name, lambda: loader(name), model.temperature)


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model that outlines can steer, and what differs between the two kinds."""

    model: Any
    count: Callable[[str], int]
    """Tokens of a text."""
    chat: bool
    """Whether the model takes messages rather than a text."""
    settings: Callable[[int, float, threading.Event], dict[str, Any]]
    """Arguments of a generation, from the most tokens, the temperature, and what stops it early."""


class LocalProvider:
    """One model, one reply at a time; it is loaded when it is first asked."""

    name = "local"

    def __init__(self, model: str, load: Callable[[], Loaded], temperature: float) -> None:
        self.model = model
        self._load = load
        self._temperature = temperature
        self._loaded: Loaded | None = None
        self._generators: dict[int, Any] = {}
        self._lowering = Lowering("local")
        self._turn = asyncio.Lock()
        self._stop = threading.Event()

    @property
    def form(self) -> str | None:
        """How the shape of replies is asked for; None before a first reply."""
        return "constrained" if self._loaded else None

    def client(self, request: GroupRequest) -> "LocalClient":
        """A client whose replies are bound to the request's schema."""
        return LocalClient(self, request.schema, request.max_tokens)

    async def close(self) -> None:
        """End what is still being generated."""
        self._stop.set()

    async def ask(self, prompt: str, system_prompt: str, schema: dict[str, Any], max_tokens: int) -> Reply:
        """One reply; its JSON is whole unless it ran into `max_tokens`. Raises RefusedError."""
        async with self._turn:
            try:
                return await asyncio.to_thread(self._generate, prompt, system_prompt, schema, max_tokens)
            except asyncio.CancelledError:
                self._stop.set()
                raise
            except Exception as error:
                raise RefusedError(f"{self.model}: {type(error).__name__}: {str(error)[:300]}") from None

    def _generate(self, prompt: str, system_prompt: str, schema: dict[str, Any], max_tokens: int) -> Reply:
        from outlines.inputs import Chat

        if self._loaded is None:
            self._loaded = self._load()
        loaded = self._loaded
        messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": prompt}]
        asked = Chat(messages) if loaded.chat else f"{system_prompt}\n\n{prompt}\n\n"
        settings = loaded.settings(max_tokens, self._temperature, self._stop)
        text = str(self._generator(schema)(asked, **settings))
        usage = Usage(input_tokens=loaded.count(f"{system_prompt}\n{prompt}"), output_tokens=loaded.count(text))
        return Reply(text, usage, _finish(text), self.model)

    def _generator(self, schema: dict[str, Any]) -> Any:
        """What generates by `schema`; the lowering keeps the schema, so that its id stays its own."""
        import outlines
        from outlines.types import JsonSchema

        body = self._lowering.of(schema)
        if id(body) not in self._generators:
            # no white space between tokens of JSON: a small model would go on with it for ever
            bound = JsonSchema(body | {"x-guidance": {"whitespace_flexible": False}})
            assert self._loaded is not None
            self._generators[id(body)] = outlines.Generator(self._loaded.model, bound, backend=BACKEND)
        return self._generators[id(body)]


@dataclass(frozen=True, slots=True)
class LocalClient:
    """A client bound to one schema."""

    provider: LocalProvider
    schema: dict[str, Any]
    max_tokens: int

    async def generate(self, prompt: str, system_prompt: str) -> Reply:
        """One reply to `prompt`. Raises RefusedError."""
        return await self.provider.ask(prompt, system_prompt, self.schema, self.max_tokens)


def _finish(text: str) -> Finish:
    """What is bound to a schema is whole, or was cut off."""
    try:
        json.loads(text)
    except ValueError:
        return "length"
    return "stop"


def _load_transformers(name: str) -> Loaded:
    import outlines
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, StoppingCriteriaList

    tokenizer = AutoTokenizer.from_pretrained(name)
    model = outlines.from_transformers(AutoModelForCausalLM.from_pretrained(name), tokenizer)

    def settings(max_tokens: int, temperature: float, stop: threading.Event) -> dict[str, Any]:
        def stopped(tokens: Any, _scores: Any, **_: Any) -> Any:
            return torch.full((tokens.shape[0],), stop.is_set(), dtype=torch.bool, device=tokens.device)

        chosen: dict[str, Any] = {"max_new_tokens": max_tokens, "stopping_criteria": StoppingCriteriaList([stopped])}
        return chosen | ({"do_sample": True, "temperature": temperature} if temperature else {"do_sample": False})

    return Loaded(model, lambda text: len(tokenizer.encode(text)), bool(tokenizer.chat_template), settings)


def _load_gguf(path: str) -> Loaded:
    import outlines
    from llama_cpp import Llama

    llama = Llama(path, n_ctx=_CONTEXT, verbose=False)

    def settings(max_tokens: int, temperature: float, stop: threading.Event) -> dict[str, Any]:
        del stop  # its chat interface takes nothing that stops it early
        return {"max_tokens": max_tokens, "temperature": temperature}

    return Loaded(outlines.from_llamacpp(llama), lambda text: len(llama.tokenize(text.encode("utf-8"))), True, settings)
