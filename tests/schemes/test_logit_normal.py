"""LogitNormal: N-std of the logits, the logit itself, and what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

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
