"""Uncertainty from the reference systems: plain enumeration, R, closed forms, known truth."""

from __future__ import annotations

import itertools
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from cdfscore import Standardizer, datasets, parse_scheme
from cdfscore.comparison.reference_uncertainty import PARTS as ALL_PARTS
from cdfscore.comparison.reference_uncertainty import (
    TWIN,
    ReferenceUncertainty,
    Refits,
    monte_carlo,
)
from cdfscore.errors import CdfscoreError, SignificanceError
from cdfscore.r.session import ROWS, RSession
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance import bootstrap, paired_t
from tests import a_tenth
from tests.uncertain import reference_uncertainty

pytestmark = pytest.mark.one_in(2)

PARTS = ["stderr_topics", "stderr_reference", "stderr_both"]
SCHEMES = ["normal", "uniform", "empirical", "minmax", "centered", "kernel"]


def labelled(values: Array, letter: str) -> pd.DataFrame:
    rows, columns = values.shape
    return pd.DataFrame(
        values,
        index=[f"t{row}" for row in range(rows)],
        columns=[f"{letter}{column}" for column in range(columns)],
    )


def drawn(topics: int, compared: int, systems: int, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return scores and reference scores of topics of other means and spreads."""
    rng = np.random.default_rng(seed)
    easy, spread = rng.uniform(0.2, 0.6, (2, topics, 1))
    new = easy + spread * rng.normal(np.linspace(0, 0.5, compared), 0.3, (topics, compared))
    old = easy + spread * rng.normal(0, 0.4, (topics, systems))
    return labelled(new, "a"), labelled(old, "r")


def columns_of(found: ReferenceUncertainty, names: list[str]) -> Array:
    """Return columns of the means and then of the pairs, a row each."""
    return np.concatenate([found.means[names], found.pairs[names]]).T


def by_enumeration(scores: pd.DataFrame, reference: pd.DataFrame, how: Any) -> Array:
    """Return the three variances of means and pairs over all n^n resamples, one by one."""
    means, within = [], []
    first, second = np.triu_indices(scores.shape[1], 1)
    n = reference.shape[1]

    def standardized(places: Any) -> tuple[Array, Array]:
        resample = reference.iloc[:, list(places)].set_axis(reference.columns, axis=1)
        y = how.fit(resample).transform(scores).to_numpy()
        every = np.concatenate([y, y[:, first] - y[:, second]], axis=1)
        count = (~np.isnan(every)).sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.nanmean(every, axis=0), np.nanvar(every, axis=0, ddof=1) / count

    for places in itertools.product(range(n), repeat=n):
        mean, variance = standardized(places)
        if not np.isnan(mean).any():
            means.append(mean)
            within.append(variance)
    of_reference = np.var(means, axis=0)
    return np.array(
        [standardized(range(n))[1], of_reference, of_reference + np.mean(within, axis=0)]
    )


@pytest.mark.clause("reference_uncertainty.1", "reference_uncertainty.2")
@pytest.mark.one_in(8)
@pytest.mark.filterwarnings("ignore::cdfscore.CdfscoreWarning")
@pytest.mark.parametrize(
    ("scheme", "systems"), [*((scheme, 3) for scheme in SCHEMES), ("normal", 4), ("empirical", 4)]
)
def test_all_resamples_are_those_of_plain_enumeration(scheme: str, systems: int) -> None:
    scores, reference = drawn(5, 3, systems, seed=systems)
    found = reference_uncertainty(scores, scheme, reference=reference)
    assert found.method == f"all {systems}^{systems}"
    expected = np.sqrt(by_enumeration(scores, reference, Standardizer(scheme)))
    # A variance of 0 is one of rounding in the enumeration, of which the root is about 1e-15.
    np.testing.assert_allclose(columns_of(found, PARTS), expected, rtol=1e-10, atol=1e-14)


@pytest.mark.clause("reference_uncertainty.2")
@pytest.mark.filterwarnings(
    "ignore::cdfscore.CdfscoreWarning",
    "ignore:Mean of empty slice",  # of resamples that leave no topic, in the enumeration
    "ignore:Degrees of freedom",
)
@pytest.mark.parametrize("constant", ["limit", "half", "nan", "drop_topic"])
def test_policies_hold_in_each_resample(constant: Any) -> None:
    scores, reference = drawn(6, 3, 3, seed=1)
    reference.iloc[0] = 0.5
    reference.iloc[1, :2] = 0.4
    how = Standardizer("normal", constant=constant, missing="omit")
    scores.iloc[2, 0] = scores.iloc[3, 1] = np.nan
    found = reference_uncertainty(scores, how, reference=reference)
    # A topic that a resample drops is one without scores in it.
    each = Standardizer("normal", "nan", "omit") if constant == "drop_topic" else how
    expected = np.sqrt(by_enumeration(scores, reference, each))
    np.testing.assert_allclose(columns_of(found, PARTS), expected, rtol=1e-10)
    # Of 27 resamples 3 are of one system, which makes the five other topics constant, and 6 more of
    # the two that are equal on topic t1: 9 resamples, and 3 * 5 + 6 = 21 topics.
    (note,) = [note for note in found.notes if "constant only in the resampled" in note]
    assert note.startswith("in 33.3 % of the resamples, topics (0.778 on average")
    assert "5 at most" in note
    left_out = [note for note in found.notes if "fewer than 2 topics" in note]
    assert left_out == (
        ["11.1 % of the resamples leave fewer than 2 topics with a score, and are left out"]
        if constant in ("nan", "drop_topic")
        else []
    )


@pytest.mark.clause("reference_uncertainty.1")
@pytest.mark.filterwarnings("ignore::cdfscore.CdfscoreWarning")
def test_centered_has_a_closed_form() -> None:
    """The bootstrap variance of a mean is sum (r_j - r)^2 / n^2, and differences have none."""
    scores, reference = drawn(9, 4, 5, seed=2)
    found = reference_uncertainty(scores, "centered", reference=reference)
    means = reference.mean().to_numpy()
    expected = np.sqrt(((means - means.mean()) ** 2).sum()) / len(means)
    np.testing.assert_allclose(found.means["stderr_reference"], expected, rtol=1e-12)
    assert (found.pairs["stderr_reference"] < 1e-15).all()
    np.testing.assert_allclose(found.pairs["stderr_both"], found.pairs["stderr_topics"])
    np.testing.assert_allclose(found.pairs["both_df"], len(scores) - 1)
    difference = scores["a0"] - scores["a1"]
    assert found.pairs["stderr_topics"][0] == pytest.approx(difference.sem(), rel=1e-13)


@pytest.mark.clause("reference_uncertainty.1")
@pytest.mark.long
@pytest.mark.one_in(2)
@pytest.mark.filterwarnings("ignore::cdfscore.CdfscoreWarning")
@pytest.mark.parametrize("systems", [5, 9])
def test_both_is_the_bootstrap_of_topics_and_systems(systems: int) -> None:
    """Topics that are drawn as well, with n^2 in place of n (n - 1) in their variance."""
    scores, reference = drawn(7, 2, systems, seed=3)
    found = reference_uncertainty(scores, "normal", reference=reference, resamples=4000)
    rng = np.random.default_rng(5)
    x, r = scores.to_numpy(), reference.to_numpy()
    scheme, values = parse_scheme("normal"), []
    for _ in range(4000):
        systems_drawn, topics = rng.integers(systems, size=systems), rng.integers(7, size=7)
        y = scheme.fit(r[:, systems_drawn])(x)[topics]
        values.append([*y.mean(axis=0), (y[:, 0] - y[:, 1]).mean()])
    both, of_reference = columns_of(found, ["stderr_both", "stderr_reference"]) ** 2
    expected = of_reference + (both - of_reference) * 6 / 7
    np.testing.assert_allclose(np.var(values, axis=0, ddof=1), expected, rtol=0.08)


@pytest.mark.clause("reference_uncertainty.1", "reference_uncertainty.2", "reference_uncertainty.4")
@pytest.mark.one_in(6)
@pytest.mark.filterwarnings("ignore::cdfscore.CdfscoreWarning")
@pytest.mark.parametrize(
    ("scheme", "systems"),
    [
        *itertools.product(["normal", "uniform", "empirical", "kernel"], [5, 9]),
        ("z", 9),  # infinite by the resamples of one system, which are among all of 5
    ],
)
def test_parity_with_r(rinterface: ModuleType, scheme: str, systems: int) -> None:
    r = RSession()
    scores, reference = drawn(6, 3, systems, seed=4)
    how = Standardizer(scheme)
    scores["a0"] = reference["r0"]
    scores = scores.rename(columns={"a0": "r0"})
    found = reference_uncertainty(scores, how, reference=reference, resamples=220, seed=7)
    resampled = bootstrap.resamples(systems, 220, 7)
    fits = (
        "function(rows, twin, settings) function(x, reference) rows(twin, x, reference, settings)"
    )
    by = rinterface.evalr(fits)(
        r.function("each_row", ROWS), r.twin(how.scheme), r.settings(how.scheme)
    )
    first, second = np.triu_indices(3, 1)
    counts, weights = r.matrix(resampled.counts.T), r.vector(resampled.weights)
    if resampled.exact:  # R finds them itself
        counts, weights = r.function_of(TWIN, "all_resamples")(systems)
    theirs = r.function_of(TWIN, "reference_uncertainty")(
        r.matrix(scores.to_numpy()),
        r.matrix(reference.to_numpy()),
        r.vector(np.array([1, 0, 0])),
        by,
        r.vector(first + 1.0),
        r.vector(second + 1.0),
        counts,
        weights,
        resampled.exact,
        0.95,
    )
    of_r = r.array(theirs)
    np.testing.assert_allclose(columns_of(found, list(ALL_PARTS)), of_r[1:], rtol=1e-10)
    np.testing.assert_allclose(found.pairs["difference"], of_r[0, 3:], atol=1e-14)


def crossed(
    rng: np.random.Generator, topics: int, systems: int, spread: float
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return scores with residuals of variance 1; `spread` is that of the reference systems."""
    easy = rng.normal(0, 1, (topics, 1))
    new = easy + rng.normal(0, 1, (topics, 2))
    old = easy + rng.normal(0, spread, systems) + rng.normal(0, 1, (topics, systems))
    return labelled(new, "a"), labelled(old, "r")


@pytest.mark.clause("reference_uncertainty.1")
@pytest.mark.long
@pytest.mark.filterwarnings("ignore::cdfscore.CdfscoreWarning")
def test_the_standard_errors_are_those_of_known_truth(long: bool) -> None:
    """The mean of a system less that of n reference systems, on T topics.

    Its variance is 1/T from the topics, 0.25/n from the systems, and 1/(T n) from neither, which
    each part has once and both have thrice. The bootstrap has (n - 1) / n of the parts with 1/n.
    """
    rng = np.random.default_rng(11)
    topics, systems, trials = 12, 15, 150 if long else 30
    wider = (150 / trials) ** 0.5
    values, squares = [], []
    for trial in range(trials):
        scores, reference = crossed(rng, topics, systems, 0.5)
        row = reference_uncertainty(
            scores, "centered", reference=reference, resamples=200, seed=trial
        ).means.iloc[0]
        values.append(row["mean"])
        squares.append(row[PARTS].to_numpy(dtype=float) ** 2)
    neither, less = 1 / (topics * systems), (systems - 1) / systems
    of_reference = (0.25 / systems + neither) * less
    of_topics = 1 / topics + neither
    expected = [of_topics, of_reference, of_topics + of_reference + neither * less]
    np.testing.assert_allclose(np.mean(squares, axis=0), expected, rtol=0.06 * wider)
    truth = 1 / topics + 0.25 / systems + neither
    if long:  # the variance of a few numbers says little
        assert np.var(values) == pytest.approx(truth, rel=0.2)
    assert truth < np.mean(squares, axis=0)[2]


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::cdfscore.CdfscoreWarning")
@pytest.mark.parametrize("scheme", ["normal", "empirical"])
def test_intervals_cover_what_all_topics_and_systems_would_give(scheme: str, long: bool) -> None:
    """The truth is by 4,000 topics and 400 systems of the same kind; topics alone miss it."""
    rng = np.random.default_rng(12)
    many, old = crossed(rng, 4000, 400, 1.0)
    truth = Standardizer(scheme).fit(old).transform(many).to_numpy().mean()
    trials, covered, by_topics = 80 if long else 20, 0, 0
    for trial in range(trials):
        scores, reference = crossed(rng, 60, 20, 1.0)
        row = reference_uncertainty(
            scores, scheme, reference=reference, resamples=200, seed=trial
        ).means.iloc[0]
        covered += bool(row["both_low"] <= truth <= row["both_high"])
        by_topics += bool(abs(row["mean"] - truth) <= 2 * row["stderr_topics"])
    # Within two standard errors of 0.95, and never all of 80.
    assert 0.95 - 2 * (0.95 * 0.05 / trials) ** 0.5 <= covered / trials <= (0.99 if long else 1)
    assert by_topics / trials < (0.7 if long else 0.8)


@pytest.mark.filterwarnings("ignore::cdfscore.CdfscoreWarning")
@a_tenth
@given(st.integers(0, 10**6), st.integers(3, 5), st.sampled_from(SCHEMES))
def test_parts_add_up_and_labels_do_not_matter(seed: int, systems: int, scheme: str) -> None:
    scores, reference = drawn(4, 3, systems, seed)
    found = reference_uncertainty(scores, ["raw", scheme], reference=reference)
    for table in (found.means, found.pairs):
        both, of_reference = table["stderr_both"] ** 2, table["stderr_reference"] ** 2
        share = (of_reference / both).where(both > 0, 0.0)
        np.testing.assert_allclose(table["reference_share"], share, atol=1e-12)
        assert table["reference_share"].between(0, 1).all()
        assert (table.loc[table["scheme"] == "raw", "stderr_reference"] == 0).all()
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(scores))
    again = reference_uncertainty(
        scores.iloc[order], ["raw", scheme], reference=reference.iloc[:, rng.permutation(systems)]
    )
    np.testing.assert_allclose(
        columns_of(again, PARTS), columns_of(found, PARTS), rtol=1e-9, atol=1e-12
    )


