"""``cdfscore reproduce urbano2019`` beside what the authors published, and beside R.

The files of average precision are published: the first trials are compared byte by byte here,
all 10,000 by ``python -m validation.papers``. Those of nDCG are compared with R: from the score
file on, ``urbano2019.R`` does by R's own functions what the paper describes.
"""

from __future__ import annotations

import io
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from cdfscore.cli import main
from cdfscore.experiments import ALPHAS, run_trials
from cdfscore.experiments.papers.urbano2019 import run as urbano2019
from cdfscore.experiments.rates import COEFFICIENTS
from cdfscore.r.session import RSession
from cdfscore.stats.numerics.types import Array

IN_R = Path(__file__).with_name("urbano2019.R")
TRIALS = 200
FEW = 50  # trials whose coefficients are compared with R
ALL = tuple(urbano2019.SCHEMES)
RATES = {"within": ("power",), "between": ("power", "type1")}
# R takes half a second for the t tests of one scheme in a trial of all systems of Robust: of
# every third system there are a ninth of the pairs.
EVERY, TESTED = 4, 2
every_cell = pytest.mark.parametrize(
    "cell", urbano2019.cells(), ids=lambda cell: f"{cell.experiment}-{cell.matrix}"
)


@pytest.fixture(scope="module")
def reproduced(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the command writes for average precision."""
    out = tmp_path_factory.mktemp("reproduced")
    options = ["--measure", "ap", "--trials", str(TRIALS), "--jobs", "1"]
    with pytest.MonkeyPatch.context() as patch:
        folders = ["--data", str(shared_data), "--out", str(out)]
        patch.setattr(sys, "argv", ["cdfscore", "reproduce", "urbano2019", *folders, *options])
        with pytest.raises(SystemExit) as end:
            main()
    assert end.value.code in (0, None)
    return out


@pytest.mark.parametrize("name", COEFFICIENTS)
@pytest.mark.parametrize("cell", urbano2019.cells(measures=["ap"]), ids=lambda c: str(c.folder))
def test_first_published_trials(shared_data, reproduced, cell, name) -> None:
    """Names and 200 trials of five schemes, byte by byte."""
    file = cell.folder / f"{name}.csv"
    published = (shared_data / "urbano2019" / "published" / file).read_bytes()
    lines = published.splitlines(keepends=True)[: 1 + TRIALS]
    assert len(lines) == 1 + TRIALS
    assert (reproduced / file).read_bytes().splitlines(keepends=True) == lines


def test_no_other_files(reproduced) -> None:
    cells = urbano2019.cells(measures=["ap"])
    assert {path.relative_to(reproduced) for path in reproduced.rglob("*.csv")} == {
        cell.folder / f"{name}.csv"
        for cell in cells
        for name in (*COEFFICIENTS, *RATES[cell.experiment])
    }


@pytest.fixture(scope="module")
def r(rinterface) -> RSession:
    return RSession()


@pytest.fixture(scope="module")
def collection(r, shared_data):
    """Return a function that has R read and standardize a collection, once each."""

    @lru_cache
    def read(name: str) -> Any:
        file = shared_data / "urbano2019" / "data" / f"{name}.csv"
        return r.function("collection", IN_R)(r.strings([str(file)]))

    return read


def ours(shared_data: Path, cell: urbano2019.Cell, trials: int) -> dict[str, pd.DataFrame]:
    """The files of a cell, read."""
    run = urbano2019.experiment(cell, urbano2019.matrices(shared_data, cell.matrix, "rounded"))
    files = urbano2019.files(cell, run, run_trials(run, trials))
    return {path.stem: pd.read_csv(io.BytesIO(content)) for path, content in files.items()}


def array_of(answer: Any) -> Array:
    """An array of R with all its dimensions."""
    return np.array(answer).reshape(tuple(answer.do_slot("dim")), order="F")


@pytest.mark.one_in(2)
@every_cell
def test_coefficients_beside_r(shared_data, r, collection, cell, long) -> None:
    """R draws, averages and correlates: 50 trials of each cell, equal at 6 digits.

    With --long all 10,000 of nDCG, 3 to 5 minutes of R a cell; those of AP are published.
    """
    trials = urbano2019.TRIALS if long and cell.measure == "ndcg" else FEW
    in_r = r.function("coefficients_of_trials", IN_R)
    answer = in_r(r.strings([cell.experiment]), collection(cell.matrix), trials)
    assert list(answer.do_slot("dimnames")[2]) == list(ALL)
    found = ours(shared_data, cell, trials)
    for name, expected in zip(COEFFICIENTS, array_of(answer), strict=True):
        assert found[name].columns.tolist() == list(ALL)
        assert_array_equal(found[name].to_numpy(), expected)


@pytest.fixture(scope="module")
def fewer(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of the same scores, of every third system."""
    folder = tmp_path_factory.mktemp("fewer")
    (folder / "urbano2019" / "data").mkdir(parents=True)
    for cell in urbano2019.cells():
        name = f"urbano2019/data/{cell.matrix}.csv"
        lines = (shared_data / name).read_text().splitlines()
        kept = [",".join(line.split(",")[::EVERY]) for line in lines]
        (folder / name).write_text("\n".join([*kept, ""]))
    return folder


@pytest.mark.one_in(2)
@every_cell
def test_tests_beside_r(fewer, r, cell) -> None:
    """R's ``t.test`` on every pair: counts are equal, and rates at 6 digits of each trial."""
    in_r = r.function("tests_of_trials", IN_R)
    file = fewer / "urbano2019" / "data" / f"{cell.matrix}.csv"
    standardized = r.function("collection", IN_R)(r.strings([str(file)]))
    answer = array_of(
        in_r(r.strings([cell.experiment]), standardized, TESTED, r.strings(list(ALL)))
    )
    run = urbano2019.experiment(cell, urbano2019.matrices(fewer, cell.matrix, "rounded"))
    results = run.run(range(TESTED))
    counted = {"power": ("tests", "rejected"), "type1": ("own", "false")}
    assert len(answer) == len(RATES[cell.experiment])
    for name, expected in zip(RATES[cell.experiment], answer, strict=True):
        tests, rejected = (results[each] for each in counted[name])
        assert_array_equal(tests.T, expected[0].T)
        assert_array_equal(rejected.T, expected[1 : 1 + len(ALPHAS)].swapaxes(1, 2))
        for k in range(TESTED):
            one = {key: values[k : k + 1] for key, values in results.items()}
            content = urbano2019.files(cell, run, one)[cell.folder / f"{name}.csv"]
            rates = pd.read_csv(io.BytesIO(content))
            assert rates["alpha"].tolist() == list(ALPHAS)
            assert_array_equal(rates[list(ALL)], expected[1 + len(ALPHAS) :, k])
