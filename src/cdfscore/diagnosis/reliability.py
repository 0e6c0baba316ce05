"""Reliability of topics: how well the scores of a topic agree with those of the others."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from cdfscore.errors import ScoresError
from cdfscore.numerics.pearson import pearson_r
from cdfscore.numerics.types import Array


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
        In [-1, 1]; NaN where fewer than two systems have both, or one side is constant.

    Raises
    ------
    ScoresError
        For another shape.

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
    present = ~np.isnan(x)
    filled = np.where(present, x, 0.0)
    number = present.sum(axis=0) - present
    total = filled.sum(axis=0) - filled
    others = np.where(number > 0, total / np.maximum(number, 1), np.nan)
    found = np.full(len(x), np.nan)
    for topic, (own, mean) in enumerate(zip(x, others, strict=True)):
        both = ~(np.isnan(own) | np.isnan(mean))
        if np.count_nonzero(both) > 1:
            found[topic] = pearson_r(own[np.newaxis, both], mean[np.newaxis, both])[0]
    return found
