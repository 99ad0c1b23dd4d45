"""From a character of a scalar to the character of the file."""

import io

from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML
from ruamel.yaml.scalarstring import FoldedScalarString, LiteralScalarString

from evalspec.compiler.offsets import offsets
from evalspec.compiler.tree import Leaf, leaves, parse_tree

WORDS = st.text(st.sampled_from("ab {}'\"\\:#\n\t é-"), max_size=60)
MAKERS = st.sampled_from([str, LiteralScalarString, FoldedScalarString])


def value_leaf(text: str) -> Leaf:
    root = parse_tree(text)
    assert root is not None
    return max(leaves(root), key=lambda leaf: leaf.end - leaf.start)


@settings(max_examples=150, deadline=None)
@given(WORDS, MAKERS, st.sampled_from(["\n", "\r\n"]))
def test_each_character_comes_from_where_it_stands(value: str, maker: type[str], line_end: str) -> None:
    stream = io.StringIO()
    YAML().dump({"outer": {"a_long_key_that_is_not_the_longest": maker(value)}}, stream)
    text = stream.getvalue().replace("\n", line_end)
    leaf = value_leaf(text)
    if leaf.text == "a_long_key_that_is_not_the_longest":
        return
    found = offsets(text, leaf)
    assert found is not None
    assert len(found) == len(leaf.text) + 1
    for char, offset in zip(leaf.text, found, strict=False):
        if char not in " \n\t'\"\\é":
            assert char == text[offset]


def test_an_anchor_before_a_scalar_is_no_part_of_it() -> None:
    text = "key: &name |\n  ab\n"
    assert [text.index("ab"), text.index("ab") + 1, text.index("ab") + 2] == (offsets(text, value_leaf(text)) or [])[:3]


def test_an_escape_is_one_character() -> None:
    text = 'k: "a\\u00e9b"'
    assert offsets(text, value_leaf(text)) == [4, 5, 11, 12]
