"""A prompt template: one file of `templates/`, for one type of evaluation."""

from typing import Any

from pydantic import Field

from evalspec.spec.config import Difficulty
from evalspec.spec.model import Identifier, Model, Text

BUILT_IN_NAMES: frozenset[str] = frozenset(
    {
        "source_domain",
        "domain_name",
        "geography",
        "geography_name",
        "difficulty",
        "adversarial_strategy",
        "strategy_definition",
        "language",
        "dimension",
        "subdimension",
    }
)
"""Names that every text of a template may use; the slot gives their values."""

INSTRUCTION_NAMES: frozenset[str] = BUILT_IN_NAMES | {"scraped_content"}
"""Names that a generation instruction may use: those of the slot, and the chunk's text."""

FACT_NAMES: frozenset[str] = frozenset(
    {"subject", "ask", "statement", "value", "near", "near_why", "condition", "exception", "counterpart"}
    | {"counterpart_value", "confusable", "confusable_why", "unsaid", "kind"}
    | {"setup", "scenario_ask", "scenario_answer", "scenario_wrong", "scenario_why"}
)
"""Names that a fact gives to a composed text; those that a fact lacks have no value."""

COMPOSE_NAMES: frozenset[str] = (
    BUILT_IN_NAMES
    | FACT_NAMES
    | {f"other_{name}" for name in ("subject", "ask", "statement", "value", "near")}
    | {f"another_{name}" for name in ("subject", "ask", "statement", "value", "near")}
    | {"title", "as_of", "false_statement", "excerpt", "excerpt_2", "excerpt_3", "false_excerpt"}
    | {"long_excerpt"}
    | {"choices", "false_choices", "choice", "request", "line", "instead"}
    | {"sensitive_request", "trigger", "sensitive_answer"}
)
"""Names that a form of a `compose` block may use, beside its own lists and lets. See docs/language.md."""

COMMON_REPLY_NAMES: frozenset[str] = frozenset(
    {"expected_behavior", "expected_failure_modes", "adversarial_strategy", "true_excerpt"}
)
"""Names that every member of a reply carries; a template's own fields cannot take them."""

Variants = Text | tuple[Text, ...]
"""One text, or several to draw from; members of one group that share a template draw different ones."""


class NegativeExample(Model):
    """A prompt with a bad response to it, and why that is bad."""

    prompt: Text
    bad_response: Text
    why_bad: Text


class PassCriteria(Model):
    """What a template changes of its rubric; what it leaves out is the rubric's. Placeholders may stand in it."""

    rubric_type: Identifier | None = None
    min_passing_score: int | None = None
    scoring_description: Text | None = None
    hard_fail_conditions: tuple[Text, ...] | None = None
    auto_scoreable: bool | None = None
    scoring_notes: Text | None = None


class MemberForm(Model):
    """What one member of a group is given."""

    fields: dict[Identifier, Variants]
    expected_behavior: Variants
    expected_failure_modes: tuple[Text, ...] = ()


class ComposeForm(Model):
    """A way to fill a template from a fact, for some difficulties and strategies."""

    difficulty: tuple[Difficulty, ...] = ()
    """None means any."""
    strategies: tuple[Identifier, ...] = ()
    """Strategies of hard slots; none means any."""
    needs: tuple[str, ...] = ()
    """Names that must have a value, beside those that the texts use."""
    let: dict[Identifier, Variants] = {}
    """Names of the form's own, rendered once a group, that its other texts may use."""
    shared: dict[Identifier, Variants] = {}
    """Fields that are one for the whole group."""
    fields: dict[Identifier, Variants] = {}
    expected_behavior: Variants = ()
    expected_failure_modes: tuple[Text, ...] = ()
    """For hard slots at least two; how many are kept follows from the difficulty."""
    members: tuple[MemberForm, ...] = ()
    """One entry a position of the group, in place of `fields`, where the positions differ."""


class Compose(Model):
    """How the embedded provider fills a template: word lists, and forms that draw on facts and lists."""

    lists: dict[Identifier, tuple[Text, ...] | dict[Identifier, tuple[Text, ...]]] = {}
    """Lists to draw one entry from; a mapping is keyed by domain or geography."""
    forms: tuple[ComposeForm, ...] = Field(min_length=1)


class Template(Model):
    """One file of `templates/`."""

    id: Identifier
    dimension: Identifier
    subdimension: Identifier
    description: Text
    system_prompt: str = ""
    user_message_template: Text
    generation_instruction: Text
    negative_examples: tuple[NegativeExample, ...] = ()
    pass_criteria: PassCriteria = PassCriteria()
    strategies: tuple[Identifier, ...] = ()
    """Strategies for its hard slots; by default all that suit its dimension."""
    fields: dict[Identifier, dict[str, Any]] = {}
    """Cerberus rules of what the LLM returns; by default a string for each placeholder without a value.

    `meta: {role: excerpt}` marks a passage quoted from the chunk and shown in the prompt, `meta: {role: answer}` the
    right answer, `meta: {shared: true}` a field that is one for the whole group. By default a name that ends in
    `excerpt` is an excerpt, and `correct_answer` an answer.
    """
    is_adversarial: bool | str = "hard"
    """true, false, or `hard`: true for its hard slots."""
    compose: Compose | None = None
