"""Any family of distributions with a point mass at 0."""

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from cdfscore.errors import FitError, SchemeError
from cdfscore.stats.numerics.moments import count
from cdfscore.stats.numerics.numbers import finite_number
from cdfscore.stats.numerics.quantiles import invert
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array, BoolArray
from cdfscore.stats.schemes._rows import extremes
from cdfscore.stats.schemes.base import (
    Distribution,
    Fitted,
    Parameters,
    refuse_rows,
    schemes,
    setting_error,
)

# Prefix of the names of the family's parameters.
_OF_FAMILY = "family_"


@dataclass(frozen=True)
class ZeroInflated(Distribution):
    """Point mass at 0, and another distribution for the other scores of a topic.

    y = p [x >= at] + (1 - p) G(x), where p is the proportion of reference scores that are
    equal to `at`, and G is the cdf of `family` fitted to the other scores. This is the maximum
    likelihood estimate if the fit of the family is (Lambert 1992 for counts). `family` is written
    like a scheme, with brackets and semicolons: "gamma", "kernel(bandwidth=0.1;kernel=cosine)".
    `at` is 0, or another frequent score such as 1. Scores have shape (..., n); y has no unit and
    lies in [0, 1].

    Constant topic: if all scores are `at`, y is 0 left of it and 1 from it on. If the scores other
    than `at` are all equal, or there is only one, G is the limit of the family: 0 left of the
    common score, 1/2 at it for most families, and 1 right of it.

    Raises `SchemeError` if the family is not a distribution, and `FitError` if the family cannot
    be fitted to the scores other than `at`.

    Specified in zero_inflated.1 to zero_inflated.3.

    Examples
    --------
    >>> fitted = ZeroInflated(family="minmax").fit([0.0, 0.0, 0.2, 0.6])
    >>> fitted([-0.1, 0.0, 0.4, 0.6]).round(4).tolist()
    [0.0, 0.5, 0.75, 1.0]
    """

    family: str = "beta"
    at: float = 0.0

    formula = "y = p [x >= at] + (1 - p) G(x), G fitted to the scores other than at"
    source = "Lambert (1992), Eq. 1 and 2, for counts; here for any family"

    def __post_init__(self) -> None:
        if finite_number(self.at) is None:
            raise setting_error(self.name, "at", self.at, "a finite number")
        _ = self.component  # an unknown family is told here, not at the fit

    @cached_property
    def component(self) -> Distribution:
        spelled = self.family if isinstance(self.family, str) else ""
        spelling = re.fullmatch(r"\s*(\w+)\s*(?:\((.*)\))?\s*", spelled)
        if spelling is None:
            expected = "a distribution such as gamma or kernel(bandwidth=0.1)"
            raise setting_error(self.name, "family", self.family, expected)
        name, settings = spelling.groups()
        try:
            found = schemes.parse(f"{name}:{settings.replace(';', ',')}" if settings else name)
        except SchemeError as error:
            raise SchemeError(f"{self.name}: family: {error}") from None
        if not isinstance(found, Distribution) or isinstance(found, ZeroInflated):
            expected = "a distribution that is not zero-inflated itself"
            raise setting_error(self.name, "family", self.family, expected)
        return found

    @property
    def needs_spread(self) -> bool:
        return self.component.needs_spread

    @property
    def right_continuous(self) -> bool:
        return self.component.right_continuous

    @property
    def degree_between(self) -> int | None:
        return self.component.degree_between

    def reference(self, parameters: Parameters) -> Array:
        own = {k.removeprefix(_OF_FAMILY): v for k, v in parameters.items() if k != "share"}
        return self.component.reference(own)

    @property
    def domain(self) -> tuple[float, float]:
        low, high = self.component.domain
        return min(low, self.at), max(high, self.at)

    @property
    def grid(self) -> float | None:
        return self.component.grid

    @property
    def seconds_to_fit(self) -> float:
        return 10 * self.component.seconds_to_fit

    @property
    def free_parameters(self) -> int | None:
        of_family = self.component.free_parameters
        return None if of_family is None else of_family + 1

    @property
    def tolerance(self) -> Tolerance:
        of = self.component.tolerance  # no relative error grows
        return replace(of, ulp=of.ulp + 3, real=None if of.real is None else of.real + 3)

    def parameter_names(self) -> list[str]:
        return ["share", *(_OF_FAMILY + name for name in self.component.parameter_names())]

    def estimate(self, scores: Array) -> Parameters:
        zero = scores == self.at
        share = zero.sum(axis=-1, keepdims=True) / count(scores)
        others = np.where(zero, np.nan, scores)
        low, high = extremes(others)
        # A single value that occurs less often than the family requires is used as a constant
        # sample; without any value, the family is fitted to an arbitrary one, which has weight 0.
        least = self.component.minimum_scores
        few = ~(low < high) & (count(others) < max(least, 1))
        if few.any():
            missing = np.full((*others.shape[:-1], max(0, least - others.shape[-1])), np.nan)
            point = np.where(np.isnan(low), self.at, low)
            others = np.where(few, point, np.concatenate([others, missing], axis=-1))
        try:
            fitted = self.component.fit(others)
        except FitError as error:
            reasons = error.rows
            bad = np.isin(np.arange(count(others).size), list(reasons))
            refuse_rows(
                bad.reshape(others.shape[:-1]),
                lambda row: f"of the scores other than {self.at:g}: {reasons[row]}",
            )
            raise  # an error that is not about rows
        return {
            "share": share,
            **{_OF_FAMILY + name: values for name, values in fitted.parameters.items()},
        }

    def evaluate(self, x: Array, share: Array, **parameters: Array) -> Array:
        y = share * (x >= self.at) + (1 - share) * self._family(parameters)(x)
        return np.where(np.isnan(x), np.nan, y)

    def inverse(self, p: Array, share: Array, **parameters: Array) -> Array:
        low, high = self.support(share, **parameters)
        return invert(lambda x: self.evaluate(x, share, **parameters), p, low, high)

    def support(self, share: Array, **parameters: Array) -> tuple[Array, Array]:
        low, high = (end[..., np.newaxis] for end in self._family(parameters).support)
        only, none = share == 1, share == 0
        return (
            np.where(only, self.at, np.where(none, low, np.minimum(low, self.at))),
            np.where(only, self.at, np.where(none, high, np.maximum(high, self.at))),
        )

    def constant(self, share: Array, **parameters: Array) -> BoolArray:
        of_family = self._family(parameters).constant[..., np.newaxis]
        return np.asarray((share == 1) | ((share == 0) & of_family))

    def _family(self, parameters: dict[str, Any]) -> Fitted:
        names = {name.removeprefix(_OF_FAMILY): values for name, values in parameters.items()}
        return Fitted(self.component, names)
