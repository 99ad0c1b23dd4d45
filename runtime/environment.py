"""The environment of a plan: what the process was given, over what `.env` beside the plan sets."""

import codecs
import os
from io import StringIO
from pathlib import Path

CONTACT = "EVALSPEC_CONTACT"
"""The variable that holds an address at which sites can reach whoever runs this."""
_PLUGINS = "PYDANTIC_DISABLE_PLUGINS"
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


class _Quiet:
    """Whether this program set the variable for itself."""

    own = False


def without_plugins() -> None:
    """Keep pydantic from reading what every installed package offers it: no plugin is of use here.

    A target that is a program of the user's own may have some: `environment` gives it what the user set.
    """
    if _PLUGINS not in os.environ:
        os.environ[_PLUGINS] = "true"
        _Quiet.own = True


class Environment(dict[str, str]):
    """Variables by name."""

    unread = ""
    """Why `.env` beside the plan, or a line of it, counts for nothing; empty where all of it was read."""


def environment(folder: Path) -> Environment:
    """Variables by name; an empty one hides none of `.env`, and what cannot be read of that counts for nothing."""
    kept = _kept(folder / ".env")
    made = Environment(kept)
    given = {name: value for name, value in os.environ.items() if not (_Quiet.own and name == _PLUGINS)}
    made.update({name: value for name, value in given.items() if value.strip() or name not in kept})
    made.unread = kept.unread
    return made


def _kept(file: Path) -> Environment:
    """What a `.env` sets; names without a value are left out."""
    out = Environment()
    try:
        if not file.is_file():
            out.unread = f"{file.as_posix()} is no file" if file.is_symlink() or file.exists() else ""
            return out
        data = file.read_bytes()
        marked = next((encoding for mark, encoding in _MARKS if data.startswith(mark)), "utf-8")
        text = data.decode(marked)
        if "\0" in text:
            raise UnicodeDecodeError(marked, data, 0, 1, "a NUL")
    except OSError as error:
        out.unread = f"{file.as_posix()} cannot be read: {error.strerror}"
        return out
    except UnicodeDecodeError:
        out.unread = f"{file.as_posix()} is no UTF-8 text"
        return out
    from dotenv import dotenv_values
    from dotenv.parser import parse_stream

    broken = next((line for line in parse_stream(StringIO(text)) if line.error), None)
    if broken is not None:
        said = broken.original.string
        number = broken.original.line + said[: len(said) - len(said.lstrip())].count("\n")
        out.unread = f"line {number} of {file.as_posix()} is no NAME=value; a quote may be open in it"
        text = "".join(line.original.string for line in parse_stream(StringIO(text)) if not line.error)
    out.update({key: value for key, value in dotenv_values(stream=StringIO(text)).items() if value is not None})
    return out
