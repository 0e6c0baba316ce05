"""Checks of missing scores, and of the types of input."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from cdfscore.errors import FitError
from cdfscore.numerics.types import Array
from cdfscore.testing.contract import Check, Subject, require, require_same


def missing_x_gives_nan_there_only(subject: Subject) -> None:
    """NaN in x gives NaN there and changes nothing elsewhere."""
    x = subject.x.copy()
    expected = subject.fitted(x)
    x[0, 1] = x[2, 0] = np.nan
    expected[0, 1] = expected[2, 0] = np.nan
    require_same(subject.fitted(x), expected, "with NaN at x[0, 1] and x[2, 0]", "NaN there only")


def missing_reference_scores_are_omitted(subject: Subject) -> None:
    """NaN in the reference scores gives the same bits as omitting it."""
    scores = subject.scores.copy()
    scores[0, 0] = scores[1, 3] = scores[1, 8] = np.nan
    y = subject.scheme.fit(scores)(subject.x)
    for i, row in enumerate(scores):
        present = row[~np.isnan(row)]
        expected = subject.scheme.fit(present)(subject.x[i])
        require_same(
            y[i],
            expected,
            f"of row {i} with {len(row) - len(present)} reference scores NaN,",
            "as without those scores",
        )


def layout_of_input_does_not_matter(subject: Subject) -> None:
    """Read-only, strided and Fortran-ordered arrays and lists give the same bits."""
    expected = subject.fitted(subject.x)
    kinds: dict[str, Callable[[Array], ArrayLike]] = {
        "read-only": _read_only,
        "non-contiguous": _strided,
        "Fortran-ordered": np.asfortranarray,
        "nested lists of": np.ndarray.tolist,
    }
    for kind, laid_out in kinds.items():
        y = subject.scheme.fit(laid_out(subject.scores))(laid_out(subject.x))
        require_same(y, expected, f"for {kind} scores and x,", "as for contiguous arrays")


def integers_are_read_as_doubles(subject: Subject) -> None:
    """Integer arrays give the same as equal arrays of doubles."""
    x = np.array([[-1, 0, 1, 2]] * 3)
    require_same(
        subject.fitted(x), subject.fitted(x.astype(float)), "for whole x,", "as for double"
    )
    scores = np.array([[0, 2, 3, 5, 2]] * 3)
    got, wanted = (_outcome(subject, s, x) for s in (scores, scores.astype(np.float64)))
    if isinstance(got, np.ndarray) and isinstance(wanted, np.ndarray):
        require_same(got, wanted, "for whole reference scores,", "as for doubles")
    else:
        same = isinstance(got, str) and got == wanted
        require(same, f"whole reference scores give {got}; expected {wanted}, as for doubles")


def _outcome(subject: Subject, scores: ArrayLike, x: ArrayLike) -> Array | str:
    try:
        return subject.scheme.fit(scores)(x)
    except FitError as error:
        return str(error)


def _read_only(values: Array) -> Array:
    copy = values.copy()
    copy.setflags(write=False)
    return copy


def _strided(values: Array) -> Array:
    return np.repeat(values, 2, axis=-1)[..., ::2]


CHECKS: tuple[Check, ...] = (
    missing_x_gives_nan_there_only,
    missing_reference_scores_are_omitted,
    layout_of_input_does_not_matter,
    integers_are_read_as_doubles,
)
