"""Data frames: any kind in as pandas and results back as it, and what a frame remembers.

All arithmetic and all labels are those of pandas and NumPy; only here do frames of others come in
and go out, through narwhals, which is imported when the first one does.
"""

from __future__ import annotations

import reprlib
import warnings
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic, cast

import numpy as np

from cdfscore.common.text import MODELS, SYSTEMS, a_type, each_in_units
from cdfscore.errors import CdfscoreWarning, ScoresError
from cdfscore.scores.results.names import is_same_measure

if TYPE_CHECKING:
    import narwhals as nw
    import pandas as pd
    from narwhals.typing import IntoDataFrame
    from narwhals.typing import IntoDataFrameT as IntoDataFrameT
    from narwhals.typing import IntoFrame as IntoFrame
    from narwhals.typing import IntoLazyFrame as IntoLazyFrame
    from typing_extensions import TypeVar

    # Who names no kind, as in Standardized without brackets, means pandas.
    FrameT = TypeVar("FrameT", bound=IntoDataFrame, default=pd.DataFrame)
else:
    from typing import TypeVar

    FrameT = TypeVar("FrameT")
    IntoFrame = IntoDataFrameT = IntoLazyFrame = Any  # of narwhals, which takes 30 ms to import


@dataclass(frozen=True)
class Kind(Generic[FrameT]):
    """A kind of eager data frame, by the name that narwhals has for it: pandas, polars, pyarrow."""

    backend: str

    def given_back(self, frame: pd.DataFrame) -> FrameT:
        """Return a frame of pandas as this kind, with the same bits.

        Kinds without an index get the labels of the rows as the first column, under the name of
        the index, and a missing number is null. Raises `ScoresError` if a column has that name.
        """
        if self.backend == "pandas":
            return cast("FrameT", frame)
        import narwhals as nw

        implementation = nw.Implementation.from_string(self.backend)
        if implementation.is_pandas_like():  # with an index
            return cast("FrameT", implementation.to_native_namespace().DataFrame(frame))
        import pyarrow as pa

        header = str(frame.index.name)
        if header in frame.columns:
            raise ScoresError(
                f"a {'system' if header == 'topic' else 'column'} is named {header!r}, and so is "
                f"the first column of a result in {self.backend}; expected another name"
            )
        if len(set(frame.dtypes)) == 1:  # at once, as a column of pandas takes 20 microseconds
            numbers = list(np.ascontiguousarray(frame.to_numpy().T))
        else:
            numbers = [column.to_numpy() for _, column in frame.items()]
        columns = [pa.array(frame.index), *(pa.array(each, from_pandas=True) for each in numbers)]
        table = pa.table(columns, names=[header, *frame.columns])
        native: FrameT = nw.from_arrow(
            table, backend=implementation.to_native_namespace()
        ).to_native()
        return native


#: The kind of all frames inside.
PANDAS: Final[Kind[Any]] = Kind("pandas")


def taken(frame: IntoFrame, source: str = "scores") -> tuple[pd.DataFrame, Kind[Any]]:
    """Return a frame as pandas, and the kind that results go back as; lazy frames are collected."""
    import pandas as pd

    if isinstance(frame, pd.DataFrame):
        return frame, PANDAS
    eager = _collected(frame, source)
    try:
        return eager.to_pandas(), Kind(eager.implementation.value)
    except Exception as error:  # of polars, pyarrow or a server, each of its own kind
        raise ScoresError(f"{source} cannot be read as numbers: {_reason(error)}") from error


