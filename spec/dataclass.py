"""The standard library's dataclasses, made in a tenth of the time.

`dataclasses.dataclass` compiles some seven methods for each class, 0.4 ms, when the module that holds it is imported.
A command imports some 150 of them and makes instances of a third: that was a tenth of what a short run took. Here
`__init__` is compiled when the first instance is made, and what all classes can share they share. The classes are
dataclasses to everybody: `fields`, `replace`, `asdict`, `is_dataclass`, `match` and type checkers take them as such.
"""

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls: type | None = None, /, **options: Any) -> Any:
        """As `dataclasses.dataclass`, which makes what is not slotted or has options beyond `frozen` and `repr`."""
        if cls is None:
            return lambda cls: dataclass(cls, **options)
        own = options.keys() <= {"frozen", "slots", "repr"} and options.get("slots")
        return _made(cls, **options) if own else dataclasses.dataclass(**options)(cls)


def _made(cls: type, *, slots: bool, frozen: bool = False, repr: bool = True) -> type:
    """A slotted dataclass with the methods that it does not define itself."""
    assert slots
    own = set(cls.__dict__)
    if "__eq__" in own and cls.__dict__.get("__hash__") is None:
        own.discard("__hash__")  # Python's, as there is an equality of one's own
    made: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True)(cls)
    made.__compared__ = staticmethod(_compared(made))
    methods: dict[str, Any] = {"__init__": _first_init(made), "__eq__": _eq}
    if repr:
        methods["__repr__"] = _repr
    if frozen:
        methods |= {"__hash__": _hash, "__setattr__": _refuse_set, "__delattr__": _refuse_delete}
        methods |= {"__getstate__": _state, "__setstate__": _restore}
    else:
        methods["__hash__"] = None
    for name, method in methods.items():
        if name not in own:
            setattr(made, name, method)
    return made  # type: ignore[no-any-return]


def _compared(made: Any) -> Callable[[Any], Any]:
    """Gives what two instances are compared by."""
    names = [field.name for field in fields(made) if field.compare]
    if len(names) > 1:
        return attrgetter(*names)
    return lambda one: tuple(getattr(one, name) for name in names)


def _first_init(made: Any) -> Callable[..., None]:
    """The `__init__` of a class of which there is no instance yet: it puts the real one in its place."""

    def first(self: Any, *args: Any, **kwargs: Any) -> None:
        made.__init__ = _written_init(made)
        made.__init__(self, *args, **kwargs)

    return first


def _written_init(made: Any) -> Callable[..., None]:
    """The `__init__` that assigns the fields by their slots, with their defaults."""
    names: dict[str, Any] = {"__MISSING": MISSING}
    given: list[str] = []
    named: list[str] = []
    body: list[str] = []
    for field in fields(made):
        name, slot, default = field.name, f"__set_{field.name}", f"__default_{field.name}"
        names[slot] = getattr(made, name).__set__
        value, parameter = name, name
        if field.default_factory is not MISSING:
            names[default] = field.default_factory
            value, parameter = f"{default}() if {name} is __MISSING else {name}", f"{name}=__MISSING"
        elif field.default is not MISSING:
            names[default] = field.default
            parameter = f"{name}={default}"
        if field.init:
            (named if field.kw_only else given).append(parameter)
        elif default in names:
            value = default if field.default_factory is MISSING else f"{default}()"
        else:
            continue
        body.append(f"  {slot}(__self, {value})")
    if hasattr(made, "__post_init__"):
        body.append("  __self.__post_init__()")
    parameters = ", ".join(["__self", *given, *(["*", *named] if named else [])])
    lines = [
        f"def make({', '.join(names)}):",
        f" def __init__({parameters}):",
        *(body or ["  pass"]),
        " return __init__",
    ]
    space: dict[str, Any] = {}
    exec("\n".join(lines), {}, space)  # of names of fields alone, as the standard library does
    made_init: Callable[..., None] = space["make"](**names)
    made_init.__qualname__ = f"{made.__qualname__}.__init__"
    return made_init


def _eq(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    compared = self.__compared__
    return compared(self) == compared(other)


def _hash(self: Any) -> int:
    return hash(self.__compared__(self))


def _repr(self: Any) -> str:
    shown = ", ".join(f"{field.name}={getattr(self, field.name)!r}" for field in fields(self) if field.repr)
    return f"{self.__class__.__qualname__}({shown})"


def _refuse_set(_self: Any, name: str, _value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_delete(_self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for field, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)
