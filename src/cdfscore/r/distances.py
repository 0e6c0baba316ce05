"""Python's numbers beside R's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cdfscore.errors import VerificationError
from cdfscore.numerics.tolerance import Tolerance
from cdfscore.numerics.types import Array
from cdfscore.r.analysis import Quantity


def compared(
    ours: Quantity, theirs: Quantity, tolerance: Tolerance, terms: Array | None = None
) -> dict[str, object]:
    """Return the row of `cdfscore.verify` for a quantity; `terms` as `Tolerance.distance` has it.

    Raises `VerificationError` where the two are of different topics or systems.
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
    topic, system = np.unravel_index(ulp.argmax(), ulp.shape)
    return {
        "quantity": ours.name,
        "count": int(np.count_nonzero(~np.isnan(a))),
        "max_abs": _largest(absolute),
        "max_rel": _largest(relative),
        "max_ulp": float(ulp.max()),
        "allowed_ulp": float(tolerance.ulp),
        "agrees": bool(ulp.max() <= tolerance.ulp),
        "topic": ours.topics[topic],
        "system": ours.systems[system],
        "python": float(a[topic, system]),
        "r": float(b[topic, system]),
    }


def on_scores_apart(stated: Tolerance, quantity: str, scores: Tolerance) -> Tolerance:
    """Return how far a number of a test may be from R's on scores with this tolerance.

    Scores that are a few ulp apart already, as two algorithms for a cdf leave them, make
    statistics that are up to some 100 times as many ulp apart, and p values 1000 times.
    """
    passed_on = 1000 if quantity in ("p_value", "p_adjusted") else 100
    return replace(stated, ulp=stated.ulp + passed_on * scores.ulp)


def _largest(differences: Array) -> float:
    """Return the largest; infinite where one of two numbers is missing."""
    return float(np.where(np.isnan(differences), np.inf, differences).max())
