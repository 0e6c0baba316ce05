"""Hostile labels through every door and back: the same label, or an error."""

import json
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pytest
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

from cdfscore import Standardizer, compare, load_factors, read_scores, save_factors, write_scores
from cdfscore.errors import CdfscoreError
from cdfscore.scores.tables import guarded
from tests.cli.conftest import Run

BEGINNINGS = ["=", "+", "-", "@", "'", "'=", "''+", "=cmd|' /C calc'!A0", "\t=", "\r=", '"', "'@"]
ENDS = [
    "",
    "1",
    "RM3",
    "stem",
    " a b",
    "\n",
    "\x1b[31m",
    "\x7f",
    "\x85",
    "\u202e",
    ",;",
    "\\&%$#_{}~^",
    "|x|",
]


def hostile(seed: int, count: int = 8) -> list[str]:
    """Return different labels, of which most begin with what a spreadsheet runs."""
    drawn = random.Random(seed)
    found: dict[str, None] = {}
    while len(found) < count:
        label = drawn.choice(BEGINNINGS) + drawn.choice(ENDS)
        if label.strip() == label:  # what is at the ends is refused or left out
            found[label] = None
    return list(found)


def scores(seed: int) -> pd.DataFrame:
    systems, topics = hostile(seed), hostile(seed + 1000, 12)
    values = np.random.default_rng(seed).random((12, 8)).round(4)
    return pd.DataFrame(values, index=pd.Index(topics, name="topic"), columns=systems)


def labels(frame: pd.DataFrame) -> tuple[list[str], list[str]]:
    return list(frame.index), list(frame.columns)


def by_file(name: str) -> Callable[[pd.DataFrame, Path], pd.DataFrame]:
    def door(frame: pd.DataFrame, folder: Path) -> pd.DataFrame:
        write_scores(frame, folder / name)
        return read_scores(folder / name)

    return door


def by_workbook(frame: pd.DataFrame, folder: Path) -> pd.DataFrame:
    """As a spreadsheet saves a file that was written with apostrophes."""
    book = openpyxl.Workbook()
    if ILLEGAL_CHARACTERS_RE.search("".join([*frame.index, *frame.columns])):
        raise CdfscoreError("a workbook cannot have it")
    rows = zip(guarded(list(frame.index)), *(frame[each] for each in frame), strict=True)
    for row in [["topic", *guarded(list(frame.columns))], *map(list, rows)]:
        book.active.append(row)
        for cell in book.active[book.active.max_row]:
            if isinstance(cell.value, str):
                cell.data_type = "s"  # text, and no formula
    book.save(folder / "s.xlsx")
    return read_scores(folder / "s.xlsx")


def by_json(frame: pd.DataFrame, folder: Path) -> pd.DataFrame:
    (folder / "s.json").write_text(json.dumps(frame.to_dict()), encoding="utf-8")
    return read_scores(folder / "s.json", systems_as_rows=True)


def by_factors(frame: pd.DataFrame, folder: Path) -> pd.DataFrame:
    factors = Standardizer("normal").fit(frame)
    save_factors(factors, folder / "f.json")
    read = load_factors(folder / "f.json")
    assert read.systems == tuple(sorted(frame.columns)) or read.systems == tuple(frame.columns)
    return read.transform(frame)[list(frame.columns)].set_axis(list(read.topics), axis=0)


def by_result(frame: pd.DataFrame, folder: Path) -> pd.DataFrame:
    table = compare(frame, "paired_t").table
    systems = dict.fromkeys([*table["system_a"], *table["system_b"]])
    return frame.set_axis(list(systems), axis=1)


DOORS = {
    "csv": by_file("s.csv"),
    "tsv": by_file("s.tsv"),
    "parquet": by_file("s.parquet"),
    "xlsx": by_workbook,
    "json": by_json,
    "factors": by_factors,
    "compare": by_result,
}


@pytest.mark.parametrize("door", list(DOORS))
def test_labels_come_back(door: str, tmp_path: Path) -> None:
    through = 0
    for seed in range(25):
        frame = scores(seed)
        try:
            back = DOORS[door](frame, tmp_path)
        except CdfscoreError:
            continue
        assert labels(back) == labels(frame)
        through += 1
    assert through >= (5 if door == "xlsx" else 20)


@pytest.mark.parametrize("long", [(), ("--long",)])
def test_labels_come_back_from_runs(cdfscore: Run, tmp_path: Path, long: tuple[str, ...]) -> None:
    """Those without a space, which divides the columns of a run."""
    names = [each for each in hostile(0, 40) if len(each.split()) == 1 and each.isprintable()]
    topics = [f"{each}-t" for each in names]
    for i, name in enumerate(names):
        lines = [f"{topic} Q0 d{i} 1 1.5 {name}" for topic in topics]
        (tmp_path / f"{i}.run").write_text("\n".join(lines), encoding="utf-8")
    judged = [f"{topic} 0 d{i} 1" for i, topic in enumerate(topics)]
    (tmp_path / "qrels").write_text("\n".join(judged), encoding="utf-8")
    runs = [f"{i}.run" for i in range(len(names))]
    how = ("--qrels", "qrels", "--measure", "AP", "--jobs", "1", "-o", "ap.csv", *long)
    assert cdfscore("measure", *runs, *how).status == 0
    read = read_scores(tmp_path / "ap.csv")
    assert (sorted(read.index), sorted(read.columns)) == (sorted(topics), sorted(names))
    assert np.trace(read.loc[topics, names].to_numpy()) == len(names) > 15


@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("via", ["rpy2", "rscript"])
def test_r_has_the_same_labels(cdfscore: Run, tmp_path: Path, seed: int, via: str) -> None:
    write_scores(scores(seed), tmp_path / "s.csv")
    done = cdfscore("verify", "s.csv", "--scheme", "normal", "--test", "paired_t", "--via", via)
    assert done.status == 0, done.err
    assert "agrees with R" in done.out


@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "md", "tex"])
def test_published_tables_have_the_same_labels(cdfscore: Run, tmp_path: Path, ending: str) -> None:
    write_scores(scores(3), tmp_path / "s.csv")
    test = ("--scheme", "normal", "--test", "paired_t")
    assert cdfscore("compare", "s.csv", *test, "-o", f"p.{ending}").status == 0
    done = cdfscore("verify", "s.csv", *test, "--published", f"p.{ending}")
    assert done.status == 0, done.err
