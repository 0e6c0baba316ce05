"""Checksums of the pages of Parquet files: written always, and compared where a file has them.

Without them a flipped bit of a score is another score. They are of the pages, which have the
scores and the labels of topics. What a file says of itself, at its end, has none: for the names of
the systems of a wide file see `names`, of which only some programs write a copy; what pandas saved
is read as it is.
"""

from __future__ import annotations

from typing import Any, Final

#: Arguments of pyarrow for whatever reads.
CHECKED: Final[dict[str, Any]] = {"page_checksum_verification": True}
#: Arguments of pyarrow for whatever writes.
CHECKSUMS: Final[dict[str, Any]] = {"write_page_checksum": True}


def fault(error: Exception, otherwise: str = "is not a Parquet file") -> str:
    """Return what is wrong with a file that cannot be opened or read, such as "is damaged: ..."."""
    if "decrypt" in str(error):
        return "is encrypted; expected a file without encryption"
    damaged = isinstance(error, UnicodeDecodeError) or _is_of_checksum(error)
    damaged |= "base64" in str(error)  # of the schema that pyarrow saves
    return f"{'is damaged' if damaged else otherwise}: {reason(error)}"


def reason(error: Exception) -> str:
    """Return in one line why pyarrow cannot read a file."""
    if _is_of_checksum(error):
        return "a page of it was changed after it was written (its checksum is another)"
    return " ".join(str(error).split())


def _is_of_checksum(error: Exception) -> bool:
    """Tell whether pyarrow has raised this because a page is not the one that was written."""
    return "CRC checksum" in str(error)
