"""Differences of systems with topics in the model, and components of variance."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import statsmodels.formula.api as smf
from mpmath import mp, mpf
from statsmodels.regression.mixed_linear_model import MixedLM

from cdfscore.models import anova, g_study
from cdfscore.stats.numerics.types import Array
from validation.statsmodels_judge import data
from validation.statsmodels_judge.counterpart import Counterpart, Given, Numbers
from validation.statsmodels_judge.counterparts.adjustment import adjusted_truth
from validation.statsmodels_judge.counterparts.ranges import (
    RAW,
    as_frame,
    in_long_form,
)
from validation.statsmodels_judge.data import Source
from validation.statsmodels_judge.distributions import (
    t_interval,
    t_p_value,
)
from validation.statsmodels_judge.least_squares import Fit, coefficients, fitted, sums_of_squares


def blocks(source: Source) -> Iterator[tuple[str, Given]]:
    """Yield scores of three topics and systems or more, some missing, with residuals."""
    rng = np.random.default_rng([source.seed, 5])
    for number, (name, scores) in enumerate(data.score_matrices(source)):
        if scores.shape[0] > 2 and scores.shape[1] > 2:
            cut = scores[:8, :6].copy()
            if number % 2:
                cut[rng.random(cut.shape) < 0.1] = np.nan
            connected = np.isfinite(cut[0]).all() and np.isfinite(cut[:, 0]).all()
            if connected and has_residuals(cut):
                yield name, {"scores": cut}


def has_residuals(scores: Array) -> bool:
    """Tell whether scores are more than the sum of effects of topics and systems, and rounding."""
    residuals = scores - np.nanmean(scores, axis=0)
    residuals = residuals - np.nanmean(residuals, axis=1, keepdims=True)
    return bool(np.nansum(residuals**2) > 1e-16 * np.nansum(scores**2))


def _differences_by_us(scores: Array) -> Numbers:
    found = anova(as_frame(scores), "score ~ topic + system", schemes=[RAW])
    table = found.contrasts("system", "holm")
    names = ("stderr", "statistic", "p_value", "p_adjusted", "conf_low", "conf_high")
    return {"estimate": table["estimate"].to_numpy(), **{n: table[n].to_numpy() for n in names}}


def _differences_by_statsmodels(scores: Array) -> Numbers:
    fit = smf.ols("score ~ C(topic) + C(system)", in_long_form(scores)).fit()
    table = fit.t_test_pairwise("C(system)", method="holm").result_frame
    # It takes the earlier system from the later one.
    return {
        "estimate": -table["coef"].to_numpy(),
        "stderr": table["std err"].to_numpy(),
        "statistic": -table["t"].to_numpy(),
        "p_value": table["P>|t|"].to_numpy(),
        "p_adjusted": table["pvalue-holm"].to_numpy(),
        "conf_low": -table["Conf. Int. Upp."].to_numpy(),
        "conf_high": -table["Conf. Int. Low"].to_numpy(),
    }


def _differences_truth(scores: Array) -> Numbers:
    fit: Fit = fitted(scores, ["topic", "system"])
    systems = scores.shape[1]
    weights = coefficients(fit, systems)
    error, df = fit.residual / fit.df, mpf(fit.df)
    found: dict[str, list[mpf]] = {
        n: [] for n in ("estimate", "stderr", "statistic", "p_value", "conf_low", "conf_high")
    }
    for i, j in combinations(range(systems), 2):
        w = weights[i] - weights[j]
        estimate = (w.T * fit.beta)[0]
        stderr = mp.sqrt(error * (w.T * fit.inverse * w)[0])
        t = estimate / stderr
        values = (estimate, stderr, t, t_p_value(t, df, "two-sided"))
        ends = t_interval(estimate, stderr, df, "two-sided", 0.95)
        for name, value in zip(found, (*values, *ends), strict=True):
            found[name].append(value)
    p = np.array([float(each) for each in found["p_value"]])
    return {**found, "p_adjusted": adjusted_truth(p, "holm")}


def _crossed(source: Source) -> Iterator[tuple[str, Given]]:
    """Yield matrices whose components of variance are all above 0."""
    rng = np.random.default_rng([source.seed, 6])
    for _ in range(source.count):
        topics, systems = int(rng.integers(5, 12)), int(rng.integers(4, 8))
        scores = rng.normal(size=(topics, 1)) + rng.normal(size=systems)
        scores = scores + 0.7 * rng.normal(size=(topics, systems))
        if (g_study(as_frame(scores)).components["variance"] > 0).all():
            yield f"{systems} systems, {topics} topics", {"scores": scores}


def _components_by_us(scores: Array) -> Numbers:
    found = g_study(as_frame(scores)).components["variance"].to_numpy()
    return dict(zip(("system", "topic", "residual"), found, strict=True))


def _components_by_statsmodels(scores: Array) -> Numbers:
    long = in_long_form(scores)
    fit = MixedLM.from_formula(
        "score ~ 1",
        long,
        groups=np.ones(len(long)),
        vc_formula={"system": "0 + C(system)", "topic": "0 + C(topic)"},
    ).fit()
    system, topic = fit.vcomp
    return {"system": system, "topic": topic, "residual": fit.scale}


def _components_truth(scores: Array) -> Numbers:
    """Return the estimates of REML for a complete design, which are those of mean squares."""
    topics, systems = scores.shape
    squares, df = sums_of_squares(scores, "score ~ topic + system", "I")
    topic, system, residual = (s / k for s, k in zip(squares, df, strict=True))
    return {
        "system": (system - residual) / topics,
        "topic": (topic - residual) / systems,
        "residual": residual,
    }


COUNTERPARTS = (
    Counterpart(
        'Anova.contrasts("system", "holm")',
        't_test_pairwise(method="holm")',
        blocks,
        _differences_by_us,
        _differences_by_statsmodels,
        "differences",
        _differences_truth,
        covers=("anova", "Anova.contrasts"),
        slow=4,
    ),
    Counterpart(
        "g_study",
        "MixedLM of two crossed random effects, by REML",
        _crossed,
        _components_by_us,
        _components_by_statsmodels,
        "variance_components",
        _components_truth,
        slow=10,
    ),
)
