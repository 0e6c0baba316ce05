"""Tolerance of a number against R's, in units in the last place."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from cdfscore.stats.numerics.types import Array, IntArray

_MAGNITUDE = np.int64(2**63 - 1)


def ordinals(values: Array) -> IntArray:
    """Number the doubles in their order, 0 at zero."""
    bits = np.array(values, dtype=np.float64).view(np.int64)
    return np.where(bits < 0, -(bits & _MAGNITUDE), bits)


def doubles_of(ordinals: IntArray) -> Array:
    """Return the doubles of these numbers."""
    bits = np.where(ordinals < 0, -ordinals | ~_MAGNITUDE, ordinals)
    return bits.view(np.float64)


@dataclass(frozen=True)
class Tolerance:
    """Largest distance from R in ulp, and the reason for it.

    An ulp, a unit in the last place, is the distance to the next double. A number below `floor`
    is compared in the ulp of `floor`: with 1, in units of 2^-52. Raises nothing; `fault` says what
    is not accepted.

    Examples
    --------
    >>> tolerance = Tolerance(16, "two algorithms, both to the last digits", floor=1.0)
    >>> tolerance.distance(np.array([1e-9]), np.array([1e-9 + 2**-49])).tolist()
    [8.0]
    """

    #: The largest tolerance that a scheme or a test may state, with a floor of at most 1. 4.5e9
    #: ulp are 1e-6 of a number, or of 1 for smaller numbers. Two right algorithms agree
    #: at least so far, and tables show fewer digits. What is farther apart is another number.
    MOST: ClassVar[float] = 4.5e9

    ulp: float
    reason: str
    floor: float = 0.0
    #: Largest distance in ulp on the real matrices, where it is known to be less than on any
    #: input; None where `ulp` holds for them too.
    real: float | None = None

    @classmethod
    def absolute(cls, distance: float, reason: str) -> Tolerance:
        """Return the tolerance of y in [0, 1] for an absolute difference, rounded.

        `distance` is converted to units of 2^-52 and rounded to two digits, up or down: 1e-12
        becomes 4500 units, which are 0.9992e-12.

        Examples
        --------
        >>> Tolerance.absolute(1e-12, "two solvers").ulp
        4500.0
        """
        return cls(float(f"{distance * 2**52:.2g}"), reason, floor=1.0)

    @property
    def fault(self) -> str:
        """What is wrong with a stated tolerance, and what would be accepted; "" if nothing is."""
        real = self.ulp if self.real is None else self.real
        for name, number in (("ulp", self.ulp), ("floor", self.floor), ("real", real)):
            if not isinstance(number, Real) or not 0 <= number < math.inf:
                return f"{self!r} has the {name} {number!r}; expected a number from 0 on"
        if self.ulp > self.MOST or self.floor > 1:
            return (
                f"{self!r} is too large; expected at most 4.5e9 ulp, 1e-6 of the number, and "
                "a floor of at most 1, as numbers farther apart do not agree"
            )
        if real > self.ulp:
            return (
                f"{self!r} allows more on the real matrices than on any input; expected {real:g} "
                "ulp or more for any input"
            )
        if not isinstance(self.reason, str) or not self.reason.strip():
            return f"{self!r} has no reason; expected a sentence that says why R's number differs"
        return ""

    def distance(self, y: Array, r: Array, terms: Array | None = None) -> Array:
        """Return the distance of each y from R's in ulp.

        If y are means, `terms` are the mean absolute values of the averaged terms. If terms of
        both signs cancel, the distance is in the ulp of `terms`. It is infinite if only one of the
        two is infinite.
        """
        distance = ulp_distance(y, r)
        distance[np.isinf(y) != np.isinf(r)] = np.inf
        floor = np.full_like(distance, self.floor)
        if terms is not None:
            cancelled = np.maximum(np.abs(y), np.abs(r)) < terms / 2
            floor[cancelled] = np.maximum(floor, terms)[cancelled]
        small = np.maximum(np.abs(y), np.abs(r)) <= floor  # not where one is NaN
        distance[small] = np.abs(y[small] - r[small]) / np.spacing(floor[small])
        return distance

    def of_means(self, *, counted: bool) -> Tolerance:
        """Return the tolerance of a mean of such y; `counted` if it is an exact fraction.

        If all y agree to a relative error, their means do too. The same relative error can be
        twice as many ulp just above a power of 2.
        """
        if counted:
            return Tolerance(
                2, "R adds rounded scores; in this package the mean is exact and rounded once"
            )
        ulp = min(2 * self.ulp + 1, self.MOST) if self.ulp else 0.0
        return Tolerance(ulp, self.reason, floor=self.floor)


def ulp_distance(a: ArrayLike, b: ArrayLike) -> Array:
    """Count the doubles that lie between `a` and `b`, elementwise; NaN is far from numbers only."""
    left, right = (np.asarray(v, dtype=np.float64) for v in (a, b))
    left, right = np.broadcast_arrays(left, right)
    first, second = ordinals(left), ordinals(right)
    # Exact in 64 bits: the difference of numbers of one sign, and the sum of two magnitudes.
    alike = (first < 0) == (second < 0)
    apart = np.abs(first).astype(np.uint64) + np.abs(second).astype(np.uint64)
    near = np.abs(first - np.where(alike, second, first)).astype(np.uint64)
    distance = np.where(alike, near, apart).astype(np.float64)
    unlike = np.isnan(left) != np.isnan(right)
    both_nan = np.isnan(left) & np.isnan(right)
    return np.where(unlike, np.inf, np.where(both_nan, 0.0, distance))
