"""Values that a cache can hold though they have no hash, such as the JSON Schemas of a suite."""

from typing import Any


class Same:
    """A value as the object that it is: another one, however equal, is another key. Nobody may change it meanwhile."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)
