"""What a fitted scheme is asked for and does not have, and settings that exclude each other."""

import numpy as np
import pytest

from cdfscore.errors import SchemeError
from cdfscore.stats.schemes.base import parse_scheme

SCORES = np.array([[0.1, 0.2, 0.4, 0.45, 0.7]])


@pytest.mark.clause("scheme.7")
@pytest.mark.parametrize("scheme", ["z", "raw", "sum"])
def test_a_linear_scheme_has_no_support_no_quantiles_and_no_crps(scheme: str) -> None:
    fitted = parse_scheme(scheme).fit(SCORES)
    with pytest.raises(SchemeError, match=f"{scheme} has no quantile function in closed form"):
        fitted.quantile([[0.5]])
    with pytest.raises(SchemeError, match=f"{scheme} is not a distribution and has no support"):
        _ = fitted.support
    with pytest.raises(SchemeError, match=f"{scheme} is not a distribution and has no CRPS"):
        fitted.crps([[0.5]])


@pytest.mark.clause("scheme.5")
@pytest.mark.parametrize("p", [-1e-300, np.nextafter(1, 2), np.inf])
def test_a_quantile_is_of_a_probability(p: float) -> None:
    fitted = parse_scheme("minmax").fit(SCORES)
    with pytest.raises(SchemeError, match=r"p has a value outside \[0, 1\]; a probability is exp"):
        fitted.quantile([[0.5, p]])
    assert fitted.quantile([[0.0, 1.0]]).tolist() == [[0.1, 0.7]]


@pytest.mark.clause("kernel.3")
def test_the_beta_kernel_is_no_other_one() -> None:
    with pytest.raises(SchemeError) as caught:
        parse_scheme("kernel:kernel=biweight,boundary=beta")
    assert str(caught.value) == (
        "kernel: kernel=biweight is not accepted with boundary=beta, which is a kernel itself; "
        "expected no kernel setting"
    )
