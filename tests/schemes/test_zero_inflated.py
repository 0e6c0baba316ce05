"""A point mass beside any family: shares, spelling, refusals, and the twin of a twin."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore import Standardizer, load_factors, parse_scheme, save_factors
from cdfscore.errors import FitError, SchemeError
from cdfscore.standardization.policies import fit_where_possible
from cdfscore.stats.schemes import Normal, ZeroInflated
from tests.verified import verify


@pytest.mark.clause("zero_inflated.1")
@given(
    zeros=st.integers(0, 20),
    others=st.lists(st.integers(1, 100), min_size=2, max_size=20, unique=True),
    x=st.lists(st.floats(-0.5, 1.5), min_size=1, max_size=5),
)
def test_it_is_the_mixture_of_two_samples(zeros, others, x) -> None:
    sample = np.array([0.0] * zeros + [k / 100 for k in others])
    y = ZeroInflated(family="normal").fit(np.random.default_rng(1).permutation(sample))(x)
    of_others = Normal().fit([k / 100 for k in others])(x)
    p = zeros / len(sample)
    expected = np.where(np.array(x) >= 0, p, 0.0) + (1 - p) * of_others
    assert y == pytest.approx(expected, rel=1e-14, abs=1e-300)


@pytest.mark.clause("zero_inflated.1", "zero_inflated.2")
def test_the_point_may_be_elsewhere() -> None:
    fitted = ZeroInflated(family="minmax", at=1.0).fit([0.2, 0.6, 1.0, 1.0])
    assert fitted([0.2, 0.4, 0.9, 1.0]).round(12).tolist() == [0.0, 0.25, 0.5, 1.0]
    assert fitted.support == (0.2, 1.0)
    assert fitted.quantile([0.25, 0.5, 0.6, 1.0]).round(12).tolist() == [0.4, 0.6, 1.0, 1.0]


@pytest.mark.clause("zero_inflated.3")
@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([0.0, 0.0, 0.0], [0.0, 1.0, 1.0, 1.0, 1.0]),  # nothing but zeros
        ([0.0, 0.0, 0.4], [0.0, 2 / 3, 2 / 3, 2 / 3 + 1 / 6, 1.0]),  # one other score
        ([0.0, 0.4, 0.4], [0.0, 1 / 3, 1 / 3, 2 / 3, 1.0]),  # equal ones
        ([0.4, 0.4, 0.4], [0.0, 0.0, 0.0, 0.5, 1.0]),
    ],
)
def test_a_family_without_spread_has_its_limit(scores, expected) -> None:
    y = ZeroInflated(family="normal").fit(scores)([-0.1, 0.0, 0.3, 0.4, 0.5])
    assert y == pytest.approx(expected, abs=1e-15)


def test_refusals_of_the_family_are_told_of_the_other_scores() -> None:
    scheme = ZeroInflated(family="from_scipy(dist=gamma;floc=0)")
    _, rows, refused = fit_where_possible(scheme, np.array([[0.0, 0.2, -0.3], [0.0, 0.2, 0.4]]))
    assert rows.tolist() == [1]
    assert refused[0].startswith("of the scores other than 0: ")
    with pytest.raises(FitError, match=r"^row 0: of the scores other than 0: "):
        scheme.fit([[0.0, 0.2, -0.3]])


@pytest.mark.clause("zero_inflated.1")
@pytest.mark.parametrize(
    ("spelling", "message"),
    [
        ("zero_inflated:family=nromal", "did you mean 'normal'"),
        ("zero_inflated:family=raw", "expected a distribution that is not zero-inflated"),
        ("zero_inflated:family=zero_inflated", "not zero-inflated itself"),
        ("zero_inflated:family=normal(", r"family='normal\(' is not accepted; expected a distri"),
        ("zero_inflated:family=kernel(width=2)", "kernel has no setting 'width'"),
    ],
)
def test_bad_settings(spelling, message) -> None:
    with pytest.raises(SchemeError, match=message):
        parse_scheme(spelling)


def test_parameters_of_the_family_are_counted() -> None:
    assert ZeroInflated(family="normal").free_parameters == 3
    assert ZeroInflated(family="kernel").free_parameters is None


@pytest.fixture
def scores() -> pd.DataFrame:
    """Topics with many zeros, one without, one with nothing else."""
    values = np.random.default_rng(7).random((6, 12)).round(3)
    values[np.random.default_rng(8).random(values.shape) < 0.4] = 0.0
    values[1] = np.linspace(0.1, 0.9, 12)
    values[2] = 0.0
    return pd.DataFrame(values, index=list("abcdef"), columns=[f"s{i}" for i in range(12)])


@pytest.mark.parametrize("policy", ["limit", "half", "nan", "urbano2019"])
def test_policies_and_factors(scores, policy, tmp_path) -> None:
    if policy == "urbano2019":
        with pytest.raises(SchemeError, match="is defined for"):
            Standardizer("zero_inflated:family=normal", constant=policy)
        return
    factors = Standardizer("zero_inflated:family=normal", constant=policy).fit(scores)
    assert factors.constant_topics == ["c"]
    save_factors(factors, tmp_path / "f.json")
    loaded = load_factors(tmp_path / "f.json")
    y = factors.transform(scores)
    pd.testing.assert_frame_equal(loaded.transform(scores), y, check_exact=True)
    at = {"limit": 1.0, "half": 0.5, "nan": np.nan}[policy]
    assert np.array_equal(y.loc["c"].unique(), [at], equal_nan=True)


@pytest.mark.one_in(3)
@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize("via", ["rpy2", "rscript"])
@pytest.mark.parametrize(
    "family", ["normal", "kernel(bandwidth=0.1)", "from_scipy(dist=gamma;floc=0)"]
)
def test_verify_in_r_and_by_the_script(scores, family, via) -> None:
    assert verify(scores, f"zero_inflated:family={family}", via=via)["agrees"].all()


@pytest.mark.parametrize("family", ["beta", "from_scipy(dist=t)"])
def test_one_sample_has_no_row(family: str) -> None:
    scores = [0.0, 0.2, 0.2, 0.2, 1.0]
    scheme = ZeroInflated(family=family)
    with pytest.raises(FitError, match=r"^of the scores other than 0: "):
        scheme.fit(scores)
    with pytest.raises(FitError, match=r"^row 0: of the scores other than 0: ") as refused:
        scheme.fit([scores])
    assert list(refused.value.rows) == [0]
