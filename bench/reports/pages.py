"""The page of the finding on reports (ES780): what, why, example, and what to do."""

PAGES: dict[str, str] = {
    "ES780": """**What it is.** A file that was given as a report of `bench` is missing, is not JSON, is no report, or
was written in another version of the format.

**Why it matters.** Nothing is compared with a report that was understood in part.

**Example.** `candidate.xml is not JSON: Expecting value`, where the JUnit report was given.

**Instead.** Give the JSON report: `bench` writes one beside every other form. One that was cut by a full disk, or
edited by hand, is made again by running the same command: what was answered is not asked again.""",
}
"""Code to page."""