def both_as_pandas(
    scores: IntoFrame, reference: IntoFrame | None
) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Return scores and their reference, if given, as pandas; the same if they are the same."""
    frame, _ = taken(scores)
    if reference is scores:
        return frame, frame
    return frame, None if reference is None else taken(reference, "reference")[0]


def _collected(frame: object, source: str) -> nw.DataFrame[Any]:
    import narwhals as nw

    try:
        found = nw.from_native(frame, pass_through=True)
        if not isinstance(found, nw.DataFrame | nw.LazyFrame) and hasattr(
            frame, "__arrow_c_stream__"
        ):
            import pyarrow as pa

            with suppress(Exception):  # it has no columns, as a series
                found = nw.from_native(pa.RecordBatchReader.from_stream(frame).read_all())
        if isinstance(found, nw.LazyFrame):
            if found.implementation.is_dask():
                told = f"{source}: all partitions of the data frame of Dask are read into memory"
                warnings.warn(told, CdfscoreWarning, stacklevel=2)
            found = found.collect()
    except Exception as error:  # a lazy query fails as its library has it
        raise ScoresError(f"{source} cannot be read: {_reason(error)}") from error
    if not isinstance(found, nw.DataFrame):
        raise ScoresError(f"{source} is {a_type(frame)}; expected {_expected(frame)}")
    return found


def _expected(given: object) -> str:
    if isinstance(given, np.ndarray):
        return "its labels too, by as_scores(array, systems=[...], topics=[...])"
    if isinstance(given, Mapping):
        return "the meaning of its levels too, as by as_scores(given, levels=('system', 'topic'))"
    frame = "a data frame, topics x systems, of pandas, polars, pyarrow or DuckDB"
    if isinstance(given, str | Path):
        return f"{frame}, such as read_scores({str(given)!r})"
    return f"{frame}, or the result of as_scores for an array or a dictionary"


def _reason(error: Exception) -> str:
    return " ".join(str(error).split())


# What a frame remembers in its attrs, under one name ----------------------------------------------

_NAME = "cdfscore"
# Headers of tables of models on tasks.
_OF_MODELS = {
    *("model", "classifier", "learner", "recognizer", "llm", "algorithm", "method", "approache"),
    *("approach", "task", "dataset", "data set", "data_set", "benchmark"),
}
_LISTS = {"notes", "keep_topics", "keep_systems"}


def remembered(frame: pd.DataFrame) -> dict[str, Any]:
    """Return what a frame remembers: labels to keep, notes and the measure, and whether the scores
    are standardized, and systems were the rows of all files, as models of a leaderboard are.
    """
    known = frame.attrs.get(_NAME)
    return known if isinstance(known, dict) else {}


def refuse_damaged_memory(source: str, frame: pd.DataFrame) -> None:
    """Raise `ScoresError` for a frame of a file that remembers what no frame does."""
    for name, what in remembered(frame).items():
        expected = None
        if name in _LISTS and not (
            isinstance(what, list) and all(isinstance(each, str) for each in what)
        ):
            expected = "a list of text"
        elif name == "measure" and not isinstance(what, str | None):
            expected = "text"
        if expected is not None:
            raise ScoresError(
                f"{source} is damaged: {name} that it remembers are {reprlib.repr(what)}; "
                f"expected {expected}"
            )


def remember(frame: pd.DataFrame, /, **what: object) -> None:
    """Make a frame remember more; other frames that share its memory do not."""
    frame.attrs[_NAME] = {**remembered(frame), **what}


def units_of(scores: pd.DataFrame | str | None) -> tuple[str, str]:
    """Return what is compared, and on what, by the header of labels: such as models on tasks."""
    header = scores if isinstance(scores, str | None) else remembered(scores).get("header")
    word = str(header).strip().lower().removesuffix("s")
    return MODELS if word in _OF_MODELS else SYSTEMS


def notes_of(frame: pd.DataFrame) -> list[str]:
    """Return sentences on what the reading of a frame left out, took for granted or checked."""
    return each_in_units(units_of(frame), remembered(frame).get("notes", []))


def same_measure(measures: Iterable[tuple[str | None, str]]) -> None:
    """Raise `ScoresError` for different measures of two sources; None is that of any."""
    known = [(measure, source) for measure, source in measures if measure is not None]
    for measure, source in known[1:]:
        first, here = known[0]
        if not is_same_measure(measure, first):
            raise ScoresError(
                f"{here} has scores of {first} and {source} of {measure}; expected one measure of "
                "all"
            )


def measure_of(frame: pd.DataFrame) -> str | None:
    """Return the measure of the scores, if their file named it."""
    return remembered(frame).get("measure")
