"""The inputs of the references: topics of every kind, and topics picked by hand.

They are drawn when the references are made and stored with what R says of them, so that no
generator need give the same numbers tomorrow.
"""

from __future__ import annotations

import numpy as np

from cdfscore.stats.numerics.types import Array
from validation.parity.strategies import INSIDE, KINDS, MEASURES

BY_HAND = {
    "1 score": [0.3],
    "1 score between 2 missing": [np.nan, 0.3, np.nan],
    "2 scores": [0.6, 0.2],
    "2 scores and 1 missing": [-1.5, np.nan, 0.1],
    "2 tied scores": [0.25, 0.25],
    "constant at 0": [0.0] * 5,
    "constant at 0.1 + 0.2": [0.1 + 0.2] * 7,
    "constant at 1/3, 1 missing": [1 / 3, np.nan, 1 / 3, 1 / 3],
    "all tied but the largest": [0.0] * 9 + [1.0],
    "all tied but the smallest": [0.2] + [0.7] * 9,
    "neighbouring doubles": [0.7, float(np.nextafter(0.7, 1)), 0.7],
    "zeros of both signs": [-0.0, 0.5, 0.0],
}
# Where the scores are missing: first, within and last.
_MISSING = (0, 7, 25)


def of_every_kind(n: int, *, ordinary: bool = False) -> dict[str, Array]:
    """Draw a sample of n scores of every kind, or of the kinds that iterative fits take."""
    draws = {kind: draw for kind, draw in KINDS.items() if not ordinary or kind in MEASURES}
    draws |= INSIDE if ordinary else {}
    rng = np.random.default_rng([1908, n])
    return {f"{kind}, n = {n}": draw(rng, n) for kind, draw in draws.items()}


def topics(*, least: int, ordinary: bool) -> dict[str, Array]:
    """Return reference scores by label, at least `least` a topic.

    Ordinary ones are those on which an iterative fit is well conditioned, and constant ones.
    """
    hand = {label: np.array(scores) for label, scores in BY_HAND.items()}
    drawn = of_every_kind(25, ordinary=ordinary)
    missing = {
        f"{label}, {len(_MISSING)} missing": np.insert(scores, _MISSING, np.nan)
        for label, scores in drawn.items()
    }
    large = {"grid of tenths, n = 150": KINDS["grid of tenths"](np.random.default_rng(150), 150)}
    return {
        label: scores
        for label, scores in (hand | missing | large).items()
        if np.count_nonzero(~np.isnan(scores)) >= least
        and not (ordinary and label in hand and np.nanmin(scores) < np.nanmax(scores))
    }


def points(scores: Array) -> Array:
    """Return x at, beside, between and outside the scores, in order, and NaN."""
    ordered = np.sort(scores[~np.isnan(scores)])
    low, high = ordered[0], ordered[-1]
    at = ordered[[0, len(ordered) // 3, len(ordered) // 2, -2 % len(ordered), -1]]
    beside = np.concatenate([np.nextafter(at, -np.inf), np.nextafter(at, np.inf)])
    reach = high - low or abs(low) or 1.0
    spaced = low + reach * np.array([-1, -0.25, 0.1, 0.3, 0.5, 0.75, 0.95, 1.3, 2])
    return np.append(np.unique(np.concatenate([at, beside[::3], spaced])), np.nan)
