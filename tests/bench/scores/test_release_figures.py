"""The figures of a release: flips, pairs, triples, phrasings and shots."""

from typing import Any

import pytest

from evalspec.bench import stats


def _groups(made: Any, subdimension: str, templates: list[str], outcomes: list[list[str]]) -> Any:
    """The figures of linked groups: a text of letters, one a run, for each member of each group."""
    cases, rows = [], []
    for number, group in enumerate(outcomes):
        ids = [f"g{number}.{member}" for member in range(len(group))]
        for place, letters in enumerate(group):
            facts = {"subdimension": subdimension, "prompt_template_id": templates[place]}
            case = made.case(ids[place], facts=facts, links=tuple(i for i in ids if i != ids[place]))
            cases.append(case)
            rows += [made.trial(case, letter, epoch) for epoch, letter in enumerate(letters, 1)]
    return made.report(made.suite(cases, format="release"), rows).extra


def _flat(made: Any, subdimension: str, outcomes: list[str]) -> Any:
    cases = [made.case(f"c{n}", facts={"subdimension": subdimension}) for n in range(len(outcomes))]
    rows = [
        made.trial(case, letter, epoch)
        for case, letters in zip(cases, outcomes, strict=True)
        for epoch, letter in enumerate(letters, 1)
    ]
    return made.report(made.suite(cases, format="release"), rows).extra


@pytest.mark.parametrize("name", ["repeat_stability", "refusal_stability"])
def test_a_case_flips_where_it_passed_once_and_failed_once(made: Any, name: str) -> None:
    figure = _flat(made, name, ["ppp", "fff", "pfp", "ppu", "puu", "eee"])[name]
    interval = stats.wilson(1, 4)
    assert interval is not None
    assert (0.25, 4, "cases", 2, interval.model_dump()) == (
        figure["value"],
        figure["n"],
        figure["of"],
        figure["left_out"],
        figure["interval"],
    )


def test_one_run_shows_no_flips(made: Any) -> None:
    figure = _flat(made, "repeat_stability", ["p", "f"])["repeat_stability"]
    assert (
        figure["value"],
        figure["n"],
        figure["interval"],
        figure["reason"],
    ) == (None, 0, None, "no case was scored twice: it takes runs")


def test_temperature_prompts_are_part_of_the_repeated_ones(made: Any) -> None:
    figures = _flat(made, "temperature_sensitivity", ["pf", "pp"])
    assert (figures["temperature_sensitivity"]["value"], figures["repeat_stability"]["value"]) == (0.5, 0.5)


def test_a_pair_is_coherent_where_both_came_out_alike(made: Any) -> None:
    outcomes = [["p", "p"]] * 6 + [["f", "f"]] * 2 + [["p", "f"]] * 2 + [["p", "u"]]
    figure = _groups(made, "position_coherence", ["C2", "C2"], outcomes)["position_coherence"]
    assert (figure["value"], figure["n"], figure["left_out"]) == (0.8, 10, 1)
    assert figure["interval"]["method"] == "wilson"


def test_a_triple_agrees_where_all_three_came_out_alike(made: Any) -> None:
    outcomes = [["p", "p", "p"], ["f", "f", "f"], ["p", "p", "f"], ["e", "p", "p"]]
    figure = _groups(made, "self_contradiction", ["H4"] * 3, outcomes)["self_contradiction"]
    assert (pytest.approx(2 / 3), 3, 1) == (figure["value"], figure["n"], figure["left_out"])


def test_runs_of_a_group_are_its_mean_and_never_more_groups(made: Any) -> None:
    outcomes = [["ppp", "ppf"], ["pp" + "u", "ppp"], ["fpf", "ppp"]]
    figure = _groups(made, "position_coherence", ["C2", "C2"], outcomes)["position_coherence"]
    assert (pytest.approx((2 / 3 + 1 + 1 / 3) / 3), 3) == (figure["value"], figure["n"])
    assert figure["interval"]["method"] == "clustered"


def test_a_group_with_a_member_left_out_is_not_whole(made: Any) -> None:
    facts = {"subdimension": "position_coherence", "prompt_template_id": "C2"}
    cases = [made.case("a", facts=facts, links=("b",))]
    extra = made.report(made.suite(cases, format="release"), [made.trial(cases[0], "p")]).extra
    figure = extra["position_coherence"]
    assert (figure["value"], figure["reason"], figure["left_out"]) == (None, "no group was scored whole", 1)


PHRASINGS = ["P1", "P2", "P3", "P4", "P5"]


def test_a_group_is_robust_where_every_phrasing_passed(made: Any) -> None:
    outcomes = [list("ppppp")] * 6 + [list("ppppf")] * 3 + [list("pfppf")]
    figures = _groups(made, "phrasing_variants", PHRASINGS, outcomes)
    assert (figures["phrasing_robustness"]["value"], figures["phrasing_robustness"]["n"]) == (0.6, 10)
    drop = figures["worst_phrasing_drop"]
    assert (drop["value"], drop["detail"]) == (0.4, {"P1": 1.0, "P2": 0.9, "P3": 1.0, "P4": 1.0, "P5": 0.6})
    assert drop["interval"]["low"] <= 0.4 <= drop["interval"]["high"]


def test_a_drop_below_zero_is_a_gain(made: Any) -> None:
    outcomes = [list("fpppp"), list("ppppp")]
    assert _groups(made, "phrasing_variants", PHRASINGS, outcomes)["worst_phrasing_drop"]["value"] == -0.5


def test_examples_gain_what_the_second_template_has_over_the_first(made: Any) -> None:
    outcomes = [["p", "p"]] * 5 + [["f", "p"]] * 4 + [["p", "f"]]
    figure = _groups(made, "zero_shot_vs_few_shot", ["P7a", "P7b"], outcomes)["few_shot_gain"]
    assert (0.3, 10, {"P7a": 0.6, "P7b": 0.9, "p": stats.mcnemar(1, 4)}) == (
        figure["value"],
        figure["n"],
        figure["detail"],
    )
    assert figure["interval"]["low"] < 0.3 < figure["interval"]["high"]


def test_members_are_told_apart_by_their_template_and_not_by_their_order(made: Any) -> None:
    outcomes = [["p", "f"]] * 4
    figure = _groups(made, "zero_shot_vs_few_shot", ["P7b", "P7a"], outcomes)["few_shot_gain"]
    assert figure["value"] == 1.0


def test_groups_of_one_template_have_no_gain(made: Any) -> None:
    figure = _groups(made, "zero_shot_vs_few_shot", ["P7a", "P7a"], [["p", "f"]] * 4)["few_shot_gain"]
    assert (figure["value"], figure["reason"]) == (None, "the groups are not of the same templates")


def test_only_a_release_has_these_figures(made: Any) -> None:
    cases = [made.case("a", facts={"subdimension": "repeat_stability"})]
    assert made.report(made.suite(cases), [made.trial(cases[0], "p")]).extra == {}


def test_figures_that_no_case_is_for_are_left_out(made: Any) -> None:
    assert list(_flat(made, "refusal_stability", ["pp"])) == ["refusal_stability"]
