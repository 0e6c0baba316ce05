"""What a definition at 50 digits says, and the normal cdf and the moments."""

from __future__ import annotations

from typing import Any

import numpy as np
from mpmath import mp, mpf

from cdfscore.stats.numerics.types import Array

DIGITS = 50
Parameters = dict[str, Any]


class Truth:
    """A scheme with its settings at 50 digits; call it under ``mp.workdps(DIGITS)``."""

    #: R reads x through the same doubles as we do: its parameters have our bits.
    shared = True
    #: The cdf is our own code, and must be within the limit of its true value.
    limited = True
    #: One trial in so many is computed at 50 digits, the first of them.
    every = 1

    def __init__(self, scheme: Any) -> None:
        self.scheme = scheme

    def is_defined(self) -> bool:
        """Tell whether the settings are among those that are defined."""
        return True

    def in_r(self) -> dict[str, str]:
        """Name the functions of R for those parameters that R may not have."""
        return {}

    def parameters(self, sample: list[mpf]) -> Parameters:
        """Return the fitted parameters, by our names; `sample` is sorted."""
        raise NotImplementedError

    def near(self, sample: list[mpf], fitted: dict[str, Array]) -> Parameters:
        """Return the fitted parameters; a maximum among several is the one at our estimate."""
        return self.parameters(sample)

    def cdf(self, x: mpf, p: Parameters) -> mpf:
        """Return y at the parameters."""
        raise NotImplementedError

    def at_argument(self, x: Array, fitted: dict[str, Array]) -> list[mpf]:
        """Return y at what is computed in doubles: here, at the fitted parameters."""
        p = {k: exact(v) if k == "sample" else exact(v)[0] for k, v in fitted.items()}
        return [self.cdf(mpf(v), p) for v in x.tolist()]


def exact(values: Array) -> list[mpf]:
    """Return doubles as mpf, those that are NaN left out."""
    return [mpf(v) for v in values.tolist() if v == v]


def mean_and_sd(sample: list[mpf]) -> tuple[mpf, mpf]:
    mean = mp.fsum(sample) / len(sample)
    if sample[0] == sample[-1]:
        return sample[0], mpf(0)
    return mean, mp.sqrt(mp.fsum((s - mean) ** 2 for s in sample) / (len(sample) - 1))


def z_score(x: mpf, mean: mpf, sd: mpf) -> mpf:
    """Return (x - mean) / sd, and its limit where sd is 0."""
    if sd == 0:
        return mpf(0) if x == mean else mp.inf * mp.sign(x - mean)
    return (x - mean) / sd


def z_in_doubles(x: Array, mean: Array, sd: Array) -> Array:
    """Return the z that R and the package compute; apart from theirs, so that it can judge."""
    with np.errstate(all="ignore"):
        return np.where((x == mean) & (sd == 0), 0.0, (x - mean) / sd)


def without_spread(x: mpf, score: mpf) -> mpf:
    """Return y of a zero-variance topic: 0, 1/2 and 1 left of, at and right of its score."""
    return (1 + mp.sign(x - score)) / 2


def phi(z: mpf) -> mpf:
    """Return Phi(z), without the time for what is left neither in a double nor in 50 digits."""
    if z < -45:
        return mpf(0)  # below 1e-440
    return mpf(1) if z > 16 else mp.ncdf(z)  # 1 - Phi(16) is below 1e-57


def mean_phi(z: list[mpf]) -> mpf:
    """Return the mean of Phi over many z, equal ones taken together."""
    counts: dict[mpf, int] = {}
    for value in z:
        counts[value] = counts.get(value, 0) + 1
    # Beside Phi(-20) = 3e-89, one left of -30 is nothing in 50 digits.
    least = -30 if max(counts) > -20 else -mp.inf
    return mp.fsum(k * phi(v) for v, k in counts.items() if v > least) / len(z)


def ulps(y: float, true: mpf) -> float:
    """Return how far y is from the true value, in units in its last place."""
    near = float(true)
    if not (np.isfinite(y) and np.isfinite(near)):
        return 0.0 if y == near else float("inf")
    return float(abs(mpf(y) - true) / mpf(float(np.spacing(abs(near)))))
