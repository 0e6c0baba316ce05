"""The critical difference: the least difference with p <= alpha, also at its printed values."""

import numpy as np
import pytest

from cdfscore.stats.significance import nemenyi, tukey_hsd
from cdfscore.stats.significance.contract import significance_tests

HAVE_ONE = [
    test
    for test in map(significance_tests.load, significance_tests.names())
    if test.critical_difference is not None
]
# Demsar (2006), Table 5a: q of the Nemenyi test, over sqrt(2), for 2 to 10 classifiers.
TABLE_5A = {
    0.05: (1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164),
    0.10: (1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920),
}


def pairs(systems: int) -> list[tuple[int, int]]:
    return list(zip(*map(list, np.triu_indices(systems, 1)), strict=True))


def test_tests_of_one_variance_for_all_pairs_have_one() -> None:
    assert [test.name for test in HAVE_ONE] == ["nemenyi", "tukey_hsd"]


@pytest.mark.clause("critical_difference.1")
@pytest.mark.parametrize("alpha", [0.5, 0.05, 1e-4])
@pytest.mark.parametrize("test", HAVE_ONE, ids=lambda test: test.name)
def test_it_parts_the_pairs_by_their_p_values(test, alpha: float) -> None:
    rng = np.random.default_rng(5)
    scores = rng.normal(np.linspace(0, 4, 9), 1, (12, 9))
    found = test(scores, pairs(9))
    critical = test.critical_difference(found, 9, alpha)
    below = np.abs(found.estimate) < critical
    assert 0 < below.sum() < 36
    np.testing.assert_array_equal(below, found.p_value > alpha)


@pytest.mark.clause("critical_difference.1")
@pytest.mark.parametrize("alpha", TABLE_5A)
def test_the_table_of_demsar(alpha: float) -> None:
    for systems, printed in enumerate(TABLE_5A[alpha], start=2):
        n = 10
        scores = np.random.default_rng(1).uniform(size=(n, systems))
        found = nemenyi(scores, pairs(systems))
        critical = nemenyi.critical_difference(found, systems, alpha)  # type: ignore[misc]
        stderr = np.sqrt(systems * (systems + 1) / (6 * n))
        assert critical / stderr == pytest.approx(printed, abs=1.1e-3)


@pytest.mark.clause("critical_difference.1")
def test_it_is_undefined_with_the_test() -> None:
    found = tukey_hsd([[0.1, 0.2], [0.2, 0.3]], pairs(2))
    assert np.isnan(tukey_hsd.critical_difference(found, 2, 0.05))  # type: ignore[misc]
