"""`evalspec run` against a local LLM that refuses one request in ten and cuts one reply in twenty off.

Beside it, in the same run, the same without faults. A refusal says Retry-After: 1.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from filling import fill, prepared, server, unfilled

MOST = 3.0


def main() -> int:
    """Measure and print; 1 where a slot stays open, or the faults cost more than they may."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--p429", default="0.1")
    parser.add_argument("--pmalformed", default="0.05")
    parser.add_argument("--latency", default="0.05")
    parser.add_argument("--in-flight", type=int, default=64)
    options = parser.parse_args()
    walls, open_slots = [], 0
    with tempfile.TemporaryDirectory() as scratch:
        for name, faults in (("without", ()), ("with", ("--p429", options.p429, "--pmalformed", options.pmalformed))):
            spec = Path(scratch) / name
            with server("--latency", options.latency, *faults) as own:
                prepared(spec, own.url)
                spent = fill(spec, options.in_flight)
                counts = own.stats()
            slots, left, _ = unfilled(spec)
            open_slots += left
            walls.append(spent.wall)
            print(f"{name:<9} {spent}, exit {spent.code}; {slots - left} of {slots} slots filled; {counts}")
    print(f"wall      {walls[1] / walls[0]:.2f} of the run without faults, at most {MOST}")
    return int(bool(open_slots) or walls[1] > MOST * walls[0])


if __name__ == "__main__":
    sys.exit(main())
