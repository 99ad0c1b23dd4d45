"""A judge's settings: one model or a panel, how often each votes, and which prompt they are asked with."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from evalspec.spec.dataclass import dataclass
from evalspec.spec.generation import GenerationModel, Limits
from evalspec.spec.model import Model
from evalspec.spec.source import Place

JudgeProvider = Literal["openai", "anthropic", "mistral", "custom", "local", "recorded"]
KEY_ENV = "JUDGE_API_KEY"
"""The variable that holds a judge's key unless its settings name another."""


class JudgeModel(Model):
    """One judge: a model by provider, or verdicts that were recorded before."""

    provider: JudgeProvider
    model: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    """Its name; the file, where the verdicts are recorded."""
    base_url: Annotated[str, StringConstraints(pattern=r"^https?://[^\s]+$")] | None = None
    api_key_env: Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")] = KEY_ENV
    temperature: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] = 0.0
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    max_tokens: Annotated[int, Field(ge=16, le=100_000)] = 1000
    seed: Annotated[int, Field(ge=0, le=2**53)] | None = None
    """Of the first vote; each further vote of the same judge takes the next number."""
    limits: Limits = Limits()

    def generation_model(self) -> GenerationModel:
        """The same as the providers take it; not for recorded verdicts."""
        assert self.provider != "recorded"
        return GenerationModel(
            provider=self.provider,
            model_name=self.model,
            api_key_env=self.api_key_env,
            temperature=self.temperature,
            max_tokens=self.max_tokens,
            base_url=self.base_url,
            limits=self.limits,
        )


Votes = Annotated[int, Field(ge=1, le=25)]
Prompt = Annotated[str, StringConstraints(min_length=1, max_length=40)]


class JudgeFile(JudgeModel):
    """A file with one judge."""

    votes: Votes = 1
    prompt: Prompt = "v1"


class PanelFile(Model):
    """A file with several."""

    panel: Annotated[tuple[JudgeModel, ...], Field(min_length=1, max_length=25)]
    votes: Votes = 1
    """Of each judge."""
    prompt: Prompt = "v1"


@dataclass(frozen=True, slots=True)
class JudgeConfig:
    """The settings of a judge, and where they stand."""

    models: tuple[JudgeModel, ...]
    votes: int
    """Of each model."""
    prompt: str
    folder: Path
    """Where files of recorded verdicts are looked for."""
    place: Place
    places: tuple[Place, ...]
    """One a model."""
