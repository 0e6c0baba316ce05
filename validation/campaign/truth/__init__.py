"""The schemes at 50 digits, by mpmath; one that is not here is laid beside R alone."""

from __future__ import annotations

from cdfscore.stats.schemes.base import Scheme
from validation.campaign.truth import (
    from_scipy,
    linear,
    logspline,
    parametric,
    refined,
    schemes,
    zero_inflated,
)
from validation.campaign.truth.base import Truth

__all__ = ["Truth", "truth_of"]

# A definition has the name of its scheme's class.
_FILES = (schemes, linear, parametric, refined, logspline, zero_inflated, from_scipy)


def truth_of(scheme: Scheme) -> Truth | None:
    """Return the definition of a scheme, or None where there is none."""
    symbol = "".join(word.capitalize() for word in scheme.name.split("_"))
    for file in _FILES:
        if definition := getattr(file, symbol, None):
            truth: Truth = definition(scheme)
            return truth if truth.is_defined() else None
    return None
