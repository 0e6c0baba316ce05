"""Tests on a matrix of scores, before they are a table."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore import Standardizer, compare, datasets, read_scores, verify
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance.contract import Rows, all_systems


@all_systems(source="none")
def largest(scores: Array, *, times: float = 1.0) -> Rows:
    """Return a multiple of the largest score."""
    return Rows(statistic=times * scores.max(axis=(-2, -1)), p_value=1.0)


RANKS_TOPICS = ["mann_whitney", "kolmogorov_smirnov", "kendall", "spearman"]


@pytest.mark.clause("compare.7")
@given(
    seed=st.integers(0, 2**32),
    scheme=st.sampled_from(["normal", "uniform", "z", "kernel", "minmax"]),
    test=st.sampled_from(RANKS_TOPICS),
)
def test_two_systems_have_two_standardized_scores(seed: int, scheme: str, test: str) -> None:
    rng = np.random.default_rng(seed)
    scores = pd.DataFrame(rng.random((12, 2)) * 10.0 ** rng.integers(-3, 4, (12, 1)))
    scores.columns = pd.Index(["a", "b"])
    higher = (scores.rank(axis=1) - 1).set_axis(scores.index)
    found, expected = compare(scores, test, scheme=scheme), compare(higher, test)
    ends = ["statistic", "p_value", "p_adjusted", "effect_size", "effect_low", "effect_high"]
    pd.testing.assert_frame_equal(found.table[ends], expected.table[ends], rtol=1e-12)


@pytest.mark.clause("compare.7")
def test_scores_within_rounding_errors_are_told() -> None:
    scores = datasets.load_cranfield("ap").iloc[:25, :2]
    told = "44 standardized scores are equal to others but for rounding errors, and count as tied"
    assert told in compare(scores, "kendall", scheme="normal").notes
    assert told in compare(scores, "welch_t", scheme="normal", effect="rank_biserial").notes
    for test, scheme in [("kendall", "raw"), ("kendall", "empirical"), ("welch_t", "normal")]:
        assert not any(
            "count as tied" in note for note in compare(scores, test, scheme=scheme).notes
        )


@pytest.mark.clause("compare.7")
@pytest.mark.parametrize("scheme", ["z", "centered"])
@pytest.mark.parametrize("test", RANKS_TOPICS)
def test_a_constant_topic_breaks_no_tie(scheme: str, test: str) -> None:
    # A system at the mean of the others on each topic, and two constant topics.
    rng = np.random.default_rng(8)
    ends = np.round(rng.random((12, 2)), 1)
    x = np.column_stack([ends, ends.mean(axis=1)])
    x = np.array([rng.permutation(row) for row in x])
    scores = pd.DataFrame(np.vstack([x, [[0.3] * 3, [0.1] * 3]]), columns=list("abc"))
    y = Standardizer(scheme).standardize(scores).scores
    expected = compare(y.round(11) + 0.0, test).table["p_value"]
    for order in (slice(None), slice(None, None, -1)):
        found = compare(scores.iloc[order].reset_index(drop=True), test, scheme=scheme).table
        np.testing.assert_allclose(found["p_value"], expected, rtol=1e-12)


@pytest.mark.clause("compare.7")
@pytest.mark.parametrize("offset", [0.0, 2.0**20, -(2.0**28)])
@pytest.mark.parametrize("scheme", ["z", "centered", "normal", "minmax"])
@pytest.mark.parametrize("test", RANKS_TOPICS)
def test_systems_at_the_mean_of_the_reference_tie(test: str, scheme: str, offset: float) -> None:
    # On most topics both systems are at the mean, of references that differ; half are far from 0.
    rng = np.random.default_rng(5)
    widths, k = rng.integers(1, 1000, (12, 1)), np.array([-3, -2, -1, 1, 5])
    centres = (
        rng.integers(1, 1000, (12, 1)) / 1024 + np.where(np.arange(12) % 2, offset, 0)[:, None]
    )
    reference = pd.DataFrame(centres + widths * k / 7e3, columns=list("vwxyz"))
    steps = np.zeros((12, 2))
    steps[:4] = [[1, 0], [-1, 1], [2, -1], [-2, 2]]
    pair = pd.DataFrame(centres + widths * steps / 7e3, columns=["a", "b"])
    found = compare(pair, test, scheme=scheme, reference=reference).table
    if scheme == "centered":
        steps *= widths
    expected = compare(pd.DataFrame(steps, columns=["a", "b"]), test).table
    assert found["p_value"].item() == pytest.approx(expected["p_value"].item(), rel=1e-9)


@pytest.mark.clause("compare.7")
@pytest.mark.parametrize("offset", [0.0, 1e6, 1e7])
@pytest.mark.parametrize("test", ["mann_whitney", "kolmogorov_smirnov", "kendall"])
def test_a_scheme_that_subtracts_nothing_ties_no_more_far_from_0(test: str, offset: float) -> None:
    rng = np.random.default_rng(1)
    scores = pd.DataFrame(offset + rng.integers(0, 1000, (40, 5)), columns=list("abcde"))
    y = Standardizer("max").standardize(scores).scores
    assert len(np.unique(y)) > 150
    found = compare(scores, test, scheme="max").table["p_value"]
    np.testing.assert_array_equal(found, compare(y, test).table["p_value"])


@pytest.mark.clause("compare.7")
@pytest.mark.parametrize("test", RANKS_TOPICS)
def test_factors_tie_as_their_reference(test: str) -> None:
    rng = np.random.default_rng(2)
    centres, d = rng.integers(30, 70, (30, 1)), rng.integers(1, 5, (30, 1))
    reference = (centres + d * [[-3, -2, -1, 1, 5]]) / 100
    pair = np.repeat(centres / 100, 2, axis=1)
    pair[:6] += rng.integers(-9, 9, (6, 2)) / 100
    frames = [pd.DataFrame(x, columns=list("abcdefg")[: x.shape[1]]) for x in (reference, pair)]
    fitted = Standardizer("z").fit(frames[0])
    by_factors = compare(frames[1], test, scheme=fitted).table["p_value"].item()
    known = compare(frames[1], test, scheme="z", reference=frames[0]).table["p_value"].item()
    assert by_factors == known


@pytest.mark.clause("compare.7")
@pytest.mark.parametrize("test", RANKS_TOPICS)
def test_sizes_are_those_of_the_topic_in_any_order_of_the_reference(test: str) -> None:
    # On topics of another unit, and without a score on one topic; most pairs are at the mean.
    rng = np.random.default_rng(4)
    centres, units = rng.integers(1, 1000, (20, 1)) / 1024, 10.0 ** rng.integers(-3, 9, (20, 1))
    reference = pd.DataFrame(units * (centres + np.array([-3, -2, -1, 1, 5]) / 7e3))
    steps = np.zeros((20, 2))
    steps[:5] = [[1, 0], [-1, 1], [2, -1], [-2, 2], [5, -3]]
    pair = pd.DataFrame(units * (centres + steps / 7e3), columns=["a", "b"])
    reference.columns, reference.loc[7] = pd.Index(list("vwxyz")), 0.5
    reference.index = pair.index = pd.Index([f"t{i}" for i in range(20)])
    z = Standardizer("z", constant="nan")
    orders = (np.arange(20), np.arange(20)[::-1], rng.permutation(20))
    found = [compare(pair, test, scheme=z, reference=reference.iloc[o]).table for o in orders]
    expected = compare(pd.DataFrame(np.delete(steps, 7, axis=0), columns=["a", "b"]), test).table
    for each in found:
        assert each["p_value"].item() == pytest.approx(expected["p_value"].item(), rel=1e-9)
        assert each["n"].item() == 19


@pytest.mark.clause("compare.7", "verify.1")
@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize(("scheme", "offset"), [("z", 0.0), ("kernel", 1e3), ("normal", 1e6)])
@pytest.mark.parametrize("test", RANKS_TOPICS)
def test_r_ties_as_factors_that_were_fitted_before(test: str, scheme: str, offset: float) -> None:
    rng = np.random.default_rng(2)
    centres = offset + rng.integers(30, 70, (30, 1)) / 100
    reference = pd.DataFrame(centres + np.array([[-3, -2, -1, 1, 5]]) / 100, columns=list("vwxyz"))
    pair = pd.DataFrame(np.repeat(centres, 2, axis=1), columns=["a", "b"])
    pair.iloc[:6] += rng.integers(-9, 9, (6, 2)) / 100
    found = compare(pair, test, scheme=Standardizer(scheme).fit(reference))
    assert verify(found, reference=reference)["agrees"].all()


@pytest.mark.clause("compare.7")
@pytest.mark.parametrize("scheme", ["centered", "z", "normal"])
def test_the_order_of_topics_does_not_matter(scheme: str, *, long: bool) -> None:
    rng = np.random.default_rng(3)
    for _ in range(30 if long else 10):
        reference = rng.integers(940, 990, (8, 5)) / 10
        reference[rng.random(8) < 0.3] = 97.3
        offsets = np.where(rng.random((8, 1)) < 0.3, 1e6, 0)
        x = pd.DataFrame(rng.integers(940, 990, (8, 3)) / 10 + offsets, columns=list("abc"))
        r = pd.DataFrame(reference + offsets, columns=list("vwxyz"))
        how = Standardizer(scheme, constant="drop_topic") if scheme == "z" else scheme
        p_values = [
            compare(x.iloc[o], "kendall", scheme=how, reference=r.iloc[o]).table["p_value"]
            for o in (np.arange(8), np.arange(8)[::-1], rng.permutation(8))
        ]
        for other in p_values[1:]:
            np.testing.assert_allclose(other, p_values[0], rtol=1e-12)


@pytest.mark.clause("compare.7")
@pytest.mark.parametrize(("scheme", "reference"), [("kernel", 3), ("normal", 12), ("normal", 2)])
@pytest.mark.parametrize("test", RANKS_TOPICS)
def test_ties_in_tails(test: str, scheme: str, reference: int) -> None:
    # Systems at c - k / 10, for P@10 of references {c, ..., c, c + 1 / 10} in any order.
    rng = np.random.default_rng(6)
    centre = rng.integers(5, 10, (40, 1))
    above = np.zeros((40, reference))
    above[:, -1] = 1
    scores = np.round((centre + rng.permuted(above, axis=1)) / 10, 1)
    steps = rng.integers(0, 6, (40, 2))
    pair = pd.DataFrame(np.round((centre - steps) / 10, 1), columns=["a", "b"])
    fitted_on = pd.DataFrame(scores, columns=[f"r{i}" for i in range(reference)])
    found = compare(pair, test, scheme=scheme, reference=fitted_on).table["p_value"].item()
    expected = compare(pd.DataFrame(-steps, columns=["a", "b"]), test).table["p_value"].item()
    assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.clause("compare.7")
@pytest.mark.parametrize("offset", [0, 50, 90])
@pytest.mark.parametrize("test", RANKS_TOPICS)
def test_differences_from_a_baseline_tie(test: str, offset: int) -> None:
    # The reference is one system, and differences from it have two decimals.
    rng = np.random.default_rng(6)
    baseline = offset * 100 + rng.integers(0, 1000, (40, 1))
    steps = rng.integers(-9, 9, (40, 2))
    pair = pd.DataFrame((baseline + steps) / 100, columns=["a", "b"])
    reference = pd.DataFrame(baseline / 100, columns=["baseline"])
    found = compare(pair, test, scheme="centered", reference=reference).table["p_value"].item()
    expected = compare(pd.DataFrame(steps, columns=["a", "b"]), test).table["p_value"].item()
    assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.clause("compare.7")
@pytest.mark.parametrize(
    ("offset", "scheme", "test", "told"),
    [
        (2.0**20, "normal", "wilcoxon_signed_rank", True),
        (2.0**20, "z", "wilcoxon_signed_rank", True),
        (2.0**20, "normal", "paired_t:rank_biserial_paired", True),
        (2.0**20, "uniform", "kendall", False),  # tied
        (2.0**20, "normal", "sign", False),
        (2.0**20, "empirical", "wilcoxon_signed_rank", False),
        (2.0**20, "max", "wilcoxon_signed_rank", False),
        (2.0**20, "raw", "wilcoxon_signed_rank", False),
        (1.0, "normal", "wilcoxon_signed_rank", False),
    ],
)
def test_ties_of_differences_that_rounding_may_break_are_told(
    offset: float, scheme: str, test: str, told: bool
) -> None:
    rng = np.random.default_rng(9)
    steps = np.array([rng.permutation([0, 1, 2, 4, 6, 7]) for _ in range(14)]) / 10
    scores = pd.DataFrame(offset * rng.random((14, 1)) + steps, columns=list("abcdef"))
    name, _, effect = test.partition(":")
    found = compare(scores, name, scheme=scheme, effect=effect or None)
    assert any("rounding errors may break ties" in each for each in found.cautions) == told


def test_no_caution_on_rounding_in_real_matrices(shared_data: Path) -> None:
    for path in (shared_data / "adhoc").glob("*_ap.csv"):
        scores = read_scores(path).iloc[:, :30]
        found = compare(scores, "wilcoxon_signed_rank", scheme=["normal", "z"])
        assert not any("rounding errors" in caution for caution in found.cautions), path
