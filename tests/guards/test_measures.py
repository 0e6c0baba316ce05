"""Scores and factors, or a reference, of different measures: refused where their files say so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from cdfscore import (
    Standardizer,
    compare,
    correlate,
    datasets,
    load_factors,
    read_scores,
    save_factors,
)
from cdfscore.comparison.sensitivity import sensitivity
from cdfscore.diagnosis import diagnose_factors
from cdfscore.errors import FactorsError
from cdfscore.scores.dataframes import measure_of
from tests.guards.conftest import Files, Outcome


def long(scores: pd.DataFrame, measure: str) -> str:
    """Return a file with a row for each score, which names the measure."""
    rows = scores.rename_axis("topic").reset_index().melt("topic", var_name="system")
    return str(rows.rename(columns={"value": "score"}).assign(measure=measure).to_csv(index=False))


@pytest.fixture
def files(write: Callable[[Files], None], tmp_path: Path) -> Path:
    ap = datasets.load_cranfield("ap").iloc[:30, :40]
    p10 = datasets.load_cranfield("p10").iloc[:30, :40]
    write(
        {
            "pool.csv": long(ap.iloc[:, :25], "map"),
            "wide.csv": ap.iloc[:, :25].to_csv(),
            "map.csv": long(ap.iloc[:, 25:], "AP"),
            "p10.csv": long(p10.iloc[:, 25:], "P_10"),
            "new.csv": ap.iloc[:, 25:].to_csv(),
        }
    )
    save_factors(Standardizer("normal").fit(ap.iloc[:, :25], measure="map"), tmp_path / "map.json")
    return tmp_path


COMMANDS = (
    "apply map.json SCORES -o y.csv",
    "compare SCORES --factors map.json -o y.csv",
    "correlate SCORES SCORES --factors map.json -o y.csv",
    "diagnose SCORES --factors map.json --bootstrap 0 -o y.csv",
)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_refuses_scores_of_another_measure_than_the_factors(
    cdfscore: Callable[..., Outcome], files: Path, command: str
) -> None:
    for scores in ("map.csv", "new.csv"):  # of AP, and of none
        done = cdfscore(*command.replace("SCORES", scores).split())
        assert done.status == 0, done.err
        assert "the factors are of the measure map" in done.err
        (files / "y.csv").unlink()
    refused = cdfscore(*command.replace("SCORES", "p10.csv").split())
    assert refused.status == 2
    assert "the scores are of the measure P_10 and the factors are of map; expected" in refused.err
    assert not (files / "y.csv").exists()
    named = cdfscore(*command.replace("SCORES", "p10.csv").split(), "--measure", "P_10")
    assert named.status == 2
    assert "map.json has factors of the measure map, not P_10" in named.err


CALLS: dict[str, Callable[[pd.DataFrame, pd.DataFrame], object]] = {
    "standardize": Standardizer("normal").standardize,
    "transform": lambda scores, other: Standardizer("normal").fit(other).transform(scores),
    "means": lambda scores, other: Standardizer("normal").fit(other).standardize(scores).means,
    "compare": lambda scores, other: compare(scores, "paired_t", scheme="normal", reference=other),
    "sensitivity": lambda scores, other: sensitivity(scores, ["raw", "z"], reference=other),
    "correlate": lambda scores, other: correlate(
        scores, scores, scheme=Standardizer("normal").fit(other)
    ),
    "diagnose": lambda scores, other: diagnose_factors(
        scores, Standardizer("normal").fit(other), bootstrap=0
    ),
}


@pytest.mark.clause("factors.4")
@pytest.mark.parametrize("call", CALLS)
def test_python_refuses_them_too(files: Path, call: str) -> None:
    pool, p10 = read_scores(files / "pool.csv"), read_scores(files / "p10.csv")
    with pytest.raises(FactorsError, match=r"the measure P_10 and the (factors are|reference is)"):
        CALLS[call](p10, pool)
    CALLS[call](read_scores(files / "map.csv"), pool)
    CALLS[call](read_scores(files / "new.csv"), pool)


@pytest.mark.parametrize(
    ("scores", "factors", "fragment"),
    [
        ("Zmap", "map", "(Zmap is map that trec_eval -Z has standardized)"),
        ("ZP_10", "P@10", "(ZP_10 is P@10 that trec_eval -Z has standardized)"),
        ("map", "Zmap", "(Zmap is map that trec_eval -Z has standardized)"),
        ("Zmap", "ndcg", "(if these are two names of one measure, use one of them)"),
    ],
)
def test_output_of_trec_eval_z_is_standardized_already(
    files: Path, scores: str, factors: str, fragment: str
) -> None:
    pool = read_scores(files / "wide.csv")
    given = pool.stack().rename_axis(["topic", "system"]).rename("score").reset_index()
    (files / "z.csv").write_text(given.assign(measure=scores).to_csv(index=False))
    with pytest.raises(FactorsError) as caught:
        Standardizer("normal").fit(pool, measure=factors).transform(read_scores(files / "z.csv"))
    assert fragment in str(caught.value)


def test_factors_have_the_measure_of_the_scores_that_they_are_fitted_to(
    cdfscore: Callable[..., Outcome], files: Path
) -> None:
    pool = read_scores(files / "pool.csv")
    assert measure_of(pool) == Standardizer("normal").fit(pool).measure == "map"
    assert Standardizer("normal").fit(read_scores(files / "wide.csv")).measure is None
    assert Standardizer("normal").fit(pool, measure="AP").measure == "AP"
    fit = ("standardize", "--scheme", "normal", "-o", "y.csv", "--save-factors", "f.json")
    for own, measure in (
        (("new.csv", "--reference", "pool.csv"), "map"),
        (("map.csv", "--reference", "wide.csv"), None),
        (("map.csv",), "AP"),
        (("new.csv",), None),
        (("new.csv", "--reference", "wide.csv", "--measure", "ap"), "ap"),
    ):
        assert cdfscore(*fit, *own).status == 0
        assert load_factors(files / "f.json").measure == measure, own
