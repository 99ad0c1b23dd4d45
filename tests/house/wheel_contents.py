"""Compare a wheel with the source tree: every module and data file of the house is in it, and nothing else.

usage: python wheel_contents.py WHEEL
"""

import sys
import zipfile
from pathlib import Path

FOLDERS = ("spec", "compiler", "runtime", "outputs", "cli", "bench")
SUFFIXES = {".py", ".sql", ".yaml", ".json", ".jsonl", ".md", ".toml", ".typed", ".j2", ".css", ".js"}


def expected_files(root: Path) -> set[str]:
    """Paths in the wheel, as the tree asks for them."""
    return {
        f"evalspec/{path.relative_to(root).as_posix()}"
        for folder in FOLDERS
        for path in (root / folder).rglob("*")
        if path.is_file() and path.suffix in SUFFIXES and "__pycache__" not in path.parts
    } | {f"evalspec/{folder}/py.typed" for folder in FOLDERS if (root / folder / "py.typed").exists()}


def actual_files(wheel: Path) -> set[str]:
    """Paths in the wheel, less its metadata."""
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def main() -> int:
    """Print what is missing and what is too much; 1 if there is any."""
    root = Path(__file__).resolve().parents[2]
    wanted, found = expected_files(root), actual_files(Path(sys.argv[1]))
    for name in sorted(wanted - found):
        print(f"missing from the wheel: {name}")
    for name in sorted(found - wanted):
        print(f"in the wheel and not in the tree: {name}")
    print(f"{len(found)} files in the wheel")
    return int(wanted != found)


if __name__ == "__main__":
    sys.exit(main())
