"""Checks on citations: that each names what was retrieved, and that each sentence has one."""

from collections.abc import Iterator, Sequence
from typing import Any

import regex

from evalspec.bench.checks import CitationsIn, ClaimsCited
from evalspec.bench.graders.answers import UnfitError, output_of, texts_at
from evalspec.bench.graders.containment import tokens
from evalspec.bench.graders.finding import Finding, failed, listed, passed, quote, unscored
from evalspec.bench.graders.folding import as_given
from evalspec.bench.graders.sentences import sentences
from evalspec.bench.paths import PathError, at
from evalspec.bench.results import TargetResult

MOST_CLAIMS = 200
_MARK = regex.compile(r"([\[(【])([^\[\]()【】\n]{1,200})[\])】]")
_ID_KEYS = ("chunk_id", "id")
_TEXT_KEYS = ("text", "claim", "sentence")
_CITED_KEYS = ("citations", "chunk_ids", "chunk_id", "citation")
_TAKEN = " \x00 "
_JOINING = frozenset(["and", "but", "or", "so", "then", "also", "however", "therefore", "thus"])


def citations_in(spec: CitationsIn, result: TargetResult) -> Finding:
    """Every citation was retrieved and is not stale, enough are there, and a required one is among them."""
    cited = ids(at(output_of(result), spec.citations), spec.citations)
    if len(cited) < spec.least:
        return failed(f"has {len(cited)} citations; at least {spec.least} are due")
    if stale := [name for name in cited if name in spec.stale]:
        return failed(f"cites {listed(stale)}, which is stale")
    if spec.required and not set(cited) & set(spec.required):
        return failed(f"cites {listed(cited) if cited else 'nothing'}, not {listed(spec.required)}")
    trace = retrieved(result)
    if trace is None:
        return unscored("the target does not report what it retrieved") if cited else passed()
    missing = [name for name in cited if name not in trace]
    return failed(f"cites {listed(missing)}, which was not retrieved") if missing else passed()


def retrieved(result: TargetResult) -> frozenset[str] | None:
    """The ids that the target retrieved: as it reports them, or as `retrieval_trace` of its output lists them."""
    if result.retrieved_ids is not None:
        return frozenset(result.retrieved_ids)
    try:
        return frozenset(ids(at(output_of(result), "retrieval_trace"), "retrieval_trace"))
    except (PathError, UnfitError):
        return None


def ids(value: Any, where: str) -> tuple[str, ...]:
    """The ids in a list of ids or of objects with `chunk_id` (or `id`); null is an empty list. Raises UnfitError."""
    if value is None:
        return ()
    if not isinstance(value, list | tuple):
        raise UnfitError(f"'{where}' is not a list")
    out = []
    for item in value:
        name = next((item[key] for key in _ID_KEYS if key in item), None) if isinstance(item, dict) else item
        if isinstance(name, bool) or not isinstance(name, str | int):
            raise UnfitError(f"{quote(item)} in '{where}' has no id")
        out.append(str(name))
    return tuple(out)


def claims_cited(spec: ClaimsCited, result: TargetResult) -> Finding:
    """Each sentence carries a mark of a citation, or is covered by claims that are cited."""
    text = texts_at(result, spec.path)
    if spec.fallback and as_given(text) == as_given(spec.fallback):
        return passed("the fallback")
    output = _output_or_none(result)
    cited = _list_of(output, "citations")
    names = ids(cited, "citations")
    trace = retrieved(result)
    known = frozenset(names) if trace is None else trace
    claims = list(_claims(_list_of(output, spec.claims), known))
    said = [sentence for sentence in sentences(text) if tokens(_MARK.sub(" ", sentence)) or tokens(sentence)]
    if not said:
        return failed("has no sentence")
    for sentence in said:
        if not (_marked(sentence, known, names) or _covered(tokens(sentence), claims)):
            return failed(f"no citation for {quote(sentence)}")
    return passed()


def _output_or_none(result: TargetResult) -> Any:
    try:
        return output_of(result)
    except UnfitError:
        return None


def _list_of(output: Any, path: str) -> Any:
    try:
        value = at(output, path)
    except PathError:
        return ()
    return value if isinstance(value, list | tuple) else ()


def _marked(sentence: str, known: frozenset[str], names: Sequence[str]) -> bool:
    """Whether a mark in brackets names an id, or in square ones a place in the list of citations, from 1 on."""
    for bracket, mark in _MARK.findall(sentence):
        for part in (piece.strip().lstrip("^#") for piece in regex.split(r"[,;]", mark)):
            if part in known or (bracket != "(" and _place(part, names) in known):
                return True
    return False


def _place(part: str, names: Sequence[str]) -> str | None:
    number = int(part) if part.isascii() and part.isdigit() and len(part) < 4 else 0
    return names[number - 1] if 0 < number <= len(names) else None


def _claims(claims: Any, known: frozenset[str]) -> Iterator[list[str]]:
    """The tokens of each claim that names a known id."""
    for claim in list(claims)[:MOST_CLAIMS]:
        if not isinstance(claim, dict):
            continue
        text = next((claim[key] for key in _TEXT_KEYS if isinstance(claim.get(key), str)), "")
        named = next((claim[key] for key in _CITED_KEYS if claim.get(key)), ())
        cited = ids(named if isinstance(named, list | tuple) else [named], "claims")
        if cited and set(cited) <= known and (found := tokens(text)):
            yield found


def _covered(said: list[str], claims: list[list[str]]) -> bool:
    """Whether the sentence stands in a claim, or claims that stand in it leave nothing but joining words."""
    whole = _spaced(said)
    left = whole
    for claim in sorted(claims, key=len, reverse=True):
        joined = _spaced(claim)
        if whole in joined:
            return True
        left = left.replace(joined, _TAKEN)
    return left != whole and all(word == _TAKEN.strip() or word in _JOINING for word in left.split())


def _spaced(words: list[str]) -> str:
    """Each word with a space of its own on either side, so that what stands next to a claim stays whole."""
    return "".join(f" {word} " for word in words)
