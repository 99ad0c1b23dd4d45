"""The seven tools of the demo agent: each reads portfolio.json and answers in words."""

import json
from pathlib import Path
from typing import Any

DATA: dict[str, Any] = json.loads((Path(__file__).parent / "portfolio.json").read_text(encoding="utf-8"))
MARKET: dict[str, dict[str, Any]] = DATA["market"]
HELD: dict[str, dict[str, Any]] = {holding["symbol"]: holding for holding in DATA["holdings"]}
PERIODS = {"quarter": "the last three months", "ytd": "the year to date", "year": "the last twelve months"}


def money(amount: float) -> str:
    """$1,234.50, with the sign in front."""
    return f"{'-' if amount < 0 else ''}${abs(amount):,.2f}"


def percent(value: float) -> str:
    """+1.5%."""
    return f"{value:+.1f}%"


def value_of(symbol: str) -> float:
    """What a position is worth at the demo price."""
    return float(HELD[symbol]["quantity"] * MARKET[symbol]["price"])


def total() -> float:
    """Positions and cash."""
    return sum(value_of(symbol) for symbol in HELD) + float(DATA["cash"])


def gain_of(symbol: str) -> tuple[float, float]:
    """The unrealized gain of a position, in dollars and in percent of its cost."""
    cost = HELD[symbol]["quantity"] * HELD[symbol]["average_cost"]
    return value_of(symbol) - cost, (value_of(symbol) / cost - 1) * 100


def ranked() -> list[str]:
    """The symbols that are held, the largest position first."""
    return sorted(HELD, key=value_of, reverse=True)


def portfolio_overview(period: str | None = None, focus: str = "") -> str:
    """Value, holdings, weights, cash; or the one figure that was asked for."""
    by_gain = sorted(HELD, key=lambda symbol: gain_of(symbol)[1])
    match focus:
        case "best" | "worst":
            symbol = by_gain[-1] if focus == "best" else by_gain[0]
            gain, share = gain_of(symbol)
            return (
                f"Your {focus} performer in the portfolio is {symbol}: {money(gain)}, or {percent(share)} on its cost."
            )
        case "largest":
            symbol = ranked()[0]
            weight = value_of(symbol) / total() * 100
            return f"Your largest holding is {symbol} at {money(value_of(symbol))}, {weight:.1f}% of the portfolio."
        case "count":
            return f"Your portfolio has {len(HELD)} holdings, and {money(DATA['cash'])} in cash."
        case "cash":
            return f"You hold {money(DATA['cash'])} in cash, {DATA['cash'] / total() * 100:.1f}% of the portfolio."
    if period:
        return f"Your portfolio returned {percent(DATA['returns']['portfolio'][period])} over {PERIODS[period]}."
    lines = [f"{symbol} {money(value_of(symbol))} ({value_of(symbol) / total() * 100:.1f}%)" for symbol in ranked()]
    return (
        f"Your portfolio is worth {money(total())} as of {DATA['as_of']}: {', '.join(lines)}, "
        f"and cash {money(DATA['cash'])} ({DATA['cash'] / total() * 100:.1f}%)."
    )


def holding_and_market_data(symbol: str) -> str:
    """A position, or the market data of a symbol that is not owned."""
    quote = MARKET[symbol]
    if symbol not in HELD:
        return (
            f"You do not own {symbol} ({quote['name']}). Its demo price is {money(quote['price'])}, "
            f"{percent(quote['day_change'])} on the day."
        )
    gain, share = gain_of(symbol)
    return (
        f"You own {HELD[symbol]['quantity']} shares of {symbol} ({quote['name']}), bought at an average of "
        f"{money(HELD[symbol]['average_cost'])}. At {money(quote['price'])} they are worth {money(value_of(symbol))}, "
        f"{value_of(symbol) / total() * 100:.1f}% of the portfolio, an unrealized {'gain' if gain >= 0 else 'loss'} of "
        f"{money(gain)} ({percent(share)})."
    )


