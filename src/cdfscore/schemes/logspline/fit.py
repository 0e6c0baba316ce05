"""Maximum likelihood fits of logsplines: the search for their knots."""

from __future__ import annotations

import math

import numpy as np

from cdfscore.numerics.compiled import compiled
from cdfscore.numerics.types import Array, BoolArray, IntArray
from cdfscore.schemes.logspline.addition import knot_to_add, with_knot
from cdfscore.schemes.logspline.basis import prepare
from cdfscore.schemes.logspline.deletion import without_weakest
from cdfscore.schemes.logspline.first_knots import first_knots
from cdfscore.schemes.logspline.likelihood import maximize, start

# A step with an expected gain below this is the last, since the next would gain about the square
# of it: during the selection of knots, and for the final fit.
_CLOSE, _CLOSEST = 1e-8, 1e-16


def fit_logsplines(
    samples: Array, counts: IntArray, low: float, high: float, penalty: float | None
) -> tuple[Array, Array, Array, BoolArray]:
    """Fit each row of `samples`, sorted, whose first `counts` values are scores.

    `penalty` None stands for log n. Returns knots (rows, most_knots(n)) and bends of the same
    shape, filled with NaN, slopes (rows, 1), and whether a maximum was found (rows,).
    """
    rows, width = len(samples), most_knots(samples.shape[1])
    knots, bends = np.full((2, rows, width), np.nan)
    slopes = np.zeros((rows, 1))
    found = np.ones(rows, dtype=np.bool_)
    # The loop is not compiled, which would take seconds and gain nothing.
    for row in range(rows):
        x = samples[row, : counts[row]]
        if x[0] == x[-1]:
            knots[row, 0], bends[row, 0] = x[0], 0.0
            continue
        price = math.log(len(x)) if penalty is None else penalty
        # A power of 2 near the range: no digit changes, and no power of it leaves the doubles.
        scale = math.ldexp(1.0, math.frexp(x[-1] - x[0])[1])
        t, theta, found[row] = _search(x / scale, low / scale, high / scale, price)
        if found[row]:
            k = len(t)
            slopes[row, 0] = theta[0] / scale
            knots[row, :k] = t * scale
            bends[row, :k] = 0.0
            bends[row, 1 : k - 1] = theta[1:] / scale / scale
    return knots, bends, slopes, found


@compiled
def most_knots(n: int) -> int:
    """Return the largest number of knots that the search comes to with n scores."""
    return int(4.0 * float(n) ** 0.2 + 1.0) + 1


@compiled
def _search(x: Array, low: float, high: float, price: float) -> tuple[Array, Array, bool]:
    """Add and delete knots; return those with the least criterion, and their coefficients.

    The last is False if no maximum was found.
    """
    n = len(x)
    distance = int(2.5 * float(n) ** 0.2 + 0.5)
    if n // distance < 10:
        distance = n // 10
    distance = max(distance, 3)
    most = most_knots(n) - 1  # coefficients
    t = first_knots(x, low, high)
    fit = prepare(x, t, low, high, start(x, t))
    if not maximize(x, fit, _CLOSE):
        return fit.t, fit.theta, False
    best, least = fit, np.inf
    gains = np.full(most + 1, -np.inf)
    while True:  # adding
        d = len(fit.theta)
        gains[d] = n * fit.gain[0]
        criterion = d * price - 2 * gains[d]
        if criterion < least:
            best, least = fit, criterion
        if d >= most or _enough(gains, d):
            break
        knot = knot_to_add(x, fit, distance)
        if np.isnan(knot):
            break
        larger = with_knot(x, fit, knot)
        if not maximize(x, larger, _CLOSE):
            break
        fit = larger
    while len(fit.t) > 3:  # deleting
        fit, deleted = without_weakest(x, fit)
        if not deleted or not maximize(x, fit, _CLOSE):
            break
        d = len(fit.theta)
        criterion = d * price - 2 * n * fit.gain[0]
        if criterion < least:
            best, least = fit, criterion
        if criterion - least >= price * (d - 2):
            break
    found = maximize(x, best, _CLOSEST)
    return best.t, best.theta, found


@compiled
def _enough(gains: Array, d: int) -> bool:
    """Tell whether the last knots gained less than expected by chance, 1/2 for each."""
    enough = False
    for i in range(2, d - 2):
        enough |= gains[d] - gains[i] < (d - i) / 2 - 0.5
    return enough
