"""Pages of a review over a synthetic release of 100,000 records with its plan and journal.

    python tests/perf/review.py [--records N] [--folder DIR]

Each kind of page is asked for by HTTP five times, a search with other words each time; exits with 1 where the median
of one is over 300 ms. The baseline of a page is a file that the server sends as it is, and that of a search is one
reading of all texts for a word, in plain Python.
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


def scan(folder: Path, words: list[str]) -> list[float]:
    """Seconds for one reading of all texts, by word."""
    import pyarrow.parquet as pq

    columns = ["prompt", "expected_behavior"]
    table = pq.read_table(folder / "data/final/train.parquet", columns=columns)
    texts = [text.lower() for column in columns for text in table[column].to_pylist()]
    times = []
    for word in words:
        began = time.perf_counter()
        assert sum(word in text for text in texts)
        times.append(time.perf_counter() - began)
    return times


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
    words = _words(folder)[: 2 * TIMES]
    group = plan.groups[len(plan.groups) // 2].group_id
    paths = {
        "a file": ["/review.js"] * TIMES,
        "first": ["/"] * TIMES,
        "filtered": ["/?difficulty=hard&domain=tax"] * TIMES,
        "searched": [f"/?q={word}" for word in words[::2]],
        "searched in vain": [f"/?q=0123456789{number}" for number in range(TIMES)],
        "searched and filtered": [f"/?difficulty=hard&q={word}" for word in words[1::2]],
        "the next of a search": [f"/?q={words[-1]}"] * TIMES,
        "last page": ["/?page=999999"] * TIMES,
        "a group in the middle": [f"/?group={group}"] * TIMES,
    }
    with desk.opened(folder / "data/final", plan, folder, lambda _: None) as shown, Server(shown) as server:
        opened = time.perf_counter() - began
        threading.Thread(target=server.serve_forever, daemon=True).start()
        took = {name: [ask(server.server_port, path) for path in asked] for name, asked in paths.items()}
        server.shutdown()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    medians = {name: round(statistics.median(times), 4) for name, times in took.items()}
    baseline = round(statistics.median(scan(folder, words)), 4)
    print(json.dumps({"opened": round(opened, 2), "mb": memory, **medians, "texts read once": baseline}, indent=2))
    return int(max(medians.values()) > BOUND)


def _words(folder: Path) -> list[str]:
    """Words of the first prompt's question, in order of the alphabet."""
    with (folder / "data/final/train.jsonl").open(encoding="utf-8") as file:
        question = str(json.loads(file.readline())["prompt"]).rsplit("\n\n", 1)[1].lower().replace(".", "")
    return sorted({word for word in question.split() if len(word) > 5})


if __name__ == "__main__":
    sys.exit(main())
