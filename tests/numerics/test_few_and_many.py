"""NumPy, for few scores, and compiled code, for many, give the same bits."""

import ast
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from cdfscore.diagnosis import criteria
from cdfscore.stats.numerics import compiled as blocks
from cdfscore.stats.numerics.moments import (
    mean,
    mean_and_sd,
    mean_of_two_doubles,
    single_pass_mean,
    total,
)
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes.empirical import count_at_most, count_below
from cdfscore.stats.schemes.kernel import normal_sums

SCORES = st.one_of(
    st.floats(-1e6, 1e6), st.floats(-1e-300, 1e300), st.sampled_from([0.1, 0.2, 0.25, 1.0, 2.0**53])
)
MATRICES = arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=20), elements=SCORES)


def both(function: Callable[[], Array]) -> list[Array]:
    """Return what a function does of few scores, and after many."""
    results = []
    for so_far in (0, 1 << 60):
        with pytest.MonkeyPatch.context() as context:
            context.setattr(blocks, "_so_far", so_far)
            results.append(function())
    return results


@given(MATRICES, st.randoms(use_true_random=False))
def test_exact_means(scores: Array, random) -> None:
    scores = scores.copy()
    for _ in range(random.randrange(4)):
        scores[random.randrange(len(scores)), random.randrange(scores.shape[1])] = np.nan
    few, many = both(lambda: mean_of_two_doubles(scores))
    np.testing.assert_array_equal(few.view(np.int64), many.view(np.int64))


@given(
    arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=12), elements=SCORES),
    st.lists(st.floats(-50, 50) | st.just(np.nan), max_size=5),
    st.sampled_from([0.0, 1e-3, 0.1, 1.0, 1e5]),
    st.integers(1, 12),
)
def test_sums_of_gaussian_kernels(
    sample: Array, places: list[float], scale: float, most: int
) -> None:
    """At the scores and so many scales from the first, also of fewer scores than there are."""
    sample = np.sort(sample)
    n = np.minimum(most, np.full(len(sample), sample.shape[1]))
    sample[:, n[0] :] = np.nan
    x = np.hstack([sample, sample[:, :1] + np.array(places) * scale])
    results = both(lambda: normal_sums(x, sample, n, np.full(len(sample), scale)))
    np.testing.assert_array_equal(*results)


@given(
    arrays(np.float64, array_shapes(min_dims=2, max_dims=3, max_side=12), elements=st.floats(0, 1)),
    st.sampled_from([0.0, 1e-9, 1e-3, 0.2]),
    st.integers(0, 17),
)
def test_distances_from_a_cdf(center: Array, half: float, decimals: int) -> None:
    """Of cells with ties, and of some at 0 and 1; by Python, and compiled."""
    center = np.sort(center.round(decimals))
    cells = np.clip(center - half, 0, 1), np.clip(center + half, 0, 1)
    found = []
    for least in (center.size + 1, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(criteria, "_MANY", least)
            found.append(criteria.statistics(*cells))
    np.testing.assert_array_equal(*(each.view(np.int64) for each in found))


@given(
    arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=12), elements=SCORES),
    arrays(np.float64, 3, elements=SCORES),
    st.booleans(),
)
def test_counts_of_scores(sample: Array, x: Array, below: bool) -> None:
    sample, count = np.sort(sample), count_below if below else count_at_most
    x = np.hstack([sample, np.broadcast_to(x, (len(sample), 3))])
    np.testing.assert_array_equal(*both(lambda: count(sample, x)))


@given(MATRICES, st.sampled_from([total, single_pass_mean, mean, mean_of_two_doubles, mean_and_sd]))
def test_moments(scores: Array, function: Callable[[Array], Array]) -> None:
    few, many = both(lambda: np.stack(function(scores)))
    np.testing.assert_array_equal(few.view(np.int64), many.view(np.int64))


def test_all_that_depends_on_the_number_of_scores_is_compared() -> None:
    """The functions that ask are those above: a new one needs a test as well."""
    asking = set()
    for path in Path(blocks.__file__).parents[2].rglob("*.py"):
        functions = [
            f for f in ast.walk(ast.parse(path.read_text())) if isinstance(f, ast.FunctionDef)
        ]
        asking |= {f"{path.stem}.{f.name}" for f in functions if "is_compiled" in names_of(f)}
    assert asking == {"kernel.normal_sums", "empirical._count", "moments._by_rows"}


def names_of(function: ast.FunctionDef) -> set[str]:
    return {each.id for each in ast.walk(function) if isinstance(each, ast.Name)}
