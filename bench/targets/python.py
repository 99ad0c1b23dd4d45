"""A Python function, called in processes of its own: a hang or a crash costs one turn, and prints break nothing."""

import asyncio
import json
import sys
from asyncio.subprocess import Process
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import field
from hashlib import sha256
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from evalspec.bench.results import TargetResult
from evalspec.bench.suite import Case
from evalspec.bench.targets.config import PythonSettings, TargetConfig
from evalspec.bench.targets.mapping import failed, result_of
from evalspec.bench.targets.processes import Tail, digest_of_files, ended, exited, let_go, started
from evalspec.bench.targets.secrecy import Secrets, secrets_of
from evalspec.bench.targets.told import Told
from evalspec.bench.targets.turns import Asked, Conversation
from evalspec.runtime.providers import RefusedError, SetupError
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import found
from evalspec.spec.fingerprint import digest_of

TIMEOUT = 60.0
START = 120.0
"""Seconds that the import of the module may take."""
AT_ONCE = 8
WORKER = Path(__file__).with_name("worker.py")


def make_python(config: TargetConfig, told: Told, env: Mapping[str, str]) -> "PythonTarget":
    """The function of the settings; its module is found, and not imported. Raises SetupError with ES731."""
    settings = config.settings
    assert isinstance(settings, PythonSettings)
    module = settings.function.partition(":")[0]
    source = None if settings.interpreter else source_of(module, config.folder)
    if source is None and not settings.interpreter:
        message = f"there is no module {module} in {config.folder.resolve()}"
        hint = "modules are looked for beside the target's file, or from where `evalspec` was started"
        raise SetupError(found("ES731", message, config.place_of("function"), hint=hint))
    code = sha256(source.read_bytes()).hexdigest() if source else ""
    files = digest_of_files(config.folder, settings.files, config.place_of("files"))
    mapping = settings.map.model_dump(mode="json")
    digest = digest_of(
        ["python", settings.function, settings.interpreter, code, files, mapping, told.model, told.prompt_version]
    )
    return PythonTarget(settings, told, digest, Home(config.folder.resolve(), dict(env), secrets_of(env)))


def source_of(module: str, folder: Path) -> Path | None:
    """The file of a module, found without an import; None where there is none."""
    where: list[str] | None = [str(folder.resolve()), *sys.path]
    spec = None
    for part in module.split("."):
        try:
            spec = PathFinder.find_spec(part, where)
        except (ImportError, ValueError):
            return None
        if spec is None:
            return None
        where = list(spec.submodule_search_locations or ())
    origin = Path(spec.origin) if spec and spec.origin else None
    return origin if origin and origin.is_file() else None


@dataclass(frozen=True, slots=True)
class Home:
    """Where the function runs."""

    folder: Path
    env: dict[str, str] = field(repr=False)
    secrets: Secrets = field(repr=False)


class WorkerError(Exception):
    """The process of a function gave no answer, and is of no further use."""


class PythonTarget:
    """A pool of processes, each started when it is first needed."""

    kind = "python"
    has_answered = False

    def __init__(self, settings: PythonSettings, told: Told, digest: str, home: Home) -> None:
        self.name = settings.name or settings.function
        self.model = told.model
        self.most_at_once = settings.concurrency or AT_ONCE
        self.settings, self.told, self.home, self.digest = settings, told, home, digest
        self.timeout = told.timeout or settings.timeout_seconds or TIMEOUT
        self._idle: list[Worker] = []
        self._all: set[Worker] = set()
        self._places = asyncio.Semaphore(self.most_at_once)

    def shown(self) -> dict[str, Any]:
        """What a report shows of it."""
        return {
            "kind": self.kind,
            "name": self.name,
            "function": self.settings.function,
            "model": self.model,
            "prompt_version": self.told.prompt_version,
            "timeout_seconds": self.timeout,
            "digest": self.digest,
        }

    def session(self, case: Case, epoch: int) -> "PythonSession":
        """A conversation for one trial."""
        return PythonSession(self, Conversation(case, epoch, self.told.model, self.told.prompt_version))

    async def close(self) -> None:
        """End all processes."""
        workers, self._all, self._idle = self._all, set(), []
        await asyncio.gather(*(worker.end() for worker in workers))

    async def call(self, asked: Asked) -> TargetResult:
        """The answer of one call. Raises RefusedError where the function cannot be had at all."""
        async with self._places:
            worker = self._idle.pop() if self._idle else await self._start()
            kept = False
            try:
                said = await worker.call(_data(asked), self.timeout)
                kept = True
            except WorkerError as error:
                return failed(str(error))
            finally:
                if kept:
                    self._idle.append(worker)
                else:
                    self._all.discard(worker)
                    await worker.end()
        return _result(said, self.settings)

    async def _start(self) -> "Worker":
        interpreter = self.settings.interpreter or sys.executable
        argv = [interpreter, "-P", str(WORKER), str(self.home.folder), self.settings.function]
        try:
            process = await started(argv, self.home.folder, self.home.env)
        except OSError as error:
            raise RefusedError(f"{interpreter} cannot be started: {error.strerror or error}") from None
        worker = Worker(process, self.home.secrets)
        self._all.add(worker)
        kept = False
        try:
            said = await worker.hear(START)
            if "ready" not in said:
                raise RefusedError(f"{self.settings.function} cannot be imported: {said.get('failed')}")
            kept = True
        except WorkerError as error:
            raise RefusedError(f"{self.settings.function} cannot be imported: {error}") from None
        finally:
            if not kept:
                self._all.discard(worker)
                await worker.end()
        return worker


