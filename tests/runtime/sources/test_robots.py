"""robots.txt by RFC 9309: what its rules, its status and its form allow."""

from typing import Any

import pytest

from evalspec.runtime.sources.robots import MOST_BYTES, read_rules

HOST = "https://a.example"


@pytest.mark.parametrize(
    ("rules", "path", "allowed"),
    [
        ("User-agent: *\nDisallow: /private/", "/private/x", False),
        ("User-agent: *\nDisallow: /private/", "/public", True),
        ("User-agent: *\nDisallow: /?", "/?q=1", False),
        ("User-agent: *\nDisallow: /?", "/", True),
        ("User-agent: *\nDisallow: /*.pdf$", "/a/b.pdf", False),
        ("User-agent: *\nDisallow: /*.pdf$", "/a/b.pdf?x=1", True),
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", True),
        ("User-agent: *\nAllow: /a\nDisallow: /a/b", "/a/b/c", False),
        ("User-agent: *\nDisallow: /a\nAllow: /a", "/a", True),
        ("User-agent: *\nDisallow:", "/a", True),
        ("User-agent: evalspec\nDisallow: /a\n\nUser-agent: *\nDisallow: /", "/b", True),
        ("User-agent: EvalSpec\nDisallow: /a\n\nUser-agent: *\nAllow: /", "/a", False),
        ("User-agent: evalspec/2.0\nDisallow: /a", "/a", False),
        ("User-agent: other\nUser-agent: evalspec\nDisallow: /a", "/a", False),
        ("User-agent: evalspec\nDisallow: /a\n\nUser-agent: evalspec\nDisallow: /b", "/b", False),
        ("User-agent: eval\nDisallow: /", "/a", True),
        ("User-agent: e\nDisallow: /\n\nUser-agent: *\nDisallow: /x", "/a", True),
        ("User-agent: evalspec-news\nDisallow: /", "/a", True),
        ("User-agent: spec\nDisallow: /", "/a", True),
        ("User-agent: *bot*\nDisallow: /", "/a", True),
        ("\ufeffUser-agent: *\nDisallow: /a", "/a", False),
        ("User-agent: *\r\nDisallow: /a\r\n", "/a", False),
        ("# no rules\nSitemap: https://a.example/s.xml", "/a", True),
        ("", "/a", True),
        ("<!doctype html><html><body>User-agent: *\nDisallow: /</body></html>", "/a", True),
        ("\n <html>\nUser-agent: *\nDisallow: /\n</html>", "/a", True),
        ("User-agent: *\nDisallow: /caf%C3%A9", "/café", False),
    ],
)
def test_rules_are_those_of_our_group_or_of_all(rules: str, path: str, allowed: bool) -> None:
    assert read_rules(rules.encode("utf-8")).allows(HOST + path) == allowed


@pytest.mark.parametrize("data", [b"\xff\xfe\x00\x01garbage", bytes(range(256)) * 20, b"\x89PNG\x00"])
def test_garbage_holds_no_rules(data: bytes) -> None:
    assert read_rules(data).allows(f"{HOST}/a")


