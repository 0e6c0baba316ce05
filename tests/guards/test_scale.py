"""Scores on another scale are told: other ranges, other grids, scores that do not belong."""

import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cdfscore import CdfscoreWarning, Standardizer, compare, datasets, load_factors
from cdfscore.errors import FactorsError
from cdfscore.standardization.cautions import Scale, mixed_scales
from cdfscore.standardization.matrix import ScoreMatrix
from tests.cli.conftest import Run, Write


def cranfield(measure: str = "ap") -> pd.DataFrame:
    found = datasets.load_cranfield(measure)
    found.attrs.clear()  # of no measure that is named
    return found


def cautions_of(reference: pd.DataFrame, scores: pd.DataFrame) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = Standardizer("normal").fit(reference).standardize(scores)
    said = [str(each.message).partition("; as_scores takes ")[0] for each in caught]
    assert said == found.cautions
    assert [note for note in found.notes if note in found.cautions] == found.cautions
    return found.cautions


@pytest.mark.clause("warnings.1")
def test_scores_in_percent_are_told() -> None:
    ap = cranfield()
    (caution,) = cautions_of(ap.iloc[:, :40], 100 * ap.iloc[:, 40:])
    assert "outside of the range of the reference scores, 0 to 1" in caution
    assert "in the same unit?" in caution


@pytest.mark.clause("scale.2")
def test_scores_of_another_grid_are_told() -> None:
    ap, p10 = cranfield(), cranfield("p10")
    (coarse,) = cautions_of(ap.iloc[:, :40], p10.iloc[:, 40:])
    assert coarse.startswith("the scores are multiples of 1/10, and the reference scores are not")
    (fine,) = cautions_of(p10.iloc[:, :40], ap.iloc[:, 40:])
    assert fine.startswith("the reference scores are multiples of 1/10, and ")
    five = (p10.iloc[:, 40:] * 5).round() / 5
    _, said = cautions_of(p10.iloc[:, :40], five)  # the other is of three with 0 on all topics
    assert said.startswith("the scores are multiples of 1/5, and the reference scores are of 1/10")


@pytest.mark.parametrize("measure", ["ap", "ndcg10", "p10", "rr"])
def test_new_systems_of_the_same_measure_give_no_caution(measure: str) -> None:
    scores = cranfield(measure)
    for own in (scores.iloc[:, 40:], scores.iloc[:, [50]], scores.iloc[:, 40:45]):
        assert cautions_of(scores.iloc[:, :40], own) == []


@pytest.mark.parametrize("lower", ["ppl", True, "a"])
def test_a_scale_is_of_the_topics_on_which_higher_is_better(lower: str | bool) -> None:
    """Perplexity beside accuracies has a scale of its own, unless lower is better on all."""
    values = np.random.default_rng(3).random((6, 24)).round(3)
    values[4] = 20 + 30 * values[4]
    scores = pd.DataFrame(values, [*"abcd", "ppl", "e"], [f"s{i}" for i in range(24)])
    factors = Standardizer("normal", lower_is_better=lower).fit(scores.iloc[:, :20])
    new = scores.iloc[:, 20:]
    percent = new.copy()
    percent.loc[[*"abcde"]] *= 100
    assert factors.scale is not None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CdfscoreWarning)
        found = {
            "same": factors.standardize(new).cautions,
            "percent": factors.standardize(percent).cautions,
            "ppl": factors.standardize(new.loc[["ppl"]]).cautions,
        }
    high = values[[0, 1, 2, 3, 5], :20].max() if lower == "ppl" else values[:, :20].max()
    assert factors.scale.high == high
    told = [each for each in found["percent"] if "outside of the range of the reference" in each]
    assert bool(told) == (lower == "ppl")
    for part in ("same", "ppl"):
        assert not any("reference scores" in each for each in found[part])


def test_a_grid_needs_scores_between_the_ends() -> None:
    assert Scale.of(np.array([[0, 1.0, 1.0]] * 20)) == Scale(0.0, 1.0, None, 1.0)
    assert Scale.of(np.array([[0.1, 0.3, 0.5]] * 50)) == Scale(0.1, 0.5, 10, 0.3, 1.0)
    assert Scale.of(np.array([[0.1, 0.3, 0.5]] * 10)) == Scale(0.1, 0.5, None, 0.3)
    assert Scale.of(np.array([[0.1, 0.3001, 0.5], [0.2, 1 / 3, 0.5]])) == Scale(
        0.1, 0.5, None, 1 / 3, 3 / 4
    )
    assert Scale.of(np.full((2, 2), np.nan)) is None


def mixed(change: Callable[[np.ndarray], None]) -> list[str]:
    values = np.random.default_rng(3).random((50, 30)).round(4)
    change(values)
    frame = pd.DataFrame(values, [f"t{i}" for i in range(50)], [f"s{i}" for i in range(30)])
    return mixed_scales(ScoreMatrix.of(frame))


def put(place: object, by: float) -> Callable[[np.ndarray], None]:
    def change(values: np.ndarray) -> None:
        values[place] *= by  # type: ignore[index]

    return change


@pytest.mark.clause("scale.3")
def test_scores_that_do_not_belong_are_named() -> None:
    def one(values: np.ndarray) -> None:
        values[4, 7] = 4.0

    assert mixed(one) == [
        "1 of 1,500 scores is above 1, such as 4 of system 's7' on topic 't4', and all others are "
        "from 0 to 1: are they on one scale?"
    ]
    assert mixed(put((slice(None), 3), 100))[0].startswith("system 's3' has scores up to 9")
    assert mixed(put(6, 100))[0].startswith("topic 't6' has scores up to 9")


