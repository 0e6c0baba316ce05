"""The kernel-smoothed distribution beside R's density() and the package ks.

Both compute a density on a grid. A sum of a density over the grid is a cdf up to an error
that the trapezoidal rule and its first correction (Euler and Maclaurin) take away.
"""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest

from cdfscore.r.session import RSession
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes import Kernel
from validation.parity.strategies import KINDS

ORDINARY = ["grid of tenths", "four decimals", "all bits", "both signs"]
SIZES = (2, 7, 40, 110, 250)
#: The kernels that R's density() knows by the same names.
IN_DENSITY = ["gaussian", "rectangular", "triangular", "epanechnikov", "biweight", "cosine"]

DENSITY = """function(scores, bw, kernel, low, high, n) {
  d <- density(scores, bw = bw, kernel = kernel, from = low, to = high, n = n)
  rbind(d$x, d$y)
}"""
# kcde() sums what kde() gives on the same grid; supp is how many h a kernel reaches there.
KCDE = """function(scores, h, low, high, n) {
  on_grid <- function(f) f(scores, h = h, xmin = low, xmax = high, gridsize = n,
                           supp = 15, binned = FALSE)
  cdf <- on_grid(ks::kcde)
  rbind(cdf$eval.points, on_grid(ks::kde)$estimate, cdf$estimate)
}"""


@pytest.fixture(scope="module")
def ks(rinterface: ModuleType, r: RSession) -> RSession:
    """R with the package ks (Debian: r-cran-ks)."""
    if not rinterface.baseenv["requireNamespace"]("ks", quietly=True)[0]:
        pytest.fail("the R package ks is not installed; Debian: apt-get install r-cran-ks")
    return r


def in_r(r: RSession, code: str, *arguments: Array | float | str) -> Array:
    function = r.rinterface.baseenv["eval"](r.rinterface.baseenv["str2lang"](code))
    given = (
        r.strings([a]) if isinstance(a, str) else r.vector(np.atleast_1d(a)) for a in arguments
    )
    return r.array(function(*given))


def samples(kind: str) -> list[Array]:
    rng = np.random.default_rng(15)
    drawn = [KINDS[kind](rng, n) for n in SIZES]
    return [sample for sample in drawn if np.ptp(sample) > 0]


def summed(x: Array, density: Array) -> Array:
    """Integrate a density from the first point of a grid to each."""
    step = x[1] - x[0]
    slope = np.gradient(density, step, edge_order=2)
    trapezoids = step * (np.cumsum(density) - (density + density[0]) / 2)
    result: Array = trapezoids - step**2 / 12 * (slope - slope[0])
    return result


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", ORDINARY)
@pytest.mark.parametrize("kernel", IN_DENSITY)
def test_kernels_are_those_of_density(kernel: str, kind: str, r: RSession) -> None:
    """To what R's grid leaves, on which it distributes the scores before it smooths them.

    Of this grid of 2^16 steps one is lost before R 4.4: the density is too large by a share of
    1 / (2^16 - 1), and the cdf of a continuous kernel is up to 3.3e-6 off.
    """
    for sample in samples(kind):
        h = 0.3 * float(np.ptp(sample))
        low, high = sample.min() - 9 * h, sample.max() + 9 * h
        x, density = in_r(r, DENSITY, sample, h, kernel, low, high, 2.0**15)
        y = Kernel(h, kernel).fit(sample)(x)
        cdf = summed(x, density)
        jump = (x[1] - x[0]) * density.max() if kernel == "rectangular" else 0.0
        assert cdf[-1] == pytest.approx(1, abs=2e-5 + jump)
        assert np.abs(cdf / cdf[-1] - y).max() <= 1e-5 + jump


@pytest.mark.parametrize("rule", [0.05, "nrd0", "polansky_baker"])
@pytest.mark.parametrize("kind", ORDINARY)
def test_the_gaussian_kernel_is_that_of_kcde(kind: str, rule: str | float, ks: RSession) -> None:
    """kcde() adds rectangles and divides by the last sum: too much by half a rectangle."""
    for sample in samples(kind):
        fitted = Kernel(rule).fit(sample)
        h = fitted.parameters["bandwidth"].item()
        low, high = sample.min() - 10 * h, sample.max() + 10 * h
        x, density, cdf = in_r(ks, KCDE, sample, h, low, high, 4001.0)
        y, step = fitted(x), x[1] - x[0]
        assert np.abs(cdf - y).max() <= 0.51 * step * density.max() + 1e-9
        assert np.abs(cdf - np.cumsum(density) * step).max() <= 1e-9
        assert np.abs(summed(x, density) - y).max() <= 1e-9
