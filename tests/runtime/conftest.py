"""A small plan, a corpus on disk, and a chat endpoint on loopback whose answers are scripted."""

import json
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from evalspec.runtime.events import FillOptions
from evalspec.runtime.fill import fill
from evalspec.spec import fingerprint
from evalspec.spec.config import (
    Acceptance,
    Card,
    Corpus,
    CorpusFolder,
    Dataset,
    Dedup,
    SizeRange,
    SourceConfig,
    Strategy,
)
from evalspec.spec.draw import draw_uuid4
from evalspec.spec.generation import GenerationModel, Limits
from evalspec.spec.plan import Allocation, Filters, Group, Plan, PlannedTemplate, Slot
from evalspec.spec.record import RecordCriteria
from evalspec.spec.template import Compose, ComposeForm, NegativeExample

STRATEGIES = {
    "leading": Strategy(definition="The question presupposes something false.", when="Always.", grounding="none"),
    "conflict": Strategy(definition="The excerpt contradicts what is true.", when="Always.", grounding="altered"),
    "unanswerable": Strategy(definition="The text does not say it.", when="Always.", grounding="verbatim"),
}
NEGATIVE = NegativeExample(prompt="What is 2 + 2?", bad_response="5", why_bad="It is 4.")
CRITERIA = RecordCriteria(
    rubric_type="right_1_5",
    min_passing_score=4,
    scoring_description="5=right; 1=wrong",
    hard_fail_conditions=("Says other than {correct_answer}",),
    auto_scoreable=True,
    scoring_notes="",
)


def rules(role: str = "text", shared: bool = False, **more: Any) -> dict[str, Any]:
    base = {"type": "string", "required": True, "empty": False, "maxlength": 5000}
    return base | more | {"meta": {"role": role, "shared": shared}}


def template(
    template_id: str, message: str, fields: dict[str, Any], form: ComposeForm, system: str = ""
) -> PlannedTemplate:
    return PlannedTemplate(
        id=template_id,
        description=f"Template {template_id}.",
        system_prompt=system,
        user_message_template=message,
        generation_instruction="Write a question on {domain_name}, {difficulty}.\n{scraped_content}\n",
        negative_examples=(NEGATIVE, NEGATIVE),
        pass_criteria=CRITERIA,
        strategies=tuple(STRATEGIES),
        fields=fields,
        compose=Compose(forms=(form,)),
    )


ANSWERED = {"question": "{ask}", "correct_answer": "{value}"}
BEHAVES: dict[str, Any] = {
    "expected_behavior": "States {value}.",
    "expected_failure_modes": ("States {near}", "Says nothing"),
}
TEMPLATES = {
    "CLOSED": template(
        "CLOSED",
        "{question}",
        {"question": rules(), "correct_answer": rules("answer")},
        ComposeForm(fields=ANSWERED, **BEHAVES),
        "Answer for {geography_name}.",
    ),
    "OPEN": template(
        "OPEN",
        'Source: {reference_excerpt}\n\n{question}\nReply as {"answer": "..."}',
        {"question": rules(), "reference_excerpt": rules("excerpt"), "correct_answer": rules("answer")},
        ComposeForm(fields={**ANSWERED, "reference_excerpt": "{excerpt}"}, **BEHAVES),
        'Say "Not in the source." where the source does not say it.',
    ),
    "TRIPLE": template(
        "TRIPLE",
        "{question}",
        {"question": rules(), "correct_answer": rules("answer", shared=True)},
        ComposeForm(
            shared={"correct_answer": "{value}"},
            fields={"question": ("{ask}", "In short: {ask}", "I forgot. {ask}")},
            **BEHAVES,
        ),
    ),
}
SIZES = {"CLOSED": 1, "OPEN": 1, "TRIPLE": 3}
LABELS = {"banking": "banking", "insurance": "insurance", "canada": "Canada", "general": "general"}


