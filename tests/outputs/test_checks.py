"""Every kind of damage is found by the criterion that is meant for it, and by no other."""

import json
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evalspec.outputs import checks
from evalspec.outputs.checks import check, page
from evalspec.outputs.loading import Answer
from evalspec.outputs.records import to_table
from evalspec.outputs.writers import parquet
from evalspec.spec.codes import CODES

Damage = Callable[[Any], None]


class _NoReader:
    def answer(self, _job: Any) -> Answer:
        return Answer()


@pytest.fixture
def without_datasets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Criteria that `datasets` judges are tested apart: it takes a second a time."""

    @contextmanager
    def reader() -> Iterator[_NoReader]:
        yield _NoReader()

    monkeypatch.setattr(checks, "reader", reader)


def failed(report: checks.CheckReport) -> set[str]:
    return {row.code for row in report.rows if row.verdict == "failed"}


def member(release: Any) -> dict[str, Any]:
    """A member of a pair."""
    return release.find(subdimension="pairs")


def single(release: Any, **wanted: Any) -> dict[str, Any]:
    return release.find(subdimension="closed_book", **wanted)


def other_of(release: Any, row: dict[str, Any]) -> dict[str, Any]:
    return release.find(id=row["linked_prompt_ids"][0])


def one_failure_mode(release: Any) -> None:
    single(release, difficulty="hard")["expected_failure_modes"] = ["Says yes"]


def no_strategy(release: Any) -> None:
    single(release, difficulty="hard")["adversarial_strategy"] = None


def modes_on_easy(release: Any) -> None:
    single(release, difficulty="easy")["expected_failure_modes"] = ["a", "b"]


def five_modes(release: Any) -> None:
    single(release, difficulty="medium")["expected_failure_modes"] = list("abcde")


def strategy_on_medium(release: Any) -> None:
    single(release, difficulty="medium")["adversarial_strategy"] = "near_miss"


def dangling(release: Any) -> None:
    member(release)["linked_prompt_ids"].append(str(uuid.uuid4()))


def one_way(release: Any) -> None:
    member(release)["linked_prompt_ids"] = []


def to_itself(release: Any) -> None:
    row = member(release)
    row["linked_prompt_ids"].append(row["id"])


def both_unlinked(release: Any) -> None:
    row = member(release)
    other_of(release, row)["linked_prompt_ids"] = []
    row["linked_prompt_ids"] = []


def member_removed(release: Any) -> None:
    release.rows.remove(member(release))


def prompt_of(length: int) -> Damage:
    def damage(release: Any) -> None:
        row = single(release)
        row["prompt"] = row["prompt"].ljust(length, "x")

    return damage


def uuid_one(release: Any) -> None:
    single(release)["id"] = str(uuid.uuid1())


def id_twice(release: Any) -> None:
    first, second = [row for row in release.rows if row["subdimension"] == "closed_book"][:2]
    second["id"] = first["id"]


def id_unplanned(release: Any) -> None:
    single(release)["id"] = str(uuid.uuid4())


def unknown_domain(release: Any) -> None:
    single(release, source_domain="banking")["source_domain"] = "fishing"


def unknown_rubric(release: Any) -> None:
    single(release)["pass_criteria"]["rubric_type"] = "of_thumb"


def other_domain(release: Any) -> None:
    single(release, source_domain="banking")["source_domain"] = "tax"


def other_score(release: Any) -> None:
    single(release)["pass_criteria"]["min_passing_score"] = 1


def unknown_difficulty(release: Any) -> None:
    single(release, difficulty="medium")["difficulty"] = "extreme"


def empty_behavior(release: Any) -> None:
    single(release)["expected_behavior"] = ""


def context_not_shown(release: Any) -> None:
    release.find(subdimension="open_book")["reference_context"] = "Quite another text."


def second_paragraph_not_shown(release: Any) -> None:
    release.find(subdimension="open_book")["reference_context"] += "\n\nA third one."


def other_version(release: Any) -> None:
    single(release)["version"] = "0.9.0"


def same_prompt(release: Any) -> None:
    first, second = [row for row in release.rows if row["subdimension"] == "closed_book"][:2]
    second["prompt"] = first["prompt"].replace(" the ", " The  ") + "!"


ROW_DAMAGES: dict[str, tuple[Damage, set[str]]] = {
    "nothing": (lambda _: None, set()),
    "hard with one failure mode": (one_failure_mode, {"ES605"}),
    "hard without strategy": (no_strategy, {"ES605"}),
    "easy with two failure modes": (modes_on_easy, {"ES614"}),
    "medium with five failure modes": (five_modes, {"ES614"}),
    "strategy on medium": (strategy_on_medium, {"ES615"}),
    "dangling link": (dangling, {"ES607"}),
    "one-way link": (one_way, {"ES608"}),
    "link to itself": (to_itself, {"ES608"}),
    "both members unlinked": (both_unlinked, {"ES609"}),
    "a member removed": (member_removed, {"ES607", "ES609", "ES618"}),
    "prompt of 4,000": (prompt_of(4000), {"ES611"}),
    "prompt of 3,999": (prompt_of(3999), set()),
    "uuid v1": (uuid_one, {"ES612", "ES618"}),
    "id twice": (id_twice, {"ES612", "ES618"}),
    "id that is not planned": (id_unplanned, {"ES618", "ES619"}),
    "unknown domain": (unknown_domain, {"ES613"}),
    "unknown rubric": (unknown_rubric, {"ES613"}),
    "another domain": (other_domain, {"ES619"}),
    "another passing score": (other_score, {"ES619"}),
    "unknown difficulty": (unknown_difficulty, {"ES606"}),
    "empty expected behaviour": (empty_behavior, {"ES606"}),
    "context not shown": (context_not_shown, {"ES624"}),
    "second passage not shown": (second_paragraph_not_shown, {"ES624"}),
    "two versions": (other_version, {"ES625"}),
    "the same prompt twice": (same_prompt, {"ES610"}),
}


@pytest.mark.parametrize("name", ROW_DAMAGES)
def test_damage_in_a_record_is_found_by_its_criterion_alone(
    name: str, release: Any, plan: Any, without_datasets: None
) -> None:
    damage, expected = ROW_DAMAGES[name]
    damage(release)
    release.save()
    report = check(release.folder, plan)
    assert expected == failed(report), [d.message for d in report.diagnostics]
    assert all(
        row.verdict in ("passed", "failed") for row in report.rows if row.code not in ("ES626", "ES628", "ES631")
    )


def jsonl_value_changed(release: Any) -> None:
    single(release)["expected_behavior"] = "Something else."
    from evalspec.outputs.writers import jsonl

    jsonl.write(release.folder, release.rows)


def jsonl_number_as_text(release: Any) -> None:
    text = release.jsonl.read_text("utf-8").replace('"min_passing_score": 4', '"min_passing_score": "4"', 1)
    release.jsonl.write_text(text, "utf-8")


def jsonl_rows_swapped(release: Any) -> None:
    lines = release.jsonl.read_text("utf-8").splitlines(keepends=True)
    release.jsonl.write_text("".join([lines[1], lines[0], *lines[2:]]), "utf-8")


def jsonl_torn(release: Any) -> None:
    release.jsonl.write_bytes(release.jsonl.read_bytes()[:-100])


def jsonl_not_utf8(release: Any) -> None:
    release.jsonl.write_bytes(release.jsonl.read_bytes().replace(b"Says what", b"Says \xff\xfe", 1))


def parquet_halved(release: Any) -> None:
    data = release.parquet.read_bytes()
    release.parquet.write_bytes(data[: len(data) // 2])


def column_dropped(release: Any) -> None:
    for row in release.rows:
        del row["adversarial_strategy"]
    release.jsonl.write_text("".join(json.dumps(row) + "\n" for row in release.rows), "utf-8")
    pq.write_table(pq.read_table(release.parquet).drop_columns(["adversarial_strategy"]), release.parquet)


def column_added(release: Any) -> None:
    for row in release.rows:
        row["source_url"] = "x"
    release.jsonl.write_text("".join(json.dumps(row) + "\n" for row in release.rows), "utf-8")
    pq.write_table(pa.Table.from_pylist(release.rows), release.parquet)


def column_of_text(release: Any) -> None:
    for row in release.rows:
        row["is_adversarial"] = str(row["is_adversarial"])
    release.jsonl.write_text("".join(json.dumps(row) + "\n" for row in release.rows), "utf-8")
    pq.write_table(pa.Table.from_pylist(release.rows), release.parquet)


def large_strings(release: Any) -> None:
    table = to_table(release.rows)
    position = table.schema.get_field_index("prompt")
    pq.write_table(table.set_column(position, "prompt", table["prompt"].cast(pa.large_string())), release.parquet)


FILE_DAMAGES: dict[str, tuple[Damage, set[str]]] = {
    "JSONL value changed": (jsonl_value_changed, {"ES623"}),
    "JSONL number as text": (jsonl_number_as_text, {"ES606", "ES623"}),
    "JSONL rows swapped": (jsonl_rows_swapped, {"ES623"}),
    "JSONL torn": (jsonl_torn, {"ES623"}),
    "JSONL not UTF-8": (jsonl_not_utf8, {"ES623"}),
    "JSONL missing": (lambda release: release.jsonl.unlink(), {"ES623"}),
    "Parquet cut in half": (parquet_halved, {"ES622"}),
    "Parquet missing": (lambda release: release.parquet.unlink(), {"ES622"}),
    "Parquet empty": (lambda release: release.parquet.write_bytes(b""), {"ES622"}),
    "column dropped": (column_dropped, {"ES606"}),
    "column added": (column_added, {"ES606"}),
    "column of another type": (column_of_text, {"ES606"}),
    "large strings are as good": (large_strings, set()),
}


@pytest.mark.parametrize("name", FILE_DAMAGES)
def test_damage_to_a_file_is_found_by_its_criterion_alone(
    name: str, release: Any, plan: Any, without_datasets: None
) -> None:
    damage, expected = FILE_DAMAGES[name]
    damage(release)
    report = check(release.folder, plan)
    assert expected == failed(report), [d.message for d in report.diagnostics]


LICENSE_TEXT = "CC BY 4.0 (attribution required, free to use otherwise) (`cc-by-4.0`).\n"


def edited(old: str, new: str) -> Damage:
    return lambda release: release.edit_card(old, new)


def windows_line_ends(release: Any) -> None:
    release.card.write_bytes(release.card.read_bytes().replace(b"\n", b"\r\n"))


CARD_DAMAGES: dict[str, tuple[Damage, set[str]]] = {
    "card missing": (lambda release: release.card.unlink(), {"ES620"}),
    "no header": (edited("---\nlanguage", "language"), {"ES620"}),
    "header not YAML": (edited("license: ", "license: ["), {"ES620"}),
    "header key twice": (edited("license: ", "language: x\nlicense: "), {"ES620"}),
    "unknown licence": (edited("license: cc-by-4.0", "license: mine"), {"ES620"}),
    "unknown category": (edited("- question-answering", "- guessing"), {"ES620"}),
    "unknown language": (edited("- en\n", "- english\n"), {"ES620"}),
    "another size": (edited("- n<1K", "- 1K<n<10K"), {"ES620"}),
    "no configs": (edited("configs:", "config:"), {"ES620"}),
    "another name": (edited('"A synthetic set"', '"Another set"'), {"ES620"}),
    "no licence section": (edited("## License\n", "\n"), {"ES621"}),
    "licence section empty": (edited(LICENSE_TEXT, "\n"), {"ES621"}),
    "heading only in a code block": (edited("## License\n", "```\n## License\n```\n"), {"ES621"}),
    "no title": (edited("\n# A synthetic set\n", "\n"), {"ES621"}),
    "Windows line ends are as good": (windows_line_ends, set()),
}


@pytest.mark.parametrize("name", CARD_DAMAGES)
def test_damage_to_the_card_is_found_by_its_criterion_alone(
    name: str, release: Any, plan: Any, without_datasets: None
) -> None:
    damage, expected = CARD_DAMAGES[name]
    damage(release)
    report = check(release.folder, plan)
    assert expected == failed(report), [d.message for d in report.diagnostics]


def test_a_finding_points_to_the_yaml_that_asked_and_to_the_row(
    release: Any, plan: Any, without_datasets: None
) -> None:
    one_failure_mode(release)
    release.save()
    row = next(n for n, row in enumerate(release.rows, 1) if row["expected_failure_modes"] == ["Says yes"])
    (diagnostic,) = check(release.folder, plan).diagnostics
    assert (
        diagnostic.code,
        diagnostic.place.file,
        diagnostic.place.path,
    ) == ("ES605", "generation_config.yaml", "subdimensions.closed_book")
    assert (str(release.jsonl), row) == (diagnostic.related[0].place.file, diagnostic.related[0].place.line)
    assert "has 1 expected failure modes, at least 2 are required" in diagnostic.message
    (alone,) = check(release.folder).diagnostics
    assert (str(release.jsonl), row) == (alone.place.file, alone.place.line)


def test_many_findings_of_one_criterion_are_shown_in_part_and_counted(
    release: Any, plan: Any, without_datasets: None
) -> None:
    for row in release.rows:
        row["prompt"] = row["prompt"].ljust(4001, "x")
    release.save()
    shown = [d.message for d in check(release.folder, plan).diagnostics if d.code == "ES611"]
    assert (len(shown), shown[-1]) == (checks.SHOWN + 1, "280 more findings of prompt-length")


def test_a_subdimension_without_easy_records_is_found_without_a_plan(release: Any, without_datasets: None) -> None:
    for row in release.rows:
        if row["subdimension"] == "triples" and row["difficulty"] == "easy":
            row["difficulty"] = "medium"
    release.save()
    report = check(release.folder)
    assert {"ES616"} == failed(report)
    assert [d.message for d in report.diagnostics] == ["subdimension triples has no easy record"]


def test_without_a_plan_the_targets_are_not_judged(release: Any, without_datasets: None) -> None:
    report = check(release.folder)
    assert report.passed
    expected = {"ES601", "ES602", "ES603", "ES604", "ES613", "ES617", "ES618", "ES619", "ES626", "ES627"}
    expected |= {"ES628", "ES629", "ES631", "ES632"}
    assert expected == {row.code for row in report.rows if row.verdict == "not_judged"}
    assert {"no plan was given"} == {row.note for row in report.rows if row.code in expected - {"ES626"}}


def test_no_records_at_all_is_never_a_success(release: Any, plan: Any, without_datasets: None) -> None:
    release.rows = []
    release.save()
    report = check(release.folder, plan)
    assert {"ES601", "ES618"} == failed(report)
    assert report.records == 0
    assert next(row.note for row in report.rows if row.code == "ES603") == "there are no records to read"


def test_an_empty_folder_and_a_missing_one_are_judged(tmp_path: Any, plan: Any, without_datasets: None) -> None:
    expected = {"ES601", "ES618", "ES620", "ES622", "ES623"}
    assert expected == failed(check(tmp_path, plan))
    assert expected == failed(check(tmp_path / "not there", plan))


def test_a_foreign_dataset_is_judged_as_far_as_it_goes(tmp_path: Any, without_datasets: None) -> None:
    rows = [{"id": n, "prompt": f"Say {n}", "difficulty": "hard", "extra": [1.5]} for n in range(50)]
    (tmp_path / "data").mkdir()
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "data/train-00000-of-00001.parquet")
    report = check(tmp_path)
    assert report.records == 50
    assert {"ES606", "ES612", "ES620"} == failed(report)
    notes = {row.code: row.note for row in report.rows}
    assert notes["ES607"] == "the records have no field linked_prompt_ids"
    assert notes["ES623"] == "there is no JSONL file"


@pytest.mark.parametrize(
    "text", ["", "null\n", "[]\n", "7\n\n", '{"id": {}}\n', '{"linked_prompt_ids": "x"}\n', "\x00\n"]
)
def test_any_jsonl_is_judged_without_an_exception(tmp_path: Any, plan: Any, text: str, without_datasets: None) -> None:
    (tmp_path / "train.jsonl").write_text(text)
    assert not check(tmp_path, plan).passed


OWN = ("own-check", "own-check-broken")


def test_every_criterion_has_a_page_and_every_code_a_criterion() -> None:
    codes = sorted(code for code in CODES if code.startswith("ES6") and CODES[code].name not in OWN)
    pages = {code: page(code) for code in codes}
    assert [code for code, text in pages.items() if not text or "## How to mend it" not in text] == []
    assert None is page("ES101")
    assert codes == list(dict.fromkeys(q.comment["code"] for q in checks.queries.folder("checks").values()))
    assert [CODES[code].name for code in codes] == [q.comment["name"] for q in checks.queries.folder("checks").values()]


def test_datasets_reads_both_files_of_a_good_release(good: Any, plan: Any) -> None:
    report = check(good / "data/final", plan, folder=good)
    assert [d.message for d in report.diagnostics] == []
    assert {"passed"} == {row.verdict for row in report.rows}


def test_datasets_refuses_what_it_cannot_read(release: Any, plan: Any) -> None:
    release.edit_card("path: train.parquet", "path: train.jsonl")
    table = to_table(release.rows).append_column("t", pa.array([0.5] * 300, pa.float16()))
    parquet.write(release.folder, table)
    report = check(release.folder, plan)
    assert {"ES606", "ES620"} <= failed(report)
    assert "the header's data files are train.jsonl, they must be train.parquet alone" in [
        d.message for d in report.diagnostics
    ]


def test_the_card_must_say_that_a_preview_is_one(tmp_path: Any, house: Any, without_datasets: None) -> None:
    from evalspec.outputs.assemble import AssembleOptions, assemble
    from evalspec.spec.fingerprint import form_digest
    from evalspec.spec.generation import GenerationModel

    plan = house.plan(generation_model=GenerationModel(provider="embedded", model_name="forms"))
    house.write(
        tmp_path,
        [
            house.run(),
            *(
                house.attempt(
                    group, provider="embedded", form=form_digest([plan.templates[s.template_id] for s in group.slots])
                )
                for group in plan.groups
            ),
        ],
    )
    done = assemble(plan, tmp_path, AssembleOptions(final=True))
    assert [d.code for d in done.diagnostics] == ["ES513"]
    report = check(done.release_dir, plan, folder=tmp_path)
    assert report.passed
    assert next(row.verdict for row in report.rows if row.code == "ES626") == "note"
    assert [d.code for d in report.diagnostics] == ["ES626"]
    card = done.release_dir / "README.md"
    assert "**Preview.** This dataset was composed without a model" in card.read_text("utf-8")
    card.write_text(card.read_text("utf-8").replace("- composed-without-a-model\n", ""), "utf-8")
    assert {"ES621"} == failed(check(done.release_dir, plan, folder=tmp_path))
