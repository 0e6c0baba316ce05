"""Rows of the result of a t test, from an estimate and its standard error."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cdfscore.numerics import student_t
from cdfscore.numerics.student_t import is_constant as is_constant
from cdfscore.numerics.types import Array, BoolArray
from cdfscore.significance.contract import Alternative, Rows


def t_rows(
    estimate: Array,
    stderr: Array,
    df: Array | float,
    alternative: Alternative,
    null_value: Array | float,
    conf_level: float,
    *,
    method: str,
) -> Rows:
    """Return t, p value and interval; NaN where the standard error is NaN.

    R takes the interval from `null_value` + (t -+ quantile) `stderr`, which cancels where
    `null_value` is far larger than its ends.
    """
    t = (estimate - null_value) / stderr
    low, high = student_t.interval(estimate, stderr, df, alternative, conf_level)
    none = np.isnan(t)
    return Rows(
        statistic=t,
        parameter=df,
        p_value=student_t.p_value(t, df, alternative),
        estimate=estimate,
        stderr=stderr,
        conf_low=np.where(none, np.nan, low),
        conf_high=np.where(none, np.nan, high),
        method=method,
    )


def reason_of_constant(constant: BoolArray, mean: Array) -> NDArray[np.str_]:
    """Return the reason why differences with this mean have no number; "" where they do."""
    return np.select(
        [constant & (mean == 0), constant],
        ["all differences are 0", "the differences are essentially constant"],
        "",
    )
