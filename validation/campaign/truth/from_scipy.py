"""Those distributions of scipy.stats that R fits too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from mpmath import mp, mpf

from cdfscore.stats.numerics.types import Array
from validation.campaign.truth import maxima
from validation.campaign.truth.base import Parameters, Truth, phi, without_spread, z_in_doubles

# F at location 0 and scale 1, given the shapes.
CDFS: dict[str, Callable[..., mpf]] = {
    "norm": lambda u: phi(u),
    "lognorm": lambda u, s: phi(mp.log(u) / s) if u > 0 else mpf(0),
    "uniform": lambda u: min(mpf(1), max(mpf(0), u)),
    "expon": lambda u: -mp.expm1(-min(u, mpf(1000))) if u > 0 else mpf(0),
    "logistic": lambda u: 1 / (1 + mp.exp(min(-u, mpf(2000)))),
    "weibull_min": lambda u, c: -mp.expm1(-min(u**c, mpf(1000))) if u > 0 else mpf(0),
    "gamma": lambda u, a: _gamma(u, a),
    "beta": lambda u, a, b: _beta(u, a, b),
}


def _gamma(u: mpf, a: mpf) -> mpf:
    if u <= 0:
        return mpf(0)
    if u > 30 * (a + 30):
        return mpf(1)  # the rest is below 1e-300
    return mp.gammainc(a, 0, u, regularized=True)


def _beta(u: mpf, a: mpf, b: mpf) -> mpf:
    return mpf(int(u >= 1)) if u <= 0 or u >= 1 else mp.betainc(a, b, 0, u, regularized=True)


class FromScipy(Truth):
    # SciPy adds pairwise or maximizes by its own means: the parameters are not R's.
    shared = False

    def __init__(self, scheme: Any) -> None:
        super().__init__(scheme)
        # gamma and beta are SciPy's cdfs as they are, without a simple form that is better.
        self.limited = scheme.dist not in ("gamma", "beta")

    def is_defined(self) -> bool:
        held = {k for k in self.scheme.settings() if k != "dist"}
        return maxima.HELD.get(self.scheme.dist) == held

    def parameters(self, sample: list[mpf]) -> Parameters:
        spread = sample[-1] - sample[0]
        if spread == 0:  # there is no fit
            return {"spread": spread, "loc": sample[0]}
        fit = getattr(maxima, self.scheme.dist)
        loc, scale = (None if v is None else mpf(v) for v in (self.scheme.floc, self.scheme.fscale))
        return {"spread": spread, **fit(sample, loc, scale)}

    def cdf(self, x: mpf, p: Parameters) -> mpf:
        if p["spread"] == 0:
            return without_spread(x, p["loc"])
        shapes = {k: v for k, v in p.items() if k not in ("spread", "loc", "scale")}
        return CDFS[self.scheme.dist]((x - p["loc"]) / p["scale"], **shapes)

    def at_argument(self, x: Array, fitted: dict[str, Array]) -> list[mpf]:
        """Return F at (x - loc) / scale in doubles; for lognorm, Phi at its logarithm over s."""
        if fitted["spread"][0] == 0:
            return super().at_argument(x, fitted)
        u = z_in_doubles(x, fitted["loc"], fitted["scale"])
        if self.scheme.dist == "lognorm":
            with np.errstate(divide="ignore"):
                z = np.log(np.maximum(u, 0)) / fitted["s"]
            return [phi(mpf(v)) for v in z.tolist()]
        shapes = {
            k: mpf(float(v[0])) for k, v in fitted.items() if k not in ("spread", "loc", "scale")
        }
        return [CDFS[self.scheme.dist](mpf(v), **shapes) for v in u.tolist()]
