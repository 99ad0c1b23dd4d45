"""An answer taken apart: its title, its text, where it leads, and why it is no document.

What is taken apart comes from strangers, so the cost of it is bounded first by counting, and then by the process in
which it is done: see `readers`.
"""

from dataclasses import field
from urllib.parse import unquote, urlsplit

from evalspec.runtime.sources.decode import DecodeError, decode
from evalspec.runtime.sources.language import foreign
from evalspec.runtime.sources.links import Links, page_links
from evalspec.runtime.sources.sift import fault
from evalspec.runtime.sources.unlinked import ADDRESS, unlinked
from evalspec.spec.dataclass import dataclass

MARKUP = ("text/html", "application/xhtml+xml")
TEXT = (*MARKUP, "text/plain")


@dataclass(frozen=True, slots=True)
class Answer:
    """What is to be taken apart: bytes, and what is known of them."""

    data: bytes
    url: str
    kind: str = ""
    """The media type; empty where none is given."""
    charset: str | None = None
    language: str = "en"
    """The one that is wanted, a BCP 47 tag."""
    title: str = ""
    """As somebody who knows tells it; it goes before what the page calls itself."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What an answer holds; with a `reason` it is no document, though it may still lead to some."""

    title: str = ""
    text: str = ""
    links: Links = field(default_factory=Links)
    reason: str | None = None


def take_apart(answer: Answer) -> Parts:
    """The parts of an answer; never raises for what it holds, short of a lack of memory."""
    try:
        title, text, links = _read(answer)
    except (DecodeError, ValueError) as error:
        return Parts(reason=str(error))
    except MemoryError:
        raise
    except Exception as error:  # the libraries' own, on markup that nobody foresaw
        return Parts(reason=f"it cannot be taken apart: {type(error).__name__}")
    text = unlinked(text)
    title = " ".join(ADDRESS.sub("", answer.title or title).split())[:600] or " ".join(text.split()[:8])
    return Parts(title, text, links, fault(text, title) or foreign(text, answer.language))


def _read(answer: Answer) -> tuple[str, str, Links]:
    """Title, text and links. Raises ValueError, DecodeError among them."""
    from evalspec.runtime.sources.markup import parsed_page, text_of

    data = answer.data
    if not data.strip():
        raise ValueError("it is empty")
    if data.startswith(b"%PDF"):
        raise ValueError("it is a PDF and not text")
    markup = answer.kind in MARKUP or (not answer.kind and data.lstrip()[:1] == b"<")
    text = decode(data, markup=markup, charset=answer.charset)
    if not markup:
        return _name(answer.url), text.strip(), Links()
    tree = parsed_page(text)
    links = page_links(tree, answer.url)
    title, body = text_of(tree)
    return title or _name(answer.url), body, links


def _name(address: str) -> str:
    """A title for what has none: the last part of its path, in words; empty where there is no path."""
    last = unquote(urlsplit(address).path.rstrip("/").rpartition("/")[2])
    words = last.rpartition(".")[0] or last
    return " ".join(words.replace("-", " ").replace("_", " ").split())
