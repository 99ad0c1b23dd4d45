"""Where a judge's replies are kept, so that none is paid for twice."""

from typing import Protocol

from evalspec.bench.results import JudgeLine


class KeptVerdicts(Protocol):
    """Replies by key. Only replies are put in: an error is no verdict, and is asked again the next time."""

    def get(self, key: str) -> JudgeLine | None:
        """The reply that is kept for a key."""
        ...

    def put(self, line: JudgeLine) -> None:
        """Keep a reply."""
        ...


class KeptHere:
    """Replies in memory, for as long as this is."""

    def __init__(self) -> None:
        self.lines: dict[str, JudgeLine] = {}

    def get(self, key: str) -> JudgeLine | None:
        """The reply that is kept for a key."""
        return self.lines.get(key)

    def put(self, line: JudgeLine) -> None:
        """Keep a reply."""
        self.lines.setdefault(line.key, line)
