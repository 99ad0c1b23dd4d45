"""Lists for people: what they get, what their ratings come to, and what is said of a list that was spoiled."""

import csv
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalspec.bench import people
from evalspec.bench.checks import Check, ContainsAll, RatedByPeople
from evalspec.bench.ratings import NEEDED, read_ratings
from evalspec.bench.results import TargetResult, TrialLine
from evalspec.bench.suite import Case, Suite, Turn
from evalspec.spec.source import Place

PLACE = Place("suite.yaml")
CHECK = Check("answer_correctness", RatedByPeople("Would it spare a ticket?"), "answer_correctness")
CASE = Case("rag-1", (Turn("How?", (CHECK,)),), PLACE, "set", expected={"answer": "Reset it"})
SUITE = Suite("s", None, "contract", (CASE,), "0", PLACE)
ANSWER = TargetResult(text='=SUM(A1) "reset", \r\nthen ⟨টোকেন⟩')


def _line(epoch: int = 1, *results: TargetResult) -> TrialLine:
    return TrialLine(case_id="rag-1", epoch=epoch, key="k", results=results or (ANSWER,))


def _filled(path: Path, *ratings: object) -> Path:
    """The list of one answer with its raters' columns filled in."""
    people.write_list(path, people.to_rate(SUITE, [_line()]))
    if path.suffix == ".jsonl":
        row = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps({**row, **dict(zip(people.RATERS, ratings, strict=False))}) + "\n", encoding="utf-8")
        return path
    rows = list(csv.reader(path.open(encoding="utf-8-sig", newline="")))
    rows[1][-3 : -3 + len(ratings)] = [str(rating) for rating in ratings] if ratings else []
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


def test_a_list_holds_what_a_rater_needs_and_blank_columns(tmp_path: Path) -> None:
    people.write_list(tmp_path / "list.csv", people.to_rate(SUITE, [_line()]))
    (row,) = csv.DictReader((tmp_path / "list.csv").open(encoding="utf-8-sig", newline=""))
    assert row == {
        "case_id": "rag-1",
        "epoch": "1",
        "turn": "0",
        "check": "answer_correctness",
        "question": "Would it spare a ticket?",
        "input": "How?",
        "answer": "'" + ANSWER.text,
        "expected": '{\n "answer": "Reset it"\n}',
        "answer_id": people.answer_id(ANSWER.text),
        "rater_1": "",
        "rater_2": "",
        "rater_3": "",
    }


def test_only_answers_that_people_are_to_rate_are_listed() -> None:
    other = Case("rag-2", (Turn("How?", (Check("c", ContainsAll(("a",))),)),), PLACE, "set")
    suite = Suite("s", None, "contract", (CASE, other), "0", PLACE)
    lines = [
        _line(),
        _line(2, TargetResult(error="HTTP 500")),
        TrialLine(case_id="rag-2", epoch=1, key="k", results=(ANSWER,)),
        TrialLine(case_id="gone", epoch=1, key="k", results=(ANSWER,)),
    ]
    assert [(one.case_id, one.epoch) for one in people.to_rate(suite, lines)] == [("rag-1", 1)]


@pytest.mark.parametrize("name", ["list.csv", "list.jsonl"])
@pytest.mark.parametrize(
    ("ratings", "verdict", "reason"),
    [
        ((), "unscored", "waits for people: 0 of 2 ratings"),
        ((1,), "unscored", "waits for people: 1 of 2 ratings"),
        ((1, 1), "pass", "2 of 2 raters say 1"),
        ((0, 0), "fail", "0 of 2 raters say 1"),
        ((1, 0), "unscored", "two raters disagree: a third is needed"),
        ((1, 0, 1), "pass", "2 of 3 raters say 1"),
        ((0, 1, 0), "fail", "1 of 3 raters say 1"),
        (("1.0", " 1 "), "pass", "2 of 2 raters say 1"),
        (("", 1, 1), "pass", "2 of 2 raters say 1"),
    ],
)
def test_ratings_come_to_a_verdict(
    tmp_path: Path, name: str, ratings: tuple[object, ...], verdict: str, reason: str
) -> None:
    read, faults = read_ratings(_filled(tmp_path / name, *ratings))
    found = people.rated(CHECK, CASE, read, 1, ANSWER)
    assert faults == ()
    assert (found.check, found.verdict, found.reason, found.metric) == (
        "answer_correctness",
        verdict,
        reason,
        "answer_correctness",
    )


