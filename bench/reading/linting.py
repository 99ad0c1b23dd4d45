"""What is wrong with a suite as a whole, whatever its format: ids, sizes, bars, shares, thresholds, tool names."""

from collections import defaultdict
from collections.abc import Iterator
from math import ceil

from evalspec.bench.checks import ToolCalled, ToolNotCalled, ToolsInOrder
from evalspec.bench.reading.gathered import Gathered, SetFacts
from evalspec.bench.suite import FULL_SET, Bar, Case
from evalspec.compiler.rules.es101_unknown_key import nearest
from evalspec.spec.diagnostic import Diagnostic, Related, Severity, found

SHARE_TOLERANCE = 0.02
"""A declared share may be off by so much, or by one case."""


def lint(gathered: Gathered) -> tuple[str, ...]:
    """Add what is wrong with the whole to the findings of its parts; why the suite is a draft comes back."""
    gathered.add(*_empty(gathered))
    gathered.add(*_thresholds(gathered), *_bars(gathered), *_tools(gathered), *_unchecked(gathered), *_links(gathered))
    drafts: list[str] = []
    by_set: dict[str, list[Case]] = defaultdict(list)
    for case in gathered.cases:
        by_set[case.set].append(case)
    for facts in gathered.sets.values():
        cases = by_set[facts.name]
        if not gathered.lost:  # shares and sizes of what could be read only are not those of the set
            for diagnostic in (*_shares(facts, cases), *_drafts(facts, cases), *_unfed(facts, cases)):
                gathered.add(diagnostic)
                if diagnostic.code in ("ES710", "ES711"):
                    drafts.append(diagnostic.message)
    return tuple(drafts)


def _empty(gathered: Gathered) -> Iterator[Diagnostic]:
    """Sets without a case; a file that could not be read is not known to be one."""
    if gathered.lost:
        return
    held = {case.set for case in gathered.cases}
    faulty = {d.place.file for d in gathered.diagnostics if d.severity is Severity.ERROR}
    for facts in gathered.sets.values():
        if facts.name not in held and facts.place.file not in faulty:
            hint = "write a case, or take the file out"
            yield found("ES704", f"{facts.place.file} holds no case", facts.place, hint=hint)


def _thresholds(gathered: Gathered) -> Iterator[Diagnostic]:
    """Thresholds of cases that differ from the bar of their metric, or from one another."""
    bars = {(facts.name, bar.metric): bar for facts in gathered.sets.values() for bar in facts.bars}
    first: dict[tuple[str, str], float] = {}
    for (name, metric, value), threshold in gathered.thresholds.items():
        bar = bars.get((name, metric))
        expected = bar.value if bar is not None else first.setdefault((name, metric), value)
        if value == expected:
            continue
        more = f" ({threshold.cases:,} cases say so)" if threshold.cases > 1 else ""
        message = f"a threshold of {value:g} for {metric}, where the bar is {expected:g}{more}"
        related = [Related(bar.place, "the bar")] if bar is not None else []
        hint = "a metric has one bar a set, and it is the one that was signed"
        yield found("ES712", message, threshold.where(), hint=hint, related=related)


def _bars(gathered: Gathered) -> Iterator[Diagnostic]:
    """Bars of one metric that differ between the sets of a suite."""
    first: dict[str, Bar] = {}
    for facts in gathered.sets.values():
        for bar in facts.bars:
            before = first.setdefault(bar.metric, bar)
            if (before.value, before.direction) != (bar.value, bar.direction):
                message = f"the bar of {bar.metric} is {_of(bar)} in {facts.name}, and {_of(before)} in another set"
                hint = "run the sets one at a time"
                related = [Related(before.place, "the other bar")]
                yield found("ES712", message, bar.place, hint=hint, related=related)


def _of(bar: Bar) -> str:
    return f"{'at most' if bar.direction == 'at_most' else 'at least'} {bar.value:g}"


