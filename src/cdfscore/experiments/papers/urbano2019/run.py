"""Urbano, Lima and Hanjalic (2019), A new perspective on score standardization, SIGIR.

This module reproduces the files that the authors published, byte by byte: the within- and
between-collection experiments of Section 3, for two collections, two measures and five schemes.

The files of Urbano, Lima and Hanjalic (2019) have this form, so that bytes can be compared.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cdfscore.errors import ExperimentError, check_one_of
from cdfscore.experiments import Between, Within, standardized
from cdfscore.experiments.matrices import SchemeMatrices, Ties
from cdfscore.experiments.rates import COEFFICIENTS
from cdfscore.scores.reading import read_scores
from cdfscore.stats.numerics.types import Array, IntArray

# A sign, a 0 before the point, the point, and no more than 15 digits.
_SHORT = 16

#: The schemes by the names of the paper, in the order of the columns.
SCHEMES = {
    "raw": "raw",
    "N-std": "normal",
    "U-std": "uniform",
    "z-std": "z",
    "E-std": "empirical",
}
#: The folder of each experiment's files.
FOLDERS = {"within": "01-within", "between": "02-between"}
COLLECTIONS = ("robust2004", "terabyte2006")
MEASURES = ("ap", "ndcg")
TRIALS = 10_000
# Trial 1 of the published files draws after set.seed(501).
_SEED = 501
# Digits after the point of a coefficient, and of the rate of one trial.
_DIGITS = 6


@dataclass(frozen=True)
class Cell:
    """Experiment on a collection by a measure: a folder of published files."""

    experiment: str
    collection: str
    measure: str

    @property
    def matrix(self) -> str:
        """Name of the score matrix, such as ``robust2004_ap``."""
        return f"{self.collection}_{self.measure}"

    @property
    def folder(self) -> Path:
        """Folder of the files, such as ``01-within/robust2004_ap``."""
        return Path(FOLDERS[self.experiment]) / self.matrix


def cells(
    experiments: Sequence[str] = tuple(FOLDERS),
    collections: Sequence[str] = COLLECTIONS,
    measures: Sequence[str] = MEASURES,
) -> list[Cell]:
    """Return the requested cells, in the order of the paper; `ExperimentError` for other names.

    Examples
    --------
    >>> [cell.folder.as_posix() for cell in cells(["within"], measures=["ap"])]
    ['01-within/robust2004_ap', '01-within/terabyte2006_ap']
    """
    for of, asked, known in (
        ("experiment", experiments, tuple(FOLDERS)),
        ("collection", collections, COLLECTIONS),
        ("measure", measures, MEASURES),
    ):
        for name in asked:
            check_one_of(of, name, known, ExperimentError)
    return [
        Cell(experiment, collection, measure)
        for experiment in FOLDERS
        for collection in COLLECTIONS
        for measure in MEASURES
        if experiment in experiments and collection in collections and measure in measures
    ]


def find_matrix(data: Path, name: str) -> Path:
    """Return the file of a score matrix: in `data`, its ``data``, or its ``urbano2019/data``."""
    folders = (data, data / "data", data / "urbano2019" / "data")
    for folder in folders:
        if (path := folder / f"{name}.csv").is_file():
            return path
    raise ExperimentError(
        f"{name}.csv is not in {data}, nor in its folder data or urbano2019/data; expected the "
        "score matrices that the authors published"
    )


def scores(data: Path, name: str) -> pd.DataFrame:
    """Read a score matrix; raise the errors of `find_matrix` and `read_scores`."""
    return read_scores(find_matrix(data, name), topic_column=False)


def matrices(data: Path, name: str, ties: Ties) -> SchemeMatrices:
    """Read a score matrix, and standardize it by the five schemes."""
    return standardized(scores(data, name), SCHEMES, ties=ties, constant="urbano2019")


def experiment(cell: Cell, standardized_scores: SchemeMatrices) -> Within | Between:
    """Return the experiment of a cell, with the settings of the authors."""
    if cell.experiment == "within":
        return Within(standardized_scores, seed=_SEED)
    return Between(standardized_scores, seed=_SEED)


def files(cell: Cell, run: Within | Between, results: dict[str, NDArray[Any]]) -> dict[Path, bytes]:
    """Return the files of a cell by their paths: coefficients of each trial, and mean rates."""
    contents = {
        name: r_csv(tuple(SCHEMES), np.round(results[name], _DIGITS).tolist())
        for name in COEFFICIENTS
    }
    for name, rates in _rates(results):
        # The mean of rates that were rounded to 6 digits each, exactly.
        units = np.rint(rates * 10**_DIGITS).astype(np.int64).sum(axis=0)
        columns = np.column_stack([run.alphas, units.T / (len(rates) * 10**_DIGITS)])
        contents[name] = r_csv(("alpha", *SCHEMES), columns.tolist())
    return {cell.folder / f"{name}.csv": content for name, content in contents.items()}


def _rates(results: dict[str, NDArray[Any]]) -> Iterator[tuple[str, Array]]:
    yield "power", _shares(results["rejected"], results["tests"])
    if "own" in results:
        yield "type1", _shares(results["false"], results["own"])


def _shares(rejected: IntArray, tests: IntArray) -> Array:
    if not tests.all():
        trial, scheme = np.argwhere(tests == 0)[0]
        raise ExperimentError(
            f"trial {trial + 1}, {list(SCHEMES)[scheme]}: no t test has a p value, because all "
            "scores are equal; expected scores that differ"
        )
    return rejected / tests[:, :, np.newaxis]


def r_csv(columns: Sequence[str], rows: Iterable[Sequence[float]]) -> bytes:
    """Return a file with a line of names and one line per row, with numbers from `r_number`."""
    lines = [",".join(columns), *(",".join(map(r_number, row)) for row in rows)]
    return "".join(f"{line}\r\n" for line in lines).encode()


def r_number(value: float) -> str:
    """Write a number or NaN as R does, with 15 digits at most, in the shorter of two forms."""
    if math.isnan(value):
        return "NA"
    text = repr(value)
    # For a number with few digits that is not very small or large, Python's shortest form is R's.
    # It takes a tenth of the time, which is important for 1.2 million numbers.
    if 1e-3 <= abs(value) < 1e5 and len(text) <= _SHORT:
        return text.removesuffix(".0")
    rounded = Decimal(f"{value:.14e}").normalize()
    if not rounded:
        return "0"
    mantissa, _, exponent = f"{rounded:e}".partition("e")
    fixed, scientific = f"{rounded:f}", f"{mantissa}e{int(exponent):+03d}"
    return fixed if len(fixed) <= len(scientific) else scientific
