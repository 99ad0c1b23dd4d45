"""A compose block that cannot fill its template.

## What it does
Reports a form that leaves out a field of its template or fills one that it does not have; a difficulty, or a
strategy of
hard slots, that no form serves; a form for hard slots with fewer than two failure modes, or without an expected
behavior;
a name under `needs` that nothing gives; and `members` that do not make up the group.

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

from collections.abc import Iterator

from evalspec.compiler.model import Spec
from evalspec.compiler.texts import compose_names, group_names
from evalspec.spec.config import DIFFICULTIES
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.source import YamlPath
from evalspec.spec.template import Compose, ComposeForm

Fault = tuple[YamlPath, str]


def check(spec: Spec) -> Iterator[Diagnostic]:
    """Findings at the forms of a compose block."""
    for template_id, template in spec.templates.items():
        if template.compose is None or not spec.clean(spec.template_files[template_id], ("compose",)):
            continue
        for path, problem in _faults(spec, template_id, template.compose):
            place = spec.places.key_place(spec.template_files[template_id], path)
            yield found("ES321", f"the compose block of {template_id} {problem}", place)


def _faults(spec: Spec, template_id: str, compose: Compose) -> Iterator[Fault]:
    yield from _gaps(spec, template_id, compose)
    shared = group_names(spec.config, spec.templates)[template_id]
    for number, form in enumerate(compose.forms):
        at: YamlPath = ("compose", "forms", number)
        names = compose_names(compose, form, shared)
        for index, name in enumerate(form.needs):
            if name not in names:
                yield (*at, "needs", index), f"needs {name}, which nothing gives"
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
            if left:
                yield at, f"has no form for hard slots of {', '.join(left)}"


def _fields(spec: Spec, template_id: str, form: ComposeForm, at: YamlPath, shared: frozenset[str]) -> Iterator[Fault]:
    required = {n for n, rules in spec.fields[template_id].items() if rules.get("required") is True}
    known = spec.fields[template_id].keys()
    given: list[tuple[YamlPath, set[str]]] = [((*at, "fields"), set(form.fields))]
    if form.members:
        given = [((*at, "members", i), set(m.fields)) for i, m in enumerate(form.members)]
    for path, names in given:
        for name in sorted(names - known):
            yield path, f"fills {name}, which is no field"
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
