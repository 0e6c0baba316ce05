"""The empirical distribution: E-std."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from cdfscore.errors import SchemeError
from cdfscore.numerics.moments import count
from cdfscore.numerics.sample import count_at_most, count_below
from cdfscore.numerics.types import Array, BoolArray, IntArray
from cdfscore.schemes import Distribution, Parameters

Convention = Literal["weak", "strict", "mid"]


@dataclass(frozen=True)
class Empirical(Distribution):
    """E-std: the share of reference systems that a score reaches.

    y = #{i : x_i <= x} / n over the n reference scores; Urbano, Lima and Hanjalic (2019),
    Eq. 7. It is a whole number over n, correctly rounded, as R's ``ecdf(scores)(x)``.
    `convention` says what a tie counts: "weak" counts x_i <= x (Eq. 7), "strict" x_i < x,
    "mid" the mean of the two. Scores have shape (..., n); y has no unit and lies in [0, 1].

    Constant topic: the formula holds as it stands; at the common score y is 1 (weak), 0
    (strict) or 1/2 (mid).

    Raises `SchemeError` for another convention, and `FitError` for a topic without
    reference scores.

    Examples
    --------
    >>> Empirical().fit([0.1, 0.2, 0.2, 0.3])([0.0, 0.2, 0.3]).tolist()
    [0.0, 0.75, 1.0]
    """

    convention: Convention = "weak"

    formula = "y = #{i: x_i <= x} / n"
    source = "Urbano, Lima and Hanjalic (2019), Eq. 7"
    needs_spread = False

    def __post_init__(self) -> None:
        if self.convention not in get_args(Convention):
            raise SchemeError(
                f"empirical: convention={self.convention} is not accepted; "
                f"expected {' or '.join(map(repr, get_args(Convention)))}"
            )

    @property
    def right_continuous(self) -> bool:  # type: ignore[override]
        return self.convention == "weak"

    def estimate(self, scores: Array) -> Parameters:
        return {"sample": np.sort(scores, axis=-1)}

    def evaluate(self, x: Array, sample: Array) -> Array:
        numerator, denominator = self.ratio(x, sample)
        y: Array = numerator / denominator
        missing = np.isnan(x)
        if missing.any():
            y[missing] = np.nan
        return y

    def ratio(self, x: Array, sample: Array) -> tuple[IntArray, IntArray]:
        """Return the counts and the number that they are out of; see `Scheme.ratio`."""
        n = count(sample)
        match self.convention:
            case "weak":
                return count_at_most(sample, x), n
            case "strict":
                return count_below(sample, x), n
            case "mid":
                return count_at_most(sample, x) + count_below(sample, x), 2 * n

    def inverse(self, p: Array, sample: Array) -> Array:
        """Return the smallest reference score with F >= p (R's quantile type 1)."""
        n = count(sample)
        rank = np.clip(np.ceil(n * np.where(np.isnan(p), 0.0, p)), 1, n)
        # ceil(n p) is one too many where n p was rounded up from a whole number.
        rank = np.where((rank > 1) & ((rank - 1) / n >= p), rank - 1, rank)
        quantiles = np.take_along_axis(sample, rank.astype(np.int64) - 1, axis=-1)
        return np.where(np.isnan(p), np.nan, quantiles)

    def support(self, sample: Array) -> tuple[Array, Array]:
        return sample[..., :1], np.fmax.reduce(sample, axis=-1, keepdims=True)

    def constant(self, sample: Array) -> BoolArray:
        low, high = self.support(sample)
        return np.equal(low, high)
