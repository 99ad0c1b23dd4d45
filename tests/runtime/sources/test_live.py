"""Pages of the web as documents: what is text, what is kept, and what a second reading asks for."""

from pathlib import Path
from typing import Any

import pytest

from evalspec.runtime.chunks import chunks_of
from evalspec.runtime.journaling import JournalError
from evalspec.runtime.sources.raw import address_id
from evalspec.spec.config import Api, WebTarget, Wikipedia

FRENCH = (
    "La caisse est tenue de publier la valeur des parts le premier jour de chaque mois, et de conserver un registre.",
    "Le conseil se réunit une fois par an afin de vérifier les comptes que lui présente le directeur de la caisse.",
    "Un membre qui conteste une inscription dispose de trente jours pour écrire au bureau, qui lui répond.",
    "Les frais sont prélevés à la fin du trimestre et ils figurent sur le relevé avec le rendement des placements.",
    "Aucun virement n'est effectué le dimanche, parce que la chambre de compensation est fermée ce jour dans le pays.",
    "Les plaintes sont gardées pendant sept ans avec les lettres qui ont été envoyées et les procès-verbaux.",
)
FRENCH_PAGE = f"<article>{''.join(f'<p>{words}</p>' for words in FRENCH)}</article>"


def words(count: int) -> str:
    """A page of so many words, in sentences that differ."""
    nouns = ["bank", "fund", "trust", "ledger", "office", "member", "broker", "charter", "deposit", "premium"]
    said = [word for n in range(60) for word in f"the {nouns[n % 10]} of year {n} is what it was and".split()]
    return f"<html><body><article><p>{' '.join(said[:count])}</p></article></body></html>"


def test_navigation_banner_and_footer_are_in_no_chunk(web: Any, article: Any, sources: Any, read: Any) -> None:
    web.pages["/a"] = article(menu=("/b", "/c"))
    text = "\n".join(chunk.text for chunk in chunks_of(read(sources("/a")).documents))
    assert "The bank keeps a register" in text
    absent = ("Our menu", "Menu entry", "cookies", "Our footer", "rights reserved", web.url)
    assert [word for word in absent if word in text] == []


@pytest.mark.parametrize(("count", "kept"), [(99, False), (100, True)])
def test_a_page_of_a_hundred_words_is_kept(web: Any, sources: Any, read: Any, count: int, kept: bool) -> None:
    web.pages["/a"] = words(count)
    found = read(sources("/a"))
    reason = None if kept else "it has 99 words, and 100 are needed"
    assert (len(found.documents), found.skipped.get(f"{web.url}/a")) == (int(kept), reason)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (
            "<title>404 Not Found</title><h1>Page not found</h1>" + "<p>Try our home page or the search.</p>" * 20,
            "error",
        ),
        ("<h1>Access denied</h1><p>Your request was blocked by the security rules of this site.</p>", "error"),
        ("<p>Your request originates from an undeclared automated tool.</p>", "error"),
        (FRENCH_PAGE, "it is in French and not in English"),
        ("<h1>One</h1><h2>Two</h2><h2>Three</h2>", "it holds only headings"),
    ],
)
def test_error_pages_headings_and_other_languages_are_skipped_with_a_reason(
    web: Any, sources: Any, read: Any, body: str, reason: str
) -> None:
    web.pages["/a"] = f"<html><body>{body}</body></html>"
    found = read(sources("/a"))
    assert (found.documents, reason in found.skipped[f"{web.url}/a"]) == ([], True)


def test_a_french_page_is_text_for_a_french_dataset(web: Any, sources: Any, read: Any) -> None:
    web.pages["/a"] = f"<html><body>{FRENCH_PAGE}</body></html>"
    assert len(read(sources("/a"), language="fr-CA").documents) == 1


