"""Checks of y as a function of x: it is a cdf, or at least does not decrease."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.tolerance import ulp_distance
from cdfscore.numerics.types import Array
from cdfscore.testing.contract import Check, ContractError, Subject, require

# A cdf that is computed from a formula may decrease by some units in the last place from one
# double to the next; SciPy's incomplete gamma function decreases by 9.
_LARGEST_DIP_ULP = 16
# Tolerance for F and F at the next double, as the cdf is computed in doubles.
_TOLERANCE = 1e-9


def y_does_not_decrease(subject: Subject) -> None:
    """y does not decrease as x increases, and is a number for every x."""
    x, y = _curve(subject)
    missing = np.isnan(y)
    if missing.any():
        row, i = np.argwhere(missing)[0]
        raise ContractError(f"y is NaN at x = {float(x[row, i])!r} in row {row}")
    falls = (y[:, 1:] < y[:, :-1]) & (ulp_distance(y[:, 1:], y[:, :-1]) > _LARGEST_DIP_ULP)
    if falls.any():
        row, i = np.argwhere(falls)[0]
        raise ContractError(
            f"y decreases from {float(y[row, i])!r} at x = {float(x[row, i])!r} to "
            f"{float(y[row, i + 1])!r} at x = {float(x[row, i + 1])!r} in row {row}; expected "
            "y that does not decrease as x increases"
        )


def cdf_lies_between_0_and_1(subject: Subject) -> None:
    """y lies in [0, 1] for a cdf."""
    if subject.scheme.is_cdf:
        x, y = _curve(subject)
        outside = ~((y >= 0) & (y <= 1))
        if outside.any():
            row, i = np.argwhere(outside)[0]
            raise ContractError(
                f"y is {float(y[row, i])!r} at x = {float(x[row, i])!r} in row {row}; "
                "expected 0 <= y <= 1"
            )


def cdf_reaches_0_and_1_at_infinity(subject: Subject) -> None:
    """y is exactly 0 at -inf and 1 at +inf for a cdf."""
    if subject.scheme.is_cdf:
        y = subject.fitted(np.array([[-np.inf, np.inf]] * 3))
        reached = bool((y == [0.0, 1.0]).all())
        require(reached, f"y is {y[0].tolist()} at x = [-inf, inf]; expected [0.0, 1.0]")


def cdf_is_right_continuous_if_declared(subject: Subject) -> None:
    """y does not jump right of a reference score if `right_continuous`."""
    if subject.scheme.is_cdf and subject.scheme.right_continuous:
        x = subject.scores
        y, right = subject.fitted(x), subject.fitted(np.nextafter(x, np.inf))
        jumps = np.abs(right - y) > _TOLERANCE
        if jumps.any():
            row, i = np.argwhere(jumps)[0]
            raise ContractError(
                f"y is {float(y[row, i])!r} at x = {float(x[row, i])!r} in row {row} and "
                f"{float(right[row, i])!r} at the next double; expected no jump, as "
                "right_continuous is True"
            )


def cdf_has_the_declared_degree(subject: Subject) -> None:
    """y is constant, or a straight line, between reference scores if `degree_between` says so."""
    degree = subject.scheme.degree_between
    if not subject.scheme.is_cdf or degree is None:
        return
    s = np.sort(subject.scores, axis=-1)
    low, width = s[:, :-1], np.diff(s, axis=-1)
    first, second, third = (subject.fitted(low + part * width) for part in (0.25, 0.5, 0.75))
    bent = np.abs(second - (first + third) / 2) > _TOLERANCE
    rises = np.abs(third - first) > _TOLERANCE
    wrong = (width > 0) & (bent if degree == 1 else bent | rises)
    if degree not in (0, 1) or wrong.any():
        row, i = np.argwhere(wrong)[0] if wrong.any() else (0, 0)
        raise ContractError(
            f"degree_between is {degree!r} and y is {float(first[row, i])!r}, "
            f"{float(second[row, i])!r} and {float(third[row, i])!r} at three places between "
            f"neighboring reference scores in row {row}; expected 0 for steps, 1 for straight "
            "lines, None for others"
        )


def _curve(subject: Subject) -> tuple[Array, Array]:
    """Evaluate at each reference score, its neighbors, points between, outside and infinite."""
    s = np.sort(subject.scores, axis=-1)
    spread = s[:, -1:] - s[:, :1]
    steps = np.array([0.01, 0.1, 0.5, 1.0, 3.0, 10.0, 1e3, np.inf])
    x = np.column_stack(
        [
            s,
            np.nextafter(s, -np.inf),
            np.nextafter(s, np.inf),
            (s[:, 1:] + s[:, :-1]) / 2,
            s[:, :1] - spread * steps,
            s[:, -1:] + spread * steps,
        ]
    )
    x.sort(axis=-1)
    return x, subject.fitted(x)


CHECKS: tuple[Check, ...] = (
    y_does_not_decrease,
    cdf_lies_between_0_and_1,
    cdf_reaches_0_and_1_at_infinity,
    cdf_is_right_continuous_if_declared,
    cdf_has_the_declared_degree,
)