def test_rules_after_500_kibibytes_do_not_count_and_a_rule_is_never_cut() -> None:
    filler = b"User-agent: *\n" + b"# x\n" * ((MOST_BYTES - 24) // 4)
    data = filler + b"Disallow: /private/\nDisallow: /late\n"
    assert (len(filler) < MOST_BYTES, len(data) > MOST_BYTES) == (True, True)
    rules = read_rules(data)
    assert (rules.allows(f"{HOST}/pr"), rules.allows(f"{HOST}/late")) == (True, True)


@pytest.mark.parametrize(
    ("rules", "delay"),
    [
        ("User-agent: *\nCrawl-delay: 7", 7.0),
        ("User-agent: evalspec\nCrawl-delay: 3.5\nDisallow:\n\nUser-agent: *\nCrawl-delay: 9", 3.5),
        ("User-agent: *\nRequest-rate: 1/10s", 10.0),
        ("User-agent: *\nCrawl-delay: soon", 0.0),
        ("User-agent: *\nCrawl-delay: -4", 0.0),
        ("User-agent: *\nCrawl-delay: nan", 0.0),
        ("User-agent: *\nDisallow: /a", 0.0),
    ],
)
def test_the_delay_is_what_our_group_asks_for(rules: str, delay: float) -> None:
    assert read_rules(rules.encode()).delay == delay


_ANSWERS = (
    "403",
    "404",
    "410",
    "401",
    "204",
    "429",
    "500",
    "503",
    "no-answer",
    "slow",
    "rules",
    "html",
    "redirect",
    "redirect-to-404",
    "circle",
    "huge",
)


def _answers(page: Any) -> dict[str, tuple[Any, bool]]:
    rules = page("User-agent: *\nDisallow: /a", kind="text/plain")
    return {
        "403": (page("no", 403), True),
        "404": (page("no", 404), True),
        "410": (page("no", 410), True),
        "401": (page("no", 401), True),
        "204": (page("", 204), True),
        "429": (page("wait", 429), False),
        "500": (page("oh", 500), False),
        "503": (page("oh", 503), False),
        "no-answer": (page(broken=True), False),
        "slow": (page("User-agent: *", delay=1.0), False),
        "rules": (rules, False),
        "html": (page("<html>User-agent: *\nDisallow: /</html>"), True),
        "redirect": (page("", 301, headers={"Location": "/elsewhere"}), False),
        "redirect-to-404": (page("", 302, headers={"Location": "/nowhere"}), True),
        "circle": (page("", 302, headers={"Location": "/robots.txt"}), True),
        "huge": (page(b"User-agent: *\nDisallow: /a\n", endless=b"# x\n" * 10_000), False),
    }


@pytest.mark.parametrize("name", _ANSWERS)
def test_what_comes_in_place_of_rules_allows_or_forbids_all(
    web: Any, page: Any, article: Any, sources: Any, read: Any, name: str
) -> None:
    answer, allowed = _answers(page)[name]
    web.pages |= {"/robots.txt": answer, "/elsewhere": _answers(page)["rules"][0], "/a": article()}
    found = read(sources("/a"))
    assert (len(found.documents) == 1, "/a" in web.paths()) == (allowed, allowed)


def test_robots_is_asked_once_for_an_origin_and_under_our_own_name(
    web: Any, page: Any, article: Any, sources: Any, read: Any
) -> None:
    web.pages |= {"/robots.txt": page("User-agent: *\nDisallow: /b"), "/a": article("A"), "/b": article("B")}
    read(sources("/a", "/b"))
    assert [hit.path for hit in web.hits] == ["/robots.txt", "/a"]
    assert [hit.headers["user-agent"].startswith("evalspec/") for hit in web.hits] == [True, True]


def test_a_redirect_to_what_is_disallowed_is_not_followed(web: Any, page: Any, sources: Any, read: Any) -> None:
    web.pages |= {
        "/robots.txt": page("User-agent: *\nDisallow: /private/"),
        "/a": page("", 302, headers={"Location": "/private/b"}),
    }
    found = read(sources("/a"))
    assert (found.skipped, web.paths()) == ({f"{web.url}/a": "its robots.txt disallows it"}, ["/a"])


def test_robots_can_be_left_aside_by_the_config(web: Any, page: Any, article: Any, sources: Any, read: Any) -> None:
    web.pages |= {"/robots.txt": page("User-agent: *\nDisallow: /"), "/a": article()}
    assert len(read(sources("/a", robots=False)).documents) == 1
    assert [hit.path for hit in web.hits] == ["/a"]


def test_a_crawl_delay_above_the_configured_one_is_kept(
    web: Any, page: Any, article: Any, sources: Any, read: Any
) -> None:
    web.pages |= {f"/{name}": article(name) for name in "abc"}
    web.pages["/robots.txt"] = page("User-agent: *\nCrawl-delay: 0.3")
    read(sources("/a", "/b", "/c", delay=0.01))
    pairs = zip(web.hits, web.hits[1:], strict=False)
    assert [later.began - first.ended >= 0.28 for first, later in pairs] == [True] * 3


def test_a_site_that_asks_for_minutes_between_requests_is_left_alone(
    web: Any, page: Any, article: Any, sources: Any, read: Any
) -> None:
    web.pages |= {"/robots.txt": page("User-agent: *\nCrawl-delay: 86400"), "/a": article()}
    assert read(sources("/a")).skipped == {f"{web.url}/a": "its robots.txt asks for 86400 s between requests"}
