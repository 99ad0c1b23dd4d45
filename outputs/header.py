"""Judging a card: the header that the Hub reads, and the sections that every card has. No network."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from evalspec.outputs.findings import Finding
from evalspec.outputs.loading import Answer
from evalspec.outputs.places import origin_place
from evalspec.outputs.writers import parquet
from evalspec.outputs.writers.card import PREVIEW_TAG, SECTIONS
from evalspec.spec.diagnostic import Diagnostic, Severity, found
from evalspec.spec.hub import AS_OF, LICENSES, TASK_CATEGORIES, hub_language, known_language, size_category
from evalspec.spec.plan import Plan

_HEADER = re.compile(r"\A---[ \t]*\n(.*?)\n---[ \t]*(?:\n|\Z)(.*)\Z", re.DOTALL)
_HEADING = re.compile(r"^##[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)
_FENCED = re.compile(r"^(`{3,}|~{3,})[^\n]*\n.*?^\1[ \t]*$", re.MULTILINE | re.DOTALL)
_REQUIRED = ("language", "license", "tags", "task_categories", "pretty_name", "size_categories", "configs")


def card_faults(plan: Plan) -> list[Diagnostic]:
    """What the plan asks of the card and the Hub does not know; warnings, since the card can be written all the
    same.
    """
    card, language = plan.card, hub_language(plan.dataset.language)
    faults = [
        *_license_faults(card.license),
        *_category_faults(list(card.task_categories)),
        *_language_faults([language]),
    ]
    return [
        replace(found("ES620", fault.message, origin_place(plan, fault.origin or "card")), severity=Severity.WARNING)
        for fault in faults
    ]


def header_of(text: str) -> tuple[Any, str | None, str]:
    """The header of a card as data, what is wrong with its YAML if anything, and the text under it."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    match = _HEADER.match(text.replace("\r\n", "\n").removeprefix("\ufeff"))
    if match is None:
        return None, "README.md does not start with a YAML header between two lines of ---", text
    try:
        data = YAML(typ="safe", pure=True).load(match[1])
    except (YAMLError, ValueError) as error:
        reason = getattr(error, "problem", None) or str(error)
        return None, f"the header is not YAML: {' '.join(str(reason).split())}", match[2]
    if not isinstance(data, dict):
        return None, "the header is not a mapping", match[2]
    return data, None, match[2]


def header_findings(header: dict[Any, Any], records: int | None, plan: Plan | None) -> Iterator[Finding]:
    """What the Hub would refuse or not know, and what the header says wrongly of the dataset."""
    for key in _REQUIRED:
        if header.get(key) in (None, "", [], {}):
            yield _fault(f"the header has no {key}", "missing", key, f"card.{key}")
    yield from _license_faults(header.get("license") or "unknown")
    yield from _category_faults(header.get("task_categories") or [])
    yield from _language_faults(header.get("language") or [])
    for key in ("tags", "pretty_name"):
        value = header.get(key)
        good = isinstance(value, str) if key == "pretty_name" else _texts(value) is not None
        if value and not good:
            yield _fault(f"{key} in the header is not text", repr(value)[:60], "text", f"card.{key}")
    if records is not None and header.get("size_categories"):
        yield from _size_faults(header["size_categories"], records)
    if plan is not None:
        for key, wanted in (("license", plan.card.license), ("pretty_name", plan.card.pretty_name)):
            given = header.get(key)
            if given and given != wanted:
                yield _fault(
                    f"the header has {key} {given!r}, the plan says {wanted!r}", str(given), wanted, f"card.{key}"
                )


def section_findings(body: str, preview: bool | None, header: dict[Any, Any] | None) -> Iterator[Finding]:
    """Sections that are missing or empty, and a preview that does not say that it is one."""
    plain = _FENCED.sub(lambda match: "." * (match.end() - match.start()), body)
    marks = list(_HEADING.finditer(plain))
    ends = [*(mark.start() for mark in marks[1:]), len(plain)]
    filled = {mark[1].casefold(): bool(plain[mark.end() : end].strip()) for mark, end in zip(marks, ends, strict=True)}
    if not re.search(r"^#[ \t]+\S", plain, re.MULTILINE):
        yield Finding("ES621", "the card has no title", "missing", "a title", "card.pretty_name")
    for section in SECTIONS:
        state = filled.get(section.casefold())
        if not state:
            what = "is not in the card" if state is None else "is empty"
            yield Finding(
                "ES621", f"the section '{section}' {what}", "missing" if state is None else "empty", section, "card"
            )
    if preview and PREVIEW_TAG not in ((header or {}).get("tags") or []):
        message = "the dataset was composed without a model, and its card does not say so"
        yield Finding("ES621", message, "not said", PREVIEW_TAG, "card")


def _fault(message: str, was: str, required: str, origin: str) -> Finding:
    return Finding("ES620", message, was, required, origin)


def _texts(value: Any) -> list[str] | None:
    """A text or a list of texts as a list; None for anything else."""
    items = [value] if isinstance(value, str) else value
    return items if isinstance(items, list) and all(isinstance(item, str) for item in items) else None


def _license_faults(value: Any) -> Iterator[Finding]:
    for name in _texts(value) or [repr(value)]:
        if name not in LICENSES:
            yield _fault(
                f"the Hub does not know the licence '{name}' (list of {AS_OF}); use `other` for one of your own",
                name, "a licence of the Hub", "card.license",
            )  # fmt: skip


def _category_faults(value: Any) -> Iterator[Finding]:
    texts = _texts(value)
    for name in [repr(value)] if texts is None else texts:
        if name not in TASK_CATEGORIES:
            yield _fault(
                f"the Hub does not know the task category '{name}' (list of {AS_OF})",
                name, "a task category of the Hub", "card.task_categories",
            )  # fmt: skip


def _language_faults(value: Any) -> Iterator[Finding]:
    texts = _texts(value)
    for name in [repr(value)] if texts is None else texts:
        if not known_language(name):
            yield _fault(f"'{name}' is no language code of ISO 639", name, "a language code", "dataset.language")


def _size_faults(value: Any, records: int) -> Iterator[Finding]:
    wanted = size_category(records)
    if _texts(value) != [wanted]:
        message = f"the header says size {value}, {records:,} records are {wanted}"
        yield _fault(message, str(value), wanted, "card")


def config_findings(answer: Answer) -> Iterator[Finding]:
    """`datasets` must take the configs of the header, and they must lead to the Parquet file and no other."""
    if answer.configs:
        message = f"datasets refuses the configs of the header: {answer.configs}"
        yield _fault(message, "refused", "configs", "card")
    elif answer.paths and answer.paths != (parquet.NAME,):
        shown = ", ".join(answer.paths)
        message = f"the header's data files are {shown}, they must be {parquet.NAME} alone"
        yield _fault(message, shown, parquet.NAME, "card")
