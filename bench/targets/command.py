"""A program that is started once a turn: JSON on stdin, an answer on stdout."""

import asyncio
import json
import shlex
import shutil
import time
from asyncio.subprocess import Process
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import field
from hashlib import sha256
from pathlib import Path
from typing import Any

from evalspec.bench.results import TargetResult
from evalspec.bench.suite import Case
from evalspec.bench.targets.config import CommandSettings, TargetConfig
from evalspec.bench.targets.mapping import failed, result_of
from evalspec.bench.targets.processes import PATIENCE, Tail, digest_of_files, ended, exited, kill_group, let_go, started
from evalspec.bench.targets.secrecy import Secrets, secrets_of
from evalspec.bench.targets.told import Told
from evalspec.bench.targets.turns import Conversation, plain_request
from evalspec.bench.targets.values import parsed, short
from evalspec.runtime.providers import SetupError
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import found
from evalspec.spec.fingerprint import digest_of

TIMEOUT = 60.0
AT_ONCE = 8
MAX_BYTES = 8 << 20
"""Of one answer."""


def make_command(config: TargetConfig, told: Told, env: Mapping[str, str]) -> "CommandTarget":
    """The program of the settings. Raises SetupError with ES731."""
    settings = config.settings
    assert isinstance(settings, CommandSettings)
    place = config.place_of("command")
    try:
        argv = shlex.split(settings.command) if isinstance(settings.command, str) else list(settings.command)
    except ValueError as error:
        raise SetupError(found("ES731", f"the command cannot be read: {error}", place)) from None
    folder = config.folder.resolve()
    program = _program(argv[0], folder, env) if argv else None
    if program is None:
        message = f"there is no program {argv[0]}" if argv else "the command is empty"
        hint = "a program with a / in its name is seen from the target's file, others are looked for on PATH"
        if argv and "/" in argv[0] and (folder / argv[0]).is_file():
            message, hint = f"{argv[0]} may not be run", f"chmod +x {argv[0]}, or name its interpreter before it"
        raise SetupError(found("ES731", message, place, hint=hint))
    files = [[item, _digest(folder / item)] for item in argv if (folder / item).is_file()]
    files += digest_of_files(folder, settings.files, config.place_of("files"))
    mapping = settings.map.model_dump(mode="json")
    digest = digest_of(["command", argv, settings.reply, files, mapping, told.model, told.prompt_version])
    return CommandTarget(settings, told, digest, Program((program, *argv[1:]), folder, dict(env), secrets_of(env)))


def _program(name: str, folder: Path, env: Mapping[str, str]) -> str | None:
    if "/" in name:
        return shutil.which(str(folder / name))
    return shutil.which(name, path=env.get("PATH"))


def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


@dataclass(frozen=True, slots=True)
class Program:
    """What is started, and where."""

    argv: tuple[str, ...]
    folder: Path
    env: dict[str, str] = field(repr=False)
    secrets: Secrets = field(repr=False)


