"""What the files of several formats hold alike; the shape of each format stands with its reader."""

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from evalspec.spec.model import NOT_BLANK, Model

CaseId = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^\S(?:[^\x00-\x1f\x7f]*\S)?$")]
Word = Annotated[str, StringConstraints(min_length=1, max_length=10_000, pattern=NOT_BLANK)]
Seconds = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]
Rate = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Grade = Literal["critical", "major", "minor"]


class MetricEntry(Model):
    """A metric of a contract: its checks, and which way its bar lies."""

    direction: Literal["at_least", "at_most"] = "at_least"
    counts: Literal["passes", "failures"] = "passes"
    checks: tuple[Any, ...] = ()
    description: str = ""


class BarEntry(Model):
    """A bar, and who signed it off."""

    bar: Rate | None = None
    signed_by: str = ""
