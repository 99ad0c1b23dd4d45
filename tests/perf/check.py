"""The gate on a synthetic release of 100,000 records with its plan and journal: everything is judged.

    python tests/perf/check.py [--records N] [--folder DIR]

Exits with 1 where a criterion fails or is not judged, or a bound is broken: 60 s and 1.5 GB, with reading the plan, in
a process of its own. The baseline is reading both files with pyarrow and json, in a process of its own as well.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

BASELINE = """
import json, sys, time, pyarrow.parquet as pq
began = time.process_time()
table = pq.read_table(sys.argv[1] + "/data/final/train.parquet")
rows = sum(1 for line in open(sys.argv[1] + "/data/final/train.jsonl", encoding="utf-8") if json.loads(line))
print(json.dumps({"cpu": time.process_time() - began}))
"""


def judge(folder: Path) -> dict[str, object]:
    """Read the plan and judge the release, and say what it took."""
    from evalspec.outputs.checks import check
    from evalspec.spec import planfile

    began, cpu = time.perf_counter(), time.process_time()
    plan = planfile.read(folder / "plan.json")
    report = check(folder / "data/final", plan, folder=folder)
    verdicts: dict[str, list[str]] = {}
    for row in report.rows:
        verdicts.setdefault(row.verdict, []).append(row.code)
    return {
        "wall": time.perf_counter() - began,
        "cpu": time.process_time() - cpu,
        "children_cpu": sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]),
        "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "children_mb": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024,
        "passed": len(verdicts.get("passed", [])),
        "other": {name: codes for name, codes in verdicts.items() if name != "passed"},
        "records": report.records,
    }


def _run(*command: str) -> dict[str, object]:
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=True)
    out: dict[str, object] = json.loads(done.stdout)
    return out


def main() -> int:
    """Make the release unless it is there, judge it, and print what was found."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--judge", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.judge:
        print(json.dumps(judge(asked.judge)))
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.folder or Path(temporary)
        if not (folder / "plan.json").exists():
            import synthetic

            synthetic.write_release(folder, asked.records)
        base = _run("-c", BASELINE, str(folder))
        found = _run(__file__, "--judge", str(folder))
    print(json.dumps(found))
    print(f"{found['cpu']:.1f} s CPU, {found['cpu'] / base['cpu']:.1f} times reading both files")  # type: ignore[operator]
    slow = found["wall"] > 60 or max(found["mb"], found["children_mb"]) > 1500  # type: ignore[operator,type-var]
    return int(bool(found["other"]) or slow)


if __name__ == "__main__":
    sys.exit(main())