def test_disagreements_and_answers_that_wait_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "list.jsonl"
    rows = [[1, 1, None], [1, 0, None], [0, 1, 1], [1, None, None]]
    people.write_list(path, people.to_rate(SUITE, [_line(epoch) for epoch in range(1, 5)]))
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    filled = [{**line, **dict(zip(people.RATERS, row, strict=True))} for line, row in zip(lines, rows, strict=True)]
    path.write_text("\n".join(map(json.dumps, filled)), encoding="utf-8")
    ratings, _ = read_ratings(path)
    assert ratings.disagreements == 2
    assert [key[1] for key in ratings.waiting] == [2, 4]


@pytest.mark.parametrize("name", ["list.csv", "list.jsonl"])
def test_a_list_written_again_has_the_ratings_that_its_answers_got(tmp_path: Path, name: str) -> None:
    ratings, _ = read_ratings(_filled(tmp_path / name, 1, 0))
    again = people.to_rate(SUITE, [_line(), _line(2)], ratings)
    other = people.to_rate(SUITE, [_line(1, TargetResult(text="another"))], ratings)
    assert [(one.ratings, one.waits) for one in (*again, *other)] == [((1, 0), True), ((), True), ((), True)]
    read, faults = read_ratings(people.write_list(tmp_path / f"again-{name}", again))
    assert ([one.values for one in read.rated.values()], faults) == ([(1, 0), ()], ())


def test_a_list_that_people_may_have_filled_in_is_not_written_over(tmp_path: Path) -> None:
    path = _filled(tmp_path / "list.csv", 1)
    before, items = path.read_bytes(), people.to_rate(SUITE, [_line()])
    assert [people.write_list(path, items).name for _ in range(2)] == ["list-2.csv", "list-2.csv"]
    assert path.read_bytes() == before


def test_ratings_of_another_answer_or_run_do_not_count(tmp_path: Path) -> None:
    ratings, _ = read_ratings(_filled(tmp_path / "list.csv", 1, 1))
    assert (
        people.rated(CHECK, CASE, ratings, 1, TargetResult(text="else")).reason == "the ratings are of another answer"
    )
    assert people.rated(CHECK, CASE, ratings, 2, ANSWER).reason == "waits for people: no rating"
    assert people.rated(CHECK, CASE, ratings, 1, TargetResult(error="x")).verdict == "unscored"
    assert people.rated(CHECK, CASE, ratings, 1).verdict == "pass"


def test_an_answer_that_is_only_json_is_rated_as_json() -> None:
    (one,) = people.to_rate(SUITE, [_line(1, TargetResult(output={"answer": "টোকেন"}))])
    assert one.answer == '{\n "answer": "টোকেন"\n}'


