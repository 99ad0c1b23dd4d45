"""Whether a reply is what was asked for; what is wrong is said in words that the model can act on."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from evalspec.runtime.chunks import Chunk
from evalspec.runtime.field_rules import FieldRules
from evalspec.runtime.filled import fill_slot
from evalspec.runtime.grounding import grounding_errors, leak_errors, stray_errors
from evalspec.runtime.reading import ReadError, read_reply
from evalspec.runtime.shapes import Shape
from evalspec.spec.dataclass import dataclass
from evalspec.spec.journal import FilledSlot
from evalspec.spec.language import RenderError
from evalspec.spec.leaks import fixed_words
from evalspec.spec.plan import Group, Plan
from evalspec.spec.slots import slot_values
from evalspec.spec.template import COMMON_REPLY_NAMES

MAX_ERRORS = 12
"""Errors of one reply that are kept and quoted."""
_UNFIT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]")
_MODE_CHARS = 1000
_BEHAVIOUR_CHARS = 6000


@dataclass(frozen=True, slots=True)
class Verdict:
    """Slots where the reply passed, else errors; never both, never neither."""

    slots: tuple[FilledSlot, ...] = ()
    errors: tuple[str, ...] = ()


def judge(plan: Plan, group: Group, shape: Shape, chunk: Chunk, text: str) -> Verdict:
    """Read and validate a raw reply; never raises for what a reply holds."""
    try:
        reply = read_reply(text, lambda found: isinstance(found, dict) and isinstance(found.get("members"), list))
    except ReadError as error:
        return Verdict(errors=(str(error),))
    errors = list(_frame_errors(group, shape, reply))
    if errors:
        return Verdict(errors=_bounded(errors))
    shared = reply.get("shared") or {}
    slots: list[FilledSlot] = []
    for position, member in enumerate(reply["members"]):
        wrong = list(_member_errors(shape, position, member))
        if not wrong:
            whole = {**member, **shared}
            wrong, slot = _filled(plan, group, shape, chunk, position, whole)
            slots += [slot] if slot else []
        errors += [f"members[{position}].{message}" for message in wrong]
    errors = errors or list(_repeats(shape, slots))
    return Verdict(errors=_bounded(errors)) if errors else Verdict(slots=tuple(slots))


def _bounded(errors: list[str]) -> tuple[str, ...]:
    """The first errors, in text that UTF-8 can hold."""
    return tuple(error[:400].encode("utf-8", "backslashreplace").decode() for error in errors[:MAX_ERRORS])


def _frame_errors(group: Group, shape: Shape, reply: Mapping[str, Any]) -> Iterator[str]:
    members = reply.get("members")
    wanted = len(group.slots)
    if not isinstance(members, list):
        yield 'the reply has no list "members"'
    elif len(members) != wanted:
        yield f"members: {len(members)} entries, and {wanted} are asked for"
    else:
        for position, member in enumerate(members):
            if not isinstance(member, dict):
                yield f"members[{position}]: it is not an object"
    if not shape.shared:
        return
    shared = reply.get("shared")
    if not isinstance(shared, dict):
        yield 'the reply has no object "shared"'
        return
    yield from _field_errors(shape.shared_judge, shape.shared_rules, shared, "shared.")


def _member_errors(shape: Shape, position: int, member: Mapping[str, Any]) -> Iterator[str]:
    part = shape.parts[position]
    yield from _field_errors(part.own, part.own_rules, member, "")
    behavior = member.get("expected_behavior")
    if not isinstance(behavior, str) or not behavior.strip():
        yield "expected_behavior: it must be a text that is not empty"
    elif len(behavior) > _BEHAVIOUR_CHARS:
        yield f"expected_behavior: it has {len(behavior)} characters, at most {_BEHAVIOUR_CHARS} may be"
    else:
        yield from _text_errors("expected_behavior", behavior)
    yield from _mode_errors(shape, member.get("expected_failure_modes"))
    echo = member.get("adversarial_strategy")
    if echo != shape.strategy:
        wanted = f'"{shape.strategy}"' if shape.strategy else "null"
        yield f"adversarial_strategy: it must be {wanted}"
    if shape.wants_true_excerpt and member.get("true_excerpt") is not None:
        yield from _text_errors("true_excerpt", member["true_excerpt"])


def _field_errors(judge: FieldRules, rules: Mapping[str, Any], given: Mapping[str, Any], prefix: str) -> Iterator[str]:
    """Errors of a template's fields; fields that other templates of the group have are passed over."""
    document = {}
    for name, rule in rules.items():
        if name in given and not (given[name] is None and rule.get("required") is False):
            document[name] = given[name]
    if wrong := judge.errors(document):
        for name, errors in sorted(wrong.items()):
            yield f"{prefix}{name}: {_worded(errors, rules.get(name, {}))}"
        return
    for name, value in document.items():
        if name in COMMON_REPLY_NAMES:
            continue
        if isinstance(value, str) and not value.strip() and rules[name].get("empty") is not True:
            yield f"{prefix}{name}: it is empty"
        for message in _text_errors(name, value):
            yield prefix + message