def make_groups(
    templates: dict[str, PlannedTemplate], counts: dict[str, int], strategy: str | None
) -> tuple[Group, ...]:
    digests = {key: fingerprint.template_digest(t) for key, t in templates.items()}
    groups = []
    for name, count in counts.items():
        for number in range(1, count + 1):
            group_id = f"{name}-{number:04d}"
            ids = [f"{group_id}.{n}" for n in range(1, SIZES[name] + 1)]
            slots = tuple(
                Slot(
                    slot_id=slot_id,
                    record_id=draw_uuid4(1, slot_id),
                    template_id=name,
                    dimension="truth" if name == "CLOSED" else "faith",
                    subdimension=f"sub_{name.lower()}",
                    source_domain=("banking", "insurance")[number % 2],
                    geography="canada",
                    difficulty="hard" if strategy else ("easy", "medium")[number % 2],
                    adversarial_strategy=strategy,
                    is_adversarial=bool(strategy),
                    linked_slots=tuple(other for other in ids if other != slot_id),
                    origin=f"subdimensions.sub_{name.lower()}",
                )
                for slot_id in ids
            )
            mark = fingerprint.group_fingerprint(slots, digests, STRATEGIES, LABELS)
            groups.append(Group(group_id=group_id, subdimension=f"sub_{name.lower()}", fingerprint=mark, slots=slots))
    return tuple(groups)


def build_plan(
    counts: dict[str, int] | None = None,
    *,
    provider: str = "custom",
    url: str | None = None,
    strategy: str | None = None,
    concurrency: int = 8,
    max_prompt_chars: int = 4000,
    templates: dict[str, PlannedTemplate] | None = None,
    max_tokens: int = 500,
    folders: tuple[CorpusFolder, ...] = (CorpusFolder(path="corpus"),),
    model: str = "fake",
    **settings: Any,
) -> Plan:
    templates = TEMPLATES | (templates or {})
    groups = make_groups(templates, counts if counts is not None else {"CLOSED": 4, "OPEN": 4, "TRIPLE": 2}, strategy)
    total = sum(len(group.slots) for group in groups)
    return Plan(
        format_version=1,
        spec_digest="0" * 64,
        dataset=Dataset(target_total=max(total, 1), seed=7),
        filters=Filters(),
        generation_model=GenerationModel(
            provider=provider,  # type: ignore[arg-type]
            model_name=model,
            base_url=url,
            max_tokens=max_tokens,
            **({"limits": Limits(max_concurrency=concurrency, timeout_seconds=5.0)} | settings),
        ),
        sources=SourceConfig(corpus=Corpus(folders=folders)),
        labels=LABELS,
        strategies=STRATEGIES,
        templates=templates,
        acceptance=Acceptance(size=SizeRange(min=1, max=10_000), max_prompt_chars=max_prompt_chars),
        dedup=Dedup(),
        card=Card(),
        allocation=Allocation(
            total=total,
            calls=len(groups),
            dimensions=(),
            subdimensions=(),
            domains=(),
            difficulties=(),
            geographies=(),
            strategies=(),
            proved=True,
        ),
        origins={},
        groups=groups,
    )


def passage(topic: str, domain: str, geography: str = "canada", facts: int = 5) -> str:
    """A passage of about 150 words with facts on `topic`."""
    front = [f'title = "On {topic}"', f'domains = ["{domain}"]', f'geographies = ["{geography}"]']
    body = []
    for n in range(1, facts + 1):
        statement = f"Rule {n} of {topic} sets the limit at {n}{n}0 dollars for each account in a calendar year."
        body.append(
            f"{statement} It is applied by the office that keeps the register, which sees every account once a year."
        )
        front += [
            "[[facts]]",
            f'id = "fact-{n}"',
            'kind = "figure"',
            f'subject = "the limit of rule {n} of {topic}"',
            f'ask = "What is the limit of rule {n} of {topic}?"',
            f'statement = "{statement}"',
            f'value = "{n}{n}0 dollars"',
            f'near = "{n}{n}5 dollars"',
            'near_why = "it was the limit of the year before"',
            'unsaid = "whether the limit will rise"',
        ]
    return "+++\n" + "\n".join(front) + "\n+++\n" + "\n\n".join(body) + "\n"


@dataclass
class Answer:
    """What the endpoint does with one request; by default it answers well."""

    content: str | None = None
    finish: str = "stop"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    delay: float = 0.0
    usage: dict[str, int] = field(default_factory=lambda: {"prompt_tokens": 10, "completion_tokens": 5})


