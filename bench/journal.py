"""trials.jsonl: what targets answered and judges said, appended and never changed, so that nothing is asked twice."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from evalspec.bench.results import JudgeLine, TrialLine
from evalspec.bench.suite import Case
from evalspec.runtime.journaling import JournalError, LineFile, locked, not_writable, torn_line
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.source import Place

TRIALS_NAME = "trials.jsonl"
KEY_VERSION = 1
SYNC_SECONDS = 0.25
"""Between two syncs: a kill loses nothing that was written, a power cut at most so much."""
BenchLine = TrialLine | JudgeLine
_ADAPTER: TypeAdapter[BenchLine] = TypeAdapter(Annotated[BenchLine, Field(discriminator="kind")])


def trial_key(case: Case, target_digest: str, epoch: int) -> str:
    """The digest of all that decides the answers of a trial: what is asked, of whom, in which epoch.

    In it: the case's id, its turns' inputs, its facts and tags (a target's request may name them), and the target's
    digest, which covers its address, model, settings and prompt version. Left out: the checks, severity and place of
    the case, since no answer depends on them, and what the target is called.
    """
    asked = [turn.input for turn in case.turns]
    data = [KEY_VERSION, case.case_id, _plain(asked), _plain(case.facts), list(case.tags), target_digest, epoch]
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), default=str)
    return blake2b(text.encode("ascii"), digest_size=16).hexdigest()


def _plain(value: Any) -> Any:
    """The value with texts for keys: YAML has other keys too, and they cannot be sorted together."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def answered(line: TrialLine) -> bool:
    """Whether every turn of the trial has an answer: only then is it not asked again."""
    return all(result.error is None for result in line.results)


@contextmanager
def opened(
    folder: Path, *, fresh: bool = False, waiting: Callable[[str], None] = lambda _why: None
) -> Iterator["BenchJournal"]:
    """The journal of `folder`, which no other run may hold; with `fresh` a new one, and the old one set aside.

    `waiting` is told why, where a run that was killed is waited for. Raises JournalError (ES503, ES510, ES511).
    """
    with locked(folder, folder, Place((folder / TRIALS_NAME).as_posix()), waiting):
        if fresh:
            _set_aside(folder / TRIALS_NAME)
        journal = BenchJournal(folder)
        try:
            yield journal
        finally:
            journal.close()


def _set_aside(path: Path) -> None:
    """Move a journal to a name that is free: what was paid for is not thrown away. Raises JournalError with ES510."""
    number = 1
    while (aside := path.with_name(f"trials.{number}.jsonl")).exists():
        number += 1
    try:
        path.rename(aside)
    except FileNotFoundError:
        return
    except OSError as error:
        raise JournalError(not_writable(path, error)) from None


class BenchJournal:
    """The trials and verdicts of one folder, by key; the first good one of a key stands for good.

    Opening it cuts off a torn last line. Raises JournalError with ES510 or ES511.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / TRIALS_NAME
        self._trials: dict[str, TrialLine] = {}
        self._verdicts: dict[str, JudgeLine] = {}
        count, good, torn = self._read()
        self.torn: Diagnostic | None = torn_line(self.path, count + 1, torn) if torn else None
        self._file = LineFile(self.path, good, torn, SYNC_SECONDS)

    def trial(self, key: str) -> TrialLine | None:
        """The trial that stands for the key."""
        return self._trials.get(key)

    def get(self, key: str) -> JudgeLine | None:
        """The judge's reply that stands for the key."""
        return self._verdicts.get(key)

    def add(self, line: TrialLine) -> None:
        """Write a trial down. Raises JournalError with ES510."""
        self._write(line)

    def put(self, line: JudgeLine) -> None:
        """Write a judge's reply down. Raises JournalError with ES510."""
        self._write(line)

    def close(self) -> None:
        """Sync and close. Raises JournalError with ES510."""
        self._file.close()

    def _write(self, line: BenchLine) -> None:
        self._file.append(encode(line))
        self._index(line)

    def _index(self, line: BenchLine) -> None:
        match line:
            case TrialLine() if answered(line):
                self._trials.setdefault(line.key, line)
            case JudgeLine() if line.error is None and line.reply is not None:
                self._verdicts.setdefault(line.key, line)
            case _:
                pass

    def _read(self) -> tuple[int, int, int]:
        """Whole lines, the bytes that they take, and the bytes of a torn one."""
        number = good = 0
        try:
            with self.path.open("rb") as file:
                for row in file:
                    if not row.endswith(b"\n"):
                        return number, good, len(row)
                    number += 1
                    self._index(self._decode(row[:-1], number))
                    good += len(row)
        except FileNotFoundError:
            return 0, 0, 0
        except OSError as error:
            raise JournalError(not_writable(self.path, error)) from None
        return number, good, 0

    def _decode(self, row: bytes, number: int) -> BenchLine:
        """One line from its bytes. Raises JournalError with ES511."""
        try:
            return _ADAPTER.validate_json(row)
        except ValidationError:
            pass  # a lone surrogate, perhaps, which only Python's reader takes
        try:
            return _ADAPTER.validate_python(json.loads(row), strict=False)
        except (ValueError, RecursionError):
            hint = "restore the file from a copy, or cut that line out: its trial is then asked again"
            place = Place(self.path.as_posix(), number, 1, number, 1)
            message = f"{self.path}: line {number} is no line of a bench journal"
            raise JournalError(found("ES511", message, place, hint=hint)) from None


def encode(line: BenchLine) -> bytes:
    """One line as bytes, with its newline. Lone surrogates are written as escapes and come back as they were."""
    try:
        return line.model_dump_json().encode("utf-8") + b"\n"
    except ValueError:  # a lone surrogate
        escaped = json.dumps(line.model_dump(mode="python"), ensure_ascii=True, separators=(",", ":"), default=str)
        return escaped.encode("ascii") + b"\n"
