"""Five fitted families beside their cdf and their maximum of the likelihood at 50 digits."""

import numpy as np
import pytest
from mpmath import mp, mpf

from cdfscore.stats.schemes.base import parse_scheme
from validation.campaign.inputs import trial
from validation.campaign.truth import truth_of
from validation.campaign.truth.base import exact

SEED = 2019


@pytest.mark.clause("beta_binomial.1", "mixture.1")
@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("beta_binomial", 0),
        ("johnson_su", 1),
        ("logspline", 2),
        ("mixture", 3),
        ("zero_inflated", 2),
    ],
)
def test_y_at_the_parameters_and_from_the_scores(name: str, number: int) -> None:
    scheme = parse_scheme(name)
    truth = truth_of(scheme)
    assert truth is not None
    one = trial(SEED, scheme, number)
    fitted = scheme.fit(one.sample)
    x = one.x[~np.isnan(one.x)]
    with mp.workdps(50):
        p = truth.near(exact(one.present), fitted.parameters)
        of_scores = np.array([float(truth.cdf(mpf(v), p)) for v in x.tolist()])
        at = np.array([float(v) for v in truth.at_argument(x, fitted.parameters)])
    y = fitted(x)
    assert np.all(scheme.tolerance.distance(y, of_scores) <= scheme.tolerance.ulp)
    assert np.all(scheme.tolerance.distance(y, at) <= scheme.tolerance.ulp)
