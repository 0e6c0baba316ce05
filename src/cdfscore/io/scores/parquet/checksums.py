"""Checksums of the pages of Parquet files: written always, and compared where a file has them.

Without them a flipped bit of a score is another score. They are of the pages, which have the
scores and the labels of rows. What a file says of itself has none: names of columns, and which
column pandas takes as the index.
"""

from __future__ import annotations

from typing import Any, Final

#: Arguments of pyarrow for whatever reads.
CHECKED: Final[dict[str, Any]] = {"page_checksum_verification": True}
#: Arguments of pyarrow for whatever writes.
CHECKSUMS: Final[dict[str, Any]] = {"write_page_checksum": True}


def is_of_checksum(error: Exception) -> bool:
    """Tell whether pyarrow has raised this because a page is not the one that was written."""
    return "CRC checksum" in str(error)


def reason(error: Exception) -> str:
    """Return in one line why pyarrow cannot read a file."""
    if is_of_checksum(error):
        return "a page of it was changed after it was written (its checksum is another)"
    return " ".join(str(error).split())
