"""A plan that changes little when its spec does: what was paid for is kept where the new counts have a place for it."""

import re
import shutil
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest

from evalspec.compiler.compile import compile_spec
from evalspec.compiler.difference import Difference, diff
from evalspec.spec.plan import Plan

SHIPPED = Path(str(files("evalspec.spec"))) / "bfsi"
SHARES = {"insurance": 25, "banking": 20, "tax_retirement": 15, "regulatory_compliance": 10}
RECORDS = {"hallucination": 950, "consistency": 380, "robustness": 1010, "safety": 570}


def compiled(folder: Path, numbers: dict[str, str]) -> Plan:
    """The plan of the shipped spec with some numbers of its config changed, by key."""
    shutil.copytree(SHIPPED, folder)
    path = folder / "generation_config.yaml"
    text = path.read_text(encoding="utf-8")
    for key, value in numbers.items():
        text, changed = re.subn(rf"(?m)^  {key}: [0-9.]+", f"  {key}: {value}", text, count=1)
        assert changed == 1
    path.write_text(text, encoding="utf-8")
    plan = compile_spec(folder).plan
    assert plan is not None
    return plan


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    return compiled(tmp_path_factory.mktemp("shipped") / "spec", {})


def least(old: Plan, new: Plan) -> int:
    """The groups that no plan could keep: what each cell of a subdimension has more than before."""
    before, after = (Counter((g.subdimension, *cell_of(g)) for g in plan.groups) for plan in (old, new))
    return sum((after - before).values())


def cell_of(group: object) -> tuple[object, ...]:
    slot = group.slots[0]  # type: ignore[attr-defined]
    return slot.source_domain, slot.geography, slot.difficulty, slot.adversarial_strategy


def made(found: Difference) -> int:
    return len(found.rebuy)


@pytest.mark.parametrize(
    ("less", "more"),
    [("insurance", "banking"), ("tax_retirement", "insurance"), ("regulatory_compliance", "tax_retirement")],
)
def test_five_per_cent_moved_between_two_domains_make_at_most_ten_per_cent_anew(
    shipped: Plan, tmp_path: Path, less: str, more: str
) -> None:
    moved = {less: f"{(SHARES[less] - 5) / 100:.2f}", more: f"{(SHARES[more] + 5) / 100:.2f}"}
    new = compiled(tmp_path / "spec", moved)
    found = diff(shipped, new)
    assert made(found) <= 0.10 * len(new.groups)
    assert made(found) - least(shipped, new) <= 5  # as many as the allocation moved, but for numbers drawn twice
    assert found.kept == len(new.groups) - made(found)


@pytest.mark.parametrize("more", [10, 90])
def test_a_raised_total_keeps_what_there_is(shipped: Plan, tmp_path: Path, more: int) -> None:
    records = {**RECORDS, "hallucination": RECORDS["hallucination"] + more}
    new = compiled(tmp_path / "spec", {"target_total": str(2910 + more), **{k: str(v) for k, v in records.items()}})
    found = diff(shipped, new)
    assert found.kept >= 0.95 * len(shipped.groups)
    assert made(found) - least(shipped, new) <= 5


def test_a_group_that_is_kept_keeps_its_records(shipped: Plan, tmp_path: Path) -> None:
    new = compiled(tmp_path / "spec", {"insurance": "0.24", "banking": "0.21"})
    prints = {group.group_id: group for group in shipped.groups}
    kept = [g for g in new.groups if g.group_id in prints and g.fingerprint == prints[g.group_id].fingerprint]
    assert len(kept) >= 0.93 * len(new.groups)
    assert [g.slots for g in kept] == [prints[g.group_id].slots for g in kept]
