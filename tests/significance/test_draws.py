"""Draws as bytes: those of the test, in the order and width that R reads."""

import importlib
from typing import Any

import numpy as np
import pytest

from cdfscore.stats.significance import bootstrap, sign_flips
from cdfscore.stats.significance.contract import significance_tests

DIVISIONS: Any = importlib.import_module("cdfscore.stats.significance.permutation_unpaired")
SHUFFLES: Any = importlib.import_module("cdfscore.stats.significance.randomized_tukey_hsd")

TESTS = [significance_tests.load(name) for name in significance_tests.names()]


def as_numbers(draws):
    """Read the bytes as R does."""
    content = b"".join(draws.encoded())
    assert len(content) == draws.size
    if draws.width:
        return np.frombuffer(content, f"<u{draws.width}").reshape(draws.trials, draws.numbers)
    rows = np.frombuffer(content, np.uint8).reshape(draws.trials, -1)
    return np.unpackbits(rows, axis=1, count=draws.numbers, bitorder="little")


@pytest.mark.clause("test.10")
def test_flips_are_those_of_the_test():
    found = as_numbers(sign_flips.drawn((249, 110), 3000, 7))
    signs = np.concatenate(list(sign_flips.signs(249, 3000, 7)))
    np.testing.assert_array_equal(1.0 - 2.0 * found, signs)


def test_divisions_are_those_of_the_test():
    found = as_numbers(DIVISIONS.drawn((30, 12), 9000, 7))
    np.testing.assert_array_equal(found, np.concatenate(list(DIVISIONS.divisions(30, 12, 9000, 7))))
    assert (found.sum(axis=1) == 30).all()


@pytest.mark.parametrize("n", [20, 300])
def test_resamples_are_those_of_the_test(n):
    found = as_numbers(bootstrap.drawn((n,), 500, 7))
    np.testing.assert_array_equal(found, bootstrap.resamples(n, 500, 7).counts)
    assert (found.sum(axis=1) == n).all()


@pytest.mark.parametrize("systems", [2, 9, 300])
def test_shuffles_are_those_of_the_test(systems):
    scores = np.random.default_rng(0).integers(0, 1000, (25, systems)).astype(float)
    orders = as_numbers(SHUFFLES.drawn(scores.shape, 600, 7)).reshape(600, systems, 25)
    assert (np.sort(orders, axis=1) == np.arange(systems)[:, np.newaxis]).all()
    sums = scores[np.arange(25), orders].sum(axis=2)
    np.testing.assert_array_equal(np.ptp(sums, axis=1), SHUFFLES.drawn_ranges(scores, 600, 7))


@pytest.mark.clause("test.8", "test.10")
@pytest.mark.parametrize("test", [test for test in TESTS if test.draws], ids=lambda t: t.name)
def test_there_are_ten_thousand_and_the_seed_is_0_unless_said_otherwise(test):
    assert (test.defaults["B"], test.defaults["seed"]) == (10_000, 0)


@pytest.mark.clause("test.7")
def test_few_outcomes_are_not_drawn():
    assert sign_flips.drawn((20,), 10, 0) is None
    assert DIVISIONS.drawn((3, 4), 10, 0) is None
    assert bootstrap.drawn((7,), 10, 0) is None
    assert SHUFFLES.drawn((4, 3), 10, 0) is None
