"""Articles by category, over the API of a small encyclopedia."""

from typing import Any

import pytest

from evalspec.spec.config import Wikipedia, WikipediaCategory

PROSE = (
    "A deposit is money that is placed with a bank, which owes it to whoever placed it, with interest or without.",
    "It may be asked back at any time, or on a day that was agreed on when the account was opened at a branch.",
    "Banks lend most of what they hold, so a bank whose holders all come on one day has not enough to pay them.",
    "For that reason deposits are insured in most countries up to a limit, which is set by law and rarely changed.",
    "The insurer collects a premium from each of its members, in proportion to what they hold and to the risk of it.",
    "When a member fails, holders are paid within days, and the insurer takes their place among those who are owed.",
)
TEXT = "\n".join(PROSE[:3]) + "\n\n\n== History ==\n" + "\n".join(PROSE[3:])


class Wiki:
    """Pages and categories behind the API."""

    def __init__(self, web: Any, page: Any) -> None:
        self.texts: dict[str, str] = {}
        self.redirects: dict[str, str] = {}
        self.apart: set[str] = set()
        self.categories: dict[str, list[str]] = {}
        self.step = 500
        self.page = page
        web.pages["/w/api.php"] = self.answer

    def answer(self, query: dict[str, str]) -> Any:
        import json

        body = self.members(query) if query.get("list") == "categorymembers" else self.text(query)
        return self.page(json.dumps(body), kind="application/json")

    def members(self, query: dict[str, str]) -> dict[str, Any]:
        names = self.categories.get(query["cmtitle"].replace("_", " "), [])
        at = int(query.get("cmcontinue", 0))
        found = [
            {"pageid": n + 1, "ns": 14 if name.startswith("Category:") else 0, "title": name}
            for n, name in enumerate(names)
        ][at : at + self.step]
        out: dict[str, Any] = {"query": {"categorymembers": found}}
        if at + self.step < len(names):
            out["continue"] = {"cmcontinue": str(at + self.step), "continue": "-||"}
        return out

    def text(self, query: dict[str, str]) -> dict[str, Any]:
        assert "extracts" in query["prop"]
        asked = query["titles"]
        title = self.redirects.get(asked, asked)
        if title not in self.texts:
            return {"query": {"pages": {"-1": {"ns": 0, "title": title, "missing": ""}}}}
        entry: dict[str, Any] = {"pageid": 7, "ns": 0, "title": title, "extract": self.texts[title]}
        if title in self.apart:
            entry["pageprops"] = {"disambiguation": ""}
        query_out: dict[str, Any] = {"pages": {"7": entry}}
        if title != asked:
            query_out["redirects"] = [{"from": asked, "to": title}]
        return {"query": query_out}


@pytest.fixture
def wiki(web: Any, page: Any) -> Wiki:
    return Wiki(web, page)


def config(sources: Any, web: Any, *categories: Any, most: int = 50) -> Any:
    return sources(wikipedia=Wikipedia(categories=categories, base_url=web.url, max_articles_per_category=most))


def test_articles_of_a_category_are_documents_with_headings(wiki: Wiki, web: Any, sources: Any, read: Any) -> None:
    wiki.texts |= {
        "Deposit": TEXT,
        "Deposit insurance": TEXT + "\n\n== References ==\nSmith 1990.\n\n== See also ==\nLoan",
    }
    wiki.categories["Category:Banking in Canada"] = ["Deposit", "Deposit insurance"]
    entry = WikipediaCategory(name="Category:Banking_in_Canada", domains=("banking",), geographies=("canada",))
    found = read(config(sources, web, entry)).documents
    expected = "\n\n".join([*PROSE[:3], "## History", *PROSE[3:]])
    assert [(item.title, item.text) for item in found] == [("Deposit", expected), ("Deposit insurance", expected)]
    assert {(item.origin, item.domains, item.geographies) for item in found} == {
        ("wikipedia", ("banking",), ("canada",))
    }


def test_the_licence_of_an_article_stands_in_the_manifest(
    wiki: Wiki, web: Any, sources: Any, read: Any, manifest: Any
) -> None:
    wiki.texts["Deposit"] = TEXT
    wiki.categories["Category:Banks"] = ["Deposit"]
    read(config(sources, web, "Category:Banks"))
    assert [line["licence"] for line in manifest() if line.get("title") == "Deposit"] == ["CC BY-SA 4.0"]


def test_a_category_that_holds_itself_is_walked_once(wiki: Wiki, web: Any, sources: Any, read: Any) -> None:
    wiki.texts |= {name: TEXT + name for name in ("A", "B", "C", "D")}
    wiki.categories |= {
        "Category:Top": ["A", "Category:Top", "Category:Below"],
        "Category:Below": ["B", "Category:Top", "Category:Deeper"],
        "Category:Deeper": ["C", "Category:Deepest"],
        "Category:Deepest": ["D"],
    }
    assert [item.title for item in read(config(sources, web, "Category:Top")).documents] == ["A", "B", "C"]
    walked = [hit.query["cmtitle"] for hit in web.hits if "cmtitle" in hit.query]
    assert walked == ["Category:Top", "Category:Below", "Category:Deeper"]