def test_a_list_saved_with_semicolons_and_more_columns_is_read(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    id_ = people.answer_id("a")
    head = "note;case_id;epoch;turn;check;answer_id;rater anna;rater ben"
    path.write_text(f"{head}\r\n-;rag-1;1;0;{CHECK.name};{id_};1;1\r\n;;;;;;;\r\n")
    ratings, faults = read_ratings(path)
    assert faults == ()
    assert ratings.rated == {("rag-1", 1, 0, CHECK.name): people.Rated((1, 1), id_)}


CASE_IDS = (st.text(min_size=1, max_size=8) | st.sampled_from(["=1", "'=1", "''-a", "'a", "-1"])).filter(
    lambda text: text.strip() == text and "\x00" not in text
)
ROW = {"case_id": "a", "epoch": 1, "turn": 0, "check": "c", "answer_id": "x"}


@pytest.mark.parametrize(
    ("lines", "code", "line", "message"),
    [
        (["{", json.dumps(ROW)], "ES791", 1, "the line is not JSON"),
        (["[1]"], "ES791", 1, "the line is not a JSON object"),
        (["", json.dumps({**ROW, "epoch": None})], "ES791", 2, "the line has no epoch"),
        ([json.dumps({**ROW, "epoch": "x"})], "ES791", 1, "epoch and turn are numbers"),
        ([json.dumps({**ROW, "rater_1": 4})], "ES793", 1, "rater_1 of a is '4'"),
        ([json.dumps({**ROW, "rater_1": True})], "ES793", 1, "rater_1 of a is 'True'"),
        ([json.dumps(ROW), json.dumps(ROW)], "ES792", 2, "a, run 1, turn 1, c, stands here a second time"),
        ([], "ES790", 1, "is empty"),
    ],
)
def test_a_spoiled_line_is_named_with_its_place_and_the_others_count(
    tmp_path: Path, lines: list[str], code: str, line: int, message: str
) -> None:
    path = tmp_path / "list.jsonl"
    path.write_text("\n".join([*lines, json.dumps({**ROW, "case_id": "b"})] if lines else []), encoding="utf-8")
    ratings, (fault,) = read_ratings(path)
    assert (fault.code, fault.place.line, message in fault.message, bool(fault.hint)) == (code, line, True, True)
    assert (("b", 1, 0, "c") in ratings.rated) == bool(lines)


def test_a_list_without_its_columns_is_named(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text("case_id,epoch,rater_1\na,1,1\n")
    ratings, (fault,) = read_ratings(path)
    assert (fault.code, fault.message) == ("ES790", "the list has no column turn, check, answer_id")
    assert ratings.rated == {}


def test_a_rating_in_a_csv_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text('case_id,epoch,turn,check,answer_id,rater_1\na,1,0,c,"x\ny",1\nb,1,0,c,x,yes\n')
    _, (fault,) = read_ratings(path)
    assert (fault.code, fault.place.line, fault.place.text) == ("ES793", 4, "b,1,0,c,x,yes")


@pytest.mark.parametrize("data", [b"\xff\xfe", None], ids=["not UTF-8", "missing"])
def test_a_file_that_cannot_be_read_is_a_finding(tmp_path: Path, data: bytes | None) -> None:
    path = tmp_path / "list.csv"
    if data is not None:
        path.write_bytes(data)
    _, (fault,) = read_ratings(path)
    assert fault.code == "ES790"


@given(data=st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")))
def test_no_file_of_ratings_raises(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    folder = tmp_path_factory.mktemp("ratings")
    head = ",".join((*NEEDED, "rater_1")).encode() + b"\n"
    for name, content in (("a.csv", data), ("b.csv", head + data), ("c.jsonl", data)):
        (folder / name).write_bytes(content)
        read_ratings(folder / name)


@given(
    texts=st.lists(st.text(max_size=60), min_size=1, max_size=4),
    name=st.sampled_from(["list.csv", "list.jsonl"]),
    case_id=CASE_IDS,
)
def test_whatever_an_answer_holds_its_rating_comes_back(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], name: str, case_id: str
) -> None:
    path = tmp_path_factory.mktemp("ratings") / name
    people.write_list(
        path, [people.ForRating(case_id, at, 0, "c", "q", text, text) for at, text in enumerate(texts, 1)]
    )
    ratings, faults = read_ratings(path)
    assert faults == ()
    assert {key: one.answer_id for key, one in ratings.rated.items()} == {
        (case_id, at, 0, "c"): people.answer_id(text) for at, text in enumerate(texts, 1)
    }
