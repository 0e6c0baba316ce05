"""Counting scores of sorted samples, compiled; `cdfscore.schemes.empirical.empirical` calls it."""

from __future__ import annotations

from cdfscore.numerics.compiled import compiled
from cdfscore.numerics.types import Array, IntArray


@compiled
def count_rows(sample: Array, x: Array, counts: IntArray, below: bool) -> None:
    """Fill in how many scores of each row of `sample` (rows, n) are at most x (rows, m).

    Or `below` x. The rows are sorted, NaN last, which precedes nothing.
    """
    for row in range(len(sample)):
        scores, given, found = sample[row], x[row], counts[row]
        found[:] = 0
        length = len(scores)
        # Binary search for all x at once, without branches, half of which would be guessed wrong.
        while length > 1:
            half = length // 2
            for k in range(len(given)):
                at = found[k]
                score = scores[at + half - 1]
                found[k] = at + half if (score < given[k] if below else score <= given[k]) else at
            length -= half
        for k in range(len(given)):
            score = scores[found[k]]
            found[k] += score < given[k] if below else score <= given[k]
