"""Names of the columns of a Parquet file, which have no checksum, but are there twice."""

from __future__ import annotations

import base64
import itertools
from typing import Any

from cdfscore.errors import ScoresError

# The key under which programs built on Apache Arrow save their own schema.
_ARROW = b"ARROW:schema"


def refuse_changed_names(source: str, said: Any) -> None:
    """Raise `ScoresError` if the schema of Arrow, where a file has one, has other names.

    It is written from the same names, so that they differ only where one was changed afterwards:
    a flipped bit of a name would be the name of another system.
    """
    import pyarrow as pa

    saved = (said.metadata or {}).get(_ARROW)
    if saved is None:
        return
    names = said.schema.to_arrow_schema().names
    twice = pa.ipc.read_schema(pa.BufferReader(base64.b64decode(saved))).names
    for name, again in itertools.zip_longest(names, twice):
        if name != again:
            raise ScoresError(
                f"{source} is damaged: the column {name!r} has the name {again!r} in its other "
                "schema (ARROW:schema)"
            )
