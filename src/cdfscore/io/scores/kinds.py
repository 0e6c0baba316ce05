"""Kinds of data frames: any in as pandas, and results back as the kind that came in.

All arithmetic and all labels are those of pandas and NumPy; only here do frames of others come in
and go out, through narwhals, which is imported when the first one does.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic, cast

import numpy as np

from cdfscore.errors import CdfscoreWarning, ScoresError
from cdfscore.io.text import a_type

if TYPE_CHECKING:
    import narwhals as nw
    import pandas as pd
    from narwhals.typing import IntoDataFrame, IntoFrame
    from typing_extensions import TypeVar

    # Who names no kind, as in Standardized without brackets, means pandas.
    FrameT = TypeVar("FrameT", bound=IntoDataFrame, default=pd.DataFrame)
else:
    from typing import TypeVar

    FrameT = TypeVar("FrameT")


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
    """Return a frame as pandas, and the kind that results go back as.

    Lazy frames and relations are collected, and their results are eager: of polars a DataFrame,
    of DuckDB a Table of pyarrow. Raises `ScoresError` for other objects, and for a query
    that fails.
    """
    import pandas as pd

    if isinstance(frame, pd.DataFrame):
        return frame, PANDAS
    eager = _collected(frame, source)
    try:
        return eager.to_pandas(), Kind(eager.implementation.value)
    except Exception as error:  # of polars, pyarrow or a server, each of its own kind
        raise ScoresError(f"{source} cannot be read as numbers: {_reason(error)}") from error


def as_pandas(frame: IntoFrame, source: str = "scores") -> pd.DataFrame:
    """Return a frame of any kind as pandas; raises what `taken` raises."""
    return taken(frame, source)[0]


def both_as_pandas(
    scores: IntoFrame, reference: IntoFrame | None
) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Return scores and their reference, if given, as pandas; the same if they are the same."""
    frame = as_pandas(scores)
    if reference is scores:
        return frame, frame
    return frame, None if reference is None else as_pandas(reference, "reference")


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
    """Return what is accepted in place of an object that is not a data frame."""
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
