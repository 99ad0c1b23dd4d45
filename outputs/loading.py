"""Reading a release as its users do, with `datasets`, in a process of its own.

`datasets` takes half a second to import, keeps a cache, asks the Hub, and reads its settings once for a process. So
it runs beside the other criteria, offline, with a cache that goes with it. Run as `python -m
evalspec.outputs.loading`: a Job comes in as JSON, an Answer goes out.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from evalspec.spec.dataclass import dataclass

_OFFLINE = ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "HF_HUB_DISABLE_TELEMETRY", "HF_HUB_DISABLE_PROGRESS_BARS")
TIMEOUT = 600


@dataclass(frozen=True, slots=True)
class Job:
    """The files to read, where there are any, and the `configs` of the card's header."""

    parquet: str | None
    jsonl: str | None
    configs: Any


@dataclass(frozen=True, slots=True)
class Answer:
    """What `datasets` said; an empty text is no fault. `paths` are the data files that the configs lead to."""

    parquet: str = ""
    jsonl: str = ""
    configs: str = ""
    paths: tuple[str, ...] = ()


@dataclass(slots=True)
class Pending:
    """An answer that is being worked on."""

    process: "subprocess.Popen[str]"

    def answer(self, job: Job) -> Answer:
        """Wait for it. A reader that died is a fault of the Parquet file, with its last words."""
        try:
            out, err = self.process.communicate(json.dumps(asdict(job)), timeout=TIMEOUT)
            data = json.loads(out)
            return Answer(**data | {"paths": tuple(data["paths"])})
        except subprocess.TimeoutExpired:
            return Answer(parquet=f"datasets gave no answer within {TIMEOUT} s")
        except ValueError:
            last = (err.strip().splitlines() or ["nothing"])[-1]
            return Answer(parquet=f"datasets could not be run: {last[:200]}")


@contextmanager
def reader() -> Iterator[Pending]:
    """A reader that starts at once, and ends with the block."""
    with tempfile.TemporaryDirectory(prefix="evalspec-") as cache:
        environment = os.environ | dict.fromkeys(_OFFLINE, "1") | {"HF_HOME": cache, "HF_DATASETS_CACHE": cache}
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "evalspec.outputs.loading", cache],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            env=environment,
        )
        try:
            yield Pending(process)
        finally:
            if process.poll() is None:
                process.kill()
            process.communicate()


def load(job: Job, cache: Path) -> Answer:
    """Do a job; every exception of `datasets` becomes a text."""
    import datasets

    datasets.disable_progress_bars()
    datasets.logging.set_verbosity(datasets.logging.CRITICAL)
    wrong: dict[str, str] = {}
    features = None
    if job.parquet:
        features = _features("parquet", Path(job.parquet), cache, None, wrong)
    if job.jsonl:
        own = _features("json", Path(job.jsonl), cache, None, wrong)
        if features is not None and own != features:
            # Without declared features a column that is null throughout has no type: read it as the Parquet says.
            wrong.pop("json", None)
            own = _features("json", Path(job.jsonl), cache, features, wrong)
            if own is not None and own != features:
                wrong["json"] = "datasets reads other features from the JSONL than from the Parquet"
    configs, paths = _configs(job.configs)
    return Answer(wrong.get("parquet", ""), wrong.get("json", ""), configs, paths)


def _features(kind: str, path: Path, cache: Path, features: Any, wrong: dict[str, str]) -> Any:
    """The features that `datasets` reads; a link stands for the file, since it takes `[` in a path for a pattern."""
    import datasets

    link = cache / f"{kind}{features is not None}" / f"train.{kind}"
    link.parent.mkdir()
    link.symlink_to(path.absolute())
    try:
        data = datasets.load_dataset(
            kind, data_files=str(link), split="train", cache_dir=str(link.parent / "cache"), features=features
        )
    except Exception as error:  # whatever it raises is what a user would meet
        cause = error.__cause__ or error
        wrong[kind] = f"{type(cause).__name__}: {' '.join(str(cause).split())[:200]}"
        return None
    return data.features


def _configs(configs: Any) -> tuple[str, tuple[str, ...]]:
    from datasets.utils.metadata import MetadataConfigs
    from huggingface_hub import DatasetCardData

    if not configs:
        return "", ()
    try:
        parsed = MetadataConfigs.from_dataset_card_data(DatasetCardData(configs=configs))
    except Exception as error:  # the reader raises what it likes: ValueError, TypeError, AttributeError, KeyError
        return " ".join(str(error).split())[:200] or type(error).__name__, ()
    paths = (
        str(path)
        for config in parsed.values()
        for entry in _as_list(config.get("data_files"))
        for path in _as_list(entry.get("path") if isinstance(entry, dict) else entry)
    )
    return "", tuple(dict.fromkeys(paths))


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def main() -> None:
    """Read a Job from standard input, and write its Answer. The import comes first: it is what takes long."""
    import datasets  # noqa: F401

    job = Job(**json.loads(sys.stdin.read()))
    sys.stdout.write(json.dumps(asdict(load(job, Path(sys.argv[1])))))


if __name__ == "__main__":
    main()
