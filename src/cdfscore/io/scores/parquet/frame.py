"""Parquet files, not larger in memory than a file of their size may be."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cdfscore.errors import ScoresError
from cdfscore.io.digests import read_bytes
from cdfscore.io.files import readable
from cdfscore.io.scores.memory import refuse_damaged_memory
from cdfscore.io.scores.parquet.checksums import CHECKED, fault
from cdfscore.io.scores.parquet.long_text import has_long_text
from cdfscore.io.scores.parquet.pages import pages_of, refuse_lists
from cdfscore.io.sizes import most_bytes, most_cells

if TYPE_CHECKING:
    import pandas as pd

# The key under which programs built on Apache Arrow save their own schema.
_ARROW = b"ARROW:schema"
_OR = "or a program has renamed columns and kept the old schema: expected it without that one"


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
        refuse_changed_names(str(path), said)
        _refuse_large(path, said, content)
        frame = pd.read_parquet(io.BytesIO(content), **CHECKED)
        refuse_damaged_memory(str(path), frame)
    except ScoresError:
        raise
    except Exception as error:  # pyarrow raises many kinds for a damaged file
        raise ScoresError(f"{path} {fault(error)}") from error
    return frame


def _refuse_large(path: Path, said: Any, content: bytes) -> None:
    """Raise `ScoresError` for a file that would fill the memory, by what it says of itself."""
    groups = [said.row_group(i).total_byte_size for i in range(said.num_row_groups)]
    pages = list(pages_of(content))
    size = max(sum(groups), sum(page.size for page in pages))
    limit = most_bytes(len(content))
    if size > limit:
        raise ScoresError(
            f"{path} has {len(content):,} bytes, and {size:,} when it is decompressed; expected "
            f"at most {limit:,}"
        )
    cells = most_cells(len(content))
    if said.num_rows * said.num_columns > cells or has_long_text(said, pages, content, limit):
        raise ScoresError(
            f"{path} has {len(content):,} bytes for {said.num_rows:,} rows and "
            f"{said.num_columns:,} columns; expected at most {cells:,} scores, and {limit:,} bytes "
            "of text in a column"
        )


def refuse_changed_names(source: str, said: Any) -> None:
    """Raise `ScoresError` if the schema of Arrow, where a file has one, has other names.

    It is written from the same names: a flipped bit of one would be the name of another system. A
    program that renames columns may keep the old schema, and then it does not say which is right.
    Names within structures are not compared.
    """
    import pyarrow as pa

    saved = (said.metadata or {}).get(_ARROW)
    if saved is None:
        return
    names = said.schema.to_arrow_schema().names
    twice = pa.ipc.read_schema(pa.BufferReader(base64.b64decode(saved))).names
    if len(names) != len(twice):
        raise ScoresError(
            f"{source} is damaged: it has {len(names):,} columns, and {len(twice):,} in its other "
            f"schema (ARROW:schema); {_OR}"
        )
    for name, again in zip(names, twice, strict=True):
        if name != again:
            raise ScoresError(
                f"{source} is damaged: the column {name!r} has the name {again!r} in its other "
                f"schema (ARROW:schema); {_OR}"
            )
