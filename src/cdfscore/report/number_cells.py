"""Numbers as text in the cells of tables for readers."""

from __future__ import annotations

import math

from cdfscore.report.captioned import NO_NUMBER


def shown_p(p: float, alpha: float) -> str:
    """Return a p value with three decimals, and * if it is at most alpha."""
    if math.isnan(p):
        return NO_NUMBER
    text = "< 0.001" if p < 0.001 else f"{p:.3f}"
    return f"{text}*" if p <= alpha else text


def fixed(value: float, digits: int) -> str:
    """Return a number with `digits` decimals, and zero without a sign."""
    return NO_NUMBER if math.isnan(value) else f"{value:z.{digits}f}"


def interval(low: float, high: float, digits: int = 4) -> str:
    """Return an interval with `digits` decimals."""
    if math.isnan(low) or math.isnan(high):
        return NO_NUMBER
    return f"[{fixed(low, digits)}, {fixed(high, digits)}]"