@pytest.mark.filterwarnings("ignore::cdfscore.CdfscoreWarning")
@pytest.mark.parametrize("factor", [1e-200, 1e150])
def test_squares_of_small_and_large_scores_are_numbers(factor: float) -> None:
    scores, reference = drawn(5, 3, 4, seed=6)
    found = reference_uncertainty(scores, "centered", reference=reference)
    scaled = reference_uncertainty(factor * scores, "centered", reference=factor * reference)
    np.testing.assert_allclose(
        columns_of(scaled, PARTS) / factor, columns_of(found, PARTS), rtol=1e-9, atol=1e-15
    )


@pytest.mark.clause("reference_uncertainty.3")
@pytest.mark.filterwarnings("ignore::cdfscore.CdfscoreWarning")
@pytest.mark.parametrize("scheme", ["normal", "empirical", "minmax"])
def test_compared_systems_stay_in_their_reference_and_the_others_are_resampled(
    scheme: str,
) -> None:
    """Plain enumeration for each mean and each pair: they are put before each resample."""
    scores, _ = drawn(5, 5, 3, seed=10)
    scores += drawn(5, 5, 3, seed=11)[0].to_numpy()
    found = reference_uncertainty(scores, scheme)
    x, variances = scores.to_numpy(), []
    for own in [*([i] for i in range(5)), *map(list, itertools.combinations(range(5), 2))]:
        others = [i for i in range(5) if i not in own]
        values = []
        for places in itertools.product(others, repeat=len(others)):
            fitted = parse_scheme(scheme).fit(x[:, [*own, *places]])
            y = fitted(x)[:, own]
            values.append(y[:, 0] - (y[:, 1] if len(own) == 2 else 0))
        within = np.var(values, axis=1, ddof=1) / 5
        of_reference = np.var(np.mean(values, axis=1))
        variances.append([of_reference, of_reference + within.mean()])
    np.testing.assert_allclose(
        columns_of(found, PARTS[1:]), np.sqrt(variances).T, rtol=1e-9, atol=1e-14
    )
    assert found.members == 5
    assert "5 reference systems (5 of them compared systems)" in found.sentence
    assert any(note.startswith("the compared systems are reference sy") for note in found.notes)


