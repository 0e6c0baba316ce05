"""Scores as whole multiples of their resolution, so that ties are ties.

0.3 - 0.2 and 0.2 - 0.1 are one difference and two doubles; of whole numbers they are one.
"""

from fractions import Fraction

import numpy as np

from cdfscore.stats.numerics.types import Array, BoolArray, IntArray

#: Resolutions of a single score, as 1 / size: proportions of up to 2,000, and up to 12 decimals.
_SIZES = np.array([*range(1, 2001), *(10**k for k in range(4, 13))], dtype=np.float64)
#: The most multiples that a score may be. Far below 2^53, so that the arithmetic is exact, and a
#: resolution is never as narrow as the rounding of a score.
_MOST = 1e12
#: The scores of a row that are looked at before the others.
_FIRST = 8
#: What ties of numbers of full precision may differ by, of their size.
_ROUNDING = 2.0**-42


def denominators(scores: Array, begun: Array | None = None) -> Array:
    """Return the whole q of each row of which all scores are k / q, k to 10^12; NaN for none.

    It is the least common multiple of sizes 1, ..., 2000, 10^4, ..., 10^12, from `begun` on.
    """
    found = np.ones(len(scores)) if begun is None else begun.copy()
    largest = np.maximum(np.abs(scores).max(axis=1, initial=0.0), 1.0)
    # The first scores decide nearly always, and then one look at the others is enough.
    for part in (scores[:, :_FIRST], scores):
        rows = np.flatnonzero(~np.isnan(found))
        while rows.size and part.size:
            # Where this holds, a multiple of 1 / size is one of 1 / q for each multiple q of size.
            small = largest[rows] * found[rows] <= _MOST
            found[rows[~small]] = np.nan
            rows = rows[small]
            within = part if len(rows) == len(part) else part[rows]
            apart = ~_multiples(within, found[rows, np.newaxis])
            some = apart.any(axis=1)
            rows = rows[some]
            found[rows] = _widened(found[rows], part[rows, apart[some].argmax(axis=1)])
            rows = rows[~np.isnan(found[rows])]
    return found


def shifted_differences(x: Array, y: Array, shift: float) -> tuple[Array, Array]:
    """Return x - y - shift (rows, n), of whole numbers where possible, and their q, (rows,)."""
    shifts = np.full((len(x), 1), shift)
    q = denominators(np.concatenate([x, y, shifts], axis=1))
    difference = x - y - shift
    rows = np.flatnonzero(~np.isnan(q))
    by = q[rows, np.newaxis]
    difference[rows] = (np.rint(x[rows] * by) - np.rint(y[rows] * by) - np.rint(shift * by)) / by
    return difference, q


def with_ties(difference: Array, q: Array) -> Array:
    """Return `shifted_differences`; where q is NaN, sizes equal but for rounding are equal."""
    rows = np.isnan(q)
    if not rows.any():
        return difference
    found = difference.copy()
    sizes = np.abs(difference[rows])
    found[rows] = np.copysign(joined(sizes, sizes), difference[rows])
    return found


def joined(values: Array, sizes: Array) -> Array:
    """Return values (rows, n) of which those equal but for 2^-42 of their sizes are equal."""
    order = np.argsort(values, axis=1, kind="stable")
    ordered, sizes = (np.take_along_axis(each, order, axis=1) for each in (values, sizes))
    first = np.zeros(ordered.shape, dtype=np.intp)
    with np.errstate(over="ignore"):
        near = np.diff(ordered, axis=1) <= _ROUNDING * np.maximum(sizes[:, 1:], sizes[:, :-1])
    first[:, 1:] = np.where(near, 0, np.arange(1, ordered.shape[1]))
    np.maximum.accumulate(first, axis=1, out=first)
    found = np.empty_like(values)
    np.put_along_axis(found, order, np.take_along_axis(ordered, first, axis=1), axis=1)
    return found


def tied(scores: Array, sizes: Array) -> Array:
    """Return scores (topics, systems) `joined` over all topics; equal ones have one size."""
    values, place = np.unique(scores, return_inverse=True)
    largest = np.zeros((1, len(values)))
    np.fmax.at(largest[0], place.reshape(-1), sizes.reshape(-1))
    return np.asarray(joined(values[np.newaxis], largest)[0][place].reshape(scores.shape))


def _multiples(scores: Array, q: Array) -> BoolArray:
    with np.errstate(over="ignore"):
        return np.asarray(np.rint(scores * q) / q == scores)


def _widened(q: Array, scores: Array) -> Array:
    """Return the least common multiple of q and the least size of each score, all (rows,)."""
    # Rows of pairs of systems have many scores in common.
    distinct, place = np.unique(scores, return_inverse=True)
    fits = _multiples(distinct[:, np.newaxis], _SIZES)
    size = np.where(fits.any(axis=1), _SIZES[fits.argmax(axis=1)], np.nan)[place]
    known = ~np.isnan(size)
    common = np.gcd(q[known].astype(np.int64), size[known].astype(np.int64))
    size[known] *= q[known] / common  # doubles, because it may be too large for an integer
    return size


# --- Means of fractions of whole numbers, so that ties are ties ---


#: Denominators are below this.
LARGEST = 1 << 32

# Scores at a time, so that their numerators take little memory.
_BLOCK = 1 << 20


def numerators(y: Array, denominators: IntArray) -> IntArray:
    """Return the whole numbers k of which y (..., m) is k / denominator, rounded; 0 for NaN."""
    k = y * denominators
    k[np.isnan(k)] = 0
    return np.rint(k, out=k).astype(np.int64)


class ExactSums:
    """Sums of fractions by system, of one part of the topics after another."""

    def __init__(self) -> None:
        self._by_denominator: dict[int, IntArray] = {}
        self._topics: IntArray | None = None

    def add(self, y: Array, denominators: IntArray) -> None:
        """Add topics; the shapes are those of `exact_means`."""
        step = max(1, _BLOCK // max(1, y.shape[1]))
        for start in range(0, max(1, len(y)), step):
            own = denominators[start : start + step]
            k = numerators(y[start : start + step], own)
            for d in np.unique(own).tolist():
                counts = k[own[:, 0] == d].sum(axis=0)
                self._by_denominator[d] = self._by_denominator.get(d, 0) + counts
        topics = len(y) - np.count_nonzero(np.isnan(y), axis=0)
        self._topics = topics if self._topics is None else self._topics + topics

    def means(self) -> Array:
        """Return the mean of each system, rounded once, after the first call of `add`."""
        assert self._topics is not None
        sums = [Fraction(0)] * len(self._topics)
        for d, counts in self._by_denominator.items():
            sums = [s + Fraction(int(c), d) for s, c in zip(sums, counts, strict=True)]
        return np.array(
            [float(s / int(n)) if n else np.nan for s, n in zip(sums, self._topics, strict=True)],
            dtype=np.float64,
        )


def exact_means(y: Array, denominators: IntArray) -> Array:
    """Average the columns of y, fractions of `denominators` (topics, 1), as if they were exact."""
    sums = ExactSums()
    sums.add(y, denominators)
    return sums.means()
