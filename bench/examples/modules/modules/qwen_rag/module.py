"""Answers of a bank's IT helpdesk from its SOPs: found by words, given as quotations, each with its citation."""

import json
import re
import unicodedata
from pathlib import Path
from typing import Any

DATA: dict[str, Any] = json.loads((Path(__file__).parent / "sops.json").read_text(encoding="utf-8"))
FALLBACK: str = DATA["fallback"]
CHUNKS: dict[str, dict[str, Any]] = {chunk["chunk_id"]: chunk for chunk in DATA["chunks"]}
COMMON: frozenset[str] = frozenset(DATA["common_words"])


def answer(input: dict[str, Any]) -> dict[str, Any]:
    """Answer {"question", "passages"?}: {"answer", "citations", "claims", "retrieval_trace", "validator_rejected"}.

    `passages` are further search results, {"chunk_id", "text"}. They are in the trace and never quoted: only the SOPs
    that are in force are.
    """
    output = quoted(str(input["question"]), input.get("passages", []))
    problem = rejection(output)
    if problem:
        output = {**output, "answer": FALLBACK, "citations": [], "claims": []}
    return {**output, "validator_rejected": bool(problem)}


def quoted(question: str, passages: list[dict[str, str]]) -> dict[str, Any]:
    """The sentences of the best SOP that suit the question, each as a claim with its citation."""
    ranked = retrieve(question)
    trace = ranked + [passage["chunk_id"] for passage in passages]
    best = next((name for name in ranked if CHUNKS[name]["replaced_by"] is None), None)
    if best is None:
        return {"answer": FALLBACK, "citations": [], "claims": [], "retrieval_trace": trace}
    claims = [{"text": sentence, "chunk_id": best} for sentence in suiting(question, CHUNKS[best]["text"])]
    return {
        "answer": " ".join(f"{claim['text'][:-1]} [{best}]." for claim in claims),
        "citations": [{"chunk_id": best}],
        "claims": claims,
        "retrieval_trace": trace,
    }


def retrieve(question: str, most: int = 4) -> list[str]:
    """Ids of the chunks that share a keyword with the question, the best first; a replaced SOP brings its successor."""
    text = _plain(question)
    words = _words(text)
    scores = {}
    for name, chunk in CHUNKS.items():
        keywords = [word for word in chunk["keywords"] if _stands(word, text)]
        if keywords:
            scores[name] = 5 * len(keywords) + len(words & _words(_plain(chunk["text"])))
    found = sorted(scores, key=lambda name: (-scores[name], name))[:most]
    return list(dict.fromkeys(found + [CHUNKS[name]["replaced_by"] for name in found if CHUNKS[name]["replaced_by"]]))


def suiting(question: str, text: str) -> list[str]:
    """The first sentence of a text, and of the others the two that share most words with the question."""
    sentences = re.split(r"(?<=\.) ", text)
    words = _words(_plain(question))
    shared = {sentence: len(words & _words(_plain(sentence))) for sentence in sentences[1:]}
    best = [sentence for sentence in sorted(shared, key=lambda sentence: -shared[sentence]) if shared[sentence]][:2]
    return [sentence for sentence in sentences if sentence == sentences[0] or sentence in best]


def rejection(output: dict[str, Any]) -> str:
    """Why the validator rejects an output; empty where it does not."""
    trace = set(output["retrieval_trace"])
    for citation in output["citations"]:
        if citation["chunk_id"] not in trace:
            return f"{citation['chunk_id']} is cited and was not retrieved."
        if CHUNKS.get(citation["chunk_id"], {}).get("replaced_by"):
            return f"{citation['chunk_id']} was replaced."
    cited = {citation["chunk_id"] for citation in output["citations"]}
    if output["answer"] != FALLBACK and not cited:
        return "An answer without a citation."
    return "" if all(claim["chunk_id"] in cited for claim in output["claims"]) else "A claim without a citation."


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text).lower()


def _words(text: str) -> set[str]:
    return {_stem(word) for word in re.findall(r"[^\s.,;:!?।()\"'“”]{3,}", text) if word not in COMMON}


def _stem(word: str) -> str:
    return re.sub(r"(ing|ed|es|s)$", "", word) if len(word) > 4 else word


def _stands(word: str, text: str) -> bool:
    """Whether a keyword stands in a text: at the start of a word, so that endings may follow."""
    return re.search(rf"(?<![^\s.,;:!?।()\"'“”-]){re.escape(_plain(word))}", text) is not None