@pytest.mark.clause("reference_uncertainty.3")
@pytest.mark.filterwarnings("ignore::cdfscore.CdfscoreWarning")
def test_members_are_known_by_label_and_scores() -> None:
    ap = datasets.load_cranfield("ap").iloc[:30, :12]
    own = reference_uncertainty(ap, "empirical", resamples=200)
    given = reference_uncertainty(ap, "empirical", reference=ap.copy(), resamples=200)
    pd.testing.assert_frame_equal(own.pairs, given.pairs)
    three = reference_uncertainty(ap.iloc[:, :3], "empirical", reference=ap, resamples=200)
    assert three.members == 3
    np.testing.assert_allclose(three.means[PARTS], own.means.loc[:2, PARTS], rtol=1e-12)
    other = ap.iloc[:, :3].copy()
    other.iloc[0, 0] += 0.001  # of that name, and another system
    new = reference_uncertainty(other, "empirical", reference=ap, resamples=200)
    assert new.members == 2
    assert new.notes[0].startswith(f"the scores of {ap.columns[0]} differ from those")
    assert new.notes[1].startswith("2 of 3 systems are reference systems themselves")
    one = reference_uncertainty(other.iloc[:, :2], "empirical", reference=ap, resamples=200)
    assert one.notes[1].startswith("1 of 2 systems is a reference system itself")
    assert new.means["both_df"].notna().all()


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::cdfscore.CdfscoreWarning")
def test_the_reference_part_is_that_of_other_participants(long: bool) -> None:
    """Two systems on given topics, and others drawn anew: their E-std differ as estimated.

    The bootstrap of k others has (k - 1) / k of the variance.
    """
    rng = np.random.default_rng(13)
    topics, others = 20, 12
    own = rng.normal(0.2, 1, (topics, 2))
    scheme = parse_scheme("empirical")

    def crowd() -> Array:
        others_drawn = rng.normal(0, 0.7, others) + rng.normal(0, 1, (topics, others))
        return np.hstack([own, others_drawn])

    trials = 80 if long else 20
    y = np.array([scheme.fit(crowd())(own).mean(axis=0) for _ in range(50 * trials)])
    truth = np.var(y[:, 0] - y[:, 1]) * (others - 1) / others
    squares = []
    for trial in range(trials):
        found = reference_uncertainty(
            labelled(crowd(), "a"), "empirical", resamples=200, seed=trial
        )
        squares.append(found.pairs["stderr_reference"][0] ** 2)
    assert np.mean(squares) == pytest.approx(truth, rel=0.12 * (80 / trials) ** 0.5)


