"""What happened to a group so far, and what follows from it: which chunk, which ask, or no more."""

from dataclasses import field, replace

from evalspec.spec.dataclass import dataclass
from evalspec.spec.journal import AttemptLine, FellLine, Journal, Outcome

MOST_UNFIT = 60
"""Chunks that may give nothing for a group before it is given up."""
PATIENCE = 10
"""Chunks that may give nothing for a group before a poor reply is better than none."""


@dataclass(frozen=True, slots=True)
class Rules:
    """How often a group is asked before it is given up."""

    reasks: int
    chunks: int


@dataclass(frozen=True, slots=True)
class History:
    """The state of one group; a function of its lines in the journal alone."""

    attempts: int = 0
    """The highest attempt in the journal."""
    step: int = 0
    """Which of its chunks comes next."""
    asks: int = 0
    """Replies on that chunk."""
    tried: int = 0
    """Chunks given up since the group was last opened."""
    unfit: int = 0
    """Chunks that gave nothing since then."""
    room: int = 1
    """How many times the planned tokens a reply may have."""
    errors: tuple[str, ...] = ()
    """Of the last reply on that chunk."""
    first_errors: tuple[str, ...] = ()
    """Of the first reply that was refused since the group was last opened."""
    replies: tuple[AttemptLine, ...] = field(default=(), repr=False)
    """Replies that were refused since then."""

    def exhausted(self, rules: Rules, chunks: int) -> bool:
        """Whether the group has had all its tries, of `chunks` different chunks."""
        return self.tried >= rules.chunks or self.unfit >= min(max(chunks, 1), MOST_UNFIT)

    def desperate(self, chunks: int) -> bool:
        """Whether the next of `chunks` different chunks should be made do with."""
        return self.unfit >= min(max(chunks, 1) - 1, PATIENCE)

    def reopened(self) -> "History":
        """The group with all its tries before it, on its next chunk."""
        return replace(self, asks=0, tried=0, unfit=0, errors=(), first_errors=(), replies=())


def after(history: History, attempt: int, outcome: Outcome, errors: tuple[str, ...], rules: Rules) -> History:
    """The history with one more outcome in it."""
    if outcome == "unreachable":
        return history
    history = replace(history, attempts=max(history.attempts, attempt), first_errors=history.first_errors or errors)
    match outcome:
        case "accepted":
            return history
        case "no_chunk":
            return replace(history, step=history.step + 1, unfit=history.unfit + 1, asks=0, errors=())
        case "cut_off" if history.room == 1:
            return replace(history, room=2, asks=history.asks + 1, errors=errors)
        case "invalid" if history.asks < rules.reasks:
            return replace(history, asks=history.asks + 1, errors=errors)
        case _:
            return replace(history, step=history.step + 1, tried=history.tried + 1, asks=0, errors=())


def histories(
    journal: Journal, fingerprints: dict[str, str], embedded: bool, forms: dict[str, str], rules: Rules
) -> dict[str, History]:
    """The history of every group that the journal names.

    Attempts under another fingerprint, form or kind of provider only count for the numbering.
    """
    out: dict[str, History] = {}
    for line in journal.lines:
        match line:
            case FellLine():
                for group in line.groups:
                    history = out.get(group, History())
                    out[group] = replace(history.reopened(), step=history.step + 1)
            case AttemptLine():
                history = out.get(line.group, History())
                if _counts(line, fingerprints, embedded, forms):
                    history = after(history, line.attempt, line.outcome, line.errors, rules)
                    if line.outcome == "invalid" and line.reply is not None:
                        history = replace(history, replies=(*history.replies, line))
                elif line.outcome != "unreachable":
                    history = replace(history, attempts=max(history.attempts, line.attempt))
                out[line.group] = history
            case _:
                pass
    return out


def _counts(line: AttemptLine, fingerprints: dict[str, str], embedded: bool, forms: dict[str, str]) -> bool:
    if fingerprints.get(line.group) != line.fingerprint or (line.provider == "embedded") != embedded:
        return False
    return not embedded or line.form == forms.get(line.group)
