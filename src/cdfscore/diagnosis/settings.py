"""Settings of a diagnosis, and their checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cdfscore.errors import SchemeError
from cdfscore.numerics.numbers import between_0_and_1, whole_number_from
from cdfscore.schemes.base import Scheme
from cdfscore.schemes.registry import parse_scheme
from cdfscore.spelling import argument

_MOST_BINS = 100

#: Schemes that are diagnosed if none is named: N-std, U-std and E-std, the schemes of the
#: literature, and kernel, a smooth form of E-std. All can be fitted to scores of any range. The
#: user must name families on [0, 1], such as beta, because the range of the measure is not known,
#: and minmax, because its ends are the extreme scores, so that its AIC is too good.
USUAL = ("normal", "uniform", "empirical", "kernel")


def distributions(schemes: Sequence[str | Scheme]) -> list[Scheme]:
    """Return the schemes, read from their spellings; raises `SchemeError`, see `diagnose`."""
    if isinstance(schemes, str | Scheme):
        raise SchemeError(
            f"{argument('schemes', str(schemes))} is one; expected a list of distributions"
        )
    chosen = [parse_scheme(each) if isinstance(each, str) else each for each in schemes]
    if not chosen:
        raise SchemeError("there is no scheme to diagnose; expected one distribution or more")
    names = [str(scheme) for scheme in chosen]
    for scheme, name in zip(chosen, names, strict=True):
        if not isinstance(scheme, Scheme):
            raise SchemeError(f"{scheme!r} is not a scheme; expected one such as Normal()")
        if not scheme.is_cdf:
            raise SchemeError(
                f"{name} is not a distribution; expected one, such as normal or empirical"
            )
        if names.count(name) > 1:
            raise SchemeError(f"the scheme {name} is given twice")
    return chosen


class Settings(NamedTuple):
    """Checked settings of a diagnosis, as Python's numbers.

    Attributes
    ----------
    alpha
        Level of the tests, between 0 and 1.
    bootstrap, most
        Number of resamples of a topic, and the largest number, at least as many; None for no
        limit.
    seed
        Seed of the resamples, 0 or more.
    bins
        Bins of the histogram, 2 to 100.
    jobs
        Threads, 1 or more; None for the calling one.
    """

    alpha: float
    bootstrap: int
    most: int | None
    seed: int
    bins: int
    jobs: int | None

    @classmethod
    def of(
        cls,
        *,
        alpha: object,
        bootstrap: object,
        most: object,
        seed: object,
        bins: object = 10,
        jobs: object = None,
    ) -> Settings:
        """Return the settings; raises `SchemeError` for a wrong type or a number out of range."""
        found = cls(
            between_0_and_1("alpha", alpha, SchemeError),
            _whole("bootstrap", bootstrap, 0),
            None if most is None else _whole("most", most, 0),
            _whole("seed", seed, 0),
            whole_number_from("bins", bins, 2, _MOST_BINS, SchemeError),
            None if jobs is None else _whole("jobs", jobs, 1),
        )
        if found.most is not None and found.most < found.bootstrap:
            raise SchemeError(
                f"{argument('most', found.most)} is not accepted; expected at least the "
                f"{found.bootstrap} resamples that all topics have"
            )
        return found


def _whole(name: str, value: object, least: int) -> int:
    return whole_number_from(name, value, least, None, SchemeError)
