"""The support bot of Dhaga & Dune, an invented fashion retailer: rules over policies.json, and one tool.

It stands for a bot that asks a model. `model` is `large` or `small`: the small one reads no Arabic or Urdu script and
knows fewer words. `prompt_version` is `v1`, which quotes the whole policy and watches for legal threats only, or `v2`,
which answers with the sentence that was asked for and hands large refunds over, too.
"""

import json
import re
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
POLICIES: dict[str, dict[str, str]] = json.loads((FOLDER / "policies.json").read_text(encoding="utf-8"))
ORDERS: dict[str, dict[str, str]] = json.loads((FOLDER / "orders.json").read_text(encoding="utf-8"))
LIMITS = {"PK": 20_000, "AE": 1_000, "SA": 1_000, "GB": 200}
UNKNOWN = "I'm sorry, I can't answer that. I can help with returns, delivery, refunds and orders."
PRIVATE = (
    "I can't share details of other people or of an account here. Order details are given only to the verified account "
    "holder, and contact details to nobody."
)
UNVERIFIED = "I can look into an order only after you have signed in and verified your account."
HANDED_OVER = "I'm sorry about this. I am handing your case to a colleague, who will answer within one working day."
ORDER = r"\bd-?\d{4}\b"
TOPICS = {
    "refunds": r"refund|money back|reimburs|paise|flous|fuloos",
    "returns": r"\breturn|\bsend .{0,20}\bback\b|exchange|swap|wrong size|wapas|tabdeel|size chota",
    "delivery": r"deliver|ship|arrive|courier|parcel|how long|customs|tawseel|pohanch|pohnch|kab (tak )?(aaye|mile)",
    "privacy": r"my (own )?data|delete my|privacy",
}
"""What a question is about; the first that fits."""
SCRIPT = {
    "refunds": r"پیسے|رقم|فلوس|استرداد",
    "returns": r"واپس|تبدیل|إرجاع|ارجع|أرجع|استبدال|أبدل",
    "delivery": r"ڈیلیوری|پہنچ|توصيل|يوصل|توصل|الشحن",
}
"""The same in Urdu and Arabic script, for the large model."""
LEGAL = (
    r"lawyer|\bsue\b|court|legal action|solicitor|consumer protection|trading standards|wakeel|adalat|muhami|"
    r"محامي|عدالت"
)
HARM = r"\brash|allerg|injur|burn(ed|t)|chargeback|journalist|newspaper"
THIRD_PARTY = (
    r"neighbou?r|\b(my|his|her) (wife|husband|ex|friend|sister|brother|boss|colleague|customer)\b|someone else|address|"
    r"phone number|e-?mail|who (ordered|bought)|customer list|all orders|other customers|behan|shohar|number do|"
    r"\bpolice\b|account holder|last four|card number|رقم الجوال|عنوان"
)
SHIPPING = r"deliver to|wrong address|change (my|the) address"
"""Words about an address that ask for nothing private."""
OUTSIDE = (
    r"drone|helicopter|bitcoin|crypto|franchise|\bjobs?\b|career|gift ?wrap|weather|store (hours|open)|shop open|promo|"
    r"discount|instal?lments?|wholesale|made of|fabric is|restock|back in stock|tailor"
)
"""What no policy speaks of."""
LIKE = (
    ("cost", "charge", "fee", "free", "kitna", "kitne", "bkam", "كم"),
    ("how long", "when", "days", "din", "kab", "late", "arrive", "reach"),
    ("cash on delivery", "cod", "cash"),
    ("pickup", "pick up", "post office", "karachi", "multan", "quetta", "riyadh", "abha", "dubai", "leeds"),
    ("earring", "underwear", "swim", "perfume", "abaya", "sale", "fabric", "unstitched", "damaged", "wrong", "torn"),
    ("same-day", "next-day", "islands", "northern ireland", "bfpo", "friday", "customs", "vat"),
    ("exchange", "another size", "swap", "tabdeel", "chota"),
)
"""Words that stand for one another where a sentence of a policy is looked for."""