def _data(asked: Asked) -> dict[str, Any]:
    return {
        "input": asked.input,
        "facts": dict(asked.facts),
        "model": asked.model,
        "prompt_version": asked.prompt_version,
        "history": list(asked.history),
        "session": asked.session,
    }


def _result(said: dict[str, Any], settings: PythonSettings) -> TargetResult:
    ms = said.get("ms")
    if "raised" in said:
        return failed(str(said["raised"]), ms)
    if "unfit" in said:
        return failed(f"the target gave {said['unfit']}, not an answer", ms)
    return result_of(said.get("answer"), settings.map, ms)


class Worker:
    """One process that runs the function, one call at a time."""

    def __init__(self, process: Process, secrets: Secrets) -> None:
        assert process.stderr is not None
        self._process, self._secrets = process, secrets
        self._tail = Tail(process.stderr)
        self._calls = 0

    async def call(self, data: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """What the worker says to a request. Raises WorkerError."""
        assert self._process.stdin is not None
        self._calls += 1
        self._process.stdin.write(json.dumps({**data, "call": self._calls}, default=str).encode("ascii") + b"\n")
        return await self.hear(seconds)

    async def hear(self, seconds: float) -> dict[str, Any]:
        """What the worker says to the last call. Raises WorkerError."""
        assert self._process.stdin is not None
        try:
            async with asyncio.timeout(seconds):
                with suppress(ConnectionError):
                    await self._process.stdin.drain()
                while (said := await self._said()).get("call", 0) < self._calls:
                    pass  # a child that the function forked came back from an earlier call, too
        except TimeoutError:
            raise WorkerError(f"no answer within {seconds:g} s") from None
        return said

    async def _said(self) -> dict[str, Any]:
        """The next line, whatever it answers. Raises WorkerError."""
        assert self._process.stdout is not None
        try:
            line = await self._process.stdout.readline()
            if not line.endswith(b"\n"):
                raise WorkerError(await self._end_words())
            said = json.loads(self._secrets.clean(line.decode("ascii")))
        except (ValueError, RecursionError):
            raise WorkerError("the process of the function broke its protocol") from None
        if not isinstance(said, dict) or not isinstance(said.get("call", 0), int):
            raise WorkerError("the process of the function broke its protocol")
        return said

    async def _end_words(self) -> str:
        with suppress(TimeoutError):
            async with asyncio.timeout(2):
                await exited(self._process)
        code, last = self._process.returncode, self._secrets.clean(await self._tail.line())
        how = f"by signal {-code}" if code is not None and code < 0 else f"with exit code {code}"
        return f"the process of the function ended {how}" + (f": {last}" if last else "")

    async def end(self) -> None:
        """Kill the process and all that it started."""
        await ended(self._process)
        self._tail.stop()
        let_go(self._process)


@dataclass(frozen=True, slots=True)
class PythonSession:
    """One conversation."""

    target: PythonTarget = field(repr=False)
    talk: Conversation

    async def ask(self, input: Any) -> TargetResult:
        """The answer to the next turn. Raises RefusedError where the function cannot be had at all."""
        return self.talk.took(input, await self.target.call(self.talk.next(input)))

    async def close(self) -> None:
        """Nothing is held open."""
