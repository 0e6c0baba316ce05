"""Generalizability: published figures, R's lme4, and missing scores."""

from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cdfscore import Standardizer, read_scores
from cdfscore.errors import ModelError
from cdfscore.models import d_study, g_study
from tests.models.designs import scores


@pytest.mark.clause("g_study.1", "d_study.1", "d_study.3")
def test_adhoc3_is_as_gt4ireval_prints_it(shared_data: Path) -> None:
    study = g_study(read_scores(shared_data / "gt4ireval" / "adhoc3.csv"))
    assert [f"{x:.5g}" for x in study.components["variance"]] == [
        "0.0071668",
        "0.022642",
        "0.01092",
    ]
    assert [f"{100 * x:.5g}" for x in study.components["proportion"]] == [
        "17.596",
        "55.593",
        "26.811",
    ]
    found = d_study(study)
    (row,) = found.reliability.to_dict("records")
    assert row.pop("topics") == 50
    assert [f"{x:.5g}" for x in row.values()] == [
        *("0.97043", "0.95569", "0.98213"),
        *("0.91436", "0.86034", "0.95054"),
    ]
    assert found.topics_needed.iloc[0].tolist() == [0.95, 29, 18, 45, 89, 50, 155]


@pytest.mark.clause("g_study.1", "d_study.1")
def test_synthetic4_is_as_brennan_prints_it(shared_data: Path) -> None:
    study = g_study(read_scores(shared_data / "gt4ireval" / "synthetic4.csv"))
    variances = [f"{x:.4f}" for x in study.components["variance"]]
    assert variances == ["0.6258", "0.8840", "2.7872"]
    squares = [f"{x:.4f}" for x in study.components["mean_square"]]
    assert squares == ["10.2963", "11.6273", "2.7872"]
    (row,) = d_study(study, confidence=0.8).reliability.to_dict("records")
    assert row.pop("topics") == 12
    assert [f"{x:.3f}" for x in row.values()] == [
        *("0.729", "0.541", "0.876"),  # Brennan (2001), Table 6.5
        *("0.672", "0.457", "0.845"),
    ]


@pytest.mark.clause("d_study.3")
@given(share=st.floats(0, 1.5), confidence=st.floats(0.5, 0.999), seed=st.integers(0, 9))
@example(share=0.0, confidence=0.95, seed=0)
def test_ends_rise_with_the_differences_of_systems(
    share: float, confidence: float, seed: int
) -> None:
    """From means on that are equal but for rounding."""
    values = np.random.default_rng(seed).normal(size=(12, 6))
    means = values.mean(axis=0)
    ends = []
    for own in (share, share + 0.01):
        frame = pd.DataFrame(values - means + own * means)
        found = d_study(g_study(frame), [12], confidence=confidence).reliability
        ends.append(found[["absolute_low", "absolute_high", "relative_low", "relative_high"]])
    assert (ends[0] <= ends[1] + 1e-12).to_numpy().all()


@pytest.mark.clause("d_study.2")
def test_whole_numbers_of_topics_are_not_rounded_up() -> None:
    study = g_study(pd.DataFrame([[0.0, 3.0], [2.0, 3.0]], ["t", "u"], ["a", "b"]))  # 1.5 and 1
    wanted = [0.5, 0.6, 0.75, 0.9, 0.95]
    needed = d_study(study, reliabilities=wanted).topics_needed["relative"]
    assert needed.tolist() == [1, 1, 2, 6, 13]


@pytest.mark.clause("d_study.2")
def test_the_topics_needed_are_the_first_that_are_enough(shared_data: Path) -> None:
    study = g_study(read_scores(shared_data / "gt4ireval" / "adhoc3.csv"))
    needed = d_study(study, reliabilities=[0.6, 0.9]).topics_needed
    for row in needed.to_dict("records"):
        for kind in ("relative", "absolute", "relative_low", "absolute_high"):
            n = int(row[kind])
            # More topics are needed where the reliability is lower: the ends change places.
            swapped = kind.replace("low", "HIGH").replace("high", "low").replace("HIGH", "high")
            at = d_study(study, [n - 1, n]).reliability[swapped]
            assert at[0] < row["reliability"] <= at[1]


