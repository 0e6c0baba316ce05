"""Ranks of systems within topics, for the tests of Friedman's kind."""

from __future__ import annotations

from cdfscore.numerics.ranks import midranks
from cdfscore.numerics.types import Array


def ranks_within_topics(scores: Array) -> tuple[Array, Array]:
    """Return the ranks of systems within topics, the lowest score first, and the sizes of ties.

    Shape (..., topics, systems) to itself and (..., topics): systems of a tie share the mean of
    their ranks, and the size of the ties of a topic is the sum of t^3 - t, t systems in each.
    """
    *shape, k = scores.shape
    ranks, tied = midranks(scores.reshape(-1, k))
    return ranks.reshape(scores.shape), tied.reshape(shape)
