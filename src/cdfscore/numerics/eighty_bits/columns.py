"""R's ``colMeans`` of samples of rows, bit for bit, without the C type ``long double``.

R adds each column from the first row to the last in 80-bit floating point, 64 of them
significant, divides there, and rounds to double. Tied means that differ by rounding alone
are ordered by the last bits of such sums, so that whoever wants R's order needs R's bits.
`numpy.longdouble` has that format on x86 processors alone, and is four times as slow.

A sum of two doubles and its rounding error are two doubles (Knuth's two-sum), so that a column
is added almost exactly, and a bound on what R's roundings can have changed is added beside
it. Where every number within the bound rounds to the same double, that is R's mean. For the
others, one column in a hundred, each of R's additions is done again with its rounding to 64
bits.
"""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.compiled import compiled
from cdfscore.numerics.eighty_bits.compiled_pairs import divided, rounded, sum_of_two
from cdfscore.numerics.eighty_bits.pairs import HALF_ULP
from cdfscore.numerics.types import Array, IntArray


def column_means(scores: Array, rows: IntArray) -> Array:
    """Average the columns of `scores` over each sample of rows, as R's ``colMeans``.

    `scores` is (topics, systems) and finite, of size 1e-280 to 1e280 where not 0; `rows` is
    (samples, size), and its order is that of the additions. The result is (samples, systems).
    """
    means: Array = _column_means(np.ascontiguousarray(scores), np.ascontiguousarray(rows))
    return means


@compiled
def _column_means(scores: Array, rows: IntArray) -> Array:
    samples, size = rows.shape
    systems = scores.shape[1]
    means = np.empty((samples, systems))
    high, low, sizes = np.empty(systems), np.empty(systems), np.empty(systems)
    for k in range(samples):
        high[:] = 0
        low[:] = 0
        sizes[:] = 0
        for t in range(size):
            row = scores[rows[k, t]]
            for j in range(systems):
                x, s = row[j], high[j]
                total = s + x
                part = total - s
                low[j] += (s - (total - part)) + (x - part)
                sizes[j] += abs(total)
                high[j] = total
        for j in range(systems):
            quotient, rest = divided(high[j], low[j], size)
            # Each of R's additions rounds by half an ulp of its sum at most, and so the division.
            # 1.01 covers the roundings of this line and the next.
            bound = 1.01 * HALF_ULP * (sizes[j] / size + abs(quotient))
            mean = quotient + (rest - bound)
            if mean != quotient + (rest + bound):
                mean = _mean_in_80_bits(scores, rows[k], j)
            means[k, j] = mean
    return means


@compiled
def _mean_in_80_bits(scores: Array, rows: IntArray, column: int) -> float:
    """Repeat R's additions, each rounded to 64 bits; a number is high + low."""
    high, low = 0.0, 0.0
    for row in rows:
        high, low = sum_of_two(high, low, scores[row, column])
    quotient, rest = divided(high, low, len(rows))
    return rounded(quotient, rest, 0.0)[0]
