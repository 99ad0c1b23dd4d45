"""The plan: the contract between compile, run and check. Whatever is random, counted or linked stands in it.

Who may rely on what: ids, links and cells are for every stage; texts, fields and sources are for `run`; the axes,
acceptance and allocation are for `check`; origins are for whoever must point a user at the YAML that asked.
"""

from collections.abc import Mapping
from functools import cached_property
from hashlib import sha256
from typing import Annotated, Any, Self

from pydantic import Field

from evalspec.spec.config import (
    Acceptance,
    Card,
    Dataset,
    Dedup,
    Difficulty,
    SourceConfig,
    Strategy,
)
from evalspec.spec.generation import GenerationModel
from evalspec.spec.model import Identifier, Model
from evalspec.spec.record import RecordCriteria, RecordId
from evalspec.spec.source import Place
from evalspec.spec.template import Compose, NegativeExample

FORMAT_VERSION = 1


class Origin(Model):
    """Where in the YAML something was asked for; the fields are those of a Place."""

    file: str
    line: Annotated[int, Field(ge=1)]
    column: Annotated[int, Field(ge=1)]
    end_line: Annotated[int, Field(ge=1)]
    end_column: Annotated[int, Field(ge=1)]
    path: str
    text: str

    def place(self) -> Place:
        """The origin as a place for a diagnostic."""
        return Place(**self.model_dump())


class PlannedTemplate(Model):
    """A template with all defaults resolved."""

    id: Identifier
    description: str
    system_prompt: str
    user_message_template: str
    generation_instruction: str
    negative_examples: tuple[NegativeExample, ...]
    pass_criteria: RecordCriteria
    """Texts may hold placeholders of the template's fields and of the slot."""
    strategies: tuple[Identifier, ...]
    """Those that its hard slots may be given, in the spec's order."""
    fields: dict[Identifier, dict[str, Any]]
    """Cerberus rules, with `meta.role` (excerpt, answer or text) and `meta.shared` always set."""
    compose: Compose
    """The template's own, or the general form of the dataset's language."""


class Slot(Model):
    """One record to be made."""

    slot_id: str
    """`<group_id>.<position>`, positions from 1."""
    record_id: RecordId
    """Drawn from the seed and the slot's key, so it is the same after every recompile."""
    template_id: Identifier
    dimension: Identifier
    subdimension: Identifier
    source_domain: Identifier
    geography: Identifier
    difficulty: Difficulty
    adversarial_strategy: Identifier | None
    """Set for hard slots, null otherwise."""
    is_adversarial: bool
    linked_slots: tuple[str, ...]
    """Slot ids of the other members of its group, in order."""
    origin: str
    """Key of `origins`: what asked for it."""


class Group(Model):
    """A linkage group: filled, rejected, deduplicated, refilled and published whole."""

    group_id: str
    subdimension: Identifier
    fingerprint: str
    slots: Annotated[tuple[Slot, ...], Field(min_length=1)]


class Quota(Model):
    """How many records an axis value was asked for and is planned to get."""

    name: Identifier
    asked: float
    planned: int
    why: str
    """Why the two differ; empty where they do not."""
    origin: str


class SubdimensionQuota(Quota):
    """The quota of a subdimension, in records and in groups. A subset's records are its own, not its parent's."""

    dimension: Identifier
    groups: int
    group_size: int


class Allocation(Model):
    """The table that the preview shows and `check` judges by."""

    total: int
    calls: int
    """Groups, each of which is one LLM call."""
    dimensions: tuple[Quota, ...]
    subdimensions: tuple[SubdimensionQuota, ...]
    domains: tuple[Quota, ...]
    difficulties: tuple[Quota, ...]
    geographies: tuple[Quota, ...]
    strategies: tuple[Quota, ...]
    """Over hard records; `asked` is an even spread over the slots that each strategy may serve."""
    proved: bool
    """Whether every step of the allocation was proved to be the best."""


class Filters(Model):
    """What a partial plan keeps of the full one; ids stay what they are in the full plan."""

    domain: Identifier | None = None
    dimension: Identifier | None = None
    limit: int | None = None

    @property
    def partial(self) -> bool:
        """Whether anything was filtered out."""
        return self != Filters()


class Plan(Model):
    """plan.json."""

    format_version: int
    spec_digest: str
    """SHA-256 over the names and bytes of the spec's files, hexadecimal."""
    dataset: Dataset
    filters: Filters
    generation_model: GenerationModel
    sources: SourceConfig
    labels: dict[Identifier, str]
    """How each domain and geography is written in a sentence; complete."""
    strategies: dict[Identifier, Strategy]
    templates: dict[Identifier, PlannedTemplate]
    acceptance: Acceptance
    """With `size` always set."""
    dedup: Dedup
    card: Card
    allocation: Allocation
    origins: dict[str, Origin]
    """Keys: `<section>` and `<section>.<name>` of generation_config.yaml (`domain_split.banking`,
    `subdimensions.self_contradiction`, `acceptance`), `template:<id>`, `strategy:<name>`, and `sources.<path>` of
    source_config.yaml (`sources.wikipedia.categories.0`, `sources.apis.sec_edgar`)."""
    groups: tuple[Group, ...]

    def slots(self) -> list[Slot]:
        """All slots, in the order of the plan."""
        return [slot for group in self.groups for slot in group.slots]

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the plan's file, hexadecimal: of its bytes as they were read, or as they would be written."""
        from evalspec.spec.planfile import encode

        return sha256(encode(self)).hexdigest()

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy; what was changed has a digest of its own."""
        copy = super().model_copy(update=update, deep=deep)
        copy.__dict__.pop("digest", None)
        return copy
