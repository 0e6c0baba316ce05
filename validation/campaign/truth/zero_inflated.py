"""A point mass with the truth of another family."""

from __future__ import annotations

from typing import Any

from mpmath import mpf

from cdfscore.stats.numerics.types import Array
from validation.campaign.truth.base import Parameters, Truth, exact


class ZeroInflated(Truth):
    shared = False
    limited = False
    every = 11

    def __init__(self, scheme: Any) -> None:
        from validation.campaign.truth import truth_of

        super().__init__(scheme)
        self.inner = truth_of(scheme.component)

    def is_defined(self) -> bool:
        return self.inner is not None

    def near(self, sample: list[mpf], fitted: dict[str, Array]) -> Parameters:
        at = mpf(self.scheme.at)
        others = [s for s in sample if s != at]
        inner = self.inner.near(others or [at], _of_family(fitted))
        share = mpf(len(sample) - len(others)) / len(sample)
        return {"share": share, **{"family_" + name: value for name, value in inner.items()}}

    def cdf(self, x: mpf, p: Parameters) -> mpf:
        return self._with(x, p["share"], self.inner.cdf(x, _of_family(p)))

    def at_argument(self, x: Array, fitted: dict[str, Array]) -> list[mpf]:
        inner, share = self.inner.at_argument(x, _of_family(fitted)), exact(fitted["share"])[0]
        return [self._with(mpf(v), share, y) for v, y in zip(x.tolist(), inner, strict=True)]

    def _with(self, x: mpf, share: mpf, y: mpf) -> mpf:
        return share * int(x >= self.scheme.at) + (1 - share) * y


def _of_family(values: dict[str, Any]) -> dict[str, Any]:
    return {k.removeprefix("family_"): v for k, v in values.items() if k.startswith("family_")}
