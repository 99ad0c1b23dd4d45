"""Preview: what a plan will make, and about what it will cost."""

import pytest

from evalspec.compiler.compile import Options, compile_spec
from evalspec.compiler.preview import preview
from evalspec.spec.generation import Prices


@pytest.fixture
def plan(french_folder):
    return compile_spec(french_folder).plan


def test_the_tables_are_those_on_record(plan, snapshot):
    assert preview(plan) == snapshot


def test_subdimensions_add_up_to_the_total(plan):
    shown = preview(plan)
    assert sum(row.planned for row in shown.subdimensions) == shown.total == 60
    assert sum(row.groups for row in shown.subdimensions) == shown.cost.calls == 39


def test_deviation_is_relative_to_what_was_asked(plan):
    rows = {row.name: row for row in preview(plan).domains}
    assert {name: round(row.deviation, 4) for name, row in rows.items()} == {
        name: round((row.planned - row.asked) / row.asked, 4) for name, row in rows.items()
    }
    assert rows["potager"].deviation == 0


def test_money_is_told_where_the_config_gives_prices(plan):
    assert preview(plan).cost.money is None
    prices = Prices(input_per_million=2.5, output_per_million=10.0, currency="EUR", as_of="2025-01")
    priced = plan.model_copy(update={"generation_model": plan.generation_model.model_copy(update={"prices": prices})})
    cost = preview(priced).cost
    assert cost.money == round((cost.input_tokens * 2.5 + cost.output_tokens * 10) / 1e6, 2)
    assert (cost.currency, cost.as_of) == ("EUR", "2025-01")


def test_a_longer_instruction_costs_more(french_folder, plan):
    path = french_folder / "templates" / "F1.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace(
            "  Texte : {scraped_content}", "  " + "Soignez la langue. " * 40 + "\n  Texte : {scraped_content}"
        ),
        encoding="utf-8",
    )
    longer = compile_spec(french_folder).plan
    assert preview(longer).cost.input_tokens > preview(plan).cost.input_tokens
    assert preview(longer).cost.output_tokens == preview(plan).cost.output_tokens


def test_a_partial_plan_says_so(french_folder):
    shown = preview(compile_spec(french_folder, Options(limit=5)).plan)
    assert (shown.partial, shown.cost.calls) == (True, 5)
