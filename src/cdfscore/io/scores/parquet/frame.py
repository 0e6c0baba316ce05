"""Parquet files, not larger in memory than a file of their size may be."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cdfscore.errors import ScoresError
from cdfscore.io.digests import read_bytes
from cdfscore.io.files import readable
from cdfscore.io.sizes import BYTES, most_bytes, too_sparse

if TYPE_CHECKING:
    import pandas as pd

_TEXT = "BYTE_ARRAY"


def frame_of_parquet(path: Path) -> pd.DataFrame:
    """Return the content of a Parquet file; raises `ScoresError`, also where it is too large.

    A column that repeats a value needs next to nothing in the file, and as much as any in memory.
    """
    import pandas as pd
    from pyarrow import parquet

    with readable(path, ScoresError):  # the same message as for text where there is no such file
        content = read_bytes(path)
    try:
        said = parquet.read_metadata(io.BytesIO(content))
        if not _is_too_large(said, content):
            return pd.read_parquet(io.BytesIO(content))
    except Exception as error:  # pyarrow raises many kinds for a damaged file
        reason = " ".join(str(error).split())
        raise ScoresError(f"{path} is not a Parquet file: {reason}") from error
    raise ScoresError(
        f"{path} has {len(content):,} bytes for {said.num_rows:,} rows and {said.num_columns:,} "
        "columns; expected a byte or more for 100 scores, or for 100 bytes of text"
    )


def _is_too_large(said: Any, content: bytes) -> bool:
    """Tell whether a file that says this of itself would fill the memory."""
    columns = [
        said.row_group(i).column(j)
        for i in range(said.num_row_groups)
        for j in range(said.num_columns)
    ]
    values = sum(column.num_values for column in columns)
    size, limit = (
        sum(column.total_uncompressed_size for column in columns),
        most_bytes(len(content)),
    )
    if size > limit or too_sparse(1, values, len(content)):
        return True
    if too_sparse(said.num_rows, said.num_columns, len(content)):
        return True
    texts = {column.path_in_schema for column in columns if column.physical_type == _TEXT}
    # No text is longer than what its column has.
    return said.num_rows * size > BYTES and any(
        _text_size(content, name) > limit for name in sorted(texts)
    )


def _text_size(content: bytes, name: str) -> int:
    """Return how many bytes the text of a column has, each value as often as it is there."""
    import numpy as np
    import pyarrow.compute as pc
    from pyarrow import parquet

    file = parquet.ParquetFile(io.BytesIO(content), read_dictionary=[name])
    size = 0
    for column in file.read(columns=[name]).columns:
        for chunk in column.chunks:
            if hasattr(chunk, "dictionary"):
                lengths = pc.binary_length(chunk.dictionary).to_numpy(zero_copy_only=False)
                used = chunk.indices.drop_null().to_numpy()
                size += int(np.bincount(used, minlength=len(lengths)) @ lengths)
    return size
