"""Which files make up a spec folder, and the digest of them; nothing of them is read as YAML here."""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

CONFIG_FILE = "generation_config.yaml"
SOURCES_FILE = "source_config.yaml"
TEMPLATES_FOLDER = "templates"
SUFFIXES = (".yaml", ".yml")
MAX_FILES = 20_000
PASSAGES = (".md", ".markdown", ".txt")
PAGES = (".html", ".htm", ".xhtml")


def spec_files(folder: Path) -> list[str]:
    """The relative names of the spec's files that are there."""
    names = [name for name in (CONFIG_FILE, SOURCES_FILE) if _exists(folder / name)]
    try:
        inside = sorted(p.name for p in (folder / TEMPLATES_FOLDER).iterdir() if p.suffix.lower() in SUFFIXES)
    except (OSError, ValueError):
        inside = []
    return names + [f"{TEMPLATES_FOLDER}/{name}" for name in inside if not name.startswith(".")]


def _exists(path: Path) -> bool:
    try:
        path.lstat()
    except (OSError, ValueError):
        return False
    return True


def corpus_files(root: Path) -> list[tuple[str, Path]]:
    """Relative name and path of the documents below a folder, by name; at most MAX_FILES. Raises OSError."""
    found = [p for p in root.rglob("*") if p.suffix.lower() in (*PASSAGES, *PAGES) and p.is_file()]
    return sorted((p.relative_to(root).as_posix(), p) for p in found)[:MAX_FILES]


def digest_of_files(digests: Mapping[str, str]) -> str:
    """The digest of a spec from those of its files by relative name."""
    text = "".join(f"{name}\0{digest}\n" for name, digest in sorted(digests.items()))
    return sha256(text.encode("utf-8", errors="surrogateescape")).hexdigest()
