"""The pages of the findings of a run of a suite (ES74x): what, why, example, and what to do."""

PAGES: dict[str, str] = {
    "ES740": """**What it is.** Neither `--target` nor evalspec.toml names what the cases are to be put to.

**Why it matters.** A suite says what is asked and what is expected; somebody has to answer.

**Example.** `evalspec bench cases.jsonl`, with no more.

**Instead.** Name a target: a YAML file, an address (`--target http://127.0.0.1:8000/answer`), a Python function
(`--target python:app.bot:answer`), a command, recorded answers or a model (`--target custom:my-model@http://...`).
For a module, set `target` in `[bench.modules.<module>]` of evalspec.toml.""",
    "ES741": """**What it is.** The first trials all failed and none was answered, or a target that had answered is out
of reach for minutes.

**Why it matters.** Five hundred errors say no more than ten, and cost time. The run stops; what was answered is kept.
A recording is read to its end, however many answers it lacks.

**Example.** `the target gives no answers: 10 trials failed and none was answered; the first error: HTTP 404`.

**Instead.** See that the target runs and that its address and its mapping of fields are right: `--max-cases 1` tries
one case. Then the same command goes on from there.""",
    "ES742": """**What it is.** `--ci` was given for a draft: a set of fewer than 200 cases, with a bar that is missing
or not signed, or a part of a suite.

**Why it matters.** A draft gates nothing; a pipeline that takes its exit code for a verdict would be misled.

**Example.** `--ci takes no draft: 60 cases are fewer than 200`.

**Instead.** Run it without `--ci` until it is whole and its bars are signed: it is marked draft everywhere.""",
    "ES743": """**What it is.** `--ci` was given, seed, temperature, top_p or max_tokens is not set in the `[bench]`
table of evalspec.toml, and the target is a model (kind `provider`) or the suite declares bars.

**Why it matters.** A figure that is cited beside a bar must be one that can be made again, and a model is asked with
these settings. An endpoint, a function, a command or a recording takes none of them: in a suite without bars none are
demanded. In one with bars they say with what its figures were made, whoever asked the model.

**Example.** `--ci needs the settings that make a figure reproducible, since this suite declares bars: seed is not set`.

**Instead.** In evalspec.toml, beside the suite or in a folder above it:

```toml
[bench]
seed = 42
temperature = 0.0
top_p = 1.0
max_tokens = 1024
```""",
    "ES744": """**What it is.** evalspec.toml is not TOML, or its `[bench]` table holds what bench does not know or
cannot use.

**Why it matters.** A setting that is passed over makes other figures than its author thinks.

**Example.** `[bench] has no setting temprature`.

**Instead.** Mend the line that is named. `[bench]` takes seed, temperature, top_p, max_tokens, runs, concurrency,
requests_per_minute, tokens_per_minute, root, target, judge, prompt_version, model, and a table `modules.<module>` with
the last four.""",
    "ES745": """**What it is.** Some trials have an error in place of an answer: the target raised, hung, or said
something that cannot be read.

**Why it matters.** They are shown as errors, never as wrong answers, and no rate counts them as either.

**Example.** `3 of 60 trials met an error; ret-ae-01: HTTP 500`.

**Instead.** Look at the errors in the report. The same command asks these trials again, and no others; a recording
wants the lines that it lacks. Where over 5 % of the cases met an error, the run is red.""",
    "ES746": """**What it is.** Some checks are decided by a judge, and none was named.

**Why it matters.** They stay unscored, with that reason. A blocking case that is undecided is never green.

**Example.** `31 checks need a judge, and none is named`.

**Instead.** Name one with `--judge`: a file with its provider and model. `evalspec bench calibrate` says how far it can
be trusted.""",
    "ES748": """**What it is.** Some answers of the run were given to an earlier one, and the others now.

**Why it matters.** What stands behind an address, or what a function imports, can change while its name stays the same.
Then the figures are of two systems. The report counts such answers under `kept`.

**Example.** `8 of 9 answers are from an earlier run`, after one case was added, or one had met an error.

**Instead.** Nothing, where the target is as it was: this is a note. `--fresh` sets the answers aside and asks anew.""",
    "ES747": """**What it is.** Every trial had been answered by an earlier run, and nothing was asked.

**Why it matters.** Answers are kept by everything that decides them: the case, the target with its model, settings and
prompt version, and the epoch. The checks were judged anew.

**Example.** The same command twice; or after a change of what a case expects.

**Instead.** Nothing: this is a note. `--fresh` sets the answers aside and asks anew; `--runs 3` asks more epochs.""",
    "ES749": """**What it is.** The `body` of a target's file names `$facts.NAME`, and no case of the suite has such a
fact.

**Why it matters.** A value that a case does not have is left out of its request. A misspelt name is left out of all of
them, and the target answers another question than was meant.

**Example.** `body.verified names $facts.verifed, which no case has`.

**Instead.** Write the name as the cases have it, or take it out of the request. Where some cases have the fact and
others do not, nothing is said.""",
}
"""Code to page, Markdown."""
