"""Tolerances of an analysis of variance against R's ``lm``, by the name of the number."""

from __future__ import annotations

from cdfscore.numerics.tolerance import Tolerance
from cdfscore.significance.contract.tolerances import USUAL

_DENSE = "R solves the dense design, and topics are absorbed here; 1e-10 of the number"
_RELATIVE = Tolerance(450_000, _DENSE)

TOLERANCES = {
    "sum_of_squares": _RELATIVE,
    "df": Tolerance(0, "whole numbers"),
    "statistic": _RELATIVE,
    "p_value": Tolerance(
        45_000_000,
        "a tail of F, which changes by up to half the degrees of freedom times as much as F; 1e-8 "
        "of the number, down to 1e-290",
        floor=1e-290,
    ),
    "effect": _RELATIVE,
    "mean": _RELATIVE,
    "stderr": _RELATIVE,
    "p_of_difference": USUAL["p_value"],
}
