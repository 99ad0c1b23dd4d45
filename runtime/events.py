"""What a fill tells its caller while it runs, and what it gives at the end."""

from typing import TYPE_CHECKING, Literal

from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import Diagnostic
from evalspec.spec.generation import ProviderName
from evalspec.spec.journal import Usage

if TYPE_CHECKING:
    from evalspec.runtime.spending import GroupUsage


@dataclass(frozen=True, slots=True)
class SourceRead:
    """The sources were read and cut."""

    documents: int
    skipped: int
    chunks: int


@dataclass(frozen=True, slots=True)
class SourceProgress:
    """Pages of one source of the network so far: fetched, found in data/raw/, and those of both without use.

    `failed` are those of which nothing came: no connection, an error, an address that is not to be asked.
    """

    source: str
    fetched: int = 0
    failed: int = 0
    kept: int = 0
    skipped: int = 0
    done: bool = False


@dataclass(frozen=True, slots=True)
class Started:
    """The fill begins: groups of the plan, and those to be filled in this call, by dimension."""

    total: int
    open: int
    open_by_dimension: dict[str, int]
    provider: str
    model: str


@dataclass(frozen=True, slots=True)
class Accepted:
    """A group is filled."""

    group: str
    dimension: str
    records: int


@dataclass(frozen=True, slots=True)
class Rejected:
    """A reply did not fit; the group goes on."""

    group: str
    attempt: int
    errors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GivenUp:
    """A group stays open in this call."""

    group: str
    dimension: str
    errors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Throttled:
    """The provider is busy: a request waits `wait` seconds, `limit` may be in flight at once."""

    message: str
    wait: float
    limit: int


@dataclass(frozen=True, slots=True)
class Stopped:
    """No new request is made; what is in flight is waited for."""

    reason: str


Event = SourceRead | SourceProgress | Started | Accepted | Rejected | GivenUp | Throttled | Stopped


@dataclass(frozen=True, slots=True)
class FillOptions:
    """What the caller sets for one fill."""

    provider: ProviderName | None = None
    """Over the config's."""
    limit: int | None = None
    """Groups to fill in this call."""
    scrape: bool = False
    concurrency: int | None = None
    """Over the config's `limits.max_concurrency`."""
    reasks: int = 2
    """Further asks on one chunk, with the errors quoted."""
    chunks: int = 3
    """Chunks that are tried before a group is given up."""
    retry_given_up: bool | None = None
    """Whether groups that an earlier call gave up get their tries anew; by default not with the embedded provider."""
    patience: float = 300.0
    """Seconds without any reply from a busy or unreachable provider after which the fill stops."""
    max_calls: int | None = None
    """Calls that may be made, replies that do not fit included."""
    max_cost: float | None = None
    """What may be spent, in the currency of the config's prices; without prices nothing is counted."""
    hopeless_after: int = 20
    """Groups given up with none accepted in this call after which the fill stops."""


@dataclass(frozen=True, slots=True)
class OpenGroup:
    """A group that is not filled, and why."""

    group_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class SourceUse:
    """How often one source was used: its chunks at hand, and the filled groups that stand on one of them."""

    source: str
    chunks: int
    groups: int


@dataclass(frozen=True, slots=True)
class FillResult:
    """What one fill came to; `filled` and `open` are over the whole plan, `calls` and `usage` over this call."""

    filled: int
    open: tuple[OpenGroup, ...]
    diagnostics: tuple[Diagnostic, ...]
    calls: int
    usage: Usage
    stopped: Literal["interrupted"] | Diagnostic | None = None
    """A diagnostic where it could not go on: refused, unreachable, not writable, held by another run."""
    sources: tuple[SourceUse, ...] = ()
    """Over the whole plan; empty where nothing was open, and no source was read."""
    by_group: "tuple[GroupUsage, ...] | None" = None
    """What the replies for each group came to, over all runs on the folder; None where the journal was not read."""
