"""Filings: found by the full-text search, read from the archive, never faster than the SEC allows."""

import json
from typing import Any

import pytest

from evalspec.runtime.sources.edgar import archive
from evalspec.spec.config import Api

CONTACT = "tests@evalspec.example"


def hit(number: int, name: str) -> dict[str, Any]:
    accession = f"0000000000-26-{number:06}"
    return {"_id": f"{accession}:{name}", "_source": {"ciks": ["0000000042"], "form": "10-K", "adsh": accession}}


def address(number: int, name: str) -> str:
    return f"/Archives/edgar/data/42/000000000026{number:06}/{name}"


@pytest.fixture
def filings(web: Any, page: Any, article: Any) -> Any:
    """A search that finds filings by query, three a page of results, and refuses whoever does not say who they are."""
    found: dict[str, list[str]] = {}

    def search(query: dict[str, str]) -> Any:
        names = found.get(query["q"], [])
        start = int(query["from"])
        hits = [hit(number, name) for number, name in list(enumerate(names))[start : start + 3]]
        return page(json.dumps({"hits": {"total": {"value": len(names)}, "hits": hits}}), kind="application/json")

    def put(query: str, *names: str) -> None:
        found[query] = list(names)
        for number, name in enumerate(names):
            web.pages[address(number, name)] = article(f"Filing {name}")

    web.pages["/search"] = search
    return put


