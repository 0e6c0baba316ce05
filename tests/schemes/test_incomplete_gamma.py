"""The incomplete gamma function where its factors overflow or vanish."""

import mpmath
import numpy as np
import pytest

from cdfscore.stats.schemes.gamma import lower_gamma


@pytest.mark.parametrize("shape", [0.01, 4.8, 10.0, 50.0, 110.0, 139.9, 500.0])
def test_right_of_the_mean_and_far_out(shape: float) -> None:
    x = np.array([1.01 * shape, 1.45 * shape, 3 * shape, 7 * shape + 5, 2 * shape + 799])
    far = np.array([2 * shape + 801, 1e10, 1e100, 1e308, np.inf])
    found = lower_gamma(np.array([[shape]]), np.concatenate([x, far])[np.newaxis])[0]
    with mpmath.workdps(40):
        expected = [float(mpmath.gammainc(shape, 0, v, regularized=True)) for v in x.tolist()]
    np.testing.assert_allclose(found[:5], expected, rtol=1e-14)
    assert (found[5:] == 1).all()
