"""What a site may do wrong, and what it costs: bounded, named, and never the rest of the run."""

import socket
import time
from collections.abc import Callable
from typing import Any

import pytest

from evalspec.runtime.sources.fetch import Bounds


def reason(read: Any, sources: Any, web: Any, path: str = "/a", **more: Any) -> str | None:
    """Why a page was not used."""
    return read(sources(path), **more).skipped.get(path if ":" in path else web.url + path)


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_a_busy_site_is_asked_again(web: Any, page: Any, article: Any, sources: Any, read: Any, status: int) -> None:
    web.pages["/a"] = [page("busy", status), page("busy", status), article()]
    assert (reason(read, sources, web), web.paths()) == (None, ["/a"] * 3)


@pytest.mark.parametrize("status", [429, 500])
def test_a_site_that_stays_busy_is_named_after_three_tries(
    web: Any, page: Any, sources: Any, read: Any, status: int
) -> None:
    web.pages["/a"] = page("busy", status)
    assert (reason(read, sources, web), web.paths()) == (f"it answers {status}", ["/a"] * 3)


def test_retry_after_holds_the_whole_host(web: Any, page: Any, article: Any, sources: Any, read: Any) -> None:
    busy = page("busy", 429, headers={"Retry-After": "1"})
    web.pages |= {"/a": [busy, article("A")], "/b": article("B"), "/c": article("C")}
    assert len(read(sources("/a", "/b", "/c")).documents) == 3
    at = next(number for number, hit in enumerate(web.hits) if hit.path == "/a")
    assert [later.began - web.hits[at].ended >= 0.95 for later in web.hits[at + 1 :]] == [True] * (4 - at)


def test_a_site_that_wants_a_long_wait_is_left_alone(web: Any, page: Any, sources: Any, read: Any) -> None:
    web.pages["/a"] = page("busy", 429, headers={"Retry-After": "86400"})
    assert (reason(read, sources, web), web.paths()) == ("it answers 429", ["/a"])


def test_a_connection_that_breaks_is_tried_again(web: Any, page: Any, article: Any, sources: Any, read: Any) -> None:
    web.pages |= {"/a": [page(broken=True), article()], "/b": page(broken=True)}
    found = read(sources("/a", "/b"))
    assert (len(found.documents), found.skipped[f"{web.url}/b"].split(":")[0]) == (1, "the connection broke")


def test_a_site_that_is_silent_costs_two_tries(web: Any, page: Any, sources: Any, read: Any) -> None:
    web.pages["/a"] = page(delay=2.0)
    began = time.monotonic()
    assert reason(read, sources, web) == "no byte came for 0.4 s"
    assert time.monotonic() - began < 2.0


def test_a_body_that_never_ends_is_cut_off_by_the_clock(web: Any, page: Any, sources: Any, read: Any) -> None:
    bounds = Bounds(seconds=0.5, silence=0.4, first_wait=0.01, most_bytes=10**12)
    web.pages["/a"] = page(b"<p>", endless=b"word " * 20, pause=0.02)
    began = time.monotonic()
    assert reason(read, sources, web, bounds=bounds) == "it was not whole after 0.5 s"
    assert time.monotonic() - began < 20


def test_a_body_that_drips_is_tried_once_and_its_redirects_count(web: Any, page: Any, sources: Any, read: Any) -> None:
    bounds = Bounds(seconds=0.5, silence=0.4, first_wait=0.01, most_bytes=10**12)
    web.pages |= {
        "/a": page("", 302, headers={"Location": "/b"}, delay=0.3),
        "/b": page(b"<p>", endless=b"word ", pause=0.02),
    }
    assert reason(read, sources, web, bounds=bounds) == "it was not whole after 0.5 s"
    assert web.paths() == ["/a", "/b"]


def test_a_host_that_is_slow_with_page_after_page_is_left_alone_and_the_others_are_read(
    web: Any, page: Any, article: Any, sources: Any, read: Any
) -> None:
    bounds = Bounds(seconds=0.5, silence=0.4, first_wait=0.01, most_bytes=10**12, brisk=0.1, patience=0.7)
    drip = page(b"<p>", endless=b"word ", pause=0.02)
    web.pages |= {f"/{n}": drip for n in range(9)} | {"/good": article()}
    good = f"http://localhost:{web.port}/good"
    config = sources(*(f"/{n}" for n in range(9)), good, allow_hosts=("127.0.0.1", "localhost"))
    found = read(config, bounds=bounds)
    why = "its host took or asked for over 0.7 s too long in all, and is asked nothing more"
    assert found.names == [good]
    assert sorted(found.skipped.values()) == ["it was not whole after 0.5 s"] * 2 + [why] * 7
    assert len(web.paths()) == 3


