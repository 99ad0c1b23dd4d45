"""The pages of the findings of `bench` (ES7xx), each kept beside the part that finds it."""

from importlib import import_module
from pkgutil import walk_packages

import evalspec.bench as here


def page(code: str) -> str | None:
    """The page of a code, Markdown; None for a code that no part of bench has a page for."""
    for name in _modules():
        pages: dict[str, str] = import_module(name).PAGES
        if code in pages:
            return pages[code].strip()
    return None


def _modules() -> list[str]:
    """The modules `pages` and `..._pages` of bench and its packages."""
    listed = (module.name for module in walk_packages(here.__path__, f"{here.__name__}."))
    return sorted(name for name in listed if name.endswith((".pages", "_pages")) and name != __name__)
