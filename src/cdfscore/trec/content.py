"""Content of a file of runs or qrels, without its compression."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from cdfscore.errors import CdfscoreError, RunError
from cdfscore.io.compression import GZIP, gunzipped, unzstd
from cdfscore.io.files import readable, source_name

_BOM = b"\xef\xbb\xbf"
# First bytes of what is refused by name; else its first byte that is not UTF-8 would be named.
_OTHERS = {
    b"BZh": "compressed by bzip2",
    b"\xfd7zXZ\x00": "compressed by xz",
    b"PK\x03\x04": "a zip archive",
    b"PAR1": "a Parquet file",
    b"\xff\xfe": "text in UTF-16",
    b"\xfe\xff": "text in UTF-16",
}


def content_of(path: str | Path) -> bytes:
    """Read a file, and decompress it if its first bytes are those of gzip or zstd.

    ``-`` is standard input. A byte order mark of UTF-8 is left out. Raises `RunError` for a file
    that cannot be read, is damaged or would fill the memory, `MissingDependencyError` for zstd
    without zstandard.
    """
    source = source_name(path)
    content = _bytes(path)
    for beginning, decompress in _COMPRESSED.items():
        if content.startswith(beginning):
            content = decompress(source, content, RunError)
            break
    for beginning, what in _OTHERS.items():
        if content.startswith(beginning):
            raise RunError(
                f"{source} is {what}; expected text in UTF-8, plain or compressed by gzip or zstd"
            )
    return content.removeprefix(_BOM)


def _bytes(path: str | Path) -> bytes:
    with readable(path, RunError):
        if str(path) != "-":
            return Path(path).read_bytes()
        if sys.stdin is not None:
            return sys.stdin.buffer.read()
    raise RunError("standard input is closed; expected a run or qrels")


_COMPRESSED: dict[bytes, Callable[[str, bytes, type[CdfscoreError]], bytes]] = {
    GZIP: gunzipped,
    b"\x28\xb5\x2f\xfd": unzstd,
}
