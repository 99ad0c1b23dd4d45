"""Every code that a diagnostic may carry: the table that `explain`, the docs and the house tests read."""

from evalspec.spec.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class CodeInfo:
    """A code, its kebab-case name, the severity it has by default, and a line that says what it is."""

    code: str
    name: str
    severity: str
    summary: str


_TABLE = """
ES001 file-unreadable               error   A file of the spec cannot be read, or is a folder
ES002 file-too-large                error   A file is larger than a spec file may be
ES003 not-utf8                      error   A file is not UTF-8 text
ES004 yaml-syntax                   error   A file is not YAML
ES005 yaml-too-deep                 error   A document nests or repeats itself beyond any use
ES006 yaml-tag                      error   A tag asks for a type that a spec cannot hold
ES007 duplicate-key                 error   A key stands twice in one mapping
ES008 file-empty                    error   A file holds nothing
ES009 not-a-spec                    error   The folder is not a spec folder
ES010 ignore-without-reason         error   A comment silences a rule and gives no reason
ES011 ignore-unused                 warning A comment silences what was not found
ES101 unknown-key                   error   A key that the language does not have
ES102 missing-key                   error   A key that must be there is not
ES103 wrong-type                    error   A value is not of the type that its key wants
ES104 key-at-wrong-level            error   A key that belongs in another section
ES105 value-not-allowed             error   A value outside those that its key allows
ES106 bad-identifier                error   An id that cannot be an id
ES107 ambiguous-scalar              warning A plain value that other YAML readers take for something else
ES108 secret-in-config              error   A key or token is written in the spec
ES201 split-sum                     error   The shares of a split do not sum to 1
ES202 share-out-of-range            error   A share is not a number between 0 and 1
ES203 counts-disagree               error   Counts that must agree do not
ES204 target-unreachable            error   No number of whole groups meets a target
ES205 difficulty-infeasible         warning A subdimension is too small to hold every difficulty
ES206 linkage-does-not-divide       error   A count is no multiple of its group size
ES207 dimension-without-template    warning A dimension has a target and nothing that fills it
ES208 subset-unfit                  error   A subset names no parent, or does not fit in it
ES209 allocation-unproved           note    The allocation is good, and not proved to be the best
ES301 too-few-negative-examples     error   A template has fewer than two negative examples
ES302 negative-example-incomplete   error   A negative example lacks its bad response or the reason
ES303 template-id-duplicate         error   Two templates have one id
ES304 template-unused               warning No subdimension uses a template
ES305 template-missing              error   A subdimension names a template that does not exist
ES306 template-misplaced            error   A template and the subdimension that uses it disagree
ES307 placeholder-unknown           error   A placeholder that nothing fills
ES308 template-syntax               error   A text that the template language cannot read
ES309 field-unused                  warning A field that no text uses
ES310 sandbox-violation             error   A text reaches for what the sandbox forbids
ES311 strategy-unknown              error   A strategy that the spec does not define
ES312 no-strategy-left              error   A template has hard slots and no strategy for them
ES313 instruction-without-strategy  warning An instruction does not ask for the strategy
ES314 instruction-without-modes     warning An instruction does not ask for failure modes
ES315 instruction-trivial           warning An instruction does not ask for more than a lookup
ES316 rubric-unknown                error   A rubric that the spec does not define
ES317 passing-score-off-scale       error   A passing score outside its rubric's scale
ES318 linkage-templates-unfit       error   The templates of a group do not make up the group
ES319 prompt-too-long               warning A prompt that cannot stay under the limit
ES320 fields-invalid                error   Field rules that Cerberus cannot use
ES321 compose-invalid               error   A compose block that cannot fill its template
ES322 language-without-forms        note    No general forms are written in the dataset's language
ES323 message-without-field         error   A message that shows nothing the LLM writes
ES401 cell-without-source           warning A domain and geography that no source serves
ES402 delay-too-short               error   A delay under two seconds for a public host
ES403 max-tokens-too-small          warning A token limit that the reply cannot fit in
ES404 passage-faulty                warning A passage of the corpus that its own text does not bear out
ES405 no-source                     warning No source is enabled
ES406 provider-unconfigured         error   A provider lacks what it needs to be called
ES501 cell-unfilled                 error   A quota cell ended with fewer records than planned
ES502 journal-torn                  note    The last line of the journal was cut off
ES503 journal-held                  error   Another run holds this folder
ES504 provider-refused              error   The provider refused for good: key, billing or request
ES505 key-missing                   error   The environment does not hold the provider's key
ES506 plan-unreadable               error   plan.json cannot be read as a plan
ES507 plan-version                  error   plan.json has a format that this evalspec does not know
ES508 spec-changed                  error   The spec changed since the plan was compiled
ES509 source-skipped                warning A source, or a document of it, was not used
ES510 not-writable                  error   A folder or disk does not take what must be written
ES511 journal-corrupt               error   A line inside the journal is not a journal line
ES512 chunk-borrowed                note    Slots were served from outside their own cell
ES513 preview-dataset               note    The dataset was composed without a model
ES514 nothing-to-do                 note    Every slot is filled already
ES515 bad-usage                     error   The command cannot do what was asked
ES516 cap-reached                   error   The run stopped before a cap on calls or cost
ES517 model-changed                 note    What another model filled was kept
ES518 reply-unfit                   error   The model did not answer a small question in the shape asked for
ES520 release-set-aside             note    What lay in the place of a new release was moved and kept
ES521 review-unreadable             error   review.yaml cannot be read as decisions
ES522 stale-text                    warning Groups stand on text that is no longer among the sources
"""


