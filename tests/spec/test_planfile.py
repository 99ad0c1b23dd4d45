"""plan.json is written in one way, whatever wrote it first."""

import json

from hypothesis import given
from hypothesis import strategies as st

from evalspec.spec.planfile import _canonical

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)


@given(VALUES)
def test_the_writer_gives_what_json_gives_with_sorted_keys_and_an_indent_of_one(value: object) -> None:
    assert json.dumps(value, ensure_ascii=False, sort_keys=True, indent=1) == _canonical(value, "\n")
