"""The fewest scores from which each test gives a p value, written down apart from the tests."""

from typing import Any

import numpy as np
import pytest

from cdfscore.errors import SignificanceError
from cdfscore.stats.significance import student_t
from cdfscore.stats.significance.contract import PairsTogether, SignificanceTest
from tests.significance.test_contract import TESTS, arguments, run, samples

#: A count, or a rank, of a single topic is one; a standard deviation takes two, and Pearson's
#: t has n - 2 degrees of freedom.
ONE = {
    "kolmogorov_smirnov",
    "mann_whitney",
    "permutation",
    "permutation_unpaired",
    "randomized_tukey_hsd",
    "sign",
    "wilcoxon_signed_rank",
}
THREE = {"pearson"}


@pytest.mark.clause("test.5")
@pytest.mark.parametrize(
    "test", [test for test in TESTS if test is not student_t], ids=lambda test: test.name
)
def test_fewer_give_none(test: SignificanceTest[Any]) -> None:
    least = 1 if test.name in ONE else 3 if test.name in THREE else 2
    given = arguments(test)
    result = run(test, *(array[:least] for array in given))
    assert np.isfinite(result.p_value).all()
    fewer = [array[: least - 1] for array in given]
    if isinstance(test, PairsTogether):
        assert np.isnan(run(test, *fewer).p_value).all()
    else:
        with pytest.raises(SignificanceError, match=f"at least {least} (is|are) needed"):
            run(test, *fewer)


@pytest.mark.clause("student_t.1", "student_t.3")
def test_student_s_t_takes_one_score_in_one_of_the_samples() -> None:
    x = samples(1, 3)
    assert student_t(x[:1], x[1:]).parameter == 1
    with pytest.raises(SignificanceError, match="each sample has only one score"):
        student_t(x[:1], x[1:2])
    with pytest.raises(SignificanceError, match="x has 0 scores, but at least 1 is needed"):
        student_t(x[:0], x)
