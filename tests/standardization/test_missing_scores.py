"""What a missing score gets, in the reference systems and in the systems standardized."""

import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer
from cdfscore.errors import FactorsError, MissingScoreError

NAN = np.nan


@pytest.fixture
def gappy(reference) -> pd.DataFrame:
    """The reference systems, of which two failed on topic 352."""
    reference.loc["352", ["bm25", "tfidf"]] = NAN
    return reference


@pytest.mark.clause("missing.1")
def test_raise_names_the_first_missing_score(gappy, reference) -> None:
    expected = "reference scores, topic '352', system 'bm25': the score is missing .2 missing in"
    with pytest.raises(MissingScoreError, match=expected):
        Standardizer("empirical").fit(gappy)
    factors = Standardizer("empirical").fit(reference.fillna(0.5))
    with pytest.raises(MissingScoreError, match=r"^scores, topic '352', system 'bm25': the score"):
        factors.transform(gappy)


@pytest.mark.clause("missing.1")
def test_omit_fits_on_the_others_and_leaves_the_gap(gappy, others) -> None:
    factors = Standardizer("empirical", missing="omit").fit(gappy)
    assert factors.n.tolist() == [4, 2, 4]
    y = factors.transform(gappy)
    assert y.loc["352"].tolist() == pytest.approx([NAN, 1 / 2, 2 / 2, NAN], nan_ok=True)
    # Of 0.5 and 0.7 the reference systems have one score at most 0.5.
    assert factors.transform(others).loc["352"].tolist() == [1 / 2, 2 / 2]


@pytest.mark.clause("means.1")
def test_a_system_without_any_score_has_no_mean(reference, others) -> None:
    others["new"] = NAN
    for scheme in ("empirical", "normal", "raw"):
        means = Standardizer(scheme, missing="omit").fit(reference).standardize(others).means
        assert np.isnan(means.loc["new", "mean"])
        assert means.loc["new", "topics"] == 0


@pytest.mark.clause("missing.1")
def test_zero_is_a_score_of_zero(gappy) -> None:
    factors = Standardizer("empirical", missing="zero").fit(gappy)
    assert factors.n.tolist() == [4, 4, 4]
    # Sorted, topic 352 has 0, 0, 0.5, 0.7.
    assert factors.transform(gappy).loc["352"].tolist() == [2 / 4, 3 / 4, 4 / 4, 2 / 4]
    filled = Standardizer("empirical").fit(gappy.fillna(0.0))
    pd.testing.assert_frame_equal(
        factors.transform(gappy), filled.transform(gappy.fillna(0.0)), check_exact=True
    )


@pytest.mark.clause("missing.1")
def test_drop_topic_leaves_the_topic_out_of_the_fit(gappy, others) -> None:
    factors = Standardizer("empirical", missing="drop_topic").fit(gappy)
    assert factors.topics == ("351", "353")
    assert factors.dropped == ("352",)
    assert factors.n.tolist() == [4, 4]
    # Topic 352 has no factors, because it was dropped: it is dropped again, not refused.
    assert factors.transform(others).index.tolist() == ["353", "351"]
    assert factors.standardize(others).means["topics"].tolist() == [2, 2]


def test_drop_topic_does_not_hide_an_unknown_topic(gappy, others) -> None:
    factors = Standardizer("empirical", missing="drop_topic").fit(gappy)
    with pytest.raises(FactorsError, match="1 of 1 topic has no factors, such as '401"):
        factors.transform(others.loc[["352", "351"]].set_axis(["352", "401"]))
