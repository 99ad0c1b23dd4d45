"""Documents to a Spec: typed, defaults merged, and everything that does not fit reported once."""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from evalspec.compiler.corpus import CorpusReader
from evalspec.compiler.defaults import merged
from evalspec.compiler.document import Document
from evalspec.compiler.fields import Rules, resolve_fields
from evalspec.compiler.files import CONFIG_FILE, SOURCES_FILE, TEMPLATES_FOLDER, digest_of_files
from evalspec.compiler.folders import folder_faults
from evalspec.compiler.load import Loaded
from evalspec.compiler.meanings import config_faults, source_faults, template_faults
from evalspec.compiler.model import Spec, TextFault
from evalspec.compiler.rules.es107_ambiguous_scalar import ambiguous
from evalspec.compiler.rules.es303_template_id_duplicate import duplicate_id
from evalspec.compiler.sourcemap import SourceMap
from evalspec.compiler.strangers import stranger_faults
from evalspec.compiler.texts import faults_in, group_names, rubric_faults, template_texts
from evalspec.compiler.typed import typed
from evalspec.spec.config import GenerationConfig, SourceConfig
from evalspec.spec.diagnostic import Diagnostic
from evalspec.spec.source import YamlPath
from evalspec.spec.template import Template

_NO_CONFIG: dict[str, Any] = {
    "generation_model": {"provider": "embedded", "model_name": "unknown"},
    "dataset": {"target_total": 1},
    "domain_split": {"unknown": 1.0},
    "dimension_split": {"unknown": 1},
}
"""Stands in for a config that could not be read, so that templates can be judged."""


def resolve(loaded: Loaded) -> tuple[Spec, list[Diagnostic]]:
    """The Spec of a loaded folder, and what is wrong with its keys, types and values (ES1xx, ES404).

    With errors the Spec holds stand-ins, named in `Spec.lost`. Raises nothing.
    """
    return _Resolver(loaded).spec()


class _Resolver:
    def __init__(self, loaded: Loaded) -> None:
        self.loaded = loaded
        self.places: SourceMap = loaded.places
        self.diagnostics: list[Diagnostic] = []
        self.lost: set[tuple[str, YamlPath]] = {(name, ()) for name in loaded.unread}
        if not loaded.templates:
            self.lost.add((f"{TEMPLATES_FOLDER}/", ()))

    def spec(self) -> tuple[Spec, list[Diagnostic]]:
        """Resolve all files."""
        config = self._typed(self.loaded.config, CONFIG_FILE, GenerationConfig)
        sources = self._typed(self.loaded.sources, SOURCES_FILE, SourceConfig) or SourceConfig()
        templates, files = self._templates()
        given = config or GenerationConfig.model_validate(_NO_CONFIG)
        full = merged(given, templates)
        reader = CorpusReader(self.loaded.folder, sources, self.places)
        reader.lost |= {path for file, path in self.lost if file == SOURCES_FILE}
        corpus = tuple(reader.passages())
        fields = {name: resolve_fields(template) for name, template in templates.items()}
        self.diagnostics += reader.diagnostics
        self.lost |= {(SOURCES_FILE, path) for path in reader.lost}
        spec = Spec(
            config=full,
            sources=sources,
            templates=templates,
            fields=fields,
            places=self.places,
            digest=digest_of_files({**self.loaded.digests, **reader.digests}),
            corpus=corpus,
            corpus_files=tuple(reader.files),
            inferred_subdimensions=not given.subdimensions,
            template_files=files,
            faults=tuple(_faults(full, templates, files, fields)),
            lost=frozenset(self.lost),
        )
        self._meanings(spec)
        self._ambiguous()
        return spec, self.diagnostics

    def _typed(self, document: Document | None, file: str, model: type[Any]) -> Any:
        if document is None:
            self.lost.add((file, ()))
            return None
        instance, diagnostics, lost = typed(document, model, self.places)
        self.diagnostics += diagnostics
        self.lost |= {(file, path) for path in lost}
        if instance is None:
            self.lost.add((file, ()))
        return instance

    def _templates(self) -> tuple[dict[str, Template], dict[str, str]]:
        """Templates and their files by id, sorted; of two with one id the first is kept."""
        found: dict[str, tuple[Template, str]] = {}
        for document in self.loaded.templates:
            template = self._typed(document, document.file, Template)
            if template is None:
                continue
            name = template.id
            if (document.file, ("id",)) in self.lost:
                name = f"unknown-{PurePosixPath(document.file).stem}"
            elif name in found:
                first = self.places.place_of(found[name][1], ("id",))
                self.lost.add((document.file, ("id",)))
                self.diagnostics.append(duplicate_id(name, self.places.place_of(document.file, ("id",)), first))
                continue
            found[name] = (template, document.file)
        ordered = dict(sorted(found.items()))
        return {k: t for k, (t, _) in ordered.items()}, {k: f for k, (_, f) in ordered.items()}

    def _meanings(self, spec: Spec) -> None:
        """Values that the models take and the spec as a whole does not."""
        self.diagnostics += config_faults(spec)
        self.diagnostics += source_faults(spec)
        self.diagnostics += template_faults(spec)
        self.diagnostics += folder_faults(spec)
        self.diagnostics += stranger_faults(spec)

    def _ambiguous(self) -> None:
        """ES107, but for values at which something is wrong anyway."""
        said = {(d.place.file, d.place.line, d.place.column) for d in self.diagnostics}
        for document in self.places.documents.values():
            for path, leaf, elsewhere in document.ambiguous:
                place = self.places.lines(document.file).place(leaf.start, leaf.end, path)
                if (place.file, place.line, place.column) not in said:
                    self.diagnostics.append(ambiguous(leaf.text, elsewhere, place))


def _faults(
    config: GenerationConfig,
    templates: Mapping[str, Template],
    files: Mapping[str, str],
    fields: Mapping[str, Rules],
) -> Iterator[TextFault]:
    yield from rubric_faults(config.rubrics)
    shared = group_names(config, templates)
    for name, template in templates.items():
        yield from faults_in(files[name], template_texts(template, fields[name], shared[name]))