def transaction_search(symbols: list[str], kind: str | None, span: tuple[str, str] | None, pick: str = "") -> str:
    """The trades and dividends that fit; `pick` asks for the last, the first or the largest one."""
    found = [
        line
        for line in DATA["transactions"]
        if (not symbols or line["symbol"] in symbols)
        and (kind is None or line["kind"] == kind)
        and (span is None or span[0] <= line["date"] <= span[1])
    ]
    if not found:
        return "I found no transactions that fit."
    if pick == "largest":
        found = [max(found, key=_amount)]
    elif pick:
        found = found[-1:] if pick == "last" else found[:1]
    listed = "; ".join(
        f"{line['date']} {line['kind']} {line['symbol']} {money(_amount(line))}"
        + (f" ({line['quantity']} at {money(line['price'])})" if "quantity" in line else "")
        for line in found
    )
    noun = "transaction" if len(found) == 1 else "transactions"
    summed = f", {money(sum(map(_amount, found)))} in all" if kind and not pick else ""
    return f"{len(found)} {noun}{summed}: {listed}."


def benchmark_compare(index: str, period: str) -> str:
    """The portfolio against an index, with the difference as alpha."""
    ours, theirs = DATA["returns"]["portfolio"][period], DATA["returns"][index][period]
    verdict = "ahead of" if ours > theirs else "behind"
    return (
        f"Over {PERIODS[period]} your portfolio returned {percent(ours)} and {index} {percent(theirs)}: you are "
        f"{verdict} it, a simple alpha (difference of returns) of {percent(ours - theirs)}."
    )


def risk_analysis() -> str:
    """Concentration, sectors, asset classes, and a score of 100 less the sum of squared weights."""
    weights = {symbol: value_of(symbol) / total() for symbol in HELD}
    score = 100 * (1 - sum(weight**2 for weight in weights.values()))
    first, three = ranked()[0], sum(sorted(weights.values())[-3:])
    return (
        f"Concentration: the largest position is {first} with {weights[first] * 100:.1f}%, the top three hold "
        f"{three * 100:.1f}%. Sectors: {_split('sector')}. Asset classes: {_split('asset_class')}. "
        f"Diversification score: {score:.0f} of 100."
    )


def live_market_data(symbol: str) -> str:
    """A quote: here that of portfolio.json, and it says so."""
    quote = MARKET[symbol]
    return (
        f"{symbol} ({quote['name']}): {money(quote['price'])}, {percent(quote['day_change'])} on the day, volume "
        f"{quote['volume']:,}, 52-week range {money(quote['low_52w'])} to {money(quote['high_52w'])} "
        f"(demo quote of {DATA['as_of']})."
    )


def fee_analysis() -> str:
    """Fees in all, by holding, by month, and beside the gains."""
    charged = [line for line in DATA["transactions"] if "fee" in line]
    fees = sum(line["fee"] for line in charged)
    by_holding = {s: sum(line["fee"] for line in charged if line["symbol"] == s) for s in sorted(HELD)}
    by_month: dict[str, float] = {}
    for line in charged:
        by_month[line["date"][:7]] = by_month.get(line["date"][:7], 0) + line["fee"]
    gains = sum(gain_of(symbol)[0] for symbol in HELD)
    return (
        f"You have paid {money(fees)} in fees in total. By holding: "
        f"{', '.join(f'{symbol} {money(fee)}' for symbol, fee in by_holding.items())}. By month: "
        f"{', '.join(f'{month} {money(fee)}' for month, fee in by_month.items())}. "
        f"That is {fees / gains * 100:.2f}% of your unrealized gains of {money(gains)} (fee-to-return ratio)."
    )


def _amount(line: dict[str, Any]) -> float:
    return float(line["amount"] if "amount" in line else line["quantity"] * line["price"])


def _split(field: str) -> str:
    shares: dict[str, float] = {}
    for symbol, holding in HELD.items():
        shares[holding[field]] = shares.get(holding[field], 0) + value_of(symbol) / total() * 100
    shares["Cash"] = DATA["cash"] / total() * 100
    return ", ".join(f"{name} {share:.1f}%" for name, share in sorted(shares.items(), key=lambda item: -item[1]))
