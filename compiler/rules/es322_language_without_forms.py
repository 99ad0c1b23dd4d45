"""No general forms are written in the dataset's language.

## What it does
Notes templates without a `compose` block in a dataset whose language has no general forms.

## Why
The embedded provider composes from forms. A template that brings none takes the general forms of the dataset's
language; where there are none, it takes the English ones, and its prompts mix two languages. Other providers are not
concerned: they are told the language.

## Example
```yaml
dataset:
  language: fi
```

## Use instead
Write a `compose` block in that language, or fill with a provider that writes it.
```yaml
compose:
  forms:
    - fields: {question: "Vastaa lyhyesti. {ask}"}
      expected_behavior: "Vastaus on {value}."
      expected_failure_modes: ["Vastaa {near}", "Ei vastaa"]
```
"""

from collections.abc import Iterator

from evalspec.compiler.files import CONFIG_FILE
from evalspec.compiler.languages import pack_language
from evalspec.compiler.model import Spec
from evalspec.spec.diagnostic import Diagnostic, found


def check(spec: Spec) -> Iterator[Diagnostic]:
    """One finding, at the language."""
    language = spec.config.dataset.language
    without = [name for name, template in spec.templates.items() if template.compose is None]
    if not without or not spec.clean(CONFIG_FILE, ("dataset",)) or pack_language(language) is not None:
        return
    named = ", ".join(without[:5]) + (", ..." if len(without) > 5 else "")
    message = f"there are no general forms in {language}: {named} would be composed with the English ones"
    hint = "give them a compose block, or fill with another provider than embedded"
    yield found("ES322", message, spec.places.place_of(CONFIG_FILE, ("dataset", "language")), hint=hint)
