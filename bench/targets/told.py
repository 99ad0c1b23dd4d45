"""What a run tells every request of a target."""

from evalspec.spec.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Told:
    """The model and prompt version that are asked for, and the seconds of a turn; None where the run says nothing."""

    model: str | None
    prompt_version: str | None
    timeout: float | None
