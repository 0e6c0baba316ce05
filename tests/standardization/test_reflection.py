"""Scores of which lower is better: decimals stay decimals, and nothing else is rounded."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer
from cdfscore.standardization.policies import reflected


@pytest.mark.clause("lower_is_better.2")
def test_a_score_beside_a_decimal_is_no_decimal() -> None:
    """Three doubles from one, farther than any rounding: 1 - x is exact, and stays."""
    for decimal in (0.55, 0.6, 0.7, 0.8, 0.9):
        for steps in (-3, 3):
            x = decimal + steps * np.spacing(decimal)
            (found,) = reflected(1.0, np.array([x])).tolist()
            assert Fraction(found) == 1 - Fraction(float(x))
            assert found != reflected(1.0, np.array([decimal]))[0]


@pytest.mark.clause("lower_is_better.1")
@pytest.mark.parametrize("at", [0.0, 1.0])
def test_reversed_scores_have_the_other_tail(at: float) -> None:
    """By N-std 1 - F(x); by E-std the proportion of scores that are at least x, with ties."""
    wer = pd.DataFrame([[0.2, 0.1, 0.4, 0.2, 0.7]], ["t"], list("abcde"))
    as_they_are, by_n_std, by_e_std = (
        Standardizer(scheme, **how).fit_transform(wer).to_numpy()[0]
        for scheme, how in (
            ("normal", {}),
            ("normal", {"lower_is_better": True, "reflect_at": at}),
            ("empirical", {"lower_is_better": True, "reflect_at": at}),
        )
    )
    assert by_n_std == pytest.approx(1 - as_they_are, rel=1e-13)
    assert by_e_std.tolist() == [4 / 5, 5 / 5, 2 / 5, 4 / 5, 1 / 5]
