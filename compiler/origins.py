"""Origins: where in the YAML each thing that a plan names was asked for."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict

from evalspec.compiler.files import CONFIG_FILE, SOURCES_FILE
from evalspec.compiler.model import Spec
from evalspec.spec.config import SourceConfig
from evalspec.spec.plan import Origin
from evalspec.spec.source import Place, YamlPath

_SECTIONS = (
    "generation_model",
    "dataset",
    "domain_split",
    "dimension_split",
    "difficulty_split",
    "geography_split",
    "subdimensions",
    "strategies",
    "rubrics",
    "labels",
    "acceptance",
    "dedup",
    "card",
)
_VALUES = ("dataset", "domain_split", "dimension_split", "difficulty_split", "geography_split", "acceptance", "dedup")
"""Sections whose entries are values, so that the value is the place; elsewhere the key is."""


def subdimension_place(spec: Spec, name: str) -> Place:
    """Where a subdimension is asked for: its key, or the template that it was inferred from."""
    if spec.inferred_subdimensions:
        lead = spec.config.subdimensions[name].templates[0]
        return spec.places.place_of(spec.template_files[lead], ("subdimension",))
    return spec.places.key_place(CONFIG_FILE, ("subdimensions", name))


def all_origins(spec: Spec, templates: Iterable[str], strategies: Iterable[str]) -> dict[str, Origin]:
    """The table of origins, by the keys that the plan documents."""
    places = spec.places
    out = {section: _origin(places.key_place(CONFIG_FILE, (section,))) for section in _SECTIONS}
    for section in _VALUES:
        for name in _entries(spec, section):
            path: YamlPath = (section, name)
            out[f"{section}.{name}"] = _origin(places.place_of(CONFIG_FILE, path))
    for name in spec.config.subdimensions:
        out[f"subdimensions.{name}"] = _origin(subdimension_place(spec, name))
    for name in templates:
        out[f"template:{name}"] = _origin(places.place_of(spec.template_files[name], ("id",)))
    for name in strategies:
        out[f"strategy:{name}"] = _origin(places.key_place(CONFIG_FILE, ("strategies", name)))
    for path in _sources(spec.sources):
        out[f"sources.{'.'.join(map(str, path))}"] = _origin(places.place_of(SOURCES_FILE, _named(path, spec.sources)))
    return out


def _sources(sources: SourceConfig) -> Iterator[YamlPath]:
    """The paths of the sections and entries that documents are read for."""
    if sources.wikipedia.categories:
        yield ("wikipedia",)
    yield from (("wikipedia", "categories", number) for number in range(len(sources.wikipedia.categories)))
    yield from (("web_sources", "targets", number) for number in range(len(sources.web_sources.targets)))
    apis = {"sec_edgar": sources.apis.sec_edgar, "osfi_guidelines": sources.apis.osfi_guidelines}
    yield from (("apis", name) for name, api in apis.items() if api is not None)
    yield from (("corpus", "folders", number) for number in range(len(sources.corpus.folders)))


def _named(path: YamlPath, sources: SourceConfig) -> YamlPath:
    """The path of what an entry is known by: its name, or the folder."""
    match path:
        case ("wikipedia", "categories", int(number)):
            return path if isinstance(sources.wikipedia.categories[number], str) else (*path, "name")
        case ("web_sources", "targets", _):
            return (*path, "name")
        case ("corpus", "folders", _):
            return (*path, "path")
        case _:
            return path


def _entries(spec: Spec, section: str) -> Iterable[str]:
    value = getattr(spec.config, section)
    return value if isinstance(value, dict) else type(value).model_fields


def _origin(place: Place) -> Origin:
    return Origin(**asdict(place))
