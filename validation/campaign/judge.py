"""One trial before its judges: R, the true cdf at its argument, the true cdf of the scores."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from mpmath import mp, mpf

from cdfscore.r.session import RSession
from cdfscore.stats.numerics.types import Array, BoolArray
from cdfscore.stats.schemes.base import Scheme
from validation.campaign.inputs import Trial
from validation.campaign.truth import Truth, truth_of
from validation.campaign.truth.base import DIGITS, exact, ulps

#: How far y may be from the true value of F at its argument, in ulp; see docs/parity.md.
LIMIT = 4.0


@dataclass(frozen=True)
class Errors:
    """Distances in ulp of ours and of R's from one kind of truth."""

    true: list[mpf]
    ours: Array
    r: Array


@dataclass(frozen=True)
class Judgement:
    """What the judges say of the scores of one trial; arrays have the shape of x."""

    trial: Trial
    y: Array
    r: Array
    distance: Array
    fine: BoolArray
    r_is_off: BoolArray
    argument: Errors | None = None
    scores: Errors | None = None
    #: Fitted parameters: ours, true, and the ulp between them.
    parameters: dict[str, tuple[float, mpf, float]] = field(default_factory=dict)

    @property
    def failed(self) -> BoolArray:
        return ~self.fine & ~self.r_is_off


def judge(scheme: Scheme, trial: Trial, r: RSession) -> Judgement:
    """Lay one trial before the judges; raises `FitError` where our fit is refused.

    An input is fine within the tolerance against R, where R has our sd or bandwidth. Else R is
    off where ours is within the limit at its argument, R is farther from the truth or has
    another sd, and our parameters are right: a wrong one has a true value at its argument, too.
    """
    fitted = scheme.fit(trial.sample)
    y, by_r = fitted(trial.x), _by_r(scheme, trial, r)
    tolerance = scheme.tolerance
    distance = tolerance.distance(y, by_r)
    fine = distance <= tolerance.ulp
    truth = truth_of(scheme)
    if truth is None or trial.number % truth.every:
        return Judgement(trial, y, by_r, distance, fine, np.zeros_like(fine))
    with mp.workdps(DIGITS):
        p = truth.near(exact(trial.present), fitted.parameters)
        known = ~np.isnan(trial.x)
        at = _errors(truth.at_argument(trial.x[known], fitted.parameters), known, y, by_r)
        exactly = [truth.cdf(mpf(v), p) for v in trial.x[known].tolist()]
        of_scores = _errors(exactly, known, y, by_r)
        if _has_another(truth, fitted.parameters, trial, r):  # near R's y by chance alone
            fine, closer = distance == 0, np.ones_like(fine)
        else:
            closer = at.ours < at.r if truth.shared else of_scores.ours < of_scores.r
        off = ~fine & (at.ours <= LIMIT) & closer
        off &= not truth.shared or _are_right(p, fitted.parameters, trial)
        return Judgement(
            trial, y, by_r, distance, fine, off, at, of_scores, _parameters(p, fitted.parameters)
        )


def _by_r(scheme: Scheme, trial: Trial, r: RSession) -> Array:
    """Return R's y, NaN where R stops with an error."""
    try:
        return r.standardize(scheme, trial.x[np.newaxis], trial.sample[np.newaxis])[0]
    except r.error:
        return np.full_like(trial.x, np.nan)


def _errors(true: list[mpf], known: BoolArray, y: Array, by_r: Array) -> Errors:
    """Return the errors, 0 for the score that is NaN: its y is compared with R's alone."""
    full, ours, rs = [mp.nan] * len(y), np.zeros(len(y)), np.zeros(len(y))
    for i, value in zip(np.flatnonzero(known).tolist(), true, strict=True):
        full[i], ours[i] = value, ulps(float(y[i]), value)
        rs[i] = ours[i] if y[i] == by_r[i] else ulps(float(by_r[i]), value)
    return Errors(full, ours, rs)


def _has_another(truth: Truth, fitted: dict[str, Array], trial: Trial, r: RSession) -> bool:
    """Tell whether R computes another parameter, as an sd that overflows or underflows."""
    sample = trial.sample[~np.isnan(trial.sample)]
    return any(
        r.call(function, sample).item() != fitted[name][0]
        for name, function in truth.in_r().items()
    )


def _are_right(true: dict[str, Any], fitted: dict[str, Array], trial: Trial) -> bool:
    """Tell whether parameters are within the limit, in the last place of the largest score.

    A mean that is rounded to a double is that far off, and so is an sd taken from it. A
    sample that is kept must be the one that was given.
    """
    if "sample" in true and true["sample"] != exact(fitted["sample"]):
        return False
    largest = np.abs(trial.present).max()
    return all(
        abs(mpf(ours) - value) <= LIMIT * mpf(float(np.spacing(max(abs(ours), largest))))
        for name, value in true.items()
        if name != "sample"
        for ours in [float(fitted[name][0])]
    )


def _parameters(true: dict[str, Any], fitted: dict[str, Array]) -> dict[str, Any]:
    return {
        name: (float(fitted[name][0]), value, ulps(float(fitted[name][0]), value))
        for name, value in true.items()
        if not isinstance(value, list)
    }


def is_limited(truth: Truth | None) -> bool:
    """Tell whether our cdf must be within the limit of its true value."""
    return truth is not None and truth.limited
