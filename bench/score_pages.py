"""The pages of the findings of a comparison (ES760 to ES779): what, why, example, and what to do."""

PAGES: dict[str, str] = {
    "ES760": """**What it is.** `compare` was given reports of two suites: the names, the modules or the digests of
their files differ.

**Why it matters.** A rate over other questions is no worse or better, it is of something else.

**Example.** A case was added to `dataset_v1.jsonl` between the two runs.

**Instead.** Run both on the same files, or say `--allow suite`: then the cases that both reports have, unchanged, are
compared, and the others are listed.""",
    "ES761": """**What it is.** The two reports were judged by different judges: another model, other parameters,
another panel, or none in one of them.

**Why it matters.** A stricter judge looks like a worse candidate.

**Example.** `judges gpt-4.1 and gpt-4.1-mini`.

**Instead.** Judge both alike; answers that are kept need not be asked for again. Or say `--allow judge`: the difference
is listed in the comparison.""",
    "ES762": """**What it is.** The prompt that the judge was given differs between the two reports.

**Why it matters.** The prompt of a judge is its yardstick; a word in it can move more verdicts than a new model does.

**Example.** `prompt_digest 5f3a... and 91c0...`.

**Instead.** Judge both with one prompt, or say `--allow judge_prompt`.""",
    "ES763": """**What it is.** Seed, temperature, top_p or max_tokens differ between the two reports.

**Why it matters.** What changed may be the settings' doing and not the candidate's.

**Example.** `temperature 0.0 and 0.7`.

**Instead.** Run both with the same settings, or say `--allow settings`, as you would to see how much a temperature
changes.""",
    "ES764": """**What it is.** No case stands unchanged in both reports and was scored in both.

**Why it matters.** A comparison is by case; there is none to compare.

**Example.** One report was made with `--filter tag=bengali`, the other with `--filter tag=english`.

**Instead.** Compare two runs of the same cases. Where a report has errors throughout, mend its target first.""",
    "ES765": """**What it is.** An option of `compare` makes no sense: a margin that is no share between 0 and 1,
something to allow that it does not know, or no resamples.

**Why it matters.** Nothing is compared by a guess at what was meant.

**Example.** `--margin 2`, for two percentage points.

**Instead.** Write the margin as a share, `--margin 0.02`; what may be allowed is suite, judge, judge_prompt and
settings.""",
}
"""Code to page, Markdown."""