@pytest.mark.clause("g_study.1")
@pytest.mark.parametrize("unit", [-1000, -560, 0, 560, 1000])
def test_a_note_has_the_estimate_whatever_the_unit(unit: int) -> None:
    values = np.random.default_rng(3).normal(size=(6, 5))
    values -= values.mean(axis=0)
    topics, systems = [f"t{i}" for i in range(6)], list("abcde")
    study = g_study(pd.DataFrame(np.ldexp(values, unit), topics, systems))
    (note,) = (each for each in study.notes if each.startswith("the estimated variance of system"))
    told = Decimal(note.split(" is ")[1].split(",")[0]) / Decimal(4) ** unit
    plain = g_study(pd.DataFrame(values, topics, systems))
    squares = plain.components["mean_square"]
    expected = (squares.iloc[0] - squares.iloc[2]) / 6
    assert float(told) == pytest.approx(expected, rel=1e-5)
    assert float(told) < 0


@pytest.mark.clause("g_study.2")
def test_missing_scores_are_of_henderson() -> None:
    """Sums of squares of one factor after the other, by projections."""
    frame = scores(missing=0.2)
    study = g_study(frame, Standardizer("raw", missing="omit"))
    y = frame.to_numpy()
    t, s = np.nonzero(~np.isnan(y))
    x = y[t, s]
    of_t, of_s = np.eye(len(y))[t], np.eye(y.shape[1])[s]

    def residual(design: np.ndarray) -> float:
        return float(((x - design @ np.linalg.pinv(design) @ x) ** 2).sum())

    both = residual(np.hstack([of_t, of_s]))
    error = both / (len(x) - len(y) - y.shape[1] + 1)
    k, n = y.shape[1], len(y)
    system = (residual(of_t) - both - (k - 1) * error) / (len(x) - n)
    topic = (residual(of_s) - both - (n - 1) * error) / (len(x) - k)
    expected = [max(system, 0), topic, error]
    np.testing.assert_allclose(study.components["variance"], expected, rtol=1e-9)
    assert not study.complete
    found = d_study(study)
    assert np.isnan(found.reliability["relative_low"]).all()
    assert "not defined with missing scores" in found.notes[-1]


@pytest.mark.clause("g_study.1")
def test_negative_estimates_are_zero_and_told() -> None:
    frame = pd.DataFrame(np.random.default_rng(3).normal(size=(6, 5)), columns=list("abcde"))
    study = g_study(frame)
    squares = study.components["mean_square"]
    below = (squares < squares.iloc[2]).iloc[:2]
    assert below.any()
    assert ((study.components["variance"].iloc[:2] == 0) == below).all()
    assert sum("below 0, and is set to 0" in note for note in study.notes) == below.sum()


@pytest.mark.clause("g_study.2")
@pytest.mark.parametrize(
    ("frame", "fragment"),
    [
        (scores().iloc[:1], "24 systems on 1 topics; expected at least two of each"),
        (scores().iloc[:, :1], "1 systems on 9 topics; expected at least two of each"),
        (
            pd.DataFrame({"a": [1.0, 2.5, np.nan, np.nan], "b": [np.nan, np.nan, 1.5, 2.0]}),
            "because of missing scores, not all systems",
        ),
    ],
)
def test_designs_without_comparisons_are_refused(frame: pd.DataFrame, fragment: str) -> None:
    with pytest.raises(ModelError, match=fragment):
        g_study(frame, Standardizer("raw", missing="omit"))


@pytest.mark.parametrize(
    "settings",
    [
        *({"topics": [0]}, {"topics": [2.5]}, {"topics": []}),
        *({"reliabilities": [1.0]}, {"reliabilities": []}, {"confidence": 95}),
    ],
)
def test_settings_out_of_range_are_refused(settings: dict[str, list[float]]) -> None:
    with pytest.raises(ModelError, match="expected"):
        d_study(g_study(scores()), **settings)  # type: ignore[arg-type]
