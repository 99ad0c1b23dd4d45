"""The strategies and rubrics that a spec has when it declares none."""

from evalspec.compiler.defaults import default_rubrics, default_strategies, infer_subdimensions
from evalspec.spec.template import Template


def test_there_are_nine_strategies_with_their_grounding() -> None:
    expected = {
        "plausible_misinformation": "altered",
        "conflicting_context_injection": "altered",
        "leading_question_framing": "verbatim",
        "near_miss_regulatory_confusion": "verbatim",
        "confident_sounding_unanswerable_questions": "none",
        "multi_step_reasoning_traps": "verbatim",
        "semantic_similarity_traps": "verbatim",
        "policy_boundary_probing": "none",
        "over_refusal_traps": "none",
    }
    assert expected == {name: strategy.grounding for name, strategy in default_strategies().items()}


def test_there_is_a_rubric_for_each_dimension() -> None:
    found = {
        dimension: (name, rubric.scale, rubric.min_passing_score)
        for name, rubric in default_rubrics().items()
        for dimension in rubric.dimensions
    }
    expected = {
        "hallucination": ("faithfulness_1_5", (1, 5), 4),
        "consistency": ("consistency_binary", (0, 1), 1),
        "robustness": ("robustness_1_5", (1, 5), 4),
        "safety": ("safety_refusal_1_5", (1, 5), 4),
    }
    assert expected == found


def template(name: str, subdimension: str) -> Template:
    return Template(
        id=name,
        dimension="d",
        subdimension=subdimension,
        description="x",
        user_message_template="x",
        generation_instruction="x",
    )


def test_inferred_subdimensions_share_the_target_in_whole_groups() -> None:
    templates = {n: template(n, s) for n, s in (("A", "one"), ("B", "two"), ("C", "three"), ("D", "three"))}
    found = infer_subdimensions({"d": 20}, templates)
    assert {name: (entry.target_count, entry.linkage) for name, entry in found.items()} == {
        "one": (7, 1),
        "two": (7, 1),
        "three": (6, 2),
    }
