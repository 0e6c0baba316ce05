"""A test states how far a number of it may be from R, and why."""

import re

import numpy as np
import pytest

from cdfscore.errors import SignificanceError
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance.contract import Rows, one_sample, paired, significance_tests


def mean_of(x: Array) -> Rows:
    return Rows(statistic=x.mean(axis=1), p_value=1.0)


def test_a_test_states_its_own() -> None:
    stated = Tolerance(2e6, "R subtracts from 1", floor=2**-10)
    test = one_sample(source="none", tolerances={"p_value": stated})(mean_of)
    assert test.tolerances["p_value"] is stated
    assert test.tolerances["statistic"].ulp == 450
    assert one_sample(source="none")(mean_of).tolerances["p_value"].ulp == 450_000


@pytest.mark.parametrize(
    ("stated", "sentence"),
    [
        (
            {"p": Tolerance(2e6, "R subtracts from 1")},
            "mean_of: a tolerance is stated for 'p'; expected one of estimate, stderr,",
        ),
        ({"p_value": Tolerance(2e6, "")}, "mean_of: the tolerance of p_value: Tolerance("),
        (
            {"p_value": Tolerance(10**15, "far", floor=1.0)},
            "mean_of: the tolerance of p_value: Tolerance(ulp=1000000000000000, reason='far', "
            "floor=1.0, real=None) is too large; expected at most 4.5e9 ulp",
        ),
    ],
)
def test_a_tolerance_of_nothing_or_without_a_reason_is_refused(
    stated: dict[str, Tolerance], sentence: str
) -> None:
    with pytest.raises(SignificanceError, match=f"^{re.escape(sentence)}"):
        paired(source="none", tolerances=stated)(mean_of)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", significance_tests.names())
def test_a_floor_is_a_size_that_its_number_can_have(name: str) -> None:
    """Or 0, for none. Probabilities are 1 at most."""
    tolerances = significance_tests.load(name).tolerances
    assert all(each.floor >= 0 for each in tolerances.values())
    assert max(tolerances[number].floor for number in ("p_value", "p_adjusted")) <= 1


@pytest.mark.parametrize("name", significance_tests.names())
def test_both_ends_of_an_interval_have_one_tolerance(name: str) -> None:
    """They are each other's when the samples change places, but for the sign."""
    tolerances = significance_tests.load(name).tolerances
    assert tolerances["conf_low"] == tolerances["conf_high"]


@pytest.mark.parametrize("f", [2.0**-9, 0.01, 0.3, 1.0, 12.6])
def test_the_f_of_two_ways_may_differ_by_1e_12_of_it(f: float) -> None:
    tolerance = significance_tests.load("anova_two_way").tolerances["statistic"]
    near, far = (tolerance.distance(np.array([f]), np.array([f * (1 + d)])) for d in (4e-13, 2e-12))
    assert near < tolerance.ulp < far
