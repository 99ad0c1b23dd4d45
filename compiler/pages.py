"""The page of a code: what `evalspec explain` shows and the docs hold."""

import inspect

from evalspec.compiler.ruleset import PAGES
from evalspec.spec.codes import CODES


def page(code: str) -> str | None:
    """The page of a code as Markdown, with its severity; None for a code of another part of evalspec."""
    for module in PAGES:
        name = module.__name__.rpartition(".")[2]
        if name.startswith(f"{code.lower()}_"):
            info = CODES[code]
            text = inspect.cleandoc(module.__doc__ or "")
            return f"# {code} {info.name}\n\n*{info.severity}* {text}\n"
    return None
