"""A compose block that cannot fill its template.

## What it does
Reports a form that leaves out a field of its template or fills one that it does not have; a difficulty, or a
strategy of
hard slots, that no form serves; a form for hard slots with fewer than two failure modes, or without an expected
behavior;
a name under `needs` that nothing gives; `members` that do not make up the group; and a list without entries for a
domain that forms need it for, which is a warning where another provider than `embedded` fills. Keys of a list that are
no domain or geography are a warning, too: a list may have keys, or be one for every domain.

## Why
The embedded provider would find no form for some slots, and leave them unfilled.

## Example
```yaml
compose:
  forms:
    - difficulty: [easy, medium]
      fields: {question: "{ask}"}
      expected_behavior: "States {value}."
```

## Use instead
```yaml
compose:
  forms:
    - fields: {question: "{ask}"}
      expected_behavior: "States {value}."
      expected_failure_modes: ["States {near}, because {near_why}", "Says that it does not know"]
```
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from evalspec.compiler.files import CONFIG_FILE
from evalspec.compiler.model import Spec
from evalspec.compiler.rules.es101_unknown_key import nearest
from evalspec.compiler.texts import compose_names, group_names
from evalspec.spec.config import DIFFICULTIES
from evalspec.spec.diagnostic import Diagnostic, Severity, found
from evalspec.spec.source import YamlPath
from evalspec.spec.template import COMPOSE_NAMES, Compose, ComposeForm, MemberForm, Variants

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
Fault = tuple[YamlPath, str]


def check(spec: Spec) -> Iterator[Diagnostic]:
    """Findings at the forms of a compose block."""
    for template_id, template in spec.templates.items():
        if template.compose is None or not spec.clean(spec.template_files[template_id], ("compose",)):
            continue
        for path, problem in _faults(spec, template_id, template.compose):
            place = spec.places.key_place(spec.template_files[template_id], path)
            yield found("ES321", f"the compose block of {template_id} {problem}", place)
        yield from _other_domains(spec, template_id, template.compose)


def _faults(spec: Spec, template_id: str, compose: Compose) -> Iterator[Fault]:
    yield from _gaps(spec, template_id, compose)
    yield from _lists(spec, compose)
    shared = group_names(spec.config, spec.templates)[template_id]
    for number, form in enumerate(compose.forms):
        at: YamlPath = ("compose", "forms", number)
        names = compose_names(compose, form, shared)
        for index, name in enumerate(form.needs):
            if name not in names:
                near = nearest(name, names)
                meant = f"; did you mean {near}?" if near else ""
                yield (*at, "needs", index), f"needs {name}, which nothing gives{meant}"
        yield from _blanks(form, at)
        yield from _fields(spec, template_id, form, at, shared)
        if not form.difficulty or "hard" in form.difficulty:
            yield from _modes(form, at)
        yield from _members(spec, template_id, form, at)
        if not form.members and not form.expected_behavior:
            yield at, f"has a form ({number + 1}) without expected_behavior"


def _gaps(spec: Spec, template_id: str, compose: Compose) -> Iterator[Fault]:
    """Difficulties and strategies that no form serves."""
    at: YamlPath = ("compose", "forms")
    shares = spec.config.difficulty_split
    for difficulty in DIFFICULTIES:
        serving = [form for form in compose.forms if not form.difficulty or difficulty in form.difficulty]
        if shares.get(difficulty, 0) <= 0:
            continue
        if not serving:
            yield at, f"has no form for {difficulty} slots"
        elif difficulty == "hard" and all(form.strategies for form in serving):
            served = {name for form in serving for name in form.strategies}
            left = [name for name in spec.strategies_of(template_id) if name not in served]
            if left and served <= spec.config.strategies.keys():
                yield at, f"has no form for hard slots of {', '.join(left)}"


def _lists(spec: Spec, compose: Compose) -> Iterator[Fault]:
    """Lists without entries, and lists keyed by what the spec does not have, or not by all of it."""
    domains, geographies = spec.config.domain_split, spec.config.geography_split
    if not (spec.clean(CONFIG_FILE, ("domain_split",)) and spec.clean(CONFIG_FILE, ("geography_split",))):
        return
    for name, entries in compose.lists.items():
        at: YamlPath = ("compose", "lists", name)
        if name in COMPOSE_NAMES:
            yield at, f"has a list {name}: a fact or slot has that name already"
        if not isinstance(entries, dict):
            if not entries:
                yield at, f"has a list {name} without an entry"
            continue
        for key, own in entries.items():
            near = nearest(key, [*domains, *geographies])
            if key not in domains and key not in geographies and near:
                yield (*at, key), f"has a list {name} for {key}, which is no domain or geography; did you mean {near}?"
            elif not own:
                yield (*at, key), f"has a list {name} without an entry for {key}"


def _other_domains(spec: Spec, template_id: str, compose: Compose) -> Iterator[Diagnostic]:
    """Keyed lists whose keys are those of other domains, and those that leave out domains and geographies, where a
    kind of slot has no form without them.

    Whoever gives a shipped spec domains of their own meets all of them. What is never drawn is a warning; what is
    missing is one with another provider than embedded: no model reads a compose block.
    """
    config = spec.config
    if not (spec.clean(CONFIG_FILE, ("domain_split",)) and spec.clean(CONFIG_FILE, ("geography_split",))):
        return
    provider = config.generation_model.provider
    for name, entries in compose.lists.items():
        known = [*config.domain_split, *config.geography_split]
        strange = [key for key in entries if key not in known] if isinstance(entries, dict) else []
        if not isinstance(entries, dict) or any(nearest(key, known) for key in strange):
            continue
        place = spec.places.key_place(spec.template_files[template_id], ("compose", "lists", name))
        domains = [d for d, share in config.domain_split.items() if share > 0 and d not in entries]
        geographies = [g for g, share in config.geography_split.items() if share > 0 and g not in entries]
        needing = _needing(compose, name) if domains and geographies else None
        said = f"the compose block of {template_id} has a list {name}"
        if needing:
            message = f"{said} that every form for {needing} slots uses, without entries for {', '.join(domains)}"
            under = f"rename {strange[0]}" if strange else f"write them under {domains[0]}"
            hint = f"{under}, or make one list for every domain, or take the block out if the template asks for facts"
            if provider != "embedded":
                hint += f"; {provider} needs neither, and with --provider embedded those slots stay open"
            finding = found("ES321", message, place, hint=hint)
            yield finding if provider == "embedded" else replace(finding, severity=Severity.WARNING)
        elif strange:
            are = "is" if len(strange) == 1 else "are"
            message = f"{said} with entries that are never drawn: {', '.join(strange)} {are} no domain or geography"
            hint = "rename the keys to your domains, or make one list of all entries, for every domain"
            yield replace(found("ES321", message, place, hint=hint), severity=Severity.WARNING)


def _needing(compose: Compose, name: str) -> str | None:
    """The first difficulty of which every form uses a list."""
    for difficulty in DIFFICULTIES:
        serving = [form for form in compose.forms if not form.difficulty or difficulty in form.difficulty]
        if serving and all(name in _used(form) for form in serving):
            return difficulty
    return None


def _used(form: ComposeForm) -> frozenset[str]:
    """The names that the texts of a form use as placeholders or in expressions."""
    parts: list[ComposeForm | MemberForm] = [form, *form.members]
    tables = [form.let, form.shared, *(part.fields for part in parts)]
    variants = [entry for table in tables for entry in table.values()]
    variants += [part.expected_behavior for part in parts]
    variants += [part.expected_failure_modes for part in parts]
    texts = [text for entry in variants for text in ((entry,) if isinstance(entry, str) else entry)]
    return frozenset(form.needs).union(*(_WORD.findall(text) for text in texts if "{" in text))


def _blanks(form: ComposeForm, at: YamlPath) -> Iterator[Fault]:
    """Names that a form gives no text, or that hide those of a fact."""
    tables: list[tuple[YamlPath, Mapping[str, Variants]]] = [
        ((*at, section), getattr(form, section)) for section in ("let", "shared", "fields")
    ]
    tables += [((*at, "members", i, "fields"), member.fields) for i, member in enumerate(form.members)]
    for path, table in tables:
        for name, variants in table.items():
            if not variants:
                yield (*path, name), f"gives {name} no text to draw from"
            elif path[-1] == "let" and name in COMPOSE_NAMES:
                yield (*path, name), f"lets {name} be: a fact or slot has that name already"
    for circle in _circles(form):
        yield (*at, "let", circle), f"lets {circle} be, which comes back to itself"


def _circles(form: ComposeForm) -> Iterator[str]:
    """The first name of a form that is rendered from itself by way of the others."""
    uses = {
        name: {used for text in ((v,) if isinstance(v, str) else v) for used in _WORD.findall(text) if "{" in text}
        & form.let.keys()
        for name, v in form.let.items()
    }  # fmt: skip
    for name in form.let:
        reached: set[str] = set()
        edge = uses[name] - {name}
        while edge - reached:
            reached |= edge
            edge = set().union(*(uses[other] for other in edge))
        if name in reached:
            yield name
            return


def _fields(spec: Spec, template_id: str, form: ComposeForm, at: YamlPath, shared: frozenset[str]) -> Iterator[Fault]:
    required = {n for n, rules in spec.fields[template_id].items() if rules.get("required") is True}
    known = spec.fields[template_id].keys()
    given: list[tuple[YamlPath, set[str]]] = [((*at, "fields"), set(form.fields))]
    if form.members:
        given = [((*at, "members", i), set(m.fields)) for i, m in enumerate(form.members)]
    for path, names in given:
        for name in sorted(names - known):
            inner = path if path[-1] == "fields" else (*path, "fields")
            yield (*inner, name), f"fills {name}, which is no field"
        if missing := sorted(required - names - shared):
            yield path, f"leaves out the field{'s' * (len(missing) > 1)} {', '.join(missing)}"


def _modes(form: ComposeForm, at: YamlPath) -> Iterator[Fault]:
    sets = [((*at, "members", i), m.expected_failure_modes) for i, m in enumerate(form.members)] or [(at, ())]
    for path, own in sets:
        if len(own or form.expected_failure_modes) < 2:
            yield path, "serves hard slots with fewer than two expected_failure_modes"


def _members(spec: Spec, template_id: str, form: ComposeForm, at: YamlPath) -> Iterator[Fault]:
    if not form.members:
        return
    for name, entry in spec.config.subdimensions.items():
        if entry.templates == (template_id,) and entry.linkage % len(form.members):
            count = len(form.members)
            yield (*at, "members"), f"gives {count} members, and {name} has groups of {entry.linkage}"
