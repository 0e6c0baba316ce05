"""From scores to rankings, with ties broken the same way everywhere."""

from collections.abc import Container, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from .index import Scores

DECIMALS = 10
"""Scores are compared after rounding, so that rounding noise does not break ties."""

DEPTH = 1000
"""Number of documents a run returns."""


def order(scores: Scores) -> NDArray[np.intp]:
    """Documents of each topic by falling score; ties in the order of the columns.

    Columns are in document number order, so ties go to the lower document number.
    """
    return np.argsort(-np.round(scores, DECIMALS), axis=-1, kind="stable")


def ranks(scores: Scores) -> NDArray[np.intp]:
    """Rank of each document, from 1."""
    return np.argsort(order(scores), axis=-1) + 1


def run_of_topic(
    scores: Scores, numbers: Sequence[int], left_out: Container[int] = (), depth: int = DEPTH
) -> dict[str, float]:
    """Top documents of one topic with scores `depth`, `depth - 1`, ... that have no ties.

    Documents in `left_out` are taken out of the ranking and those below them move up.
    """
    ranked = [numbers[column] for column in order(scores)]
    kept = [number for number in ranked if number not in left_out][:depth]
    return {str(number): float(depth - place) for place, number in enumerate(kept)}


def runs_of_topics(
    scores: Scores, numbers: Sequence[int], sources: Mapping[int, int]
) -> dict[int, dict[str, float]]:
    """Runs of all topics, numbered from 1, each without its source document."""
    return {
        topic: run_of_topic(row, numbers, {sources[topic]} if topic in sources else ())
        for topic, row in enumerate(scores, start=1)
    }
