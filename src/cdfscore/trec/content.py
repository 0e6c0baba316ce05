"""Content of a file of runs or qrels, without its compression."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from cdfscore.errors import MissingDependencyError, RunError
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
    that cannot be read or is damaged, `MissingDependencyError` for zstd without zstandard.
    """
    source = source_name(path)
    content = _bytes(path)
    for beginning, decompress in _COMPRESSED.items():
        if content.startswith(beginning):
            content = decompress(source, content)
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


def _gunzipped(source: str, content: bytes) -> bytes:
    try:
        return gzip.decompress(content)
    except (EOFError, OSError, zlib.error) as error:
        raise _damaged(source, "gzip", error) from error


def _unzstd(source: str, content: bytes) -> bytes:
    try:
        zstandard = import_module("zstandard")
    except ImportError as error:
        raise MissingDependencyError(
            f"{source} is compressed by zstd, and zstandard is not installed; run "
            "pip install 'cdfscore[trec]'"
        ) from error
    pieces = []
    try:
        while content:  # a file may have several frames
            frame = zstandard.ZstdDecompressor().decompressobj()
            pieces.append(frame.decompress(content))
            if not frame.eof:
                raise _damaged(source, "zstd", "the end of the file is missing")
            content = frame.unused_data
    except zstandard.ZstdError as error:
        raise _damaged(source, "zstd", error) from error
    return b"".join(pieces)


def _damaged(source: str, kind: str, reason: object) -> RunError:
    words = " ".join(str(reason).split())
    return RunError(f"{source} is damaged, and cannot be decompressed by {kind}: {words}")


_COMPRESSED: dict[bytes, Callable[[str, bytes], bytes]] = {
    b"\x1f\x8b": _gunzipped,
    b"\x28\xb5\x2f\xfd": _unzstd,
}
