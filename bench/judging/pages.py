"""The pages of the findings on judges (ES75x): what, why, example, and what to do."""

PAGES: dict[str, str] = {
    "ES750": """**What it is.** What `--judge` names is no file of settings, and no judge in short form.

**Why it matters.** Without a judge the checks that need one stay unscored, so the command does not guess.

**Example.** `--judge opnai:gpt-4o-mini`.

**Instead.** Name a YAML file, or write `PROVIDER:MODEL`, `custom:MODEL@URL`, or `recorded:FILE.jsonl`.""",
    "ES751": """**What it is.** The settings of a judge are well-formed, and no judge can be made of them.

**Why it matters.** A custom model has no address of its own, and one judge twice in a panel is one opinion that
counts twice.

**Example.** `provider: custom` without `base_url`; a panel with the same model and settings twice.

**Instead.** Set `base_url`. To ask one judge several times write `votes: 3`, with a temperature over 0.""",
    "ES752": """**What it is.** A file of recorded verdicts holds none.

**Why it matters.** Every check that needs the judge would be unscored.

**Example.** `recorded:verdicts.jsonl`, where the file has only blank lines.

**Instead.** A line is `{"case_id": "a-1", "reply": {"rationale": "...", "pass": true}}`; `check`, `turn`, `epoch` and
`vote` may be added. The journal of an earlier run (`trials.jsonl`) is such a file, too.""",
    "ES753": """**What it is.** The judge refused for a reason that asking again cannot mend: key, billing or request.

**Why it matters.** Every further verdict would be refused as well. The run stops; answers and verdicts that were given
are kept.

**Example.** HTTP 401, or "insufficient quota".

**Instead.** Mend the key, the billing or the model's name, and run the same command again: it goes on from there.""",
    "ES756": """**What it is.** A judge was named, and nothing was heard of it: nobody listens at its address, or what
is there answers every request with a fault. It is given up after three answers that it was to judge, each tried three
times.

**Why it matters.** Every check that needs it would be unscored, and the run would say nothing of what it is for. The
run stops without a verdict; what the target answered is kept.

**Example.** `the judge qwen cannot be reached: Connection error. (Cannot connect to host 127.0.0.1:8000)`.

**Instead.** See that the judge runs and that its address is right, then run the same command again: it goes on with the
verdicts and asks the target nothing. Without `--judge` those checks are unscored.""",
    "ES754": """**What it is.** A file of labels cannot be used: it is empty, or a line of it holds what does not go
together.

**Why it matters.** A judge that is measured against wrong labels looks better or worse than it is.

**Example.** An id that stands twice; a label of 6 on a scale of 1 to 5; a policy and a rubric on one line.

**Instead.** One answer a line: `{"id": "a-1", "question": "...", "answer": "...", "policy": "...", "label": "pass"}`,
or with `rubric` and `expected_behavior` in place of `policy` and a score as the label.""",
    "ES755": """**What it is.** All labels are pass, or all are fail.

**Why it matters.** A judge that always says the same would agree with every one of them. So kappa, the rates and the
agreement are not given.

**Example.** Forty answers that people passed, and none that they failed.

**Instead.** Add answers of the other side, best in equal numbers: thirty of each give intervals of about 0.1 to 0.2
on either side of a rate.""",
}
"""Code to page, Markdown."""
