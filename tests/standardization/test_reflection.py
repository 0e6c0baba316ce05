"""Scores of which lower is better: decimals stay decimals, and nothing else is rounded."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from cdfscore.standardization.policies.direction import reflected


def test_a_decimal_becomes_the_nearest_double_of_a_decimal() -> None:
    for decimals in (1, 3, 12):
        k = np.random.default_rng(decimals).integers(0, 10**decimals, 500)
        expected = [float(Fraction(10**decimals - i, 10**decimals)) for i in k.tolist()]
        assert reflected(1.0, k / 10**decimals).tolist() == expected


def test_a_score_beside_a_decimal_is_no_decimal() -> None:
    """Three doubles from one, farther than any rounding: 1 - x is exact, and stays."""
    for decimal in (0.55, 0.6, 0.7, 0.8, 0.9):
        for steps in (-3, 3):
            x = decimal + steps * np.spacing(decimal)
            (found,) = reflected(1.0, np.array([x])).tolist()
            assert Fraction(found) == 1 - Fraction(float(x))
            assert found != reflected(1.0, np.array([decimal]))[0]
