"""The linear schemes."""

from __future__ import annotations

from mpmath import mp, mpf

from validation.campaign.truth.base import Parameters, Truth, mean_and_sd, z_score


class Raw(Truth):
    def parameters(self, sample: list[mpf]) -> Parameters:
        return {}

    def cdf(self, x: mpf, p: Parameters) -> mpf:
        return x


class Z(Truth):
    def in_r(self) -> dict[str, str]:
        return {"sd": "sd"}

    def parameters(self, sample: list[mpf]) -> Parameters:
        return dict(zip(("mean", "sd"), mean_and_sd(sample), strict=True))

    def cdf(self, x: mpf, p: Parameters) -> mpf:
        return z_score(x, **p)


class Sum(Truth):
    def parameters(self, sample: list[mpf]) -> Parameters:
        return {"min": sample[0], "total": mp.fsum(s - sample[0] for s in sample)}

    def cdf(self, x: mpf, p: Parameters) -> mpf:
        return z_score(x, p["min"], p["total"])


class Max(Truth):
    def parameters(self, sample: list[mpf]) -> Parameters:
        return {"min": sample[0], "max": sample[-1]}

    def cdf(self, x: mpf, p: Parameters) -> mpf:
        return z_score(x, mpf(0), p["max"])


class Centered(Truth):
    def parameters(self, sample: list[mpf]) -> Parameters:
        return {"mean": mean_and_sd(sample)[0], "spread": sample[-1] - sample[0]}

    def cdf(self, x: mpf, p: Parameters) -> mpf:
        return x - p["mean"]