def _tools(gathered: Gathered) -> Iterator[Diagnostic]:
    """Tool names that map to no tool of the suite."""
    known: set[str] = set()
    for case in gathered.cases:
        for check in (check for turn in case.turns for check in turn.checks):
            match check.spec:
                case ToolCalled(tools) | ToolsInOrder(tools):
                    known.update(tools)
                case ToolNotCalled(tool):
                    known.add(tool)
    for theirs, ours in gathered.tool_names.items():
        if ours not in known and known:
            near = nearest(ours, known)
            hint = f"did you mean {near}?" if near else "no check of the suite names it"
            message = f"tool_names maps {theirs} to {ours}, which no case names"
            yield found("ES722", message, gathered.tool_places[theirs], hint=hint)


def _unchecked(gathered: Gathered) -> Iterator[Diagnostic]:
    """Cases that no answer can fail."""
    bare = [case for case in gathered.cases if not any(turn.checks for turn in case.turns)]
    for case in bare[:20]:
        hint = "write a check, or take the case out: as it is, every answer passes"
        yield found("ES718", f"the case {case.case_id} checks nothing", case.place, hint=hint)
    if len(bare) > 20:
        yield found("ES718", f"{len(bare) - 20:,} more cases check nothing", bare[20].place)


def _links(gathered: Gathered) -> Iterator[Diagnostic]:
    """Links of native cases to cases that are not there; a release reports its own as one."""
    if gathered.format != "native" or gathered.lost:
        return
    known = {case.case_id for case in gathered.cases}
    for case in gathered.cases:
        for link in case.links:
            if link not in known:
                near = nearest(link, known)
                hint = f"did you mean {near}?" if near else ""
                yield found("ES717", f"{case.case_id} is linked to {link}, which is not here", case.place, hint=hint)


def _shares(facts: SetFacts, cases: list[Case]) -> Iterator[Diagnostic]:
    """Shares that a set declares and does not have."""
    total = len(cases)
    tags = {tag for case in cases for tag in case.tags}
    for share in facts.shares if total else ():
        count = sum(1 for case in cases if share.tag in case.tags)
        if abs(count - share.share * total) <= max(1.0, SHARE_TOLERANCE * total) + 1e-9:
            continue
        near = "" if count else nearest(share.tag, tags)
        due = f"{share.share:.1%} of {total:,} cases ({ceil(share.share * total - 0.5):,})"
        message = f"{facts.name} declares {due} with the tag {share.tag}, and holds {count:,} ({count / total:.1%})"
        hint = f"did you mean {near}?" if near else "a share may be off by 2 percentage points, or by one case"
        yield found("ES710", message, share.place, hint=hint)


def _drafts(facts: SetFacts, cases: list[Case]) -> Iterator[Diagnostic]:
    """What keeps a set that gates from gating."""
    if not facts.gates:
        return
    if 0 < len(cases) < FULL_SET:
        message = f"{facts.name} has {len(cases):,} cases, and a set that gates has {FULL_SET} or more"
        yield found("ES711", message, facts.place, hint="it runs as a draft: never green, and refused by --ci")
    barred = {bar.metric for bar in facts.bars}
    for bar in facts.bars:
        if not bar.signed_by:
            hint = "write who signed it off in signed_by"
            yield found("ES711", f"nobody signed the bar of {bar.metric} in {facts.name}", bar.place, hint=hint)
    for name in facts.metrics:
        if name not in barred:
            hint = "write it under bars, with who signed it off"
            yield found("ES711", f"the metric {name} has no bar in {facts.name}", facts.place, hint=hint)


def _unfed(facts: SetFacts, cases: list[Case]) -> Iterator[Diagnostic]:
    """Metrics with a bar that no case is scored by."""
    if not cases:
        return
    fed = {check.metric for case in cases for turn in case.turns for check in turn.checks}
    for bar in facts.bars:
        if bar.metric not in fed:
            hint = "its checks are for tags that no case carries, or lean on what no case expects"
            message = f"no case of {facts.name} is scored by {bar.metric}, so its bar cannot be judged"
            yield found("ES719", message, bar.place, hint=hint)
