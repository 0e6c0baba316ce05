"""Parquet files, not larger in memory than a file of their size may be."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cdfscore.errors import ScoresError
from cdfscore.io.digests import read_bytes
from cdfscore.io.files import readable
from cdfscore.io.scores.memory import refuse_damaged_memory
from cdfscore.io.scores.parquet.checksums import CHECKED, is_of_checksum, reason
from cdfscore.io.scores.parquet.pages import page_sizes, refuse_lists
from cdfscore.io.scores.parquet.thrift import ThriftError
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
        refuse_lists(str(path), said.schema)
        if not _is_too_large(said, content):
            frame = pd.read_parquet(io.BytesIO(content), **CHECKED)
            refuse_damaged_memory(str(path), frame)
            return frame
    except ScoresError:
        raise
    except Exception as error:  # pyarrow raises many kinds for a damaged file
        damaged = isinstance(error, ThriftError) or is_of_checksum(error)
        what = "is damaged" if damaged else "is not a Parquet file"
        raise ScoresError(f"{path} {what}: {reason(error)}") from error
    raise ScoresError(
        f"{path} has {len(content):,} bytes for {said.num_rows:,} rows and {said.num_columns:,} "
        "columns; expected at least one byte for every 100 scores and for every 100 bytes of text"
    )


def _is_too_large(said: Any, content: bytes) -> bool:
    """Tell whether a file that says this of itself would fill the memory."""
    size = sum(said.row_group(i).total_byte_size for i in range(said.num_row_groups))
    limit = most_bytes(len(content))
    if size > limit or too_sparse(said.num_rows, said.num_columns, len(content)):
        return True
    if sum(page_sizes(content)) > limit:
        return True
    columns = (said.schema.column(i) for i in range(said.num_columns))
    texts = [column.path for column in columns if column.physical_type == _TEXT]
    # No text is longer than what its column has.
    return said.num_rows * size > BYTES and any(_text_size(content, name) > limit for name in texts)


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
