"""A distribution of the user's own, as the documentation of `Distribution` invites."""

from dataclasses import dataclass

import numpy as np
import pytest

from cdfscore import Distribution, Standardizer, save_factors
from cdfscore.errors import FactorsError, OutputError


@dataclass(frozen=True)
class Logistic(Distribution):
    """The logistic distribution of the median and a fixed steepness."""

    steepness: float = 4.0

    formula = "y = 1 / (1 + exp(-steepness (x - median)))"
    source = "the test"

    def estimate(self, scores):
        return {"median": np.nanmedian(scores, axis=-1, keepdims=True)}

    def evaluate(self, x, median):
        return 1 / (1 + np.exp(-self.steepness * (x - median)))

    def support(self, median):
        return median - np.inf, median + np.inf


@dataclass(frozen=True)
class Student(Distribution):
    """A mean, an sd and one parameter more: 2 degrees of freedom, by their closed form."""

    formula = "y = 1/2 + t / (2 sqrt(2 + t^2)) with t = (x - mean) / sd"
    source = "the test"

    def estimate(self, scores):
        mean, sd = scores.mean(axis=-1, keepdims=True), scores.std(axis=-1, keepdims=True)
        return {"mean": mean, "sd": sd, "degrees": np.full_like(mean, 2.0)}

    def evaluate(self, x, mean, sd, degrees):
        with np.errstate(divide="ignore", invalid="ignore"):
            t = (x - mean) / sd
            y = 0.5 + t / (2 * np.sqrt(degrees + t * t))
        return np.where(sd > 0, y, np.where(x == mean, 0.5, x > mean))

    def support(self, mean, sd, degrees):
        return mean - np.inf, mean + np.inf

    def constant(self, mean, sd, degrees):
        return np.equal(sd, 0)


def test_it_is_fitted_and_applied_topic_by_topic(reference, others) -> None:
    factors = Standardizer(Logistic(steepness=2.0)).fit(reference)
    y = factors.transform(others)
    # The medians of topics 353, 351 and 352 are 0.25, 0.25 and 0.6.
    distance = {"353": 0.0, "351": 0.1, "352": -0.1}
    for topic, x in distance.items():
        assert y.loc[topic, "new"] == pytest.approx(1 / (1 + np.exp(-2.0 * x)))
    assert str(factors.fitted.scheme) == "logistic:steepness=2.0"
    assert factors.standardize(others).means.loc["new", "mean"] == pytest.approx(y["new"].mean())


def test_a_class_of_a_name_in_the_catalogue_is_not_taken_for_it(reference, tmp_path) -> None:
    Normal = type("Normal", (Logistic,), {})
    with pytest.raises(FactorsError, match="is not in the catalogue"):
        save_factors(Standardizer(Normal()).fit(reference), tmp_path / "factors.json")


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("limit", [0.0, 0.5, 1.0]),
        ("half", [0.5, 0.5, 0.5]),
        ("matters", [0.5 - 1 / 12**0.5, 0.5, 0.5 + 1 / 12**0.5]),  # t is -1, 0, 1
        ("urbano2019", [0.5 - 2 / 24**0.5, 0.5 - 1 / 12**0.5, 0.5]),  # t is -2, -1, 0
    ],
)
def test_policies_reach_a_scheme_of_mean_sd_and_more(reference, policy, expected) -> None:
    scores = reference.iloc[:1, :3]
    scores.loc["351"] = -1.0
    factors = Standardizer(Student(), constant=policy).fit(scores)
    scores.loc["351"] = [-2.0, -1.0, 0.0]
    assert factors.transform(scores).loc["351"].tolist() == pytest.approx(expected)


def test_a_file_is_refused_where_it_cannot_be(reference, tmp_path) -> None:
    with pytest.raises(OutputError, match="is a folder; expected the name of a file"):
        save_factors(Standardizer("normal").fit(reference), tmp_path)
