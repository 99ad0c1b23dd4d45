"""The command line starts without what a command needs later."""

import subprocess
import sys

HEAVY = (
    "pydantic",
    "jinja2",
    "duckdb",
    "pyarrow",
    "numpy",
    "openai",
    "httpx",
    "aiohttp",
    "highspy",
    "datasets",
    "rich",
    "asyncio",
)
LATER = ("aiohttp", "duckdb", "pyarrow", "numpy", "regex", "rich", "dotenv", "jsonschema", "tenacity", "xml")
"""What a bench run needs when it has asked its target, or only some runs need."""
LATER_OF_BENCH = ("graders", "marking", "scoring", "tally", "reports", "reading.native", "reading.scenario", "judging")


def _loaded(code: str) -> set[str]:
    """The modules that there are after running some code."""
    code = f"import sys; {code}; print(*sys.modules)"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout.split())


def test_help_imports_nothing_heavy() -> None:
    loaded = _loaded("from evalspec.cli.main import make_app; make_app()")
    assert [name for name in HEAVY if name in loaded] == []


def test_a_bench_comes_to_its_first_request_without_what_it_needs_later() -> None:
    loaded = _loaded(
        "import evalspec.cli.main, evalspec.cli.bench, evalspec.cli.bench_progress, "
        "evalspec.bench.preparing, evalspec.bench.benching, "
        "evalspec.bench.reading.contract, evalspec.bench.targets.provider"
    )
    later = (*LATER, *(f"evalspec.bench.{name}" for name in LATER_OF_BENCH))
    assert [name for name in later if name in loaded] == []
