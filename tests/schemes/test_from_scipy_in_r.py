"""The laws of the R twin, and the maxima that R's own optimizer finds from other starts."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy import stats

from cdfscore.r.session import RSession
from cdfscore.schemes import FromScipy
from tests.schemes.test_from_scipy_census import RANGE, SAMPLE

LAWS = re.findall(r"^  (\w+) = law\(", FromScipy.twin().read_text(), flags=re.MULTILINE)
# R sums the noncentral F distribution to an error of 1e-9.
IMPRECISE = {"ncf": 1e-8}
JUST_BELOW = float(SAMPLE.min()) - RANGE / 64
QUICK: list[tuple[str, dict[str, float]]] = [
    ("t", {}),
    ("cauchy", {}),
    ("gumbel_r", {}),
    ("chi2", {"floc": JUST_BELOW}),
    ("rdist", {"floc": JUST_BELOW, "fscale": 2 * RANGE}),
    ("gamma", {"f0": 2.5}),
    ("lognorm", {"fscale": 1.5}),
]
LONG: list[tuple[str, dict[str, float]]] = [
    *((name, {}) for name in ("foldnorm", "foldcauchy", "halfgennorm", "gennorm", "rice", "alpha")),
    *((name, {}) for name in ("kappa3", "moyal", "levy", "gibrat", "genlogistic", "fatiguelife")),
    *((name, {}) for name in ("invgamma", "lomax", "gompertz", "bradford", "truncexpon", "wald")),
    *((name, {}) for name in ("argus", "invgauss", "recipinvgauss", "halflogistic", "maxwell")),
    *((name, {"floc": JUST_BELOW}) for name in ("chi", "nakagami", "fisk", "burr", "mielke")),
    *((name, {"floc": JUST_BELOW}) for name in ("burr12", "exponpow", "ncx2", "gengamma")),
    *((name, {"f0": 2.5}) for name in ("weibull_min", "chi2", "chi", "t", "pearson3", "skewnorm")),
    *((name, {"f0": 0.5}) for name in ("genextreme", "genpareto", "genlogistic", "skewcauchy")),
]


def shapes(dist: str) -> dict[str, float]:
    values = {}
    for i, shape in enumerate(getattr(stats, dist)._shape_info()):
        low, high = map(float, shape.domain)
        if np.isfinite(high):
            values[f"f{i}"] = low + 0.4 * (high - low)
        else:
            values[f"f{i}"] = (low + 1.3 if np.isfinite(low) else 0.4) + 0.5 * i
    return values


@pytest.fixture(scope="module")
def r() -> RSession:
    return RSession()


@pytest.mark.clause("from_scipy.1", "from_scipy.2")
@pytest.mark.filterwarnings("ignore:The shape parameter of the erlang")
def test_r_has_the_cdf_of_scipy(r: RSession) -> None:
    assert len(LAWS) == 88
    for dist in LAWS:
        law, held = getattr(stats, dist), shapes(dist)
        x = law.ppf([0.001, 0.1, 0.3, 0.55, 0.8, 0.999], *held.values())
        scheme = FromScipy(dist, **held, floc=0.0, fscale=1.0)
        by_r = r.standardize(scheme, x[np.newaxis], x[np.newaxis, 1:4])
        allowed = IMPRECISE.get(dist, 1e-12)
        np.testing.assert_allclose(
            scheme.fit(x[1:4])(x), by_r[0], rtol=0, atol=allowed, err_msg=dist
        )


@pytest.mark.clause("from_scipy.1", "from_scipy.3")
@pytest.mark.parametrize(
    ("dist", "held"), [*QUICK, *(pytest.param(*case, marks=pytest.mark.long) for case in LONG)]
)
def test_r_finds_the_same_maximum(dist: str, held: dict[str, float], r: RSession) -> None:
    scheme = FromScipy(dist, **held)
    y = scheme.fit(SAMPLE)(SAMPLE)
    by_r = r.standardize(scheme, SAMPLE[np.newaxis], SAMPLE[np.newaxis])[0]
    assert scheme.tolerance.distance(y, by_r).max() <= scheme.tolerance.ulp


@pytest.mark.clause("from_scipy.3")
@pytest.mark.parametrize("dist", ["gamma", "genextreme", "genpareto", "weibull_min", "arcsine"])
def test_r_refuses_a_likelihood_without_bound(dist: str, r: RSession) -> None:
    scheme = FromScipy(dist)
    with pytest.raises(r.error, match="the likelihood has no upper bound, since the density is"):
        r.standardize(scheme, SAMPLE[np.newaxis], SAMPLE[np.newaxis])
