"""Every text of a spec in which placeholders may stand, with the names that may stand in it, and what is wrong."""

from collections.abc import Iterator, Mapping

from evalspec.compiler.fields import Rules, shown_texts
from evalspec.compiler.files import CONFIG_FILE
from evalspec.compiler.model import TextFault
from evalspec.compiler.soundness import without_sound_jinja
from evalspec.spec.config import GenerationConfig, Rubric
from evalspec.spec.language import faults
from evalspec.spec.source import YamlPath
from evalspec.spec.template import (
    BUILT_IN_NAMES,
    COMPOSE_NAMES,
    INSTRUCTION_NAMES,
    Compose,
    ComposeForm,
    Template,
    Variants,
)

Entry = tuple[YamlPath, str, frozenset[str]]
"""A path, the text there, and the names that may stand in it."""


def template_texts(template: Template, fields: Rules, shared: frozenset[str]) -> Iterator[Entry]:
    """The texts of a template; `shared` are the names that the forms of its group give to all members."""
    shown = BUILT_IN_NAMES.union(fields)
    for path, text in shown_texts(template):
        yield path, text, shown
    yield ("generation_instruction",), template.generation_instruction, INSTRUCTION_NAMES
    if template.compose is not None:
        yield from _compose_texts(template.compose, shared)


def rubric_texts(name: str, rubric: Rubric) -> Iterator[Entry]:
    """The texts of a rubric, which many templates share: only the slot's names stand in them."""
    yield ("rubrics", name, "scoring_description"), rubric.scoring_description, BUILT_IN_NAMES
    yield ("rubrics", name, "scoring_notes"), rubric.scoring_notes, BUILT_IN_NAMES
    for index, text in enumerate(rubric.hard_fail_conditions):
        yield ("rubrics", name, "hard_fail_conditions", index), text, BUILT_IN_NAMES


def compose_names(compose: Compose, form: ComposeForm, shared: frozenset[str]) -> frozenset[str]:
    """The names that the texts of a form may use: facts, lists, lets, and what the form and its group fill."""
    members = (member.fields for member in form.members)
    return COMPOSE_NAMES.union(compose.lists, form.let, form.shared, form.fields, *members, shared)


def shared_names(template: Template) -> frozenset[str]:
    """What the forms of a template give to every member of a group."""
    forms = template.compose.forms if template.compose else ()
    return frozenset(name for form in forms for name in form.shared)


def group_names(config: GenerationConfig, templates: Mapping[str, Template]) -> dict[str, frozenset[str]]:
    """For each template what the forms of its groups share."""
    out = {name: shared_names(template) for name, template in templates.items()}
    for entry in config.subdimensions.values():
        names = [name for name in entry.templates if name in templates]
        together = frozenset[str]().union(*(shared_names(templates[name]) for name in names))
        out |= {name: out[name] | together for name in names}
    return out


def _compose_texts(compose: Compose, shared: frozenset[str]) -> Iterator[Entry]:
    for number, form in enumerate(compose.forms):
        at: YamlPath = ("compose", "forms", number)
        names = compose_names(compose, form, shared)
        for section, group in (("let", form.let), ("shared", form.shared), ("fields", form.fields)):
            for name, variants in group.items():
                yield from _variants((*at, section, name), variants, names)
        yield from _variants((*at, "expected_behavior"), form.expected_behavior, names)
        yield from _variants((*at, "expected_failure_modes"), form.expected_failure_modes, names)
        for index, member in enumerate(form.members):
            inner: YamlPath = (*at, "members", index)
            for name, variants in member.fields.items():
                yield from _variants((*inner, "fields", name), variants, names)
            yield from _variants((*inner, "expected_behavior"), member.expected_behavior, names)
            yield from _variants((*inner, "expected_failure_modes"), member.expected_failure_modes, names)


def _variants(path: YamlPath, variants: Variants, names: frozenset[str]) -> Iterator[Entry]:
    if isinstance(variants, str):
        yield path, variants, names
    else:
        for index, text in enumerate(variants):
            yield (*path, index), text, names


def faults_in(file: str, entries: Iterator[Entry]) -> Iterator[TextFault]:
    """What is wrong with the texts of one file."""
    for path, text, names in entries:
        if "{" in text:
            for fault in faults(without_sound_jinja(text, names), names):
                yield TextFault(file, path, fault, names)


def rubric_faults(rubrics: dict[str, Rubric]) -> Iterator[TextFault]:
    """What is wrong with the texts of the rubrics of the config."""
    for name, rubric in rubrics.items():
        yield from faults_in(CONFIG_FILE, rubric_texts(name, rubric))
