"""Compile: a spec folder in, a plan or diagnostics out; offline, and byte-stable."""

from collections.abc import Callable, Iterator
from dataclasses import field
from pathlib import Path

from pydantic import ValidationError

from evalspec.compiler.allocate import Allocated, Ask, allocate
from evalspec.compiler.collisions import collision, remarks
from evalspec.compiler.emit import Pending, emit, pending_groups
from evalspec.compiler.files import CONFIG_FILE
from evalspec.compiler.front import read_spec
from evalspec.compiler.linkage import member_templates
from evalspec.compiler.model import Spec
from evalspec.compiler.off_target import off_target
from evalspec.compiler.rules.es101_unknown_key import nearest
from evalspec.compiler.table import difficulty_shares, lines_of
from evalspec.spec import diagnostic
from evalspec.spec.config import Dataset
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import Diagnostic, found, has_errors, in_order
from evalspec.spec.plan import Filters, Plan


@dataclass(frozen=True, slots=True)
class Options:
    """What a compile may be told beside the spec: filters keep ids, version and mode override the config's."""

    domain: str | None = None
    dimension: str | None = None
    limit: int | None = None
    """Groups."""
    version: str | None = None
    mode: str | None = None
    strict: bool = False
    """Warnings count as errors."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """A plan, or None where there are errors; diagnostics are in order either way."""

    plan: Plan | None
    diagnostics: list[Diagnostic]


@dataclass(slots=True)
class _Work:
    """What the passes hand on; a pass that finds an error is the last."""

    spec: Spec
    options: Options
    diagnostics: list[Diagnostic]
    allocated: Allocated = field(default_factory=lambda: Allocated((), {}, {}, ()))
    pending: list[Pending] = field(default_factory=list)
    plan: Plan | None = None


def compile_spec(folder: Path, options: Options | None = None) -> Compiled:
    """Compile the spec in `folder`, or beside a `generation_config.yaml` named in its place. Raises nothing.

    Nothing is planned from a spec with errors.
    """
    chosen = options or Options()
    front = read_spec(folder)
    if front.spec is None:
        return _compiled(None, front.diagnostics, chosen)
    work = _Work(front.spec, chosen, list(front.diagnostics))
    for step in PASSES:
        step(work)
        if has_errors(work.diagnostics):
            return _compiled(None, work.diagnostics, chosen)
    return _compiled(work.plan, work.diagnostics, chosen)


def _compiled(plan: Plan | None, diagnostics: list[Diagnostic], options: Options) -> Compiled:
    shown = in_order(diagnostic.strict(diagnostics) if options.strict else diagnostics)
    return Compiled(None if has_errors(shown) else plan, shown)


def _allocate(work: _Work) -> None:
    match allocate(_ask(work.spec)):
        case Allocated() as allocated:
            work.allocated = allocated
            work.diagnostics += remarks(work.spec, allocated)
        case collisions:
            work.diagnostics += [collision(work.spec, clash) for clash in collisions]


def _expand(work: _Work) -> None:
    work.pending = pending_groups(work.spec, work.allocated, _filters(work.options))
    if not work.pending:
        place = work.spec.places.key_place(CONFIG_FILE, ("dimension_split",))
        work.diagnostics.append(found("ES515", "the filters leave no group in the plan", place))


def _emit(work: _Work) -> None:
    asked = work.spec.config.dataset.model_dump()
    for name in ("version", "mode"):
        if (value := getattr(work.options, name)) is not None:
            asked[name] = value
    dataset = Dataset.model_validate(asked)
    work.plan = emit(work.spec, work.allocated, work.pending, dataset, _filters(work.options))
    work.diagnostics += off_target(work.spec, work.plan)


def _judge_options(work: _Work) -> None:
    work.diagnostics += _bad_filters(work.spec, work.options)
    work.diagnostics += _bad_values(work.spec, work.options)


Step = Callable[[_Work], None]
PASSES: tuple[Step, ...] = (_judge_options, _allocate, _expand, _emit)
"""What follows the front end (load, resolve, lint), in order."""


def _filters(options: Options) -> Filters:
    return Filters(domain=options.domain, dimension=options.dimension, limit=options.limit)


def _ask(spec: Spec) -> Ask:
    config = spec.config
    return Ask(
        lines_of(spec),
        config.dimension_split,
        config.domain_split,
        difficulty_shares(spec),
        config.geography_split,
        {name: _strategies(spec, entry.templates, entry.linkage) for name, entry in config.subdimensions.items()},
        scale=config.dataset.allocation == "scale",
    )


def _strategies(spec: Spec, templates: tuple[str, ...], linkage: int) -> tuple[str, ...]:
    """The strategies that every template of a group allows, in the spec's order."""
    allowed = [set(spec.strategies_of(name)) for name in set(member_templates(templates, linkage))]
    return tuple(name for name in spec.config.strategies if all(name in own for own in allowed))


def _bad_filters(spec: Spec, options: Options) -> Iterator[Diagnostic]:
    """Filters that name nothing, or leave nothing (ES515)."""
    known = {
        "domain": (options.domain, "domain_split", [*spec.config.domain_split]),
        "dimension": (options.dimension, "dimension_split", [*spec.config.dimension_split]),
    }
    for option, (value, section, names) in known.items():
        if value is not None and value not in names:
            near = nearest(value, names)
            hint = f"did you mean {near}?" if near else f"the spec has {', '.join(names)}"
            place = spec.places.key_place(CONFIG_FILE, (section,))
            yield found("ES515", f"--{option} {value}: the spec has no such {option}", place, hint=hint)
    if options.limit is not None and options.limit < 1:
        place = spec.places.key_place(CONFIG_FILE, ("dataset",))
        yield found("ES515", f"--limit {options.limit}: a plan has at least one group", place)


def _bad_values(spec: Spec, options: Options) -> Iterator[Diagnostic]:
    """Options whose values the dataset's keys do not take (ES515)."""
    for name, value in (("version", options.version), ("mode", options.mode)):
        if value is not None and not _fits(name, value):
            place = spec.places.key_place(CONFIG_FILE, ("dataset",))
            yield found("ES515", f"--{name} {value}: not a {name}", place, hint=_SHAPES[name])


_SHAPES = {"version": "three numbers, such as 1.0.0", "mode": "full_refresh or incremental"}


def _fits(name: str, value: str) -> bool:
    try:
        Dataset.model_validate({"target_total": 1, name: value})
    except ValidationError:
        return False
    return True
