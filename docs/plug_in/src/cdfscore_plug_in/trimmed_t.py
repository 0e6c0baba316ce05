"""Yuen's test of trimmed means of paired scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from cdfscore.errors import SignificanceError
from cdfscore.stats.numerics import student_t
from cdfscore.stats.numerics.moments import mean, total
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance.contract import DIFFERENCE, Alternative, Rows, paired


def trimmed_mean(x: Array, settings: Mapping[str, Any]) -> Array:
    """Return the mean of each row without its lowest and its highest scores."""
    cut = int(settings["trim"] * x.shape[1])
    return mean(np.sort(x, axis=1)[:, cut : x.shape[1] - cut])[:, 0]


def check_trim(settings: Mapping[str, Any]) -> None:
    """Raise `SignificanceError` unless the proportion leaves scores in the middle."""
    if not 0 <= settings["trim"] < 0.5:
        raise SignificanceError(
            f"trimmed_t: trim={settings['trim']!r} is not accepted; expected a number from 0 to "
            "below 0.5"
        )


@paired(
    source="Yuen (1974); Wilcox (2012), section 5.9",
    label="paired t test of trimmed means",
    effect="",
    estimates="difference of trimmed means",
    null="the trimmed means differ by `null_value`",
    assumes="enough topics for normal trimmed means; scores may have outliers",
    choose_for="the difference of most topics, without the lowest and highest scores",
    location=trimmed_mean,
    in_unit=DIFFERENCE,
    shifts="scores",
    check=check_trim,
)
def trimmed_t(
    x: Array,
    y: Array,
    *,
    trim: float = 0.2,
    alternative: Alternative = "two-sided",
    null_value: float = 0.0,
    conf_level: float = 0.95,
) -> Rows:
    """Test whether the trimmed means of two systems differ by `null_value`.

    From the scores of each system, the proportion `trim` of the lowest and of the highest ones
    is left out. The standard error is that of the differences of winsorized scores, and t has
    h - 1 degrees of freedom, where h scores are left. Rows have shape (rows, n).
    """
    n = x.shape[1]
    cut = int(trim * n)
    left = n - 2 * cut
    difference = trimmed_mean(x, {"trim": trim}) - trimmed_mean(y, {"trim": trim})
    d = winsorized(x, cut) - winsorized(y, cut)
    stderr = np.sqrt(total((d - mean(d)) ** 2)[:, 0] / (left * (left - 1)))
    constant = student_t.is_constant(stderr, np.abs(difference)) | (left < 2)
    stderr = np.where(constant, np.nan, stderr)
    t = (difference - null_value) / stderr
    low, high = student_t.interval(difference, stderr, left - 1.0, alternative, conf_level)
    return Rows(
        statistic=t,
        parameter=left - 1.0,
        p_value=student_t.p_value(t, left - 1.0, alternative),
        estimate=difference,
        stderr=stderr,
        conf_low=np.where(constant, np.nan, low),
        conf_high=np.where(constant, np.nan, high),
        method="paired t test of trimmed means",
        reason=np.where(constant, "too few scores are left, or all differences are equal", ""),
    )


def winsorized(x: Array, cut: int) -> Array:
    """Move the `cut` lowest and highest scores of each row to the next ones."""
    ordered = np.sort(x, axis=1)
    return np.clip(x, ordered[:, cut, np.newaxis], ordered[:, -1 - cut, np.newaxis])
