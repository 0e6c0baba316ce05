"""Checks of constant topics, whose reference scores are all equal."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.types import Array
from cdfscore.testing.contract import Check, Subject, require, require_same


def constant_topics_are_recognized(subject: Subject) -> None:
    """`constant` is True only for constant topics, and for all of them if a spread is needed."""
    scores = with_constant_rows(subject)
    told = subject.scheme.fit(scores).constant
    require(
        told.dtype == np.bool_ and told.shape in ((3,), ()),
        f"constant is {told.dtype} of shape {told.shape}; expected bool of shape (3,)",
    )
    told = np.broadcast_to(told, (3,))
    if subject.scheme.needs_spread:
        expected = [True, False, True]
        require(
            told.tolist() == expected,
            f"constant is {told.tolist()} where rows 0 and 2 are constant; expected {expected}",
        )
    require(not told[1], "constant is True in row 1, whose scores differ; expected False")


def constant_topics_follow_their_limit(subject: Subject) -> None:
    """y is finite at the common score; left and right of it, y is 0 and 1 for a cdf."""
    scores = with_constant_rows(subject)
    centre = scores[:, :1]
    left, right = np.nextafter(centre, -np.inf), np.nextafter(centre, np.inf)
    x = np.column_stack([centre - 1, left, centre, right, centre + 1])
    y = subject.scheme.fit(scores)(x)
    for row in (0, 2):
        at = float(y[row, 2])
        require(np.isfinite(at), f"y is {at} at the common score; expected a finite number")
        require(
            bool((y[row, 1:] >= y[row, :-1]).all()), _shown(x, y, row, "that does not decrease")
        )
        if subject.scheme.is_cdf:
            require(0 <= at <= 1, f"y is {at} at the common score; expected 0 <= y <= 1")
        if subject.scheme.is_cdf and subject.scheme.needs_spread:
            limit = y[row, [0, 1, 3, 4]].tolist() == [0, 0, 1, 1]
            require(limit, _shown(x, y, row, "0 left and 1 right of the common score"))


def constant_topics_do_not_affect_others(subject: Subject) -> None:
    """A topic between constant topics has the same bits as alone."""
    scores = with_constant_rows(subject)
    y = subject.scheme.fit(scores)(subject.x)
    alone = subject.scheme.fit(scores[1])(subject.x[1])
    require_same(y[1], alone, "of row 1 between two constant rows,", "as for that row alone")


def with_constant_rows(subject: Subject) -> Array:
    """Rows 0 and 2 are constant, one at a score whose mean is not exact in doubles."""
    scores = subject.scores.copy()
    low, high = subject.within
    scores[0] = subject.on_grid(np.array(low + (high - low) * 0.1))
    scores[2] = subject.on_grid(np.array(low + (high - low) * 0.7))
    scores[2, 3] = np.nan
    return scores


def _shown(x: Array, y: Array, row: int, expected: str) -> str:
    return f"y is {y[row].tolist()} at x = {x[row].tolist()}; expected y {expected}"


CHECKS: tuple[Check, ...] = (
    constant_topics_are_recognized,
    constant_topics_follow_their_limit,
    constant_topics_do_not_affect_others,
)