def test_a_latin_1_page_is_read_as_its_header_says(web: Any, page: Any, article: Any, sources: Any, read: Any) -> None:
    text = article("Caisse d'épargne, 5 % of £100")
    web.pages["/a"] = page(text.encode("latin-1"), kind="text/html; charset=ISO-8859-1")
    web.pages["/b"] = page(text.replace("'", "’").encode("cp1252"), kind="text/html; charset=latin1")
    titles = [document.title for document in read(sources("/a", "/b")).documents]
    assert titles == ["Caisse d'épargne, 5 % of £100", "Caisse d’épargne, 5 % of £100"]


def test_plain_text_is_a_document(web: Any, page: Any, article: Any, sources: Any, read: Any) -> None:
    body = "The office publishes the value of the fund on the first day of each month. " * 10
    web.pages["/rules/on-funds.txt"] = page(body, kind="text/plain; charset=utf-8")
    found = read(sources("/rules/on-funds.txt")).documents[0]
    assert (found.title, found.text) == ("on funds", body.strip())


def test_what_is_kept_is_not_asked_for_again(web: Any, page: Any, article: Any, sources: Any, read: Any) -> None:
    web.pages |= {
        "/a": article("A"),
        "/b": page("<h1>no</h1>", 404),
        "/c": words(50),
        "/d": page("x", 200, "image/png"),
    }
    config = sources("/a", "/b", "/c", "/d")
    first = read(config)
    hits = len(web.hits)
    second = read(config)
    assert (second.documents, second.skipped, len(web.hits)) == (first.documents, first.skipped, hits)


def test_what_failed_is_asked_for_again(web: Any, page: Any, article: Any, sources: Any, read: Any) -> None:
    web.pages["/a"] = [page("oh", 500)] * 3 + [article()]
    config = sources("/a")
    assert (len(read(config).documents), len(read(config).documents)) == (0, 1)


def test_without_scraping_only_what_is_kept_is_used(web: Any, article: Any, sources: Any, read: Any) -> None:
    web.pages |= {"/a": article("A"), "/b": article("B")}
    read(sources("/a"))
    hits = len(web.hits)
    found = read(sources("/a", "/b"), scrape=False)
    assert (found.names, found.skipped, len(web.hits)) == ([f"{web.url}/a"], {}, hits)


def test_all_is_fetched_anew_where_that_is_asked_for(web: Any, article: Any, sources: Any, read: Any) -> None:
    web.pages["/a"] = article("Old")
    read(sources("/a"))
    web.pages["/a"] = article("New")
    titles = [read(sources("/a"), anew=anew).documents[0].title for anew in (False, True, False)]
    assert titles == ["Old", "New", "New"]


def test_a_page_serves_what_its_entry_in_the_config_declares(web: Any, article: Any, sources: Any, read: Any) -> None:
    web.pages |= {"/a": article("A"), "/b": article("B")}

    def entry(path: str, domains: tuple[str, ...], geographies: tuple[str, ...]) -> WebTarget:
        return WebTarget(name=path, url=web.url + path, domains=domains, geographies=geographies)

    served = [
        entry("/a", ("banking",), ("canada",)),
        entry("/a", ("banking",), ("usa",)),
        entry("/a", ("insurance",), ("general",)),
        entry("/b", (), ("usa",)),
    ]
    found = {document.name[-1]: document for document in read(sources(*served)).documents}
    assert (found["a"].domains, found["a"].geographies) == (("banking",), ("canada", "usa"))
    assert (found["b"].domains, found["b"].geographies) == ((), ("usa",))


def test_the_pages_of_a_site_are_read_breadth_first_up_to_their_number(
    web: Any, article: Any, sources: Any, read: Any
) -> None:
    web.pages |= {
        "/": article("Start", links=("/a", "/b#part", "/form.pdf", "https://other.example/x"), menu=("/m",)),
        "/a": article("A", links=("/c", "/a", "/")),
        "/b": article("B", links=("/gone", "/gone-too")),
        "/c": article("C"),
        "/m": article("M"),
    }

    def names(pages: int) -> list[str]:
        found = read(sources(WebTarget(name="all", url=f"{web.url}/", max_pages=pages)))
        assert [name for name in found.skipped if "other.example" in name or "pdf" in name] == []
        return [name.rpartition("/")[2] for name in found.names]

    assert [names(1), names(3), names(50)] == [[""], ["", "a", "b"], ["", "a", "b", "m", "c"]]
    found = read(sources(WebTarget(name="all", url=f"{web.url}/", max_pages=50)))
    assert found.skipped == {f"{web.url}/": "2 of the links from there lead to pages that are gone"}


