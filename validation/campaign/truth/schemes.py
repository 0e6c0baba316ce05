"""The families of distributions."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

import numpy as np
from mpmath import mp, mpf

from cdfscore.stats.numerics.types import Array
from validation.campaign.truth.base import (
    Parameters,
    Truth,
    mean_and_sd,
    mean_phi,
    phi,
    without_spread,
    z_in_doubles,
    z_score,
)


class Empirical(Truth):
    def parameters(self, sample: list[mpf]) -> Parameters:
        return {"sample": sample}

    def cdf(self, x: mpf, p: Parameters) -> mpf:
        n, below, at_most = len(p["sample"]), *_counts(p["sample"], x)
        twice = {"weak": 2 * at_most, "strict": 2 * below, "mid": below + at_most}
        if self.scheme.position is None:
            return mpf(twice[self.scheme.convention]) / (2 * n)
        a = mpf({"hazen": 0.5, "weibull": 0, "blom": 0.375}[self.scheme.position])
        rank = mpf(twice[self.scheme.convention] + (self.scheme.convention == "mid")) / 2
        return min(mpf(1), max(mpf(0), (rank - a) / (n + 1 - 2 * a)))

    def is_defined(self) -> bool:
        named = self.scheme.position is None or isinstance(self.scheme.position, str)
        return named and self.scheme.interpolation is None


def _counts(sample: list[mpf], x: mpf) -> tuple[int, int]:
    return bisect_left(sample, x), bisect_right(sample, x)


class Minmax(Truth):
    def parameters(self, sample: list[mpf]) -> Parameters:
        return {"min": sample[0], "max": sample[-1]}

    def cdf(self, x: mpf, p: Parameters) -> mpf:
        if p["min"] == p["max"]:
            return without_spread(x, p["min"])
        return min(mpf(1), max(mpf(0), (x - p["min"]) / (p["max"] - p["min"])))


class Exponential(Truth):
    def parameters(self, sample: list[mpf]) -> Parameters:
        low = sample[0]
        return {"min": low, "scale": mp.fsum(s - low for s in sample) / len(sample)}

    def cdf(self, x: mpf, p: Parameters) -> mpf:
        if x <= p["min"]:
            return mpf(0)
        if x - p["min"] > 1000 * p["scale"]:
            return mpf(1)
        return -mp.expm1(-(x - p["min"]) / p["scale"])


class Normal(Truth):
    def in_r(self) -> dict[str, str]:
        return {"sd": "sd"}

    def parameters(self, sample: list[mpf]) -> Parameters:
        return dict(zip(("mean", "sd"), mean_and_sd(sample), strict=True))

    def cdf(self, x: mpf, p: Parameters) -> mpf:
        return phi(z_score(x, **p))

    def at_argument(self, x: Array, fitted: dict[str, Array]) -> list[mpf]:
        return [phi(mpf(z)) for z in z_in_doubles(x, **fitted).tolist()]


class Uniform(Normal):
    def cdf(self, x: mpf, p: Parameters) -> mpf:
        z, a, b = z_score(x, **p), mpf(self.scheme.A), mpf(self.scheme.B)
        return min(mpf(1), max(mpf(0), a * z + b))

    def at_argument(self, x: Array, fitted: dict[str, Array]) -> list[mpf]:
        """Return punif(z; -B/A, (1 - B)/A), z and the ends in doubles."""
        a, b = self.scheme.A, self.scheme.B
        low, high = mpf(-b / a), mpf((1 - b) / a)
        z = z_in_doubles(x, **fitted).tolist()
        return [min(mpf(1), max(mpf(0), (mpf(v) - low) / (high - low))) for v in z]


class Kernel(Truth):
    def is_defined(self) -> bool:
        """The Gaussian kernel alone; tests/schemes/test_kernels.py has the others."""
        h = self.scheme.bandwidth
        plain = self.scheme.kernel == "gaussian" and self.scheme.boundary == "none"
        return plain and (h == "nrd0" or not isinstance(h, str))

    def in_r(self) -> dict[str, str]:
        return {"bandwidth": "bw.nrd0"} if self.scheme.bandwidth == "nrd0" else {}

    def parameters(self, sample: list[mpf]) -> Parameters:
        fixed = self.scheme.bandwidth
        return {"sample": sample, "bandwidth": nrd0(sample) if fixed == "nrd0" else mpf(fixed)}

    def cdf(self, x: mpf, p: Parameters) -> mpf:
        return mean_phi([z_score(x, s, p["bandwidth"]) for s in p["sample"]])

    def at_argument(self, x: Array, fitted: dict[str, Array]) -> list[mpf]:
        sample = fitted["sample"][~np.isnan(fitted["sample"])]
        z = z_in_doubles(x[:, np.newaxis], sample, fitted["bandwidth"])
        return [mean_phi([mpf(v) for v in row]) for row in z.tolist()]


def nrd0(sample: list[mpf]) -> mpf:
    """Return 0.9 min(sd, IQR / 1.34) n^(-1/5), with sd where the IQR is 0."""
    n, sd = len(sample), mean_and_sd(sample)[1]

    def quantile(quarters: int) -> mpf:
        j, rest = divmod((n - 1) * quarters, 4)
        return sample[j] + (sample[min(j + 1, n - 1)] - sample[j]) * rest / 4

    spread = (quantile(3) - quantile(1)) / mpf("1.34")
    return mpf("0.9") * (min(sd, spread) if spread > 0 else sd) * mpf(n) ** mpf("-0.2")
