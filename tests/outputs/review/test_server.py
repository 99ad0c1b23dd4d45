"""The pages by HTTP: what is shown, how it is escaped, and who may change anything."""

import json
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from evalspec.outputs.records import to_table
from evalspec.outputs.review import decisions
from evalspec.outputs.writers import parquet
from evalspec.spec import journal
from evalspec.spec.plan import Plan

HOSTILE = '<script>document.title = "owned"</script><img src=x onerror=alert(1)>"\'&{{ 7 * 7 }}'


def _rows(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "data/final/train.jsonl").read_text("utf-8").splitlines()]


def _damage(folder: Path, **changes: Any) -> None:
    parquet.write(folder / "data/final", to_table([{**row, **changes} for row in _rows(folder)]))


def test_the_first_page_shows_the_first_group_of_the_plan(reviewer: Any, plan: Plan) -> None:
    page = reviewer.get().text
    assert f"<h2>{plan.groups[0].group_id} " in page
    assert f"{plan.allocation.total} records in {len(plan.groups)} groups" in page


def test_linked_records_stand_side_by_side(reviewer: Any, plan: Plan) -> None:
    group = next(group for group in plan.groups if len(group.slots) == 3)
    page = reviewer.get(f"/?group={group.group_id}").text
    assert (page.count("<article>"), 'class="members n3"' in page) == (3, True)
    assert [page.count(slot.record_id) for slot in group.slots] == [1, 1, 1]


def test_the_reply_and_the_chunk_behind_a_record_are_shown(reviewer: Any) -> None:
    page = reviewer.get().text
    assert "custom model-x, attempt 1" in page
    assert "A source text with &lt;b&gt;markup&lt;/b&gt;." in page


@pytest.mark.parametrize(
    ("axis", "field"),
    [
        ("dimension", "dimension"),
        ("subdimension", "subdimension"),
        ("domain", "source_domain"),
        ("difficulty", "difficulty"),
        ("strategy", "adversarial_strategy"),
        ("geography", "geography"),
        ("template", "prompt_template_id"),
    ],
)
def test_each_axis_filters_as_its_chart_says(reviewer: Any, axis: str, field: str) -> None:
    counts = Counter(row[field] or "(none)" for row in _rows(reviewer.folder))
    first = reviewer.get().text
    for value, records in counts.items():
        assert f"<title>{value}: {records:,} records</title>" in first
        page = reviewer.get("/?" + urlencode({axis: value})).text
        assert f"<span>{records:,} records in " in page
        assert f"<title>{value}: {records:,} records, filtered by; click to take it back</title>" in page


def test_filters_and_words_are_joined(reviewer: Any) -> None:
    rows = _rows(reviewer.folder)
    wanted = [row for row in rows if row["difficulty"] == "hard" and "mortgage" in row["prompt"].lower()]
    page = reviewer.get("/?difficulty=hard&q=MORTGAGE").text
    assert 0 < len(wanted) < len(rows)
    assert f"<span>{len(wanted)} records in " in page
    assert "<mark>mortgage</mark>" in page


def test_a_record_is_found_by_its_id(reviewer: Any, plan: Plan) -> None:
    slot = plan.groups[40].slots[0]
    page = reviewer.get(f"/?q={slot.record_id}").text
    assert f"<h2>{plan.groups[40].group_id} " in page
    assert "<span>1 record in 1 group where" in page


def test_a_page_past_the_last_shows_the_last(reviewer: Any, plan: Plan) -> None:
    page = reviewer.get("/?page=99999").text
    assert f"<span>{-(-len(plan.groups) // 40)} of {-(-len(plan.groups) // 40)}</span>" in page
    assert f"<b>{plan.groups[-1].group_id}</b>" in page


