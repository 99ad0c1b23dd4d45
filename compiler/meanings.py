"""Values of the right type that name what the spec does not have, or contradict their neighbours (ES105)."""

from collections.abc import Iterable, Iterator

from evalspec.compiler.files import CONFIG_FILE, SOURCES_FILE
from evalspec.compiler.model import Spec
from evalspec.compiler.rules.es101_unknown_key import nearest
from evalspec.compiler.rules.es105_value_not_allowed import not_allowed
from evalspec.spec.config import Served
from evalspec.spec.diagnostic import Diagnostic, Severity
from evalspec.spec.source import YamlPath, render_path


def config_faults(spec: Spec) -> Iterator[Diagnostic]:
    """Labels of nothing, scales and sizes upside down."""
    config, places = spec.config, spec.places
    known = [*config.domain_split, *config.geography_split]
    if spec.clean(CONFIG_FILE, ("domain_split",)) and spec.clean(CONFIG_FILE, ("geography_split",)):
        for name in config.labels:
            if name not in known:
                place = places.key_place(CONFIG_FILE, ("labels", name))
                hint = meant(name, known)
                yield not_allowed(f"labels.{name}", "names no domain or geography", place, hint, Severity.WARNING)
    for name, rubric in config.rubrics.items():
        path: YamlPath = ("rubrics", name, "scale")
        if rubric.scale[0] >= rubric.scale[1] and spec.clean(CONFIG_FILE, path):
            problem = f"runs from {rubric.scale[0]} to {rubric.scale[1]}; the lowest score comes first"
            hint = f"write [{min(rubric.scale)}, {max(rubric.scale)}]"
            yield not_allowed(render_path(path), problem, places.place_of(CONFIG_FILE, path), hint)
    size = config.acceptance.size
    if size is not None and size.min > size.max and spec.clean(CONFIG_FILE, ("acceptance", "size")):
        path = ("acceptance", "size", "min")
        problem = f"is {size.min:,}, over the max of {size.max:,}"
        yield not_allowed(render_path(path), problem, places.place_of(CONFIG_FILE, path))


def source_faults(spec: Spec) -> Iterator[Diagnostic]:
    """Sources that serve domains or geographies that the spec does not have."""
    if not (spec.clean(CONFIG_FILE, ("domain_split",)) and spec.clean(CONFIG_FILE, ("geography_split",))):
        return
    axes = (("domains", list(spec.config.domain_split)), ("geographies", list(spec.config.geography_split)))
    for path, served in serving(spec):
        for key, known in axes:
            for index, name in enumerate(getattr(served, key)):
                at: YamlPath = (*path, key, index)
                if name not in known and spec.clean(SOURCES_FILE, at):
                    problem = f"names {name}, which the spec does not have"
                    place = spec.places.place_of(SOURCES_FILE, at)
                    yield not_allowed(render_path(at), problem, place, meant(name, known), Severity.WARNING)


def serving(spec: Spec) -> Iterator[tuple[YamlPath, Served]]:
    """The entries of the enabled sources with their paths; a category that is a bare name serves all."""
    sources = spec.sources
    if sources.wikipedia.enabled:
        for index, category in enumerate(sources.wikipedia.categories):
            served = Served() if isinstance(category, str) else category
            yield ("wikipedia", "categories", index), served
    if sources.web_sources.enabled:
        for index, target in enumerate(sources.web_sources.targets):
            yield ("web_sources", "targets", index), target
    if sources.apis.enabled:
        for name in ("sec_edgar", "osfi_guidelines"):
            api = getattr(sources.apis, name)
            if api is not None and api.enabled:
                yield ("apis", name), api
    if sources.corpus.enabled:
        for index, folder in enumerate(sources.corpus.folders):
            yield ("corpus", "folders", index), folder


def template_faults(spec: Spec) -> Iterator[Diagnostic]:
    """`is_adversarial` is true, false or hard."""
    for name, template in spec.templates.items():
        file = spec.template_files[name]
        if isinstance(template.is_adversarial, str) and template.is_adversarial != "hard":
            place = spec.places.place_of(file, ("is_adversarial",))
            problem = f"is {template.is_adversarial!r}; it may be true, false or hard"
            yield not_allowed("is_adversarial", problem, place)


def meant(name: str, known: Iterable[str]) -> str:
    """A hint for a name that is not known: the nearest that is, or all of them."""
    names = list(known)
    near = nearest(name, names)
    return f"did you mean {near}?" if near else f"the spec has {', '.join(names)}"
