"""The languages that have general forms."""

from importlib.resources import files

FALLBACK = "en"


def pack_language(language: str) -> str | None:
    """The language of the pack that serves a BCP 47 tag; None where only the fallback does."""
    primary = language.partition("-")[0]
    return primary if files("evalspec.spec").joinpath(f"defaults/forms.{primary}.yaml").is_file() else None


def pack_text(language: str) -> str:
    """The source of the pack of a language, or of the fallback."""
    name = pack_language(language) or FALLBACK
    return files("evalspec.spec").joinpath(f"defaults/forms.{name}.yaml").read_text(encoding="utf-8")
