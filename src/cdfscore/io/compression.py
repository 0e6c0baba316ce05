"""Content that was compressed by gzip or zstd, not larger than `most_bytes` allows."""

from __future__ import annotations

import gzip
import io
import zlib
from importlib import import_module

from cdfscore.errors import CdfscoreError, MissingDependencyError
from cdfscore.io.sizes import RATIO, most_bytes

#: The bytes at the beginning of a gzip file.
GZIP = b"\x1f\x8b"
# Bytes of zstd that are decompressed at a time: they have 32 MB at most.
_PIECE = 1 << 10


def gunzipped(source: str, content: bytes, kind: type[CdfscoreError]) -> bytes:
    """Decompress by gzip; raises an error of this kind for damage, and for too much content."""
    limit = most_bytes(len(content))
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as stream:
            found = stream.read(limit + 1)
    except (EOFError, OSError, zlib.error) as error:
        raise _damaged(source, "gzip", error, kind) from error
    if len(found) > limit:
        raise _too_large(source, len(content), limit, kind)
    return found


def unzstd(source: str, content: bytes, kind: type[CdfscoreError]) -> bytes:
    """Decompress by zstd; raises what `gunzipped` does.

    Raises `MissingDependencyError` without zstandard.
    """
    try:
        zstandard = import_module("zstandard")
    except ImportError as error:
        raise MissingDependencyError(
            f"{source} is compressed by zstd, and zstandard is not installed; run "
            "pip install 'cdfscore[trec]'"
        ) from error
    limit, size = most_bytes(len(content)), 0
    pieces: list[bytes] = []
    frame = None
    for start in range(0, len(content), _PIECE):
        rest = content[start : start + _PIECE]
        while rest:  # a file may have several frames
            frame = frame or zstandard.ZstdDecompressor().decompressobj()
            try:
                pieces.append(frame.decompress(rest))
            except zstandard.ZstdError as error:
                raise _damaged(source, "zstd", error, kind) from error
            size += len(pieces[-1])
            if size > limit:
                raise _too_large(source, len(content), limit, kind)
            rest = frame.unused_data if frame.eof else b""
            frame = None if frame.eof else frame
    if frame is not None:
        raise _damaged(source, "zstd", "the end of the file is missing", kind)
    return b"".join(pieces)


def _too_large(source: str, size: int, limit: int, kind: type[CdfscoreError]) -> CdfscoreError:
    return kind(
        f"{source} has {size:,} bytes, and more than {limit:,} when it is decompressed; expected "
        f"no more than {RATIO} times its size, or the file without compression"
    )


def _damaged(source: str, name: str, reason: object, kind: type[CdfscoreError]) -> CdfscoreError:
    words = " ".join(str(reason).split())
    return kind(f"{source} is damaged, and cannot be decompressed by {name}: {words}")
