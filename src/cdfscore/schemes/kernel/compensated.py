"""Compensated sums, which carry the rounding error of each addition."""

from __future__ import annotations

from cdfscore.numerics.compiled import compiled


@compiled
def add(total: float, lost: float, term: float) -> tuple[float, float]:
    """Return total + term, and its rounding error, which is to be subtracted from the next term.

    Kahan's sum. Own code because `math.fsum` cannot be compiled and takes a list of all terms.
    """
    term -= lost
    added = total + term
    return added, (added - total) - term
