"""How often each source was used: its chunks at hand, and the groups that stand on one of them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from posixpath import normpath

from evalspec.runtime.chunks import Chunk
from evalspec.runtime.events import SourceUse
from evalspec.spec.plan import Plan

GONE = "no longer at hand"
"""The name for chunks that groups stand on and no source gives any more."""


def source_uses(plan: Plan, chunks: Sequence[Chunk], used: Iterable[str]) -> tuple[SourceUse, ...]:
    """A row for each source that the plan enables, in the order in which they are read.

    `used` are the digests of the chunks that filled groups stand on, one a group. Each folder of a corpus is a source.
    """
    from evalspec.runtime.sources.live import enabled

    folders = tuple(entry.path for entry in plan.sources.corpus.folders) if plan.sources.corpus.enabled else ()
    at_hand = Counter(dict.fromkeys((*enabled(plan), *folders), 0))
    source_of: dict[str, str] = {}
    for chunk in chunks:
        source_of[chunk.digest] = name = _source(chunk, folders)
        at_hand[name] += 1
    groups = Counter(source_of.get(digest, GONE) for digest in used)
    at_hand.update(dict.fromkeys(groups, 0))
    return tuple(SourceUse(name, count, groups[name]) for name, count in at_hand.items())


def _source(chunk: Chunk, folders: Sequence[str]) -> str:
    """The name of a chunk's source: the config's path of its folder, or the kind of source."""
    if chunk.origin != "corpus":
        return chunk.origin
    holding = [path for path in folders if normpath(path) == "." or chunk.document.startswith(f"{normpath(path)}/")]
    return max(holding, key=lambda path: len(normpath(path)), default=chunk.origin)
