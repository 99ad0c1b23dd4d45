"""The pages of the findings in suites (ES701 to ES729): what, why, example, and what to do."""

_TEXT = """
ES701
**What it is.** There is no suite where the command looked for one: no file or folder, or one of no format that bench
knows, or a folder that holds two formats.

**Why it matters.** bench reads five formats as they are, and tells them apart by what stands in the files. What it
cannot tell apart it does not guess at.

**Example.** A folder of CSV files, or YAML with neither `scenarios` nor `cases`.

**Instead.** Give a file or folder of one format; `docs/bench.md` shows a small sample of each. Files of a folder whose
names begin with `target`, `judge`, `recorded`, `answers`, `labels` or `ratings` are not taken for cases.
ES702
**What it is.** A line of a JSONL file, or a JSON file, is not JSON; or a line holds something other than one object.

**Why it matters.** A case that is passed over makes a rate over fewer cases than anyone thinks.

**Example.** `{"id": "a", "input": "x",}` with a comma before the end, `NaN`, or `"\\d"` where a regex needs `"\\\\d"`.

**Instead.** Write what the hint says. One case stands on one line; blank lines, a byte order mark and CRLF are fine.
ES703
**What it is.** Two cases of a suite have one id, in one file or in two; `1` and `"1"` are one id.

**Why it matters.** Reports, journals and comparisons name cases by their ids. Of two with one id, one would be lost.

**Example.** `"case_id": "triage-001"` on lines 1 and 40.

**Instead.** Give each case an id of its own. The finding names both places.
ES704
**What it is.** The suite was read, and holds no case.

**Why it matters.** A rate over nothing is no rate, and a run without cases would pass.

**Example.** `scenarios: []`, or a JSONL file of blank lines.

**Instead.** Write a case, or name another file.
ES705
**What it is.** A filter names a key or a value that no case has, or is not KEY=VALUE; or `--max-cases` is under 1.

**Why it matters.** A run of no cases would end well, and say nothing.

**Example.** `--filter tag=bengla`.

**Instead.** Filter by `id`, `tag` (or `label`), `severity`, `set` (or `file`), `blocking`, `metric`, or any fact of the
cases; parts of a fact or an input are named with dots: `input.tier=gold`. Several values of one key are alternatives,
and several keys must all match.
ES706
**What it is.** A list of checks holds an entry that is not one check that bench has.

**Why it matters.** A check that is passed over passes every answer.

**Example.** `contain_all: [refund]`, or two check keys in one entry.

**Instead.** Write each check as an entry of its own; `docs/bench.md` lists all of them with their arguments.
ES707
**What it is.** A forbidden pattern is no regex, matches an empty text, or is beyond the bounds: 1,000 characters, and
counted repeats that come to more than 10,000.

**Why it matters.** A pattern that cannot be compiled forbids nothing. One that matches nothing at all fails every
answer. Matching is against the clock, but compiling is not, so its size is bounded.

**Example.** `"order (A-1002"`, `"a*"`, `"(a{1,1000}){1,1000}"`.

**Instead.** Patterns are those of Python, found anywhere in the answer, whatever the case, with `.` over line ends. In
JSON each backslash is written twice.
ES708
**What it is.** What a case expects does not fit the checks of its metric, or the module's output schema rules it out.

**Why it matters.** No answer can be right, or every answer is: the case then measures a slip of its author.

**Example.** `"expected": {"categry": "outage"}` where the metric compares `$expected.category`; or a category that the
output schema does not list.

**Instead.** Mend the expected value, or the check in contract.json. `$expected.name?` is for what only some cases hold.
ES709
**What it is.** The input of a case does not fit the input schema of the contract.

**Why it matters.** The module would never see such an input in production.

**Example.** `"input": {"text": 3}` where the schema wants text.

**Instead.** Mend the input, or the schema.
ES710
**What it is.** A set declares which share of its cases carries a tag, and the cases say otherwise: by more than 2
percentage points, and by more than one case.

**Why it matters.** A bar was signed for a mix. With less poison in the set the same figure means less.

**Example.** `"shares": {"poison": 0.05}` in a set of 500 with 11 such cases.

**Instead.** Mend the tags, the mix, or the share that is declared. Until then the set is a draft.
ES711
**What it is.** A set that has bars holds fewer than 200 cases, or a metric of it has no bar, or nobody signed its bar.

**Why it matters.** Such a set is a draft: it runs, says that it is one, and gates nothing. `--ci` refuses it.

**Example.** `"bars": {"category_agreement": {"bar": 0.95, "signed_by": ""}}`.

**Instead.** Label more cases, and have the bar signed by whoever answers for it.
ES712
**What it is.** A case declares a threshold that is not the bar of its metric, or that other cases of the metric do not
declare; or two files of one suite have different bars, directions or ways to count for one metric, or different limits.

**Why it matters.** Results are summed by metric, and a metric is held against one bar.

**Example.** `"threshold": 0.9` in a case, and a bar of 0.95 in the contract.

**Instead.** The bar that was signed is the bar: write it in the cases, or leave the threshold out of them. Sets with
bars of their own are run one at a time.
ES713
**What it is.** Two checks of one turn cannot both pass, whatever the answer.

**Why it matters.** The case fails forever, and nobody looks at it any more.

**Example.** `response_contains: [portfolio]` and `response_not_contains: [port]`; `tool: null` with alternatives.

**Instead.** Keep one of the two, or write the turn twice.
ES714
**What it is.** A case asks to be judged by a policy, and there is none for its country and topic, or no policies file.

**Why it matters.** A judge without a policy judges by its own taste.

**Example.** `"judge_policy": true, "topic": "delivry"`.

**Instead.** Write `policies.json` beside the set or in `../app/`, or name one with `--policies`: country, then topic,
then the text.
ES715
**What it is.** A contract lacks something that is needed, or holds what cannot be used: a metric without checks, a
schema that is no JSON Schema, a schema that reaches for another document.

**Why it matters.** The contract says what right answers are. Without it there is nothing to score.

**Example.** A set without a contract.json beside it.

**Instead.** See `docs/bench.md`, which shows a whole contract.
ES716
**What it is.** A case, a bar or a set names a metric that the contract does not declare, or that the set does not have.

**Why it matters.** The case would count for nothing, and the bar would hold nothing.

**Example.** `"scoring": {"metric": "category_agrement"}`.

**Instead.** Use a name that is declared under `metrics`.
ES717
**What it is.** Cases are linked to cases that are not in the suite.

**Why it matters.** Intervals are clustered by linked cases; a group that was cut is counted as what is left of it.

**Example.** Half of a release.

**Instead.** Nothing, if a part is what you want.
ES718
**What it is.** A case has no check: no metric of its set makes one for it, and it has none of its own.

**Why it matters.** Every answer passes it, and each such case lifts the rate.

**Example.** A contract whose only metric is for cases with a tag, and a case without that tag.

**Instead.** Give it a check, or take it out.
ES719
**What it is.** A metric has a bar, and no case of the set is scored by it.

**Why it matters.** Its bar can be neither met nor missed, so the run is never green.

**Example.** Checks for the tag `poison` in a set whose cases are tagged `poisoned`.

**Instead.** Mend the tags, or list under `metrics` of the set those that it has.
ES720
**What it is.** A contract declares a set, and no file of that name lies beside it.

**Why it matters.** A set that was renamed keeps its bars under the old name, and has none under the new one.

**Example.** `"sets": {"isp-triage": ...}` beside `isp_triage.jsonl`.

**Instead.** Use one name for both.
ES721
**What it is.** A record of a release does not fit the record schema, or its rubric has no scale that is known.

**Why it matters.** It could not be judged as its authors meant.

**Example.** A rubric of the spec's own, in a release that lies away from its spec.

**Instead.** `evalspec check` says all that is wrong with a release. A scale is taken from the spec around the release,
from the rubrics that evalspec ships, from the end of the name (`_1_5`, `_binary`), or from the scores in its text.
ES722
**What it is.** `tool_names` maps a tool of the target to a name that no case of the suite uses.

**Why it matters.** A misspelt name leaves the tool unmapped, and right calls count as wrong.

**Example.** `tool_names: {get_portfolio: portfolio_overvew}`.

**Instead.** Write the suite's name of the tool on the right.
"""


def _pages() -> dict[str, str]:
    parts = [part.partition("\n") for part in _TEXT.strip().split("\nES")]
    return {("ES" + code.removeprefix("ES")).strip(): body.strip() for code, _, body in parts}


PAGES: dict[str, str] = _pages()
"""Code to page, Markdown."""
