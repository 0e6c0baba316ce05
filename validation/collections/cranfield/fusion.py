"""Combinations of the scores of several systems."""

from collections.abc import Sequence

import numpy as np

from .index import Scores
from .ranking import ranks


def reciprocal_rank_fusion(runs: Sequence[Scores], *, k: int = 60) -> Scores:
    """Reciprocal rank fusion: sum of 1 / (k + rank)."""
    reciprocals = [1 / (k + ranks(scores)) for scores in runs]
    return np.asarray(np.sum(reciprocals, axis=0), dtype=np.float64)


def comb_sum(runs: Sequence[Scores]) -> Scores:
    """CombSUM: sum of scores scaled to the range 0 to 1 in each topic."""
    scaled = [_unit_range(scores) for scores in runs]
    return np.asarray(np.sum(scaled, axis=0), dtype=np.float64)


def rerank(runs: Sequence[Scores], *, depth: int) -> Scores:
    """The top documents of the first system in the order of the second, the others below."""
    first, second = (ranks(scores) for scores in runs)
    below = first.shape[1]
    return -np.where(first <= depth, second, below + first).astype(np.float64)


def _unit_range(scores: Scores) -> Scores:
    """Scale each topic to 0 for its lowest and 1 for its highest score."""
    lowest = scores.min(axis=1, keepdims=True)
    width = scores.max(axis=1, keepdims=True) - lowest
    scaled = np.divide(scores - lowest, width, out=np.zeros_like(scores), where=width > 0)
    return np.asarray(scaled, dtype=np.float64)
