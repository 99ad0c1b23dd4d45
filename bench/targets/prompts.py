"""The system prompts of a target: which version is asked with, and its text."""

from evalspec.bench.targets.config import ProviderSettings, TargetConfig
from evalspec.runtime.providers import SetupError
from evalspec.spec.diagnostic import found
from evalspec.spec.language import faults, placeholders
from evalspec.spec.source import Place

PROMPT_SUFFIXES = (".txt", ".md", ".prompt", ".j2", ".jinja")
MAX_PROMPT = 100_000
"""Characters of a prompt."""


def prompt_of(config: TargetConfig, settings: ProviderSettings, wanted: str | None) -> tuple[str | None, str | None]:
    """The version that is asked with and its system prompt. Raises SetupError with ES731 or ES733."""
    version = wanted or settings.prompt_version
    prompts = settings.prompts
    if version is None and len(prompts) == 1:
        version = next(iter(prompts))
    place = config.place_of("prompts")
    _check(settings.message or "", config.place_of("message"))
    if version is None and not prompts:
        return None, None
    if version is None:
        message = f"the target has prompts of {len(prompts)} versions, and none is named"
        raise SetupError(found("ES733", message, place, hint=f"--prompt-version {', '.join(prompts)}: name one"))
    if version not in prompts:
        message = f"the target has no prompt of the version {version}"
        hint = f"there are {', '.join(prompts)}" if prompts else "give it under prompts: {" + version + ": FILE}"
        raise SetupError(found("ES733", message, place, hint=hint))
    text = _text(config, prompts[version], version)
    _check(text, config.place_of("prompts", version))
    return version, text


def _check(text: str, place: Place) -> None:
    """Raise SetupError with ES731 where a text is none of the language; which names a case fills is seen later."""
    wrong = faults(text, frozenset(name for name, _, _ in placeholders(text)))
    if wrong:
        raise SetupError(found("ES731", f"the text cannot be read: {wrong[0].message}", place))


def _text(config: TargetConfig, given: str, version: str) -> str:
    """A prompt: the text of the file that is named, or what is given. Raises SetupError with ES731."""
    if "\n" in given or len(given) > 300:
        return given
    path, place = config.folder / given.strip(), config.place_of("prompts", version)
    if not path.is_file():
        if given.strip().lower().endswith(PROMPT_SUFFIXES) and " " not in given.strip():
            raise SetupError(found("ES731", f"there is no file {given}", place, hint="seen from the target's file"))
        return given
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, ValueError) as error:
        raise SetupError(found("ES731", f"{given} cannot be read: {error}", place)) from None
    if not text.strip() or len(text) > MAX_PROMPT:
        what = f"has over {MAX_PROMPT:,} characters" if text.strip() else "is empty"
        raise SetupError(found("ES731", f"the prompt {given} {what}", place))
    return text
