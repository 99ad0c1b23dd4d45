"""The cases of a run that did not pass, on the terminal: which check, why, and how the answer begins."""

from collections.abc import Iterator
from textwrap import wrap
from typing import TYPE_CHECKING

from evalspec.bench.reports.failing import NotPassed, not_passed
from evalspec.cli.render.text import say, visible
from evalspec.cli.shared import counted, stdout

if TYPE_CHECKING:
    from evalspec.bench.report import Report

CASES, CHECKS = 10, 3
"""So many cases are shown, and checks of one; the report has them all."""
REASON, ANSWER = 300, 160
"""Characters that are shown of a reason and of an answer."""


def show_failures(report: "Report") -> None:
    """Print the cases that did not pass, those that matter most first; nothing where all passed."""
    found = not_passed(report)
    if not found:
        return
    console = stdout()
    say(console, f"\nNot passed: {counted(len(found), 'case')}", "bold")
    for case in found[:CASES]:
        lines = [f"{_short(case.row.case_id, 120)} ({', '.join(case.marks(report.settings.runs))})"]
        for line in _why(case):
            lines += wrap(line, max(40, console.width), initial_indent="  ", subsequent_indent="    ")
        say(console, "\n".join(lines))
    if len(found) > CASES:
        say(console, f"and {len(found) - CASES:,} more: the report has them")


def _why(case: NotPassed) -> Iterator[str]:
    """The words of an error, or the checks that decided and the beginning of the answer that they are about."""
    if case.row.outcome == "error":
        yield f"error: {_short(case.row.error or 'no answer', REASON)}"
        return
    checks, turns = case.checks, len(case.row.inputs)
    for check in checks[:CHECKS]:
        at = f" on turn {check.turn + 1}" if turns > 1 else ""
        yield f"{_short(check.check, 80)}{at}: {_short(check.reason or 'no reason given', REASON)}"
    if len(checks) > CHECKS:
        yield f"and {counted(len(checks) - CHECKS, 'more check')}"
    if case.answer is not None:
        called = ", ".join(call.name for call in case.answer.tool_calls or ())
        said = _short(case.answer.text, ANSWER) if case.answer.text.strip() else ""
        yield f"answer: {said or (f'[called {_short(called, ANSWER)}]' if called else '(empty)')}"


def _short(said: str, most: int) -> str:
    """A text on one line of at most so many characters, with nothing in it that acts on a terminal."""
    line = " ".join(said[: most * 8].split())
    line = line.encode("utf-8", "replace").decode("utf-8")
    return visible(line if len(line) <= most else f"{line[: most - 1]}…")
