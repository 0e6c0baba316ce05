"""Samples of any shape, laid out as rows of one length for the function of a test."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cdfscore.errors import SignificanceError
from cdfscore.numerics.types import Array, BoolArray, IntArray


def as_samples(test: str, argument: str, values: ArrayLike) -> Array:
    """Return samples of shape (..., n); raise `SignificanceError` for anything else."""
    try:
        samples = np.asarray(values, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise SignificanceError(
            f"{test}: {argument} is not an array of numbers: {error}"
        ) from error
    if samples.ndim == 0:
        raise SignificanceError(
            f"{test}: {argument} is the single number {samples}; expected scores of shape (..., n)"
        )
    if np.isinf(samples).any():
        place = tuple(int(i) for i in np.argwhere(np.isinf(samples))[0])
        raise SignificanceError(
            f"{test}: {argument}[{', '.join(map(str, place))}] is infinite; expected finite "
            "numbers, NaN where a score is missing"
        )
    return samples


def check_pairs(test: str, x: Array, y: Array) -> None:
    """Raise `SignificanceError` unless the samples have equally many scores."""
    if x.shape[-1] != y.shape[-1]:
        raise SignificanceError(
            f"{test}: x has {x.shape[-1]} scores per sample and y has {y.shape[-1]}; expected "
            "the same number"
        )


def leading(test: str, x: Array, y: Array) -> tuple[int, ...]:
    """Return the common leading shape of two batches of samples."""
    try:
        return np.broadcast_shapes(x.shape[:-1], y.shape[:-1])
    except ValueError as error:
        raise SignificanceError(
            f"{test}: x has shape {x.shape} and y has shape {y.shape}; expected leading "
            "dimensions that broadcast"
        ) from error


def rows_of(samples: Array, shape: tuple[int, ...]) -> Array:
    """Return the samples as a matrix, one sample per row, broadcast to the leading shape."""
    n = samples.shape[-1]
    return np.broadcast_to(samples, (*shape, n)).reshape(int(np.prod(shape)), n)


def by_size(present: BoolArray) -> tuple[IntArray, Iterator[tuple[int, NDArray[np.intp]]]]:
    """Return the number of scores of each row, and the rows that have each number of scores."""
    counts = present.sum(axis=-1, dtype=np.int64)
    return counts, ((int(n), np.flatnonzero(counts == n)) for n in np.unique(counts))


def packed(samples: Array, present: BoolArray, rows: NDArray[np.intp]) -> Array:
    """Return the present scores of rows with equally many scores, shape (rows, n)."""
    if len(rows) == len(samples) and present.all():
        return samples
    return samples[rows][present[rows]].reshape(len(rows), -1)
