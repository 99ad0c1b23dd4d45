"""A demo agent for the scenario set: rules instead of a model, so that the example runs without a key."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from difflib import get_close_matches
from typing import Any

import tools
from words import BENCHMARKS, FOLLOW_UP, FORESIGHT, HOLDING, NAMES, OVERVIEW, REFUSALS, SUMMARY, TOOLS

TODAY = date.fromisoformat(tools.DATA["as_of"])
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


@dataclass
class Asked:
    """What a query asks for, with what it left to the turns before it."""

    text: str
    symbols: list[str] = field(default_factory=list)
    period: str | None = None
    span: tuple[str, str] | None = None
    notes: list[str] = field(default_factory=list)
    tools: list[str] = field(default_factory=list)


def agent(query: str, history: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    """Answer a query with {"response", "tools_called", "confidence"}.

    `history` is the turns before it, each {"role": "user" or "assistant", "content"}.
    """
    text = query.strip().lower().replace("’", "'")
    if not re.search(r"[^\W\d_]{2}", text):
        return _say("I did not catch a question. Ask about your portfolio, a holding, trades, risk or fees.", "LOW")
    for pattern, reply in REFUSALS:
        if re.search(pattern, text, re.DOTALL):
            return _say(reply, "LOW" if pattern == FORESIGHT else "HIGH")
    asked = _read(query)
    if isinstance(asked, str):
        return _say(asked, "LOW")
    _carry(asked, history)
    if len(asked.tools) > 1 and not asked.symbols:
        asked.tools = [name for name in asked.tools if name not in {"live_market_data", "holding_and_market_data"}]
    if not asked.tools:
        return _say("I can only help with this portfolio: holdings, trades, benchmarks, risk, quotes and fees.", "LOW")
    answers = [answer for name in asked.tools for answer in _call(name, asked)]
    return {
        "response": " ".join(asked.notes + answers),
        "tools_called": asked.tools,
        "confidence": "MEDIUM" if asked.notes else "HIGH",
    }


def _say(text: str, confidence: str) -> dict[str, Any]:
    return {"response": text, "tools_called": [], "confidence": confidence}


def _read(query: str) -> Asked | str:
    """The query in parts, or the words to say where it cannot be."""
    asked = Asked(query.lower().replace("’", "'"))
    span = _span(asked.text)
    if isinstance(span, str):
        return span
    asked.span, asked.period = span, _period(asked.text)
    unknown = _symbols(query, asked)
    if unknown and not asked.symbols:
        return f"I do not know the symbol {unknown[0]}, and will not guess at its figures. Please check the spelling."
    asked.notes += [f"I do not know the symbol {symbol}." for symbol in unknown]
    asked.tools = [name for name, pattern in TOOLS if re.search(pattern, asked.text)]
    if asked.symbols and (not asked.tools or re.search(HOLDING, asked.text)) and not _only_index(asked):
        asked.tools.insert(0, "holding_and_market_data")
    if re.search(SUMMARY, asked.text) or (not asked.tools and re.search(OVERVIEW, asked.text)):
        asked.tools.insert(0, "portfolio_overview")
    return asked


def _only_index(asked: Asked) -> bool:
    return "benchmark_compare" in asked.tools and all(symbol in BENCHMARKS for symbol in asked.symbols)


def _symbols(query: str, asked: Asked) -> list[str]:
    """Put the symbols into `asked`; returns those that look like one and are not known."""
    unknown = []
    shouting = query.isupper()
    for word in re.findall(r"\$?[A-Za-z&]{1,12}", query):
        bare = word.strip("$").upper()
        if bare in tools.MARKET and (bare != "ALL"):
            asked.symbols.append(bare)
        elif word.lower() in NAMES:
            asked.symbols.append(NAMES[word.lower()])
        elif close := [] if len(word) < 5 else get_close_matches(word.lower(), NAMES, 1, 0.8):
            asked.symbols.append(NAMES[close[0]])
            asked.notes.append(f"I take {word} for {close[0].title()}.")
        elif (word.startswith("$") or (word.isupper() and len(word) > 3)) and not shouting:
            unknown.append(bare)
    asked.symbols = list(dict.fromkeys(asked.symbols))
    return [symbol for symbol in unknown if symbol not in {"ETFS", "YTD"}]


def _period(text: str) -> str | None:
    if re.search(r"this year|year to date|ytd|since january", text):
        return "ytd"
    if re.search(r"(past|last|one|12|twelve) (year|months)|annual|over a year", text):
        return "year"
    return "quarter" if re.search(r"quarter|three months|3 months", text) else None


def _span(text: str) -> tuple[str, str] | str | None:
    """The dates that a text names, as ISO dates; or why they cannot be."""
    dates = re.findall(r"20\d\d-\d\d-\d\d", text)
    try:
        days = [date.fromisoformat(day) for day in dates]
    except ValueError:
        return f"There is no such date as {dates[-1] if len(dates) == 1 else ' or '.join(dates)}. Please check it."
    if re.search(r"\b(30|31)(st|th)? (of )?feb|feb\w* (30|31)", text):
        return "There is no such date: February has at most 29 days. Please check it."
    if days and min(days) > TODAY:
        return f"That date is in the future: the records end on {TODAY}."
    if len(days) == 2:
        if days[0] > days[1]:
            return f"The range ends before it starts ({dates[0]} to {dates[1]}). Which of the two did you mean?"
        return dates[0], dates[1]
    if days:
        return (dates[0], str(TODAY)) if re.search(r"since|after|from", text) else (dates[0], dates[0])
    return _named_span(text)


def _named_span(text: str) -> tuple[str, str] | None:
    year = re.search(r"\b(20\d\d)\b", text)
    month = re.search(rf"\b({'|'.join(MONTHS)})[a-z]* (20\d\d)\b", text)
    if month:
        return f"{month[2]}-{MONTHS.index(month[1]) + 1:02}-01", f"{month[2]}-{MONTHS.index(month[1]) + 1:02}-31"
    if year:
        return f"{year[1]}-01-01", f"{year[1]}-12-31"
    if re.search(r"this year|since january", text):
        return f"{TODAY.year}-01-01", f"{TODAY.year}-12-31"
    return (f"{TODAY.year - 1}-01-01", f"{TODAY.year - 1}-12-31") if "last year" in text else None


def _carry(asked: Asked, history: Sequence[dict[str, Any]]) -> None:
    """Fill in from the turns before what a follow-up leaves out: the symbol, or the kind of question."""
    if not history or not re.search(FOLLOW_UP, asked.text):
        return
    before = [_read(str(turn["content"])) for turn in reversed(history) if turn.get("role") == "user"]
    earlier = next((one for one in before if isinstance(one, Asked) and one.tools), None)
    if not asked.symbols:
        asked.symbols = _last_symbols(history)
    if not asked.tools or asked.tools == ["portfolio_overview"]:
        more = re.search(r"more about|tell me|how is|how are", asked.text)
        if asked.symbols and (more or (earlier and earlier.tools == ["portfolio_overview"])) and not asked.period:
            asked.tools = ["holding_and_market_data"]
        elif earlier:
            asked.tools = earlier.tools
    if asked.tools == ["holding_and_market_data"] and re.search(r"largest|biggest", asked.text):
        asked.symbols = tools.ranked()[:1]


def _last_symbols(history: Sequence[dict[str, Any]]) -> list[str]:
    for turn in reversed(history):
        named = [word for word in re.findall(r"\b[A-Z]{2,5}\b", str(turn["content"])) if word in tools.MARKET]
        if named:
            return named[:1]
    return []


def _call(name: str, asked: Asked) -> list[str]:
    """Call a tool, once for each symbol where it takes one."""
    match name:
        case "fee_analysis":
            return [tools.fee_analysis()]
        case "risk_analysis":
            return [tools.risk_analysis()]
        case "benchmark_compare":
            return _benchmarks(asked)
        case "transaction_search":
            return [tools.transaction_search(asked.symbols, _kind(asked.text), asked.span, _pick(asked.text))]
        case "live_market_data" if asked.symbols:
            return [tools.live_market_data(symbol) for symbol in asked.symbols]
        case "holding_and_market_data" if asked.symbols:
            return [tools.holding_and_market_data(symbol) for symbol in asked.symbols]
        case "portfolio_overview":
            return [tools.portfolio_overview(asked.period, _focus(asked.text))]
    return ["Which symbol do you mean?"]


def _benchmarks(asked: Asked) -> list[str]:
    indexes = [symbol for symbol in asked.symbols if symbol in BENCHMARKS]
    if not indexes:
        indexes = ["SPY"]
        asked.notes.append("You named no benchmark that I have: I take SPY.")
    return [tools.benchmark_compare(index, asked.period or "year") for index in indexes]


def _kind(text: str) -> str | None:
    if re.search(r"dividend", text):
        return "DIVIDEND"
    if re.search(r"\bsold\b|\bsells?\b|\bsales?\b", text):
        return "SELL"
    return "BUY" if re.search(r"\bbuys?\b|bought|buying|purchase", text) else None


def _pick(text: str) -> str:
    if re.search(r"largest|biggest", text):
        return "largest"
    if re.search(r"most recent|latest|\blast (purchase|trade|transaction|buy|sale|dividend)\b", text):
        return "last"
    return "first" if re.search(r"\bfirst\b|\bwhen did i (start|begin)", text) else ""


def _focus(text: str) -> str:
    for focus, pattern in (
        ("best", r"best"),
        ("worst", r"worst"),
        ("largest", r"largest|biggest"),
        ("count", r"how many (holdings|positions|different)"),
        ("cash", r"how much cash|cash (balance|position)|in cash\b"),
    ):
        if re.search(pattern, text):
            return focus
    return ""