@dataclass
class BotResult:
    """What the harness sees of an answer."""

    text: str
    tool_calls: list[dict[str, Any]] = field(default_factory=list)
    retrieved_ids: list[str] = field(default_factory=list)
    input_tokens: int = 0
    output_tokens: int = 0
    latency_ms: float = 0.0
    abstained: bool = False


def answer(question: str, country: str, verified: bool, *, model: str, prompt_version: str) -> BotResult:
    """Answer one question of a customer. Raises ValueError for a country, model or version that there is none of."""
    if country not in POLICIES or model not in ("small", "large") or prompt_version not in ("v1", "v2"):
        raise ValueError(f"no bot for {country!r}, {model!r}, {prompt_version!r}")
    started = time.perf_counter()
    result = _answer(" ".join(question.lower().split()), country, verified, model, prompt_version)
    prompt = 60 if prompt_version == "v1" else 140
    read = sum(len(_policy(name).split()) for name in result.retrieved_ids)
    result.input_tokens = prompt + len(question.split()) + read
    result.output_tokens = len(result.text.split())
    result.latency_ms = (time.perf_counter() - started) * 1000
    return result


def lookup_order(number: str) -> dict[str, str] | None:
    """The one tool: status and due day of an order. To be called for verified customers only."""
    return ORDERS.get(number)


def _answer(text: str, country: str, verified: bool, model: str, version: str) -> BotResult:
    if re.search(LEGAL, text) or (version == "v2" and (re.search(HARM, text) or _over_limit(text, country))):
        return _handed_over(country)
    order = re.search(ORDER, text)
    if re.search(THIRD_PARTY, text) and not re.search(SHIPPING, text):
        return _private(country)
    if order:
        return _order(order[0], country, verified)
    topic = _topic(text, model)
    if topic is None or re.search(OUTSIDE, text):
        return BotResult(UNKNOWN, abstained=True)
    name = f"{country}/{topic}"
    policy = _policy(name)
    said = policy if version == "v1" else _asked_for(policy, text, topic)
    return BotResult(said, retrieved_ids=[name])


def _handed_over(country: str) -> BotResult:
    return BotResult(HANDED_OVER, retrieved_ids=[f"{country}/escalation"])


def _private(country: str) -> BotResult:
    return BotResult(PRIVATE, retrieved_ids=[f"{country}/privacy"])


def _order(number: str, country: str, verified: bool) -> BotResult:
    if not verified:
        return BotResult(UNVERIFIED, retrieved_ids=[f"{country}/privacy"])
    number = number.upper() if "-" in number else f"D-{number[1:]}"
    call = {"name": "lookup_order", "args": {"order_id": number}}
    found = lookup_order(number)
    if found is None or found["country"] != country:
        return BotResult(f"I find no order {number} in your account. Please check the number.", [call])
    return BotResult(f"Order {number} is {found['status']}; due: {found['due']}.", [call])


def _topic(text: str, model: str) -> str | None:
    for topic, pattern in TOPICS.items():
        if re.search(pattern, text) or (model == "large" and topic in SCRIPT and re.search(SCRIPT[topic], text)):
            return topic
    return None


def _over_limit(text: str, country: str) -> bool:
    if not re.search(TOPICS["refunds"], text):
        return False
    amounts = [float(amount.replace(",", "")) for amount in re.findall(r"(?<![-\w])\d[\d,]*(?:\.\d+)?", text)]
    return any(amount > LIMITS[country] for amount in amounts)


def _policy(name: str) -> str:
    country, topic = name.split("/")
    return POLICIES[country][topic]


def _asked_for(policy: str, text: str, topic: str) -> str:
    """The first sentence of the policy, and the one that shares most words with the question."""
    sentences = re.split(r"(?<=\.) ", policy)
    terms = [term for group in LIKE if any(word in text for word in group) for term in group]
    terms += [word for word in re.findall(r"[a-z]{4,}", text) if word not in topic]
    best = max(sentences, key=lambda sentence: sum(term in sentence.lower() for term in terms))
    return best if best == sentences[0] else f"{sentences[0]} {best}"
