"""Additive two-way layout with one score per cell: score = topic + system + error."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.moments import mean
from cdfscore.numerics.types import Array, BoolArray, IntArray

#: Residuals below this proportion of the scores are rounding; R's t.test uses it for constant data.
_ROUNDING = 10 * np.finfo(np.float64).eps


def scaled(scores: Array) -> tuple[Array, IntArray]:
    """Return matrices whose squares stay in the range of a double, and the exponents of 2 taken.

    Shape (..., topics, systems) to itself and (...). Powers of 2 change no digit.
    """
    exponent = np.frexp(np.abs(scores).max(axis=(-2, -1)))[1].astype(np.int64)
    return np.ldexp(scores, -exponent[..., np.newaxis, np.newaxis]), exponent


def system_effects(scores: Array) -> tuple[Array, Array]:
    """Return each system's mean minus the overall mean, and the residual mean square.

    Shape (..., topics, systems) to (..., systems) and (...). With all cells filled, least
    squares gives means of rows and columns: no design matrix is needed.
    """
    within = scores - mean(scores)
    effects = mean(within.swapaxes(-1, -2))[..., 0]
    residuals = within - effects[..., np.newaxis, :]
    residuals -= mean(residuals)
    topics, systems = scores.shape[-2:]
    mean_square = np.square(residuals).sum(axis=(-2, -1)) / ((topics - 1) * (systems - 1))
    return effects, mean_square


def fits_perfectly(scores: Array, mean_square: Array) -> BoolArray:
    """Tell which matrices have no residuals except rounding errors."""
    size = np.square(scores).mean(axis=(-2, -1))
    perfect: BoolArray = mean_square <= _ROUNDING**2 * size
    return perfect
