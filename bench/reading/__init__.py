"""Reading suites: any of five formats in, a Suite or all that keeps it from being one out.

The reader of a format is loaded when a suite is of it.
"""

from pathlib import Path

from evalspec.bench.reading.common import relative
from evalspec.bench.reading.detect import LOOKED_FOR, Found, detect
from evalspec.bench.reading.files import read_document
from evalspec.bench.reading.gathered import Gathered, Reading
from evalspec.bench.reading.linting import lint
from evalspec.bench.reading.parts import Part
from evalspec.bench.suite import SuiteFormat
from evalspec.compiler.rules.es101_unknown_key import nearest
from evalspec.spec.diagnostic import Diagnostic, found, in_order
from evalspec.spec.source import Place

__all__ = ["Reading", "modules_of", "read_set", "read_suite", "sets_of"]


def read_suite(path: Path, *, policies: Path | None = None) -> Reading:
    """Read and lint the suite at `path`: a file or a folder of any of the five formats.

    `policies` is the policies file of a support set. Raises nothing: all that is wrong comes back, in one go.
    """
    files = detect(path)
    if isinstance(files, Diagnostic):
        return Reading(None, (files,))
    gathered = Gathered(files.kind or "scenario", _name(path), Place(path.name or str(path)))
    match files.kind:
        case None:
            _read_yaml(files, gathered)
        case "support":
            _read_support(files, policies, gathered)
        case "contract":
            _read_contract(files, gathered)
        case _:
            _read_release(files, gathered)
    return _read(gathered)


def read_set(root: Path, module: str, eval_set: str) -> Reading:
    """Read and lint `<root>/<module>/<eval_set>.jsonl` with the contract.json beside it. Raises nothing."""
    folder = root / module
    path = folder / f"{eval_set}.jsonl"
    place = Place(f"{module}/{eval_set}.jsonl")
    plain = all(_is_plain(name) for name in (module, eval_set))
    if not plain or not folder.is_dir():
        known = modules_of(root)
        near = nearest(module, known)
        hint = f"did you mean {near}?" if near else f"{root} has {', '.join(known) or 'no module'}"
        return Reading(None, (found("ES701", f"there is no module {module} in {root}", place, hint=hint),))
    if not path.is_file():
        known = sets_of(root, module)
        near = nearest(eval_set, known)
        hint = f"did you mean {near}?" if near else f"{module} has {', '.join(known) or 'no set'}"
        return Reading(None, (found("ES701", f"there is no set {eval_set} of {module}", place, hint=hint),))
    gathered = Gathered("contract", eval_set, place)
    _read_contract(Found("contract", folder, (path,)), gathered)
    return _read(gathered)


def _is_plain(name: str) -> bool:
    """Whether a name can be that of a file in a folder, and of nothing elsewhere."""
    return name not in ("", ".", "..") and not set(name) & set("/\\\0") and len(name.encode("utf-8", "replace")) <= 200


def _name(path: Path) -> str:
    """The name of a suite: of its folder, or of its file without the suffix."""
    whole = path.resolve()
    return (whole.name if path.is_dir() else whole.stem) or "suite"


def modules_of(root: Path) -> list[str]:
    """The modules that have a contract under `root`."""
    try:
        return sorted(path.parent.name for path in root.glob("*/contract.json"))
    except OSError:
        return []


def sets_of(root: Path, module: str) -> list[str]:
    """The sets of a module under `root`; none where there is no such module."""
    if not _is_plain(module):
        return []
    try:
        return sorted(path.stem for path in (root / module).glob("*.jsonl"))
    except OSError:
        return []


def _read(gathered: Gathered) -> Reading:
    draft = lint(gathered)
    diagnostics = tuple(in_order(gathered.diagnostics))
    return Reading(gathered.suite(draft) if gathered.sound else None, diagnostics)


def _read_release(files: Found, gathered: Gathered) -> None:
    from evalspec.bench.reading.release import note_links, read_release_file, read_scales

    scales = read_scales(files.spec)
    for file in files.files:
        read_release_file(file, relative(file, files.root), scales, gathered)
    note_links(gathered)


def _read_support(files: Found, policies: Path | None, gathered: Gathered) -> None:
    from evalspec.bench.reading.policies import read_policies
    from evalspec.bench.reading.support import read_support

    known = read_policies(files.root, policies, files.root, gathered)
    for file in files.files:
        read_support(file, relative(file, files.root), known, gathered)


def _read_contract(files: Found, gathered: Gathered) -> None:
    from evalspec.bench.reading.contract import read_contract, read_contract_set

    contract = read_contract(files.root, relative(files.files[0], files.root), gathered)
    if contract is None:
        return
    for file in files.files:
        read_contract_set(file, relative(file, files.root), contract, gathered)
    if len(files.files) > 1:
        stems = {file.stem for file in files.files}
        for name in contract.file.sets:
            if name not in stems:
                place = contract.part.key_place("sets", name)
                gathered.add(
                    found("ES720", f"the contract declares the set {name}, and there is no {name}.jsonl", place)
                )


def _read_yaml(files: Found, gathered: Gathered) -> None:
    kinds: dict[SuiteFormat, str] = {}
    for file in files.files:
        name = relative(file, files.root)
        part = read_document(file, name, gathered)
        if part is None:
            continue
        kind = _kind(part)
        if kind is None:
            gathered.add(_no_suite(part, name))
            continue
        kinds.setdefault(kind, name)
        _read_cases(kind, part, name, gathered)
    if len(kinds) > 1:
        names = " and ".join(kinds.values())
        hint = "keep them in folders of their own"
        message = f"scenarios and native cases in one folder: {names}"
        gathered.add(found("ES701", message, gathered.place, hint=hint))
    gathered.format = next(iter(kinds), "scenario")


def _read_cases(kind: SuiteFormat, part: Part, name: str, gathered: Gathered) -> None:
    if kind == "native":
        from evalspec.bench.reading.native import read_native

        read_native(part, name, gathered)
    else:
        from evalspec.bench.reading.scenario import read_scenarios

        read_scenarios(part, name, gathered)


def _kind(part: Part) -> SuiteFormat | None:
    """Whether a document holds scenarios or native cases; a misspelt key is taken for what it is near."""
    if not isinstance(part.data, dict):
        return None
    if "scenarios" in part.data:
        return "scenario"
    if "cases" in part.data:
        return "native"
    near = {nearest(str(key), ("scenarios", "cases"), 0.75) for key in part.data}
    if "scenarios" in near:
        return "scenario"
    return "native" if "cases" in near else None


def _no_suite(part: Part, name: str) -> Diagnostic:
    what = f"{name} has neither `scenarios` nor `cases`"
    return found("ES701", what, part.place(), hint=_above(part.data) or LOOKED_FOR)


def _above(data: object) -> str:
    """What to write above a list that was taken out of a suite; empty where it is none."""
    entries = [entry for entry in data if isinstance(entry, dict)] if isinstance(data, list | tuple) else []
    if any("query" in entry or "severity" in entry for entry in entries):
        return "write `scenarios:` above the list"
    return "write `cases:` above the list" if any("input" in entry or "turns" in entry for entry in entries) else ""
