"""Cross-validation of the density: R's ``bw.ucv`` and ``bw.bcv``."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cdfscore.numerics.compiled import compiled
from cdfscore.numerics.types import Array, BoolArray
from cdfscore.schemes._refusals import refuse_rows
from cdfscore.schemes.kernel.bandwidths.pair_criteria import minimum, pair_counts
from cdfscore.schemes.kernel.bandwidths.rows import Rows, rows_of, upper_end


class CrossValidation(NamedTuple):
    """Estimate of the error of a density, with the name of the rule that minimizes it."""

    name: str
    biased: bool


UNBIASED, BIASED = CrossValidation("ucv", False), CrossValidation("bcv", True)


def ucv(scores: Array, ordered: Array) -> Array:
    """Return the h that minimizes unbiased cross-validation UCV(h), as R's ``bw.ucv``; (..., 1).

    UCV(h) estimates the integrated squared error of the density; Scott (1992), Eq. 6.67. The
    search is from 0.1 to 1 times 1.144 sd n^(-1/5). The result is R's number at R's default
    tolerance, which is up to 0.01 of that interval's end from the exact minimum. If there are
    several minima, it is the one that Brent's search finds, as in R.

    Raises `FitError` for a row if the search stops at an end of the interval, where R warns. This
    is common: with 110 scores, the search stops at the upper end in more than half of normal
    samples for `ucv`, and in most samples of any kind for `bcv`; if scores are tied, it stops at
    the lower end.
    """
    return _least(UNBIASED, scores, ordered)


def bcv(scores: Array, ordered: Array) -> Array:
    """Return the h that minimizes biased cross-validation BCV(h), as R's ``bw.bcv``; (..., 1).

    As `ucv`, with another estimate of the error; Scott (1992), Eq. 6.69 as R corrects it.

    Raises `FitError` for a row if the search stops at an end of the interval.
    """
    return _least(BIASED, scores, ordered)


def _least(rule: CrossValidation, scores: Array, ordered: Array) -> Array:
    rows = rows_of(scores, ordered)
    h, at_end = search(rule, rows)
    middle = 0.5 * upper_end(rows.sd, rows.n)
    for end, below in (("lower", True), ("upper", False)):
        refuse_rows(
            rows.marked(at_end & ((h < middle) == below)),
            f"bandwidth rule {rule.name}: the criterion is least at the {end} end of the "
            "range that R searches, 0.1 to 1 times 1.144 sd n^(-1/5), so that there is no minimum "
            "in it (R warns); nrd0, sj or a number may be chosen instead",
        )
    return rows.bandwidths(h)


def search(rule: CrossValidation, rows: Rows) -> tuple[Array, BoolArray]:
    """Return the end point of the search in each row, and whether it is an end of the range."""
    largest = upper_end(rows.sd, rows.n)
    h, at_end = np.empty(len(rows.n)), np.empty(len(rows.n), dtype=np.bool_)
    cross_validated(rule.biased, rows.ordered, rows.n, largest, h, at_end)
    return h, at_end


@compiled
def cross_validated(biased, ordered, n, largest, h, at_end):
    """Fill h with the minimum of a criterion of cross-validation below `largest` of each row."""
    for row in range(len(n)):
        distances, counts = pair_counts(ordered[row, : n[row]])
        high = largest[row]
        low = 0.1 * high
        tolerance = 0.1 * low
        x = minimum(biased, low, high, tolerance, n[row], distances, counts)
        h[row] = x
        at_end[row] = x < low + tolerance or x > high - tolerance
