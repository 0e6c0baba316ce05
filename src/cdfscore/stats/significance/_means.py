"""What tests of means have in common: rows of t, and two-way layouts."""

import numpy as np
from numpy.typing import NDArray

from cdfscore.stats.numerics import student_t
from cdfscore.stats.numerics.eighty_bits import two_sum
from cdfscore.stats.numerics.moments import mean
from cdfscore.stats.numerics.multiples import shifted_differences
from cdfscore.stats.numerics.ranks import midranks
from cdfscore.stats.numerics.student_t import is_constant as is_constant
from cdfscore.stats.numerics.types import Array, BoolArray
from cdfscore.stats.significance.contract import Alternative, Rows

# --- Rows of the result of a t test, from an estimate and its standard error ---


def t_rows(
    estimate: Array,
    stderr: Array,
    df: Array | float,
    alternative: Alternative,
    null_value: Array | float,
    conf_level: float,
    *,
    method: str,
    reason: NDArray[np.str_],
) -> Rows:
    """Return t, p value and interval of an estimate; NaN where there is a reason for none."""
    stderr = np.where(reason == "", stderr, np.nan)
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
        reason=reason,
    )


def reason_of_constant(constant: BoolArray, mean: Array) -> NDArray[np.str_]:
    """Return the reason why differences with this mean have no number; "" where they do."""
    return np.select(
        [constant & (mean == 0), constant],
        ["all differences are 0", "the differences are essentially constant"],
        "",
    )


# --- Additive two-way layout with one score per cell: score = topic + system + error ---


#: Residuals below this proportion of the scores, without the means of topics, are rounding; R's
#: t.test uses it for constant data.
_ROUNDING = 10 * np.finfo(np.float64).eps


def layout(scores: Array) -> tuple[Array, Array, Array, BoolArray]:
    """Return the scores without topics, the effects of systems, MSE, and if it is 0."""
    topics, systems = scores.shape[-2:]
    apart, residuals = without_topics(scores)
    means = mean(apart.swapaxes(-1, -2))[..., 0]
    residuals -= mean(residuals.swapaxes(-1, -2))[..., 0][..., np.newaxis, :]
    residuals -= mean(residuals)
    mean_square = np.square(residuals).sum(axis=(-2, -1)) / ((topics - 1) * (systems - 1))
    spread = np.square(apart - mean(apart)).mean(axis=(-2, -1))
    return apart, means - mean(means), mean_square, mean_square <= _ROUNDING**2 * spread


def without_topics(scores: Array) -> tuple[Array, Array]:
    """Return scores (..., topics, systems), less those of the system with the middle mean.

    The second result are these less the first of each system, with their last digits: one system
    may be far from the others.
    """
    k, matrix = scores.shape[-1], (-1, scores.shape[-2] * scores.shape[-1])
    order = np.argsort(scores.mean(axis=-2), axis=-1, kind="stable")
    middle = np.take_along_axis(scores, order[..., np.newaxis, [(k - 1) // 2]], axis=-1)
    x, y = (each.reshape(matrix) for each in np.broadcast_arrays(scores, middle))
    apart, q = shifted_differences(x, y, 0.0)
    high, low = two_sum(x, -y)
    known = ~np.isnan(q)
    unit = np.where(known, q, 1.0)[:, np.newaxis]
    high[known], low[known] = np.rint(apart * unit)[known], 0.0
    high, low = (each.reshape(scores.shape) for each in (high / unit, low))
    return apart.reshape(scores.shape), (high - high[..., :1, :]) + (low - low[..., :1, :])


def ranks_within_topics(scores: Array) -> tuple[Array, Array]:
    """Return the ranks of systems within topics, and the sum of t^3 - t over the ties of each."""
    *shape, k = scores.shape
    ranks, tied = midranks(scores.reshape(-1, k))
    return ranks.reshape(scores.shape), tied.reshape(shape)
