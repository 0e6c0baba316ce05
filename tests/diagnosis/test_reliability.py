"""Reliability of topics: against R and by hand, with missing scores, and in a diagnosis."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from cdfscore import diagnose
from cdfscore.diagnosis import topic_reliability
from cdfscore.errors import ScoresError
from cdfscore.r.session import RSession


def scores(topics: int = 9, systems: int = 7, seed: int = 1) -> np.ndarray:
    random = np.random.default_rng(seed)
    return random.beta(1, 2, (topics, 1)) + 0.2 * random.random((topics, systems))


@pytest.mark.clause("topic_reliability.1")
def test_r_gives_the_same(rinterface: ModuleType) -> None:
    in_r = rinterface.evalr(
        "function(x, n) { X <- matrix(x, n)\n"
        "sapply(1:n, function(t) cor(X[t, ], colMeans(X[-t, , drop = FALSE], na.rm = TRUE),"
        ' use = "complete.obs")) }'
    )
    session = RSession()
    for seed, holes in ((1, 0), (2, 4), (3, 9)):
        matrix = scores(seed=seed)
        matrix.ravel()[np.random.default_rng(seed).permutation(matrix.size)[:holes]] = np.nan
        given = session.vector(matrix.ravel(order="F")), rinterface.IntSexpVector([len(matrix)])
        assert_allclose(topic_reliability(matrix), np.array(in_r(*given)), rtol=1e-12)


@pytest.mark.clause("topic_reliability.1")
def test_by_hand() -> None:
    """The second and the third topic agree; the first has their mean upside down."""
    matrix = [[3, 2, 1], [1, 2, 3], [1, 2, 3]]
    assert topic_reliability(matrix).tolist() == pytest.approx([-1, np.nan, np.nan], nan_ok=True)
    two = topic_reliability([[1, 2, 4], [2, 1, 5]])
    assert two == pytest.approx([stats.pearsonr([1, 2, 4], [2, 1, 5]).statistic] * 2)


def test_no_unit_and_no_offset_of_all_topics_matters() -> None:
    matrix = scores()
    expected = topic_reliability(matrix)
    assert_allclose(topic_reliability(2**40 * matrix), expected, rtol=1e-12)
    assert_allclose(topic_reliability(-matrix), expected, rtol=1e-12)
    assert_allclose(topic_reliability(matrix + np.arange(9.0)[:, np.newaxis]), expected, rtol=1e-9)
    order = np.random.default_rng(4).permutation(9)
    assert_allclose(topic_reliability(matrix[order]), expected[order], rtol=1e-12)


def test_undefined_reliabilities() -> None:
    assert np.isnan(topic_reliability(scores(1))).all()  # no other topic
    assert np.isnan(topic_reliability(scores(4, 1))).all()  # one system
    constant = scores(3)
    constant[1] = 0.5
    assert np.isnan(topic_reliability(constant)).tolist() == [False, True, False]
    absent = scores(3)
    absent[0, 1:] = np.nan
    assert np.isnan(topic_reliability(absent)).tolist() == [True, False, False]
    for bad in ([0.1, 0.2], np.zeros((2, 2, 2))):
        with pytest.raises(ScoresError, match=r"expected \(topics, systems\)"):
            topic_reliability(bad)


@pytest.mark.clause("topic_reliability.1", "censored.1")
def test_a_diagnosis_has_reliabilities_and_censored_scores() -> None:
    matrix = pd.DataFrame(scores(6, 30), index=[f"t{i}" for i in range(6)])
    matrix.iloc[2, 3] = 9.0
    matrix.iloc[4] = 0.5
    found = diagnose(matrix, ["uniform", "normal"], bootstrap=0).fits.set_index(["scheme", "topic"])
    for scheme in ("uniform:A=0.15,B=0.5", "normal"):
        own = found.loc[scheme]
        assert_allclose(own["reliability"], topic_reliability(matrix))
        z = (matrix.sub(matrix.mean(axis=1), axis=0)).div(matrix.std(axis=1), axis=0)
        above = (0.15 * z + 0.5 > 1).sum(axis=1) if scheme != "normal" else 0 * z.sum(axis=1)
        assert own["censored_at_1"].tolist() == [*above[:4], 0, above.iloc[5]]
        assert own["censored_at_0"].sum() == 0
    assert found.loc[("uniform:A=0.15,B=0.5", "t2"), "censored_at_1"] == 1
