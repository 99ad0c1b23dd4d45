"""Names that the spec, evalspec or the Hub does not know, where a model takes any text (ES105)."""

from collections.abc import Iterator

from evalspec.compiler.defaults import default_rubrics, default_strategies
from evalspec.compiler.files import CONFIG_FILE
from evalspec.compiler.meanings import meant
from evalspec.compiler.model import Spec
from evalspec.compiler.rules.es101_unknown_key import nearest
from evalspec.compiler.rules.es105_value_not_allowed import not_allowed
from evalspec.spec.config import EMBEDDERS
from evalspec.spec.diagnostic import Diagnostic, Severity
from evalspec.spec.hub import AS_OF, LICENSES, TASK_CATEGORIES
from evalspec.spec.source import YamlPath, render_path


def stranger_faults(spec: Spec) -> Iterator[Diagnostic]:
    """Findings at embedders, dimensions of strategies and rubrics, licences and task categories."""
    path: YamlPath = ("dedup", "embedder")
    embedder = spec.config.dedup.embedder
    if not EMBEDDERS.fullmatch(embedder) and spec.clean(CONFIG_FILE, path):
        problem = f"is {embedder}; it may be hashed, or sentence-transformers: with a model's name or folder"
        yield not_allowed(render_path(path), problem, spec.places.place_of(CONFIG_FILE, path))
    yield from _dimensions(spec)
    yield from _card(spec)


def _dimensions(spec: Spec) -> Iterator[Diagnostic]:
    """Strategies and rubrics of the spec's own that are for dimensions which it does not have."""
    config, known = spec.config, spec.config.dimension_split
    if not spec.clean(CONFIG_FILE, ("dimension_split",)):
        return
    for section, entries, default in (
        ("strategies", config.strategies, default_strategies()),
        ("rubrics", config.rubrics, default_rubrics()),
    ):
        for name, entry in () if entries is default else entries.items():
            for index, dimension in enumerate(entry.dimensions):
                path: YamlPath = (section, name, "dimensions", index)
                if dimension not in known and spec.clean(CONFIG_FILE, path):
                    problem = f"names {dimension}, which dimension_split does not have"
                    place = spec.places.place_of(CONFIG_FILE, path)
                    severity = Severity.ERROR if nearest(dimension, known) else Severity.WARNING
                    yield not_allowed(render_path(path), problem, place, meant(dimension, known), severity)


def _card(spec: Spec) -> Iterator[Diagnostic]:
    """What the Hub does not know; it may know more since the lists were taken."""
    card = spec.config.card
    named: list[tuple[YamlPath, str, frozenset[str]]] = [(("card", "license"), card.license, LICENSES)]
    for index, category in enumerate(card.task_categories):
        named.append((("card", "task_categories", index), category, TASK_CATEGORIES))
    for path, name, known in named:
        if name not in known and spec.clean(CONFIG_FILE, path):
            near = nearest(name.lower().replace(" ", "-"), known)
            other = "" if "license" not in path else "write `other` for one of your own"
            place = spec.places.place_of(CONFIG_FILE, path)
            problem = f"is {name}, which the Hub does not know (list of {AS_OF})"
            hint = f"did you mean {near}?" if near else other
            yield not_allowed(render_path(path), problem, place, hint, Severity.WARNING)