def test_a_host_that_asks_for_wait_after_wait_is_left_alone(web: Any, page: Any, sources: Any, read: Any) -> None:
    bounds = Bounds(first_wait=0.01, longest_wait=5.0, patience=1.5)
    web.pages |= {f"/{n}": page("busy", 429, headers={"Retry-After": "1"}) for n in range(9)}
    found = read(sources(*(f"/{n}" for n in range(9))), bounds=bounds)
    assert (len(found.skipped), len(web.paths()) <= 4) == (9, True)


def test_redirects_are_followed_five_times_and_no_more(
    web: Any, page: Any, article: Any, sources: Any, read: Any
) -> None:
    def to(path: str) -> Any:
        return page("", 302, headers={"Location": path})

    web.pages |= {f"/{n}": to(f"/{n + 1}") for n in range(6)} | {"/6": article()}
    assert reason(read, sources, web, "/1") is None
    assert reason(read, sources, web, "/0") == "it redirects more than 5 times"


def test_redirects_in_a_circle_are_named(web: Any, page: Any, sources: Any, read: Any) -> None:
    web.pages |= {"/a": page("", 301, headers={"Location": "/b"}), "/b": page("", 301, headers={"Location": "/a"})}
    assert (reason(read, sources, web), web.paths()) == ("it redirects in a circle", ["/a", "/b"])


@pytest.mark.parametrize(
    ("location", "why"),
    [
        ("http://169.254.169.254/latest/meta-data/", "169.254.169.254 has a loopback, private or reserved address"),
        ("http://[::1]/", "::1 has a loopback, private or reserved address"),
        ("http://10.0.0.1/", "10.0.0.1 has a loopback, private or reserved address"),
        ("//localhost/", "localhost has a loopback, private or reserved address"),
        ("file:///etc/passwd", "it redirects to what is not asked: its address begins with file"),
        ("http://user:secret@127.0.0.1/", "it redirects to what is not asked: its address holds a user name"),
        ("", "it redirects to nowhere"),
    ],
)
def test_a_redirect_to_where_nothing_is_asked_is_refused(
    web: Any, page: Any, article: Any, sources: Any, read: Any, location: str, why: str
) -> None:
    web.pages |= {"/a": page("", 302, headers={"Location": location}), "/b": article()}
    found = read(sources("/a", "/b"))
    assert (found.skipped[f"{web.url}/a"].startswith(why), found.names) == (True, [f"{web.url}/b"])


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:{port}/a", "http://localhost:{port}/a", "http://0.0.0.0:{port}/a"]
)
def test_a_private_host_that_is_not_allowed_is_never_connected_to(
    web: Any, article: Any, sources: Any, read: Any, address: str
) -> None:
    web.pages["/a"] = article()
    url = address.format(port=web.port)
    found = read(sources(url, allow_hosts=("other.example",)))
    assert ("loopback, private or reserved" in found.skipped[url], web.hits) == (True, [])


