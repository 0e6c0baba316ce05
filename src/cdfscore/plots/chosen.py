"""The scheme to draw, of a result that has several."""

from __future__ import annotations

from collections.abc import Sequence

from cdfscore.errors import PlotError, SchemeError
from cdfscore.schemes.registry import parse_scheme


def chosen_scheme(schemes: Sequence[str], scheme: str | None, what: str) -> str:
    """Return the scheme that is named, in any spelling, or the only one; `what` has the schemes.

    Raises `PlotError` for a scheme that is not there, and for none of several.

    Examples
    --------
    >>> chosen_scheme(["raw", "empirical:convention=weak"], "empirical", "the diagnosis")
    'empirical:convention=weak'
    """
    if scheme is None:
        if len(schemes) == 1:
            return schemes[0]
        asked = "has several schemes"
    else:
        for spelling in (scheme, _spelled(scheme)):
            if spelling in schemes:
                return spelling
        asked = f"is not by {scheme!r}"
    raise PlotError(f"{what} {asked}; expected one of {', '.join(schemes)}")


def _spelled(scheme: str) -> str:
    try:
        return str(parse_scheme(scheme))
    except SchemeError:
        return scheme
