"""Before a run that may cost money: what stands, what is left, what it may cost, and whether to go on."""

from typing import TYPE_CHECKING, Any, cast

import typer

from evalspec.cli.agreeing import agreed
from evalspec.cli.shared import Exit, stderr, usage
from evalspec.cli.workspace import PlanFile
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import Diagnostic

if TYPE_CHECKING:
    from evalspec.runtime.outlook import Estimate, Outlook
    from evalspec.spec.generation import Prices, ProviderName
    from evalspec.spec.journal import Journal, Usage


@dataclass(frozen=True, slots=True)
class Caps:
    """What a user allows a run to spend, and whether to be asked first."""

    calls: int | None = None
    cost: float | None = None
    yes: bool = False


@dataclass(frozen=True, slots=True)
class Ahead:
    """What was found out before a run: findings, and what the folder's runs have used so far."""

    notes: tuple[Diagnostic, ...]
    before: "Usage"
    prices: "Prices | None"

    def spent(self, used: "Usage") -> dict[str, object]:
        """Figures for programs: what a run used and cost, and all runs on this folder, at the config's prices."""
        from evalspec.runtime.spending import added, cost

        in_all = added(self.before, used)
        return {
            "cost": cost(self.prices, used),
            "usage_in_all": in_all,
            "cost_in_all": cost(self.prices, in_all),
            "currency": self.prices.currency if self.prices else None,
            "prices_as_of": self.prices.as_of if self.prices else None,
        }


def words_of(data: "dict[str, Any]") -> str:
    """Usage and cost of a run in words; empty where nothing was used."""
    used, in_all = data.get("usage"), data.get("usage_in_all")
    if not used or not used.input_tokens + used.output_tokens:
        return ""
    said = f"usage: {_short(used.input_tokens)} tokens in, {_short(used.output_tokens)} out"
    if data.get("cost") is not None:
        as_of = f" at the prices of {data['prices_as_of']}" if data.get("prices_as_of") else ""
        said += f", {data['cost']:,.4f} {data['currency']}{as_of}"
    if in_all and in_all != used:
        said += f"; in all runs here {_short(in_all.input_tokens)} in, {_short(in_all.output_tokens)} out"
        said += f", {data['cost_in_all']:,.4f} {data['currency']}" if data.get("cost_in_all") is not None else ""
    return said


def refuse_caps(opened: PlanFile, provider: str | None, caps: Caps) -> Diagnostic | None:
    """The finding that a cap on cost needs prices, where a provider that costs money has none."""
    from evalspec.runtime.providers.endpoint import is_paid

    name = cast("ProviderName", provider or opened.plan.generation_model.provider)
    if caps.cost is None or opened.plan.generation_model.prices is not None or not is_paid(name, opened.plan):
        return None
    hint = "set generation_model.prices (input_per_million, output_per_million), or cap the calls: --max-calls"
    return usage("--max-cost needs prices, and the config gives none", "--max-cost", hint)


def unready(opened: PlanFile, provider: str | None) -> Diagnostic | None:
    """The finding that a provider cannot be called as things are, before anything is moved for it."""
    from evalspec.runtime import event_loop
    from evalspec.runtime.environment import environment
    from evalspec.runtime.providers import ProviderOptions, SetupError, make_provider

    name = cast("ProviderName | None", provider)
    try:
        made = make_provider(opened.plan, ProviderOptions(opened.folder, name), environment(opened.folder))
    except SetupError as error:
        return error.diagnostic
    event_loop.run(made.close())
    return None


def look_ahead(opened: PlanFile, provider: str | None, *, limit: int | None, anew: bool, caps: Caps) -> Ahead:
    """Say what a run has before it, and ask on a terminal whether to pay for it; ends the command on a no.

    With `anew` what stands is about to be set aside. Nothing is said where nothing is asked of a service or a model.
    """
    from evalspec.runtime.environment import environment
    from evalspec.runtime.journaling import read_journal
    from evalspec.runtime.outlook import estimate, outlook
    from evalspec.runtime.providers.endpoint import is_paid
    from evalspec.runtime.spending import added, usage_by_group
    from evalspec.spec.journal import Journal, Usage, without_reply

    plan = opened.plan
    prices = plan.generation_model.prices
    name = cast("ProviderName", provider or plan.generation_model.provider)
    if name in ("embedded", "replay"):
        return Ahead((), Usage(), prices)
    journal = Journal((), 0, 0) if anew else read_journal(opened.folder, without_reply)
    ahead = outlook(plan, journal, name, plan.generation_model.model_name)
    _say_what_stands(opened, journal, ahead)
    if ahead.open and is_paid(name, plan) and environment(opened.folder).get(plan.generation_model.api_key_env):
        _say_cost(estimate(plan, journal, name, limit), f"{name} {plan.generation_model.model_name}", prices)
        if not agreed(yes=caps.yes):
            raise typer.Exit(Exit.CANNOT_RUN)
    before = Usage()
    for used in usage_by_group(journal.lines).values():
        before = added(before, used)
    return Ahead(_kept(opened, name, ahead), before, prices)


def _kept(opened: PlanFile, name: str, ahead: "Outlook") -> tuple[Diagnostic, ...]:
    """A note that groups of another model are kept."""
    from evalspec.runtime.findings import model_changed

    if not ahead.other_models or not ahead.open:
        return ()
    return (model_changed(opened.plan, ahead.other_models, name, opened.plan.generation_model.model_name),)


def _say_what_stands(opened: PlanFile, journal: "Journal", ahead: "Outlook") -> None:
    """What was filled before, and what a change since then undid."""
    from evalspec.spec.journal import RunLine

    runs = [line for line in journal.lines if isinstance(line, RunLine)]
    if not runs:
        return
    said = f"{ahead.filled:,} groups are filled, {ahead.open:,} are open"
    if ahead.invalidated:
        said += f"; {ahead.invalidated:,} of these were filled for a text, cell or strategy that has changed since"
    elif runs[-1].plan_digest != opened.plan.digest:
        said += "; the plan has changed since the last run, and nothing that was filled is invalidated by it"
    stderr().print(said)


def _say_cost(ahead: "Estimate", who: str, prices: "Prices | None") -> None:
    lengths = "as replies were so far" if ahead.learned else "assumed"
    out = ahead.likely.output_tokens
    stderr().print(
        f"estimate: {ahead.calls:,} calls to {who}, about {_short(ahead.likely.input_tokens)} tokens in and "
        f"{_short(out)} out ({lengths}), at most {_short(ahead.most.output_tokens)} out; re-asks come on top"
    )
    if prices is None or ahead.likely_cost is None or ahead.most_cost is None:
        stderr().print("generation_model.prices is not set: what that costs is not known here")
        return
    as_of = f" of {prices.as_of}" if prices.as_of else ""
    money = prices.currency
    stderr().print(
        f"at the config's prices{as_of}: about {ahead.likely_cost:,.2f} {money}, at most {ahead.most_cost:,.2f} {money}"
    )


def _short(tokens: int) -> str:
    """Tokens in thousands or millions."""
    return f"{tokens / 1e6:.1f}M" if tokens >= 1e6 else f"{tokens / 1e3:.0f}k" if tokens >= 1e4 else f"{tokens:,}"
