"""What the page on numbers of topics claims."""

from types import ModuleType

import numpy as np
import pytest

from cdfscore import datasets
from cdfscore.models.goals import OneWay
from tests.claims import claim
from tests.models.pilots import with_variance


@claim(
    "docs/topics.md",
    "`power.anova.test` calls `qf`, which treats more than 400,000 degrees of freedom as "
    "infinitely many. Its power for 72 systems and 10,000 topics is off by up to 4e-5",
)
def test_power_anova_test_of_many_topics(rinterface: ModuleType) -> None:
    power = rinterface.evalr(
        "function(d) power.anova.test(groups = 72, n = 10000, between.var = d^2 / (2 * 71), "
        "within.var = 0.1)$power"
    )
    off = [
        power(rinterface.FloatSexpVector([d]))[0]
        - OneWay(difference=d, systems=72).at(10_000, with_variance(0.1, 72))
        for d in np.linspace(0.01, 0.04, 13).tolist()
    ]
    assert np.abs(off).max() == pytest.approx(4e-5, rel=0.1)
    qf = rinterface.evalr("function(df) qf(0.95, 71, df)")
    many, more = (qf(rinterface.FloatSexpVector([df]))[0] for df in (400_001, 4e8))
    assert many == more
    assert qf(rinterface.FloatSexpVector([399_999]))[0] != many


@claim(
    "docs/topics.md", "the differences of some pairs have 800 times the variance of those of others"
)
def test_variances_of_pairs() -> None:
    covariance = np.cov(datasets.load_cranfield("ap").to_numpy().T)
    own = np.diag(covariance)
    first, second = np.triu_indices(len(own), 1)
    variances = (own[:, None] + own - 2 * covariance)[first, second]
    assert variances.max() / variances.min() == pytest.approx(800, rel=0.05)