def test_a_search_finds_the_same_after_others(reviewer: Any) -> None:
    rows = _rows(reviewer.folder)
    words = sorted({word for word in rows[0]["prompt"].lower().split() if word.isalpha()})[:12]
    assert len(words) == 12
    for word in [*words, *words]:
        found = sum(word in f"{row['prompt']}\n{row['expected_behavior']}".lower() for row in rows)
        assert f"<span>{found} record" in reviewer.get(f"/?q={word}").text


def test_nothing_found_says_so_and_leads_back(reviewer: Any) -> None:
    page = reviewer.get("/?q=0123456789").text
    assert "<span>0 records in 0 groups where</span>" in page
    assert 'no record is under these filters. <a href="/">Show all</a>' in page


def test_what_cannot_be_decided_has_no_live_buttons(folder: Path, plan: Plan, serve: Any) -> None:
    first = plan.groups[0].slots[0].record_id
    changed = [{**row, "prompt": "Another."} if row["id"] == first else row for row in _rows(folder)]
    parquet.write(folder / "data/final", to_table(changed))
    with serve(folder, plan) as reviewer:
        counts = [reviewer.get(f"/?group={plan.groups[at].group_id}").text.count(" disabled>") for at in (0, 1)]
        assert counts == [4, 0]


def test_every_group_can_be_walked_to(reviewer: Any, plan: Plan) -> None:
    import re

    seen, path = [], "/?dimension=consistency"
    for _ in range(len(plan.groups)):
        page = reviewer.get(path).text
        seen += re.findall(r"<h2>(\S+) ", page)[-1:]
        after = re.search(r'id="after" rel="next" href="([^"]+)"', page)
        if after is None:
            break
        path = after[1].replace("&amp;", "&")
    assert seen == [group.group_id for group in plan.groups if group.slots[0].dimension == "consistency"]


def test_hostile_texts_are_shown_and_not_markup(folder: Path, plan: Plan, serve: Any) -> None:
    criteria = {**_rows(folder)[0]["pass_criteria"], "scoring_notes": HOSTILE, "hard_fail_conditions": [HOSTILE]}
    texts = dict.fromkeys(("prompt", "expected_behavior", "reference_context"), HOSTILE)
    names = dict.fromkeys(("source_domain", "prompt_template_id"), HOSTILE)
    _damage(folder, **texts, **names, expected_failure_modes=[HOSTILE], pass_criteria=criteria)
    with serve(folder, plan) as reviewer:
        for path in ("/", "/?" + urlencode({"q": HOSTILE}), "/?" + urlencode({"group": HOSTILE, "domain": HOSTILE})):
            page = reviewer.get(path).text
            assert (page.count("<script"), page.count("<img")) == (1, 0)
            assert "&lt;script&gt;" in page
            assert "{{ 7 * 7 }}" in page
        marked = reviewer.get("/?" + urlencode({"q": "<script>"})).text
        assert (marked.count("<script"), "<mark>&lt;script&gt;</mark>" in marked) == (1, True)


def test_every_answer_forbids_what_is_not_ours(reviewer: Any) -> None:
    for path in ("/", "/review.css", "/review.js", "/nothing"):
        policy = reviewer.get(path).headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; style-src 'self'; script-src 'self'; ")
        assert "unsafe" not in policy
    page = reviewer.get().text
    assert [word for word in ("http://", "https://", " style=", " onclick=") if word in page] == []


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "evil.example:{port}", ""])
def test_another_host_name_is_refused(reviewer: Any, host: str) -> None:
    name = host.format(port=reviewer.server.server_port)
    assert reviewer.get(Host=name).status == 421
    assert reviewer.ask("POST", "/decide", "", Host=name).status == 421


def test_a_change_needs_the_token_of_the_session(reviewer: Any, plan: Plan) -> None:
    group = plan.groups[0].group_id
    assert reviewer.decide(group, "rejected", token="guess").status == 403
    assert reviewer.ask("POST", "/decide", urlencode({"group": group, "verdict": "rejected"})).status == 403
    form = urlencode({"token": reviewer.token(), "group": group, "verdict": "rejected"})
    assert reviewer.ask("POST", "/decide", form, Origin="http://evil.example").status == 403
    assert reviewer.ask("POST", "/decide", form, Origin="null").status == 403
    assert reviewer.get(f"/decide?{form}").status == 404
    assert not (reviewer.folder / decisions.NAME).exists()


