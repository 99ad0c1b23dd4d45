"""Where things lie: from what a user typed to a spec folder, a plan and a release."""

from pathlib import Path
from typing import TYPE_CHECKING

from evalspec.cli.shared import fail, usage
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.source import Place

if TYPE_CHECKING:
    from evalspec.spec.plan import Plan

CONFIG_NAME = "generation_config.yaml"
PLAN_NAME = "plan.json"


@dataclass(frozen=True, slots=True)
class PlanFile:
    """A plan that was read, and the folder that its paths are relative to."""

    plan: "Plan"
    path: Path

    @property
    def folder(self) -> Path:
        """The folder of plan.json: data/ and the corpus lie beside it."""
        return self.path.parent

    @property
    def release(self) -> Path:
        """Where the release of this plan is written."""
        return self.folder / self.plan.dataset.output_dir


def spec_folder(spec: Path) -> Path:
    """The spec folder that `spec` names: a folder, or its config file."""
    return spec.parent if spec.name == CONFIG_NAME else spec


def is_plan(target: Path) -> bool:
    """Whether `target` names a plan rather than a spec."""
    return target.suffix == ".json"


def open_plan(command: str, path: Path, form: str, *, stale: bool = True) -> PlanFile:
    """Read the plan at `path`, or in the folder `path`; ends the command with findings where that fails.

    With `stale` false a plan whose spec has changed since is refused.
    """
    from evalspec.spec.planfile import PlanError, read

    path = path / PLAN_NAME if path.is_dir() else path
    try:
        opened = PlanFile(read(path), path)
    except PlanError as error:
        fail(command, error.diagnostics, form)
    changed = None if stale else changed_spec(opened)
    if changed is not None:
        fail(command, [changed], form)
    return opened


def changed_spec(opened: PlanFile) -> Diagnostic | None:
    """The finding that the spec beside a plan is no longer the one it was compiled from."""
    if not (opened.folder / CONFIG_NAME).is_file():
        return None
    from evalspec.compiler.stale import unchanged

    if unchanged(opened.folder, opened.plan):
        return None
    message = f"the spec changed since {opened.path.name} was compiled"
    hint = "compile again (evalspec diff shows what that changes), or go on with the old plan by --stale"
    return found("ES508", message, Place(str(opened.path)), hint=hint)


def require_folder(command: str, folder: Path, form: str) -> None:
    """End the command unless `folder` is a spec folder that can be read."""
    if not folder.is_dir():
        fail(
            command,
            [usage(f"there is no folder {folder}", str(folder), "name a spec folder, or make one: evalspec init")],
            form,
        )
