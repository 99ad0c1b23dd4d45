"""Whether a record is what the JSON Schema of records admits.

The schema is the model's own, and the model is the stricter of the two: what it takes, the schema admits. So the model
looks first, in a twentieth of the time, and jsonschema says what is wrong with what the model does not take.
"""

from collections.abc import Iterator
from typing import Any

from evalspec.outputs.findings import SchemaFault
from evalspec.spec.record import Record, record_schema


class Validator:
    """Judges records one by one. `absent` says that columns are missing altogether: they are named once, elsewhere."""

    def __init__(self, absent: bool = False) -> None:
        from jsonschema import Draft202012Validator

        self._schema = Draft202012Validator(_inlined(record_schema()))
        self._absent = absent

    def faults(self, number: int, record: Any, text: str) -> Iterator[SchemaFault]:
        """What is wrong with a record of row `number`; `text` is its JSON. The form of ids has criteria of its own."""
        from pydantic import ValidationError

        try:
            Record.model_validate_json(text)
        except (ValidationError, ValueError):
            yield from self._looked_at(number, record)

    def _looked_at(self, number: int, record: Any) -> Iterator[SchemaFault]:
        for error in self._schema.iter_errors(record):
            path = list(error.absolute_path)
            id_form = error.validator == "pattern" and path[:1] in (["id"], ["linked_prompt_ids"])
            absent = error.validator == "required" and self._absent and not path
            if not id_form and not absent:
                where = ".".join(str(part) for part in path)
                yield SchemaFault(number, f"{where}: {error.message}"[:200] if where else error.message[:200])


def _inlined(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with its references put in place: following them is a third of the time that validating takes."""
    defined = schema.get("$defs", {})

    def inline(part: Any) -> Any:
        if isinstance(part, dict):
            reference = part.get("$ref", "")
            if reference:
                return inline(defined[reference.removeprefix("#/$defs/")])
            return {key: inline(value) for key, value in part.items() if key != "$defs"}
        return [inline(item) for item in part] if isinstance(part, list) else part

    plain_schema: dict[str, Any] = inline(schema)
    return plain_schema