@pytest.mark.clause("reference_uncertainty.4")
@pytest.mark.filterwarnings("ignore::cdfscore.CdfscoreWarning")
@pytest.mark.parametrize("own", [False, True])
def test_intervals_are_those_of_t_with_satterthwaites_degrees_of_freedom(own: bool) -> None:
    """Of k reference systems that are resampled: all but those of the mean or difference."""
    scores, reference = drawn(8, 7, 9, seed=12)
    found = reference_uncertainty(
        scores, "normal", reference=None if own else reference, resamples=400, conf_level=0.9
    )
    resampled = (6, 5) if own else (9, 9)
    for table, name, k in zip(
        (found.means, found.pairs), ("mean", "difference"), resampled, strict=True
    ):
        of_reference, both = table["stderr_reference"] ** 2, table["stderr_both"] ** 2
        df = both**2 / (of_reference**2 / (k - 1) + (both - of_reference) ** 2 / (8 - 1))
        np.testing.assert_allclose(table["both_df"], df, rtol=1e-9)
        margin = stats.t.ppf(0.95, df) * table["stderr_both"]
        np.testing.assert_allclose(table["both_high"], table[name] + margin, rtol=1e-9)
        np.testing.assert_allclose(table["both_low"], table[name] - margin, rtol=1e-9)


