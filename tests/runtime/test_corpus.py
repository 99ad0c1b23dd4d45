"""Folders of files as a source: what is read, what is skipped and why, what is never text."""

from collections.abc import Callable
from pathlib import Path

import pytest

from evalspec.runtime.sources import Document, Skipped
from evalspec.runtime.sources.corpus import CorpusSource
from evalspec.spec.config import CorpusFolder

WORDS = "The bank keeps a register of accounts and looks at every entry once a year. "  # 15 words
LONG = WORDS * 10


def read(root: Path, **entry: tuple[str, ...]) -> tuple[list[Document], dict[str, str]]:
    items = list(CorpusSource(root, CorpusFolder(path="texts", **entry)).documents())
    skipped = {item.name: item.reason for item in items if isinstance(item, Skipped)}
    return [item for item in items if isinstance(item, Document)], skipped


@pytest.fixture
def put(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    def one(name: str, data: str | bytes) -> Path:
        path = tmp_path / "texts" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode("utf-8") if isinstance(data, str) else data)
        return tmp_path

    return one


Put = Callable[[str, str | bytes], Path]


def page(body: str, head: str = "<title>On registers</title>") -> str:
    return f"<!doctype html><html><head>{head}</head><body>{body}</body></html>"


def test_files_come_in_the_order_of_their_names_with_what_the_folder_serves(put: Put) -> None:
    for name in ("b.txt", "a.md", "sub/c.md"):
        root = put(name, LONG)
    documents, skipped = read(root, domains=("banking",), geographies=("canada",))
    assert [item.name for item in documents] == ["texts/a.md", "texts/b.txt", "texts/sub/c.md"]
    assert {(("banking",), ("canada",))} == {(item.domains, item.geographies) for item in documents}
    assert skipped == {}


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# Poisoning in pets\n\n", "Poisoning in pets"),
        ("\ufeff\r\n## Late fees ##\r\n\r\n", "Late fees"),
        ("+++\ntitle = 3\n+++\n# After a faulty front\n\n", "After a faulty front"),
        ("Words first.\n\n# A later heading\n\n", "emergency"),
        ("#hashtag\n\n", "emergency"),
        (f"# {'long ' * 60}\n\n", "emergency"),
    ],
)
def test_a_text_is_titled_by_the_heading_that_it_begins_with_or_by_its_file(put: Put, text: str, title: str) -> None:
    (document,), _ = read(put("emergency.md", text + LONG))
    assert document.title == title


def test_sentences_that_hold_an_address_do_not_become_material(put: Put) -> None:
    root = put("a.txt", LONG + " See https://example.org/rules for more. The rest stays.")
    (document,), _ = read(root)
    assert ("example.org" in document.text, document.text.endswith("The rest stays.")) == (False, True)


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.txt", b"", "it is empty"),
        ("a.txt", b" \n\n ", "it is empty"),
        ("a.txt", b"\x89PNG\x00\x01" + b"x" * 500, "it is binary"),
        ("a.txt", "Les règles ".encode("latin-1") * 100, "it is not UTF-8 and declares no other charset"),
        ("a.txt", "word " * 99, "it has 99 words, and 100 are needed"),
        ("a.md", "# One\n\n## Two\n\n### Three\n", "it holds only headings"),
        ("a.html", page("<script>x</script>"), "it holds no text"),
        ("a.html", page("<h1>404 Not Found</h1><p>" + WORDS * 8), "it is an error page (“404 Not Found”)"),
        ("a.html", page(f"<h1>Access Denied</h1><p>{WORDS * 8}"), "it is an error page (“Access Denied”)"),
        ("a.html", page(f"<p>{WORDS}", "<title>403 Forbidden</title>"), "it is an error page (“403 Forbidden”)"),
        ("a.txt", "Series S00001 Class C00002 Fund 12 of 3,400 " * 30, "it lists names and figures and holds no prose"),
        ("a.html", b'<meta charset="klingon"><p>\xe9\xe8</p>', "it declares the charset klingon, which is not known"),
    ],
)
def test_what_is_no_document_is_skipped_with_its_reason(put: Put, name: str, data: str | bytes, reason: str) -> None:
    assert ([], {f"texts/{name}": reason}) == read(put(name, data))


def test_a_hundred_words_are_enough(put: Put) -> None:
    documents, _ = read(put("a.txt", "word " * 100))
    assert [len(item.text.split()) for item in documents] == [100]