def source_text(prompt: str) -> str:
    return re.search(r"=====SOURCE\d+=====\n\n(.*?)\n\n=====SOURCE", prompt, re.DOTALL)[1]  # type: ignore[index]


def good_object(body: dict[str, Any]) -> dict[str, Any]:
    """A reply that fits the request's schema and its source text."""
    prompt = body["messages"][1]["content"]
    head = prompt.split(".")[0]
    schema = body["response_format"]["json_schema"]["schema"]
    excerpt = source_text(prompt).split(". ")[0]
    member_schema = schema["properties"]["members"]["items"]["properties"]
    count = schema["properties"]["members"]["minItems"]

    def value(name: str, position: int) -> Any:
        rule = member_schema.get(name) or schema["properties"]["shared"]["properties"][name]
        if name == "adversarial_strategy":
            return rule.get("const")
        if name == "expected_failure_modes":
            return ["one way", "another way"][: rule["maxItems"]]
        if "excerpt" in name:
            return excerpt
        if "answer" in name:
            return excerpt.split(" sets ")[-1]
        return f"{name} {position} of {head}?"

    out: dict[str, Any] = {"members": [{name: value(name, n) for name in member_schema} for n in range(count)]}
    if "shared" in schema["properties"]:
        out["shared"] = {name: value(name, 0) for name in schema["properties"]["shared"]["properties"]}
    return out


class FakeLLM:
    """A chat endpoint; `script(number, body)` says what it does with each request, numbered from 0."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.script: Callable[[int, dict[str, Any]], Answer] = lambda _number, _body: Answer()
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                pass

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                with outer._lock:
                    number = len(outer.requests)
                    outer.requests.append(body)
                    outer.keys.append(self.headers.get("authorization", ""))
                answer = outer.script(number, body)
                sleep(answer.delay)
                data = answer.body if answer.body is not None else outer.payload(answer, body)
                try:
                    self.send_response(answer.status)
                    for name, text in {"Content-Type": "application/json", **answer.headers}.items():
                        self.send_header(name, text)
                    self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)
                except OSError:
                    pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self.thread.start()

    def payload(self, answer: Answer, body: dict[str, Any]) -> bytes:
        if answer.status != 200:
            return json.dumps({"error": {"message": answer.content or "no", "type": "error", "code": None}}).encode()
        content = answer.content if answer.content is not None else json.dumps(good_object(body))
        message = {"role": "assistant", "content": content}
        choice = {"index": 0, "message": message, "finish_reason": answer.finish}
        return json.dumps({"id": "x", "model": "fake-1", "choices": [choice], "usage": answer.usage}).encode()

    def group(self, number: int) -> str:
        """The group that request `number` asked for."""
        return re.match(r"Request (\S+),", self.requests[number]["messages"][1]["content"])[1]  # type: ignore[index]

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def llm() -> Iterator[FakeLLM]:
    server = FakeLLM()
    yield server
    server.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a plan, with four passages under corpus/."""
    home = tmp_path / "mon évaluation"
    corpus = home / "corpus"
    corpus.mkdir(parents=True)
    for n, domain in enumerate(("banking", "insurance")):
        for m in range(2):
            (corpus / f"{domain}-{m}.md").write_text(passage(f"scheme {n}{m}", domain), encoding="utf-8")
    return home


@pytest.fixture
def plan_of() -> Callable[..., Plan]:
    return build_plan


@pytest.fixture
def passage_of() -> Callable[..., str]:
    return passage


@pytest.fixture
def answer() -> type[Answer]:
    return Answer


@pytest.fixture
def good() -> Callable[[dict[str, Any]], dict[str, Any]]:
    return good_object


@pytest.fixture
def run() -> Callable[..., Any]:
    """Fill a plan; gives the result, and the events in `result_events`."""

    def go(plan: Plan, folder: Path, events: list[Any] | None = None, **options: Any) -> Any:
        heard = events if events is not None else []
        return fill(plan, folder, FillOptions(**options), heard.append)

    return go
