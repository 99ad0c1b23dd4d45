"""The pages of the findings of a run (ES5xx): what, why, example, and what to do."""

_TEXT = """
ES501
**What it is.** After the last round a cell of the plan holds fewer records than it was planned to.

**Why it matters.** A dataset that is short in one cell is no longer the one the spec asks for, so a short count is
never silent: the run ends with exit code 1 and `check` judges what there is.

**Example.** `4 records short: open_book_faithfulness, banking, usa, hard` after a provider that kept failing.

Where the cause is that groups repeat others, the message says so, with the number of chunks of text that the
subdimension was written from: `; 2 fell as duplicates of other records (rates was written from 1 chunk of text)`.
Where replies were refused, it says what most of the last ones were refused for: `; 3 of 4 last replies were refused:
members[0].question: min length is 15`.

**Instead.** Where groups fell as duplicates, another run draws on the same text: look at the pairs in
`data/generated/duplicates.jsonl`, then give the cell more source text, or ask for less of it. Elsewhere run again: open
slots are tried anew and nothing that was accepted is bought twice. If it stays short, look into
`data/generated/validation_errors.jsonl`.
ES502
**What it is.** The journal ended in the middle of a line, as it does after a kill or a power cut.

**Why it matters.** The torn line was cut off; what it would have said is asked for again, nothing else is.

**Example.** `112 bytes of a torn last line were cut off`.

**Instead.** Nothing: this is a note.
ES503
**What it is.** Another run is working on the same folder.

**Why it matters.** Two runs on one journal would buy slots twice and write over each other.

**Example.** `this folder is held by process 4711 on host a, since 10:02`.

**Instead.** Wait for it, stop it, or run in another folder. After a crash the lock frees itself. A run that was
killed is waited for: it still takes in the replies that were on their way to it, for as long as one may take.
ES504
**What it is.** The provider refused for a reason that asking again cannot mend: the key, the account, or the request.

**Why it matters.** Retries would only cost time; the run stops, and what was filled stays in the journal.

**Example.** HTTP 401, or "insufficient quota".

**Instead.** Mend the key, the billing or the model's name, and run the same command again: it goes on from there.
ES505
**What it is.** The environment variable that `generation_model.api_key_env` names is not set, or holds what no HTTP
header takes: a line break, a space within, a control character, or a character outside ASCII.

**Why it matters.** Keys come only from the environment or from `.env` beside the plan; they are never written anywhere.

**Example.** `GENERATION_API_KEY is not set`.

**Instead.** Copy `.env.example` to `.env` and fill it in, or try without a key: `evalspec run --provider embedded`.
ES506
**What it is.** The file is not a plan: it is missing, not JSON, or does not fit the published JSON Schema.

**Why it matters.** A plan is the contract of a run; a run on half a contract would fill the wrong slots.

**Example.** A plan that was edited by hand and lost a field.

**Instead.** Compile the spec again.
ES507
**What it is.** The plan has a format version that this evalspec does not read.

**Why it matters.** Fields mean other things in other formats.

**Example.** `plan format 9, this evalspec reads 1`.

**Instead.** Compile the spec again with the version that runs it.
ES508
**What it is.** A file of the spec changed after the plan was compiled.

**Why it matters.** The plan no longer says what the YAML says, and a run or a check by it would prove the wrong thing.

**Example.** A template was edited, and `evalspec run plan.json` still has its old text.

**Instead.** Compile again (`evalspec diff` shows what changes), or go on with the old plan by `--stale`.
ES509
**What it is.** A source, or one document of it, was not used.

**Why it matters.** Slots are served by what is left; with too little text a cell borrows from others.

**Example.** A page of 60 words, a PDF, a page in another language, an error page; a page that takes over 20 seconds or
1 GB to take apart; a host that took two minutes longer than it may.

**Instead.** See the reason; mend the source or leave it out.
ES510
**What it is.** A folder cannot be written, or the disk is full.

**Why it matters.** Nothing half-written is left in the release: it is written beside and renamed when whole.

**Example.** A read-only folder.

**Instead.** Make room or choose another folder; the journal holds what was filled.
ES511
**What it is.** A line inside the journal is not a journal line.

**Why it matters.** The journal says what was paid for. Only its last line may be torn; damage
elsewhere is not guessed at.

**Example.** A journal that was edited or joined by hand.

**Instead.** Restore the file, or remove the line that is named: its group will be made again.
ES512
**What it is.** No text was left for some slots in their own domain and geography, so they were served from elsewhere.

**Why it matters.** The order is fixed and reported: the same domain in `general`, any geography of the domain, then the
shipped corpus.

**Example.** `39 groups: financial_history_events in usa, served from its domain in other geographies`.

**Instead.** Add a source for the cell.
ES513
**What it is.** The dataset was composed by the embedded provider, from forms and facts and without a model.

**Why it matters.** It shows the whole path and every check, and it is a preview: publish what a model filled.

**Example.** Any run with `--provider embedded`.

**Instead.** With a provider and a key set, run it with that provider, `evalspec run plan.json`: composed slots never
count for another provider.
ES514
**What it is.** Every slot of the plan was filled already.

**Why it matters.** A finished run does nothing and costs nothing.

**Example.** The same command a second time.

**Instead.** To make all groups anew, say so on the command line: `evalspec run --mode full_refresh` moves what there is
to `data/previous/` and begins again. The config's `dataset.mode` alone never throws away what was made. Single groups
are made again where `evalspec review` rejects them.
ES515
**What it is.** The command cannot do what was asked of it.

**Why it matters.** Nothing was changed.

**Example.** A folder that does not exist, or one that is not empty.

**Instead.** See the hint, and `evalspec COMMAND --help`.
ES516
**What it is.** The next call might have passed `--max-calls` or `--max-cost`, so it was not made.

**Why it matters.** A cap is kept whatever a reply turns out to cost: until the provider says how many tokens a reply
had, its call counts with all that it may have.

**Example.** `1.9321 USD is spent, the next call may cost up to 0.1200 USD, and 2.0000 USD is allowed`.

**Instead.** Run again with a higher cap: what was filled stays, and the run goes on from there.
ES517
**What it is.** Groups that another model filled are kept, and the model of the config fills what is open.

**Why it matters.** The dataset then comes from more than one model, as its card says.

**Example.** `groups that other models filled are kept: 1,204 by model-a`.

**Instead.** Nothing, if that is wanted. `--mode full_refresh` makes all of them anew.
ES518
**What it is.** The small question of `evalspec doctor` was answered, but not in the shape that was asked for.

**Why it matters.** Most replies of such a model will be refused, and each refusal is paid for.

**Example.** Prose where an object with one field was asked for.

**Instead.** Name a model that can bind its output to a JSON Schema, or one that is better at it.
ES520
**What it is.** What was made before was moved to `data/previous/`: by a full refresh, or because the new release holds
fewer records than the one in its place.

**Why it matters.** A part of a plan, or a short fill, must not replace a whole release unsaid.

**Example.** `evalspec compile --domain banking` and a run of that plan, in a folder that held all domains.

**Instead.** Nothing, if that is what you want; else move the folder back.
ES521
**What it is.** `review.yaml`, which holds what a reviewer decided, is not what `evalspec review` writes.

**Why it matters.** A run that passed over it would publish what was rejected.

**Example.** `decision 3: verdict: Input should be 'accepted', 'rejected' or 'noted'`.

**Instead.** Mend the line that is named, or remove the file: the review then begins anew.
ES522
**What it is.** Groups were filled from text that no source gives any more: a file of the corpus was edited, replaced or
removed, a page changed, or pages were not fetched to this machine.

**Why it matters.** Their records stay in the release, and ask for what the old text says.

**Example.** `24 groups stand on text that is no longer among the sources, of 30 filled`.

**Instead.** `evalspec run --mode full_refresh` makes all groups again from the text of today; `evalspec review` rejects
single ones. Where the text was only moved, put it back: a text is known by its words, not by its file.
"""


def _pages() -> dict[str, str]:
    parts = [part.partition("\n") for part in _TEXT.strip().split("\nES")]
    return {("ES" + code.removeprefix("ES")).strip(): body.strip() for code, _, body in parts}


PAGES: dict[str, str] = _pages()
"""Code to page, Markdown."""
