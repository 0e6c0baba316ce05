"""Every score matrix of the shared data is read with its shape and labels."""

import csv
from pathlib import Path

import pytest

from cdfscore import read_scores

SHAPES = {
    "urbano2019/data/robust2004_{ap,ndcg}": (99, 110),
    "urbano2019/data/terabyte2006_{ap,ndcg}": (149, 61),
    "robust2004/robust2004_{ap,p10}": (249, 110),
    "adhoc/adhoc5_{ap,p10,rr}": (50, 61),
    "adhoc/adhoc6_{ap,p10,rr}": (50, 74),
    "adhoc/adhoc7_{ap,p10,rr}": (50, 103),
    "adhoc/adhoc8_{ap,p10,rr}": (50, 129),
    "web/web2010_{ap,p10,p20,rr,ndcg20,err20}": (48, 88),
    "web/web2011_{ap,p10,p20,rr,ndcg20,err20}": (50, 62),
    "web/web2012_{ap,p10,p20,rr,ndcg20,err20}": (50, 48),
}
FILES = {
    f"{stem}{measure}.csv": shape
    for pattern, shape in SHAPES.items()
    for stem, measures in [pattern.rstrip("}").split("{")]
    for measure in measures.split(",")
}
LABELLED = "robust2004/"


@pytest.mark.parametrize("name", FILES)
def test_matrix_is_read(shared_data: Path, name: str) -> None:
    scores = read_scores(shared_data / name)
    assert scores.shape == FILES[name]
    assert scores.index.name == "topic"
    assert scores.notna().all(axis=None)
    assert scores.to_numpy().min() >= 0
    assert scores.to_numpy().max() <= 1
    with (shared_data / name).open(newline="") as stream:
        header, *rows = csv.reader(stream)
    if name.startswith(LABELLED):
        assert scores.index.tolist() == [row[0] for row in rows]
        assert {"301", "450", "601", "700"} <= set(scores.index)
        assert header == ["topic", *scores.columns]
    else:
        assert scores.index.tolist() == list(range(1, len(rows) + 1))
        assert header == scores.columns.tolist()
    assert scores.iloc[-1, -1] == float(rows[-1][-1])


def test_all_matrices_are_listed(shared_data: Path) -> None:
    folders = ("urbano2019/data", "robust2004", "adhoc", "web")
    found = {
        str(p.relative_to(shared_data))
        for folder in folders
        for p in (shared_data / folder).glob("*.csv")
    }
    assert found == set(FILES)


@pytest.mark.parametrize(("name", "shape"), [("adhoc3", (50, 40)), ("synthetic4", (12, 10))])
def test_scores_of_generalizability_theory_are_read(
    shared_data: Path, name: str, shape: tuple[int, int]
) -> None:
    assert read_scores(shared_data / "gt4ireval" / f"{name}.csv").shape == shape
