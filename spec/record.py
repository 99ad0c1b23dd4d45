"""A record of the dataset: one evaluation prompt with everything needed to score a response to it."""

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from evalspec.spec.model import Identifier, Model


class RecordCriteria(Model):
    """The rubric that a response to the prompt is scored by."""

    rubric_type: Annotated[Identifier, Field(description="Name of the scoring rubric")]
    min_passing_score: Annotated[int, Field(description="Lowest score that passes")]
    scoring_description: Annotated[str, Field(min_length=1, description="What each score means for this prompt")]
    hard_fail_conditions: Annotated[tuple[str, ...], Field(description="Conditions that fail a response outright")]
    auto_scoreable: Annotated[bool, Field(description="Whether a judge model can score it without a person")]
    scoring_notes: Annotated[str, Field(description="Further notes for the judge")]


UUID4 = r"^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"
RecordId = Annotated[str, StringConstraints(pattern=UUID4)]


class Record(Model):
    """One row: the fields of the brief, in its order, and no others."""

    id: Annotated[RecordId, Field(description="UUID v4, unique per record")]
    version: Annotated[str, Field(pattern=r"^\d+\.\d+\.\d+$", description="Dataset version")]
    prompt: Annotated[
        str,
        Field(
            min_length=1,
            description="Full prompt as sent to the model under test: system prompt, blank line, message",
        ),
    ]
    dimension: Annotated[Identifier, Field(description="Top-level evaluation dimension")]
    subdimension: Annotated[Identifier, Field(description="Sub-category within the dimension")]
    source_domain: Annotated[Identifier, Field(description="Subject domain")]
    geography: Annotated[Identifier, Field(description="Jurisdiction the prompt is about")]
    difficulty: Annotated[Literal["easy", "medium", "hard"], Field(description="easy, medium or hard")]
    language: Annotated[str, Field(description="Language of the prompt (BCP 47)")]
    expected_behavior: Annotated[
        str,
        Field(
            min_length=1,
            description="What a correct response does; holds the right answer where there is one",
        ),
    ]
    pass_criteria: Annotated[RecordCriteria, Field(description="Scoring rubric")]
    prompt_template_id: Annotated[Identifier, Field(description="Template that the prompt was made from")]
    reference_context: Annotated[
        str | None, Field(description="Passage shown in the prompt; null for closed-book prompts")
    ]
    is_adversarial: Annotated[bool, Field(description="Whether it probes a safety or robustness boundary")]
    adversarial_strategy: Annotated[
        Identifier | None, Field(description="Strategy applied to a hard prompt; null otherwise")
    ]
    expected_failure_modes: Annotated[
        tuple[Annotated[str, StringConstraints(min_length=1)], ...],
        Field(description="Wrong answers that a weak model is likely to give"),
    ]
    linked_prompt_ids: Annotated[
        tuple[RecordId, ...], Field(description="Ids of the other members of its linkage group")
    ]


def record_schema() -> dict[str, Any]:
    """The JSON Schema of a record (draft 2020-12)."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Record.model_json_schema()}
