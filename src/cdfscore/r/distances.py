"""Differences between the numbers of Python and of R."""

from __future__ import annotations

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
    bounds for t of nearly equal scores are in `cdfscore.r.passed_on`.
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
