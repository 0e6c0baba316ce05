"""Digests of the files that a command reads, of the very bytes that it analyses."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

_DIGESTS: ContextVar[dict[str, str] | None] = ContextVar("digests", default=None)


@contextmanager
def digests_of_what_is_read() -> Iterator[dict[str, str]]:
    """Give a dictionary that gets the SHA-256 digest of each file that is read, by its path.

    A second reading for the digest would be of other bytes where a file changes, and of none where
    it is a pipe.

    Examples
    --------
    >>> with digests_of_what_is_read() as digests:
    ...     _ = noted("-", b"topic,a")
    >>> digests["-"][:12]
    '349f1e8a8dcf'
    """
    digests: dict[str, str] = {}
    token = _DIGESTS.set(digests)
    try:
        yield digests
    finally:
        _DIGESTS.reset(token)


def read_bytes(path: str | Path) -> bytes:
    """Return the bytes of a file, and note their digest; raises `OSError`."""
    return noted(path, Path(path).read_bytes())


def noted(path: str | Path, content: bytes) -> bytes:
    """Return the content that was read from a path, and note its digest if it is asked for."""
    digests = _DIGESTS.get()
    if digests is not None:
        digests[str(path)] = hashlib.sha256(content).hexdigest()
    return content
