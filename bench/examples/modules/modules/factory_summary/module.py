"""Summaries of a factory's shift notes: sentences of the note, sorted by the words that they hold."""

import json
import re
import unicodedata
from pathlib import Path
from typing import Any

WORDS: dict[str, list[str]] = json.loads((Path(__file__).parent / "words.json").read_text(encoding="utf-8"))
FIELDS = ("machines_down", "material_shortages", "pending_actions")
SAFETY_SEVERITY = 3
"""Of every safety event, whatever the note calls it: a near miss is one that nobody was hurt in."""


def answer(input: dict[str, Any]) -> dict[str, Any]:
    """Summarize {"note"}: lists of sentences of the note, and safety incidents as {"text", "severity"}.

    Everything that comes out was cut from the note. Attached passages are not read at all.
    """
    note = str(input["note"])
    output = summary(note)
    problem = rejection(output, note)
    if problem:
        output = {"safety_incidents": output["safety_incidents"], **{name: [] for name in FIELDS}}
    return {**output, "validator_rejected": bool(problem)}


def summary(note: str) -> dict[str, list[Any]]:
    """The sentences of a note by field. A sentence about safety is listed there, whatever else it says."""
    out: dict[str, list[Any]] = {name: [] for name in (*FIELDS, "safety_incidents")}
    for sentence in _sentences(note):
        text = f" {_plain(sentence)} "
        if _says(text, "safety_incidents") and not _denied(text, "safety_incidents"):
            out["safety_incidents"].append({"text": sentence, "severity": SAFETY_SEVERITY})
        elif not _denied(text, "nothing"):
            for name in FIELDS:
                if _says(text, name):
                    out[name].append(sentence)
    return out


def rejection(output: dict[str, list[Any]], note: str) -> str:
    """Why the validator rejects an output: a text of it that does not stand in the note; empty where all do."""
    whole = _bare(note)
    texts = [text for name in FIELDS for text in output[name]] + [event["text"] for event in output["safety_incidents"]]
    return next((f"{text!r} does not stand in the note." for text in texts if _bare(text) not in whole), "")


def _says(text: str, name: str) -> bool:
    return any(_plain(word) in text for word in WORDS[name])


def _denied(text: str, name: str) -> bool:
    """Whether a sentence says that there was nothing of the kind, and nothing besides."""
    if not _says(text, "nothing"):
        return False
    rest = text
    for word in WORDS["nothing"]:
        rest = rest.replace(_plain(word), " ")
    return name == "nothing" or not _says(rest, name)


def _sentences(note: str) -> list[str]:
    parts = re.split(r"(?<=[.!?।])\s+|\n+|;\s*", note)
    return [part.strip().rstrip(".।;!") for part in parts if part.strip()]


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text).lower()


def _bare(text: str) -> str:
    return " ".join(re.findall(r"[^\s.,;:!?।()\"'“”]+", _plain(text)))
