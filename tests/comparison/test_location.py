"""A test that compares another location than the mean has it in tables, letters and figures."""

import inspect
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from cdfscore_plug_in import trimmed_t
from scipy import stats

from cdfscore import Standardizer, compare, sensitivity, verify
from cdfscore.comparison import Comparison
from cdfscore.comparison.two_collections import compare_collections
from cdfscore.errors import SignificanceError, VerificationError
from cdfscore.plots.comparison import (
    plot_critical_difference,
    plot_pairs,
    plot_volcano,
)
from cdfscore.report import writing
from cdfscore.report.comparison import caption, encode_letters, for_paper
from cdfscore.report.methods import results
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance.contract import Rows, unpaired

TOPICS = [f"t{i}" for i in range(20)]


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    """System b has the largest mean by one score, and a the largest trimmed mean."""
    rng = np.random.default_rng(5)
    matrix = rng.uniform(0.2, 0.3, (20, 1)) + np.array([0.1, 0.05, 0.0]) + rng.normal(0, 0.01)
    matrix += rng.uniform(-0.02, 0.02, matrix.shape)
    matrix[0, 1] = 5.0
    return pd.DataFrame(matrix, TOPICS, list("abc"))


@pytest.fixture(scope="module")
def found(scores: pd.DataFrame) -> Comparison:
    return compare(scores, trimmed_t)


@pytest.mark.clause("compare.2")
def test_the_means_are_trimmed_and_have_no_interval(
    found: Comparison, scores: pd.DataFrame
) -> None:
    expected = stats.trim_mean(scores.to_numpy(), 0.2)
    np.testing.assert_allclose(found.means["raw"], expected, rtol=1e-15)
    a, b = (
        found.means["raw"].loc[found.table[name]].to_numpy() for name in ("system_a", "system_b")
    )
    np.testing.assert_allclose(found.table["estimate"], a - b, rtol=1e-13)
    assert found.mean_intervals["raw"][["low", "high"]].isna().all(axis=None)
    assert scores.mean().idxmax() == "b"


def test_letters_are_in_the_order_of_the_trimmed_means(found: Comparison, tmp_path: Path) -> None:
    assert found.letters() == {"a": "a", "b": "b", "c": "c"}
    assert list(found.letters()) == list("abc")
    written = encode_letters(found, tmp_path / "letters.csv").decode().splitlines()
    assert written[0] == "scheme,system,trimmed mean,letters,won,undecided,lost"
    assert written[1].startswith("raw,a,")


def test_a_missing_score_is_left_out_of_its_system(scores: pd.DataFrame) -> None:
    without = scores.copy()
    without.iloc[3, 2] = np.nan
    result = compare(without, trimmed_t, scheme=Standardizer("raw", missing="omit"))
    means = result.means["raw"]
    assert any(each.startswith("trimmed means are over the topics") for each in result.notes)
    full = compare(scores, trimmed_t).means["raw"]
    expected = stats.trim_mean(scores["c"].drop(TOPICS[3]), 0.2)
    assert means.to_numpy() == pytest.approx([*full[:2], expected], rel=1e-15)


def test_sentences_and_tables_name_the_trimmed_mean(found: Comparison) -> None:
    assert caption(found).startswith("Differences of trimmed means between systems, A minus B")
    assert "a has the highest trimmed mean, " in results(found)
    (systems, *_) = for_paper(found)
    headers = ["system", "trimmed mean", "letters", "won", "undecided", "lost"]
    assert [column.header for column in systems.columns] == headers
    assert "Trimmed means of systems" in systems.caption
    assert "interval" not in systems.caption.lower()
    document = json.loads(writing.encode(found, Path("pairs.json")))
    assert (document["center"], document["means"]["raw"]["a"]) == (
        "trimmed mean",
        found.means["raw"]["a"],
    )


@pytest.mark.parametrize(
    ("draw", "label"),
    [
        (plot_critical_difference, "Trimmed mean score"),
        (plot_volcano, "A minus B in trimmed mean score"),
    ],
)
def test_figures_name_the_trimmed_mean(found: Comparison, draw: Any, label: str) -> None:
    figure, axes = plt.subplots()
    draw(found, axes, scheme="raw")
    assert label in axes.get_xlabel()
    plt.close(figure)


