"""Checks on the tools that the target called, under the names that the suite gives them."""

from collections.abc import Mapping

from evalspec.bench.checks import ToolCalled, ToolNotCalled, ToolsInOrder
from evalspec.bench.graders.finding import Finding, failed, listed, passed, quote, unscored
from evalspec.bench.results import TargetResult

NOT_REPORTED = unscored("the target does not report tools")


def called(result: TargetResult, names: Mapping[str, str]) -> tuple[str, ...] | None:
    """The suite's names of the tools that were called, in order; None where the target does not report them."""
    if result.tool_calls is None:
        return None
    return tuple(names.get(call.name, call.name) for call in result.tool_calls)


def tool_called(spec: ToolCalled, tools: tuple[str, ...] | None) -> Finding:
    """One of the accepted tools was called; none at all where none is accepted. Names compare exactly."""
    if tools is None:
        return NOT_REPORTED
    if not spec.accepted:
        return failed(f"called {listed(tools)}; no tool was due") if tools else passed()
    if any(tool in spec.accepted for tool in tools):
        return passed()
    return failed(f"called {_these(tools)}, not {' or '.join(quote(name) for name in spec.accepted[:5])}")


def tool_not_called(spec: ToolNotCalled, tools: tuple[str, ...] | None) -> Finding:
    """The tool was not called, not once."""
    if tools is None:
        return NOT_REPORTED
    return failed(f"called {quote(spec.tool)}") if spec.tool in tools else passed()


def tools_in_order(spec: ToolsInOrder, tools: tuple[str, ...] | None) -> Finding:
    """The tools were called in this order, others between them or not; twice where a name stands twice."""
    if tools is None:
        return NOT_REPORTED
    rest = iter(tools)
    for number, wanted in enumerate(spec.tools):
        if wanted not in rest:  # goes on from where the last one was found
            after = f" after {listed(spec.tools[:number])}" if number else ""
            return failed(f"called {_these(tools)}: no {quote(wanted)}{after}")
    return passed()


def _these(tools: tuple[str, ...]) -> str:
    return listed(tools) if tools else "no tool"
