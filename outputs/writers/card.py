"""The card of a release: README.md with the header that the Hub reads, and all that a user of the dataset must
know.

Figures come from the final Parquet by SQL; field descriptions from the Record model. Nothing in it depends on the
clock: days are those of the journal.
"""

import json
import re
import unicodedata
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from evalspec.outputs import database, queries
from evalspec.outputs.provenance import Provenance
from evalspec.outputs.records import arrow_schema
from evalspec.outputs.writers import figures as figures_of
from evalspec.outputs.writers import parquet
from evalspec.spec.dataclass import dataclass
from evalspec.spec.hub import LICENSE_NAMES, hub_language, size_category
from evalspec.spec.plan import Plan
from evalspec.spec.record import Record, RecordCriteria

NAME = "README.md"
PREVIEW_TAG = "composed-without-a-model"
SECTIONS: tuple[str, ...] = (
    "Description",
    "License",
    "Author and citation",
    "Summary statistics",
    "Fields",
    "Templates",
    "Intended use",
    "Out-of-scope use",
    "Generation methodology",
    "Limitations",
)
"""The headings that every card has, in order."""

STATISTICS: tuple[str, ...] = (
    "total",
    "dimension",
    "subdimension",
    "domain",
    "difficulty",
    "level",
    "geography",
    "strategy",
    "template",
)

COLUMNS: tuple[str, ...] = (
    "dimension",
    "subdimension",
    "source_domain",
    "geography",
    "difficulty",
    "prompt",
    "prompt_template_id",
    "reference_context",
    "is_adversarial",
    "adversarial_strategy",
    "linked_prompt_ids",
)
"""The columns that they are made from."""

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*|\d*[KMBT]?<n<\d+[KMBT]|n<1K")
_RESERVED = frozenset({"yes", "no", "on", "off", "true", "false", "null", "y", "n"})


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a record, for the table of fields."""

    name: str
    type: str
    description: str


Statistics = dict[str, list[dict[str, Any]]]
"""The tables of figures by name."""


def statistics(connection: database.Connection) -> Statistics:
    """The tables of figures, from the table `records`."""
    stats = queries.folder("stats")
    return {name: database.rows(connection, stats[name].sql) for name in STATISTICS}


def render_card(
    plan: Plan, plan_digest: str, version: str, made: Provenance, figures: Mapping[str, list[dict[str, Any]]]
) -> str:
    """The text of README.md."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False)
    environment.filters |= {"yaml": yaml_scalar, "cell": cell, "line": one_line, "code": code_block, "share": _share}
    text = files("evalspec.outputs").joinpath("writers", "card.md.j2").read_text(encoding="utf-8")
    card = plan.card
    total = figures["total"][0]
    return environment.from_string(text).render(
        card=card,
        plan=plan,
        plan_digest=plan_digest,
        version=version,
        made=made,
        figures=figures,
        total=total,
        language=hub_language(plan.dataset.language),
        tags=_tags(plan, made),
        size=size_category(total["records"]),
        parquet=parquet.NAME,
        splits=figures_of.SPLITS,
        difficulty_figure=figures_of.DIFFICULTY,
        license_name=LICENSE_NAMES.get(card.license, card.license),
        citation=card.citation.strip() or _citation(plan, version),
        fields=list(record_fields()),
        sources=_sources(plan),
        templates=[
            (plan.templates[row["name"]], row["records"])
            for row in figures["template"]
            if row["name"] in plan.templates
        ],
    )


def record_fields() -> list[Field]:
    """All fields of a record and of its rubric, with their types and what they hold."""
    schema = arrow_schema()
    out = []
    for name, info in Record.model_fields.items():
        nullable = " or null" if type(None) in getattr(info.annotation, "__args__", ()) else ""
        out.append(Field(name, type_name(schema.field(name).type) + nullable, info.description or ""))
        if name == "pass_criteria":
            inner = schema.field(name).type
            for key, part in RecordCriteria.model_fields.items():
                kind = type_name(inner.field(inner.get_field_index(key)).type)
                out.append(Field(f"{name}.{key}", kind, part.description or ""))
    return out


def type_name(kind: Any) -> str:
    """An Arrow type as the card writes it."""
    from pyarrow import types

    if types.is_dictionary(kind):
        return type_name(kind.value_type)
    if types.is_list(kind) or types.is_large_list(kind):
        return f"list of {type_name(kind.value_type)}"
    names = {"int64": "integer", "large_string": "string", "string_view": "string"}
    return "object" if types.is_struct(kind) else names.get(str(kind), str(kind))


def _tags(plan: Plan, made: Provenance) -> list[str]:
    extra = [PREVIEW_TAG] if made.preview else []
    return list(dict.fromkeys([*plan.card.tags, *extra]))


def _sources(plan: Plan) -> list[str]:
    """What the spec lets prompts be made from, in general words and without addresses."""
    sources = plan.sources
    apis = sources.apis.enabled and any(
        api is not None and api.enabled for api in (sources.apis.sec_edgar, sources.apis.osfi_guidelines)
    )
    named = (
        (sources.corpus.enabled and bool(sources.corpus.folders), "a corpus of documents kept with the spec"),
        (sources.wikipedia.enabled and bool(sources.wikipedia.categories), "articles of Wikipedia"),
        (
            sources.web_sources.enabled and bool(sources.web_sources.targets),
            "public pages of institutions and regulators",
        ),
        (apis, "public filings and guidance, read through free interfaces"),
    )
    return [name for enabled, name in named if enabled]


def _citation(plan: Plan, version: str) -> str:
    plain = unicodedata.normalize("NFKD", plan.card.pretty_name).encode("ascii", "ignore").decode()
    key = "_".join(re.findall(r"[A-Za-z0-9]+", plain.lower())[:4]) or "dataset"
    title, author = (re.sub(r"[\\{}]", "", one_line(text)) for text in (plan.card.pretty_name, plan.card.author))
    return (
        f"@misc{{{key},\n  title = {{{title}}},\n  author = {{{author or 'The authors'}}},\n"
        f"  note = {{Version {version}}}\n}}"
    )


def yaml_scalar(value: str) -> str:
    """A string as YAML that every reader takes for that string: plain where it is a plain word, quoted otherwise."""
    if _PLAIN.fullmatch(value) and value.lower() not in _RESERVED:
        return value
    quoted = json.dumps(value, ensure_ascii=False)
    return re.sub(
        "[\\x7f-\\x9f\\u2028\\u2029\\ufeff\\ud800-\\udfff\\ufffe\\uffff]", lambda m: f"\\u{ord(m[0]):04x}", quoted
    )


def one_line(value: str) -> str:
    """Text without line breaks or runs of spaces."""
    return " ".join(value.split())


def cell(value: str) -> str:
    """Text for a cell of a Markdown table."""
    return one_line(value).replace("\\", "\\\\").replace("|", "\\|")


def code_block(value: str) -> str:
    """Text between fences that it cannot close."""
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", value)), default=0))
    return f"{fence}\n{value}\n{fence}"


def _share(value: float) -> str:
    return f"{100 * value:.1f} %"
