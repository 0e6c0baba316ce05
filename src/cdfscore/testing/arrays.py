"""Checks of shapes, batches, and unchanged input arrays."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.types import Array
from cdfscore.testing.contract import Check, Subject, require, require_same


def shape_of_x_is_kept(subject: Subject) -> None:
    """y has the shape of x for one topic, a batch, and a batch of batches."""
    scores, x = subject.scores, subject.x
    cases = [
        (scores[0], x[0]),
        (scores, x),
        (scores[:2].reshape(1, 2, -1), x[:2].reshape(1, 2, -1)),
        (scores, scores),
        (scores, x[:, :1]),
    ]
    for sample, values in cases:
        _require_shape(subject, sample, values)


def empty_arrays_keep_their_shape(subject: Subject) -> None:
    """y has the shape of x if there are no systems or no topics."""
    _require_shape(subject, subject.scores, subject.x[:, :0])
    _require_shape(subject, subject.scores[:0], subject.x[:0])


def fit_is_deterministic(subject: Subject) -> None:
    """Fitting or evaluating twice gives the same bits."""
    again = subject.scheme.fit(subject.scores)
    expected = subject.fitted(subject.x)
    require_same(subject.fitted(subject.x), expected, "of a second call", "as of the first")
    require_same(again(subject.x), expected, "of a second fit", "as of the first")


def batch_equals_row_by_row(subject: Subject) -> None:
    """A row of a batch has the same bits as alone."""
    scores, x = subject.scores, subject.x
    y = subject.fitted(x)
    for i in range(len(scores)):
        alone = subject.scheme.fit(scores[i])(x[i])
        require_same(y[i], alone, f"of row {i} of a batch,", "as for that row alone")
    deep = subject.scheme.fit(scores[:2].reshape(2, 1, -1))(x[:2].reshape(2, 1, -1))
    require_same(deep[:, 0], y[:2], "of a batch of shape (2, 1, n),", "as in one of shape (2, n)")


def input_is_not_modified(subject: Subject) -> None:
    """Neither `fit` nor the fitted scheme writes to its input or keeps a reference to it."""
    scores, x = subject.scores.copy(), subject.x.copy()
    fitted = subject.scheme.fit(scores)
    y = fitted(x)
    require(np.array_equal(scores, subject.scores), "fit changed the reference scores it was given")
    require(np.array_equal(x, subject.x), "the fitted scheme changed the x it was given")
    require(not np.shares_memory(x, y), "y shares memory with x; expected a separate array")
    expected = y.copy()
    scores[...] = 0.0
    y[...] = -1.0
    again = fitted(x)
    require_same(again, expected, "after scores and y were overwritten", "as before that")


def _require_shape(subject: Subject, scores: Array, x: Array) -> None:
    y = subject.scheme.fit(scores)(x)
    require(
        isinstance(y, np.ndarray) and y.dtype == np.float64 and y.shape == x.shape,
        f"for scores of shape {scores.shape} and x of shape {x.shape} y has shape "
        f"{np.shape(y)}; expected doubles of shape {x.shape}",
    )


CHECKS: tuple[Check, ...] = (
    input_is_not_modified,
    shape_of_x_is_kept,
    fit_is_deterministic,
    batch_equals_row_by_row,
    empty_arrays_keep_their_shape,
)
