"""Everything that a run needs, read and linted before anything is asked: suite, settings, target, judge, folder."""

import re
from collections.abc import Sequence
from dataclasses import field
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from evalspec.bench import findings
from evalspec.bench.checks import JUDGED
from evalspec.bench.named_facts import unknown_facts
from evalspec.bench.reading import read_set, read_suite
from evalspec.bench.report import Settings
from evalspec.bench.selecting import select
from evalspec.bench.settings import BenchFile, ModuleSettings, read_settings
from evalspec.bench.suite import Case, Suite
from evalspec.bench.targets import SetupError, Target, TargetConfig, TargetOptions, make_target, read_target
from evalspec.runtime.environment import environment
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import Diagnostic, has_errors

if TYPE_CHECKING:
    from evalspec.bench.judging import Judge, JudgeConfig
    from evalspec.bench.people import Ratings


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a user asked of a run; None leaves a thing to evalspec.toml, or to its default."""

    suite: Path | None = None
    module: str | None = None
    eval_set: str | None = None
    target: str | None = None
    judge: str | None = None
    prompt_version: str | None = None
    model: str | None = None
    runs: int | None = None
    concurrency: int | None = None
    max_cases: int | None = None
    filters: tuple[str, ...] = ()
    policies: Path | None = None
    ratings: Path | None = None
    work: Path | None = None
    fresh: bool = False
    max_calls: int | None = None
    ci: bool = False


@dataclass(frozen=True, slots=True)
class Prepared:
    """A run that can begin."""

    wanted: Wanted
    suite: Suite
    file: BenchFile
    settings: Settings
    target: Target
    target_config: TargetConfig
    judge: "Judge | None"
    judge_config: "JudgeConfig | None"
    prompt_version: str | None
    ratings: "Ratings | None"
    home: Path
    """The folder under which reports and journals are written."""
    work: Path
    """The folder of the journal."""
    client: Thread | None = None
    """Imports what the target is asked with; nothing else should be imported beside it."""


def prepare(wanted: Wanted, folder: Path) -> tuple[Prepared | None, tuple[Diagnostic, ...]]:
    """Read and lint everything, as seen from `folder`; None where the run cannot begin, and why. Asks nothing."""
    file, faults = read_settings(folder if wanted.suite is None else _beside(folder / wanted.suite))
    preparing = _Preparing(wanted, folder, file, [*faults])
    prepared = preparing.prepared()
    return (None if preparing.failed else prepared), tuple(preparing.said)


def read(wanted: Wanted, folder: Path) -> tuple[Suite | None, tuple[Diagnostic, ...]]:
    """The suite alone, or the part of it that was asked for, and what is wrong with it."""
    file, faults = read_settings(folder if wanted.suite is None else _beside(folder / wanted.suite))
    preparing = _Preparing(wanted, folder, file, [*faults])
    return preparing.suite(), tuple(preparing.said)


def _beside(path: Path) -> Path:
    """The folder in which a suite lies, or that it is."""
    try:
        return path if path.is_dir() else path.parent
    except OSError:  # a name that is too long
        return Path()


@dataclass(frozen=True, slots=True)
class _Preparing:
    """One preparation, and what it has found so far."""

    wanted: Wanted
    folder: Path
    file: BenchFile
    said: list[Diagnostic] = field(default_factory=list)
    whole: list[Case] = field(default_factory=list)
    """The cases of the suite, also those that were not asked for."""
    targets: dict[str, tuple[TargetConfig | None, tuple[Diagnostic, ...]]] = field(default_factory=dict)
    """The settings of targets that were read, by how they were named."""
    clients: list[Thread] = field(default_factory=list)
    """The thread that imports what the target is asked with, once there is one."""

    @property
    def failed(self) -> bool:
        return has_errors(self.said)

    @property
    def home(self) -> Path:
        """Where the sets of a project lie, for a set that is named by its module; else where the user is."""
        named = self.wanted.suite is None and self.file.folder is not None
        return self.file.folder if named and self.file.folder is not None else self.folder

    def add(self, more: Sequence[Diagnostic]) -> None:
        self.said.extend(more)

    def suite(self) -> Suite | None:
        wanted = self.wanted
        if wanted.suite is not None:
            policies = self.folder / wanted.policies if wanted.policies else None
            reading = read_suite(self.folder / wanted.suite, policies=policies)
        else:
            reading = read_set(self.home / self.file.settings.root, wanted.module or "", wanted.eval_set or "")
        self.add(reading.diagnostics)
        suite = reading.suite
        self.whole.extend(suite.cases if suite is not None else ())
        if suite is not None and not self.failed and (wanted.filters or wanted.max_cases is not None):
            suite, faults = select(suite, wanted.filters, wanted.max_cases)
            self.add(faults)
        return suite

    def prepared(self) -> Prepared | None:
        wanted = self.wanted
        self.import_client(self.file.settings.of(wanted.module))
        suite = self.suite()
        if suite is None:
            return None
        settings = self.file.chosen(wanted.runs, wanted.concurrency).model_copy(
            update={"max_cases": wanted.max_cases, "filters": wanted.filters}
        )
        own = self.file.settings.of(suite.module)
        config = self.target_config(own)
        if wanted.ci:
            kind = config.settings.kind if config is not None else None
            self.add(findings.not_strict(suite, self.file, settings, kind))
        if config is not None and not self.failed:
            self.add(unknown_facts(self.whole, config))
        judge = self.judge(own, suite)
        ratings = self.ratings()
        target = self.target(config, own, settings) if config is not None and not self.failed else None
        if target is None or config is None:
            return None
        return Prepared(
            wanted=wanted,
            suite=suite,
            file=self.file,
            settings=settings,
            target=target,
            target_config=config,
            judge=judge[0] if judge else None,
            judge_config=judge[1] if judge else None,
            prompt_version=wanted.prompt_version or own.prompt_version or target.shown().get("prompt_version"),
            ratings=ratings,
            home=self.home,
            work=self.work(suite, target),
            client=self.clients[0] if self.clients else None,
        )

    def seen_from(self, given: object) -> Path:
        """The folder from which a name is seen: where the user is, or where the settings lie that hold it."""
        return self.folder if given is not None else self.file.folder or self.folder

    def import_client(self, own: ModuleSettings) -> None:
        """Begin to import what the target is asked with, where it is asked over the network.

        Half of that is reading certificates, which goes on beside what is still to be prepared.
        """
        given = self.wanted.target or own.target
        config = None if given is None else self.read_target(given)[0]
        if config is not None and config.settings.kind in ("http", "provider"):
            self.clients.append(Thread(target=import_module, args=("aiohttp",)))
            self.clients[0].start()

    def target_config(self, own: ModuleSettings) -> TargetConfig | None:
        given = self.wanted.target or own.target
        if given is None:
            self.add([findings.no_target(self.wanted.module, self.file.place)])
            return None
        config, faults = self.read_target(given)
        self.add(faults)
        return config

    def read_target(self, given: str) -> tuple[TargetConfig | None, tuple[Diagnostic, ...]]:
        """The settings of a target, read once."""
        if given not in self.targets:
            self.targets[given] = read_target(given, self.seen_from(self.wanted.target))
        return self.targets[given]

    def target(self, config: TargetConfig, own: ModuleSettings, settings: Settings) -> Target | None:
        options = TargetOptions(
            prompt_version=self.wanted.prompt_version or own.prompt_version,
            model=self.wanted.model or own.model,
            settings=settings,
            folder=self.folder,
        )
        try:
            return make_target(config, options, environment(self.home))
        except SetupError as error:
            self.add([error.diagnostic])
            return None

    def judge(self, own: ModuleSettings, suite: Suite) -> "tuple[Judge, JudgeConfig] | None":
        """The judge, where a check needs one; a warning where one does and none is named."""
        judged = judged_checks(suite)
        given = self.wanted.judge or own.judge
        if given is None:
            self.add([findings.no_judge(suite, judged)] if judged else [])
            return None
        from evalspec.bench.judging import make_judge, read_judge

        config, faults = read_judge(given, self.seen_from(self.wanted.judge))
        self.add(faults)
        if config is None or not judged:
            return None
        try:
            return make_judge(config, environment(self.home), self.folder), config
        except SetupError as error:
            self.add([error.diagnostic])
            return None

    def ratings(self) -> "Ratings | None":
        """What people said of answers; None where no ratings are given."""
        if self.wanted.ratings is None:
            return None
        from evalspec.bench.ratings import read_ratings

        ratings, faults = read_ratings(self.folder / self.wanted.ratings)
        self.add(faults)
        return ratings

    def work(self, suite: Suite, target: Target) -> Path:
        """The folder of the journal: it holds the answers of one target, whatever its suite becomes."""
        if self.wanted.work is not None:
            return self.folder / self.wanted.work
        name = "-".join(part for part in (_slug(suite.name), _slug(target.name), target.digest[:12]) if part)
        return self.home / self.file.settings.root / "runs" / name


def judged_checks(suite: Suite) -> int:
    """How many checks of the suite a judge decides."""
    return sum(isinstance(check.spec, JUDGED) for case in suite.cases for turn in case.turns for check in turn.checks)


def _slug(name: str) -> str:
    """A name as a part of a folder's name."""
    return re.sub(r"[^\w.-]+", "-", name).strip("-.")[:40]