def _worded(errors: list[Any], rule: Mapping[str, Any]) -> str:
    words = "; ".join(str(error) for error in errors)
    if "allowed" in rule and "unallowed" in words:
        words += f"; one of {', '.join(map(str, rule['allowed']))} is wanted, written like that"
    return words


def _text_errors(name: str, value: Any) -> Iterator[str]:
    match value:
        case str():
            bad = _UNFIT.search(value)
            if bad:
                yield f"{name}: it holds U+{ord(bad[0]):04X}, which no text may hold"
        case list() | tuple():
            for item in value:
                yield from _text_errors(name, item)
        case dict():
            for item in value.values():
                yield from _text_errors(name, item)


def _mode_errors(shape: Shape, modes: Any) -> Iterator[str]:
    if not isinstance(modes, list) or not all(isinstance(mode, str) and mode.strip() for mode in modes):
        yield "expected_failure_modes: it must be a list of texts that are not empty"
        return
    fewest, most = shape.modes
    if not fewest <= len(modes) <= most:
        wanted = "none" if most == 0 else f"{fewest} to {most}"
        yield f"expected_failure_modes: {len(modes)} entries, and {shape.difficulty} wants {wanted}"
    if any(len(mode) > _MODE_CHARS for mode in modes):
        yield f"expected_failure_modes: an entry has over {_MODE_CHARS} characters"
    yield from _text_errors("expected_failure_modes", modes)


def _filled(
    plan: Plan, group: Group, shape: Shape, chunk: Chunk, position: int, whole: Mapping[str, Any]
) -> tuple[list[str], FilledSlot | None]:
    part = shape.parts[position]
    errors = list(grounding_errors(part, shape, whole, chunk))
    try:
        slot = fill_slot(plan, group.slots[position], part, shape, whole)
    except RenderError as error:
        return [*errors, f"it cannot be put into the template: {error}"], None
    limit = plan.acceptance.max_prompt_chars
    if len(slot.prompt) >= limit:
        errors.append(
            f"the prompt comes to {len(slot.prompt)} characters, under {limit} are allowed: shorten the excerpt"
        )
    if any(leak_errors(part, whole, slot.prompt, "")):  # few prompts hold an answer, in the template's words or not
        fixed = fixed_words(part.template, slot_values(plan, group.slots[position]))
        errors += leak_errors(part, whole, slot.prompt, fixed)
    errors += stray_errors(slot, shape.stray_names)
    return errors, None if errors else slot


def _repeats(shape: Shape, slots: list[FilledSlot]) -> Iterator[str]:
    """Members of one group that came out the same, where they have something of their own to show."""
    seen: dict[str, int] = {}
    for position, slot in enumerate(slots):
        part = shape.parts[position]
        if any(name not in shape.shared for name in part.shown):
            first = seen.setdefault(slot.prompt, position)
            if first != position:
                yield f"members[{position}]: it is the same as members[{first}]"
