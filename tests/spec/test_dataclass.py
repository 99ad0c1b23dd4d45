"""Our dataclasses do what the standard library's do."""

import copy
import dataclasses
import inspect
import pickle
import threading
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field
from typing import Any

import pytest

from evalspec.spec.dataclass import dataclass as own

STANDARD: Any = dataclasses.dataclass
OWN: Any = own


def _made(decorate: Any) -> Any:
    @decorate(frozen=True, slots=True)
    class Base:
        """Two fields."""

        name: str
        size: int = 1

    @decorate(frozen=True, slots=True)
    class Thing(Base):
        """Every kind of field."""

        tags: list[str] = field(default_factory=list)
        note: str = field(default="", compare=False)
        hidden: str = field(default="h", repr=False)
        made: dict[str, int] = field(default_factory=dict, init=False, compare=False, repr=False)
        fixed: int = field(default=7, init=False)
        last: int = field(default=0, kw_only=True)

    return Thing


@pytest.fixture(params=[STANDARD, OWN], ids=["standard", "own"])
def thing(request: pytest.FixtureRequest) -> Any:
    return _made(request.param)


def test_fields_have_their_defaults(thing: Any) -> None:
    one = thing("a")
    assert (one.name, one.size, one.tags, one.note, one.made, one.fixed, one.last) == ("a", 1, [], "", {}, 7, 0)
    assert one.tags is not thing("b").tags


def test_fields_are_given_by_place_and_by_name(thing: Any) -> None:
    one = thing("a", 2, ["x"], last=5)
    assert (one.size, one.tags, one.last) == (2, ["x"], 5)
    for bad in (
        thing,
        lambda: thing("a", fixed=1),
        lambda: thing("a", other=1),
        lambda: thing("a", name="b"),
    ):
        with pytest.raises(TypeError):
            bad()


def test_equality_and_hash_are_those_of_what_is_compared(thing: Any) -> None:
    assert thing("a", note="x") == thing("a", note="y")
    assert thing("a") != thing("a", 2)
    assert thing("a") != ("a", 1)
    assert thing("a", 1, ()) in {thing("a", 1, ())}
    with pytest.raises(TypeError):
        hash(thing("a"))  # a list has no hash


def test_an_instance_is_not_changed(thing: Any) -> None:
    one = thing("a")
    for change in (lambda: setattr(one, "name", "b"), lambda: delattr(one, "name"), lambda: setattr(one, "new", 1)):
        with pytest.raises(
            (FrozenInstanceError, TypeError)
        ):  # 3.11 and 3.12 give TypeError for a name that is no field
            change()
    assert one.name == "a"


def test_it_shows_its_fields(thing: Any) -> None:
    shown = "Thing(name='a', size=1, tags=[], note='', fixed=7, last=0)"
    assert repr(thing("a")).endswith(shown)


def test_the_standard_library_takes_it_as_its_own(thing: Any) -> None:
    one = thing("a", 2, ["x"])
    assert dataclasses.is_dataclass(thing)
    assert dataclasses.replace(one, size=3) == thing("a", 3, ["x"])
    assert dataclasses.asdict(one) == {
        "name": "a", "size": 2, "tags": ["x"], "note": "", "hidden": "h", "made": {}, "fixed": 7, "last": 0,
    }  # fmt: skip
    assert copy.copy(one) == one == copy.deepcopy(one)
    match one:
        case _ if thing.__match_args__[:2] == ("name", "size"):
            pass
        case _:
            pytest.fail("no match")


def test_methods_of_the_class_stand() -> None:
    @own(frozen=True, slots=True)
    class Named:
        """A name without its case."""

        name: str

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Named) and self.name.lower() == other.name.lower()

        def __hash__(self) -> int:
            return 1

        def __repr__(self) -> str:
            return "named"

    assert Named("A") == Named("a")
    assert (hash(Named("a")), repr(Named("a"))) == (1, "named")


def test_what_is_not_frozen_changes_and_has_no_hash() -> None:
    @own(slots=True, repr=False)
    class Count:
        """A count."""

        n: int = 0

    one = Count()
    one.n += 1
    assert one == Count(1)
    assert repr(one).startswith("<")
    with pytest.raises(TypeError):
        hash(one)
    with pytest.raises(AttributeError):
        one.other = 1  # type: ignore[attr-defined]


@own(frozen=True, slots=True)
class Kept:
    """One that a pickle finds by its name."""

    a: int
    b: tuple[int, ...] = ()


def test_it_goes_through_a_pickle() -> None:
    assert pickle.loads(pickle.dumps(Kept(1, (2,)))) == Kept(1, (2,))


@pytest.mark.parametrize(
    "options", [{}, {"frozen": True}, {"slots": True, "order": True}, {"slots": True, "eq": False}]
)
def test_other_options_are_the_standard_librarys(options: dict[str, bool]) -> None:
    class Plain:
        """One field."""

        a: int = 0

    made = OWN(**options)(Plain)
    assert "__create_fn__" not in vars(made)
    assert inspect.signature(made).parameters["a"].default == 0


def test_post_init_is_called() -> None:
    seen = []

    @own(slots=True)
    class Noted:
        """It notes itself."""

        a: int

        def __post_init__(self) -> None:
            seen.append(self.a)

    Noted(3)
    Noted(4)
    assert seen == [3, 4]


def test_threads_make_first_instances_at_once() -> None:
    made: list[Any] = []
    kinds = [_made(OWN) for _ in range(20)]
    start = threading.Barrier(4)

    def make(build: Callable[[Any], Any]) -> None:
        start.wait()
        made.extend(build(kind) for kind in kinds)

    threads = [threading.Thread(target=make, args=(lambda kind: kind("a", 2, last=3),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {(one.name, one.size, one.last) for one in made} == {("a", 2, 3)}
    assert len(made) == 80


@pytest.mark.parametrize("decorate", [STANDARD, OWN])
def test_classes_of_few_fields_and_odd_names_are_as_others(decorate: Any) -> None:
    @decorate(frozen=True, slots=True)
    class Nothing:
        """No field."""

    @decorate(frozen=True, slots=True)
    class One:
        """One field."""

        value: float

    @decorate(frozen=True, slots=True)
    class Odd:
        """Names of its own code."""

        MISSING: int
        made: int
        set_made: int = 3
        listed: list[int] = field(default_factory=list)

    @decorate(frozen=True, slots=True)
    class Alike:  # noqa: PLW1641 # that is what is tried
        """An equality of its own."""

        name: str

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Alike)

    nan = float("nan")
    assert Nothing() == Nothing()
    assert hash(Nothing()) == hash(Nothing())
    assert One(1.0) == One(1.0)
    assert One(nan) != One(float("nan"))
    assert (Odd(1, 2).listed, Odd(1, 2).MISSING, Odd(1, 2).set_made) == ([], 1, 3)
    assert hash(Alike("a")) == hash(Alike("a"))
