"""t tests, their intervals, and the equivalence of paired scores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from mpmath import mp, mpf

from cdfscore.stats.judge.tests import TESTS, WORDS
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance import equivalence_t, one_sample_t, paired_t, student_t, welch_t
from cdfscore.stats.significance.contract import QUANTITIES
from validation.campaign.truth.base import exact
from validation.statsmodels_judge import data
from validation.statsmodels_judge.counterpart import Counterpart, Given, Numbers
from validation.statsmodels_judge.data import Source
from validation.statsmodels_judge.distributions import t_interval, t_p_value, t_upper


def numbers_of(result: Any) -> Numbers:
    """Return the numbers of a result of a batch of one."""
    return {name: getattr(result, name) for name in QUANTITIES}


def _settings(number: int, spread: float) -> Iterator[Given]:
    """Yield every alternative, with and without a difference under the null hypothesis."""
    null_value = 0.5 * spread if number % 2 else 0.0
    for alternative in WORDS:
        yield {
            "null_value": null_value,
            "alternative": alternative,
            "conf_level": 0.95 if number % 3 else 0.8,
        }


def _one_sample(source: Source) -> Iterator[tuple[str, Given]]:
    for number, (name, x, _) in enumerate(data.pairs(source)):
        for settings in _settings(number, float(x.std())):
            yield name, {"x": x, **settings}


def _paired(source: Source) -> Iterator[tuple[str, Given]]:
    for number, (name, x, y) in enumerate(data.pairs(source)):
        for settings in _settings(number, float((x - y).std())):
            yield name, {"x": x, "y": y, **settings}


def _two_samples(source: Source, *, equal: bool) -> Iterator[tuple[str, Given]]:
    for number, (name, x, y) in enumerate(data.unequal(source)):
        for settings in _settings(number, float(x.std())):
            yield name, {"x": x, "y": y, **settings, "equal": equal}


def _student(source: Source) -> Iterator[tuple[str, Given]]:
    return _two_samples(source, equal=True)


def _welch(source: Source) -> Iterator[tuple[str, Given]]:
    return _two_samples(source, equal=False)


def _one_sample_by_us(x: Array, **settings: Any) -> Numbers:
    return numbers_of(one_sample_t(x[np.newaxis], **settings))


def _paired_by_us(x: Array, y: Array, **settings: Any) -> Numbers:
    return numbers_of(paired_t(x[np.newaxis], y[np.newaxis], **settings))


def _two_samples_by_us(x: Array, y: Array, *, equal: bool, **settings: Any) -> Numbers:
    test = student_t if equal else welch_t
    return numbers_of(test(x[np.newaxis], y[np.newaxis], **settings))


def _two_samples_by_statsmodels(*, equal: bool, **given: Any) -> Numbers:
    found: Numbers = TESTS["student_t" if equal else "welch_t"](**given)
    return found


def moments(x: list[mpf]) -> tuple[mpf, mpf]:
    """Return mean and variance."""
    mean = mp.fsum(x) / len(x)
    return mean, mp.fsum((v - mean) ** 2 for v in x) / (len(x) - 1)


def _t_truth(
    mean: mpf, stderr: mpf, df: mpf, null_value: float, alternative: str, conf_level: float
) -> Numbers:
    t = (mean - mpf(null_value)) / stderr
    low, high = t_interval(mean, stderr, df, alternative, conf_level)
    return {
        "estimate": mean,
        "stderr": stderr,
        "statistic": t,
        "parameter": df,
        "p_value": t_p_value(t, df, alternative),
        "conf_low": low,
        "conf_high": high,
    }


def _of_one(x: list[mpf], settings: Given) -> Numbers:
    mean, variance = moments(x)
    return _t_truth(mean, mp.sqrt(variance / len(x)), mpf(len(x) - 1), **settings)


def _one_sample_truth(x: Array, **settings: Any) -> Numbers:
    return _of_one(exact(x), settings)


def _paired_truth(x: Array, y: Array, **settings: Any) -> Numbers:
    return _of_one([a - b for a, b in zip(exact(x), exact(y), strict=True)], settings)


def _two_samples_truth(x: Array, y: Array, *, equal: bool, **settings: Any) -> Numbers:
    (mean_x, of_x), (mean_y, of_y) = moments(exact(x)), moments(exact(y))
    n, m = len(x), len(y)
    if equal:
        df = mpf(n + m - 2)
        variance = ((n - 1) * of_x + (m - 1) * of_y) / df * (mpf(1) / n + mpf(1) / m)
    else:
        a, b = of_x / n, of_y / m
        variance, df = a + b, (a + b) ** 2 / (a**2 / (n - 1) + b**2 / (m - 1))
    return _t_truth(mean_x - mean_y, mp.sqrt(variance), df, **settings)


def _equivalence(source: Source) -> Iterator[tuple[str, Given]]:
    for number, (name, x, y) in enumerate(data.pairs(source)):
        spread = float((x - y).std())
        if spread > 0:
            centre = 0.3 * spread if number % 2 else 0.0
            yield name, {"x": x, "y": y, "margin": spread, "centre": centre}


def _equivalence_by_us(x: Array, y: Array, **settings: Any) -> Numbers:
    return numbers_of(equivalence_t(x[np.newaxis], y[np.newaxis], **settings))


def _equivalence_by_statsmodels(**given: Any) -> Numbers:
    found = TESTS["equivalence_t"](**given, conf_level=0.9)
    return {name: found[name] for name in ("statistic", "parameter", "p_value")}


def _equivalence_truth(x: Array, y: Array, margin: float, centre: float) -> Numbers:
    mean, variance = moments([a - b for a, b in zip(exact(x), exact(y), strict=True)])
    stderr, df = mp.sqrt(variance / len(x)), mpf(len(x) - 1)
    # the bounds are doubles
    above, below = ((mean - mpf(end)) / stderr for end in (centre - margin, centre + margin))
    t = above if above <= -below else below
    return {
        "statistic": t,
        "parameter": df,
        "p_value": max(t_upper(above, df), t_upper(-below, df)),
    }


COUNTERPARTS = (
    Counterpart(
        "one_sample_t",
        TESTS["one_sample_t"].by,
        _one_sample,
        _one_sample_by_us,
        TESTS["one_sample_t"],
        "one_sample_t",
        _one_sample_truth,
    ),
    Counterpart(
        "paired_t",
        TESTS["paired_t"].by,
        _paired,
        _paired_by_us,
        TESTS["paired_t"],
        "paired_t",
        _paired_truth,
    ),
    Counterpart(
        "student_t",
        TESTS["student_t"].by,
        _student,
        _two_samples_by_us,
        _two_samples_by_statsmodels,
        "two_sample_t",
        _two_samples_truth,
    ),
    Counterpart(
        "welch_t",
        TESTS["welch_t"].by,
        _welch,
        _two_samples_by_us,
        _two_samples_by_statsmodels,
        "two_sample_t",
        _two_samples_truth,
    ),
    Counterpart(
        "equivalence_t",
        TESTS["equivalence_t"].by,
        _equivalence,
        _equivalence_by_us,
        _equivalence_by_statsmodels,
        "equivalence_t",
        _equivalence_truth,
    ),
)
