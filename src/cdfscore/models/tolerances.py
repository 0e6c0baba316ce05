"""Tolerances of an analysis of variance against R's ``lm``, by the name of the number."""

from __future__ import annotations

from cdfscore.numerics.tolerance import Tolerance
from cdfscore.significance.contract.tolerances import USUAL

#: What two ways to solve a design may differ by, of the numbers that are added.
RELATIVE = 1e-12
_DENSE = Tolerance(
    RELATIVE * 2**52,
    "R solves the full design; this package projects topics out first; 1e-12 of the number",
)

TOLERANCES = {
    "sum_of_squares": _DENSE,
    "df": Tolerance(0, "whole numbers"),
    "statistic": _DENSE,
    "p_value": USUAL["p_value"],
    "effect": _DENSE,
    "mean": _DENSE,
    "stderr": _DENSE,
}
