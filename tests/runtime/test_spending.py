"""Caps on calls and cost are kept to the last call, and a run that met one goes on from there."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalspec.runtime.events import FillResult
from evalspec.runtime.journaling import read_journal
from evalspec.runtime.providers import BusyError, Reply, ReplyError
from evalspec.runtime.spending import GroupUsage, Purse, Spending, SpentError, cost, usage_by_group
from evalspec.spec.generation import Prices
from evalspec.spec.journal import Usage

Run = Callable[..., FillResult]
PRICES = Prices(input_per_million=2.0, output_per_million=10.0)


def test_cost_is_tokens_by_price_and_unknown_without_prices() -> None:
    used = Usage(input_tokens=500_000, output_tokens=100_000)
    assert (cost(PRICES, used), cost(None, used)) == (2.0, None)


@pytest.mark.parametrize("concurrency", [1, 8])
def test_no_more_calls_are_made_than_allowed_and_the_next_run_goes_on(
    llm: Any, folder: Path, plan_of: Any, run: Run, concurrency: int
) -> None:
    plan = plan_of({"CLOSED": 10}, url=llm.url, concurrency=concurrency)
    first = run(plan, folder, max_calls=4)
    assert (first.filled, first.calls, len(llm.requests)) == (4, 4, 4)
    assert (first.stopped.code, first.diagnostics[-1].code) == ("ES516", "ES516")  # type: ignore[union-attr]
    assert "4 calls were made, and 4 are allowed" in first.stopped.message  # type: ignore[union-attr]
    second = run(plan, folder)
    assert (second.filled, second.calls, len(llm.requests)) == (10, 6, 10)


def test_as_many_calls_as_there_are_groups_are_enough(llm: Any, folder: Path, plan_of: Any, run: Run) -> None:
    result = run(plan_of({"CLOSED": 5}, url=llm.url), folder, max_calls=5)
    assert (result.filled, result.stopped) == (5, None)


def test_replies_that_do_not_fit_count_as_calls(llm: Any, folder: Path, plan_of: Any, run: Run, answer: Any) -> None:
    llm.script = lambda _number, _body: answer(content="garbage")
    result = run(plan_of({"CLOSED": 3}, url=llm.url), folder, max_calls=5)
    assert (result.filled, len(llm.requests), result.stopped.code) == (0, 5, "ES516")  # type: ignore[union-attr]


def test_requests_that_are_refused_for_rate_count_as_none(
    llm: Any, folder: Path, plan_of: Any, run: Run, answer: Any
) -> None:
    llm.script = lambda number, _body: answer(status=429, headers={"Retry-After": "0"}) if number < 3 else answer()
    result = run(plan_of({"CLOSED": 4}, url=llm.url, concurrency=2), folder, max_calls=4)
    assert (result.filled, result.stopped) == (4, None)


def test_a_cap_on_cost_is_kept_although_replies_may_be_long(llm: Any, folder: Path, plan_of: Any, run: Run) -> None:
    llm_usage = {"prompt_tokens": 1000, "completion_tokens": 400}
    plan = plan_of({"CLOSED": 40}, url=llm.url, prices=PRICES, max_tokens=500)
    original = llm.payload
    llm.payload = lambda answer, body: original(type(answer)(usage=llm_usage), body)
    result = run(plan, folder, max_cost=0.06)
    spent = cost(PRICES, result.usage) or 0.0
    assert (result.stopped.code, result.filled) == ("ES516", result.calls)  # type: ignore[union-attr]
    assert 0.04 < spent <= 0.06
    assert run(plan, folder).filled == 40


def test_without_prices_a_cap_on_cost_holds_nothing_back(llm: Any, folder: Path, plan_of: Any, run: Run) -> None:
    assert run(plan_of({"CLOSED": 3}, url=llm.url), folder, max_cost=0.0).filled == 3


def test_usage_is_kept_by_group_over_all_of_its_attempts(
    llm: Any, folder: Path, plan_of: Any, run: Run, answer: Any
) -> None:
    llm.script = lambda number, _body: answer(content="garbage") if number == 0 else answer()
    result = run(plan_of({"CLOSED": 2}, url=llm.url, concurrency=1), folder)
    used = usage_by_group(read_journal(folder).lines)
    assert sorted(used[group].output_tokens for group in used) == [5, 10]
    assert sum(used[group].input_tokens for group in used) == result.usage.input_tokens


def test_what_a_group_cost_counts_its_calls_and_not_what_was_composed(
    llm: Any, folder: Path, plan_of: Any, run: Run, answer: Any
) -> None:
    llm.script = lambda number, _body: answer(content="garbage") if number == 0 else answer()
    plan = plan_of({"CLOSED": 2}, url=llm.url, concurrency=1)
    result = run(plan, folder)
    first = llm.group(0)
    (second,) = {group.group_id for group in plan.groups} - {first}
    lines = read_journal(folder).lines
    assert sorted(Spending(lines).by_group(PRICES), key=lambda group: -group.calls) == [
        GroupUsage(first, 2, 20, 10, pytest.approx(140e-6)),
        GroupUsage(second, 1, 10, 5, pytest.approx(70e-6)),
    ]
    assert [group.cost for group in Spending(lines).by_group(None)] == [None, None]
    assert sorted(group.calls for group in result.by_group) == [1, 2]
    more = run(plan_of({"OPEN": 2}, url=llm.url), folder, provider="embedded")
    assert set(more.by_group) == set(Spending(lines).by_group(None)), "of earlier runs too, of none composed"
    assert len(Spending(read_journal(folder).lines).by_group(PRICES)) == 2


def test_an_answer_that_was_made_and_not_read_costs_what_was_held() -> None:
    async def scene() -> None:
        purse = Purse(PRICES, max_calls=1)

        async def unread() -> Reply:
            raise ReplyError("the answer has over 32 MB", unsure=True)

        hold = await purse.take(100, 1000)
        with pytest.raises(ReplyError):
            await purse.within(hold, unread)
        with pytest.raises(SpentError):
            await purse.take(100, 1000)

    asyncio.run(scene())


def test_a_call_that_timed_out_may_be_billed_and_costs_what_was_held() -> None:
    async def scene() -> str:
        purse = Purse(PRICES, max_cost=0.011)

        async def lost() -> Reply:
            raise BusyError("no reply within 5 s", unsure=True)

        hold = await purse.take(100, 1000)
        with pytest.raises(BusyError):
            await purse.within(hold, lost)
        with pytest.raises(SpentError) as caught:
            await purse.take(100, 1000)
        return str(caught.value)

    assert asyncio.run(scene()).startswith("0.0101 USD is spent, the next call may cost up to 0.0101 USD")


@given(
    cap=st.floats(0.0, 0.2),
    replies=st.lists(st.tuples(st.integers(0, 40), st.integers(0, 1000)), min_size=1, max_size=30),
    places=st.integers(1, 8),
)
def test_what_is_spent_never_passes_the_cap(cap: float, replies: list[tuple[int, int]], places: int) -> None:
    async def scene() -> float:
        purse = Purse(PRICES, max_cost=cap)
        spent = 0.0
        left = list(replies)

        async def worker() -> None:
            nonlocal spent
            while left:
                used = Usage(input_tokens=left[-1][0], output_tokens=left.pop()[1])

                async def send(used: Usage = used) -> Reply:
                    await asyncio.sleep(0)
                    return Reply("", used, "stop", "m")

                try:
                    await purse.within(await purse.take(100, 1000), send)
                except SpentError:
                    return
                spent += cost(PRICES, used) or 0.0

        async with asyncio.timeout(5):
            await asyncio.gather(*(worker() for _ in range(places)))
        return spent

    assert asyncio.run(scene()) <= cap + 1e-12


def test_the_journal_names_no_price(llm: Any, folder: Path, plan_of: Any, run: Run) -> None:
    run(plan_of({"CLOSED": 1}, url=llm.url, prices=PRICES), folder)
    rows = [json.loads(row) for row in (folder / "data/generated/journal.jsonl").read_text("utf-8").splitlines()]
    assert {"usage": {"input_tokens": 10, "output_tokens": 5}}.items() <= rows[1].items()
    assert not any("price" in key or "cost" in key for row in rows for key in row)
