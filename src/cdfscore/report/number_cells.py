"""Numbers as text in the cells of tables for readers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from cdfscore.report.captioned import NO_NUMBER, Captioned, Column

if TYPE_CHECKING:
    import pandas as pd


def shown_p(p: float, alpha: float) -> str:
    """Return a p value with three decimals, and * if it is at most alpha."""
    if math.isnan(p):
        return NO_NUMBER
    text = "< 0.001" if p < 0.001 else f"{p:.3f}"
    return f"{text}*" if p <= alpha else text


def fixed(value: float, digits: int) -> str:
    """Return a number with `digits` decimals, or six digits from 1e9 on; zero without a sign.

    A number that is not 0 does not look like 0: it has `digits` digits instead, at least two.

    >>> fixed(0.00005, 4), fixed(0.000049, 4), fixed(-0.0, 4), fixed(2.5e9, 4)
    ('0.0001', '4.9e-05', '0.0000', '2.5e+09')
    """
    if math.isnan(value):
        return NO_NUMBER
    if abs(value) >= 1e9:
        return f"{value:.6g}"
    text = f"{value:z.{digits}f}"
    return f"{value:.{max(digits, 2)}g}" if value and not float(text) else text


def shown_score(value: float) -> str:
    """Return a score with four decimals, or with four digits if it is very small or very large."""
    if math.isnan(value):
        return NO_NUMBER
    usual = value == 0 or 1e-4 <= abs(value) < 1e6
    return f"{value:z.4f}" if usual else f"{value:.4g}"


def interval(low: float, high: float, digits: int = 4) -> str:
    """Return an interval with `digits` decimals."""
    if math.isnan(low) or math.isnan(high):
        return NO_NUMBER
    return f"[{fixed(low, digits)}, {fixed(high, digits)}]"


def of_scores(scores: pd.DataFrame, title: str) -> Captioned:
    """Return a score matrix; a narrow terminal may leave out all systems but the first."""
    columns = [
        Column(str(system), True, list(map(shown_score, scores.iloc[:, i])), minor=int(i > 0))
        for i, system in enumerate(scores.columns)
    ]
    return Captioned(title, "", [Column("topic", False, list(map(str, scores.index))), *columns])
