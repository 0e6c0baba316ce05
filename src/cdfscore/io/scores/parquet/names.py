"""Names of the columns of a Parquet file, which have no checksum, but are there twice."""

from __future__ import annotations

import base64
from typing import Any

from cdfscore.errors import ScoresError

# The key under which programs built on Apache Arrow save their own schema.
_ARROW = b"ARROW:schema"
_OR = "or a program has renamed columns and kept the old schema: expected it without that one"


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
