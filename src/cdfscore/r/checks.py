"""Numbers of Python and of R: their differences, and what they may differ by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.errors import VerificationError
from cdfscore.io.text import written
from cdfscore.numerics.tolerance import Tolerance
from cdfscore.numerics.types import Array

if TYPE_CHECKING:
    import pandas as pd

#: p values that are farther apart never agree: what the largest tolerance is of 1.
MOST_OF_P = 1e-6


@dataclass(frozen=True)
class Quantity:
    """Numbers of one kind: one value for each topic and system.

    A mean over all topics has a single topic, ``""``.
    """

    name: str
    topics: list[str]
    systems: list[str]
    values: Array


@dataclass(frozen=True)
class Checked:
    """Numbers of Python, the tolerance for those of R, and the size of the terms of their sums.

    For `terms` see `Tolerance.distance`. `like` is the number of a test, by its name, that depends
    on differences of the scores in the same way; None if tolerance and terms allow for them
    already. `alpha` is the level of decisions if the numbers are p values.
    """

    quantity: Quantity
    tolerance: Tolerance
    terms: Array | None = None
    like: str | None = None
    alpha: float | None = None

    @classmethod
    def row(
        cls,
        name: str,
        labels: Sequence[str],
        values: Array,
        tolerance: Tolerance,
        terms: Array | float = 0.0,
        like: str | None = "estimate",
    ) -> Checked:
        """Return numbers of a row of labels."""
        numbers = np.asarray(values, dtype=np.float64)[np.newaxis]
        sizes = np.broadcast_to(np.asarray(terms, dtype=np.float64), numbers.shape)
        return cls(Quantity(name, [""], list(labels), numbers), tolerance, sizes, like)

    def on(self, scores: Tolerance, alpha: float | None) -> Checked:
        """Return the numbers with their tolerance if the scores have this one, and their level."""
        allowed = self.tolerance
        if allowed.ulp and self.like is not None:  # whole numbers are the same
            allowed = on_scores_apart(allowed, self.like, scores)
        level = alpha if self.like == "p_value" else self.alpha
        return replace(self, tolerance=allowed, alpha=level)


def compared(
    ours: Quantity,
    theirs: Quantity,
    tolerance: Tolerance,
    terms: Array | None = None,
    alpha: float | None = None,
) -> dict[str, object]:
    """Return the row of `cdfscore.verify` for a quantity; for `terms` see `Tolerance.distance`.

    With `alpha` the numbers are p values. They differ, whatever the tolerance, if one is at most
    alpha and the other is not, or if they are more than `MOST_OF_P` apart.

    Raises `VerificationError` if the topics or systems of the two differ.
    """
    for kind, here, there in (
        ("topics", ours.topics, theirs.topics),
        ("systems", ours.systems, theirs.systems),
    ):
        if here != there:
            unlike = sorted(set(here) ^ set(there)) or "the same in another order"
            raise VerificationError(
                f"R has other {kind} than Python for the {ours.name}: {unlike[:3]}; expected the "
                "same labels in the same order"
            )
    a, b = ours.values, theirs.values
    ulp = tolerance.distance(a, b, terms)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        absolute = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, np.abs(a - b))
        relative = np.where(absolute == 0, 0.0, absolute / np.abs(b))
    allowed = min(tolerance.ulp, Tolerance.MOST)
    differs, places = "", ulp
    if not ulp.max() <= allowed:
        differs = "by more than the tolerance"
    if alpha is not None:
        rules = {
            f"in a decision at {written(alpha)}": (a <= alpha) != (b <= alpha),
            f"by more than {MOST_OF_P:g}": absolute > MOST_OF_P,
        }
        for rule, apart in rules.items():
            if apart.any():
                differs, places = rule, np.where(apart, ulp, -1.0)
                break
    topic, system = np.unravel_index(places.argmax(), ulp.shape)
    return {
        "quantity": ours.name,
        "count": int(np.count_nonzero(~np.isnan(a))),
        "max_abs": _largest(absolute),
        "max_rel": _largest(relative),
        "max_ulp": float(ulp.max()),
        "allowed_ulp": float(allowed),
        "reason": tolerance.reason,
        "agrees": not differs,
        "differs": differs,
        "topic": ours.topics[topic],
        "system": ours.systems[system],
        "python": float(a[topic, system]),
        "r": float(b[topic, system]),
    }


def on_scores_apart(stated: Tolerance, quantity: str, scores: Tolerance) -> Tolerance:
    """Return the tolerance of a number of a test if the scores have this tolerance.

    If two algorithms for a cdf give scores that differ by a few ulp, the statistics differ by
    up to about 100 times as many ulp, and the p values by up to 1000 times as many. A difference
    of means near 0 differs by ulp of the scores: its floor is that of the scores. The
    bounds for t of nearly equal scores are in `cdfscore.comparison.in_r.passed_on`.
    """
    if not scores.ulp:
        return stated
    ulp, floor = stated.ulp + 100 * scores.ulp, stated.floor
    if quantity in ("p_value", "p_adjusted"):
        ulp = stated.ulp + 1000 * scores.ulp
    elif quantity not in ("stderr", "parameter"):
        floor = max(floor, scores.floor)
    reason = f"{stated.reason}; the scores may differ by {scores.ulp:.3g} ulp"
    return replace(stated, ulp=min(ulp, Tolerance.MOST), floor=floor, reason=reason)


def error_of_scores(tolerance: Tolerance, scores: Array) -> float:
    """Return the largest difference between the scores of Python and R within the tolerance."""
    largest = np.nanmax(np.abs(scores), initial=tolerance.floor)
    return float(tolerance.ulp * np.spacing(largest)) if tolerance.ulp else 0.0


def terms_of_bound(bound: Array, allowed: Tolerance) -> Array:
    """Return the size of terms for `Tolerance.distance`, so that all within the bound is allowed.

    That is where the allowed number of ulp of half of them is the bound.
    """
    return bound * 2.0**54 / allowed.ulp if allowed.ulp else np.zeros_like(bound)


def verdicts(table: pd.DataFrame) -> list[str]:
    """Return how the numbers of a table of `cdfscore.verify` differ, with the quantities."""
    apart = table[~table["agrees"]]
    return [
        f"{differs}: {', '.join(names)}"
        for differs, names in apart.groupby("differs", sort=False)["quantity"]
    ]


def _largest(differences: Array) -> float:
    """Return the largest difference; infinite if one of two numbers is missing."""
    return float(np.where(np.isnan(differences), np.inf, differences).max())
