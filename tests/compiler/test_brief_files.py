"""The files of the project's brief, pasted as they are, make a spec."""

from pathlib import Path

from evalspec.compiler.front import read_spec

BRIEF = Path(__file__).parent / "brief"


def test_the_files_of_the_brief_load_without_an_error() -> None:
    front = read_spec(BRIEF)
    assert front.spec is not None
    assert [d.code for d in front.diagnostics] == ["ES207", "ES207", "ES207", "ES313", "ES314", "ES315"]


def test_what_the_brief_leaves_out_is_filled_in() -> None:
    spec = read_spec(BRIEF).spec
    assert spec is not None
    assert spec.inferred_subdimensions
    assert {n: s.target_count for n, s in spec.config.subdimensions.items()} == {"open_book_faithfulness": 950}
    assert spec.config.difficulty_split == {"easy": 0.2, "medium": 0.4, "hard": 0.4}
    assert spec.config.geography_split == {"general": 1.0}
    assert (
        (chosen := spec.rubric_of("H2")) and chosen[0],
        chosen and chosen[1].min_passing_score,
    ) == ("faithfulness_1_5", 4)
    assert len(spec.strategies_of("H2")) == 7


def test_the_placeholders_of_the_brief_are_fields_with_roles() -> None:
    spec = read_spec(BRIEF).spec
    assert spec is not None
    roles = {name: rules["meta"]["role"] for name, rules in spec.fields["H2"].items()}
    assert roles == {"reference_excerpt": "excerpt", "question": "text"}