def test_a_source_that_fails_is_named_and_the_others_go_on(
    web: Any, page: Any, article: Any, sources: Any, read: Any
) -> None:
    web.pages |= {"/a": article(), "/w/api.php": page("<h1>Sorry</h1>", 500), "/list": page("no", 403)}
    config = sources(
        "/a",
        wikipedia=Wikipedia(categories=("Category:Banks",), base_url=web.url),
        apis={"sec_edgar": Api(base_url=f"{web.url}/search"), "osfi_guidelines": Api(base_url=f"{web.url}/list")},
    )
    found = read(config)
    assert found.names == [f"{web.url}/a"]
    assert set(found.skipped) == {"Category:Banks", "sec_edgar", f"{web.url}/list"}


def test_a_fault_of_our_own_stops_one_source_only(
    web: Any, article: Any, sources: Any, read: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from evalspec.runtime.sources import osfi

    async def broken(*_: Any) -> Any:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr(osfi, "read_guidance", broken)
    web.pages["/a"] = article()
    found = read(sources("/a", apis={"osfi_guidelines": Api(base_url=f"{web.url}/list")}))
    assert (len(found.documents), found.skipped) == (1, {"osfi_guidelines": "it failed: ZeroDivisionError: by zero"})


def test_the_manifest_says_what_was_had_and_the_text_file_holds_no_address(
    web: Any, page: Any, article: Any, sources: Any, read: Any, manifest: Any, tmp_path: Path
) -> None:
    licence = '<link rel="license" href="https://creativecommons.org/licenses/by/4.0/"><title>'
    web.pages |= {"/a": article().replace("<title>", licence), "/b": page("no", 410)}
    read(sources("/a"))
    read(sources("/b"))
    first, second = manifest()
    assert (first["id"], first["address"], first["status"]) == (address_id(f"{web.url}/a"), f"{web.url}/a", 200)
    assert (first["source"], first["licence"]) == ("web_sources", "https://creativecommons.org/licenses/by/4.0/")
    assert (second["status"], second["skipped"]) == (410, "it answers 410")
    text = (tmp_path / f"data/raw/{first['id']}.txt").read_text("utf-8")
    assert (web.url in text, first["words"]) == (False, len(text.split()))
    names = {path.name for path in (tmp_path / "data/raw").iterdir()}
    assert names == {f"{first['id']}.txt", "manifest.jsonl"}


@pytest.mark.parametrize("damage", [b'{"id": "torn', b"not json\n", b"\xff\xfe\n", b'{"id": "../../etc/passwd"}\n'])
def test_a_damaged_manifest_costs_no_more_than_the_damaged_line(
    web: Any, article: Any, sources: Any, read: Any, tmp_path: Path, damage: bytes
) -> None:
    web.pages |= {"/a": article("A"), "/b": article("B"), "/c": article("C")}
    read(sources("/a"))
    with (tmp_path / "data/raw/manifest.jsonl").open("ab") as file:
        file.write(damage)
    read(sources("/a", "/b"))
    found = read(sources("/a", "/b", "/c"), scrape=False)
    assert (found.names, web.paths()) == ([f"{web.url}/a", f"{web.url}/b"], ["/a", "/b"])


def test_a_text_that_is_gone_from_the_folder_is_fetched_again(
    web: Any, article: Any, sources: Any, read: Any, tmp_path: Path
) -> None:
    web.pages["/a"] = article()
    read(sources("/a"))
    (tmp_path / f"data/raw/{address_id(f'{web.url}/a')}.txt").unlink()
    assert (len(read(sources("/a")).documents), web.paths()) == (1, ["/a", "/a"])


def test_a_folder_that_cannot_be_written_ends_the_reading(
    web: Any, article: Any, sources: Any, read: Any, tmp_path: Path
) -> None:
    (tmp_path / "data").write_text("a file where the folder should be")
    web.pages["/a"] = article()
    with pytest.raises(JournalError) as caught:
        read(sources("/a"))
    assert caught.value.diagnostic.code == "ES510"


def test_documents_come_in_the_order_of_the_config_however_fast_the_sites_are(
    web: Any, page: Any, article: Any, sources: Any, read: Any
) -> None:
    slow, fast = f"{web.url}/slow", f"http://localhost:{web.port}/fast"
    web.pages |= {"/slow": page(article("A"), delay=0.2), "/fast": article("B")}
    assert read(sources(slow, fast, allow_hosts=("127.0.0.1", "localhost"))).names == [slow, fast]


def test_progress_counts_each_page_of_each_source(web: Any, article: Any, sources: Any, read: Any) -> None:
    web.pages |= {"/a": article("A"), "/b": words(20), "/list": article(links=("/a", "/d")), "/d": article("D")}
    config = sources("/a", "/b", apis={"osfi_guidelines": Api(base_url=f"{web.url}/list")})
    events: list[Any] = []
    read(config, report=events.append)
    last = {event.source: event for event in events}
    assert {name: (event.fetched + event.kept, event.skipped, event.done) for name, event in last.items()} == {
        "web_sources": (2, 1, True),
        "osfi_guidelines": (3, 0, True),
    }


@pytest.mark.parametrize(
    ("contact", "shown"),
    [("a@b.example", True), ("https://b.example/me", True), ("nobody", False), ("a@b.example\r\nX-Other: 1", False)],
)
def test_the_contact_stands_in_the_name_we_give_where_it_is_one(
    web: Any, article: Any, sources: Any, read: Any, monkeypatch: pytest.MonkeyPatch, contact: str, shown: bool
) -> None:
    monkeypatch.setenv("EVALSPEC_CONTACT", contact)
    web.pages["/a"] = article()
    read(sources("/a"))
    assert [hit.headers["user-agent"].endswith(f" ({contact})") for hit in web.hits] == [shown, shown]
    assert ["x-other" in hit.headers for hit in web.hits] == [False, False]


def test_a_fill_reads_the_web_first_and_its_journal_holds_no_address(
    web: Any, llm: Any, article: Any, sources: Any, plan_of: Any, run: Any, tmp_path: Path
) -> None:
    web.pages |= {f"/{n}": article(f"Register {n}", links=("/x",)) for n in range(3)}
    plan = plan_of({"CLOSED": 4}, url=llm.url).model_copy(update={"sources": sources("/0", "/1", "/2")})
    events: list[Any] = []
    result = run(plan, tmp_path, events, scrape=True)
    assert (result.filled, [type(event).__name__ for event in events[:1]]) == (4, ["SourceProgress"])
    asked = str(llm.requests)
    kept = "".join(path.read_text("utf-8") for path in (tmp_path / "data/generated").iterdir())
    assert ("The bank keeps a register" in asked, str(web.port) in asked, f":{web.port}" in kept) == (
        True,
        False,
        False,
    )


def test_an_address_in_a_text_or_a_title_does_not_reach_a_chunk(
    web: Any, article: Any, sources: Any, read: Any
) -> None:
    source = article("Registers at www.bank.example", links=("/x",))
    web.pages["/a"] = source.replace("See <a", "Write to help@bank.example or see https://bank.example/help. See <a")
    document = read(sources("/a")).documents[0]
    assert (document.title, "bank.example" in document.text, "See the page" in document.text) == (
        "Registers at",
        False,
        True,
    )
