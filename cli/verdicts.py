"""What a reviewer decided, as run and check take it: rejected groups are opened again, and all are counted."""

from typing import TYPE_CHECKING

from evalspec.cli.shared import counted
from evalspec.cli.workspace import PlanFile
from evalspec.spec.diagnostic import Diagnostic

if TYPE_CHECKING:
    from evalspec.outputs.review.decisions import Tally


def reopen_rejected(opened: PlanFile, provider: str) -> int | Diagnostic:
    """Mark the rejected replies that count for `provider` as fallen, each once; gives how many groups that opens.

    A finding where review.yaml or the journal cannot be read. Raises JournalError where it cannot be written.
    """
    from evalspec.outputs.review import decisions, replies
    from evalspec.runtime.journaling import mark_fallen

    try:
        decided = decisions.read(opened.folder)
        if all(decision.verdict != "rejected" for decision in decided.values()):
            return 0
        rejected = decisions.to_reopen(decided, opened.plan, replies.index(opened.plan, opened.folder, provider))
    except (decisions.ReviewError, replies.RepliesError) as error:
        return error.diagnostic
    if rejected:
        groups, notes = [item.group for item in rejected], [item.note for item in rejected]
        mark_fallen(opened.folder, "rejected", groups, notes)
    return len(rejected)


def tally_of(opened: PlanFile) -> "Tally | Diagnostic | None":
    """How many groups of the plan were judged, and how; None where there is no review, a finding where it cannot be
    read.
    """
    from evalspec.outputs.review import decisions, replies
    from evalspec.outputs.review.desk import summary

    try:
        return summary(opened.plan, opened.folder)
    except (decisions.ReviewError, replies.RepliesError) as error:
        return error.diagnostic


def words_of(tally: "Tally") -> str:
    """A tally as a line under the table of verdicts."""
    rejected = f"{tally.rejected:,} rejected" + (" and not yet made again" if tally.rejected else "")
    noted = f", {tally.noted:,} noted" if tally.noted else ""
    return f"review: {counted(tally.accepted, 'group')} accepted, {rejected}{noted}, {tally.unjudged:,} not judged"
