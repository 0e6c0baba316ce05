"""On real topics, standardized sums of precisions are standardized average precision."""

from __future__ import annotations

import numpy as np
import pytest

from cdfscore.stats.schemes.base import schemes
from validation.parity.matrices import Matrix

# A family on [0, 1] or [0, infinity) takes no sum of precisions, or no score of 0; raw and centered
# have the unit of the score.
SCALED = [
    name
    for name in schemes.names()
    if name not in ("raw", "centered") and np.isinf(schemes.load(name)().domain).all()
]


@pytest.mark.parametrize("name", SCALED)
def test_number_of_relevant_documents_does_not_matter(
    name: str, matrices: list[Matrix], long: bool
) -> None:
    """SP = AP R for R relevant documents: the same for each system of a topic."""
    scheme, rng = schemes.parse(name), np.random.default_rng(2019)
    step = 1 if long else 5
    averages = [matrix.scores[::step] for matrix in matrices if matrix.name.endswith("_ap.csv")]
    assert len(averages) >= 10
    for average in averages:
        relevant = rng.integers(1, 1000, (len(average), 1))
        expected = scheme.fit(average)(average)
        found = scheme.fit(average * relevant)(average * relevant)
        if name == "empirical":
            assert np.array_equal(found, expected)  # a tie stays a tie
        else:
            np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)
