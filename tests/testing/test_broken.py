"""`check_distribution` finds faults in settings, in handling arrays and in y, and names them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from cdfscore.stats.numerics.moments import count, mean_and_sd
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray
from cdfscore.stats.schemes import Empirical, Minmax, Normal, Uniform, Z
from cdfscore.stats.schemes.base import Distribution, Parameters, Scheme
from cdfscore.testing import ContractError, check_distribution


class ForgetsMissingX(Empirical):
    """Gives a number for NaN."""

    def evaluate(self, x: Array, sample: Array) -> Array:
        return np.nan_to_num(super().evaluate(x, sample), nan=0.0)


class ForgetsMissingScores(Minmax):
    """Takes NaN for 0."""

    def estimate(self, scores: Array) -> Parameters:
        return super().estimate(np.nan_to_num(scores))


class SortsItsInput(Empirical):
    """Sorts the reference scores where they stand."""

    def estimate(self, scores: Array) -> Parameters:
        scores.sort(axis=-1)
        return {"sample": scores.copy()}


class KeepsItsInput(Empirical):
    """Keeps the array of the reference scores instead of a copy."""

    def estimate(self, scores: Array) -> Parameters:
        sample = super().estimate(scores)["sample"]
        scores[...] = sample
        return {"sample": scores}


class WritesToX(Normal):
    """Computes in the memory of x."""

    def evaluate(self, x: Array, mean: Array, sd: Array) -> Array:
        x[...] = super().evaluate(x, mean, sd)
        return x


class FirstTopicForAll(Normal):
    """Uses the parameters of the first topic for each."""

    def evaluate(self, x: Array, mean: Array, sd: Array) -> Array:
        first = (0,) * (mean.ndim - 1)
        return super().evaluate(x, np.full_like(mean, mean[first]), np.full_like(sd, sd[first]))


class SumsOverTopics(Normal):
    """Takes mean and sd over the whole matrix."""

    def estimate(self, scores: Array) -> Parameters:
        mean, sd = mean_and_sd(scores.reshape(-1))
        return {"mean": mean, "sd": sd}


@dataclass(frozen=True)
class KeepsAFunction(Uniform):
    """Has a function for a setting."""

    shape: Callable[[float], float] = lambda t: t


class Noisy(Normal):
    """Draws its parameters."""

    noise: ClassVar[np.random.Generator] = np.random.default_rng(1)

    def estimate(self, scores: Array) -> Parameters:
        mean, sd = mean_and_sd(scores)
        return {"mean": mean + 0 * sd, "sd": sd * (1 + 1e-9 * self.noise.random())}


class AcceptsOne(Normal):
    """Says that one score is enough, and makes up an sd for it."""

    minimum_scores = 2

    def fit(self, scores: Any) -> Any:
        values = np.array(scores, dtype=float)
        lone = np.isfinite(values).sum(axis=-1) == 1
        if values.ndim and lone.any():
            values[lone, 1] = values[lone, 0] if values.ndim > 1 else values[0]
        return super().fit(values)


@dataclass
class Thawed(Scheme):  # type: ignore[misc]
    """Is not frozen."""

    estimate = Z.estimate
    evaluate = Z.evaluate


@dataclass(frozen=True)
class Demanding(Normal):
    """Has a setting without default."""

    weight: float


@dataclass(frozen=True)
class Undescribed(Normal):
    pass


@dataclass(frozen=True)
class NoFormula(Normal):
    """States no formula."""

    formula = " "


# ---- y as a function of x


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
    (ForgetsMissingX(), "expected nan, NaN there only"),
    (ForgetsMissingScores(), "expected 0.0, as without those scores"),
    (SortsItsInput(), "fit changed the reference scores"),
    (KeepsItsInput(), "fit changed the reference scores"),
    (WritesToX(), "the fitted scheme changed the x it was given"),
    (FirstTopicForAll(), "as for that row alone"),
    (SumsOverTopics(), "estimate returned an array of float64 of shape (1,) for mean, for scores"),
    (KeepsAFunction(), "expected a number, text or None"),
    (Noisy(), "of a second fit"),
    (AcceptsOne(), "scores of which only 1 are not NaN in row 1 were accepted"),
    (Thawed(), "expected @dataclass(frozen=True)"),
    (Demanding(1.0), "Demanding has no default for the setting weight; expected one"),
    (Undescribed(), "has no docstring"),
    (NoFormula(), "formula is ' '"),
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


@pytest.mark.clause("scheme.1", "scheme.2", "scheme.4", "scheme.5", "scheme.9", "scheme.10")
@pytest.mark.clause("check_distribution.1")
@pytest.mark.parametrize(
    ("broken", "fragment"), BROKEN, ids=[type(broken).__name__ for broken, _ in BROKEN]
)
def test_broken_copy_is_caught(broken: Scheme, fragment: str) -> None:
    with pytest.raises(ContractError) as caught:
        check_distribution(broken)
    assert fragment in str(caught.value)
    assert str(caught.value).count("\n") == 0


class AcceptsNothing(Normal):
    """Fits scores that are not there as if they were zeros."""

    def fit(self, scores: Any) -> Any:
        values = np.asarray(scores, dtype=float)
        return super().fit(values if values.size else np.zeros((*values.shape[:-1], 2)))


def test_an_empty_array_that_is_accepted_is_caught() -> None:
    with pytest.raises(
        ContractError, match=r"scores of shape \(3, 0\) were accepted; expected Fit"
    ):
        check_distribution(AcceptsNothing())


class Unspeakable(NoFormula):
    """Has no spelling."""

    def __str__(self) -> str:
        raise ValueError


def test_a_scheme_that_cannot_be_spelled_is_called_by_its_class() -> None:
    with pytest.raises(ContractError, match=r"^Unspeakable: documentation is there: formula is"):
        check_distribution(Unspeakable())


@pytest.mark.clause("scheme.10")
@pytest.mark.parametrize("given", [Normal, "normal", None])
def test_what_is_no_scheme_is_refused(given: Any) -> None:
    with pytest.raises(ContractError, match="is not a scheme; expected an instance of a class der"):
        check_distribution(given)
