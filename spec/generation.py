"""The part of a config that names a model: who fills the slots or is put to a test, how it is asked, what it costs.

Apart from the rest of the config, since whoever asks a model needs it, and the rest takes as long to load as ten of it.
"""

from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, StringConstraints, model_validator

from evalspec.spec.model import Model

ProviderName = Literal["openai", "anthropic", "mistral", "custom", "local", "embedded", "replay"]
NO_MODEL = "none"
"""The model's name where a provider asks none."""


class Limits(Model):
    """How hard a provider may be driven."""

    max_concurrency: Annotated[int, Field(ge=1, le=1024)] = 16
    requests_per_minute: Annotated[int, Field(ge=1)] | None = None
    tokens_per_minute: Annotated[int, Field(ge=1)] | None = None
    timeout_seconds: Annotated[float, Field(gt=0, le=3600)] = 120.0


class Prices(Model):
    """What a provider charges, per million tokens, in any one currency."""

    input_per_million: Annotated[float, Field(ge=0)]
    output_per_million: Annotated[float, Field(ge=0)]
    currency: Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")] = "USD"
    as_of: Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}(-\d{2})?$")] | None = None


class GenerationModel(Model):
    """The LLM that fills the slots."""

    provider: ProviderName
    model_name: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    """The providers that ask no model, embedded and replay, need none: it is then `none`."""
    api_key_env: Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")] = "GENERATION_API_KEY"
    temperature: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] = 0.7
    max_tokens: Annotated[int, Field(ge=1, le=1_000_000)] = 1500
    """For one record; a group's call asks for this times its members."""
    base_url: Annotated[str, StringConstraints(pattern=r"^https?://[^\s]+$")] | None = None
    limits: Limits = Limits()
    prices: Prices | None = None

    @model_validator(mode="before")
    @classmethod
    def _without_a_model(cls, data: Any) -> Any:
        if isinstance(data, dict) and data.get("provider") in ("embedded", "replay"):
            return {"model_name": NO_MODEL} | data
        return data


def is_address(url: str) -> bool:
    """Whether an address names a host, and a port that there can be."""
    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False
