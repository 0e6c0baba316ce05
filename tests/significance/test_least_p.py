"""The smallest p value of a test is that of the scores that attain it, of samples of any size."""

from typing import Any

import numpy as np
import pytest

from cdfscore.stats.significance import mann_whitney
from cdfscore.stats.significance.contract import Sizes

RANK_SUMS: Any = mann_whitney


@pytest.mark.clause("test.11")
@pytest.mark.parametrize("correct", [True, False])
@pytest.mark.parametrize(("n", "m"), [(2, 2), (12, 8), (3, 30), (20, 20), (60, 5)])
def test_of_rank_sums_it_is_the_exact_one_or_that_of_two_constants(
    n: int, m: int, correct: bool
) -> None:
    """Of many scores the exact one is the smaller; of 60 there is none."""
    apart = mann_whitney(np.arange(n), n + np.arange(m), correct=correct).p_value
    constant = mann_whitney(np.zeros(n), np.ones(m), correct=correct).p_value
    settings = RANK_SUMS.settings({"correct": correct})
    least = [RANK_SUMS.least_p(Sizes(n, m, 0, tied=tied), settings) for tied in (True, False)]
    assert least == pytest.approx([min(apart, constant), apart], rel=1e-12, abs=0)
