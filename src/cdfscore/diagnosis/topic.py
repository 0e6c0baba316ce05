"""Diagnosis of one distribution on one topic."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cdfscore.diagnosis.bootstrap import bootstrap, follows_the_sample
from cdfscore.diagnosis.crps import crps, places_of
from cdfscore.diagnosis.draws import Draws
from cdfscore.diagnosis.goodness_of_fit import STATISTICS, statistics
from cdfscore.diagnosis.histogram import cells_by_rank
from cdfscore.diagnosis.information import information, log_probability
from cdfscore.diagnosis.left_out import left_out
from cdfscore.diagnosis.monte_carlo import monte_carlo
from cdfscore.diagnosis.resolution import Resolution
from cdfscore.numerics.types import Array
from cdfscore.schemes.base import Fitted, Scheme
from cdfscore.schemes.zero_inflated import ZeroInflated

# Parameters with more numbers than this are described by their count.
_SHOWN = 8
_INFINITE = "the CRPS is infinite: the cdf approaches 0 or 1 too slowly, or not at all"


@dataclass(frozen=True)
class Examined:
    """Row of `Diagnosis.fits`, and the ends of each left-out score in the PIT, as a histogram has.

    `lower` and `upper` are of the scores that could be predicted; empty for an unfitted topic. They
    are the predicted cdf at the ends of the score's cell, or `cells_by_rank` for steps and lines.
    `follows` is True where the fit follows the scores, as `follows_the_sample` tells.
    """

    row: dict[str, Any]
    lower: Array = field(default_factory=lambda: np.zeros(0))
    upper: Array = field(default_factory=lambda: np.zeros(0))
    follows: bool = False


def not_fitted(scheme: Scheme, topic: str, n: int, reason: str, constant: bool) -> Examined:
    """Return the row of an unfitted topic."""
    numbers = dict.fromkeys(_NUMBERS, math.nan)
    return Examined(
        {
            "topic": topic,
            "scheme": str(scheme),
            "n": n,
            "fitted": False,
            "constant": constant,
            "reason": reason,
            "parameters": "",
            **numbers,
            **dict.fromkeys(_COUNTS, 0),
        }
    )


def examine(
    fitted: Fitted, scores: Array, resolution: Resolution, draws: Draws, topic: str
) -> Examined:
    """Examine a topic: `fitted` has one row, `scores` (n,) none missing."""
    sample = np.sort(scores)
    scheme, n = fitted.scheme, len(sample)
    lower, upper = resolution.cells(fitted, sample[np.newaxis])
    likely = information(lower[0], upper[0], scheme.free_parameters)
    predicted = left_out(scheme, sample, resolution)
    found = dict(zip(STATISTICS, statistics(lower, upper)[:, 0].tolist(), strict=True))
    row = {
        **not_fitted(scheme, topic, n, "", constant=False).row,
        "fitted": True,
        "parameters": _spelled(fitted),
        **found,
        "log_likelihood": likely.log_likelihood,
        "aic": likely.aic,
        "bic": likely.bic,
        "log_score": predicted.log_score,
        "crps": predicted.crps,
        "floored": likely.floored,
        "floored_left_out": predicted.floored,
    }
    reasons = []
    follows = follows_the_sample(scheme, sample)
    if follows:
        reasons.append("not tested: it fits any scores closely")
    elif not draws.resamples:
        reasons.append("not tested: no resamples were requested")
    else:
        tested = bootstrap(fitted, sample, resolution, draws, topic)
        for name, p, stderr in zip(STATISTICS, tested.p, tested.stderr, strict=True):
            row |= {f"{name}_p": float(p), f"{name}_p_stderr": float(stderr)}
        row |= {"resamples": tested.resamples, "resamples_unfitted": tested.unfitted}
        if np.isnan(tested.p).any():
            reasons.append(f"not tested: {tested.reason}")
    if predicted.unfitted:
        some = next(iter(predicted.unfitted.values()))
        reasons.append(f"{len(predicted.unfitted)} of {n} scores not predicted: {some}")
    elif math.isnan(predicted.crps):
        reasons.append(_INFINITE)
    kept = ~np.isnan(predicted.lower)
    row["reason"] = "; ".join(reasons)
    ends = predicted.lower, predicted.upper
    if scheme.degree_between in (0, 1):
        ends = cells_by_rank(sample)
    return Examined(row, ends[0][kept], ends[1][kept], follows)


def examine_known(
    fitted: Fitted,
    scores: Array,
    resolution: Resolution,
    draws: Draws,
    topic: str,
    *,
    rough: bool,
    known: int | None,
) -> Examined:
    """Examine a topic by a distribution that was fitted to `known` other scores.

    `fitted` has one row, `scores` (n,) none missing. The distribution predicts every score, and no
    parameter is estimated from these scores. A `rough` fit, whose parameters contain its reference
    scores, is not tested: scores between its steps could never be drawn from it.
    """
    sample = np.sort(scores)
    scheme, n = fitted.scheme, len(sample)
    lower, upper = (ends[0] for ends in resolution.cells(fitted, sample[np.newaxis]))
    likely = information(lower, upper, 0)
    logs, floored = log_probability(lower, upper)
    distinct, place = np.unique(sample, return_inverse=True)
    every = fitted.take(np.zeros(len(distinct), dtype=np.intp))
    ranked = crps(every, distinct, places_of(fitted, distinct))[place]
    distances = statistics(lower[np.newaxis], upper[np.newaxis])[:, 0]
    row = {
        **not_fitted(scheme, topic, n, "", constant=False).row,
        "fitted": True,
        "parameters": _spelled(fitted),
        **dict(zip(STATISTICS, distances.tolist(), strict=True)),
        "log_likelihood": likely.log_likelihood,
        "aic": likely.aic,
        "bic": likely.bic,
        "log_score": float(logs.mean()),
        "crps": float(ranked.mean()),
        "floored": likely.floored,
        "floored_left_out": int(floored.sum()),
    }
    reasons = []
    if rough:
        reasons.append("not tested: its parameters are the reference scores")
    elif not draws.resamples:
        reasons.append("not tested: no resamples were requested")
    else:
        tested = monte_carlo(fitted, sample, resolution, draws, topic)
        row |= {"resamples": tested.resamples}
        for name, p, stderr in zip(STATISTICS, tested.p, tested.stderr, strict=True):
            row |= {f"{name}_p": float(p), f"{name}_p_stderr": float(stderr)}
    if math.isnan(row["crps"]):
        reasons.append(_INFINITE)
    row["reason"] = "; ".join(reasons)
    if scheme.degree_between in (0, 1):
        lower, upper = cells_by_rank(sample, _reference(fitted, known))
    return Examined(row, lower, upper)


def _reference(fitted: Fitted, known: int | None) -> Array:
    """Return the scores that one row of steps or lines was fitted to; zero_inflated needs `known`.

    A zero-inflated scheme has a share of zeros besides, and its family may have a single other
    score several times, to be a sample of two or more.
    """
    zeros = np.zeros(0)
    if isinstance(fitted.scheme, ZeroInflated):
        assert known is not None
        share = float(fitted.parameters["share"][0, 0])
        zeros = np.full(round(known * share), fitted.scheme.at)
    found = fitted.scheme.reference(fitted.parameters)[0]
    found = found[~np.isnan(found)]
    return np.append(zeros, found[: None if known is None else known - len(zeros)])


# The columns of numbers, NaN where there is none; p_holm is over all topics.
_NUMBERS = (
    *(f"{name}{part}" for name in STATISTICS for part in ("", "_p", "_p_stderr", "_p_holm")),
    "log_likelihood",
    "aic",
    "bic",
    "log_score",
    "crps",
)
_COUNTS = ("floored", "floored_left_out", "resamples", "resamples_unfitted")


def _spelled(fitted: Fitted) -> str:
    """Spell the parameters as ``mean=0.25,sd=0.1``; describe long ones by their count."""
    parts = []
    for name, values in fitted.parameters.items():
        numbers = values[0][~np.isnan(values[0])].tolist()
        if len(numbers) > _SHOWN:
            parts.append(f"{name}=[{len(numbers)} numbers]")
        else:
            parts.append(f"{name}={' '.join(map(repr, numbers))}")
    return ",".join(parts)
