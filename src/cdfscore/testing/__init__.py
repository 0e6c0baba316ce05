"""The contract of a scheme as a test, for those who write a scheme of their own.

>>> from cdfscore.distributions import Uniform
>>> from cdfscore.testing import check_distribution
>>> check_distribution(Uniform(A=0.3))
"""

from __future__ import annotations

from cdfscore.schemes.base import Scheme
from cdfscore.testing import (
    arrays,
    constant_topics,
    curve,
    declaration,
    fits,
    input,
    refusals,
    support,
)
from cdfscore.testing.contract import Check, ContractError, Subject
from cdfscore.testing.twin import check_twin

__all__ = ["ContractError", "check_distribution", "check_twin"]

_CHECKS: tuple[Check, ...] = (
    *declaration.CHECKS,
    *arrays.CHECKS,
    *input.CHECKS,
    *curve.CHECKS,
    *support.CHECKS,
    *constant_topics.CHECKS,
    *fits.CHECKS,
    *refusals.CHECKS,
)


def check_distribution(
    distribution: Scheme, *, within: tuple[float, float] = (0.0, 1.0), seed: int = 2019
) -> None:
    """Run the contract on a distribution, or on a linear scheme, with seeded scores.

    `within` is the open interval that the reference scores are drawn from; change it for a
    distribution that cannot be fitted to scores between 0 and 1. The scores are rounded so
    that there are ties, to the `grid` of a distribution that has one; they are three sets,
    which depend on the distribution's needs, `within` and `seed` alone.

    Raises `ContractError`, an `AssertionError`, at the first check that fails; its message
    names the scheme, the check, the input, what came out and what was expected. Returns
    None when every check holds.
    """
    if not isinstance(distribution, Scheme):
        raise ContractError(
            f"{distribution!r} is no scheme; expected an instance of a class derived from "
            "cdfscore.schemes.Distribution or LinearScheme"
        )
    for each in range(seed, seed + 3):
        subject = Subject(distribution, within, each)
        for check in _CHECKS:
            subject.run(check)
