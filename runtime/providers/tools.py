"""Functions that a model may call: as the services want them, and as their replies name them."""

import json
from typing import Any

from evalspec.runtime.providers import ToolUse
from evalspec.runtime.providers.endpoint import Endpoint


def functions(tools: tuple[dict[str, Any], ...]) -> list[dict[str, Any]]:
    """Functions as the chat protocol takes them."""
    return [{"type": "function", "function": tool} for tool in tools]


def tool_use(endpoint: Endpoint, name: Any, arguments: Any) -> ToolUse:
    """A call from a reply, without the key; arguments that are no object stand under `value`."""
    text = endpoint.clean(arguments if isinstance(arguments, str) else json.dumps(arguments))
    try:
        given = json.loads(text) if text else {}
    except ValueError:
        given = text
    return ToolUse(endpoint.clean(str(name)), given if isinstance(given, dict) else {"value": given})
