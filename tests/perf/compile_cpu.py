"""The CPU time of `evalspec compile` on the shipped spec, over that of importing what it stands on."""

import argparse
import sys
import tempfile
from pathlib import Path

from measure import EVALSPEC, compare, shipped_plan

BASELINE = "import pydantic, jinja2, ruamel.yaml, highspy"
MOST = 6.0


def main() -> int:
    """Measure and print; 1 where the ratio is over its bound."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=11)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as scratch:
        spec = shipped_plan(Path(scratch) / "spec").parent
        return compare("evalspec compile", [EVALSPEC, "compile", str(spec)], BASELINE, rounds, MOST)


if __name__ == "__main__":
    sys.exit(main())
