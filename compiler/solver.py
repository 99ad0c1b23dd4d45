"""Small integer programs, solved by HiGHS so that the answer is the same on every run and machine."""

from collections.abc import Sequence
from dataclasses import field
from enum import Enum
from functools import lru_cache
from typing import Any

from evalspec.spec.dataclass import dataclass

INFINITY = 1e30
_GAP = 1e-3
_SLACK = 1e-4


@dataclass(slots=True)
class Program:
    """Columns with costs and bounds, and rows over them; costs are minimised."""

    costs: list[float] = field(default_factory=list)
    lower: list[float] = field(default_factory=list)
    upper: list[float] = field(default_factory=list)
    whole: list[bool] = field(default_factory=list)
    rows: list[tuple[float, float, list[tuple[int, float]]]] = field(default_factory=list)

    def column(self, lower: float, upper: float, *, cost: float = 0.0, whole: bool = True) -> int:
        """Add a column; the answer is its index."""
        self.costs.append(cost)
        self.lower.append(lower)
        self.upper.append(upper)
        self.whole.append(whole)
        return len(self.costs) - 1

    def row(self, lower: float, upper: float, terms: list[tuple[int, float]]) -> None:
        """Hold the sum of `terms` (column, factor) between two bounds."""
        self.rows.append((lower, upper, terms))

    def distance(self, terms: list[tuple[int, float]], target: float, over: float, under: float) -> None:
        """Charge `over` for each unit by which the sum of `terms` exceeds `target`, and `under` for each it lacks."""
        above = self.column(0.0, INFINITY, cost=over, whole=False)
        below = self.column(0.0, INFINITY, cost=under, whole=False)
        self.row(target, target, [*terms, (above, -1.0), (below, 1.0)])


class Standing(Enum):
    """How good an answer is known to be."""

    BEST = "best"
    GOOD = "good"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Answer:
    """Values of the columns; empty where `standing` is NONE."""

    standing: Standing
    values: tuple[float, ...]
    cost: float


def solve(program: Program, max_nodes: int = 200) -> Answer:
    """Minimise, in one thread, from one seed, and bounded by nodes and never by time."""
    import highspy

    highs = _quiet_solver()()
    for name, value in _options(max_nodes).items():
        highs.setOptionValue(name, value)
    highs.passModel(_model(program))
    highs.run()
    status = highs.getModelStatus()
    solution = highs.getSolution()
    cost = highs.getInfo().objective_function_value
    if not solution.value_valid or abs(cost) >= INFINITY:
        return Answer(Standing.NONE, (), cost)
    best = status == highspy.HighsModelStatus.kOptimal
    limits = (highspy.HighsModelStatus.kSolutionLimit, highspy.HighsModelStatus.kIterationLimit)
    if not best and status not in limits:
        return Answer(Standing.NONE, (), cost)
    return Answer(Standing.BEST if best else Standing.GOOD, tuple(solution.col_value), cost)


def settle(program: Program, weights: Sequence[int], max_nodes: int = 200) -> Answer:
    """Minimise, and among equally good answers take the one that `weights` (one a column) make cheapest.

    Without the weights the answer would hang on the order of columns and on the solver's build. Where the first
    answer is not proved the best, it is returned as it is, and GOOD.
    """
    first = solve(program, max_nodes)
    if first.standing is not Standing.BEST:
        return first
    second = Program([float(w) for w in weights], program.lower, program.upper, program.whole, list(program.rows))
    priced = [(index, cost) for index, cost in enumerate(program.costs) if cost]
    if priced:
        second.row(-INFINITY, first.cost + _SLACK, priced)
    answer = solve(second, max_nodes)
    if answer.standing is Standing.BEST:
        return Answer(Standing.BEST, answer.values, first.cost)
    return Answer(Standing.GOOD, answer.values or first.values, first.cost)


@lru_cache(maxsize=1)
def _quiet_solver() -> Any:
    """A class of solvers that print nothing: HiGHS greets on standard output as soon as callbacks are enabled."""
    import highspy

    class Quiet(highspy.Highs):
        def enableCallbacks(self) -> None:  # noqa: N802 - the solver's own name
            self.setOptionValue("output_flag", False)
            super().enableCallbacks()  # type: ignore[no-untyped-call]

    return Quiet


def _options(max_nodes: int) -> dict[str, Any]:
    """Options of a run. For programs this small, presolving and jumping for a first answer cost more than they save."""
    return {
        "output_flag": False,
        "threads": 1,
        "random_seed": 1,
        "presolve": "off",
        "mip_heuristic_run_feasibility_jump": False,
        "mip_max_nodes": max_nodes,
        "mip_rel_gap": 0.0,
        "mip_abs_gap": _GAP,
    }


def _model(program: Program) -> Any:
    import highspy

    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = len(program.costs), len(program.rows)
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = program.costs, program.lower, program.upper
    lp.row_lower_ = [row[0] for row in program.rows]
    lp.row_upper_ = [row[1] for row in program.rows]
    starts, indices, factors = [0], [], []
    for _, _, terms in program.rows:
        indices += [index for index, _ in terms]
        factors += [factor for _, factor in terms]
        starts.append(len(indices))
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = starts, indices, factors
    if any(program.whole):
        kinds = highspy.HighsVarType
        lp.integrality_ = [kinds.kInteger if whole else kinds.kContinuous for whole in program.whole]
    return lp
