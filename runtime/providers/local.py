"""A model on this machine through outlines: a GGUF file or transformers weights, with decoding bound to the schema."""

import asyncio
import json
import os
import threading
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from evalspec.runtime.providers import (
    ChatRequest,
    Finish,
    GroupRequest,
    RefusedError,
    Reply,
    ReplyError,
    Setting,
    SetupError,
    unconfigured,
)
from evalspec.runtime.providers.bound import BoundClient
from evalspec.runtime.providers.dialects import Lowering
from evalspec.spec.dataclass import dataclass
from evalspec.spec.journal import Usage

BACKEND = "llguidance"
"""It follows a schema as it decodes; an index over the vocabulary, the other way, is built for every schema first."""
MAX_TOKENS = 1024
"""Of a reply, where a request names no number."""
_CONTEXT = 8192
"""Tokens of context that a GGUF model is opened with; more where a request needs more and the model can."""
_STEP = 4096


def make_local(setting: Setting, folder: Path) -> "LocalProvider":
    """The provider for the settings' model_name: a GGUF file or a folder of weights, seen from `folder`, or a name that
    transformers knows. Raises SetupError with ES406.
    """
    model = setting.model
    path = folder / Path(model.model_name).expanduser()
    gguf = path.suffix.lower() == ".gguf"
    if gguf and not path.is_file():
        raise SetupError(unconfigured(setting, f"there is no file {path}", "name the GGUF file in model_name"))
    needed = ("outlines", BACKEND, "llama_cpp" if gguf else "transformers")
    missing = [name for name in needed if find_spec(name) is None]
    if missing:
        hint = f"pip install 'evalspec-compiler[{'gguf' if gguf else 'local'}]'"
        raise SetupError(unconfigured(setting, f"the provider local needs {', '.join(missing)}", hint))
    name = str(path) if path.exists() else model.model_name
    loader = _Gguf if gguf else _Weights
    return LocalProvider(model.model_name, lambda stop: loader(name, stop), model.temperature)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What one reply is to be like; what is None is left to the library."""

    max_tokens: int
    temperature: float
    top_p: float | None
    seed: int | None


class TooLongError(Exception):
    """The messages do not fit the model's context."""


class Loaded(Protocol):
    """A model that outlines can steer; the two kinds differ in the rest."""

    model: Any

    def say(self, messages: list[dict[str, str]], schema: Callable[[], Any], wanted: Wanted) -> tuple[str, Usage]:
        """A reply and what it used; `schema` gives outlines' generator. Raises TooLongError."""
        ...


class LocalProvider:
    """One model, one reply at a time; it is loaded when it is first asked."""

    name = "local"
    unsupported = ("tools",)

    def __init__(self, model: str, load: Callable[[threading.Event], Loaded], temperature: float) -> None:
        self.model = model
        self._load = load
        self._temperature = temperature
        self._loaded: Loaded | None = None
        self._generators: dict[tuple[int, int], tuple[Any, Any]] = {}
        self._lowering = Lowering("local")
        self._turn = asyncio.Lock()
        self._stop = threading.Event()

    @property
    def form(self) -> str | None:
        """How the shape of replies is asked for; None before a first reply."""
        return "constrained" if self._loaded else None

    def client(self, request: GroupRequest) -> BoundClient:
        """A client whose replies are bound to the request's schema."""
        return BoundClient(self, request.schema, request.max_tokens, self._temperature)

    async def close(self) -> None:
        """End what is still being generated."""
        self._stop.set()

    async def ask(self, request: ChatRequest) -> Reply:
        """One reply; its JSON is whole unless it ran into the request's tokens. Raises RefusedError, ReplyError."""
        async with self._turn:
            made = asyncio.ensure_future(asyncio.to_thread(self._generate, request))
            try:
                return await asyncio.shield(made)
            except asyncio.CancelledError:
                self._stop.set()
                await asyncio.gather(made, return_exceptions=True)  # the model is no one else's until its thread ends
                self._stop.clear()
                raise
            except TooLongError as error:
                raise ReplyError(str(error)) from None
            except Exception as error:
                raise RefusedError(f"{self.model}: {type(error).__name__}: {str(error)[:300]}") from None

    def _generate(self, request: ChatRequest) -> Reply:
        if self._loaded is None:
            self._loaded = self._load(self._stop)
        messages = [{"role": message.role, "content": message.content} for message in request.messages]
        temperature = self._temperature if request.temperature is None else request.temperature
        wanted = Wanted(request.max_tokens or MAX_TOKENS, temperature, request.top_p, request.seed)
        text, usage = self._loaded.say(messages, lambda: self._generator(request.schema), wanted)
        if request.schema is None:
            return Reply(text, usage, "length" if usage.output_tokens >= wanted.max_tokens else "stop", self.model)
        return Reply(text, usage, _finish(text), self.model)

    def _generator(self, schema: dict[str, Any] | None) -> Any:
        """What generates by `schema`, or freely; model and schema are kept beside it, so that their ids stay theirs."""
        import outlines
        from outlines.types import JsonSchema

        assert self._loaded is not None
        model = self._loaded.model
        if schema is None:
            return outlines.Generator(model)
        body = self._lowering.of(schema)
        key = id(body), id(model)
        if key not in self._generators:
            # no white space between tokens of JSON: a small model would go on with it for ever
            bound = JsonSchema(body | {"x-guidance": {"whitespace_flexible": False}})
            self._generators[key] = model, outlines.Generator(model, bound, backend=BACKEND)
        return self._generators[key][1]


