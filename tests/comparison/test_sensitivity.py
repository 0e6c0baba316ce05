"""What the choice of a scheme does to rankings and conclusions."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore import Standardizer, compare
from cdfscore.comparison import ranking
from cdfscore.comparison.pairs import check_alpha
from cdfscore.comparison.sensitivity import sensitivity
from cdfscore.errors import CdfscoreError, SchemeError, ScoresError, SignificanceError
from cdfscore.report.writing import as_json
from cdfscore.stats.numerics.ranks import midranks
from cdfscore.stats.rank_correlation import tau_ap_b, tau_b
from cdfscore.stats.schemes.base import LinearScheme
from tests.noted import not_of_few_systems


@pytest.fixture
def scores() -> pd.DataFrame:
    """System a wins by a little on ten easy topics and loses one by a lot."""
    easy = {"a": [0.012] * 10, "b": [0.011] * 10, "c": [0.010] * 10}
    table = pd.DataFrame(easy) + np.linspace(0, 0.004, 10)[:, np.newaxis]
    table.loc[10] = [0.1, 0.9, 0.5]
    table.index = [f"t{i}" for i in range(11)]
    return table


@pytest.fixture
def real() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    skill = np.linspace(-0.4, 0.4, 8)
    values = 1 / (1 + np.exp(-(rng.normal(-1, 1.2, (40, 1)) + skill + rng.normal(0, 0.8, (40, 8)))))
    return pd.DataFrame(values, columns=list("ABCDEFGH"), index=[f"t{i}" for i in range(40)])


def dropping(*schemes: str) -> list[Standardizer]:
    """Schemes that leave out the topics that they cannot be fitted to."""
    return [Standardizer(scheme, unfitted="drop_topic") for scheme in schemes]


@pytest.mark.clause("sensitivity.1")
def test_by_hand(scores) -> None:
    found = sensitivity(scores, ["raw", "empirical"], test="sign", adjust="none")
    ranks = found.systems.pivot(index="system", columns="scheme", values="rank")
    assert ranks["raw"].tolist() == [3, 1, 2]  # a, b, c: the one large topic decides
    assert ranks["empirical:convention=weak"].tolist() == [1, 2, 3]
    row = found.agreement.iloc[0]
    assert (row["systems"], row["tau_b"]) == (3, pytest.approx(-1 / 3))
    assert found.moves[["system", "rank_a", "rank_b", "places"]].to_numpy().tolist() == [
        ["a", 3, 1, 2],
        ["b", 1, 2, -1],
        ["c", 2, 3, -1],
    ]


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.longdouble])
def test_the_level_is_a_number_of_python(scores, kind) -> None:
    """So that files can hold it, and p values are compared with what was kept."""
    level = kind(0.05)
    assert type(check_alpha(level)) is float
    assert check_alpha(level) == float(level)
    found = sensitivity(scores, ["raw", "empirical"], alpha=level, test="sign").comparison
    assert (found.alpha, type(found.alpha)) == (float(level), float)
    assert json.loads(as_json(found))["alpha"] == float(level)


@pytest.mark.clause("sensitivity.2")
def test_conclusions_are_counted_from_the_tests(real) -> None:
    schemes = ["raw", "normal", "empirical"]
    found = sensitivity(real, schemes)
    names = found.comparison.schemes
    tables = {
        name: compare(real, "paired_t", scheme=scheme).table
        for name, scheme in zip(names, schemes, strict=True)
    }
    for _, row in found.conclusions.iterrows():
        a, b = (tables[row[name]] for name in ("scheme_a", "scheme_b"))
        by_a, by_b = (set(t.index[t["p_adjusted"] <= 0.05]) for t in (a, b))
        opposite = {i for i in by_a & by_b if a.loc[i, "estimate"] * b.loc[i, "estimate"] < 0}
        assert row["pairs"] == 28
        assert (row["significant_a"], row["significant_b"]) == (len(by_a), len(by_b))
        assert (row["gained"], row["lost"]) == (len(by_b - by_a), len(by_a - by_b))
        assert (row["reversed"], row["kept"]) == (len(opposite), len(by_a & by_b - opposite))
    assert (found.conclusions["gained"] + found.conclusions["lost"]).sum() > 0


@pytest.mark.clause("sensitivity.1")
def test_agreement_is_that_of_the_means(real) -> None:
    found = sensitivity(real, ["minmax", "uniform"])
    a, b = (
        Standardizer(s).fit(real).standardize(real).means["mean"] for s in ("minmax", "uniform")
    )
    row = found.agreement.iloc[0]
    assert row["tau_b"] == pytest.approx(tau_b(a.to_numpy(), b.to_numpy()), abs=1e-15)
    assert row["tau_ap_b"] == pytest.approx(tau_ap_b(a.to_numpy(), b.to_numpy()), abs=1e-15)


@pytest.mark.clause("sensitivity.1")
def test_systems_that_move_as_far_as_the_last_are_there(scores) -> None:
    assert len(sensitivity(scores, ["raw", "empirical"], most=2).moves) == 3
    assert len(sensitivity(scores, ["raw", "empirical"], most=1).moves) == 1
    assert len(sensitivity(scores, ["raw", "empirical"], most=0).moves) == 0
    none = sensitivity(scores, ["minmax", "empirical"], most=9).moves
    assert list(none.columns) == ["scheme_a", "scheme_b", "system", "rank_a", "rank_b", "places"]


@pytest.mark.clause("sensitivity.1")
def test_ranking_of_equal_means_has_no_correlation() -> None:
    table = pd.DataFrame({"a": [0.1, 0.3], "b": [0.3, 0.1], "c": [0.3, 0.1]}, index=["1", "2"])
    row = sensitivity(table, ["raw", "minmax"], test="sign").agreement.iloc[0]
    assert np.isnan(row["tau_b"])
    assert np.isnan(row["tau_ap_b"])


@pytest.mark.clause("sensitivity.3")
def test_all_schemes_are_compared_on_the_topics_that_all_fit(real) -> None:
    real.loc["t3", "B"] = real.loc["t7", "A"] = 0.0
    schemes = ["raw", "from_scipy:dist=gamma,floc=0", "empirical"]
    found = sensitivity(real, dropping(*schemes))
    assert found.comparison.topics == 38
    assert found.notes[0].startswith("2 topics (t3, t7) are left out for all schemes")
    assert "t3: " in found.notes[0]
    kept = real.drop(index=["t3", "t7"])
    pd.testing.assert_frame_equal(found.systems, sensitivity(kept, schemes).systems)
    with pytest.raises(CdfscoreError, match="topic 't3'"):
        sensitivity(real, schemes)


@pytest.mark.clause("sensitivity.3")
def test_a_topic_that_one_scheme_drops_is_dropped_for_all(real) -> None:
    real.loc["t3", "B"] = np.nan
    schemes = [Standardizer("z", missing="zero"), Standardizer("normal", missing="drop_topic")]
    for asked in (schemes, schemes[::-1]):
        found = sensitivity(real, asked)
        assert found.comparison.topics == 39
        assert set(found.comparison.table["n"]) == {39}
        assert found.notes[0].startswith("topic t3 is left out for all schemes, since one")
    alike = sensitivity(real, [Standardizer(s, missing="drop_topic") for s in ("z", "normal")])
    assert not_of_few_systems(alike.notes) == ["topic t3 is dropped for missing scores"]


def test_no_common_topic_is_refused_with_the_gaps(real) -> None:
    some = real.iloc[:3]
    one, other = some.copy(), some.copy()
    one.iloc[2, 0] = other.iloc[0, 1] = other.iloc[1, 1] = np.nan
    fitted = [
        Standardizer(scheme, missing="drop_topic").fit(reference)
        for scheme, reference in (("normal", one), ("uniform", other))
    ]
    with pytest.raises(
        ScoresError, match=r"no topic on which .*; 3 topics \(t2, t0, t1\) are left"
    ):
        sensitivity(some, fitted)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"schemes": ["raw"]}, SchemeError, r"schemes=\['raw'\] is not accepted; expected a"),
        ({"schemes": "raw"}, SchemeError, "schemes='raw' is not accepted; expected a list of two"),
        ({"schemes": ["raw", "raw"]}, SignificanceError, "the scheme raw is given twice"),
        ({"schemes": ["raw", 3]}, SchemeError, "scheme=3 is not accepted"),
        ({"schemes": Standardizer("raw")}, SchemeError, "expected a list of two or more schemes"),
        ({"schemes": ["raw", "z"], "most": -1}, SchemeError, "most=-1 is not accepted"),
        ({"schemes": ["raw", "z"], "most": 2.5}, SchemeError, "most=2.5 is not accepted"),
        (
            {"schemes": ["raw", "z"], "test": "friedman"},
            SignificanceError,
            "expected one that compares pairs of systems",
        ),
        (
            {"schemes": ["raw", "z"], "test": "one_sample_t"},
            SignificanceError,
            "expected one that compares pairs of systems",
        ),
        (
            {"schemes": ["raw", "z"], "test": "equivalence_t:margin=0.1"},
            SignificanceError,
            "need a test of a difference",
        ),
        (
            {"schemes": ["raw", "z"], "test": "paired_t:null_value=0.1"},
            SignificanceError,
            "need a two-sided test of no difference",
        ),
    ],
)
def test_bad_arguments(real, arguments, error, message) -> None:
    with pytest.raises(error, match=message):
        sensitivity(real, **arguments)


def test_no_topic_on_which_two_can_be_compared(real) -> None:
    message = "no topic on which two of raw, gamma can be compared; gamma is not compared: "
    with pytest.raises(ScoresError, match=message):
        sensitivity(real - 2, dropping("raw", "gamma"))


@dataclass(frozen=True)
class Times(LinearScheme):
    """The scores in another unit, or, with a negative factor, the other way round."""

    factor: float = 2.0

    formula = "y = factor x"
    source = "the test"

    def estimate(self, scores):
        return {}

    def evaluate(self, x):
        return self.factor * x


TESTS = ["wilcoxon_signed_rank", "sign", "kolmogorov_smirnov", "mann_whitney", "paired_t"]


@pytest.mark.clause("sensitivity.2")
@pytest.mark.parametrize("test", TESTS)
def test_same_and_opposite_conclusions_by_every_test(real, test) -> None:
    """Some tests give no estimate, or one that is no difference: its sign is not asked."""
    real = real + np.linspace(0, 0.8, 8)
    found = sensitivity(real, ["raw", Times(), Times(factor=-1.0)], test=test)
    same, opposite, _ = found.conclusions.to_dict("records")
    assert same["kept"] == same["significant_a"] > 10
    assert (same["gained"], same["lost"], same["reversed"]) == (0, 0, 0)
    assert opposite["reversed"] == opposite["significant_a"] == same["kept"]
    assert opposite["kept"] == 0


@pytest.mark.clause("sensitivity.4")
@pytest.mark.parametrize(
    ("test", "by_order"),
    [("sign", True), ("nemenyi", True), ("paired_t", False), ("permutation", False)],
)
def test_the_same_conclusions_by_the_order_in_topics_are_no_evidence(
    test: str, by_order: bool
) -> None:
    values = np.random.default_rng(2).random((12, 3)) / 100 + [0.2, 0.5, 0.8]
    found = sensitivity(
        pd.DataFrame(values, columns=list("abc")), ["raw", "normal"], test=test, adjust="none"
    )
    assert found.conclusions[["gained", "lost", "reversed"]].to_numpy().sum() == 0
    assert ("no evidence" in found.verdict[-1]) == by_order


def test_a_single_system_without_a_finite_mean_has_no_rank(real) -> None:
    real.loc[:, "C"] = np.nan
    with pytest.raises(ScoresError, match="raw: system 'C' has the mean nan and no rank"):
        sensitivity(real, [Standardizer(each, missing="omit") for each in ("raw", "normal")])


def test_a_p_value_of_exactly_alpha_is_a_conclusion(real) -> None:
    p = compare(real, "paired_t", adjust="none").table["p_value"].sort_values()
    for k in (3, 9):
        row = sensitivity(real, ["raw", "normal"], adjust="none", alpha=float(p.iloc[k]))
        assert row.conclusions["significant_a"].item() == k + 1


@pytest.mark.clause("sensitivity.2")
def test_means_that_tie_by_one_scheme_alone_are_no_same_order() -> None:
    """a is better on ten topics, and b on one by as much as on all of these."""
    a = np.linspace(0.3, 0.5, 11)
    table = pd.DataFrame({"a": a, "b": a - 0.01, "c": a - 0.2}, index=[f"t{i}" for i in range(11)])
    table.loc["t10", "b"] = a[10] + 0.1
    found = sensitivity(table, ["raw", "empirical"], test="sign", adjust="none")
    assert found.systems["rank"].tolist() == [1.5, 1.5, 3, 1, 2, 3]
    (row,) = found.conclusions.to_dict("records")
    assert (row["significant_a"], row["significant_b"]) == (3, 3)
    assert (row["reversed"], row["kept"]) == (1, 2)


@pytest.mark.clause("sensitivity.1")
@given(
    whole=st.lists(st.integers(-5, 5), min_size=1, max_size=8),
    unit=st.integers(-300, 300),
    offset=st.sampled_from([0, 1, 2**30, 2**45]),
    seed=st.integers(0, 99),
)
def test_means_tie_if_only_rounding_tells_them_apart(whole, unit, offset, seed):
    means = np.array(whole, dtype=float) + offset
    # A mean of 0 has no rounding error beside whole numbers.
    noise = np.random.default_rng(seed).integers(-1, 2, len(means)) * np.spacing(means)
    noise[means == 0] = 0
    exact, rounded = (ranking.ranks(np.ldexp(each, unit)) for each in (means, means + noise))
    np.testing.assert_array_equal(rounded, exact)
    np.testing.assert_array_equal(exact, midranks(-means[np.newaxis])[0][0])


@pytest.mark.clause("sensitivity.3")
def test_a_scheme_may_be_unfitted_on_half_of_the_topics(real) -> None:
    real.iloc[:20, 0] = 0.0
    found = sensitivity(real, dropping("raw", "gamma", "normal"))
    assert found.comparison.schemes == ["raw", "gamma", "normal"]
    assert found.comparison.topics == 20
    other = [*dropping("raw", "normal"), Standardizer("gamma", unfitted="nan")]
    assert sensitivity(real, other).comparison.topics == 40
