"""Every continuous distribution of scipy.stats: no other optimizer fits better, or refused."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats

from cdfscore.errors import FitError
from cdfscore.schemes import FromScipy

SAMPLE = np.round(np.random.default_rng(4).gamma(2, 1, size=24) * 64) / 64
RANGE = float(np.ptp(SAMPLE))
LEAST, MOST = float(SAMPLE.min()), float(SAMPLE.max())
# Integrated by SciPy score by score, for minutes a topic.
TOO_SLOW = {"levy_stable", "studentized_range"}
WHOLE = {"irwinhall", "ksone", "kstwo"}
NAMES = sorted(
    name
    for name in dir(stats)
    if isinstance(getattr(stats, name), stats.rv_continuous) and name not in TOO_SLOW
)
HELD: tuple[dict[str, float], ...] = (
    {},
    {"floc": LEAST - RANGE / 64},
    {"floc": LEAST - RANGE / 64, "fscale": RANGE * 33 / 32},
    {"f0": 2.5},
)
# More may be found by at most this much where the likelihood rises towards a limit.
SHORT = 0.01
QUICK = {"t", "cauchy", "gumbel_r", "rayleigh", "crystalball", "moyal", "wald", "levy"}


def fitted(dist: str) -> tuple[dict[str, float], list[float]] | None:
    """Return what is held, and the parameters, for the first of the settings that can be fitted."""
    for held in HELD:
        if "f0" in held and not getattr(stats, dist).numargs:
            continue
        try:
            found = FromScipy(dist, **held).fit(SAMPLE)
        except FitError:
            continue
        names = found.scheme.parameter_names()[1:]
        return held, [float(found.parameters[name][0]) for name in names]
    return None


def by_another_optimizer(dist: str, held: dict[str, float], best: list[float], n: int) -> float:
    """Return the highest likelihood that Powell's method finds from random starts."""
    law, rng = getattr(stats, dist), np.random.default_rng(7)
    slots = [*(f"f{i}" for i in range(law.numargs)), "floc", "fscale"]
    free = [i for i, slot in enumerate(slots) if slot not in held]

    def parameters(q: np.ndarray) -> np.ndarray:
        full = np.array([held.get(slot, 0.0) for slot in slots])
        full[free] = q
        if "fscale" not in held:
            full[-1] = np.exp(min(full[-1], 300.0))
        return full

    def loss(q: np.ndarray) -> float:
        logs = law.logpdf(SAMPLE, *parameters(q))
        outside = not np.isfinite(logs).all() or logs.max() > np.log(1e8 / RANGE)
        outside = outside or np.abs(parameters(q)[:-2]).max(initial=0.0) > 1e6
        return 1e9 if outside else -float(logs.sum())

    def start(domains: list[Any]) -> np.ndarray:
        shapes = []
        for low, high in domains:
            if np.isinf(low):
                shapes.append(rng.normal(0, 3))
            else:
                shapes.append(
                    rng.uniform(low, high) if high < np.inf else low + rng.lognormal(0, 1)
                )
        scale = RANGE * rng.lognormal(-1, 1)
        low, high = law.support(*shapes)
        loc = rng.uniform(LEAST - RANGE / 2, MOST + RANGE / 2)
        if np.isfinite(low):
            loc = LEAST - low * scale - RANGE * rng.lognormal(-2, 1.5)
        elif np.isfinite(high):
            loc = MOST - high * scale + RANGE * rng.lognormal(-2, 1.5)
        return np.array([*shapes, loc, np.log(scale)])[free]

    domains = [shape.domain for shape in law._shape_info()]
    near = np.array([*best[:-1], np.log(best[-1])])[free]
    highest = -np.inf
    with np.errstate(all="ignore"):
        starts = [near + 0.05 * rng.normal(size=len(near)) * np.maximum(np.abs(near), 0.1)]
        for _ in range(30 * n):
            if len(starts) > n:
                break
            q = start(domains)
            if loss(q) < 1e9:
                starts.append(q)
        for q in starts:
            if free and loss(q) < 1e9:
                found = optimize.minimize(loss, q, method="Powell", options={"maxfev": 2000})
                highest = max(highest, -float(found.fun))
    return highest


def check(dist: str, starts: int) -> None:
    law, result = getattr(stats, dist), fitted(dist)
    assert (result is None) == (dist in WHOLE)
    if result is not None:
        held, best = result
        value = law.logpdf(SAMPLE, *best).sum()
        assert np.isfinite(value)
        assert by_another_optimizer(dist, held, best, starts) <= value + SHORT


@pytest.mark.clause("from_scipy.1", "from_scipy.3")
@pytest.mark.parametrize("dist", sorted(QUICK))
@pytest.mark.filterwarnings("ignore")
def test_a_few_random_starts_find_no_higher_likelihood(dist: str) -> None:
    check(dist, 3)


@pytest.mark.long
@pytest.mark.clause("from_scipy.1", "from_scipy.3")
@pytest.mark.parametrize("dist", NAMES)
@pytest.mark.filterwarnings("ignore")
def test_many_random_starts_find_no_higher_likelihood(dist: str) -> None:
    check(dist, 40)


POLES = [
    *("arcsine", "beta", "betaprime", "burr", "burr12", "chi", "chi2", "dgamma", "dpareto_lognorm"),
    *("dweibull", "erlang", "exponpow", "exponweib", "f", "fisk", "gamma", "gausshyper"),
    *("genextreme", "gengamma", "genhalflogistic", "genpareto", "kappa4"),
    *("loglaplace", "mielke", "nakagami", "ncf", "ncx2", "pearson3", "powerlaw", "rdist"),
    *("weibull_max", "weibull_min"),
]


@pytest.mark.clause("from_scipy.3")
@pytest.mark.parametrize("dist", POLES)
@pytest.mark.filterwarnings("ignore")
def test_a_likelihood_that_is_refused_for_a_pole_has_no_bound(dist: str) -> None:
    """With the end of the support ever nearer to a score, the likelihood rises without limit."""
    with pytest.raises(
        FitError, match="cannot be fitted: the likelihood has no upper bound"
    ) as told:
        FromScipy(dist).fit(SAMPLE)
    law, text = getattr(stats, dist), str(told.value)
    shapes = [float(v) for v in re.findall(r"\w+ = (\S+?)(?:,| and)", text)]
    low, high = (float(end) for end in law.support(*shapes))
    if dist == "pearson3":
        low, high = (-2 / shapes[0], high) if shapes[0] > 0 else (low, -2 / shapes[0])
    scale = 2 * RANGE / (high - low) if np.isfinite(high - low) else RANGE
    values = []
    for gap in (1e-4, 1e-7, 1e-10):
        near = gap * max(1.0, abs(high)) if "upper end" in text else gap * max(1.0, abs(low))
        if "lower end" in text:
            u = low + near + (SAMPLE - LEAST) / scale
        elif "upper end" in text:
            u = high - near - (MOST - SAMPLE) / scale
        else:
            u = gap + (SAMPLE - SAMPLE[0]) / scale
        values.append(float(np.sum(law.logpdf(u, *shapes) - np.log(scale))))
    assert values[2] - values[1] > 0.1
    assert values[1] - values[0] > 0.1
