"""Mixed models of random topics, and of effects of a component that differ between topics."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from mpmath import mp
from statsmodels.regression.mixed_linear_model import MixedLM

from cdfscore.models import mixed_model
from cdfscore.models.mixed import Estimation, MixedModel
from cdfscore.stats.judge.models import MIXED
from cdfscore.stats.numerics.types import Array
from validation.statsmodels_judge.counterpart import Counterpart, Given, Numbers
from validation.statsmodels_judge.counterparts.ranges import RAW, as_frame, in_long_form
from validation.statsmodels_judge.counterparts.tables import components
from validation.statsmodels_judge.data import Source
from validation.statsmodels_judge.least_squares import columns_of
from validation.statsmodels_judge.mixed_likelihood import maximum, topics_of

#: Random terms, as `mixed_model` has them; the second is a variance component of `MixedLM`.
_RANDOM = {False: ("topic",), True: ("topic", "topic:a")}
_METHODS: tuple[Estimation, ...] = ("REML", "ML")
#: One of each combination of the components a and b.
_SYSTEMS = 6


def _cases(source: Source) -> Iterator[tuple[str, Given]]:
    """Yield scores, complete and not, whose variances are all above 0."""
    rng = np.random.default_rng([source.seed, 7])
    for _ in range(source.count):
        topics = int(rng.integers(6, 12))
        effects = rng.normal(size=(topics, 1)) + rng.normal(size=(topics, 2))[:, [0, 1] * 3]
        scores = effects + rng.normal(size=_SYSTEMS) + 0.5 * rng.normal(size=(topics, _SYSTEMS))
        holes = rng.random(scores.shape) < 0.15
        holes[0], holes[:, 0] = False, False
        for missing, by_a, method in product((False, True), _RANDOM, _METHODS):
            own = np.where(holes, np.nan, scores) if missing else scores
            given: Given = {"scores": own, "by_a": by_a, "method": method}
            if (_fitted(**given).variances["variance"] > 0).all():
                yield f"{method}, {topics} topics", given


def _fitted(scores: Array, by_a: bool, method: Estimation) -> MixedModel:
    return mixed_model(
        as_frame(scores),
        "score ~ a + b",
        components(_SYSTEMS),
        random=_RANDOM[by_a],
        method=method,
        schemes=[RAW],
    )


def _by_us(scores: Array, by_a: bool, method: Estimation) -> Numbers:
    found = _fitted(scores, by_a, method)
    return {
        **found.variances.set_index("component")["variance"],
        "estimate": found.coefficients["estimate"].to_numpy(),
        "stderr": found.coefficients["stderr"].to_numpy(),
        "log_likelihood": found.log_likelihood["raw"],
        "log_likelihood_terms": found.scores["raw"],
    }


def _by_statsmodels(scores: Array, by_a: bool, method: Estimation) -> Numbers:
    fit = MixedLM.from_formula(
        "score ~ C(a, Sum) + C(b, Sum)",
        in_long_form(scores).merge(components(_SYSTEMS), on="system"),
        groups="topic",
        re_formula="1",
        vc_formula={"topic:a": "0 + C(a)"} if by_a else None,
    ).fit(reml=method == "REML")
    if not fit.converged:
        raise ValueError("MixedLM says that it has not converged")
    return {
        "topic": fit.cov_re.iloc[0, 0],
        **({"topic:a": fit.vcomp[0]} if by_a else {}),
        "residual": fit.scale,
        "estimate": fit.fe_params.to_numpy(),
        "stderr": fit.bse_fe.to_numpy(),
        "log_likelihood": fit.llf,
    }


def _by_verify(scores: Array, by_a: bool, method: Estimation) -> Numbers:
    found = _fitted(scores, by_a, method)
    table = components(_SYSTEMS)
    levels = {name: table[name].tolist() for name in "ab"}
    random = [tuple(name.split(":")) for name in _RANDOM[by_a]]
    numbers = MIXED(scores, levels, found.formula.terms, random, method)
    return {
        **dict(zip((*_RANDOM[by_a], "residual"), numbers["variance"], strict=True)),
        "estimate": numbers["coefficient"],
        "stderr": numbers["stderr of coefficient"],
        "log_likelihood": numbers["log-likelihood"],
    }


def _truth(scores: Array, by_a: bool, method: Estimation) -> Numbers:
    row = np.zeros((1, _SYSTEMS))
    x = np.column_stack([np.ones(_SYSTEMS), *(columns_of(row, (name,)) for name in "ab")])
    effects = [np.ones((_SYSTEMS, 1)), np.eye(2)[np.arange(_SYSTEMS) % 2]][: 1 + by_a]
    near = _fitted(scores, by_a, method).variances["variance"]
    found = maximum(topics_of(scores, x, effects), near.tolist(), method)
    return {
        **dict(zip((*_RANDOM[by_a], "residual"), found.variances, strict=True)),
        "estimate": found.coefficients,
        "stderr": [mp.sqrt(found.covariance[i, i]) for i in range(x.shape[1])],
        "log_likelihood": found.log_likelihood,
    }


COUNTERPARTS = (
    Counterpart(
        "mixed_model, verify",
        MIXED.by,
        _cases,
        _by_us,
        _by_verify,
        "mixed",
        _truth,
        covers=("mixed_model",),
        slow=40,
    ),
    Counterpart(
        "mixed_model",
        "MixedLM: cov_re, vcomp, scale, fe_params, bse_fe, llf",
        _cases,
        _by_us,
        _by_statsmodels,
        "mixed",
        _truth,
        slow=40,
    ),
)
