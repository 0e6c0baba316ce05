"""Checks of fit errors, which must name the row."""

from __future__ import annotations

import numpy as np

from cdfscore.errors import FitError
from cdfscore.numerics.types import Array
from cdfscore.testing.contract import Check, ContractError, Subject, require


def infinite_scores_are_refused(subject: Subject) -> None:
    """An infinite reference score raises `FitError` with its row."""
    for value in (np.inf, -np.inf):
        scores = subject.scores.copy()
        scores[1, 2] = value
        _require_refusal(subject, scores, f"scores with {value} in row 1")


def rows_without_scores_are_refused(subject: Subject) -> None:
    """A row of NaN raises `FitError` with its row."""
    scores = subject.scores.copy()
    scores[1] = np.nan
    _require_refusal(subject, scores, "scores that are all NaN in row 1")


def too_few_scores_are_refused(subject: Subject) -> None:
    """A row with fewer than `minimum_scores` raises `FitError` with its row."""
    few = subject.scheme.minimum_scores - 1
    scores = subject.scores.copy()
    scores[1, few:] = np.nan
    _require_refusal(subject, scores, f"scores with only {few} in row 1 that are not NaN")


def no_scores_at_all_are_refused(subject: Subject) -> None:
    """Scores of shape (..., 0) or () raise `FitError`."""
    for empty in (np.empty((3, 0)), np.empty(0), np.float64(0.5)):
        try:
            subject.scheme.fit(empty)
        except FitError:
            continue
        raise ContractError(f"scores of shape {np.shape(empty)} were accepted; expected FitError")


def _require_refusal(subject: Subject, scores: Array, given: str) -> None:
    try:
        subject.scheme.fit(scores)
    except FitError as error:
        require(error.row == 1, f"{given} gave a FitError whose row is {error.row}; expected row 1")
    else:
        raise ContractError(f"{given} were accepted; expected FitError")


CHECKS: tuple[Check, ...] = (
    infinite_scores_are_refused,
    rows_without_scores_are_refused,
    too_few_scores_are_refused,
    no_scores_at_all_are_refused,
)
