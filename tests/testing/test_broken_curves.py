"""`check_distribution` finds what is wrong with y as a function of x, and names it."""

from dataclasses import dataclass

import numpy as np
import pytest

from cdfscore.stats.numerics.moments import count
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray
from cdfscore.stats.schemes import Empirical, Minmax, Normal, Uniform, Z
from cdfscore.stats.schemes.base import Distribution, Scheme
from cdfscore.testing import ContractError, check_distribution


class OneTooFew(Empirical):
    """Counts from 0: (k - 1) / n."""

    def evaluate(self, x: Array, sample: Array) -> Array:
        return np.maximum(super().evaluate(x, sample) - 1 / count(sample), 0)


class BelowOnly(Empirical):
    """Counts scores below x and says that it is right-continuous."""

    def evaluate(self, x: Array, sample: Array) -> Array:
        return Empirical("strict").evaluate(x, sample)


class StepsThatRise(Uniform):
    """Says that it is constant between reference scores."""

    degree_between = 0


class LinesThatBend(Normal):
    """Says that it is straight between reference scores."""

    degree_between = 1


class TwoSided(Uniform):
    """Takes the distance from the mean."""

    def evaluate(self, x: Array, mean: Array, sd: Array) -> Array:
        return super().evaluate(mean + np.abs(x - mean), mean, sd)


@dataclass(frozen=True)
class Unbounded(Distribution):
    """Calls the z-score a cdf."""

    formula = "y = z"
    source = "nowhere"
    minimum_scores = 2
    estimate = Z.estimate
    evaluate = Z.evaluate
    constant = Z.constant

    def support(self, mean: Array, sd: Array) -> tuple[Array, Array]:
        return mean - np.inf, mean + np.inf


class NoLimit(Minmax):
    """Divides 0 by 0 on a constant topic."""

    def evaluate(self, x: Array, min: Array, max: Array) -> Array:
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.clip((x - min) / (max - min), 0, 1)


class HoleAtTheMean(Normal):
    """Has no number near the mean of a topic."""

    def evaluate(self, x: Array, mean: Array, sd: Array) -> Array:
        return np.where(np.abs(x - mean) < sd, np.nan, super().evaluate(x, mean, sd))


class NeverConstant(Normal):
    """Does not say which topics are constant."""

    def constant(self, mean: Array, sd: Array) -> BoolArray:
        return np.zeros(sd.shape, dtype=bool)


class NarrowSupport(Uniform):
    """Gives too narrow a support."""

    def support(self, mean: Array, sd: Array) -> tuple[Array, Array]:
        return mean - sd, mean + sd


class MedianForAll(Uniform):
    """Gives the mean for every p."""

    def inverse(self, p: Array, mean: Array, sd: Array) -> Array:
        return np.broadcast_to(mean, p.shape).copy()


class KnownForNaN(Normal):
    """Gives the common score of a constant topic even where p is NaN."""

    def inverse(self, p: Array, mean: Array, sd: Array) -> Array:
        return np.where(sd > 0, super().inverse(p, mean, sd), mean)


class TooSmall(Empirical):
    """Gives the reference score below the quantile."""

    def inverse(self, p: Array, sample: Array) -> Array:
        return super().inverse(np.maximum(p - 1 / count(sample), 0), sample)


class CrpsOfItsParent(Uniform):
    """Has the CRPS of its parent and another cdf."""

    def evaluate(self, x: Array, mean: Array, sd: Array) -> Array:
        return super().evaluate(x, mean, sd) ** 2

    def inverse(self, p: Array, mean: Array, sd: Array) -> Array:
        return super().inverse(np.sqrt(p), mean, sd)


class CountsOneLess(Empirical):
    """Divides by another number than y."""

    def denominators(self, sample: Array) -> IntArray | None:
        found = super().denominators(sample)
        return None if found is None else found - 1


BROKEN = [
    (OneTooFew(), "cdf reaches 0 and 1 at infinity"),
    (BelowOnly(), "expected no jump, as right_continuous is True"),
    (StepsThatRise(), "degree_between is 0 and y is"),
    (LinesThatBend(), "expected 0 for steps, 1 for straight lines"),
    (TwoSided(), "y does not decrease: y decreases from"),
    (Unbounded(), "expected 0 <= y <= 1"),
    (NoLimit(), "expected a finite number"),
    (HoleAtTheMean(), "y does not decrease: y is NaN at x = 0."),
    (NeverConstant(), "expected [True, False, True]"),
    (NarrowSupport(), "left and right of the support"),
    (MedianForAll(), "left of it; expected y <= p"),
    (KnownForNaN(), "for p = NaN, where two of three topics are constant; expected NaN"),
    (TooSmall(), "expected y >= p"),
    (CrpsOfItsParent(), "the integral of (F(x) - 1{x >= y})^2 over x"),
    (CountsOneLess(), "a whole number divided by its denominator"),
]


@pytest.mark.clause("scheme.2", "scheme.4", "scheme.5", "scheme.10", "check_distribution.1")
@pytest.mark.parametrize(
    ("broken", "fragment"), BROKEN, ids=[type(broken).__name__ for broken, _ in BROKEN]
)
def test_broken_copy_is_caught(broken: Scheme, fragment: str) -> None:
    with pytest.raises(ContractError) as caught:
        check_distribution(broken)
    assert fragment in str(caught.value)
    assert str(caught.value).count("\n") == 0
