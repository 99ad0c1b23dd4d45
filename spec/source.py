"""Where something stands: a place in a file, and the route to it through a document."""

from evalspec.spec.dataclass import dataclass

YamlPath = tuple[str | int, ...]
"""Keys and positions from the root of a document to a value."""


def render_path(path: YamlPath) -> str:
    """Write a path as users read it: `negative_examples[1].why_bad`; the root is the empty string."""
    out = ""
    for part in path:
        if isinstance(part, int):
            out += f"[{part}]"
        else:
            out += f".{part}" if out else part
    return out


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A stretch of one file.

    `file` is relative to the spec folder with forward slashes, or as the user named it. Lines and columns count
    from 1, columns in characters; `end_line` and `end_column` are exclusive. `path` is the rendered YAML path, and
    empty for a file as a whole. `text` is the source line, without its line end, so that no reader needs the file.
    """

    file: str
    line: int = 1
    column: int = 1
    end_line: int = 1
    end_column: int = 1
    path: str = ""
    text: str = ""
