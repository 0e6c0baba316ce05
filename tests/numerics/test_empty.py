"""Arrays without rows or without scores: numbers of the right shape, and no error of NumPy."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cdfscore.stats.numerics import moments
from cdfscore.stats.numerics.compiled import all_finite, as_rows
from cdfscore.stats.numerics.multiples import (
    denominators,
    exact_means,
    numerators,
    shifted_differences,
)
from cdfscore.stats.numerics.normal_cdf import normal_cdf
from cdfscore.stats.numerics.offset import pearson_r, without_common_offset, without_offset
from cdfscore.stats.numerics.quantiles import invert
from cdfscore.stats.numerics.ranks import counts, midranks, sorted_midranks, tie_sum
from cdfscore.stats.numerics.student_t import (
    interval,
    is_constant,
    lower_tail,
    noncentrality_interval,
)
from cdfscore.stats.numerics.student_t import p_value as p_of_t
from cdfscore.stats.numerics.tails import p_value
from cdfscore.stats.numerics.tolerance import Tolerance, doubles_of, ordinals, ulp_distance
from cdfscore.stats.numerics.types import Array

ROWS, ALL, BOTH = ("rows",), ("rows", "n"), (("rows", "n"), ("rows", "n"))
#: What a function returns of x (rows, n), and the shape of it or of each of its results.
FUNCTIONS: dict[str, tuple[Callable[[Array], Any], tuple[Any, ...]]] = {
    "without_offset": (without_offset, ALL),
    "without_common_offset": (lambda x: without_common_offset(x, x), (ALL, ALL, ROWS)),
    "one sample": (lambda x: without_common_offset(x, np.ones((len(x), 3)))[0], ALL),
    "the other": (lambda x: without_common_offset(np.ones((len(x), 3)), x)[1], ALL),
    "pearson_r": (lambda x: pearson_r(x, x), ROWS),
    "denominators": (denominators, ROWS),
    "shifted_differences": (lambda x: shifted_differences(x, x, 0.5), (ALL, ROWS)),
    "numerators": (lambda x: numerators(x, np.ones((len(x), 1), np.int64)), ALL),
    "exact_means": (lambda x: exact_means(x, np.ones((len(x), 1), np.int64)), ("n",)),
    "midranks": (midranks, (ALL, ROWS)),
    "sorted_midranks": (sorted_midranks, BOTH),
    "tie_sum": (tie_sum, ROWS),
    "counts": (lambda x: counts(x, x).excess(), ROWS),
    "mean_and_sd": (moments.mean_and_sd, (("rows", 1), ("rows", 1))),
    **{
        name: (getattr(moments, name), ("rows", 1))
        for name in ("count", "total", "single_pass_mean", "mean")
    },
    "mean_of_two_doubles": (moments.mean_of_two_doubles, (("rows", 1), ("rows", 1))),
    "normal_cdf": (normal_cdf, ALL),
    "ordinals": (lambda x: doubles_of(ordinals(x)), ALL),
    "as_rows": (as_rows, ALL),
    "all_finite": (all_finite, ()),
    "invert": (lambda x: invert(lambda own: own, x, 0.0, 1.0), ALL),
    "lower_tail": (lambda x: lower_tail(x, 5.0, x), ALL),
    "noncentrality_interval": (lambda x: noncentrality_interval(x, 5.0, 0.9), BOTH),
    "p_value": (lambda x: p_value(x, 9, False), BOTH),
    "p of t": (lambda x: p_of_t(x, 5.0, "two-sided"), ALL),
    "interval": (lambda x: interval(x, x, 5.0, "two-sided", 0.9), BOTH),
    "is_constant": (lambda x: is_constant(x, x), ALL),
    "distance": (lambda x: Tolerance(4, "a test").distance(x, x), ALL),
    "ulp_distance": (lambda x: ulp_distance(x, x), ALL),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("sizes", [(0, 3), (3, 0), (0, 0)])
def test_every_function_takes_empty_arrays(name: str, sizes: tuple[int, int]) -> None:
    function, expected = FUNCTIONS[name]
    known = dict(zip(("rows", "n"), sizes, strict=True))
    found = function(np.zeros(sizes))
    several = bool(expected) and isinstance(expected[0], tuple)
    for each, shape in zip(found, expected, strict=True) if several else [(found, expected)]:
        assert np.shape(each) == tuple(known.get(size, size) for size in shape)


def test_numbers_of_no_scores() -> None:
    none = np.zeros((2, 0))
    assert np.isnan(pearson_r(none, none)).all()
    assert denominators(none).tolist() == [1, 1]
    assert np.isnan(exact_means(none.T, np.ones((0, 1), np.int64))).all()
    x, y, offset = without_common_offset(none, np.array([[5.0, 5.0], [0.0, 5.0]]))
    assert (x.shape, y.tolist(), offset.tolist()) == ((2, 0), [[0, 0], [0, 5]], [5, 0])
