"""A domain and geography that no source serves.

## What it does
Lists, in one finding, the pairs of domain and geography (with a share) that none of the enabled sources serves. A
source
that names no domains or geographies serves all. A passage's own front matter goes before its folder's entry.

## Why
The slots of such a cell borrow text from a neighbour: the same domain elsewhere, or the shipped corpus.

## Example
```yaml
corpus:
  folders:
    - {path: corpus, domains: [banking], geographies: [canada]}     # and the spec has insurance and usa too
```

## Use instead
```yaml
corpus:
  folders:
    - {path: corpus/banking, domains: [banking]}
    - {path: corpus/insurance, domains: [insurance]}
```
"""

from collections.abc import Iterator
from pathlib import PurePosixPath

from evalspec.compiler.files import CONFIG_FILE, SOURCES_FILE
from evalspec.compiler.meanings import serving
from evalspec.compiler.model import Spec
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.passage import FrontMatter

Cells = set[tuple[str, str]]
_SHOWN = 8


def check(spec: Spec) -> Iterator[Diagnostic]:
    """At most one finding, at the first source."""
    splits_clean = spec.clean(CONFIG_FILE, ("domain_split",)) and spec.clean(CONFIG_FILE, ("geography_split",))
    if not (splits_clean and spec.clean(SOURCES_FILE)):
        return
    first = next((path for path, _ in serving(spec)), None)
    if first is None:
        return
    domains = [name for name, share in spec.config.domain_split.items() if share > 0]
    geographies = [name for name, share in spec.config.geography_split.items() if share > 0]
    served = _served(spec, domains, geographies)
    left = [f"{d} x {g}" for d in domains for g in geographies if (d, g) not in served]
    if left:
        more = f" and {len(left) - _SHOWN} more" if len(left) > _SHOWN else ""
        count = f"{len(left)} of {len(domains) * len(geographies)} cells"
        message = f"no source serves {count}: {', '.join(left[:_SHOWN])}{more}"
        hint = "add a source for them; until then their slots borrow text from neighbouring cells"
        yield found("ES401", message, spec.places.key_place(SOURCES_FILE, first[:1]), hint=hint)


def _served(spec: Spec, domains: list[str], geographies: list[str]) -> Cells:
    out: Cells = set()
    folders = spec.sources.corpus.folders
    for path, served in serving(spec):
        if path[0] != "corpus":
            out |= _cells(served.domains or domains, served.geographies or geographies)
    if spec.sources.corpus.enabled:
        own = {name: passage.front for name, passage in spec.corpus}
        for name in spec.corpus_files:
            front = own.get(name) or FrontMatter(title=name)
            folder = next(f for f in folders if PurePosixPath(name).is_relative_to(f.path))
            out |= _cells(
                front.domains or folder.domains or domains, front.geographies or folder.geographies or geographies
            )
    return out


def _cells(domains: list[str] | tuple[str, ...], geographies: list[str] | tuple[str, ...]) -> Cells:
    return {(domain, geography) for domain in domains for geography in geographies}
