"""Reliability of topics: how well the scores of a topic agree with those of the others."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from cdfscore.errors import ScoresError
from cdfscore.scores.cautions import Matrix, shares_of_variance
from cdfscore.scores.dataframes import IntoFrame
from cdfscore.standardization.policies import ScoreMatrix
from cdfscore.stats.numerics.offset import pearson_r
from cdfscore.stats.numerics.types import Array

# Two means of equal decimals differ by at most this part of the mean size of the scores.
_ROUNDED = 2.0**-50


def topic_reliability(scores: ArrayLike) -> Array:
    """Return the item-total correlation of each topic, between its scores and their other means.

    r_t is Pearson's r, over the systems, of the scores of topic t and the means of the systems over
    the other topics. The topic itself is not in the mean, with which it would correlate.

    Specified in topic_reliability.1.

    Parameters
    ----------
    scores
        Scores, shape (topics, systems), NaN where one is missing. A mean is over the present
        scores, and r over the systems that have both.

    Returns
    -------
    array of shape (topics,)
        In [-1, 1]; NaN where fewer than two systems have both, or one side is constant. Means that
        differ by rounding alone are constant.

    Raises
    ------
    ScoresError
        For another shape, or an infinite score.

    Notes
    -----
    Source: Bodoff and Li (2007); Webber, Moffat and Zobel (2008), Section 2, where it has no
    correlation with the standard deviation of the topic.

    Examples
    --------
    >>> topic_reliability([[0.1, 0.2, 0.3], [0.2, 0.3, 0.5], [0.9, 0.5, 0.7]]).round(3).tolist()
    [0.24, 0.189, -0.397]
    """
    x = np.asarray(scores, dtype=np.float64)
    if x.ndim != 2:
        raise ScoresError(f"scores have shape {x.shape}; expected (topics, systems)")
    if np.isinf(x).any():
        raise ScoresError("a score is infinite; expected finite scores")
    # The sums of these are not infinite, and their means keep all digits.
    most = np.frexp(np.fmax.reduce(np.abs(x), axis=None, initial=0.0))[1]
    x = np.ldexp(x, 1023 - int(most) - len(x).bit_length())
    others, sizes = _means_of_others(x), _means_of_others(np.abs(x))
    found = np.full(len(x), np.nan)
    for topic, (own, mean, size) in enumerate(zip(x, others, sizes, strict=True)):
        both = ~(np.isnan(own) | np.isnan(mean))
        if np.count_nonzero(both) > 1 and np.ptp(mean[both]) > _ROUNDED * size[both].max():
            found[topic] = pearson_r(own[np.newaxis, both], mean[np.newaxis, both])[0]
    return found


def _means_of_others(x: Array) -> Array:
    """Return the exact means of each system over the topics but one, (topics, systems)."""
    found = np.full(x.shape, np.nan)
    for system, own in enumerate(x.T):
        present = ~np.isnan(own)
        # Numbers of which the sum is that of all topics, without a rounding.
        total, scores = list[float](), own[present].tolist()
        while rest := math.fsum([*scores, *(-part for part in total)]):
            total.append(rest)
        left = np.where(present, own, 0.0).tolist()
        sums = np.array([math.fsum([*total, -score]) for score in left])
        number = len(scores) - present
        np.divide(sums, number, where=number > 0, out=found[:, system])
    return found


def variance_by_topic(scores: IntoFrame) -> pd.DataFrame:
    """Return the share of each topic in the sum of the variances between systems.

    share_t = s_t^2 / (s_1^2 + ... + s_T^2), where s_t^2 is the variance of the raw scores of topic
    t, with divisor n_t - 1, in the unit of the scores squared. A topic with a large share decides
    the raw means and their order; standardization by N-std or the z score makes all shares equal.

    `scores` is topics x systems. Returns a frame with the columns ``variance`` and ``share``, a row
    a topic, the largest share first; both are 0 where fewer than two systems have a score.

    Raises `ScoresError` if `scores` is not a score matrix. Specified in disorder.4.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame({"a": [1.0, 10.0], "b": [2.0, 40.0]}, index=["pong", "atlantis"])
    >>> variance_by_topic(scores).round(4)
              variance   share
    topic
    atlantis     450.0  0.9989
    pong           0.5  0.0011
    """
    given = ScoreMatrix.of(scores)
    matrix = Matrix(given.topics, given.systems, given.values)
    index = pd.Index(given.topics, dtype=str, name="topic")
    _, squares, n, units = matrix.spread
    with np.errstate(over="ignore"):  # of scores of 1e160 and more
        variance = np.where(n > 1, squares / np.maximum(n - 1, 1) * units**2, 0.0)[:, 0]
    found = pd.DataFrame({"variance": variance, "share": shares_of_variance(matrix)}, index=index)
    return found.sort_values("share", ascending=False, kind="stable")