@pytest.fixture
def contact(read: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("EVALSPEC_CONTACT", CONTACT)
    return CONTACT


def edgar(sources: Any, web: Any, **more: Any) -> Any:
    return sources(apis={"sec_edgar": Api(base_url=f"{web.url}/search", domains=("banking",), **more)})


def test_filings_that_are_found_are_documents(filings: Any, web: Any, sources: Any, read: Any, contact: str) -> None:
    filings("deposit insurance", "a.htm", "b.htm", "c.htm", "d.htm", "e.pdf", "f.xml")
    found = read(edgar(sources, web, queries=("deposit insurance",)))
    assert found.names == [web.url + address(n, f"{name}.htm") for n, name in enumerate("abcd")]
    assert {(item.origin, item.domains) for item in found.documents} == {("sec_edgar", ("banking",))}
    assert [contact in hit.headers["user-agent"] for hit in web.hits] == [True] * len(web.hits)


def test_without_a_contact_nothing_is_asked(filings: Any, web: Any, sources: Any, read: Any) -> None:
    found = read(edgar(sources, web, queries=("deposit",)))
    assert (list(found.skipped), "EVALSPEC_CONTACT" in found.skipped["sec_edgar"], web.hits) == (
        ["sec_edgar"],
        True,
        [],
    )


def test_what_is_kept_is_used_without_a_contact(
    filings: Any, web: Any, sources: Any, read: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    filings("deposit", "a.htm", "b.htm")
    config = edgar(sources, web, queries=("deposit",))
    monkeypatch.setenv("EVALSPEC_CONTACT", CONTACT)
    first = read(config)
    monkeypatch.delenv("EVALSPEC_CONTACT")
    hits = len(web.hits)
    again = read(config)
    assert (again, len(first.documents), len(web.hits)) == (first, 2, hits)
    more = read(edgar(sources, web, queries=("deposit", "loans")))
    assert (more.names, list(more.skipped), len(web.hits)) == (first.names, ["sec_edgar"], hits)


def test_what_is_kept_is_used_where_it_was_to_be_fetched_anew_without_a_contact(
    filings: Any, web: Any, sources: Any, read: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    filings("deposit", "a.htm")
    config = edgar(sources, web, queries=("deposit",))
    monkeypatch.setenv("EVALSPEC_CONTACT", CONTACT)
    first = read(config)
    monkeypatch.delenv("EVALSPEC_CONTACT")
    assert read(config, anew=True).names == first.names


@pytest.mark.parametrize(
    ("told", "title"),
    [
        (
            {"display_names": ["PRAIRIE TRUST CO  (PTC, PTC-PA)  (CIK 0000000042)"], "period_ending": "2030-05-31"},
            "PRAIRIE TRUST CO, Form 10-K, 2030-05-31",
        ),
        ({"display_names": ["Prairie (Holdings) Ltd (CIK 42)"]}, "Prairie (Holdings) Ltd, Form 10-K"),
        ({"display_names": []}, "Filing a.htm"),
        ({}, "Filing a.htm"),
    ],
)
def test_a_filing_is_called_as_edgar_tells_it(
    filings: Any, web: Any, page: Any, sources: Any, read: Any, contact: str, told: dict[str, Any], title: str
) -> None:
    filings("deposit", "a.htm")
    found = hit(0, "a.htm")
    found["_source"] |= told
    web.pages["/search"] = page(json.dumps({"hits": {"hits": [found]}}), kind="application/json")
    config = edgar(sources, web, queries=("deposit",))
    assert [read(config).documents[0].title for _ in range(2)] == [title, title]


def test_the_contact_may_stand_in_the_env_file_beside_the_plan(
    filings: Any, web: Any, sources: Any, read: Any, tmp_path: Any
) -> None:
    (tmp_path / ".env").write_text(f"EVALSPEC_CONTACT={CONTACT}\n")
    filings("deposit", "a.htm")
    assert len(read(edgar(sources, web, queries=("deposit",))).documents) == 1


def test_no_more_than_ten_requests_a_second_are_sent(
    filings: Any, web: Any, sources: Any, read: Any, contact: str
) -> None:
    filings("deposit", *(f"{n}.htm" for n in range(12)))
    assert len(read(edgar(sources, web, queries=("deposit",))).documents) == 12
    times = [hit.began for hit in web.hits]
    assert max(sum(at <= other < at + 1.0 for other in times) for at in times) <= 10


def test_the_number_of_documents_is_shared_between_queries(
    filings: Any, web: Any, sources: Any, read: Any, contact: str
) -> None:
    filings("one", "a.htm", "b.htm", "c.htm")
    filings("two", "d.htm", "e.htm", "f.htm")
    found = read(edgar(sources, web, queries=("one", "two"), max_documents=3))
    assert [name.rpartition("/")[2] for name in found.names] == ["a.htm", "d.htm", "b.htm"]


def test_without_queries_the_domains_are_searched_for(
    filings: Any, web: Any, sources: Any, read: Any, contact: str
) -> None:
    filings("banking", "a.htm")
    assert len(read(edgar(sources, web)).documents) == 1


def test_a_second_reading_asks_nothing(filings: Any, web: Any, sources: Any, read: Any, contact: str) -> None:
    filings("deposit", "a.htm", "b.htm")
    config = edgar(sources, web, queries=("deposit",))
    first = read(config)
    hits = len(web.hits)
    assert ([read(config), read(config, scrape=False)], len(web.hits)) == ([first, first], hits)


@pytest.mark.parametrize(
    ("body", "status", "reason"),
    [
        (
            "<h1>Your request originates from an undeclared automated tool</h1>",
            403,
            "the search failed: it answers 403",
        ),
        ("<h1>Request Rate Threshold Exceeded</h1>", 200, "the search answers what is no list of filings"),
        ('{"hits": []}', 200, "the search answers what is no list of filings"),
        ('{"hits": {"hits": [{"_id": 3}]}}', 200, "the search answers what is no list of filings"),
    ],
)
def test_a_search_that_gives_no_list_is_named(
    web: Any, page: Any, sources: Any, read: Any, contact: str, body: str, status: int, reason: str
) -> None:
    web.pages["/search"] = page(body, status)
    assert read(edgar(sources, web, queries=("deposit",))).skipped == {"sec_edgar: deposit": reason}


def test_a_name_that_leads_out_of_the_archive_is_not_followed(
    filings: Any, web: Any, sources: Any, read: Any, contact: str
) -> None:
    filings("deposit", "../../../private/secret.htm", "a.htm")
    found = read(edgar(sources, web, queries=("deposit",)))
    assert (len(found.documents), [path for path in web.paths() if "secret" in path]) == (1, [])


def test_the_documents_of_the_sec_lie_on_its_archive() -> None:
    assert archive("https://efts.sec.gov/LATEST/search-index") == "https://www.sec.gov/Archives/edgar/data"
    assert archive("http://127.0.0.1:81/LATEST/x") == "http://127.0.0.1:81/Archives/edgar/data"
