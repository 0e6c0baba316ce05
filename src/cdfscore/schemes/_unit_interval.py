"""Scores in [0, 1]: policies for scores at the ends, and the logit."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from scipy import special

from cdfscore.numerics.moments import count
from cdfscore.numerics.types import Array
from cdfscore.schemes._rows import extremes
from cdfscore.schemes.base import at_ends, check_word, refuse_rows

Ends = Literal["raise", "shrink"]


def check_ends(name: str, ends: str) -> None:
    """Raise `SchemeError` unless `ends` is one of the two policies."""
    check_word(name, "ends", ends, get_args(Ends))


def shrunk(scores: Array) -> Array:
    """Return (x (n - 1) + 1/2) / n of each score, where n is the count of its row.

    Smithson and Verkuilen (2006), p. 55: 0 goes to 1 / 2n and 1 to 1 - 1 / 2n.
    """
    n = count(scores)
    return (scores * (n - 1) + 0.5) / n


def inside(name: str, scores: Array, ends: Ends, why: str) -> Array:
    """Return scores within (0, 1), moved there under "shrink"; constant rows may be outside.

    Raises `FitError` under "raise" for the rows with a 0 or a 1 and another score; `why` says
    what is wrong with these.
    """
    if ends == "shrink":
        return shrunk(scores)
    low, high = extremes(scores)
    bad = ((low <= 0) | (high >= 1)) & (low < high)
    if bad.any():
        zeros, ones = (np.sum(scores == end, axis=-1) for end in (0, 1))
        n = count(scores)[..., 0]
        refuse_rows(
            bad[..., 0],
            lambda row: (
                f"{at_ends(int(n.flat[row]), zeros.flat[row], ones.flat[row])}, {why}; "
                "ends=shrink moves the scores into (0, 1)"
                + (f", zero_inflated:family={name} has a mass at 0" * bool(not ones.flat[row]))
            ),
        )
    return scores


def logit(x: Array) -> Array:
    """log(x / (1 - x)), elementwise: -inf at 0 and left of it, inf at 1 and right of it."""
    found: Array = special.logit(np.clip(x, 0.0, 1.0))
    return found
