"""Weights of sources: how much the lists of a source count for a topic, w(C|q)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.errors import SchemeError, ScoresError
from cdfscore.io.scores.given import as_scores
from cdfscore.merging.pool import Pool
from cdfscore.numerics.numbers import finite_number, shown
from cdfscore.numerics.types import Array
from cdfscore.schemes.minmax import Minmax
from cdfscore.spelling import argument
from cdfscore.standardization.policies.unfitted import fit_all

if TYPE_CHECKING:
    import pandas as pd
    from narwhals.typing import IntoFrame

#: The weight of the selection score in CORI, against 1 for the document score.
CORI_LAMBDA = 0.4


def selection_weights(selection: IntoFrame, lam: float = CORI_LAMBDA) -> pd.DataFrame:
    """Return the weights of sources from their selection scores, as in CORI merging.

    ``w(C|q) = (1 + lambda * m) / (1 + lambda)`` with ``m = (s(C|q) - min) / (max - min)`` over the
    sources of the topic, and m = 1/2 if all their scores are equal. With lambda = 0 all weights are
    1. As lambda grows, w tends to m, which is used for ``math.inf``. The source with the lowest
    score then has the weight 0, so all its documents have the score 0, and their order is lost.
    Callan (2000) uses the smallest and the largest possible belief instead of the smallest and the
    largest score over the sources; this is the simpler form of the slides.

    Parameters
    ----------
    selection
        Scores s(C|q), topics x sources, higher for sources that fit the topic better; missing for a
        source that is not searched for a topic. The minimum and the maximum are over all sources,
        also those without a list.
    lam
        The parameter lambda, at least 0; 0.4 in CORI.

    Returns
    -------
    pandas.DataFrame
        Weights in [0, 1], topics x sources.

    Raises
    ------
    SchemeError
        For lambda below 0 or NaN.
    ScoresError
        If `selection` is not a table of scores.
    FitError
        For a topic whose scores are all missing.

    References
    ----------
    Callan (2000), Distributed Information Retrieval; Markov, Linear Score Normalization Revisited,
    Parameterized CORI Results Merging.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame({"a": [0.48], "b": [0.40], "c": [0.44]}, index=["301"])
    >>> selection_weights(scores).round(4).loc["301"].tolist()
    [1.0, 0.7143, 0.8571]
    """
    number = check_lambda(lam)
    frame = as_scores(selection)
    scores = frame.to_numpy()
    m = fit_all(Minmax(), scores, lambda row: f"scores of selection, topic {frame.index[row]!r}")(
        scores
    )
    found = frame.copy()
    found[:] = m if number == math.inf else (1 + number * m) / (1 + number)
    return found


def check_lambda(lam: float) -> float:
    """Return lambda as a number, at least 0 or infinite; raises `SchemeError` for another."""
    number = math.inf if lam == math.inf else finite_number(lam)
    if number is None or number < 0:
        raise SchemeError(
            f"{argument('lam', lam, shown=shown)} is not accepted; expected a number of at "
            "least 0, or infinity"
        )
    return number


def of_documents(pool: Pool, weights: pd.DataFrame) -> Array:
    """Return the weight of each document of a pool, that of its topic and source.

    Raises `ScoresError` for a source or a topic without weights, and for a weight that is missing
    or below 0.
    """
    for kind, labels, known in (
        ("source", pool.sources, weights.columns),
        ("topic", pool.topics, weights.index),
    ):
        lacking = [label for label in labels if label not in known]
        if lacking:
            raise ScoresError(
                f"the weights lack {kind} {lacking[0]!r}; expected weights of every {kind} that "
                "has documents"
            )
    table = weights.loc[list(pool.topics), list(pool.sources)].to_numpy()
    found: Array = table[pool.topic, pool.source]
    bad = ~(found >= 0)  # NaN too
    if bad.any():
        place = int(bad.argmax())
        value = "missing" if np.isnan(found[place]) else f"{found[place]:g}"
        raise ScoresError(
            f"the weight of source {pool.sources[pool.source[place]]!r} for topic "
            f"{pool.topics[pool.topic[place]]!r} is {value}, and the source has documents; "
            "expected a number of at least 0"
        )
    return found
