"""LogitNormal: N-std of the logits, the logit itself, and what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

from cdfscore.errors import FitError
from cdfscore.stats.schemes import LogitNormal, Normal
from cdfscore.stats.schemes._rows import logit


@given(st.floats(5e-324, 1 - 2**-53))
def test_logit_is_exact_to_2_ulp(x: float) -> None:
    with mp.workdps(50):
        true = mp.log(mpf(x)) - mp.log1p(-mpf(x))
        error = abs(mpf(float(logit(np.array(x)))) - true)
    assert error <= 2 * np.spacing(abs(float(true)))


@pytest.mark.clause("logit_normal.1")
@given(st.lists(st.floats(0.001, 0.999), min_size=2, max_size=40).filter(lambda s: len({*s}) > 1))
def test_is_n_std_of_the_logits(sample: list[float]) -> None:
    logits = logit(np.array(sample))
    if np.ptp(logits) > 1e-9:
        y, expected = LogitNormal().fit(sample)(sample), Normal().fit(logits)(logits)
        np.testing.assert_array_equal(y, expected)


@pytest.mark.clause("logit_normal.1", "beta.3")
@pytest.mark.parametrize(
    ("sample", "fragment"),
    [
        (
            [0, 0.5, 1],
            "1 is exactly 0 and 1 is exactly 1, where the logit is infinite; ends=shrink m",
        ),
        ([0.2, 1.2], r"1\.2, and logit_normal:ends=raise is a distribution on \[0, 1\]"),
        ([1e-5, np.nextafter(1e-5, 1)], "that their logits are equal"),
    ],
)
def test_refusals(sample: list[float], fragment: str) -> None:
    padded = np.full((3, 3), np.nan)
    padded[:, :2] = 0.2, 0.4
    padded[1, : len(sample)] = sample
    with pytest.raises(FitError, match=f"row 1: .*{fragment}") as caught:
        LogitNormal().fit(padded)
    assert list(caught.value.rows) == [1]
