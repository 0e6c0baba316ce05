"""Prediction of each score by the fit to the others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cdfscore.diagnosis.crps import crps
from cdfscore.diagnosis.information import log_probability
from cdfscore.diagnosis.resolution import Resolution
from cdfscore.numerics.types import Array
from cdfscore.schemes.base import Scheme
from cdfscore.standardization.policies.unfitted import fit_where_possible


@dataclass(frozen=True)
class LeftOut:
    """Predictions of each score of a topic by the fit to the other scores.

    `lower` and `upper` (n,) are the predicted cdf at the ends of the score's cell, NaN where
    the others cannot be fitted; `unfitted` has the reason for each such score, by its place.
    `log_score` is the mean of log(upper - lower), each probability at least 2^-53, in nats:
    Good (1952), Gneiting and Raftery (2007), section 4.1. It is NaN if a score cannot be
    predicted, since a mean over the others would omit the difficult scores. `crps` is the mean of
    `cdfscore.diagnosis.crps.crps`, in the unit of the scores, and NaN in the same case.
    """

    lower: Array
    upper: Array
    log_score: float
    crps: float
    floored: int
    unfitted: dict[int, str]


def left_out(scheme: Scheme, sample: Array, resolution: Resolution) -> LeftOut:
    """Fit `scheme` to all scores of a topic except one, for each of the n scores; shape (n,).

    Equal scores share a fit. Others that are all equal predict their common score only.
    """
    distinct, first, place = np.unique(sample, return_index=True, return_inverse=True)
    others = np.tile(sample, (len(distinct), 1))
    others[np.arange(len(distinct)), first] = np.nan
    fitted, rows, unfitted = fit_where_possible(scheme, others)
    ends = np.full((2, len(distinct)), np.nan)
    ranked = np.full(len(distinct), np.nan)
    if rows.size:
        lower, upper = resolution.cells(fitted, distinct[rows, np.newaxis])
        ends[:, rows] = lower[:, 0], upper[:, 0]
        ranked[rows] = crps(fitted, distinct[rows], distinct)
    lower, upper = ends[:, place]
    logs, floored = log_probability(lower, upper)
    return LeftOut(
        lower,
        upper,
        log_score=float(logs.mean()),
        crps=float(ranked[place].mean()),
        floored=int(floored.sum()),
        unfitted={i: unfitted[int(p)] for i, p in enumerate(place) if int(p) in unfitted},
    )
