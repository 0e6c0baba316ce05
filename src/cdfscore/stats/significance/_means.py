"""What tests of means have in common: rows of t, and two-way layouts."""

import numpy as np
from numpy.typing import NDArray

from cdfscore.stats.numerics import student_t
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
#: The offsets of topics prevail if no range of a topic is above this part of the largest score.
_NEAR = 2.0**-10


def system_effects(scores: Array) -> tuple[Array, Array]:
    """Return each system's mean minus the overall mean, and the residual mean square."""
    within = scores - mean(scores)
    effects = mean(within.swapaxes(-1, -2))[..., 0]
    residuals = within - effects[..., np.newaxis, :]
    residuals -= mean(residuals)
    topics, systems = scores.shape[-2:]
    mean_square = np.square(residuals).sum(axis=(-2, -1)) / ((topics - 1) * (systems - 1))
    return effects, mean_square


def layout(scores: Array) -> tuple[Array, Array, Array, BoolArray]:
    """Return the scores, those `without_topics` if these prevail, effects, MSE, and if it is 0."""
    effects, mean_square = system_effects(scores)
    hidden = topics_prevail(scores)
    hidden |= mean_square <= _ROUNDING**2 * np.square(scores).mean(axis=(-2, -1))
    if hidden.any():
        scores = np.where(hidden[..., np.newaxis, np.newaxis], without_topics(scores), scores)
        effects, mean_square = system_effects(scores)
    spread = np.square(scores - mean(scores)).mean(axis=(-2, -1))
    return scores, effects, mean_square, mean_square <= _ROUNDING**2 * spread


def topics_prevail(scores: Array) -> BoolArray:
    """Tell of which matrices no topic has a range that is more than 2^-10 of the largest score."""
    size = np.abs(scores).max(axis=(-2, -1))
    return np.asarray(np.ptp(scores, axis=-1).max(axis=-1) <= _NEAR * size)


def without_topics(scores: Array) -> Array:
    """Return scores (..., topics, systems), with the first score of each topic subtracted."""
    matrix = (-1, scores.shape[-2] * scores.shape[-1])
    first = np.broadcast_to(scores[..., :1], scores.shape)
    apart = shifted_differences(scores.reshape(matrix), first.reshape(matrix), 0.0)[0]
    return apart.reshape(scores.shape)


def ranks_within_topics(scores: Array) -> tuple[Array, Array]:
    """Return the ranks of systems within topics, and the sum of t^3 - t over the ties of each."""
    *shape, k = scores.shape
    ranks, tied = midranks(scores.reshape(-1, k))
    return ranks.reshape(scores.shape), tied.reshape(shape)
