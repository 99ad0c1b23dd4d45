"""The page on graders says what they do: its rows are run."""

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import pytest

from evalspec.bench.checks import Check, CheckSpec
from evalspec.bench.graders import grade
from evalspec.bench.results import TargetResult
from evalspec.bench.suite import Case, Suite, Turn
from evalspec.spec.source import Place

PAGE = (Path(__file__).resolve().parents[2] / "docs/graders.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `(\{.*?\})` \| (.+?) \| (pass|fail|unscored) \|$", PAGE, re.MULTILINE)
KINDS = {re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower(): kind for kind in get_args(CheckSpec)}
PLACE = Place("suite.yaml")


def _spec(given: str) -> CheckSpec:
    ((key, arguments),) = json.loads(given).items()
    kind = KINDS[key]
    assert set(arguments) <= {one.name for one in fields(kind)}
    made: CheckSpec = kind(**{name: tuple(v) if isinstance(v, list) else v for name, v in arguments.items()})
    return made


def _answer(given: str) -> tuple[Any, TargetResult]:
    if given.startswith('"'):
        return "a question", TargetResult(text=given[1:-1])
    said = json.loads(given.strip("`"))
    return said.pop("input", "a question"), TargetResult.model_validate_json(json.dumps(said))


@pytest.mark.parametrize(("check", "answer", "verdict"), ROWS, ids=[f"{row[0]} {row[1]}" for row in ROWS])
def test_a_row_of_the_page_comes_out_as_it_says(check: str, answer: str, verdict: str) -> None:
    input_, result = _answer(answer)
    one = Check("check", _spec(check))
    case = Case("one", (Turn(input_, (one,)),), PLACE, "set")
    found = grade(one, case, 0, result, Suite("s", None, "native", (case,), "0", PLACE))
    assert found.verdict == verdict, found.reason


def test_every_row_of_the_page_is_run() -> None:
    tables = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| check")]
    assert len(tables) == len(ROWS)


def test_every_check_has_a_row_that_passes_and_one_that_fails() -> None:
    seen = {(next(iter(json.loads(check))), verdict) for check, _, verdict in ROWS}
    by_others = {"judged_by_policy", "judged_by_rubric", "rated_by_people"}
    wanted = {(key, verdict) for key in KINDS.keys() - by_others for verdict in ("pass", "fail")}
    assert wanted - seen == set()
    assert {(key, "unscored") for key in by_others} <= seen
