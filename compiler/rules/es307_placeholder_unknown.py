"""A placeholder that nothing fills.

## What it does
Reports `{name}` and `{{ name }}` in a text where nothing gives `name` a value. In the system prompt, message and pass
criteria stand the template's fields and the slot's own names; in the generation instruction the slot's names and
`scraped_content`; in a compose block the facts' names, its lists and its lets. Where `fields` is left out, a
placeholder
is a field, unless the instruction lists the keys of the reply and leaves it out.

## Why
The prompt would go out with a brace in it, or not at all.

## Example
```yaml
user_message_template: "Question: {qestion}"
fields:
  question: {type: string}
```

## Use instead
```yaml
user_message_template: "Question: {question}"
fields:
  question: {type: string}
```
"""

from collections.abc import Iterator

from evalspec.compiler.fields import asked_keys
from evalspec.compiler.model import Spec, TextFault
from evalspec.compiler.rules.es101_unknown_key import nearest
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.sandbox import FILTERS
from evalspec.spec.template import COMMON_REPLY_NAMES, INSTRUCTION_NAMES


def check(spec: Spec) -> Iterator[Diagnostic]:
    """One finding a placeholder, where it stands; none where the fields are in doubt."""
    ids = {file: name for name, file in spec.template_files.items()}
    for entry in spec.faults:
        fault = entry.fault
        if fault.kind == "unknown" and (spec.clean(entry.file, ("fields",)) or "filter" in fault.message):
            place = spec.places.place_in(entry.file, entry.path, fault.start, fault.end)
            hint = _hint(spec, ids.get(entry.file, ""), entry)
            yield found("ES307", fault.message, place, hint=hint)


def _hint(spec: Spec, template: str, entry: TextFault) -> str:
    name = entry.fault.name
    if "filter" in entry.fault.message:
        near = nearest(name, FILTERS)
        return f"did you mean {near}?" if near else f"there are {', '.join(FILTERS)}"
    if near := nearest(name, entry.declared, likeness=0.65):
        return f"did you mean {near}?"
    if entry.path[0] == "generation_instruction":
        return f"an instruction may use {', '.join(sorted(INSTRUCTION_NAMES))}"
    if name == "scraped_content":
        return "scraped_content stands in the generation instruction; a passage that is shown needs a field"
    if name in COMMON_REPLY_NAMES:
        return f"{name} is for the judge, and no part of a prompt"
    if template and entry.path[0] != "compose":
        listed = asked_keys(spec.templates[template]) - {name}
        if not spec.templates[template].fields and listed:
            return f"the instruction asks for {', '.join(sorted(listed))}, and not for {name}"
        return f"declare {name} under fields, or remove it"
    return "remove it, or give it a value"
