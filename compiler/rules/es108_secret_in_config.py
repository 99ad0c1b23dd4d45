"""A key or token is written in the spec.

## What it does
Reports what looks like a key of a provider or a long random token, anywhere in the spec, comments included, and a value
of `api_key_env` that is a key and not the name of a variable. The key itself is never shown.

## Why
A spec is shared and published. A key in it is a key lost.

## Example
```yaml
generation_model:
  provider: openai
  model_name: gpt-4o
  api_key_env: sk-...
```

## Use instead
```yaml
generation_model:
  provider: openai
  model_name: gpt-4o
  api_key_env: GENERATION_API_KEY
```

and in `.env`, which git ignores: `GENERATION_API_KEY=...`
"""

from collections.abc import Iterable, Iterator

from evalspec.compiler.document import Document
from evalspec.compiler.secrets import looks_like_key, secrets_in
from evalspec.compiler.sourcemap import SourceMap
from evalspec.compiler.tree import Leaf
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.source import YamlPath, render_path

_KEY_PATH: YamlPath = ("generation_model", "api_key_env")
_HINT = "put it in .env, name the variable here, and replace the key: it has been seen"


def _key_leaf(document: Document) -> Leaf | None:
    node = document.nodes.get(_KEY_PATH)
    return node if isinstance(node, Leaf) and looks_like_key(node.text) else None


def hidden_texts(documents: Iterable[Document]) -> frozenset[str]:
    """The secrets that only their key gives away, to be masked wherever a line is shown."""
    leaves = (_key_leaf(document) for document in documents)
    return frozenset(leaf.text for leaf in leaves if leaf is not None)


def secrets_of(document: Document, places: SourceMap) -> Iterator[Diagnostic]:
    """The secrets of one file; their values are marked lost, so that nothing else is said about them."""
    spans = list(secrets_in(document.text))
    key = _key_leaf(document)
    if key is not None:
        document.lost.add(_KEY_PATH)
        if not any(key.start <= start < key.end for start, _ in spans):
            spans.append((key.start, key.end))
    for start, end in sorted(spans):
        path = _path_at(document, start)
        if path:
            document.lost.add(path)
        where = f" at {render_path(path)}" if path else ""
        place = places.lines(document.file).place(start, end, path)
        yield found("ES108", f"what looks like a key or token is written in the spec{where}", place, hint=_HINT)


def _path_at(document: Document, offset: int) -> YamlPath:
    """The path of the scalar that an offset lies in; the root where it lies in none."""
    for path, node in document.nodes.items():
        if isinstance(node, Leaf) and node.start <= offset < node.end:
            return path
    return ()
