"""The folder is not a spec folder.

## What it does
Reports a folder without `generation_config.yaml`, without `source_config.yaml`, or without a template in `templates/`.

## Why
A spec is these three. Most often the command was given another folder than was meant.

## Example
```
my-eval/config.yaml
```

## Use instead
```
my-eval/generation_config.yaml
my-eval/source_config.yaml
my-eval/templates/H1.yaml
```

`evalspec init my-eval` writes a whole one to start from.
"""

from pathlib import Path

from evalspec.compiler.files import CONFIG_FILE, SOURCES_FILE, TEMPLATES_FOLDER
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.source import Place

_OTHER_NAMES = {CONFIG_FILE, CONFIG_FILE.replace(".yaml", ".yml")}
_HINT = "`evalspec init` writes a spec folder to start from"


def missing_parts(folder: Path) -> list[Diagnostic]:
    """One diagnostic for what is missing; none where the folder has its three parts."""
    try:
        names = {path.name for path in folder.iterdir()}
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a path"
        return [found("ES009", f"{folder} is not a folder that can be read: {reason}", Place("."), hint=_HINT)]
    if CONFIG_FILE not in names:
        other = next((name for name in sorted(names) if name.lower() in _OTHER_NAMES), "")
        hint = f"rename {other} to {CONFIG_FILE}" if other else _HINT
        return [found("ES009", f"{folder.name or folder} holds no {CONFIG_FILE}", Place("."), hint=hint)]
    out = []
    if SOURCES_FILE not in names:
        out.append(found("ES009", f"the spec has no {SOURCES_FILE}", Place(SOURCES_FILE), hint=_HINT))
    return [*out, *_without_templates(folder / TEMPLATES_FOLDER)]


def _without_templates(folder: Path) -> list[Diagnostic]:
    """One diagnostic where no template is there, or where the folder cannot be looked into."""
    hint, message = _HINT, f"the spec has no template: {TEMPLATES_FOLDER}/*.yaml"
    try:
        if any(path.suffix.lower() in (".yaml", ".yml") for path in folder.iterdir()):
            return []
    except PermissionError as error:
        hint, message = "let yourself read the folder", f"{TEMPLATES_FOLDER} cannot be read: {error.strerror}"
    except OSError:
        pass
    return [found("ES009", message, Place(TEMPLATES_FOLDER), hint=hint)]
