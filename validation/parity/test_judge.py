"""mpmath at 50 digits decides where R and Python differ.

R's pnorm and Python's normal cdf are both a few ulp off; R's sd overflows and underflows.
"""

from __future__ import annotations

import numpy as np
import pytest
from mpmath import mp, mpf

from cdfscore.r.session import RSession
from cdfscore.stats.numerics.moments import mean_and_sd
from cdfscore.stats.numerics.normal_cdf import normal_cdf
from cdfscore.stats.numerics.tolerance import ulp_distance
from cdfscore.stats.numerics.types import Array

# Where R and Python were farthest apart, 7 or 8 ulp, among 20,000,000 random z.
FARTHEST = np.array(
    [
        *(-36.99984537690924, -34.68022816379608, -33.81117237767143, -5.549029021438321),
        *(-4.626566081616284, -4.36048493578452, -2.6651619718271333, -1.5350472294744377),
    ]
)


def phi(z: Array) -> list[float]:
    with mp.workdps(50):
        return [float(mp.ncdf(mpf(t))) for t in z.tolist()]


def test_normal_cdf_where_the_two_are_farthest_apart(r: RSession) -> None:
    random = np.random.default_rng(5).uniform(-37.5, 8, 1000)
    for z in (FARTHEST, random):
        assert ulp_distance(normal_cdf(z.copy()), phi(z)).max() <= 3
        assert ulp_distance(r.call("pnorm", z), phi(z)).max() <= 8


def test_normal_cdf_where_r_stops(r: RSession) -> None:
    z = np.array([-37.55, -38.0, -38.4])
    assert r.call("pnorm", z).tolist() == [0, 0, 0]
    y = normal_cdf(z.copy())
    assert ulp_distance(y, phi(z)).max() <= 3
    assert (y > 0).all()


@pytest.mark.parametrize(("scale", "by_r"), [(1e200, np.inf), (1e-200, 0.0)])
def test_sd_where_rs_variance_is_no_double(scale: float, by_r: float, r: RSession) -> None:
    sample = scale * np.array([0.1, 0.2, 0.4])
    with mp.workdps(50):
        values = [mpf(s) for s in sample.tolist()]
        mean = mp.fsum(values) / 3
        sd = float(mp.sqrt(mp.fsum((v - mean) ** 2 for v in values) / 2))
    assert r.call("sd", sample).item() == by_r
    assert ulp_distance(mean_and_sd(sample)[1], sd).max() <= 1
