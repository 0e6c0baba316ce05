"""Policies for unfitted topics: those that a scheme cannot be fitted to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np

from cdfscore.errors import FitError, SchemeError
from cdfscore.numerics.types import Array, IntArray
from cdfscore.schemes.base import Fitted, Scheme
from cdfscore.spelling import check_one_of

UnfittedPolicy = Literal["raise", "nan", "drop_topic"]
POLICIES: tuple[str, ...] = get_args(UnfittedPolicy)


def check_policy(policy: str) -> None:
    """Raise `SchemeError` for an unknown policy.

    raise       an error that names the first such topic and the reason
    nan         NaN for every score of the topic
    drop_topic  omit the topic

    Raises `SchemeError`.

    Examples
    --------
    >>> check_policy("nan")
    >>> try:
    ...     check_policy("zero")
    ... except SchemeError as error:
    ...     print(error)
    unfitted='zero' is not accepted; expected one of raise, nan, drop_topic
    """
    check_one_of("unfitted", policy, POLICIES, SchemeError)


def fit_all(
    scheme: Scheme,
    scores: Array,
    place: Callable[[int], str],
) -> Fitted:
    """Fit every row of `scores` (rows, n); `place` names a row in the error.

    Raises `FitError` with the place and the reason for the first row that the scheme cannot
    be fitted to, and without the number of the row.
    """
    try:
        return scheme.fit(scores)
    except FitError as error:
        if error.row is None:
            raise
        # Without the row, which is one of this batch and not of the caller's scores.
        raise FitError(f"{place(error.row)}: {error.reason}") from error


def no_topic(scheme: Scheme, place: str, reason: str) -> FitError:
    """Return the error for a scheme that cannot be fitted to any topic."""
    return FitError(f"{scheme} cannot be fitted to any topic; {place}: {reason}")


def fit_where_possible(scheme: Scheme, scores: Array) -> tuple[Fitted, IntArray, dict[int, str]]:
    """Fit the rows of `scores` (rows, n) that the scheme can be fitted to.

    Returns the fit of those rows, their numbers, and the reason for each unfitted row by its
    number. Raises `FitError` for scores that are not a batch of
    samples.

    Examples
    --------
    >>> from cdfscore.schemes import Normal
    >>> fitted, rows, reasons = fit_where_possible(Normal(), np.array([[0.1], [0.2]]))
    >>> rows.tolist(), reasons[1]
    ([], 'normal needs at least 2 reference scores and there is 1')
    """
    rows = np.arange(len(scores))
    reasons: dict[int, str] = {}
    while True:
        try:
            return scheme.fit(scores[rows]), rows, reasons
        except FitError as error:
            if not error.rows:  # the error is not about rows, or gives no reasons
                raise
            reasons |= {int(rows[row]): reason for row, reason in error.rows.items()}
            rows = np.delete(rows, list(error.rows))
