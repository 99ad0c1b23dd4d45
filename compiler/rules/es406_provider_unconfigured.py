"""A provider lacks what it needs to be called.

## What it does
Reports `provider: custom` without `base_url`, and a `base_url` without a host or with a port that there cannot be.

## Why
A custom provider is any server that speaks the OpenAI interface; only the spec can say where it is.

## Example
```yaml
generation_model:
  provider: custom
  model_name: my-model
```

## Use instead
```yaml
generation_model:
  provider: custom
  model_name: my-model
  base_url: http://localhost:8000/v1
```
"""

from collections.abc import Iterator

from evalspec.compiler.files import CONFIG_FILE
from evalspec.compiler.model import Spec
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.generation import is_address

_SECTION = "generation_model"


def check(spec: Spec) -> Iterator[Diagnostic]:
    """One finding, at the provider or at the address."""
    model = spec.config.generation_model
    if model.base_url is not None and not is_address(model.base_url):
        place = spec.places.place_of(CONFIG_FILE, (_SECTION, "base_url"))
        hint = "write it like http://localhost:8000/v1"
        yield found("ES406", "base_url is no address: it has no host, or a port that there cannot be", place, hint=hint)
    if model.provider == "custom" and model.base_url is None and spec.clean(CONFIG_FILE, (_SECTION, "base_url")):
        place = spec.places.place_of(CONFIG_FILE, (_SECTION, "provider"))
        hint = "write generation_model.base_url, such as http://localhost:8000/v1"
        yield found("ES406", "the custom provider has no base_url", place, hint=hint)
