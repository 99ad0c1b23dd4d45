"""evalspec bench: run a system under test over a suite, and gate on its bars."""

import os
import re
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from evalspec.cli.agreeing import agreed
from evalspec.cli.bench_calibrate import calibrate
from evalspec.cli.bench_compare import compare
from evalspec.cli.bench_example import example
from evalspec.cli.bench_files import refuse_ending
from evalspec.cli.bench_lint import lint
from evalspec.cli.shared import Exit, Format, fail, show_findings, stderr, usage
from evalspec.spec.diagnostic import Diagnostic, Severity, in_order

if TYPE_CHECKING:
    from evalspec.bench.benching import Benched
    from evalspec.bench.outlook import Ahead
    from evalspec.bench.preparing import Prepared, Wanted

DEFAULT = "run"
"""The hidden command that a first argument which is no command goes to."""
_NAMED = re.compile(r"^target *= *[\"'](.+)[\"']", re.MULTILINE)
_HTTP = re.compile(r"^kind: *[\"']?(?:http|provider)\b", re.MULTILINE)
_MOST = 1 << 20
"""Bytes of a file that is looked at before anything is read."""


class ReportForm(StrEnum):
    """What a report is written as."""

    JSON = "json"
    JUNIT = "junit"
    MD = "md"
    HTML = "html"


class BenchGroup(TyperGroup):
    """`bench SUITE` and `bench COMMAND` in one: what is no command is the beginning of a run."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the default command before what is none."""
        if args and args[0] not in self.commands and args[0] != "--help":
            args = [DEFAULT, *args]
        return super().parse_args(ctx, args)

    def format_usage(self, ctx: Any, formatter: Any) -> None:
        """Both ways of calling it."""
        formatter.write_usage(ctx.command_path, "[OPTIONS] [SUITE]")
        formatter.write_usage(ctx.command_path, "COMMAND [ARGS]...", prefix="       ")

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """The options of a run, and the other commands."""
        run = self.commands[DEFAULT]
        run.format_options(run.make_context(DEFAULT, [], parent=ctx, resilient_parsing=True), formatter)
        self.format_commands(ctx, formatter)


class RunContext(typer.Context):
    """The call of the default command, which goes by the name of its group wherever it is named."""

    @property
    def command_path(self) -> str:
        """As the group is called."""
        return self.parent.command_path if self.parent else super().command_path


class RunCommand(TyperCommand):
    """The default command, which shows itself without its name."""

    context_class = RunContext


HELP = """Run a system under test over a suite of cases, and gate on bars.

A suite is a scenario YAML, a support JSONL, a contract set, a release of evalspec, or a native YAML; the target is a
YAML file, http://..., python:module:function, command:..., recorded:answers.jsonl or provider:model. What was answered
is kept: the same command goes on where it was stopped, and asks nothing twice.

Examples: evalspec bench suite.yaml --target bot.yaml · evalspec bench cases.jsonl --target http://127.0.0.1:8000/answer
--runs 3 · evalspec bench --module triage --eval-set tickets --ci

Exit codes: 0 green or a draft · 1 red · 2 cannot run · 130 interrupted, resumable."""

app = typer.Typer(cls=BenchGroup, help=HELP, no_args_is_help=True, rich_markup_mode=None, add_completion=False)

_COMMANDS: dict[str, Callable[..., None]] = {
    "lint": lint,
    "compare": compare,
    "calibrate": calibrate,
    "example": example,
}
for name, command in _COMMANDS.items():
    app.command(name)(command)


