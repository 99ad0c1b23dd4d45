"""Where requests go: an address, a key that is never shown, and how long an answer is waited for."""

import json
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import field
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from evalspec.runtime.providers import Setting, SetupError, unconfigured
from evalspec.runtime.providers.dialects import DIALECTS
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import found
from evalspec.spec.generation import GenerationModel, ProviderName, is_address

if TYPE_CHECKING:
    from evalspec.spec.plan import Plan

URLS: dict[str, str] = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "mistral": "https://api.mistral.ai",
}
"""Where the services are, unless the config's base_url says otherwise."""
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
Heard = Callable[[Mapping[str, str]], None]
MOST_BYTES = 32 << 20
"""Of one answer."""
NEAR, FAR = 0.25, 2.0
"""Seconds within which an endpoint says that it does not take a request, on this machine and elsewhere: what
it refuses, it refuses before anything is generated. Where it takes longer, some requests more are refused, and no more.
"""
WHOLE = 3
"""A whole answer is waited for this many times as long as silence is."""
_LEAST_SECRET = 6
"""Characters; what is shorter stands in any text."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where requests go, and how; the key is never shown."""

    url: str
    key: str = field(repr=False)
    temperature: float
    """Of the fill's requests; a chat's bring their own."""
    timeout: float
    """Seconds of silence."""
    heard: Heard | None = None
    """Told the headers of every response, without the key."""
    longest: float | None = None
    """Seconds for a whole answer; None for three times those of silence."""

    @property
    def whole(self) -> float:
        """Seconds that a whole answer is waited for."""
        return self.timeout * WHOLE if self.longest is None else self.longest

    @property
    def grace(self) -> float:
        """Seconds after which a request that was not refused is taken to be worked on."""
        return NEAR if is_loopback(self.url) else FAR

    @property
    def shown(self) -> str:
        """The address without a user, a password and a query."""
        return bare(self.url)

    def clean(self, text: str) -> str:
        """Text without the key, should an endpoint have echoed it, or a password in the address.

        Clean a text before it is cut: of a key that is cut in two, no part is found.
        """
        for secret, word in _secrets(self.key, self.url):
            if secret in text:
                text = text.replace(secret, word)
        return text

    def tell(self, headers: Mapping[str, str]) -> None:
        """Tell who listens the headers of a response, names in lower case."""
        if self.heard is not None:
            self.heard({self.clean(name).lower(): self.clean(value) for name, value in headers.items()})


def endpoint_of(
    name: ProviderName, setting: Setting, env: Mapping[str, str], heard: Heard | None = None, *, rooted: bool = False
) -> Endpoint:
    """The endpoint of the settings' base_url, or the service's own; with `rooted`, less a final /v1.

    Raises SetupError with ES406 or ES505.
    """
    model = setting.model
    url = address_of(name, model)
    if url is None:
        hint = f"set {setting.section}.base_url, for example http://127.0.0.1:8000/v1"
        raise SetupError(unconfigured(setting, f"the provider {name} needs the address of its endpoint", hint))
    if not is_address(url):
        hint = f"mend {setting.section}.base_url: it is written like http://127.0.0.1:8000/v1"
        raise SetupError(unconfigured(setting, "the address of the endpoint is not one", hint))
    if name in ("openai", "anthropic", "mistral") and model.temperature > DIALECTS[name].max_temperature:
        message = f"{name} takes temperatures up to {DIALECTS[name].max_temperature:g}, not {model.temperature:g}"
        raise SetupError(found("ES406", message, setting.place("temperature"), hint="lower the temperature"))
    key = env.get(model.api_key_env, "").strip()
    if wrong := _unfit(key):
        message = f"{model.api_key_env} holds no key: there is {wrong} in it"
        hint = f"set {model.api_key_env} to the key alone, on one line"
        raise SetupError(found("ES505", message, setting.place("api_key_env"), hint=hint))
    if not key:
        if not is_loopback(url):
            message = f"the environment does not hold {model.api_key_env}, the key for {bare(url)}"
            hint = f"set {model.api_key_env}, or put it in a .env file beside {setting.beside}"
            if unread := getattr(env, "unread", ""):
                hint = f"{unread}: mend it, or set {model.api_key_env}"
            raise SetupError(found("ES505", message, setting.place("api_key_env"), hint=hint))
        key = "none"
    if rooted:
        url = url.rstrip("/").removesuffix("/v1")
    return Endpoint(url, key, model.temperature, model.limits.timeout_seconds, heard, setting.longest)


def _unfit(key: str) -> str:
    """What keeps a key from standing in an HTTP header, in words that hold nothing of it; empty where it fits."""
    if any(char in key for char in "\r\n"):
        return "a line break"
    if any(char.isspace() for char in key):
        return "a space"
    if not key.isascii():
        return "a character outside ASCII"
    return "" if key.isprintable() else "a control character"


def address(name: ProviderName, plan: "Plan") -> str | None:
    """The address that `name` would be asked at; None for what is asked at none."""
    return address_of(name, plan.generation_model)


def address_of(name: ProviderName, model: GenerationModel) -> str | None:
    """The same for a model's settings."""
    return (model.base_url or URLS.get(name)) if name in ("custom", *URLS) else None


def is_loopback(url: str) -> bool:
    """Whether the address is this machine's."""
    return is_address(url) and urlsplit(url).hostname in LOOPBACK


def is_paid(name: ProviderName, plan: "Plan") -> bool:
    """Whether asking `name` may cost money: whatever is not on this machine."""
    url = address(name, plan)
    return url is not None and not is_loopback(url)


@lru_cache(maxsize=16)
def _secrets(key: str, url: str) -> tuple[tuple[str, str], ...]:
    """What must not be shown, and what stands for it, the longest first: a key, its lines, and a password of the
    address, each as it is, as Python and JSON quote it, as an address has it, and as a header of a user has it.
    """
    parts = urlsplit(url)
    found = {form: "[key]" for text in (key, *key.split()) if len(text) >= _LEAST_SECRET for form in _forms(text)}
    if parts.password:
        user, password = unquote(parts.username or ""), unquote(parts.password)
        basic = b64encode(f"{user}:{password}".encode()).decode()
        found |= dict.fromkeys((parts.password, basic, *_forms(password)), "[password]")
    return tuple(sorted(found.items(), key=lambda item: -len(item[0])))


def _forms(text: str) -> set[str]:
    quoted = repr(text)[1:-1], repr(text.encode())[2:-1], json.dumps(text)[1:-1], quote(text, safe="")
    return {text, text.lower(), *quoted}


def bare(url: str) -> str:
    """An address without a user and password."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rsplit("@", 1)[-1], query=""))
