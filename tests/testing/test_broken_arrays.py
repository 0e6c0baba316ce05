"""`check_distribution` finds faults in handling arrays and settings, and names them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from cdfscore.stats.numerics.moments import mean_and_sd
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes import Empirical, Minmax, Normal, Uniform, Z
from cdfscore.stats.schemes.base import Parameters, Scheme
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
    (AcceptsOne(), "scores with only 1 in row 1 that are not NaN were accepted"),
    (Thawed(), "expected @dataclass(frozen=True)"),
    (Demanding(1.0), "weight has no default"),
    (Undescribed(), "has no docstring"),
    (NoFormula(), "formula is ' '"),
]


@pytest.mark.clause("scheme.1", "scheme.9", "scheme.10", "check_distribution.1")
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
