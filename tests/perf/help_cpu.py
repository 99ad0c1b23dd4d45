"""The CPU time of `evalspec --help`, over that of importing what draws it."""

import argparse
import sys

from measure import EVALSPEC, compare

BASELINE = "import typer, rich"
MOST = 3.0


def main() -> int:
    """Measure and print; 1 where the ratio is over its bound."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=21)
    return compare("evalspec --help", [EVALSPEC, "--help"], BASELINE, parser.parse_args().rounds, MOST)


if __name__ == "__main__":
    sys.exit(main())
