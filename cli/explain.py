"""evalspec explain: the page of a code."""

from difflib import get_close_matches
from typing import Annotated

import typer

from evalspec.cli.shared import Exit, Format, fail, stdout, usage
from evalspec.spec.codes import CODES

_READ_AS = str.maketrans("OIL", "011")
"""Letters that are easily taken for digits."""


def explain(
    code: Annotated[
        str, typer.Argument(help="A code such as ES301, its name, or `codes` for the list.", metavar="CODE")
    ],
    form: Annotated[Format, typer.Option("--format", help="How to show the result.")] = Format.TEXT,
) -> None:
    """Say what a finding means, why it matters, with an example and what to write instead.

    Examples: evalspec explain ES301 · evalspec explain too-few-negative-examples · evalspec explain codes
    """
    if code in LISTS:
        LISTS[code](form)
        return
    by_name = {info.name: info.code for info in CODES.values()}
    key = by_name.get(code.lower(), code.upper())
    if key not in CODES:
        digits = code.upper().translate(_READ_AS)
        near = get_close_matches(code.lower(), by_name, 1) or get_close_matches(digits, CODES, 1)
        hint = f"did you mean {near[0]}?" if near else "evalspec explain codes lists them"
        fail("explain", [usage(f"there is no code {code!r}", code, hint)], form)
    page = page_of(key)
    info = CODES[key]
    if form == Format.JSON:
        from evalspec.cli.render.json import document

        typer.echo(document("explain", Exit.CLEAN, [], code=key, name=info.name, severity=info.severity, page=page))
        return
    body = page.partition("\n")[2].strip() if page.startswith("# ") else page
    stdout().print(f"{key} {info.name} ({info.severity})\n", style="bold")
    if stdout().is_terminal:
        from rich.markdown import Markdown

        stdout().print(Markdown(body))
    else:
        typer.echo(body)


def page_of(code: str) -> str:
    """The page of a code, Markdown, from the package that owns it."""
    from evalspec.cli.run_pages import PAGES

    if code in PAGES:
        return PAGES[code]
    if code < "ES5":
        from evalspec.compiler.pages import page

        return page(code) or CODES[code].summary
    if code >= "ES7":
        return _bench_page(code) or CODES[code].summary
    from evalspec.outputs.checks import page as criterion_page

    return criterion_page(code) or CODES[code].summary


def _bench_page(code: str) -> str | None:
    """The page of a code of `bench`; None where that package was taken out."""
    try:
        from evalspec.bench.pages import page
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("evalspec.bench"):
            raise
        return None
    return page(code)


def _list_codes(form: str) -> None:
    rows = [(info.code, info.name, info.severity, info.summary) for info in CODES.values()]
    if form == Format.JSON:
        from evalspec.cli.render.json import document

        typer.echo(document("explain", Exit.CLEAN, [], codes=list(CODES.values())))
        return
    from evalspec.cli.render.text import table

    stdout().print(table("Codes", ("code", "name", "severity", "what it is"), rows))


def _list_strategies(form: str) -> None:
    from evalspec.compiler.defaults import default_strategies

    _list_defaults(form, "strategies", {name: item.definition for name, item in default_strategies().items()})


def _list_rubrics(form: str) -> None:
    from evalspec.compiler.defaults import default_rubrics

    _list_defaults(form, "rubrics", {name: item.scoring_description for name, item in default_rubrics().items()})


def _list_defaults(form: str, what: str, entries: dict[str, str]) -> None:
    if form == Format.JSON:
        from evalspec.cli.render.json import document

        typer.echo(document("explain", Exit.CLEAN, [], **{what: entries}))
        return
    for name, text in entries.items():
        stdout().print(name, style="bold")
        stdout().print(f"  {' '.join(text.split())}\n")


LISTS = {"codes": _list_codes, "strategies": _list_strategies, "rubrics": _list_rubrics}
"""What can be listed, and how."""
