"""Means that are equal are the same double, where the scores are whole multiples."""

import numpy as np
import pytest

from cdfscore.standardization.standardized import with_ties


@pytest.mark.clause("means.3")
def test_means_that_are_tied_are_the_exact_one() -> None:
    tenths = [[1, 3, 2, 7], [2, 2, 2, 7], [7, 2, 3, 1], [1, 1, 1, 2], [0, 0, 1, 0], [1, 0, 0, 0]]
    scores = np.array(tenths) / 10
    above = np.nextafter(0.325, 1)
    # Three are tied, and one mean is off; one is alone, and off; two are tied, and off alike.
    means = np.array([0.325, above, 0.325, above, above, above])
    expected = [0.325, 0.325, 0.325, above, above, above]
    assert with_ties(means, scores).tolist() == expected
    assert means[1] == above