@pytest.mark.clause("reference_uncertainty.5")
def test_schemes_that_rest_on_extremes_have_a_caution() -> None:
    ap = datasets.load_cranfield("ap").iloc[:20, :12]
    with pytest.warns(match="minmax depends on the lowest or the highest reference score"):
        found = reference_uncertainty(ap, ["normal", "minmax"], resamples=200)
    assert found.cautions == [found.notes[0]]
    assert not reference_uncertainty(ap, "normal", resamples=200).cautions


def test_unfitted_topics_are_counted_and_left_out() -> None:
    """The bandwidth sj cannot be chosen where the middle half of a resample is one score."""
    scores, reference = drawn(5, 2, 6, seed=9)
    reference.iloc[0] = [0.1, 0.2, 0.3, 0.4, 0.4, 0.4]
    how = Standardizer("kernel:bandwidth=sj", unfitted="nan")
    with pytest.warns(match="6 reference systems"):
        found = reference_uncertainty(scores, how, reference=reference)
    (note,) = [note for note in found.notes if "unfitted only in the resampled" in note]
    assert note.endswith("and left out of the means of that resample")
    assert found.pairs["stderr_both"].notna().all()
    with (
        pytest.warns(match="6 reference systems"),
        pytest.raises(CdfscoreError, match=r"topic 't\d', fitted to a resample of the 6 systems: "),
    ):
        reference_uncertainty(scores, "kernel:bandwidth=sj", reference=reference)


