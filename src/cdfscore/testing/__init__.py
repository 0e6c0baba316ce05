"""Tests of the contract of schemes, for authors of schemes.

>>> from cdfscore.stats.schemes import Uniform
>>> from cdfscore.testing import check_distribution
>>> check_distribution(Uniform(A=0.3))
"""

import numpy as np

from cdfscore.r.session import RSession
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes.base import Scheme
from cdfscore.testing.checks import CHECKS, ContractError, Subject, tolerance_has_a_reason
from cdfscore.testing.parts import check_bandwidth, check_kernel

__all__ = [
    "ContractError",
    "check_bandwidth",
    "check_distribution",
    "check_kernel",
    "check_twin",
]


def check_distribution(
    distribution: Scheme, *, within: tuple[float, float] = (0.0, 1.0), seed: int = 2019
) -> None:
    """Run the contract on a distribution, or on a linear scheme, with seeded scores.

    `within` is the open interval from which the reference scores are drawn. Change it for a
    distribution that cannot be fitted to scores between 0 and 1. The scores are rounded so
    that there are ties, to the `grid` of a distribution if it has one. There are three sets of
    scores, which depend only on the distribution, `within` and `seed`. Returns None if all
    checks pass.

    Raises `ContractError`, an `AssertionError`, at the first check that fails; its message
    names the scheme, the check, the input, the output and the expected output.

    Examples
    --------
    >>> from cdfscore.stats.schemes import Normal
    >>> check_distribution(Normal())
    """
    if not isinstance(distribution, Scheme):
        raise ContractError(
            f"{distribution!r} is not a scheme; expected an instance of a class derived from "
            "cdfscore.stats.schemes.Distribution or LinearScheme"
        )
    for each in range(seed, seed + 3):
        subject = Subject(distribution, within, each)
        for check in CHECKS:
            subject.run(check)


def check_twin(
    scheme: Scheme, *, within: tuple[float, float] = (0.0, 1.0), seed: int = 2019
) -> None:
    """Run the reference implementation in R on seeded scores, and compare y with Python's.

    The twin is the file with the name of the scheme, in the folder of its module. `within` and
    `seed` are those of `check_distribution`, and so are the reference scores, with ties; then
    the same with missing scores, and with a constant topic. The tolerance is the `tolerance` of
    the scheme, or 8 ulp if it states none.

    Raises `ContractError` at the first topic on which y differs by more than the tolerance or R
    stops; `VerificationError` if there is no R file, R cannot read it, or it does not define
    `standardize`; and `RNotAvailableError` if R or rpy2 is not installed.

    Examples
    --------
    >>> from cdfscore.stats.schemes import Uniform
    >>> check_twin(Uniform(A=0.3))
    """
    Subject(scheme, within, seed).run(tolerance_has_a_reason)
    session, tolerance = RSession(), scheme.tolerance
    for each in range(seed, seed + 3):
        subject = Subject(scheme, within, each)
        for what, scores in _cases(subject).items():
            x = np.column_stack([subject.x, scores])
            y = scheme.fit(scores)(x)
            try:
                by_r = session.standardize(scheme, x, scores)
            except session.error as error:
                reason = " ".join(str(error).split())
                raise ContractError(f"{subject.spelled}: {what}: R stops: {reason}") from error
            ulp = tolerance.distance(y, by_r)
            topic, place = np.unravel_index(ulp.argmax(), ulp.shape)
            if ulp.max() > tolerance.ulp:
                raise ContractError(
                    f"{subject.spelled}: {what}: at x = {float(x[topic, place])!r} y is "
                    f"{float(y[topic, place])!r} and in R {float(by_r[topic, place])!r}, "
                    f"{ulp.max():.3g} ulp apart; expected at most {tolerance.ulp:g} "
                    f"({tolerance.reason}), for the reference scores {scores[topic].tolist()}"
                )


def _cases(subject: Subject) -> dict[str, Array]:
    missing, constant = subject.scores.copy(), subject.scores.copy()
    missing[0, 0] = missing[2, 3] = np.nan
    constant[1] = constant[1, 0]
    return {
        "all scores": subject.scores,
        "with missing scores": missing,
        "with a constant topic": constant,
    }