def _parse(table: str) -> dict[str, CodeInfo]:
    rows = (line.split(maxsplit=3) for line in table.strip().splitlines())
    return {row[0]: CodeInfo(*row) for row in rows}


CODES: dict[str, CodeInfo] = _parse(_TABLE)
"""All codes by their code. The criteria of `check` (ES6xx) and of `bench` (ES7xx) add theirs below."""

_CRITERIA = """
ES601 size                          error   The number of records
ES602 dimension-split               error   Records by dimension against their targets
ES603 domain-split                  error   Records by domain against their share
ES604 difficulty-split              error   Records by difficulty against their share
ES605 adversarial-coverage          error   Hard records without a strategy or two failure modes
ES606 schema                        error   Records that the record schema does not admit
ES607 link-dangling                 error   Links to records that are not there
ES608 link-one-way                  error   Links that are not returned
ES609 group-incomplete              error   Linkage groups that are not whole
ES610 duplicates                    error   Prompts that say the same
ES611 prompt-length                 error   Prompts at or over the length limit
ES612 record-id                     error   Ids that are not UUID v4, or stand twice
ES613 enum-values                   error   Values that the plan does not have
ES614 failure-mode-counts           error   Failure modes outside the range of the difficulty
ES615 strategy-on-easy              error   A strategy on a record that is not hard
ES616 difficulty-coverage           error   Subdimensions without one of the difficulties
ES617 geography-split               error   Records by geography against their share
ES618 slots-filled                  error   Slots of the plan without a record
ES619 slot-match                    error   Records that differ from their slot
ES620 card-header                   error   The header of the card
ES621 card-sections                 error   Sections that the card must have
ES622 parquet-readable              error   Parquet that datasets cannot read
ES623 files-agree                   error   Parquet and JSONL that differ
ES624 context-shown                 error   A reference context that the prompt does not show
ES625 version                       error   A version that is not the plan's
ES626 preview                       note    The dataset was composed without a model
ES627 negative-examples             error   Templates without two negative examples
ES628 answer-leak                   error   Closed-book prompts that hold their answer
ES629 guidance-leak                 error   Prompts that hold what only the generation model was told
ES630 address-or-key                error   A key or a source's address in a release
ES631 excerpt-grounded              error   Reference contexts that are not the excerpt that was filled
ES632 strategy-spread               error   Strategies that are not spread as planned
ES633 group-shape                   error   Linkage groups whose members are of different cells
ES634 card-fields                   error   Fields of the card that are not the file's
ES640 own-check                     error   A criterion of the spec's own is not met
ES641 own-check-broken              error   A criterion of the spec's own cannot be judged
"""
CODES.update(_parse(_CRITERIA))