def test_no_more_articles_are_read_than_the_config_allows(wiki: Wiki, web: Any, sources: Any, read: Any) -> None:
    names = [f"Article {n}" for n in range(12)]
    wiki.texts |= {name: f"{name}. {TEXT}" for name in names}
    wiki.categories["Category:Many"] = names
    wiki.step = 4
    found = read(config(sources, web, "Category:Many", most=7))
    assert [item.title for item in found.documents] == names[:7]
    assert sum("titles" in hit.query for hit in web.hits) == 7


def test_a_category_whose_pages_never_end_is_bounded(wiki: Wiki, web: Any, page: Any, sources: Any, read: Any) -> None:
    import json

    members = [{"pageid": 1, "ns": 0, "title": "Deposit"}]
    endless = {"query": {"categorymembers": members}, "continue": {"cmcontinue": "again", "continue": "-||"}}
    wiki.texts["Deposit"] = TEXT

    def answer(query: dict[str, str]) -> Any:
        return page(json.dumps(endless), kind="application/json") if "cmtitle" in query else wiki.answer(query)

    web.pages["/w/api.php"] = answer
    assert [item.title for item in read(config(sources, web, "Category:X")).documents] == ["Deposit"]
    assert len(web.hits) == 41


def test_pages_that_are_no_articles_are_skipped_and_a_redirect_is_followed(
    wiki: Wiki, web: Any, sources: Any, read: Any
) -> None:
    wiki.texts |= {"Deposit": TEXT, "Bank": TEXT, "Bond": f"Bond may refer to:\n{TEXT}", "Stub": "A stub."}
    wiki.apart.add("Bank")
    wiki.redirects["Deposits"] = "Deposit"
    wiki.categories["Category:X"] = ["Deposits", "Bank", "Bond", "Missing", "Stub"]
    found = read(config(sources, web, "Category:X"))
    assert [item.title for item in found.documents] == ["Deposit"]
    assert {name.rpartition("/")[2]: reason for name, reason in found.skipped.items()} == {
        "Bank": "it only tells articles apart",
        "Bond": "it only tells articles apart",
        "Missing": "there is no such article",
        "Stub": "it has 2 words, and 100 are needed",
    }


def test_an_article_of_two_categories_is_asked_for_once_and_serves_both(
    wiki: Wiki, web: Any, sources: Any, read: Any
) -> None:
    wiki.texts["Deposit"] = TEXT
    wiki.categories |= {"Category:X": ["Deposit"], "Category:Y": ["Deposit"]}
    entries = [
        WikipediaCategory(name=name, domains=("banking",), geographies=(geography,))
        for name, geography in (("Category:X", "canada"), ("Category:Y", "usa"))
    ]
    found = read(config(sources, web, *entries)).documents
    assert [item.geographies for item in found] == [("canada", "usa")]
    assert sum("titles" in hit.query for hit in web.hits) == 1


def test_a_second_reading_asks_nothing(wiki: Wiki, web: Any, sources: Any, read: Any) -> None:
    wiki.texts["Deposit"] = TEXT
    wiki.categories["Category:X"] = ["Deposit", "Missing"]
    first = read(config(sources, web, "Category:X"))
    hits = len(web.hits)
    again = [read(config(sources, web, "Category:X"), scrape=scrape) for scrape in (True, False)]
    assert (again, len(web.hits)) == ([first, first], hits)


@pytest.mark.parametrize(
    ("body", "status", "reason"),
    [
        ('{"error": {"code": "ratelimited"}}', 200, "the API answers what it does not promise"),
        ("<html>Sign in</html>", 200, "the API answers what it does not promise"),
        ("[]", 200, "the API answers what it does not promise"),
        ('{"query": {"categorymembers": []}}', 200, "the category holds no articles"),
        ("no", 403, "it answers 403"),
    ],
)
def test_an_api_that_gives_no_list_is_named_and_asked_again_next_time(
    web: Any, page: Any, sources: Any, read: Any, body: str, status: int, reason: str
) -> None:
    web.pages["/w/api.php"] = page(body, status)
    for _ in range(2):
        assert read(config(sources, web, "Category:X")).skipped == {"Category:X": reason}
    assert len(web.hits) == 2


def test_the_api_can_be_named_whole(wiki: Wiki, web: Any, sources: Any, read: Any) -> None:
    web.pages["/other/api.php"] = web.pages.pop("/w/api.php")
    wiki.texts["Deposit"] = TEXT
    wiki.categories["Category:X"] = ["Deposit"]
    wikipedia = Wikipedia(categories=("Category:X",), base_url=f"{web.url}/other/api.php")
    assert len(read(sources(wikipedia=wikipedia)).documents) == 1