def _finish(text: str) -> Finish:
    """What is bound to a schema is whole, or was cut off."""
    try:
        json.loads(text)
    except ValueError:
        return "length"
    return "stop"


class _Weights:
    """A model of transformers, from a folder or by name."""

    def __init__(self, name: str, stop: threading.Event) -> None:
        import outlines
        from transformers import AutoModelForCausalLM, AutoTokenizer

        self._tokenizer = AutoTokenizer.from_pretrained(name)
        self._weights = AutoModelForCausalLM.from_pretrained(name)
        self.model = outlines.from_transformers(self._weights, self._tokenizer)
        self._stop = stop

    def say(self, messages: list[dict[str, str]], schema: Callable[[], Any], wanted: Wanted) -> tuple[str, Usage]:
        """A reply and what it used."""
        import torch
        from outlines.inputs import Chat
        from transformers import StoppingCriteriaList

        def stopped(tokens: Any, _scores: Any, **_: Any) -> Any:
            return torch.full((tokens.shape[0],), self._stop.is_set(), dtype=torch.bool, device=tokens.device)

        texts = [message["content"] for message in messages]
        asked = Chat(messages) if self._tokenizer.chat_template else "\n\n".join([*texts, ""])
        count = len(self._tokenizer.encode("\n".join(texts)))
        most = getattr(self._weights.config, "max_position_embeddings", None)
        if most is not None and count >= most:
            raise TooLongError(f"the request has {count:,} tokens, and the model's context {most:,}")
        chosen: dict[str, Any] = {"do_sample": False}
        if wanted.temperature:
            chosen = {"do_sample": True, "temperature": wanted.temperature}
            chosen |= {"top_p": wanted.top_p} if wanted.top_p is not None else {}
        if wanted.seed is not None:
            torch.manual_seed(wanted.seed)
        stopping = StoppingCriteriaList([stopped])
        text = str(schema()(asked, max_new_tokens=wanted.max_tokens, stopping_criteria=stopping, **chosen))
        said = min(len(self._tokenizer.encode(text)), wanted.max_tokens)  # bytes that are no text count for more
        return text, Usage(input_tokens=count, output_tokens=said)


class _Gguf:
    """A GGUF file in llama.cpp; outlines makes what binds its decoding."""

    def __init__(self, path: str, stop: threading.Event) -> None:
        self._path = path
        self._stop = stop
        self._llama: Any = None
        self._open(_CONTEXT)

    def _open(self, context: int) -> None:
        import llama_cpp
        import outlines

        if self._llama is not None:
            self._llama.close()
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        self._llama = llama_cpp.Llama(
            self._path,
            n_ctx=context,
            n_threads=max(1, cores // 2),
            n_threads_batch=cores,
            n_gpu_layers=-1,
            verbose=False,
        )
        # it is asked at every step of a prompt or a token: the one way to end a long prompt early
        self._aborts = llama_cpp.ggml_abort_callback(lambda _: self._stop.is_set())
        llama_cpp.llama_set_abort_callback(self._llama.ctx, self._aborts, None)
        self.model = outlines.from_llamacpp(self._llama)

    def say(self, messages: list[dict[str, str]], schema: Callable[[], Any], wanted: Wanted) -> tuple[str, Usage]:
        """A reply and what it used. Raises TooLongError."""
        from llama_cpp import LogitsProcessorList

        self._make_room(messages, wanted.max_tokens)
        processor = schema().logits_processor  # not the generator itself: its reply is a text alone
        if processor is not None:
            processor.reset()
        chosen = {"top_p": wanted.top_p} if wanted.top_p is not None else {}
        answer = self._llama.create_chat_completion(
            messages,
            max_tokens=wanted.max_tokens,
            temperature=wanted.temperature,
            seed=wanted.seed,
            logits_processor=LogitsProcessorList([processor]) if processor is not None else None,
            **chosen,
        )
        used = answer["usage"]
        usage = Usage(input_tokens=used["prompt_tokens"], output_tokens=used["completion_tokens"])
        return answer["choices"][0]["message"]["content"] or "", usage

    def _make_room(self, messages: list[dict[str, str]], max_tokens: int) -> None:
        """Open the model anew with a longer context where the request and its reply need one. Raises TooLongError."""
        text = "\n".join(message["content"] for message in messages)
        asked = len(self._llama.tokenize(text.encode("utf-8"), special=True)) + 16 * len(messages)
        trained = int(self._llama.metadata.get(f"{self._llama.metadata.get('general.architecture')}.context_length", 0))
        most = max(trained or _CONTEXT, 1)
        if asked >= most:
            raise TooLongError(f"the request has {asked:,} tokens, and the model's context {most:,}")
        wanted = min(most, -(-(asked + max_tokens) // _STEP) * _STEP)
        if wanted > self._llama.n_ctx():
            self._open(wanted)