@app.command(DEFAULT, cls=RunCommand, hidden=True, help=HELP)
def run(
    suite: Annotated[Path | None, typer.Argument(help="A suite: a file, or a folder of them.", metavar="SUITE")] = None,
    target: Annotated[str | None, typer.Option(help="What is under test.")] = None,
    judge: Annotated[str | None, typer.Option(help="Who judges what code cannot: a file, or provider:model.")] = None,
    module: Annotated[str | None, typer.Option(help="A module, in place of SUITE, with --eval-set.")] = None,
    eval_set: Annotated[str | None, typer.Option("--eval-set", help="A set of it: eval/MODULE/SET.jsonl.")] = None,
    prompt_version: Annotated[str | None, typer.Option(help="The version of the target's prompt.")] = None,
    model: Annotated[str | None, typer.Option(help="The target's model, in place of its own.")] = None,
    runs: Annotated[int | None, typer.Option(min=1, max=1000, help="How often each case is tried.")] = None,
    concurrency: Annotated[int | None, typer.Option(min=1, max=1024, help="Requests in flight.  [default: 1]")] = None,
    max_cases: Annotated[int | None, typer.Option(min=1, help="Only the first N cases.")] = None,
    filters: Annotated[list[str] | None, typer.Option("--filter", help="KEY=VALUE: only cases that have it.")] = None,
    policies: Annotated[Path | None, typer.Option(help="The policies of a support suite.")] = None,
    ratings: Annotated[Path | None, typer.Option(help="What people said of answers.")] = None,
    work: Annotated[Path | None, typer.Option(help="The folder of the journal, in place of eval/runs/...")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Set aside what was answered, and ask anew.")] = False,
    max_calls: Annotated[int | None, typer.Option(min=1, help="Stop before more than N requests.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before a run that costs money.")] = False,
    ci: Annotated[bool, typer.Option("--ci", help="Strict: no drafts, no undecided bars, no major failure.")] = False,
    report_form: Annotated[ReportForm | None, typer.Option("--report-format", help="What the report is.")] = None,
    out: Annotated[Path | None, typer.Option(help="Where the report goes, in place of eval/results/...")] = None,
    form: Annotated[Format, typer.Option("--format", help="How to show the result.")] = Format.TEXT,
) -> None:
    """Run a suite; HELP says more."""
    with ending_at_once():
        _head_start(target)
        from evalspec.bench.preparing import Wanted

    _refuse_bad(suite, module, eval_set, form)
    refuse_ending("bench", out, report_form, form)
    wanted = Wanted(
        suite=suite,
        module=module,
        eval_set=eval_set,
        target=target,
        judge=judge,
        prompt_version=prompt_version,
        model=model,
        runs=runs,
        concurrency=concurrency,
        max_cases=max_cases,
        filters=tuple(filters or ()),
        policies=policies,
        ratings=ratings,
        work=work,
        fresh=fresh,
        max_calls=max_calls,
        ci=ci,
    )
    raise typer.Exit(_run(wanted, yes, (report_form, out), form))


def _refuse_bad(suite: Path | None, module: str | None, eval_set: str | None, form: str) -> None:
    """End the command where it is not clear what is to be run."""
    if suite is not None and (module or eval_set):
        hint = "leave out SUITE, or --module and --eval-set"
        fail("bench", [usage("a suite is named twice: by its path and by its module", str(suite), hint)], form)
    if suite is not None and suite.name == str(suite) and not os.path.lexists(suite):
        from evalspec.compiler.rules.es101_unknown_key import nearest

        if near := nearest(suite.name, _COMMANDS, 0.75):
            fail("bench", [usage(f"there is no {suite}", str(suite), f"did you mean evalspec bench {near}?")], form)
    if suite is None and (module or eval_set) and not (module and eval_set):
        fail("bench", [_half_named(module, eval_set)], form)
    if suite is None and not module:
        hint = "evalspec bench SUITE --target T, or evalspec bench --module M --eval-set S"
        fail("bench", [usage("no suite is named", "SUITE", hint)], form)


def _half_named(module: str | None, eval_set: str | None) -> Diagnostic:
    """The finding that a module is named without a set, or a set without a module, and which there are."""
    from evalspec.bench.reading import modules_of, sets_of
    from evalspec.bench.settings import read_settings

    file, _ = read_settings(Path())
    root = (file.folder or Path()) / file.settings.root
    modules = modules_of(root)
    if module is None:
        having = [name for name in modules if eval_set in sets_of(root, name)] or modules
        hint = (
            f"{root.as_posix()} has the modules {', '.join(having)}" if having else f"{root.as_posix()} has no module"
        )
        return usage("--eval-set is given without --module", "--module", hint)
    if sets := sets_of(root, module):
        hint = f"{module} has the sets {', '.join(sets)}"
    else:
        hint = f"there is no set in {(root / module).as_posix()}"
        hint += f"; there are the modules {', '.join(modules)}" if modules else ""
    return usage("--module is given without --eval-set", "--eval-set", hint)


def _run(wanted: "Wanted", yes: bool, asked: tuple[ReportForm | None, Path | None], form: str) -> Exit:
    from evalspec.bench.benching import bench
    from evalspec.bench.preparing import prepare
    from evalspec.cli.bench_progress import showing

    with ending_at_once():
        prepared, found = prepare(wanted, Path())
    if prepared is None:
        return _ended(None, found, Exit.CANNOT_RUN, form)
    with showing(stderr, quiet=form != Format.TEXT) as events:
        benched = bench(prepared, events, lambda ahead: _agree(ahead, yes))
    said = [*found, *benched.diagnostics]
    if benched.report is None:
        return _unfinished(benched, said, form)
    return _reported(prepared, benched, said, asked, form)


def _head_start(target: str | None) -> None:
    """Begin to import the HTTP client where it will be needed, by the look of the target or of evalspec.toml.

    Its certificates are read beside all other imports then. A wrong guess costs a tenth of a second, and no more.
    """
    named = [target] if target is not None else _NAMED.findall(_text(Path("evalspec.toml")))
    if any(name.startswith(("http://", "https://", "provider:")) or _HTTP.search(_text(Path(name))) for name in named):
        threading.Thread(target=import_module, args=("aiohttp",), daemon=True).start()


def _text(path: Path) -> str:
    """What a small file holds; nothing where it cannot be read."""
    try:
        return path.read_text("utf-8") if path.is_file() and path.stat().st_size < _MOST else ""
    except (OSError, ValueError):
        return ""


@contextmanager
def ending_at_once() -> Iterator[None]:
    """Let Ctrl-C end the process there and then, while nothing is held or paid for.

    An exception in the middle of an import can leave its lock held (Python 3.11), and then whoever imports next beside
    it waits forever.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, lambda _number, _frame: os._exit(Exit.INTERRUPTED))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _agree(ahead: "Ahead", yes: bool) -> bool:
    """Say what a run may cost, and ask on a terminal whether to pay for it; True where nothing costs anything."""
    if not ahead.paid:
        return True
    from evalspec.cli.render.text import say

    said = f"estimate: {ahead.requests:,} requests, about {ahead.input_tokens:,} tokens of input"
    said += f"; up to {ahead.votes:,} votes of the judge" if ahead.votes else ""
    say(stderr(), f"{said}. Asking {' and '.join(ahead.paid)} may cost money.")
    return agreed(yes=yes)


def _unfinished(benched: "Benched", found: list[Diagnostic], form: str) -> Exit:
    """The end of a run without a report."""
    if benched.stopped == "interrupted" and form == Format.TEXT:
        stderr().print("stopped: what was answered is in the journal, and the same command goes on from there")
    code = Exit.INTERRUPTED if benched.stopped == "interrupted" else Exit.CANNOT_RUN
    return _ended(benched, found, code, form)


def _ended(
    benched: "Benched | None", found: "tuple[Diagnostic, ...] | list[Diagnostic]", code: Exit, form: str
) -> Exit:
    if form == Format.JSON:
        from evalspec.cli.render.json import document

        trials = benched.trials if benched else None
        counts = {"answered": len(trials.lines), "open": trials.open} if trials else None
        typer.echo(document("bench", code, in_order(found), report=None, trials=counts))
    else:
        show_findings(found, form)
    return code


def _reported(
    prepared: "Prepared",
    benched: "Benched",
    found: list[Diagnostic],
    asked: tuple[ReportForm | None, Path | None],
    form: str,
) -> Exit:
    """Write the report and show it; the exit code is the gate's, or 2 where the target answered nothing."""
    from evalspec.bench.gating import exit_of
    from evalspec.cli.bench_files import write_for_people, write_reports

    report = benched.report
    assert report is not None
    files = write_reports(report, prepared, *asked)
    people = files if isinstance(files, Diagnostic) else write_for_people(prepared, benched, files[-1])
    if isinstance(files, Diagnostic) or isinstance(people, Diagnostic):
        fault = [item for item in (files, people) if isinstance(item, Diagnostic)][:1]
        return _ended(benched, [*found, *fault], Exit.CANNOT_RUN, form)
    stuck = any(d.severity is Severity.ERROR for d in found)
    code = Exit.CANNOT_RUN if stuck else Exit(exit_of(report))
    match form:
        case Format.JSON:
            from evalspec.bench.reports.json import plain
            from evalspec.cli.render.json import document

            written = {"files": [str(path) for path in files], "for_people": people and str(people)}
            typer.echo(document("bench", code, in_order(found), **written, report=plain(report)))
        case Format.GITHUB:
            show_findings(found, form)
        case _:
            from evalspec.cli.bench_table import show_report

            show_findings(found, form)
            show_report(report, files, people)
    return code
