"""What `--judge` names: a file of settings, or a judge in short form."""

import re
from pathlib import Path
from typing import get_args

from pydantic import ValidationError

from evalspec.bench.judging.config import JudgeConfig, JudgeFile, JudgeModel, JudgeProvider, PanelFile
from evalspec.bench.judging.prompts import PROMPTS
from evalspec.bench.yamlfile import YamlFile, read_yaml
from evalspec.compiler.document import Document
from evalspec.compiler.rules.es101_unknown_key import nearest
from evalspec.compiler.rules.es105_value_not_allowed import not_allowed
from evalspec.compiler.secrets import looks_like_key, masked
from evalspec.compiler.tree import Leaf
from evalspec.spec.diagnostic import Diagnostic, Related, found, has_errors
from evalspec.spec.source import Place, YamlPath, render_path

SUFFIXES = (".yaml", ".yml")
FORMS = "a YAML file, PROVIDER:MODEL, custom:MODEL@URL, or recorded:FILE.jsonl"
_SHORT = re.compile(r"(?P<provider>[A-Za-z]+):(?P<rest>.+)", re.DOTALL)
_ADDRESS = "set base_url, for example http://127.0.0.1:8000/v1"


def read_judge(given: str, folder: Path) -> tuple[JudgeConfig | None, tuple[Diagnostic, ...]]:
    """The settings of a judge, and what is wrong with them; None where that is an error.

    `given` is a YAML file, seen from `folder`, or a short form. Raises nothing.
    """
    path = folder / given
    if given.lower().endswith(SUFFIXES) or _is_file(path):
        return _from_file(path, given)
    match = _SHORT.fullmatch(given)
    if match is None or match["rest"].startswith("//"):
        return None, (_no_judge(given, f"a judge is {FORMS}"),)
    return _short(match["provider"], match["rest"].strip(), given, folder)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _no_judge(given: str, hint: str) -> Diagnostic:
    return found(
        "ES750", f"{masked(given)[:100]!r} is no file, and no judge in short form", Place("--judge"), hint=hint
    )


def _short(provider: str, rest: str, given: str, folder: Path) -> tuple[JudgeConfig | None, tuple[Diagnostic, ...]]:
    """The judge of a short form."""
    if provider not in get_args(JudgeProvider):
        near = nearest(provider.lower(), get_args(JudgeProvider))
        hint = f"did you mean {near}:{rest[:60]}?" if near else f"a judge is {FORMS}"
        return None, (_no_judge(given, hint),)
    model, at, url = rest.partition("@http")
    data = {"provider": provider, "model": model} | ({"base_url": f"http{url}"} if at else {})
    try:
        judge = JudgeModel.model_validate(data)
    except ValidationError:
        return None, (_no_judge(given, f"a judge is {FORMS}"),)
    if provider == "custom" and not at:
        message = f"{masked(given)[:100]!r} does not say where the model is asked"
        return None, (found("ES751", message, Place("--judge"), hint=f"write {given[:60]}@http://127.0.0.1:8000/v1"),)
    return JudgeConfig((judge,), 1, PROMPTS[-1], folder, Place("--judge"), (Place("--judge"),)), ()


def _from_file(path: Path, name: str) -> tuple[JudgeConfig | None, tuple[Diagnostic, ...]]:
    file = read_yaml(path, name, _keys)
    if isinstance(file, Diagnostic):
        return None, (file,)
    data = file.document.data
    if not isinstance(data, dict):
        hint = "begin with provider: and model:, or with panel:"
        return None, (found("ES750", f"{name} holds no settings of a judge", Place(name), hint=hint),)
    written = tuple(_keys_written(file, name))
    made, diagnostics = file.typed(PanelFile if "panel" in data else JudgeFile)
    everything = [*written, *(d for d in diagnostics if d.place not in {key.place for key in written})]
    if made is None:
        return None, tuple(everything)
    assert isinstance(made, (PanelFile, JudgeFile))
    config = _config(made, path.parent, file, name)
    everything += _faults(config, file, name)
    return (None if has_errors(everything) else config), tuple(everything)


def _config(made: PanelFile | JudgeFile, folder: Path, file: YamlFile, name: str) -> JudgeConfig:
    def place(*path: str | int) -> Place:
        return file.places.place_of(name, path)

    if isinstance(made, PanelFile):
        places = tuple(place("panel", index, "provider") for index in range(len(made.panel)))
        return JudgeConfig(made.panel, made.votes, made.prompt, folder, place("panel"), places)
    model = JudgeModel(**{key: getattr(made, key) for key in JudgeModel.model_fields})
    return JudgeConfig((model,), made.votes, made.prompt, folder, place("provider"), (place("provider"),))


def _faults(config: JudgeConfig, file: YamlFile, name: str) -> list[Diagnostic]:
    """What each value alone does not show."""
    out: list[Diagnostic] = []
    if config.prompt not in PROMPTS:
        near = nearest(config.prompt, PROMPTS)
        hint = f"did you mean {near}?" if near else ""
        problem = f"is {config.prompt}; it may be {', '.join(PROMPTS)}"
        out.append(not_allowed("prompt", problem, file.places.place_of(name, ("prompt",)), hint))
    first: dict[JudgeModel, Place] = {}
    for model, place in zip(config.models, config.places, strict=True):
        if model.provider == "custom" and model.base_url is None:
            message = f"{place.path} is custom, and nothing says where it is asked"
            out.append(found("ES751", message, place, hint=_ADDRESS))
        if model in first:
            related = (Related(first[model], "it stands here first"),)
            hint = "write votes: 2 to ask one judge twice"
            message = f"{model.model} stands twice in the panel with the same settings"
            out.append(found("ES751", message, place, hint=hint, related=related))
        first.setdefault(model, place)
    return out


def _keys(document: Document) -> frozenset[str]:
    """Keys in the place of the name of their variable: to be shown nowhere."""
    return frozenset(leaf.text for _, leaf in _key_leaves(document))


def _key_leaves(document: Document) -> list[tuple[YamlPath, Leaf]]:
    named = ((path, node) for path, node in document.nodes.items() if path and path[-1] == "api_key_env")
    return [(path, node) for path, node in named if isinstance(node, Leaf) and looks_like_key(node.text)]


def _keys_written(file: YamlFile, name: str) -> list[Diagnostic]:
    hint = "put it in .env, name the variable here, and replace the key: it has been seen"
    said = {d.place for d in file.diagnostics if d.code == "ES108"}
    out = []
    for path, _ in _key_leaves(file.document):
        place = file.places.place_of(name, path)
        if all((place.line, place.column) != (other.line, other.column) for other in said):
            message = f"what looks like a key or token is written in the settings at {render_path(path)}"
            out.append(found("ES108", message, place, hint=hint))
    return out
