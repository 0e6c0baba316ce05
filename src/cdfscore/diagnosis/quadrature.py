"""Integrals of many functions over many pieces at once, to a tolerance."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cdfscore.numerics.types import Array, IntArray

# Nodes in (0, 1] and weights of Gauss and Kronrod's pair of 7 and 15 nodes on [-1, 1]; Piessens
# et al. (1983), QUADPACK, routine QK15. The last node is 0, and every other one is Gauss's.
_NODES = (
    0.991455371120812639206854697526329,
    0.949107912342758524526189684047851,
    0.864864423359769072789712788640926,
    0.741531185599394439863864773280788,
    0.586087235467691130294144691693013,
    0.405845151377397166906606412076961,
    0.207784955007898467600689403773245,
    0.0,
)
_KRONROD = (
    0.022935322010529224963732008058970,
    0.063092092629978553290700663189204,
    0.104790010322250183839876322541518,
    0.140653259715525918745189590510238,
    0.169004726639267902826583426598550,
    0.190350578064785409913256402421014,
    0.204432940075298892414161999234649,
    0.209482141084727828012999174891714,
)
_GAUSS = (
    0.129484966168869693270611432679082,
    0.279705391489276667901467771423780,
    0.381830050505118944950369775488975,
    0.417959183673469387755102040816327,
)
NODES = np.array([*(-node for node in _NODES), *_NODES[-2::-1]])
KRONROD = np.array([*_KRONROD, *_KRONROD[-2::-1]])
# The difference of the two rules, which is the estimate of the error.
ERROR = KRONROD.copy()
ERROR[1::2] -= [*_GAUSS, *_GAUSS[-2::-1]]
# A piece around a step is halved so often that its width no longer counts.
_HALVINGS = 50
# Number of function values at a time, for little memory.
_BLOCK = 1 << 17

#: Function of the row of each piece (p,) and of places within the pieces (p, 15).
Function = Callable[[IntArray, Array], Array]


def integrals(
    function: Function, row: IntArray, low: Array, high: Array, *, rows: int, tolerance: float
) -> Array:
    """Return the integral of each of `rows` functions over its own pieces; shape (rows,).

    Piece k, of the function of row `row[k]`, is from `low[k]` to `high[k]`, each (p,). It is
    integrated by 15 nodes, and halved where these and 7 of them differ by more than
    `tolerance`: so a step takes some 35 halvings, and a smooth piece none.

    Own code, because SciPy's and R's integrate one function at a time.

    Examples
    --------
    >>> row, low, high = np.array([0, 1]), np.zeros(2), np.array([1.0, 2.0])
    >>> square = lambda row, x: x**2
    >>> integrals(square, row, low, high, rows=2, tolerance=1e-12).round(6).tolist()
    [0.333333, 2.666667]
    """
    total = np.zeros(rows)
    size = _BLOCK // len(NODES)
    for start in range(0, len(row), size):
        part = slice(start, start + size)
        total += _halved(function, row[part], low[part], high[part], rows, tolerance)
    return total


def _halved(
    function: Function, row: IntArray, low: Array, high: Array, rows: int, tolerance: float
) -> Array:
    total = np.zeros(rows)
    for halving in range(_HALVINGS + 1):
        middle, half = (low + high) / 2, (high - low) / 2
        values = function(row, middle[:, np.newaxis] + half[:, np.newaxis] * NODES)
        done = np.abs(half * (values @ ERROR)) <= tolerance
        if halving == _HALVINGS:
            done[:] = True
        total += np.bincount(row[done], (half * (values @ KRONROD))[done], minlength=rows)
        if done.all():
            break
        more = ~done
        row = np.repeat(row[more], 2)
        low = np.column_stack((low[more], middle[more])).ravel()
        high = np.column_stack((middle[more], high[more])).ravel()
    return total
