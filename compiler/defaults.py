"""What a spec leaves out: strategies and rubrics from `spec/defaults/`, subdimensions from its templates."""

from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any

from pydantic import TypeAdapter

from evalspec.compiler.document import build
from evalspec.compiler.tree import parse_tree
from evalspec.compiler.typed import frozen
from evalspec.spec.config import GenerationConfig, Rubric, Strategy, Subdimension
from evalspec.spec.template import Template


def _shipped(name: str) -> Any:
    text = files("evalspec.spec").joinpath(f"defaults/{name}.yaml").read_text(encoding="utf-8")
    root = parse_tree(text)
    assert root is not None
    return frozen(build(name, text, root).data)


@lru_cache(maxsize=1)
def default_strategies() -> dict[str, Strategy]:
    """The nine strategies of `defaults/strategies.yaml`, in its order."""
    return TypeAdapter(dict[str, Strategy]).validate_python(_shipped("strategies"))


@lru_cache(maxsize=1)
def default_rubrics() -> dict[str, Rubric]:
    """The rubrics of `defaults/rubrics.yaml`, in its order."""
    return TypeAdapter(dict[str, Rubric]).validate_python(_shipped("rubrics"))


def merged(config: GenerationConfig, templates: Mapping[str, Template]) -> GenerationConfig:
    """The config with what it leaves out filled in."""
    update: dict[str, Any] = {}
    if not config.strategies:
        update["strategies"] = default_strategies()
    if not config.rubrics:
        update["rubrics"] = default_rubrics()
    if not config.subdimensions:
        update["subdimensions"] = infer_subdimensions(config.dimension_split, templates)
    return config.model_copy(update=update) if update else config


def infer_subdimensions(targets: Mapping[str, int], templates: Mapping[str, Template]) -> dict[str, Subdimension]:
    """Each subdimension that a template names, with an equal part of its dimension's target.

    Several templates of one subdimension make one group. The parts are whole groups; what is left over goes, a
    group at a time, to where it deviates least.
    """
    members: dict[str, list[str]] = {}
    dimension: dict[str, str] = {}
    for template in templates.values():
        members.setdefault(template.subdimension, []).append(template.id)
        dimension.setdefault(template.subdimension, template.dimension)
    out: dict[str, Subdimension] = {}
    for name, target in targets.items():
        own = [sub for sub in members if dimension[sub] == name]
        counts = _parts(target, [len(members[sub]) for sub in own])
        for sub, count in zip(own, counts, strict=True):
            size = len(members[sub])
            out[sub] = Subdimension(
                dimension=name, target_count=count or size, templates=tuple(members[sub]), linkage=size
            )
    return out


def _parts(target: int, sizes: list[int]) -> list[int]:
    if not sizes:
        return []
    counts = [target // len(sizes) // size * size for size in sizes]
    left = target - sum(counts)
    ideal = target / len(sizes)
    while fitting := [index for index, size in enumerate(sizes) if size <= left]:
        best = min(fitting, key=lambda index: (abs(counts[index] + sizes[index] - ideal), index))
        counts[best] += sizes[best]
        left -= sizes[best]
    return counts