def test_a_connection_goes_to_the_address_that_was_checked(
    web: Any, article: Any, sources: Any, read: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    real: Callable[..., Any] = socket.getaddrinfo
    looked_up: list[str] = []

    def once(host: Any, *rest: Any, **more: Any) -> Any:
        if host == "pages.example":
            looked_up.append(host)
            return real("127.0.0.1" if len(looked_up) <= 2 else "203.0.113.1", *rest, **more)
        return real(host, *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", once)
    web.pages["/a"] = article()
    found = read(sources(f"http://pages.example:{web.port}/a", allow_hosts=("pages.example",)))
    assert (len(found.documents), len(looked_up)) == (1, 2)  # robots.txt and the page, once each
    assert {hit.headers["host"] for hit in web.hits} == {f"pages.example:{web.port}"}


def test_a_name_that_leads_to_one_private_address_among_public_ones_is_refused(
    sources: Any, read: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (host, 80)) for host in ("93.184.216.34", "192.168.0.1")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_rest, **_more: rows)
    found = read(sources("http://mixed.example/a"))
    assert "mixed.example has a loopback, private or reserved address" in found.skipped["http://mixed.example/a"]


def test_a_second_address_of_a_host_is_tried_where_the_first_does_not_answer(
    web: Any, article: Any, sources: Any, read: Any
) -> None:
    web.pages["/a"] = article()  # the server listens on 127.0.0.1 alone, and localhost may be ::1 first
    assert len(read(sources(f"http://localhost:{web.port}/a", allow_hosts=("localhost",))).documents) == 1


@pytest.mark.parametrize("kind", ["bomb", "endless", "long"])
def test_a_body_over_the_bound_is_not_taken(
    web: Any, page: Any, sources: Any, read: Any, bomb: bytes, kind: str
) -> None:
    web.pages["/a"] = {
        "bomb": page(bomb, headers={"Content-Encoding": "gzip"}),
        "endless": page(b"<p>", endless=b"<p>word word word</p>" * 1000),
        "long": page(b"<p>" + b"word " * 100_000),
    }[kind]
    assert (reason(read, sources, web), web.paths()) == ("it is larger than 0.4 MB", ["/a"])


@pytest.mark.parametrize(
    ("kind", "body", "why"),
    [
        ("application/pdf", b"%PDF-1.7 ...", "it is application/pdf and not text"),
        ("image/png", b"\x89PNG", "it is image/png and not text"),
        ("application/json", b"{}", "it is application/json and not text"),
        ("text/html", b"%PDF-1.7 \x00\x01", "it is a PDF and not text"),
        (None, b"%PDF-1.7 \x00\x01", "it is a PDF and not text"),
        ("text/html", bytes(range(256)) * 20, "it is binary"),
        ("text/plain", "Règle ".encode("latin-1") * 200, "it is not UTF-8 and declares no other charset"),
        (
            "text/html; charset=klingon",
            "Règle ".encode("latin-1"),
            "it declares the charset klingon, which is not known",
        ),
        ("text/html", b"", "it is empty"),
        ("text/html", b"  \n", "it is empty"),
    ],
)
def test_what_is_no_text_is_skipped(
    web: Any, page: Any, sources: Any, read: Any, kind: str | None, body: bytes, why: str
) -> None:
    web.pages["/a"] = page(body, kind=kind)
    assert reason(read, sources, web) == why


def test_a_packed_page_is_read(web: Any, page: Any, article: Any, sources: Any, read: Any) -> None:
    import gzip

    web.pages["/a"] = page(gzip.compress(article().encode()), headers={"Content-Encoding": "gzip"})
    assert len(read(sources("/a")).documents) == 1


def test_the_delay_lies_between_two_requests_to_one_host(web: Any, article: Any, sources: Any, read: Any) -> None:
    web.pages |= {f"/{name}": article(name) for name in "abcd"}
    read(sources("/a", "/b", "/c", "/d", delay=0.2))
    pairs = list(zip(web.hits, web.hits[1:], strict=False))
    assert [later.began - first.ended >= 0.18 for first, later in pairs] == [True] * 4


def test_one_host_is_asked_one_thing_at_a_time_and_two_hosts_at_once(
    web: Any, page: Any, article: Any, sources: Any, read: Any
) -> None:
    other = f"http://localhost:{web.port}"
    web.pages |= {f"/{n}": page(article(str(n)), delay=0.15) for n in range(6)}
    paths = [*(f"/{n}" for n in range(3)), *(f"{other}/{n}" for n in range(3, 6))]
    assert len(read(sources(*paths, allow_hosts=("127.0.0.1", "localhost"))).documents) == 6

    def overlaps(one: list[Any], two: list[Any]) -> int:
        return sum(a is not b and a.began < b.ended and b.began < a.ended for a in one for b in two)

    hosts = [[hit for hit in web.hits if hit.headers["host"].startswith(name)] for name in ("127", "localhost")]
    assert [len(hits) for hits in hosts] == [4, 4]
    assert (overlaps(hosts[0], hosts[0]), overlaps(hosts[1], hosts[1])) == (0, 0)
    assert overlaps(hosts[0], hosts[1]) > 0


def test_a_public_host_gets_two_seconds_whatever_the_config_says(
    web: Any, article: Any, sources: Any, read: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from evalspec.runtime.sources import addresses

    monkeypatch.setattr(addresses, "is_public", lambda _address: True)
    web.pages |= {"/a": article()}
    read(sources("/a", delay=0.0))
    assert web.hits[1].began - web.hits[0].ended >= 1.95


def test_no_cookie_is_sent_back(web: Any, page: Any, article: Any, sources: Any, read: Any) -> None:
    web.pages |= {"/a": page(article("A"), headers={"Set-Cookie": "id=1; Path=/"}), "/b": article("B")}
    read(sources("/a", "/b"))
    assert [hit.path for hit in web.hits if "cookie" in hit.headers] == []
