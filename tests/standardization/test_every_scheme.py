"""Every scheme of the catalogue through the Standardizer, against the array-level scheme."""

import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer, parse_scheme, scheme_names
from cdfscore.datasets import load_cranfield
from tests.suited import suited

SPELLINGS = [
    *scheme_names(),
    "empirical:convention=mid",
    "empirical:convention=strict",
    "from_scipy:dist=gamma,floc=-1",
    "kernel:bandwidth=0.05",
    "uniform:A=0.3,B=0.4",
]


@pytest.fixture
def scores(spelling: str) -> pd.DataFrame:
    """Average precision on 30 topics, made to have ties, a constant topic and a zero topic."""
    scores = load_cranfield("ap").iloc[:30].round(3)
    scores.iloc[4] = 0.25
    scores.iloc[5] = 0.0
    return suited(parse_scheme(spelling), scores)


@pytest.mark.clause("standardizer.1")
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_transform_is_the_array_level_scheme(scores, spelling) -> None:
    x = scores.to_numpy()
    expected = parse_scheme(spelling).fit(x)(x)
    y = Standardizer(spelling).fit_transform(scores).to_numpy()
    assert y.tobytes() == expected.tobytes()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_other_systems_are_the_array_level_scheme(scores, spelling) -> None:
    reference, others = scores.iloc[:, :40], scores.iloc[:, 40:]
    expected = parse_scheme(spelling).fit(reference.to_numpy())(others.to_numpy())
    y = Standardizer(spelling).fit(reference).transform(others).to_numpy()
    assert y.tobytes() == expected.tobytes()


@pytest.mark.clause("standardizer.1")
@pytest.mark.one_in(6)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_topics_do_not_touch_one_another(scores, spelling) -> None:
    """Neither the order of the topics nor the company of others changes a bit."""
    standardizer = Standardizer(spelling)
    expected = standardizer.fit_transform(scores)
    order = np.random.default_rng(8).permutation(len(scores))
    factors = standardizer.fit(scores.iloc[order])
    pd.testing.assert_frame_equal(factors.transform(scores), expected, check_exact=True)
    alone = pd.concat([standardizer.fit_transform(scores.iloc[[row]]) for row in (0, 4, 11)])
    pd.testing.assert_frame_equal(alone, expected.iloc[[0, 4, 11]], check_exact=True)
