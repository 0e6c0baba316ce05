"""The studentized range: both tails of its closed forms, values at 22 digits, inverses."""

import numpy as np
import pytest

from cdfscore.stats.significance.studentized_range import (
    range_upper_tail,
    upper_quantile,
    upper_tail,
)

# (groups, df, q, P(Q > q)): the double integral by Gauss-Legendre rules in mpmath, 22 digits.
TRUE = [
    (110, np.inf, 5.0, 0.52439939554514186247),
    (110, np.inf, 30.0, 4.3241900063844983966e-96),
    (1000, np.inf, 45.0, 1.7209517558020685801e-216),
    (110, 27032.0, 6.0, 0.072926864583962557687),
    (110, 27032.0, 45.0, 2.1903619501148876648e-214),
    (50, 2.0, 50.0, 0.0082264624983435337495),
    (2, 10.0, 100.0, 7.8032129345543014884e-15),
    (110, 1.0, 100.0, 0.040537867196474410076),
    (110, 30.0, 12.0, 6.7342611758966038557e-6),
]


@pytest.mark.parametrize(("groups", "df", "q", "tail"), TRUE)
def test_true_values(groups: int, df: float, q: float, tail: float) -> None:
    assert upper_tail(q, groups, df) == pytest.approx(tail, rel=2e-12, abs=0)


@pytest.mark.parametrize(
    ("groups", "known"),
    [(2, 2 / np.sqrt(np.pi)), (3, 3 / np.sqrt(np.pi)), (20, 3.73495), (1000, 6.48287)],
)
def test_expected_range(groups: int, known: float) -> None:
    """The mean range is the integral of its tail, and that of 2 or 3 normals is known."""
    w = np.linspace(0, 20, 4001)[1:]
    mean = (w[1] - w[0]) * (range_upper_tail(w, groups).sum() + 0.5)
    # Tippett (1925); Harter (1960) table of expected ranges.
    assert mean == pytest.approx(known, abs=2e-5)


def test_edges() -> None:
    q = np.array([[-1.0, 0.0, np.nan], [np.inf, 1e-300, 1e300]])
    for df in (1.0, 5.0, 30000.0, np.inf):
        tail = upper_tail(q, 5, df)
        assert tail.shape == q.shape
        assert tail[0, 0] == tail[0, 1] == 1
        assert np.isnan(tail[0, 2])
        assert tail[1, 0] == 0
        assert tail[1, 1] == pytest.approx(1, rel=1e-11)
        assert 0 <= tail[1, 2] < 1e-290
    assert upper_tail(np.array([]), 5, 3.0).shape == (0,)


@pytest.mark.clause("tukey_hsd.1")
def test_published_table() -> None:
    """Upper 5 percent points of common tables, three decimals (Harter, 1960)."""
    for groups, df, q in [(2, 5, 3.635), (3, 10, 3.877), (10, 20, 5.008), (20, 60, 5.241)]:
        assert upper_quantile(0.05, groups, float(df)) == pytest.approx(q, abs=6e-4)