class CommandTarget:
    """A program; it keeps nothing between turns but what it is told."""

    kind = "command"
    has_answered = False

    def __init__(self, settings: CommandSettings, told: Told, digest: str, program: Program) -> None:
        self.name = settings.name or program.secrets.clean(" ".join([Path(program.argv[0]).name, *program.argv[1:]]))
        self.model = told.model
        self.most_at_once = settings.concurrency or AT_ONCE
        self.settings, self.told, self.program, self.digest = settings, told, program, digest
        self.timeout = told.timeout or settings.timeout_seconds or TIMEOUT
        self._places = asyncio.Semaphore(self.most_at_once)

    def shown(self) -> dict[str, Any]:
        """What a report shows of it."""
        return {
            "kind": self.kind,
            "name": self.name,
            "model": self.model,
            "prompt_version": self.told.prompt_version,
            "timeout_seconds": self.timeout,
            "digest": self.digest,
        }

    def session(self, case: Case, epoch: int) -> "CommandSession":
        """A conversation for one trial."""
        return CommandSession(self, Conversation(case, epoch, self.told.model, self.told.prompt_version))

    async def close(self) -> None:
        """Every process has ended with its turn."""

    async def run(self, request: bytes) -> TargetResult:
        """What one start of the program comes to."""
        async with self._places:
            began = time.perf_counter()
            try:
                process = await started(self.program.argv, self.program.folder, self.program.env)
            except OSError as error:
                return failed(f"{self.program.argv[0]} cannot be started: {error.strerror or error}")
            assert process.stderr is not None
            tail = Tail(process.stderr)
            try:
                out = await _talk(process, request, self.timeout)
                latency = (time.perf_counter() - began) * 1000
                code = await ended(process)
                last = self.program.secrets.clean(await tail.line())
            finally:
                kill_group(process)
                tail.stop()
                let_go(process)
        return self._result(out, code, last, latency)

    def _result(self, out: bytes | None, code: int | None, last: str, latency: float) -> TargetResult:
        why = f": {last}" if last else ""
        if out is None:
            return failed(f"no answer within {self.timeout:g} s{why}", latency)
        if len(out) > MAX_BYTES:
            return failed(f"the answer has over {MAX_BYTES:,} bytes", latency)
        if code is None or code < 0:
            return failed(f"the program was ended by signal {-(code or -9)}{why}", latency)
        if code > 0:
            return failed(f"the program ended with exit code {code}{why}", latency)
        return read(self.program.secrets.clean(out.decode("utf-8", "replace")), self.settings, latency)


async def _talk(process: Process, request: bytes, seconds: float) -> bytes | None:
    """What a process writes until it ends; None where it takes too long, over MAX_BYTES where it writes too much."""
    assert process.stdin is not None
    assert process.stdout is not None
    parts: list[bytes] = []
    out = asyncio.create_task(_bounded(process.stdout, parts))
    try:
        async with asyncio.timeout(seconds):
            with suppress(ConnectionError):
                process.stdin.write(request)
                await process.stdin.drain()
            with suppress(ConnectionError):
                process.stdin.close()
            left = asyncio.create_task(exited(process))
            await asyncio.wait([out, left], return_when=asyncio.FIRST_COMPLETED)
            if out.done() and sum(map(len, parts)) > MAX_BYTES:
                left.cancel()
                return b"".join(parts)
            await left
    except TimeoutError:
        out.cancel()
        return None
    kill_group(process)  # what it left running would hold stdout open
    await asyncio.wait([out], timeout=PATIENCE)
    out.cancel()  # something holds it open in a group of its own: what the program itself wrote is there
    return b"".join(parts)


async def _bounded(stream: asyncio.StreamReader, parts: list[bytes]) -> None:
    size = 0
    while size <= MAX_BYTES and (part := await stream.read(65536)):
        parts.append(part)
        size += len(part)


def read(text: str, settings: CommandSettings, latency: float) -> TargetResult:
    """The result in what a program wrote.

    With `reply: auto` an object or a quoted text is read as JSON, true, false, null and a list are no answers, and all
    else is the text itself.
    """
    bare = text.strip()
    if settings.reply == "text":
        return result_of(text.rstrip("\r\n"), settings.map, latency)
    try:
        data = parsed(bare)
    except ValueError:
        if settings.reply == "json":
            return failed(f"the program wrote no JSON: {short(bare, 120)!r}", latency)
        return result_of(text.rstrip("\r\n"), settings.map, latency)
    if settings.reply == "auto" and isinstance(data, int | float) and not isinstance(data, bool):
        return result_of(bare, settings.map, latency)
    return result_of(data, settings.map, latency)


@dataclass(frozen=True, slots=True)
class CommandSession:
    """One conversation."""

    target: CommandTarget = field(repr=False)
    talk: Conversation

    async def ask(self, input: Any) -> TargetResult:
        """The answer to the next turn."""
        request = json.dumps(plain_request(self.talk.next(input)), default=str).encode("ascii") + b"\n"
        return self.talk.took(input, await self.target.run(request))

    async def close(self) -> None:
        """Nothing is held open."""
