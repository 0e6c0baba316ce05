"""Cholesky factors and triangular systems of a few unknowns, in place.

Own loops, and not `np.linalg.cholesky` and `scipy.linalg.solve_triangular`: a matrix that is
not positive definite is an answer here and an exception there, the second is no function of
numba's, and both would add in the order of the LAPACK that is installed, so that a fit would
not have the same bits everywhere.
"""

from __future__ import annotations

import math

import numpy as np

from cdfscore.numerics.compiled import compiled
from cdfscore.numerics.types import Array


@compiled
def factorize(a: Array, root: Array) -> bool:
    """Fill `root` with the Cholesky factor of a; return False if a is not positive definite."""
    for i in range(len(a)):
        for j in range(i + 1):
            rest = a[i, j]
            for m in range(j):
                rest -= root[i, m] * root[j, m]
            if i > j:
                root[i, j] = rest / root[j, j]
            elif rest > 0 and rest < np.inf:
                root[i, i] = math.sqrt(rest)
            else:
                return False
    return True


@compiled
def solve_upper(root: Array, b: Array) -> None:
    """Solve root' z = b in place."""
    for i in range(len(b) - 1, -1, -1):
        for m in range(i + 1, len(b)):
            b[i] -= root[m, i] * b[m]
        b[i] /= root[i, i]


@compiled
def solve_lower(root: Array, b: Array) -> None:
    """Solve root z = b in place."""
    for i in range(len(b)):
        for m in range(i):
            b[i] -= root[i, m] * b[m]
        b[i] /= root[i, i]
