"""Parquet files, not larger in memory than a file of their size may be."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cdfscore.errors import ScoresError
from cdfscore.io.content import refuse_others
from cdfscore.io.digests import read_bytes
from cdfscore.io.files import readable
from cdfscore.io.scores.memory import refuse_damaged_memory
from cdfscore.io.scores.parquet.checksums import CHECKED, fault
from cdfscore.io.sizes import most_bytes, most_cells

if TYPE_CHECKING:
    import pandas as pd

# The key under which programs built on Apache Arrow save their own schema.
_ARROW = b"ARROW:schema"
_OR = "or a program has renamed columns and kept the old schema: expected it without that one"


def frame_of_parquet(path: Path) -> pd.DataFrame:
    """Return the content of a Parquet file; raises `ScoresError`.

    It does so too where the file says that it is too large. What it says is not checked: pyarrow
    takes up to 2 GB for a page of a damaged file, and repeats a text as often as the file says.
    """
    import pandas as pd
    from pyarrow import parquet

    with readable(path, ScoresError):  # the same message as for text where there is no such file
        content = read_bytes(path)
    refuse_no_parquet(str(path), content)
    try:
        said = parquet.read_metadata(io.BytesIO(content))
        refuse_lists(str(path), said.schema)
        refuse_changed_names(str(path), said)
        refuse_large(str(path), said, len(content))
        frame = pd.read_parquet(io.BytesIO(content), **CHECKED)
        refuse_damaged_memory(str(path), frame)
    except ScoresError:
        raise
    except Exception as error:  # pyarrow raises many kinds for a damaged file
        raise ScoresError(f"{path} {fault(error)}") from error
    if len(frame) != said.num_rows:
        raise ScoresError(
            f"{path} is damaged: it has {len(frame):,} rows, and says that it has {said.num_rows:,}"
        )
    return frame


def refuse_no_parquet(source: str, content: bytes) -> None:
    """Raise `ScoresError` for a file of another kind, by its first bytes."""
    if not content.startswith(b"PAR"):  # PARE if it is encrypted
        refuse_others(source, content, ScoresError, "a Parquet file")


def refuse_large(source: str, said: Any, size: int) -> None:
    """Raise `ScoresError` for a file that would fill the memory, by what it says of itself."""
    decompressed = sum(said.row_group(i).total_byte_size for i in range(said.num_row_groups))
    limit, cells = most_bytes(size), most_cells(size)
    if decompressed > limit:
        raise ScoresError(
            f"{source} has {size:,} bytes, and {decompressed:,} when it is decompressed; expected "
            f"at most {limit:,}"
        )
    if said.num_rows * said.num_columns > cells:
        raise ScoresError(
            f"{source} has {size:,} bytes for {said.num_rows:,} rows and {said.num_columns:,} "
            f"columns; expected at most {cells:,} scores"
        )


def refuse_lists(source: str, schema: Any) -> None:
    """Raise `ScoresError` for a column of lists: nothing but reading tells how long they are."""
    for i in range(len(schema)):
        if schema.column(i).max_repetition_level:
            name = schema.column(i).path.partition(".")[0]
            raise ScoresError(
                f"{source}: the column {name!r} has lists; expected a number, or text, in each row"
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
