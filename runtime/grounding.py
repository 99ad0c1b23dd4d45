"""Whether what a member quotes stands in its chunk, and its answer where it may."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from evalspec.runtime.chunks import Chunk, flatten
from evalspec.runtime.shapes import Part, Shape, meta
from evalspec.runtime.sources.unlinked import address_in
from evalspec.spec.journal import FilledSlot
from evalspec.spec.leaks import gives_away


def grounding_errors(part: Part, shape: Shape, member: Mapping[str, Any], chunk: Chunk) -> Iterator[str]:
    """What is wrong with the excerpts and answers of one member; nothing where its strategy needs no source."""
    if shape.grounding == "none" or part.closed_book:
        return
    if shape.grounding == "altered":
        yield from _altered(part, member, chunk)
        return
    for name in part.excerpts:
        value = member.get(name)
        if isinstance(value, str) and flatten(value) not in chunk.flat:
            yield f"{name}: it does not stand word for word in the source text"
    shown = " ".join(flatten(str(member[name])) for name in part.excerpts if isinstance(member.get(name), str)).lower()
    fixed = flatten(f"{part.template.system_prompt} {part.template.user_message_template}").lower()
    for name in part.answers:
        value = member.get(name)
        if not isinstance(value, str) or meta(part.template.fields[name]).get("grounded") is False:
            continue
        answer = flatten(value).lower()
        # an answer that the template itself prescribes ("Not in the provided sources.") is no claim on the source
        if answer not in shown and answer not in fixed:
            yield f"{name}: it does not stand in the excerpt"


def _altered(part: Part, member: Mapping[str, Any], chunk: Chunk) -> Iterator[str]:
    """Either the excerpt is the source's own and the strategy lies in what is asked, or the true one is given."""
    true = member.get("true_excerpt")
    if isinstance(true, str) and flatten(true) not in chunk.flat:
        yield "true_excerpt: it does not stand word for word in the source text"
        return
    if isinstance(true, str):
        return
    for name in part.excerpts:
        value = member.get(name)
        if isinstance(value, str) and flatten(value) not in chunk.flat:
            yield f"true_excerpt: {name} is altered, so the unaltered passage of the source text must stand here"
            return


def leak_errors(part: Part, member: Mapping[str, Any], prompt: str, fixed: str) -> Iterator[str]:
    """Answers that a closed-book prompt gives away; `fixed` are the words that its template has in every prompt."""
    if not part.closed_book:
        return
    for name in part.answers:
        value = member.get(name)
        if not isinstance(value, str) or meta(part.template.fields[name]).get("choices"):
            continue
        if gives_away(value, prompt, fixed):
            yield f"{name}: the prompt gives it away; ask so that “{value[:80]}” does not stand in what is shown"


def stray_errors(slot: FilledSlot, names: Collection[str]) -> Iterator[str]:
    """Names of the reply's own fields or of strategies in what is shown, and addresses anywhere in what was written."""
    named = next((name for name in names if name in slot.written), None)
    if named:
        yield f"the text shown holds {named}, which is a word of this request and not of the subject"
    for text in (slot.written, slot.expected_behavior, *slot.expected_failure_modes):
        if address := address_in(text):
            yield f"it holds the address {address[:80]}; name the source in words, or leave it out"
            return
