"""A test states how far a number of it may be from R, and why."""

from __future__ import annotations

import re

import numpy as np
import pytest

from cdfscore.errors import SignificanceError
from cdfscore.numerics.tolerance import Tolerance
from cdfscore.numerics.types import Array
from cdfscore.significance.contract import Rows, paired, significance_tests


def mean_of(x: Array) -> Rows:
    return Rows(statistic=x.mean(axis=1), p_value=1.0)


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


@pytest.mark.parametrize("f", [2.0**-9, 0.01, 0.3, 1.0, 12.6])
def test_the_f_of_two_ways_may_differ_by_1e_12_of_it(f: float) -> None:
    tolerance = significance_tests.load("anova_two_way").tolerances["statistic"]
    near, far = (tolerance.distance(np.array([f]), np.array([f * (1 + d)])) for d in (4e-13, 2e-12))
    assert near < tolerance.ulp < far
