"""What the allocation found, as diagnostics: targets that cannot be met, values left empty, proofs not finished."""

from collections.abc import Iterator
from dataclasses import replace

from evalspec.compiler.allocate import Allocated, Collision, Unserved
from evalspec.compiler.files import CONFIG_FILE
from evalspec.compiler.model import Spec
from evalspec.compiler.origins import subdimension_place
from evalspec.spec.diagnostic import Diagnostic, Related, Severity, found

_SECTIONS = {"domain": "domain_split", "difficulty": "difficulty_split", "geography": "geography_split"}


def collision(spec: Spec, clash: Collision) -> Diagnostic:
    """A dimension whose target its subdimensions do not make up: ES203 or ES204, at the target."""
    place = spec.places.place_of(CONFIG_FILE, ("dimension_split", clash.dimension))
    related = [
        Related(subdimension_place(spec, line.name), f"{line.name}: {line.count:,} records in groups of {line.linkage}")
        for line in clash.lines
    ]
    would = " or ".join(f"{target:,}" for target in clash.nearest)
    if clash.kind == "counts":
        message = f"the subdimensions of {clash.dimension} come to {clash.asked:,}, its target is {clash.target:,}"
        hint = f"set the target to {would}, or `dataset.allocation: scale` to scale the subdimensions to it"
        return found("ES203", message, place, hint=hint, related=related)
    names = ", ".join(f"{line.name} ({line.linkage})" for line in clash.lines)
    message = (
        f"no whole groups make up the {clash.target:,} records of {clash.dimension} with every subdimension at the "
        f"floor or ceiling of its share: {names}"
    )
    hint = f"{would} would work as the target" if would else "change a subdimension's target_count or linkage"
    return found("ES204", message, place, hint=hint, related=related)


def remarks(spec: Spec, allocated: Allocated) -> Iterator[Diagnostic]:
    """Warnings and notes on an allocation that was found."""
    for entry in allocated.unserved:
        yield _unserved(spec, entry)
    if allocated.unproved:
        axes = ", ".join(allocated.unproved)
        message = f"the allocation by {axes} is good, and not proved to be the best: the solver stopped at its limit"
        yield found("ES209", message, spec.places.key_place(CONFIG_FILE, ("dimension_split",)))


def _unserved(spec: Spec, entry: Unserved) -> Diagnostic:
    section = _SECTIONS[entry.section]
    message = (
        f"{', '.join(entry.values)} of {section} get no record: the shares are too small for {entry.groups:,} groups"
    )
    place = spec.places.place_of(CONFIG_FILE, (section, entry.values[0]))
    related = Related(
        spec.places.place_of(CONFIG_FILE, ("dataset", "target_total")),
        f"{spec.config.dataset.target_total:,} records in all",
    )
    hint = f"about {entry.needed:,} records would give each of them one"
    return replace(found("ES204", message, place, hint=hint, related=[related]), severity=Severity.WARNING)
