"""Addresses in a text go, with the sentence that they stand in; nothing else does."""

import pytest

from evalspec.runtime.sources.unlinked import unlinked


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("The fee is 5 %. See www.bank.example/fees for more. It is due in May.", "The fee is 5 %. It is due in May."),
        ("The fee is 5 %. See https://bank.example.", "The fee is 5 %."),
        ("Write to a.person@bank.example! The fee is 5 %.", "The fee is 5 %."),
        ("One.\n\nSee http://a.example/b\n\n## Two\n\nThree.", "One.\n\n## Two\n\nThree."),
        ("- one\n- www.bank.example\n- three", "- one\n- three"),
        ("## www.bank.example\n\nText.", "Text."),
        (
            "The price is 3.50 @ noon; see sec. 5. No address here.",
            "The price is 3.50 @ noon; see sec. 5. No address here.",
        ),
        ("He said “see www.a.example.” The fee is 5 %.", "The fee is 5 %."),
        ("", ""),
    ],
)
def test_a_sentence_with_an_address_is_left_out(text: str, left: str) -> None:
    assert unlinked(text) == left