_BENCH = """
ES701 suite-unreadable              error   A suite cannot be read, or is of no format that bench knows
ES702 json-syntax                   error   A line or a file is not JSON
ES703 case-id-duplicate             error   Two cases of a suite have one id
ES704 suite-empty                   error   A suite holds no case
ES705 nothing-selected              error   A filter names what no case has, or leaves no case
ES706 check-unknown                 error   A check that bench does not have
ES707 pattern-unusable              error   A pattern that is no regex, or that cannot be bounded
ES708 expected-unfit                error   What a case expects does not fit its metric or the output schema
ES709 input-unfit                   error   The input of a case does not fit the input schema
ES710 share-off                     warning A set is not mixed as it declares
ES711 suite-draft                   note    A set may not gate: it is too small, or a bar is missing or not signed
ES712 thresholds-conflict           error   Two thresholds or bars of one metric
ES713 checks-contradict             error   Checks of one turn that no answer can pass together
ES714 policy-missing                error   A case is to be judged by a policy that there is none of
ES715 contract-invalid              error   A contract that cannot be used
ES716 metric-unknown                error   A metric that nothing declares
ES717 linked-case-missing           note    A case is linked to one that is not in the suite
ES718 case-unchecked                warning A case that every answer passes
ES719 metric-without-cases          warning A bar over a metric that no case is scored by
ES720 set-missing                   warning A contract declares a set that is not there
ES721 record-unfit                  error   A record of a release that cannot be a case
ES722 tool-name-unused              warning A tool name is mapped to a tool that no case names
ES730 target-unknown                error   What `--target` names is no target
ES731 target-incomplete             error   A target cannot be made of its settings
ES732 target-key                    error   A key that a target needs is not in the environment, or stands in its file
ES733 prompt-version-unknown        error   A target has no prompt of the version that is asked for
ES735 recording-unfit               error   Recorded answers cannot be read
ES736 mapped-text-missing           warning No answer has a text where `map` says that it stands
ES740 target-missing                error   A suite cannot be run without a target
ES741 target-silent                 error   The target gives no answers
ES742 draft-refused                 error   A strict run refuses a draft
ES743 settings-unset                error   A strict run needs the settings that make it reproducible
ES744 bench-settings                error   The [bench] table of evalspec.toml cannot be used
ES745 trials-failed                 warning Trials to which the target gave no answer
ES746 judge-missing                 warning Checks need a judge, and none was named
ES747 nothing-asked                 note    Every trial was answered before
ES748 answers-kept                  note    Some answers are of an earlier run
ES749 fact-unknown                  warning A target's request names a fact that no case has
ES750 judge-unknown                 error   What `--judge` names is no judge
ES751 judge-incomplete              error   A judge cannot be made of its settings
ES752 verdicts-unfit                error   Recorded verdicts cannot be read
ES753 judge-refused                 error   The judge refused for good: key, billing or request
ES754 labels-unfit                  error   Labels for a calibration cannot be used
ES755 labels-one-sided              warning The labels show one side alone, so nothing can be said of the judge
ES756 judge-unreached               error   The judge cannot be reached
ES760 compare-suite                 error   Reports of different suites are compared
ES761 compare-judge                 error   Reports of different judges are compared
ES762 compare-judge-prompt          error   Reports of different prompts for the judge are compared
ES763 compare-settings              error   Reports of different settings are compared
ES764 compare-no-pairs              error   Two reports have no scored case in common
ES765 compare-option                error   A comparison cannot be made as it was asked for
ES780 report-unreadable             error   A report of `bench` cannot be read
ES790 ratings-unreadable            error   Ratings of people cannot be read
ES791 rating-line-unfit             error   A line of a list of ratings cannot be used
ES792 rated-twice                   error   One answer has two lines in a list of ratings
ES793 rating-not-binary             error   A rating is neither 0 nor 1
"""
CODES.update(_parse(_BENCH))