def test_a_file_that_is_too_large_is_not_read(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    root = put("a.txt", LONG)
    monkeypatch.setattr("evalspec.runtime.sources.corpus.MAX_BYTES", 100)
    monkeypatch.setattr(Path, "read_bytes", lambda _self: pytest.fail("it was read"))
    assert read(root) == ([], {"texts/a.txt": "it is larger than 0 MB"})


def test_other_types_and_missing_folders_are_said_once(put: Put, tmp_path: Path) -> None:
    root = put("a.txt", LONG)
    for n in range(3):
        put(f"{n}.pdf", b"%PDF")
    documents, skipped = read(root)
    assert (len(documents), skipped) == (1, {"texts": "3 files of type .pdf not read (only .txt, .md and .html are)"})
    items = list(CorpusSource(tmp_path, CorpusFolder(path="nowhere")).documents())
    assert [Skipped("nowhere", "there is no such folder")] == items


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-8"])
def test_a_page_is_decoded_by_the_charset_that_it_declares(put: Put, encoding: str) -> None:
    text = "Les règles sur les dépôts sont établies par la société une fois par année civile. " * 12
    source = page(f"<h1>Dépôts</h1><p>{text}</p>", f'<meta charset="{encoding}"><title>Dépôts</title>')
    documents, skipped = read(put("a.html", source.encode(encoding)))
    assert (skipped, documents[0].title) == ({}, "Dépôts")
    assert "Les règles sur les dépôts sont établies" in documents[0].text


def test_navigation_cookie_banner_and_footer_never_reach_a_document(put: Put) -> None:
    furniture = f"""
    <nav><ul><li><a href=/>NAVLINK savings and accounts</a></li></ul></nav>
    <div class="site-header menu"><p>MENUTEXT {WORDS}</p></div>
    <div id="cookie-banner" role="dialog"><p>COOKIETEXT {WORDS * 3}</p></div>
    <div class="onetrust consent"><p>CONSENTTEXT {WORDS}</p></div>
    <div style="display: none"><p>HIDDENTEXT {WORDS}</p></div>"""
    end = f"""
    <p>We use cookies to improve PLAINCOOKIE. Accept all cookies.</p>
    <aside><p>ASIDETEXT {WORDS}</p></aside>
    <div class="breadcrumb">Home &gt; BREADCRUMB</div>
    <footer><p>FOOTERTEXT {WORDS * 2}</p><p>© 2024 Bank. All rights reserved.</p></footer>"""
    main = f"<main><h1>Registers</h1><p>{LONG}</p><h2>More</h2><p>{WORDS}</p></main>"
    documents, _ = read(put("a.html", page(furniture + main + end)))
    text = documents[0].text
    assert text.startswith("# Registers")
    assert "## More" in text
    bad = ("NAVLINK", "MENUTEXT", "COOKIETEXT", "CONSENTTEXT", "HIDDENTEXT", "PLAINCOOKIE", "ASIDETEXT", "BREADCRUMB")
    assert [word for word in (*bad, "FOOTERTEXT", "All rights reserved") if word in text] == []


def test_a_page_is_taken_apart_once(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    root = put("a.html", page(f"<h1>Registers</h1><p>{LONG}</p>"))
    first, _ = read(root)
    cached = list((root / "data" / "raw").glob("*.txt"))
    assert len(cached) == 1
    monkeypatch.setattr("evalspec.runtime.sources.markup.page_text", lambda _source: pytest.fail("taken apart again"))
    assert first == read(root)[0]
    monkeypatch.undo()
    put("a.html", page(f"<h1>Changed</h1><p>{LONG}</p>"))
    assert [item.title for item in read(root)[0]] == ["Changed"]


@pytest.mark.parametrize(
    ("front", "reason"),
    [
        ("title = ", "front matter is not TOML"),
        ('title = "T"\nnobody = 1', "nobody: Extra inputs are not permitted"),
        ("facts = 3", "title: Field required"),
    ],
)
def test_a_passage_with_broken_front_matter_is_used_for_its_text(put: Put, front: str, reason: str) -> None:
    documents, skipped = read(put("a.md", f"+++\n{front}\n+++\n{LONG}"))
    assert [(LONG.strip(), "a", ())] == [(item.text, item.title, item.facts) for item in documents]
    assert reason in skipped["texts/a.md"]


def test_a_fact_that_its_text_does_not_bear_out_is_dropped_alone(put: Put, passage_of: Callable[..., str]) -> None:
    source = passage_of("parking", "banking")
    at = source.index("+++\n", 4)
    broken = source[:at] + source[at:].replace("Rule 2 of parking", "Law 2 of parking")
    documents, skipped = read(put("a.md", broken))
    assert [fact.id for fact in documents[0].facts] == ["fact-1", "fact-3", "fact-4", "fact-5"]
    assert skipped["texts/a.md"] == "fact fact-2: its statement does not stand verbatim in the text"


@pytest.mark.parametrize(
    "data",
    [
        b"<" * 5000,
        b"<div>" * 20_000 + b"deep",
        b"<html>\x00</html>",
        b"\xff\xfe\x00",
        b"<!DOCTYPE x [<!ENTITY a 'b'>]>",
        b"<?xml",
    ],
)
def test_no_page_makes_reading_fail(put: Put, data: bytes) -> None:
    documents, skipped = read(put("a.html", data))
    assert (documents, list(skipped)) == ([], ["texts/a.html"])


def test_a_file_whose_name_is_not_utf8_is_read_under_a_name_that_is(put: Put) -> None:
    import os

    root = put("a.txt", LONG)
    (root / "texts" / "a.txt").rename(root / "texts" / os.fsdecode(b"r\xe9gles.txt"))
    documents, _ = read(root)
    assert [(item.name, item.title) for item in documents] == [("texts/r?gles.txt", "r?gles")]


def test_a_cache_that_cannot_be_written_costs_no_document(put: Put) -> None:
    root = put("a.html", page(f"<h1>Registers</h1><p>{LONG}</p>"))
    (root / "data").write_text("a file where the folder should be")
    documents, skipped = read(root)
    assert ([item.title for item in documents], skipped) == (["Registers"], {})
