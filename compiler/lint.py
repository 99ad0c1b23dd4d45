"""Lint: walk the rules over a spec."""

from evalspec.compiler.model import Spec
from evalspec.compiler.ruleset import RULES
from evalspec.spec.diagnostic import Diagnostic, in_order
from evalspec.spec.source import render_path


def lint(spec: Spec) -> list[Diagnostic]:
    """The findings of every rule, but for those at values that were lost: these are reported already."""
    lost = {(file, render_path(path)) for file, path in spec.lost if path}
    findings = in_order(finding for rule in RULES for finding in rule(spec))
    return [finding for finding in findings if not _at_lost(finding, lost)] if lost else findings


def _at_lost(finding: Diagnostic, lost: set[tuple[str, str]]) -> bool:
    file, path = finding.place.file, finding.place.path
    return any(file == name and (path == gone or path.startswith((f"{gone}.", f"{gone}["))) for name, gone in lost)
