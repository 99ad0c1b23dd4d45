"""The two configuration files of a spec: `generation_config.yaml` and `source_config.yaml`, with their defaults.

Keys of the project's brief keep their names; what they leave out takes the defaults that stand here and in
`defaults/`. Shares are fractions of 1, counts are records, delays are seconds, prices are per million tokens.
"""

import re
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from evalspec.spec.generation import GenerationModel
from evalspec.spec.model import ADDRESS, Identifier, Model, Text

Difficulty = Literal["easy", "medium", "hard"]
DIFFICULTIES: tuple[Difficulty, ...] = ("easy", "medium", "hard")
EMBEDDERS = re.compile(r"hashed|sentence-transformers:.+")
"""What `dedup.embedder` may name."""
Grounding = Literal["verbatim", "altered", "none"]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=1, le=1_000_000)]
Tolerance = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Version = Annotated[str, StringConstraints(pattern=r"^\d+\.\d+\.\d+$")]


class Dataset(Model):
    """What is made, how much of it, and from which seed."""

    target_total: Count
    mode: Literal["full_refresh", "incremental"] = "full_refresh"
    output_dir: Annotated[str, StringConstraints(min_length=1, max_length=400)] = "data/final/"
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] = 42
    version: Version = "1.0.0"
    language: Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$")] = "en"
    allocation: Literal["exact", "scale"] = "exact"


class Subdimension(Model):
    """A kind of evaluation within a dimension, and the templates that make one linkage group of it."""

    dimension: Identifier | None = None
    """Only needed where the templates do not say it."""
    target_count: Count
    templates: Annotated[tuple[Identifier, ...], Field(min_length=1)]
    linkage: Annotated[int, Field(ge=1, le=50)] = 1
    """Records a group. With one template it is repeated; with several, each makes one member, in order."""
    subset_of: Identifier | None = None
    """The subdimension that this one is carved out of; its count is not added to the dimension's."""


class Strategy(Model):
    """A way to make a hard prompt hard."""

    definition: Text
    when: Text
    dimensions: tuple[Identifier, ...] = ()
    """The dimensions that it suits; none means all."""
    grounding: Grounding = "verbatim"
    """Whether excerpts must stand in the chunk, may be altered (the true one is kept), or need no source."""


class Rubric(Model):
    """How a response is scored; a template may override any of it."""

    scale: Annotated[tuple[int, int], Field()]
    min_passing_score: int
    scoring_description: Text
    hard_fail_conditions: tuple[Text, ...] = ()
    auto_scoreable: bool = True
    scoring_notes: str = ""
    dimensions: tuple[Identifier, ...] = ()
    """The dimensions whose templates take this rubric when they name none."""


class SizeRange(Model):
    """The fewest and the most records that are accepted."""

    min: Count
    max: Count


class Acceptance(Model):
    """What `check` accepts. Tolerances are relative to the target: 0.05 is five per cent of it."""

    size: SizeRange | None = None
    """By default five per cent around the target."""
    domain_tolerance: Tolerance = 0.05
    dimension_tolerance: Tolerance = 0.05
    difficulty_tolerance: Tolerance = 0.05
    geography_tolerance: Tolerance = 0.10
    max_prompt_chars: Annotated[int, Field(ge=100, le=1_000_000)] = 4000
    """A prompt is shorter than this."""


class Dedup(Model):
    """Which prompts count as one."""

    threshold: Annotated[float, Field(gt=0, le=1)] = 0.97
    """A cosine over this is a duplicate."""
    facts_distinguish: bool = True
    """Prompts that differ in a number, date, amount, negation or jurisdiction are never duplicates."""
    embedder: str = "hashed"
    max_rounds: Annotated[int, Field(ge=1, le=20)] = 5


class Card(Model):
    """What the card says that the plan does not know."""

    pretty_name: Annotated[str, StringConstraints(min_length=1, max_length=200)] = "Evaluation dataset"
    description: str = ""
    author: str = ""
    citation: str = ""
    license: str = "cc-by-4.0"
    tags: tuple[str, ...] = ("llm-evaluation",)
    task_categories: tuple[str, ...] = ("question-answering", "text-classification")
    intended_use: str = ""
    out_of_scope_use: str = ""
    limitations: str = ""


class GenerationConfig(Model):
    """`generation_config.yaml`."""

    generation_model: GenerationModel
    dataset: Dataset
    domain_split: Annotated[dict[Identifier, Share], Field(min_length=1)]
    dimension_split: Annotated[dict[Identifier, Count], Field(min_length=1)]
    difficulty_split: dict[Difficulty, Share] = {"easy": 0.2, "medium": 0.4, "hard": 0.4}
    geography_split: Annotated[dict[Identifier, Share], Field(min_length=1)] = {"general": 1.0}
    subdimensions: dict[Identifier, Subdimension] = {}
    """By default each subdimension that a template names, with an equal part of its dimension's target."""
    strategies: dict[Identifier, Strategy] = {}
    """By default those of `defaults/strategies.yaml`."""
    rubrics: dict[Identifier, Rubric] = {}
    """By default those of `defaults/rubrics.yaml`."""
    labels: dict[Identifier, str] = {}
    """How domains and geographies are written in a sentence; by default the name with spaces."""
    acceptance: Acceptance = Acceptance()
    dedup: Dedup = Dedup()
    card: Card = Card()


class Served(Model):
    """The domains and geographies that a source serves; none means all."""

    domains: tuple[Identifier, ...] = ()
    geographies: tuple[Identifier, ...] = ()


class WikipediaCategory(Served):
    """A category of articles."""

    name: Text


class Wikipedia(Model):
    """Articles of English Wikipedia, by category."""

    enabled: bool = True
    base_url: Annotated[str, StringConstraints(pattern=ADDRESS)] | None = None
    categories: tuple[str | WikipediaCategory, ...] = ()
    max_articles_per_category: Annotated[int, Field(ge=1, le=10_000)] = 50


class WebTarget(Served):
    """A public page to start from."""

    name: Text
    url: Annotated[str, StringConstraints(pattern=ADDRESS)]
    max_pages: Annotated[int, Field(ge=1, le=1000)] = 1


class WebSources(Model):
    """Public pages of banks, insurers and regulators."""

    enabled: bool = True
    targets: tuple[WebTarget, ...] = ()
    respect_robots_txt: bool = True
    delay_seconds: Annotated[float, Field(ge=0, le=3600)] = 2
    allow_hosts: tuple[str, ...] = ()
    """Loopback or private hosts that may be fetched all the same."""


class Api(Served):
    """A public interface to documents."""

    enabled: bool = True
    base_url: Annotated[str, StringConstraints(pattern=ADDRESS)]
    queries: tuple[str, ...] = ()
    max_documents: Annotated[int, Field(ge=1, le=1000)] = 20


class Apis(Model):
    """The free interfaces that the brief names."""

    enabled: bool = True
    sec_edgar: Api | None = None
    osfi_guidelines: Api | None = None


class CorpusFolder(Served):
    """A folder of text, Markdown or HTML files, relative to the spec folder."""

    path: Text


class Corpus(Model):
    """Documents that lie on disk. Front matter says what a passage serves; else the folder's entry does."""

    enabled: bool = True
    folders: tuple[CorpusFolder, ...] = ()


class SourceConfig(Model):
    """`source_config.yaml`."""

    wikipedia: Wikipedia = Wikipedia(enabled=False)
    web_sources: WebSources = WebSources(enabled=False)
    apis: Apis = Apis(enabled=False)
    corpus: Corpus = Corpus(enabled=False)