AP = datasets.load_cranfield("ap").iloc[:10, :12]


@pytest.mark.parametrize(
    ("scores", "arguments", "message"),
    [
        (
            AP.iloc[:, :4],
            {"scheme": "normal"},
            "there are 2 reference systems to resample beside the compared ones; expected 3",
        ),
        (
            AP.iloc[:, :2],
            {"scheme": "normal", "reference": AP.iloc[:, 3:5]},
            "there are 2 reference systems to resample; expected 3 or more, in the scores or by",
        ),
        (AP, {"scheme": "raw"}, "nothing is fitted to reference systems for raw; expected scheme"),
        (AP, {"scheme": Standardizer("normal").fit(AP)}, "do not have the scores of the reference"),
        (AP, {"scheme": "normal", "resamples": 199}, "reference_uncertainty=199 is not accepted"),
        (AP, {"scheme": "normal", "seed": -1}, "seed=-1 is not accepted"),
        (AP, {"scheme": "normal", "conf_level": 95}, "conf_level=95 is not accepted"),
        (AP, {"scheme": ["normal", "normal"]}, "the scheme normal is given twice"),
        (AP, {"scheme": "normal", "baselines": "none"}, "the baseline 'none' is not a system"),
        (AP.iloc[:, :1], {"scheme": "normal", "reference": AP}, "there is 1 system to compare"),
        (
            AP.iloc[:, :2],
            {"scheme": "z", "reference": AP.iloc[:, 3:7]},
            "becomes -?inf by z, and a mean of it has no standard",
        ),
        (
            AP.iloc[:, :2],
            {"scheme": Standardizer("normal", constant="raise"), "reference": AP.iloc[:, 3:7]},
            "fitted to a resample of the 4 systems: the resampled scores are all equal",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore::cdfscore.CdfscoreWarning")
def test_bad_input_is_refused(
    scores: pd.DataFrame, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(CdfscoreError, match=message):
        reference_uncertainty(scores, **arguments)


@pytest.mark.filterwarnings("ignore::cdfscore.CdfscoreWarning")
def test_three_reference_systems_are_resampled_and_not_two() -> None:
    first, scores = np.array([0]), AP.iloc[:, :2]
    three, two = (
        Refits.of(Standardizer("normal").standardize(scores, AP.iloc[:, 3:end])) for end in (6, 5)
    )
    assert three.resampled(first).tolist() == [3]
    with pytest.raises(SignificanceError, match="there are 2 reference systems to resample; expec"):
        two.resampled(first)


def test_differences_that_are_apart_are_those_of_paired_t() -> None:
    ap = datasets.load_cranfield("ap").iloc[:30, ::5]
    found = reference_uncertainty(ap, "normal", resamples=200)
    y = Standardizer("normal").standardize(ap).scores.to_numpy().T
    first, second = np.triu_indices(len(y), 1)
    ends = paired_t(y[first], y[second]).conf_int
    apart = int(((ends[:, 0] > 0) | (ends[:, 1] < 0)).sum())
    assert 0 < int((ends[:, 0] > 0).sum()) < apart < len(first)
    assert f"from the topics for {apart} of {len(first)} differences" in " ".join(found.notes)


def test_its_summary_has_the_schemes_in_their_order() -> None:
    ap = datasets.load_cranfield("ap").iloc[:12, ::8]
    said = repr(reference_uncertainty(ap, ["uniform", "normal"], resamples=200))
    assert said.index("% by uniform") < said.index("% by normal")


@pytest.mark.filterwarnings("ignore::cdfscore.CdfscoreWarning")
def test_where_no_topic_has_a_score_there_is_no_number() -> None:
    scores, reference = drawn(4, 3, 8, seed=1)
    reference[:] = 0.5
    how = Standardizer("normal", constant="nan")
    found = reference_uncertainty(scores, how, reference=reference, resamples=200)
    assert np.isnan(columns_of(found, list(ALL_PARTS))).all()
    assert found.notes[0] == (
        "100 % of the resamples leave fewer than 2 topics with a score, and are left out"
    )


@pytest.mark.filterwarnings("ignore::cdfscore.CdfscoreWarning")
def test_the_error_of_the_resamples_is_that_of_the_fewest_of_a_pair() -> None:
    """Those that have both systems once; the relative error is 1 / sqrt(2 (B - 1))."""
    ap = datasets.load_cranfield("ap").iloc[:12, ::7]
    found = reference_uncertainty(ap, ["raw", "normal"], resamples=300, seed=2)
    once = bootstrap.resamples(ap.shape[1], 300, 2).counts == 1
    fewest = min((once[:, i] & once[:, j]).sum() for i, j in itertools.combinations(range(10), 2))
    assert 20 < fewest < 50
    error = 100 / (2 * (fewest - 1)) ** 0.5
    assert found.method == (
        f"B = 300, seed 2, Monte Carlo error of a standard error up to about {error:.2g} %"
    )
    assert monte_carlo(3).endswith("about 50 %")
    assert monte_carlo(51).endswith("about 10 %")


@pytest.mark.filterwarnings("ignore::cdfscore.CdfscoreWarning")
def test_one_resample_gives_no_standard_error() -> None:
    """Of a pair one resample alone may have both systems once, and a bandwidth on both topics.

    The bandwidth sj cannot be chosen where the middle half of a resample is one score, and not all
    of it is, for which there is a policy.
    """
    values = np.full((2, 9), 0.4)
    values[0, :3] = values[1, 3:6] = [0.1, 0.2, 0.3]
    how = Standardizer("kernel:bandwidth=sj", unfitted="nan")
    found = reference_uncertainty(labelled(values, "a"), how, resamples=200, seed=85)
    counts = bootstrap.resamples(9, 200, 85).counts.astype(int)
    resampled = np.array([np.repeat(values, count, axis=1) for count in counts])
    low, high = np.percentile(resampled, [25, 75], axis=2)
    fitted = (low < high) | (np.ptp(resampled, axis=2) == 0)
    once = (counts == 1) & fitted.all(axis=1, keepdims=True)
    used = np.array(
        [(once[:, i] & once[:, j]).sum() for i, j in itertools.combinations(range(9), 2)]
    )
    assert (used == 1).sum() == 1
    np.testing.assert_array_equal(np.isnan(found.pairs["stderr_reference"]), used == 1)
    error = 100 / (2 * (used[used > 1].min() - 1)) ** 0.5
    assert found.method.endswith(f"up to about {error:.2g} %")


@pytest.mark.filterwarnings("ignore::cdfscore.CdfscoreWarning")
def test_a_zero_of_either_sign_is_the_same_score() -> None:
    for zero, other in ((0.0, -0.0), (-0.0, 0.0)):
        scores, reference = drawn(4, 2, 8, seed=1)
        scores["a0"] = reference["r0"]
        scores.iloc[0, 0], reference.iloc[0, 0] = zero, other
        found = reference_uncertainty(scores, "normal", reference=reference, resamples=200)
        assert found.cautions[0].startswith("the scores of a0 are those of a reference system with")
