"""Pages of a review over a synthetic release of 100,000 records with its plan and journal.

    python tests/perf/review.py [--records N] [--folder DIR]

Each kind of page is asked for by HTTP five times; exits with 1 where the median of one is over 300 ms. The baseline
is the bare minimum of a page, a file that the server sends as it is.
"""

import argparse
import json
import resource
import statistics
import sys
import tempfile
import threading
import time
from http.client import HTTPConnection
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

BOUND = 0.3
TIMES = 5


def ask(port: int, path: str) -> float:
    """Seconds from asking to the last byte."""
    began = time.perf_counter()
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path)
    answer = connection.getresponse()
    assert answer.read()
    assert answer.status == 200
    connection.close()
    return time.perf_counter() - began


def main() -> int:
    """Make the release unless it is there, open it, and print what its pages took."""
    from synthetic import write_release

    from evalspec.outputs.review import desk
    from evalspec.outputs.review.server import Server
    from evalspec.spec import planfile

    parser = argparse.ArgumentParser()
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    folder = options.folder or Path(tempfile.mkdtemp()) / "spec"
    if not (folder / "plan.json").exists():
        write_release(folder, options.records)
    began = time.perf_counter()
    plan = planfile.read(folder / "plan.json")
    word = next(word for word in _first_prompt(folder).split()[::-1] if len(word) > 5)
    group = plan.groups[len(plan.groups) // 2].group_id
    paths = {
        "baseline": "/review.js",
        "first": "/",
        "filtered": "/?difficulty=hard&domain=tax",
        "searched": f"/?q={word}",
        "searched in vain": "/?q=0123456789",
        "searched and filtered": f"/?difficulty=hard&q={word}",
        "last page": "/?page=999999",
        "a group in the middle": f"/?group={group}",
    }
    with desk.opened(folder / "data/final", plan, folder, lambda _: None) as shown, Server(shown) as server:
        opened = time.perf_counter() - began
        threading.Thread(target=server.serve_forever, daemon=True).start()
        took = {name: [ask(server.server_port, path) for _ in range(TIMES)] for name, path in paths.items()}
        server.shutdown()
    medians = {name: round(statistics.median(times), 4) for name, times in took.items()}
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps({"opened": round(opened, 2), "mb": memory, **medians}, indent=2))
    return int(max(medians.values()) > BOUND)


def _first_prompt(folder: Path) -> str:
    with (folder / "data/final/train.jsonl").open(encoding="utf-8") as file:
        return str(json.loads(file.readline())["prompt"]).rstrip(".")


if __name__ == "__main__":
    sys.exit(main())
