"""The schema comes from the model, whatever the data; both files read alike."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from evalspec.outputs.checks import check
from evalspec.outputs.loading import Job, load
from evalspec.outputs.records import FIELDS, arrow_schema, to_table
from evalspec.outputs.writers import jsonl, parquet
from evalspec.spec.record import Record


def test_the_arrow_schema_has_the_fields_of_the_model_in_order() -> None:
    assert tuple(Record.model_fields) == FIELDS == tuple(arrow_schema().names)
    rubric = arrow_schema().field("pass_criteria").type
    assert (pa.int64(), pa.list_(pa.string())) == (
        rubric.field("min_passing_score").type,
        rubric.field("hard_fail_conditions").type,
    )


def test_the_schema_in_the_file_is_the_declared_one(good: Path) -> None:
    assert pq.read_schema(good / "data/final/train.parquet").equals(arrow_schema())


def test_a_table_has_the_same_bytes_whatever_it_is_made_of(tmp_path: Path, release: Any) -> None:
    table = to_table([row | {"prompt": f"{at} {row['prompt']}"} for at in range(180) for row in release.rows])
    whole = parquet.write(tmp_path, table).read_bytes()
    with parquet.opened(tmp_path, table.schema) as add:
        for start in range(0, len(table), 7001):
            add(table.slice(start, 7001))
    file = pq.ParquetFile(tmp_path / parquet.NAME)
    assert [file.metadata.row_group(at).num_rows for at in range(2)] == [50_000, len(table) - 50_000]
    assert (tmp_path / parquet.NAME).read_bytes() == whole
    pq.write_table(table, tmp_path / "plain", compression="zstd", version="2.6", row_group_size=50_000)
    assert (tmp_path / "plain").read_bytes() == whole


def test_columns_that_are_empty_for_a_thousand_rows_keep_their_type(tmp_path: Path, release: Any) -> None:
    """The JSONL alone has no type for them: it reads the same where the features are given, as the card shows."""
    empty = {
        "reference_context": None,
        "adversarial_strategy": None,
        "expected_failure_modes": [],
        "linked_prompt_ids": [],
    }
    row = release.rows[0] | empty | {"prompt": "x" * 3000}
    filled = row | {"reference_context": "x", "expected_failure_modes": ["a"], "adversarial_strategy": "near_miss"}
    for name, rows in (("empty", [row] * 50), ("late", [row] * 4000 + [filled])):
        folder = tmp_path / name
        folder.mkdir()
        parquet.write(folder, to_table(rows))
        jsonl.write(folder, rows)
        answer = load(Job(str(folder / parquet.NAME), str(folder / jsonl.NAME), None), folder)
        assert (answer.parquet, answer.jsonl) == ("", "")


def test_the_jsonl_has_the_rows_of_the_parquet(good: Path) -> None:
    lines = (good / "data/final/train.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line) for line in lines] == parquet.read(good / "data/final/train.parquet").to_pylist()


def test_a_release_is_read_from_any_path(good: Path, tmp_path: Path, plan: Any) -> None:
    folder = tmp_path / "un été [1] *"
    folder.mkdir()
    for path in (good / "data/final").iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    assert [d.message for d in check(folder, plan, folder=good).diagnostics] == []
