"""Judges: models that say whether an answer keeps a policy or how it scores by a rubric, and how that is read."""

from evalspec.bench.judging.config import JudgeConfig
from evalspec.bench.judging.grades import read_grade
from evalspec.bench.judging.judge import Judge, make_judge, refused
from evalspec.bench.judging.kept import KeptHere, KeptVerdicts
from evalspec.bench.judging.settings import read_judge

__all__ = [
    "Judge",
    "JudgeConfig",
    "KeptHere",
    "KeptVerdicts",
    "make_judge",
    "read_grade",
    "read_judge",
    "refused",
]
