"""Scores near the largest double: fitted, or refused by a fit error, and no warning before it."""

import contextlib

import numpy as np
import pytest

from cdfscore.errors import FitError
from cdfscore.stats.schemes.base import schemes

LARGEST = 1.7976931348623157e308
SAMPLES = [
    [-LARGEST, LARGEST, *np.linspace(0.1, 1.0, 10)],
    [-LARGEST, LARGEST] * 6,
    [-LARGEST, *[LARGEST] * 11],
    [-1.7e308, 1e308] * 6,
    [LARGEST / 2, LARGEST, LARGEST, LARGEST] * 3,
]


@pytest.mark.clause("scheme.7")
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ["max", "sum", "z"])
def test_a_quotient_above_the_largest_double_is_infinite(name: str) -> None:
    fitted = schemes.parse(name).fit([0.0, 5e-324, 1e-323])
    assert fitted([-1e300, 1e300]).tolist() == [-np.inf, np.inf]


@pytest.mark.clause("scheme.3")
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("name", [*schemes.names(), "kernel:bandwidth=altman_leger"])
def test_an_overflow_is_a_fit_error_alone(name: str, sample: list[float]) -> None:
    with contextlib.suppress(FitError):
        fitted = schemes.parse(name).fit([sample, sample])
        assert all(np.isfinite(values).all() for values in fitted.parameters.values())