def test_bad_requests_are_refused_and_the_server_goes_on(reviewer: Any, plan: Plan) -> None:
    group = plan.groups[0].group_id
    assert reviewer.decide(group, "perhaps").status == 400
    assert reviewer.decide("no-such-group", "accepted").status == 409
    assert reviewer.ask("POST", "/decide", "x" * 70_000).status == 413
    assert reviewer.ask("PUT", "/").status == 501
    assert reviewer.get("/?" + "&".join(f"a{n}=1" for n in range(99))).status == 400
    assert reviewer.get("/?page=99999&group=%00%ff&q=%27%3B--").status == 200
    assert reviewer.get("/../../etc/passwd").status == 404
    assert not (reviewer.folder / decisions.NAME).exists()


def test_a_verdict_is_written_and_the_next_group_is_shown(reviewer: Any, plan: Plan) -> None:
    first, second = plan.groups[0], plan.groups[1]
    note = 'wrong: "five"\r\n# not <b>'
    done = reviewer.decide(first.group_id, "rejected", note, next=second.group_id, back="difficulty=easy&q=a")
    assert (done.status, done.headers["Location"]) == (303, f"/?difficulty=easy&q=a&group={second.group_id}")
    written = decisions.read(reviewer.folder)[first.group_id]
    assert (written.verdict, written.fingerprint, written.attempt) == ("rejected", first.fingerprint, 1)
    assert written.note == 'wrong: "five"\n# not <b>'
    page = reviewer.get(f"/?group={first.group_id}").text
    assert '<span class="badge rejected">rejected</span></h2>' in page
    assert "wrong: &#34;five&#34;\n# not &lt;b&gt;</textarea>" in page
    assert f"<h2>{first.group_id} " in reviewer.get("/?verdict=rejected").text


def test_a_verdict_can_be_taken_back(reviewer: Any, plan: Plan) -> None:
    group = plan.groups[0].group_id
    assert reviewer.decide(group, "accepted").status == 303
    assert reviewer.decide(group, "none").status == 303
    assert decisions.read(reviewer.folder) == {}
    assert '<span class="badge open">not judged</span></h2>' in reviewer.get(f"/?group={group}").text


def test_verdicts_of_an_earlier_session_are_shown(folder: Path, plan: Plan, serve: Any) -> None:
    with serve(folder, plan) as reviewer:
        reviewer.decide(plan.groups[2].group_id, "accepted")
    with serve(folder, plan) as reviewer:
        assert "1 accepted" in reviewer.get().text


def test_a_release_older_than_its_journal_cannot_be_judged(folder: Path, plan: Plan, serve: Any, house: Any) -> None:
    group = plan.groups[0]
    slot = group.slots[0]
    again = house.attempt(group, {slot.slot_id: house.question(slot, "again")}, attempt=2)
    with (folder / "data/generated" / journal.JOURNAL_NAME).open("ab") as file:
        file.write(journal.encode(again))
    with serve(folder, plan) as reviewer:
        assert "nothing can be decided here" in reviewer.get().text
        assert reviewer.decide(group.group_id, "accepted").status == 409


def test_a_release_without_a_plan_is_read_only(folder: Path, serve: Any) -> None:
    with serve(folder, None) as reviewer:
        page = reviewer.get().text
        assert ("nothing can be decided on it" in page, 'action="/decide"' in page) == (True, False)
        assert page.count("<article>") == 1 + len(_first(folder)["linked_prompt_ids"])


def _first(folder: Path) -> dict[str, Any]:
    return _rows(folder)[0]
