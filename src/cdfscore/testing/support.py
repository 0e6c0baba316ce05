"""Checks of the support, of the quantile function and of the CRPS."""

from __future__ import annotations

import numpy as np

from cdfscore.diagnosis.crps import integrated
from cdfscore.numerics.types import Array
from cdfscore.schemes.base import Distribution
from cdfscore.testing.constant_topics import with_constant_rows
from cdfscore.testing.contract import Check, Subject, require

_PROBABILITIES = np.array([0.0, 1e-6, 0.01, 0.1, 0.25, 1 / 3, 0.5, 0.7, 0.9, 0.999, 1.0])
# Tolerance of F(quantile(p)) = p, as both are computed in doubles.
_TOLERANCE = 1e-9
# Tolerance of a CRPS and its integral, as a proportion of the range of the scores.
_OF_INTEGRAL = 1e-6


def support_holds_all_probability(subject: Subject) -> None:
    """y is 0 left of the support and 1 right of it."""
    if not isinstance(subject.scheme, Distribution):
        return
    low, high = subject.fitted.support
    require(
        low.shape == high.shape == (3,) and bool((low <= high).all()),
        f"the support is from {low.tolist()} to {high.tolist()}; expected (3,) and (3,) in order",
    )
    # An end is rounded, so that F may be a little off 0 or 1 next to it.
    x = np.column_stack([low - _margin(low), high + _margin(high)])
    y = subject.fitted(x)
    require(
        bool((y == [0.0, 1.0]).all()),
        f"y is {y.tolist()} at x = {x.tolist()}, left and right of the support; expected 0 and 1",
    )


def quantile_inverts_the_cdf(subject: Subject) -> None:
    """`quantile` gives the smallest x with F(x) >= p, inside the support, and NaN for NaN."""
    if not hasattr(subject.scheme, "inverse"):
        return
    p = np.broadcast_to(_PROBABILITIES, (3, len(_PROBABILITIES)))
    q = subject.fitted.quantile(p)
    require(q.shape == p.shape, f"for p of shape {p.shape} quantile has shape {q.shape}")
    for row in range(3):
        _require_smallest(subject, row, q[row])
    falls = q[:, 1:] < q[:, :-1] - _margin(q[:, 1:])
    require(not falls.any(), f"quantile decreases: {q.tolist()} for p = {p[0].tolist()}")
    low, high = (end[:, np.newaxis] for end in subject.fitted.support)
    inside = (q >= low - _margin(low)) & (q <= high + _margin(high))
    require(bool(inside.all()), f"quantile is {q.tolist()}; expected values inside the support")
    nothing = np.full((3, 1), np.nan)
    with_constant = subject.scheme.fit(with_constant_rows(subject))
    for fitted, kind in ((subject.fitted, "no"), (with_constant, "two")):
        q = fitted.quantile(nothing)
        require(
            q.shape == (3, 1) and bool(np.isnan(q).all()),
            f"quantile is {q.tolist()} for p = NaN, where {kind} of three topics are constant; "
            "expected NaN",
        )


def crps_is_the_integral(subject: Subject) -> None:
    """A CRPS in closed form is that of the cdf, which a scheme may have changed in a subclass."""
    if not isinstance(subject.scheme, Distribution):
        return
    y = subject.scores[:, 1]
    closed = subject.fitted.crps(y[:, np.newaxis])
    if closed is None:
        return
    require(closed.shape == (3, 1), f"for y of shape (3, 1) crps has shape {closed.shape}")
    for row, each in enumerate(y):
        fit = subject.fitted.take(np.array([row]))
        distinct = np.unique(subject.scores[row])
        expected = integrated(fit, np.array([each]), distinct)[0]
        found = closed[row, 0]
        require(
            abs(found - expected) <= _OF_INTEGRAL * np.ptp(distinct),
            f"crps({float(each)!r}) is {float(found)!r} in row {row}; expected "
            f"{float(expected)!r}, the integral of (F(x) - 1{{x >= y}})^2 over x",
        )


def _require_smallest(subject: Subject, row: int, q: Array) -> None:
    """Require that q is the smallest x with F(x) >= p, up to rounding."""
    fit = subject.scheme.fit(subject.scores[row])
    # If F is not right-continuous, it jumps to p just right of q.
    at = fit(q if subject.scheme.right_continuous else np.nextafter(q, np.inf))
    # The remaining probability may lie at infinity, beyond any score.
    far = subject.scores[row].max() + 1e3 * np.ptp(subject.scores[row])
    before = fit(np.where(q == np.inf, far, q - _margin(q)))
    for p, x, y, y_before in zip(_PROBABILITIES, q, at, before, strict=True):
        given = f"quantile({p}) is {float(x)!r} in row {row}, "
        require(y >= p - _TOLERANCE, f"{given}where y is {float(y)!r}; expected y >= p")
        smallest = p == 0 or y_before <= p + _TOLERANCE
        require(bool(smallest), f"{given}and y is {float(y_before)!r} left of it; expected y <= p")


def _margin(x: Array) -> Array:
    """Return a small step from x that is large compared with rounding errors."""
    margin: Array = np.where(np.isfinite(x), 1e-11 * np.maximum(1.0, np.abs(x)), 0.0)
    return margin


CHECKS: tuple[Check, ...] = (
    support_holds_all_probability,
    quantile_inverts_the_cdf,
    crps_is_the_integral,
)
