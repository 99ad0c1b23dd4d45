"""Compile: a spec folder in, a plan or diagnostics out; offline, and byte-stable."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, cast

from evalspec.compiler.allocate import Allocated, Ask, allocate
from evalspec.compiler.collisions import collision, remarks
from evalspec.compiler.emit import Pending, emit, pending_groups
from evalspec.compiler.linkage import member_templates
from evalspec.compiler.lint import lint
from evalspec.compiler.load import Loaded, load_folder
from evalspec.compiler.model import CONFIG_FILE, Spec
from evalspec.compiler.resolve import resolve
from evalspec.compiler.rules.es101_unknown_key import nearest
from evalspec.compiler.silence import silenced
from evalspec.compiler.table import lines_of
from evalspec.spec import diagnostic
from evalspec.spec.config import Dataset
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
    """What the passes hand on."""

    folder: Path
    options: Options
    loaded: Loaded | None = None
    spec: Spec | None = None
    allocated: Allocated | None = None
    pending: list[Pending] = field(default_factory=list)
    plan: Plan | None = None
    diagnostics: list[Diagnostic] = field(default_factory=list)


def compile_spec(folder: Path, options: Options | None = None) -> Compiled:
    """Compile the spec in `folder`, or beside a `generation_config.yaml` named in its place. Raises nothing.

    The passes that plan stand behind those that judge: nothing is planned from a spec with errors.
    """
    work = _Work(folder, options or Options())
    for step in JUDGING:
        step(work)
    _finish_judging(work)
    if not has_errors(work.diagnostics):
        for step in PLANNING:
            step(work)
            if has_errors(work.diagnostics):
                break
    if work.options.strict:
        work.diagnostics = diagnostic.strict(work.diagnostics)
    failed = has_errors(work.diagnostics)
    return Compiled(None if failed else work.plan, in_order(work.diagnostics))


def _load(work: _Work) -> None:
    work.loaded = load_folder(work.folder)
    work.diagnostics += work.loaded.diagnostics


def _resolve(work: _Work) -> None:
    work.spec, more = resolve(cast(Loaded, work.loaded))
    work.diagnostics += more


def _lint(work: _Work) -> None:
    work.diagnostics += lint(cast(Spec, work.spec))


def _finish_judging(work: _Work) -> None:
    """Set aside what comments silence."""
    work.diagnostics = in_order(silenced(work.diagnostics, cast(Loaded, work.loaded).places))


def _allocate(work: _Work) -> None:
    spec = cast(Spec, work.spec)
    work.diagnostics += _bad_filters(spec, work.options)
    match allocate(_ask(spec)):
        case Allocated() as allocated:
            work.allocated = allocated
            work.diagnostics += remarks(spec, allocated)
        case collisions:
            work.diagnostics += [collision(spec, clash) for clash in collisions]


def _expand(work: _Work) -> None:
    spec, allocated = cast(Spec, work.spec), cast(Allocated, work.allocated)
    work.pending = pending_groups(spec, allocated, _filters(work.options))
    if not work.pending:
        place = spec.places.key_place(CONFIG_FILE, ("dimension_split",))
        work.diagnostics.append(found("ES515", "the filters leave no group in the plan", place))


def _emit(work: _Work) -> None:
    spec, allocated = cast(Spec, work.spec), cast(Allocated, work.allocated)
    asked = spec.config.dataset.model_dump()
    for name in ("version", "mode"):
        if (value := getattr(work.options, name)) is not None:
            asked[name] = value
    dataset = Dataset.model_validate(asked)
    work.plan = emit(spec, allocated, work.pending, dataset, _filters(work.options))


Step = Callable[[_Work], None]
JUDGING: tuple[Step, ...] = (_load, _resolve, _lint)
PLANNING: tuple[Step, ...] = (_allocate, _expand, _emit)


def _filters(options: Options) -> Filters:
    return Filters(domain=options.domain, dimension=options.dimension, limit=options.limit)


def _ask(spec: Spec) -> Ask:
    config = spec.config
    return Ask(
        lines_of(spec),
        config.dimension_split,
        config.domain_split,
        {**config.difficulty_split},
        config.geography_split,
        {name: _strategies(spec, entry.templates, entry.linkage) for name, entry in config.subdimensions.items()},
        scale=config.dataset.allocation == "scale",
    )


def _strategies(spec: Spec, templates: tuple[str, ...], linkage: int) -> tuple[str, ...]:
    """The strategies that every template of a group allows, in the spec's order."""
    allowed = [set(spec.strategies_of(name)) for name in set(member_templates(templates, linkage))]
    return tuple(name for name in spec.config.strategies if all(name in own for own in allowed))


_Option = Literal["domain", "dimension"]


def _bad_filters(spec: Spec, options: Options) -> list[Diagnostic]:
    """Filters that name nothing, and options whose values cannot be (ES515)."""
    out = []
    known: dict[_Option, tuple[str, list[str]]] = {
        "domain": ("domain_split", list(spec.config.domain_split)),
        "dimension": ("dimension_split", list(spec.config.dimension_split)),
    }
    for option, (section, names) in known.items():
        value = getattr(options, option)
        if value is not None and value not in names:
            near = nearest(value, names)
            hint = f"did you mean {near}?" if near else f"the spec has {', '.join(names)}"
            place = spec.places.key_place(CONFIG_FILE, (section,))
            out.append(found("ES515", f"--{option} {value}: the spec has no such {option}", place, hint=hint))
    place = spec.places.key_place(CONFIG_FILE, ("dataset",))
    if options.limit is not None and options.limit < 1:
        out.append(found("ES515", f"--limit {options.limit}: a plan has at least one group", place))
    for option_name in ("version", "mode"):
        value = getattr(options, option_name)
        if value is not None and not _fits(option_name, value):
            out.append(
                found("ES515", f"--{option_name} {value}: not a {option_name}", place, hint=_SHAPES[option_name])
            )
    return out


_SHAPES = {"version": "three numbers, such as 1.0.0", "mode": "full_refresh or incremental"}


def _fits(name: str, value: str) -> bool:
    from pydantic import ValidationError

    try:
        Dataset.model_validate({"target_total": 1, name: value})
    except ValidationError:
        return False
    return True
