"""Rows of the result of a t test, from an estimate and its standard error."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics import student_t
from cdfscore.numerics.student_t import is_constant as is_constant
from cdfscore.numerics.types import Array
from cdfscore.significance.contract.result import Rows
from cdfscore.significance.contract.settings import Alternative


def t_rows(
    estimate: Array,
    stderr: Array,
    df: Array | float,
    alternative: Alternative,
    null_value: float,
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
