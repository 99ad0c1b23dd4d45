"""evalspec scrape, as a user runs it: what it shows, what it keeps, and how it ends."""

import json
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

PROSE = """
Un potager se prépare à l'automne, quand la terre est encore tiède et que les pluies ne l'ont pas tassée pour l'hiver.
On y apporte du compost mûr, qui nourrit les vers et garde l'eau que les racines iront chercher pendant l'été suivant.
Les semis de printemps se font sous un voile, parce que les nuits restent froides jusqu'au milieu du mois de mai.
Il faut arroser le matin et au pied des plants, car une feuille mouillée le soir est une porte ouverte aux maladies.
La récolte des haricots se fait tous les deux jours, sans attendre qu'ils grossissent, et la plante en donne davantage.
"""


class Site:
    """A site with one page, and a record of what was asked for."""

    def __init__(self) -> None:
        self.hits: list[str] = []
        paragraphs = "".join(f"<p>{line}</p>" for line in PROSE.strip().splitlines())
        page = f"<html><body><main><article><h1>Le potager</h1>{paragraphs}</article></main></body></html>".encode()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                outer.hits.append(self.path)
                self.send_response(200 if self.path == "/potager" else 404)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.end_headers()
                self.wfile.write(page if self.path == "/potager" else b"<h1>Not found</h1>")

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()


@pytest.fixture
def site() -> Iterator[Site]:
    one = Site()
    yield one
    one.server.shutdown()
    one.server.server_close()


def put(folder: Path, *urls: str) -> None:
    """Name pages as the spec's sources, beside its corpus."""
    targets = "".join(f'    - {{name: "page {n}", url: "{url}"}}\n' for n, url in enumerate(urls))
    text = f"web_sources:\n  delay_seconds: 0\n  allow_hosts: [127.0.0.1]\n  targets:\n{targets}"
    corpus = "corpus:\n  enabled: true\n  folders:\n    - path: corpus\n"
    (folder / "source_config.yaml").write_text(text + corpus, encoding="utf-8")


def test_a_spec_is_scraped_once_and_then_read_from_what_is_kept(site: Site, small: Path, evalspec: Any) -> None:
    put(small, f"{site.url}/potager", f"{site.url}/rien")
    first = evalspec("scrape", small)
    again = evalspec("scrape", small, "--format", "json")
    assert (first.returncode, again.returncode) == (0, 0)
    assert f"{site.url}/rien is not used: it answers 404" in first.stdout
    assert "web_sources: 1 fetched, 1 failed" in first.stderr
    shown = json.loads(again.stdout)
    assert shown["sources"] == [
        {"source": "web_sources", "fetched": 0, "failed": 0, "kept": 2, "skipped": 1, "done": True}
    ]
    assert (shown["documents"], sorted(site.hits)) == (1, ["/potager", "/rien", "/robots.txt"])
    assert (small / "plan.json").exists() is False


def test_what_is_kept_is_fetched_anew_where_that_is_asked_for(site: Site, small: Path, evalspec: Any) -> None:
    put(small, f"{site.url}/potager")
    assert [evalspec("scrape", small, *more).returncode for more in ((), ("--anew",))] == [0, 0]
    assert site.hits == ["/robots.txt", "/potager"] * 2


def test_a_scrape_that_gives_nothing_ends_with_1(site: Site, small: Path, evalspec: Any) -> None:
    put(small, f"{site.url}/rien")
    done = evalspec("scrape", small)
    assert (done.returncode, "no source gave a document" in done.stdout) == (1, True)


def test_a_page_that_cannot_be_reached_has_failed_and_was_not_fetched(small: Path, evalspec: Any) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        put(small, f"http://127.0.0.1:{closed.getsockname()[1]}/potager")
        done = evalspec("scrape", small)
        shown = json.loads(evalspec("scrape", small, "--format", "json").stdout)
    assert (done.returncode, "web_sources: 0 fetched, 1 failed" in done.stderr) == (1, True)
    assert shown["sources"] == [
        {"source": "web_sources", "fetched": 0, "failed": 1, "kept": 0, "skipped": 0, "done": True}
    ]


def test_what_is_not_used_points_to_the_entry_that_asked_for_it(site: Site, small: Path, evalspec: Any) -> None:
    put(small, f"{site.url}/potager", f"{site.url}/gone")
    sources = small / "source_config.yaml"
    sources.write_text(sources.read_text("utf-8") + "    - {path: tables}\n", encoding="utf-8")
    (small / "tables").mkdir()
    (small / "tables/rates.csv").write_text("a,b\n", encoding="utf-8")
    said = json.loads(evalspec("scrape", small, "--format", "json").stdout)["diagnostics"]
    (page,) = [d for d in said if d["code"] == "ES509"]
    assert (page["place"]["file"], page["place"]["line"]) == ("source_config.yaml", 6)
    assert page["place"]["path"] == "web_sources.targets[1].name"
    said = json.loads(evalspec("run", small, "--provider", "embedded", "--format", "json").stdout)["diagnostics"]
    folders = {(d["place"]["line"], d["place"]["path"]) for d in said if d["code"] == "ES509"}
    assert (11, "corpus.folders[1].path") in folders


def test_a_spec_without_sources_of_the_network_cannot_be_scraped(small: Path, evalspec: Any) -> None:
    done = evalspec("scrape", small)
    assert (done.returncode, "the spec has no source to fetch" in done.stdout) == (2, True)


def test_a_run_scrapes_first_or_uses_what_is_there(site: Site, small: Path, evalspec: Any) -> None:
    put(small, f"{site.url}/potager")
    run = ("run", small, "--provider", "embedded", "--limit", "2")
    evalspec(*run, "--dry-run", "--no-scrape")
    assert site.hits == []
    scraped = evalspec(*run, "--dry-run", "--scrape")
    assert ("web_sources: 1 fetched" in scraped.stderr, site.hits) == (True, ["/robots.txt", "/potager"])
    evalspec(*run, "--mode", "full_refresh", "--scrape")
    assert site.hits == ["/robots.txt", "/potager"] * 2
