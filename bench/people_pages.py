"""The pages of the findings on ratings of people (ES79x): what, why, example, and what to do."""

PAGES: dict[str, str] = {
    "ES790": """**What it is.** The list of ratings is missing, empty, not UTF-8, over 64 MiB, or lacks a column
that `bench` wrote.

**Why it matters.** Nothing can be told of whose answer a rating is. The cases stay unscored.

**Example.** `the list has no column answer_id`, after somebody removed that column in a spreadsheet.

**Instead.** Fill in the list that `bench` wrote and save it as CSV UTF-8 with all its columns. You may add
columns.""",
    "ES791": """**What it is.** A line of the list is not CSV or JSON, or lacks its case, epoch, turn, check or
answer id.

**Why it matters.** The line is left out, so that its case waits for ratings that somebody has given.

**Example.** `the line has no epoch`.

**Instead.** Copy the line from the list that `bench` wrote, and put the ratings into it again.""",
    "ES792": """**What it is.** Two lines of the list are for one answer: one case, epoch, turn and check.

**Why it matters.** The two may say different things. The first one counts, the second is left out.

**Example.** Two raters' files were pasted below each other.

**Instead.** One line an answer; the second rater's ratings go into `rater_2` of the same line.""",
    "ES793": """**What it is.** A rating is something other than 1, 0 or a blank.

**Why it matters.** People rate pass or fail; a 3 or a "yes" has no meaning that all would agree on. The line is
left out.

**Example.** `rater_1 of rag-017 is '4'`.

**Instead.** Write 1 where the answer does what the question asks, 0 where it does not, nothing where you
did not rate.""",
}
"""Code to page, Markdown."""
