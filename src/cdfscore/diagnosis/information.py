"""Likelihood of scores as written, with AIC and BIC."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from cdfscore.diagnosis.goodness_of_fit import LEAST
from cdfscore.numerics.types import Array, BoolArray


@dataclass(frozen=True)
class Information:
    """Log-likelihood of a topic's scores under a fit, with AIC and BIC.

    log L = sum_i log(F(x_i + d/2) - F(x_i - d/2)) for scores of resolution d, each
    probability at least 2^-53; `floored` is the number of smaller ones. For a small d this is the
    usual log-likelihood plus n log d, and n log d is the same for all distributions.
    """

    log_likelihood: float
    aic: float
    bic: float
    floored: int


def information(lower: Array, upper: Array, free_parameters: int | None) -> Information:
    """Return the likelihood of n scores by the cdf at the ends of their cells, each (n,).

    AIC = 2k - 2 log L, Akaike (1974), and BIC = k log n - 2 log L, Schwarz (1978), with k
    `free_parameters`; NaN if k is None. Both assume that the likelihood is smooth around its
    maximum. This does not hold if a parameter is an end of the support, as in minmax and
    exponential.

    Examples
    --------
    >>> found = information(np.array([0.1, 0.4]), np.array([0.3, 0.6]), 2)
    >>> round(found.log_likelihood, 4), round(found.aic, 4), round(found.bic, 4)
    (-3.2189, 10.4378, 7.824)
    """
    logs, floored = log_probability(lower, upper)
    likelihood = float(np.sum(logs))
    if free_parameters is None:
        return Information(likelihood, math.nan, math.nan, int(floored.sum()))
    return Information(
        likelihood,
        aic=2 * free_parameters - 2 * likelihood,
        bic=free_parameters * math.log(lower.shape[-1]) - 2 * likelihood,
        floored=int(floored.sum()),
    )


def log_probability(lower: Array, upper: Array) -> tuple[Array, BoolArray]:
    """Return log(upper - lower), at least log(2^-53), and for which the difference is smaller."""
    probability = upper - lower
    return np.log(np.maximum(probability, LEAST)), probability < LEAST
