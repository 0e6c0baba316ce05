"""The front door: base R, through rpy2.robjects, beside cdfscore.stats."""

import itertools
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from cdfscore import datasets
from cdfscore.stats import (
    Empirical,
    Kernel,
    Normal,
    Uniform,
    adjust,
    paired_t,
    wilcoxon_signed_rank,
)

RANDOM = np.random.default_rng(20190721).beta(2, 3, (8, 40))
REAL = datasets.load_cranfield("ap").to_numpy()[3:11]


@pytest.fixture(scope="module")
def r(rinterface: ModuleType) -> Any:
    """R as a user of rpy2 has it; `rinterface` has started it, as `verify` does."""
    from rpy2.robjects import r

    return r


def vector(values: np.ndarray) -> Any:
    import rpy2.robjects as robjects

    return robjects.FloatVector(values.tolist())


@pytest.mark.clause("normal.1", "uniform.1", "empirical.1", "kernel.1")
@pytest.mark.parametrize("scores", [RANDOM, REAL], ids=["random", "real"])
def test_schemes(r: Any, scores: np.ndarray) -> None:
    for x in scores:
        own, mean, sd = vector(x), float(x.mean()), float(np.std(x, ddof=1))
        half, width = 10 / 3 * sd, r["bw.SJ"](own)[0]  # U-std: 0.5 + 0.15 z
        smooth = [np.mean(r["pnorm"](vector((each - x) / width))) for each in x]
        for scheme, y in [
            (Normal(), r["pnorm"](own, mean, sd)),
            (Uniform(), r["punif"](own, mean - half, mean + half)),
            (Empirical(), r["ecdf"](own)(own)),
            (Kernel(bandwidth="sj"), smooth),
        ]:
            np.testing.assert_allclose(scheme.fit(x)(x), np.array(y), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("scores", [RANDOM, REAL], ids=["random", "real"])
def test_tests(r: Any, scores: np.ndarray) -> None:
    p = []
    for x, y in itertools.pairwise(scores):
        theirs = r["t.test"](vector(x), vector(y), paired=True)
        ours = paired_t(x, y)
        p.append(ours.p_value)
        np.testing.assert_allclose(ours.statistic, theirs.rx2("statistic")[0], rtol=1e-12)
        np.testing.assert_allclose(ours.p_value, theirs.rx2("p.value")[0], rtol=1e-11)
        np.testing.assert_allclose(
            [ours.conf_low, ours.conf_high], np.array(theirs.rx2("conf.int")), rtol=1e-11
        )
        signed = r["wilcox.test"](vector(x), vector(y), paired=True, exact=False)
        np.testing.assert_allclose(
            wilcoxon_signed_rank(x, y, exact=False).p_value, signed.rx2("p.value")[0], rtol=1e-11
        )
    for method in ("holm", "hochberg", "hommel", "bonferroni", "BH", "BY"):
        theirs = np.array(r["p.adjust"](vector(np.array(p)), method))
        np.testing.assert_allclose(adjust(p, method), theirs, rtol=1e-14)
