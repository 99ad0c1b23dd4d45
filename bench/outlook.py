"""What a run has before it: trials that stand, requests that are left, and what they may cost."""

import json
from collections.abc import Sequence

from evalspec.bench.checks import JUDGED
from evalspec.bench.journal import BenchJournal
from evalspec.bench.preparing import Prepared
from evalspec.bench.running import Trial, pending
from evalspec.bench.suite import Case
from evalspec.bench.targets.config import HttpSettings, ProviderSettings, TargetConfig
from evalspec.runtime.budget import CHARS_PER_TOKEN
from evalspec.runtime.providers.endpoint import URLS, is_loopback
from evalspec.spec.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Ahead:
    """Counts of what is left; `paid` names whom to ask may cost money: whatever is not on this machine."""

    trials: int
    open: int
    requests: int
    """To the target: turns of the open trials."""
    input_tokens: int
    """Of the inputs alone, about; prompts and history come on top. 0 where nothing costs anything."""
    votes: int
    """Of the judge, on the open trials; those of trials that stand may be kept, too."""
    paid: tuple[str, ...]


def look_ahead(prepared: Prepared, journal: BenchJournal, every: Sequence[Trial] | None = None) -> Ahead:
    """Count what is left to ask of `every` trial that there is."""
    if every is None:
        every = pending(prepared.suite, prepared.target.digest, prepared.settings.runs)
    left = [case for case, _, key in every if journal.trial(key) is None]
    judge = prepared.judge_config
    votes = sum(_judged(case) for case in left) * (judge.votes * len(judge.models) if judge else 0)
    paid = []
    if left and is_paid(prepared.target_config):
        paid.append(f"the target {prepared.target.name}")
    if judge and votes and any(_costs(model.provider, model.base_url) for model in judge.models):
        paid.append(f"the judge {', '.join(model.model for model in judge.models)}")
    requests = sum(len(case.turns) for case in left)
    chars = sum(len(_text(turn.input)) for case in left for turn in case.turns) if paid else 0
    return Ahead(len(every), len(left), requests, chars // CHARS_PER_TOKEN, votes, tuple(paid))


def is_paid(config: TargetConfig) -> bool:
    """Whether asking the target may cost money."""
    match config.settings:
        case HttpSettings(url=url):
            return not is_loopback(url)
        case ProviderSettings(model=model):
            return _costs(model.provider, model.base_url)
        case _:
            return False


def _costs(provider: str, base_url: str | None) -> bool:
    url = base_url or URLS.get(provider) if provider in ("custom", *URLS) else None
    return url is not None and not is_loopback(url)


def _judged(case: Case) -> int:
    return sum(isinstance(check.spec, JUDGED) for turn in case.turns for check in turn.checks)


def _text(given: object) -> str:
    return given if isinstance(given, str) else json.dumps(given, default=str)
