"""The command line starts without what a command needs later."""

import subprocess
import sys

HEAVY = ("pydantic", "jinja2", "duckdb", "pyarrow", "numpy", "openai", "httpx", "aiohttp", "highspy", "datasets")


def test_help_imports_nothing_heavy() -> None:
    code = "import sys, evalspec.cli.main; print(*sorted(m for m in sys.modules if '.' not in m))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout.split()
    assert [name for name in HEAVY if name in loaded] == []
