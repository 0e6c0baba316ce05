"""Sizes that a small file may ask for: bounded, so that none can take all of the memory."""

from __future__ import annotations

from cdfscore.errors import ScoresError

#: Cells of a matrix, as doubles 256 MiB, that any file may ask for; beyond it counts how many
#: scores the file has.
CELLS = 1 << 25
#: Cells of a matrix for each score, and bytes of content for each byte of a file, at most.
RATIO = 100
#: Bytes that any file may have when it is decompressed.
BYTES = 1 << 28


def too_sparse(rows: int, columns: int, given: int) -> bool:
    """Tell whether a matrix is too large for the number of its cells that are given.

    Examples
    --------
    >>> too_sparse(250, 100, 25_000), too_sparse(60_000, 60_000, 60_000)
    (False, True)
    """
    return rows * columns > most_cells(given)


def most_cells(given: int) -> int:
    """Return how many cells a matrix may have of which so many are given."""
    return max(CELLS, RATIO * given)


def refuse_sparse(source: str, topics: int, systems: int, scores: int) -> None:
    """Raise `ScoresError` where rows with a score each would make too large a matrix."""
    if too_sparse(topics, systems, scores):
        raise ScoresError(
            f"{source} has {scores:,} scores, of {systems:,} systems on {topics:,} topics; "
            "expected a score for 1 % or more of all pairs of a topic and a system"
        )


def most_bytes(size: int) -> int:
    """Return how many bytes a file of this size may have when it is decompressed."""
    return max(BYTES, RATIO * size)