def test_sensitivity_names_the_trimmed_mean(scores: pd.DataFrame) -> None:
    result = sensitivity(scores, ["raw", "z"], test=trimmed_t)
    assert list(result.systems) == ["scheme", "system", "trimmed mean", "rank"]
    assert result.systems["trimmed mean"][:3].tolist() == pytest.approx(
        stats.trim_mean(scores.to_numpy(), 0.2)
    )
    assert result.systems["rank"][:3].tolist() == [1, 2, 3]
    told = replace(result, conclusions=result.conclusions.assign(gained=1)).verdict[-1]
    assert told.endswith("Raw and standardized trimmed means answer different questions.")


def test_pairs_are_in_the_order_of_the_trimmed_means(found: Comparison) -> None:
    figure, axes = plt.subplots()
    plot_pairs(found, axes, scheme="raw")
    assert [each.get_text()[0] for each in axes.get_yticklabels()] == list("abc")
    plt.close(figure)


@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize("via", ["rpy2", "rscript"])
def test_r_has_the_trimmed_means_and_the_letters(found: Comparison, via: Any) -> None:
    report = verify(found, via=via).set_index("quantity")
    assert report["agrees"].all()
    assert report.loc["trimmed mean", "count"] == 3
    assert "letter in common" in report.index
    assert [name for name in report.index if "mean" in name] == [
        "system mean",
        "trimmed mean: n",
        "trimmed mean",
    ]


@pytest.mark.usefixtures("rinterface")
def test_another_location_in_r_is_found(scores: pd.DataFrame, monkeypatch: Any) -> None:
    def trimmed_mean(x: Array, settings: Any) -> Array:
        return np.asarray(x.mean(axis=1))

    trimmed_mean.__code__ = trimmed_mean.__code__.replace(
        co_filename=inspect.getfile(inspect.unwrap(trimmed_t.location))
    )
    monkeypatch.setattr(trimmed_t, "location", trimmed_mean)
    report = verify(compare(scores, trimmed_t)).set_index("quantity")
    assert report.index[~report["agrees"]].tolist() == ["trimmed mean"]


def largest(x: Array, settings: object) -> Array:
    return x.max(axis=1)


@unpaired(source="nobody", location=largest)
def of_the_largest(x: Array, y: Array) -> Rows:
    return Rows(x.max(axis=1) - y.max(axis=1), 0.5, method="largest scores")


def test_so_have_two_collections(scores: pd.DataFrame) -> None:
    other = scores.iloc[:7].set_axis([f"u{i}" for i in range(7)])
    raw = Standardizer("raw")
    found = compare_collections(raw.standardize(scores), raw.standardize(other), of_the_largest)
    expected = [*scores.max(), *other.max()]
    assert found.means["raw"].tolist() == expected


def test_a_location_without_an_r_file_has_no_twin(
    scores: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trimmed_t, "location", largest)
    file = Path(__file__).with_name("largest.R")
    with pytest.raises(VerificationError) as caught:
        verify(compare(scores, trimmed_t))
    assert str(caught.value) == f"largest has no R twin; expected the file {file}"


def test_a_location_needs_a_name() -> None:
    with pytest.raises(SignificanceError, match=r"<lambda> at .* has no name; expected a function"):
        unpaired(source="nobody", location=lambda x, settings: x.max(axis=1))(of_the_largest)


def one(x: Array, settings: object) -> Array:
    return np.float64(x.max())  # type: ignore[return-value]


def nothing(x: Array, settings: object) -> Array:
    return np.where(x.max(axis=1) > 1, np.nan, 0.0)


@pytest.mark.parametrize(
    ("location", "told"),
    [
        (one, "is 5.0; expected a finite number for each row of x, shape (3,)"),
        (nothing, "is nan; expected a finite number for each row of x"),
    ],
)
def test_a_location_that_is_no_number_of_each_row_is_refused(
    scores: pd.DataFrame, monkeypatch: pytest.MonkeyPatch, location: Any, told: str
) -> None:
    monkeypatch.setattr(trimmed_t, "location", location)
    with pytest.raises(SignificanceError) as caught:
        compare(scores, trimmed_t)
    expected = f"trimmed_t: the location {location.__name__} of x of shape (3, 20) {told}"
    assert str(caught.value) == expected