@pytest.mark.parametrize("change", [put(..., 1), put(..., 100), put(..., 1.5), put(..., -1)])
def test_scores_on_one_scale_give_no_caution(change: Callable[[np.ndarray], None]) -> None:
    assert mixed(change) == []


def test_a_comparison_says_so_too() -> None:
    scores = cranfield().iloc[:, :12].copy()
    scores.iloc[3, 2] = 4.0
    with pytest.warns(CdfscoreWarning, match="1 of 2,700 scores is above 1"):
        found = compare(scores, "paired_t")
    assert "1 of 2,700 scores is above 1" in found.notes[0]


@pytest.mark.parametrize("new", [slice(40, None), slice(50, 51)])
def test_fractions_through_percentages_are_told(new: slice) -> None:
    ap = cranfield()
    (caution,) = cautions_of(100 * ap.iloc[:, :40], ap.iloc[:, new])
    most = f"{ap.iloc[:, new].max(axis=None):g}"
    assert f"scores are at most {most}, and the reference scores go up to 100: are" in caution
    assert caution.endswith("in the same unit?")


@pytest.mark.clause("scale.1")
@pytest.mark.long
@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", range(2))
def test_no_caution_on_random_parts_of_the_real_matrices(
    shared_matrices: dict[Path, pd.DataFrame], seed: int
) -> None:
    """Few and many new systems, on few and all topics, through the scale of the others.

    Published tables are left out: their columns are levels and powers, not systems.
    """
    rng = np.random.default_rng(seed)
    alarms, tried = [], 0
    for path, scores in shared_matrices.items():
        values = scores.to_numpy()
        topics, systems = values.shape
        if systems < 6 or np.isnan(values).any() or "published" in path.parts:
            continue
        for new in (1, 1, 1, 2, systems // 2, systems - 5, systems - 3):
            order, rows = rng.permutation(systems), rng.permutation(topics)
            reference = values[:, order[new:]]
            for count in (3, 10, topics):
                part = values[np.ix_(rows[:count], order[:new])]
                scale = Scale.of(reference)
                assert scale is not None
                tried += 1
                alarms += [(path.name, each) for each in scale.cautions(part, systems - new)]
    assert alarms == []
    assert tried > 700


def test_no_caution_on_the_real_matrices(shared_matrices: dict[Path, pd.DataFrame]) -> None:
    """Half of the systems through factors of the others: 0 false alarms; some runs are copies."""
    alarms, tried = {}, 0
    for path, scores in shared_matrices.items():
        if scores.shape[1] < 20 or scores.isna().any(axis=None):
            continue
        tried += 1
        half = scores.shape[1] // 2
        how = Standardizer("empirical")
        found = how.standardize(scores.iloc[:, half:], scores.iloc[:, :half])
        said = [*found.cautions, *how.standardize(scores).cautions]
        if false := [each for each in said if "have the same scores on all" not in each]:
            alarms[path.name] = false
    assert alarms == {}
    assert tried > 20


@pytest.mark.clause("factors.4")
def test_factors_keep_the_scale_and_the_measure(
    cdfscore: Run, write: Write, tmp_path: Path
) -> None:
    ap, p10 = cranfield(), cranfield("p10")
    write({"ap.csv": ap.iloc[:, :40].to_csv(), "p10.csv": p10.iloc[:, 40:].to_csv()})
    fit = ("standardize", "ap.csv", "--scheme", "normal", "--measure", "ap")
    assert cdfscore(*fit, "--save-factors", "f.json", "-o", "s.csv").status == 0
    assert load_factors(tmp_path / "f.json").scale == Scale.of(ap.iloc[:, :40].to_numpy())
    applied = cdfscore("apply", "f.json", "p10.csv", "-o", "y.csv")
    assert applied.status == 0
    assert "the scores are multiples of 1/10, and the reference scores are not" in applied.err
    assert "the factors are of the measure ap" in applied.err
    other = cdfscore("apply", "f.json", "p10.csv", "--measure", "p10", "-o", "z.csv")
    assert (other.status, "factors of the measure ap, not p10" in other.err) == (2, True)
    assert not (tmp_path / "z.csv").exists()
    assert cdfscore(*fit[:4], "--save-factors", "g.json", "-o", "s.csv").status == 0
    assert "measure" not in cdfscore("apply", "g.json", "ap.csv", "-o", "y.csv").err
    unnamed = cdfscore("apply", "g.json", "p10.csv", "--measure", "p10", "-o", "z.csv")
    assert unnamed.status == 2
    assert "--measure p10 is given, and p10.csv names no measure" in unnamed.err
    with pytest.raises(FactorsError, match=r"g.json does not name the measure of its factors, and"):
        load_factors(tmp_path / "g.json", measure="p10")


def test_a_damaged_scale_is_refused(tmp_path: Path) -> None:
    from cdfscore import save_factors

    path = tmp_path / "f.json"
    save_factors(Standardizer("normal").fit(cranfield()), path)
    text = path.read_text()
    for entry in (
        '{"low": 1, "high": 0, "grid": null}',
        '{"low": 0}',
        '{"low": 0, "high": 1, "grid": 0}',
        '{"low": 0, "high": 1, "grid": null, "middle": 2}',
        '{"low": 0, "high": 1, "grid": null, "middle": 0.5, "coarse": 0}',
    ):
        lines = [
            f' "scale": {entry},' if line.startswith(' "scale"') else line
            for line in text.splitlines()
        ]
        path.write_text("\n".join(lines))
        with pytest.raises(FactorsError, match="'scale'"):
            load_factors(path)
