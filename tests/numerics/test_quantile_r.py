"""Quantiles of type 7: worked by hand, as properties, and against NumPy."""

import numpy as np
import pytest

from cdfscore.stats.numerics.quantiles import quantile_r

# Of 1, 2, 4, 8, worked by hand from Table 1 of Hyndman and Fan (1996).
WORKED = {0.0: 1, 0.2: 1.6, 0.3: 1.9, 0.5: 3, 0.9: 6.8, 1.0: 8}


def test_worked_values() -> None:
    found = quantile_r([8, 2, 4, 1], list(WORKED))
    assert found.tolist() == pytest.approx(list(WORKED.values()), rel=1e-15)


def test_infinite_scores() -> None:
    x = [-np.inf, 0, 1, np.inf, np.inf]
    assert quantile_r(x, [0, 0.1, 0.5, 0.6, 0.75, 0.9]).tolist() == [
        *(-np.inf, -np.inf, 1.0, np.inf, np.inf, np.inf)
    ]
    assert np.isnan(quantile_r([-np.inf, np.inf], 0.5)).all()
