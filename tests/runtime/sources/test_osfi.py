"""Guidance: a list, and the documents that it names on its own host."""

from typing import Any

from evalspec.spec.config import Api


def guidance(sources: Any, web: Any, **more: Any) -> Any:
    return sources(apis={"osfi_guidelines": Api(base_url=f"{web.url}/en/guidance", **more)})


def test_documents_of_the_list_are_read_and_its_menu_is_not(web: Any, article: Any, sources: Any, read: Any) -> None:
    links = ("/capital", "/liquidity", "https://other.example/x", "/b-20.pdf", "/b-10.pdf", "/sheet.xlsx")
    web.pages |= {
        "/en/guidance": article("Guidance", links=links, menu=("/about", "/contact")),
        "/capital": article("Capital"),
        "/liquidity": article("Liquidity"),
        "/about": article("About"),
    }
    found = read(guidance(sources, web))
    assert [item.title for item in found.documents] == ["Capital", "Liquidity"]
    assert web.paths() == ["/en/guidance", "/capital", "/liquidity"]
    reasons = read(guidance(sources, web), scrape=False).skipped[f"{web.url}/en/guidance"]
    assert reasons == "1 document of type .xlsx that it lists not read (only pages of text are)"


def test_documents_are_counted_by_those_of_use(web: Any, page: Any, article: Any, sources: Any, read: Any) -> None:
    web.pages |= {f"/{n}": article(f"Rule {n}") for n in range(6)}
    web.pages["/1"] = page("<p>Soon.</p>")
    web.pages["/en/guidance"] = article("Guidance", links=tuple(f"/{n}" for n in range(6)))
    found = read(guidance(sources, web, max_documents=3))
    assert [item.title for item in found.documents] == ["Rule 0", "Rule 2", "Rule 3"]


def test_queries_choose_among_the_links(web: Any, article: Any, sources: Any, read: Any) -> None:
    links = ("/liquidity-adequacy", "/capital-adequacy", "/culture")
    web.pages |= {link: article(link) for link in links} | {"/en/guidance": article("Guidance", links=links)}
    found = read(guidance(sources, web, queries=("Capital adequacy", "culture")))
    assert [name.rpartition("/")[2] for name in found.names] == ["capital-adequacy", "culture"]


def test_a_list_without_links_is_named(web: Any, article: Any, sources: Any, read: Any) -> None:
    web.pages["/en/guidance"] = article("Guidance")
    assert read(guidance(sources, web)).skipped == {f"{web.url}/en/guidance": "it lists no documents"}


def test_a_second_reading_asks_nothing(web: Any, article: Any, sources: Any, read: Any) -> None:
    web.pages |= {"/en/guidance": article("Guidance", links=("/a", "/gone")), "/a": article("A")}
    first = read(guidance(sources, web))
    hits = len(web.hits)
    assert ([read(guidance(sources, web)), read(guidance(sources, web), scrape=False)], len(web.hits)) == (
        [first, first],
        hits,
    )
