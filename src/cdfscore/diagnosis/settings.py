"""Settings of a diagnosis, and their checks."""

from __future__ import annotations

from collections.abc import Sequence

from cdfscore.errors import SchemeError
from cdfscore.schemes.base import Scheme
from cdfscore.schemes.registry import parse_scheme

_MOST_BINS = 100


def distributions(schemes: Sequence[str | Scheme]) -> list[Scheme]:
    """Return the schemes, read from their spellings; raises `SchemeError`, see `diagnose`."""
    if isinstance(schemes, str | Scheme):
        raise SchemeError(f"schemes={str(schemes)!r} is one; expected a list of distributions")
    chosen = [parse_scheme(each) if isinstance(each, str) else each for each in schemes]
    if not chosen:
        raise SchemeError("there is no scheme to diagnose; expected one distribution or more")
    names = [str(scheme) for scheme in chosen]
    for scheme, name in zip(chosen, names, strict=True):
        if not isinstance(scheme, Scheme):
            raise SchemeError(f"{scheme!r} is not a scheme; expected one such as Normal()")
        if not scheme.is_cdf:
            raise SchemeError(f"{name} is not a distribution; expected one")
        if names.count(name) > 1:
            raise SchemeError(f"the scheme {name} is given twice")
    return chosen


def check_settings(
    alpha: float, bootstrap: int, most: int | None, seed: int, bins: int, jobs: int | None
) -> None:
    """Raise `SchemeError` for a setting out of range, see `diagnose`."""
    if not 0 < alpha < 1:
        raise SchemeError(f"alpha={alpha} is not accepted; expected a number between 0 and 1")
    ranges = {"bootstrap": (bootstrap, 0), "seed": (seed, 0), "bins": (bins, 2)}
    for name, (value, least) in ranges.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise SchemeError(
                f"{name}={value!r} is not accepted; expected a whole number of {least} or more"
            )
    if most is not None and (isinstance(most, bool) or not isinstance(most, int)):
        raise SchemeError(f"most={most!r} is not accepted; expected a whole number")
    if most is not None and most < bootstrap:
        raise SchemeError(
            f"most={most} is not accepted; expected at least the {bootstrap} resamples that all "
            "topics have"
        )
    if bins > _MOST_BINS:
        raise SchemeError(f"bins={bins} is not accepted; expected {_MOST_BINS} at most")
    if jobs is not None and jobs < 1:
        raise SchemeError(f"jobs={jobs} is not accepted; expected 1 or more")
