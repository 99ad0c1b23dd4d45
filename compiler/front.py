"""The front end in one call: a spec folder in, a Spec or diagnostics out."""

from pathlib import Path

from evalspec.compiler.lint import lint
from evalspec.compiler.load import load_folder
from evalspec.compiler.model import Spec
from evalspec.compiler.resolve import resolve
from evalspec.compiler.silence import silenced
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import Diagnostic, has_errors, in_order


@dataclass(frozen=True, slots=True)
class Front:
    """What the front end makes of a folder; `spec` is None where a diagnostic is an error."""

    spec: Spec | None
    diagnostics: list[Diagnostic]


def read_spec(folder: Path) -> Front:
    """Load, resolve and lint a spec folder; findings in the order of files and lines. Raises nothing."""
    loaded = load_folder(folder)
    if loaded.config is None and loaded.sources is None and not loaded.templates:
        return Front(None, in_order(loaded.diagnostics))
    spec, refused = resolve(loaded)
    everything = [*loaded.diagnostics, *refused, *lint(spec)]
    shown = in_order(silenced(everything, loaded.places))
    return Front(None if has_errors(shown) else spec, shown)
