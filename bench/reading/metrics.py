"""The metrics, bars and shares that a contract or a native file declares, and the checks that they make of a case."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace

from evalspec.bench import checks as c
from evalspec.bench.checks import Check, CheckSpec
from evalspec.bench.reading.gathered import Gathered, SetFacts
from evalspec.bench.reading.parts import Part, require
from evalspec.bench.reading.schemas import Validator, schema_at, schema_fault
from evalspec.bench.reading.shapes import BarEntry, MetricEntry
from evalspec.bench.reading.templates import Applied, Template, apply, templates_of
from evalspec.bench.suite import Bar, Direction, Metric, Share
from evalspec.compiler.rules.es101_unknown_key import nearest
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import found
from evalspec.spec.source import Place, YamlPath

MAX_KNOWN = 1000
"""Values whose fit is kept, not found anew for each case."""


@dataclass(frozen=True, slots=True)
class MetricRules:
    """A metric and the checks that count for it."""

    metric: Metric
    direction: Direction
    templates: tuple[Template, ...]


@dataclass(slots=True)
class Rules:
    """What a file declares beside its cases."""

    part: Part
    gathered: Gathered
    metrics: dict[str, MetricRules] = field(default_factory=dict)
    input: Validator | None = None
    output: dict[str, object] | None = None
    _fitting: dict[str, Validator | None] = field(default_factory=dict)
    _known: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)

    def misfits(self, spec: CheckSpec) -> Iterator[str]:
        """Why no answer that fits the output schema can pass a check."""
        values: tuple[object, ...]
        match spec:
            case c.Equals(value, path) | c.NumberIs(value, _, path) if path:
                values = (list(value) if isinstance(value, tuple) else value,)
            case c.NotAbove(path, _, order):
                values = order
            case _:
                return
        validator = self._validator(path)
        if validator is None:
            return
        for value in values:
            key = (path, repr(value))
            if len(self._known) >= MAX_KNOWN:
                self._known.clear()
            if key not in self._known:
                self._known[key] = tuple(f"{path}: {wrong}" for _, wrong in validator.faults(value))
            yield from self._known[key]

    def _validator(self, path: str) -> Validator | None:
        if path not in self._fitting:
            inner = schema_at(self.output, path)
            self._fitting[path] = None if inner is None else Validator(inner)
        return self._fitting[path]


def read_rules(part: Part, metrics: Mapping[str, MetricEntry], gathered: Gathered, unchecked: bool) -> Rules:
    """The rules of a file. Metrics without checks are a finding unless `unchecked`."""
    rules = Rules(part, gathered)
    for key in ("input", "output"):
        schema = part.data.get(key)
        if not isinstance(schema, dict):
            continue
        if wrong := schema_fault(schema):
            message = f"{key} is no JSON Schema: {wrong}"
            gathered.add(found("ES715", message, part.key_place(key), hint="see json-schema.org, draft 2020-12"))
        elif key == "input":
            rules.input = Validator(schema)
        else:
            rules.output = schema
    for name, entry in metrics.items():
        inner = part.sub("metrics", name)
        require(inner, ("direction",), MetricEntry.model_fields, gathered.diagnostics)
        templates = [_named(template, name, gathered) for template in _listed(inner, gathered)]
        if not entry.checks and not unchecked and "checks" not in inner.data:
            hint = "write its checks, each a mapping of a check key to its arguments"
            gathered.add(found("ES715", f"the metric {name} has no checks", inner.key_place(), hint=hint))
        for template in templates:
            _fits_output(template, rules)
        rules.metrics[name] = MetricRules(Metric(name, entry.counts), entry.direction, tuple(templates))
        before = gathered.metrics.setdefault(name, Metric(name, entry.counts))
        if before.counts != entry.counts:
            message = f"the metric {name} counts {entry.counts} here, and {before.counts} in another file"
            hint = "give one of the two another name, or run the files one at a time"
            gathered.add(found("ES712", message, inner.key_place(), hint=hint))
    return rules


def _listed(part: Part, gathered: Gathered) -> list[Template]:
    parts = part.entries("checks")
    if not parts and isinstance(part.data.get("checks"), list):
        hint = "write its checks, each a mapping of a check key to its arguments"
        gathered.add(found("ES715", "the metric has an empty list of checks", part.key_place("checks"), hint=hint))
    return templates_of(parts, gathered.diagnostics)


def _named(template: Template, metric: str, gathered: Gathered) -> Template:
    """A template of a metric counts for that metric; its name tells it from the same check of another."""
    if template.metric not in (None, metric):
        message = f"a check of the metric {metric} names the metric {template.metric}"
        gathered.add(found("ES715", message, template.part.place("metric"), hint="leave it out"))
    given = isinstance(template.part.data, dict) and "name" in template.part.data
    name = template.name if given else f"{metric}.{template.name}"
    fixed = None if template.fixed is None else replace(template.fixed, name=name, metric=metric)
    return replace(template, metric=metric, name=name, fixed=fixed)


def _fits_output(template: Template, rules: Rules) -> None:
    if template.fixed is not None:
        for wrong in _safely(rules, template.fixed.spec):
            rules.gathered.add(found("ES708", f"the output schema rules it out: {wrong}", template.part.place()))


def _safely(rules: Rules, spec: CheckSpec) -> list[str]:
    try:
        return list(rules.misfits(spec))
    except ValueError as error:
        rules.gathered.add(found("ES715", f"the output schema cannot be used: {error}", rules.part.key_place("output")))
        rules.output = None
        return []


def checks_of(rules: Rules, facts: SetFacts, case: Part, tags: frozenset[str], metric: str | None) -> list[Applied]:
    """The checks that the metrics of a set make of a case; `metric` is the one that the case declares for itself."""
    out = []
    for name in facts.metrics:
        for template in rules.metrics[name].templates:
            applied = apply(template, case, tags, metric == name, rules.gathered.diagnostics)
            if applied is None:
                continue
            out.append(applied)
            if template.fixed is None:
                note_misfits(rules, applied, case)
    return out


def note_misfits(rules: Rules, applied: Applied, case: Part) -> None:
    """Report what a case expects and the output schema rules out."""
    for wrong in _safely(rules, applied.check.spec) if rules.output is not None else ():
        place = case.place(*(applied.leans_on or ()))
        rules.gathered.add(found("ES708", f"the output schema rules out what is expected: {wrong}", place))


def note_input(rules: Rules, case: Part) -> None:
    """Report an input that does not fit the input schema."""
    if rules.input is None or "input" not in case.data:
        return
    try:
        for path, wrong in rules.input.faults(case.data["input"]):
            rules.gathered.add(
                found("ES709", f"the input does not fit its schema: {wrong}", case.place("input", *path))
            )
    except ValueError as error:
        rules.gathered.add(found("ES715", f"the input schema cannot be used: {error}", rules.part.key_place("input")))
        rules.input = None


def note_bars(part: Part, path: YamlPath, bars: Mapping[str, BarEntry], rules: Rules, facts: SetFacts) -> Iterable[str]:
    """Take the bars of a set; the names of metrics that there are none of come back."""
    for name, entry in bars.items():
        place = part.key_place(*path, name)
        if name not in rules.metrics:
            yield name
        elif entry.bar is not None:
            signed = entry.signed_by.strip()
            facts.bars.append(Bar(name, entry.bar, rules.metrics[name].direction, signed, place))


def take_set(
    part: Part, path: YamlPath, entry: tuple[Mapping[str, BarEntry], Mapping[str, float]], rules: Rules, facts: SetFacts
) -> list[tuple[str, Place]]:
    """Take bars and shares; `path` is where `bars` and `shares` stand. What names no metric comes back."""
    bars, shares = entry
    strange = [
        (name, part.key_place(*path, "bars", name)) for name in note_bars(part, (*path, "bars"), bars, rules, facts)
    ]
    facts.shares += [Share(tag, share, part.key_place(*path, "shares", tag)) for tag, share in shares.items()]
    return strange


def take_thresholds(rules: Rules, facts: SetFacts, gathered: Gathered) -> None:
    """Make the threshold of the cases the bar of a metric that has none; nobody signed it."""
    barred = {bar.metric for bar in facts.bars}
    for (name, metric, value), threshold in gathered.thresholds.items():
        if name == facts.name and metric not in barred:
            barred.add(metric)
            facts.bars.append(Bar(metric, value, rules.metrics[metric].direction, "", threshold.where()))


def note_strange(strange: Iterable[tuple[str, Place]], known: Iterable[str], gathered: Gathered) -> None:
    """Report names of metrics that there are none of."""
    names = list(known)
    for name, place in strange:
        near = nearest(name, names)
        hint = f"did you mean {near}?" if near else f"the metrics are {', '.join(names) or 'none'}"
        gathered.add(found("ES716", f"there is no metric {name}", place, hint=hint))


def distinct(checks: Iterable[Check]) -> tuple[Check, ...]:
    """The checks of a turn, those of one name told apart by number."""
    seen: dict[str, int] = {}
    out = []
    for check in checks:
        count = seen[check.name] = seen.get(check.name, 0) + 1
        out.append(check if count == 1 else replace(check, name=f"{check.name}.{count}"))
    return tuple(out)
