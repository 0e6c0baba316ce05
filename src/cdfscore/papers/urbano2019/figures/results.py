"""Results of experiments, checked before they are drawn."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.errors import CdfscoreError
from cdfscore.io.text import a_type

if TYPE_CHECKING:
    import pandas as pd

    #: The frames of one data set, by statistic.
    Results = Mapping[str, pd.DataFrame]

ALPHA = "alpha"


class FigureError(CdfscoreError):
    """Raised if a figure cannot be drawn from the results."""


def check_results(results: Mapping[str, Results], statistics: Collection[str]) -> None:
    """Raise `FigureError` unless every data set has a frame of numbers for each statistic."""
    if not results:
        raise FigureError("results is empty; expected at least one data set with its frames")
    for dataset, frames in results.items():
        for statistic in statistics:
            if statistic not in frames:
                raise FigureError(
                    f"data set {dataset!r} has no {statistic!r}; expected a frame for each of "
                    f"{_listed(statistics)}"
                )
            _check_frame(f"{statistic!r} of data set {dataset!r}", frames[statistic])


def check_alphas(where: str, frame: pd.DataFrame) -> None:
    """Raise `FigureError` unless the frame has significance levels."""
    if ALPHA not in frame:
        raise FigureError(f"{where} has no column {ALPHA!r}; expected one of significance levels")
    for level in frame[ALPHA]:
        if not 0 < level <= 1:
            raise FigureError(
                f"{where} has the significance level {level:g}; expected more than 0, at most 1"
            )


def check_schemes(
    where: str, found: Collection[str], whence: str, expected: Collection[str]
) -> None:
    """Raise `FigureError` unless the schemes are the same as elsewhere, in any order."""
    if not expected:
        raise FigureError(f"{where} has no scheme to draw; expected a column for each")
    if set(found) != set(expected):
        raise FigureError(
            f"{where} has the schemes {_listed(found)} and {whence} has {_listed(expected)}; "
            "expected the same schemes everywhere"
        )


def _check_frame(where: str, frame: object) -> None:
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        raise FigureError(f"{where} is {a_type(frame)}; expected a DataFrame")
    if not len(frame):
        raise FigureError(f"{where} has no rows; expected at least one")
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise FigureError(f"{where} has two columns {twice!r}; expected one per scheme")
    for column, kind in frame.dtypes.items():
        if not pd.api.types.is_numeric_dtype(kind) or pd.api.types.is_complex_dtype(kind):
            raise FigureError(
                f"{where}, column {column!r} is of type {kind}; expected numbers, NaN if undefined"
            )
    infinite = np.isinf(frame.to_numpy(dtype=np.float64, na_value=np.nan)).any(axis=0)
    if infinite.any():
        raise FigureError(
            f"{where}, column {frame.columns[infinite][0]!r} has an infinite value; expected "
            "finite numbers, NaN if undefined"
        )


def _listed(names: Collection[str]) -> str:
    return ", ".join(map(repr, names)) or "none"
