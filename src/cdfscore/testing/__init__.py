"""Tests of the contract of schemes, for authors of schemes.

>>> from cdfscore.schemes import Uniform
>>> from cdfscore.testing import check_distribution
>>> check_distribution(Uniform(A=0.3))
"""

from __future__ import annotations

from cdfscore.schemes.base import Scheme
from cdfscore.testing.checks import CHECKS
from cdfscore.testing.contract import ContractError, Subject
from cdfscore.testing.twin import check_twin

__all__ = ["ContractError", "check_distribution", "check_twin"]


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
    >>> from cdfscore.schemes import Normal
    >>> check_distribution(Normal())
    """
    if not isinstance(distribution, Scheme):
        raise ContractError(
            f"{distribution!r} is not a scheme; expected an instance of a class derived from "
            "cdfscore.schemes.Distribution or LinearScheme"
        )
    for each in range(seed, seed + 3):
        subject = Subject(distribution, within, each)
        for check in CHECKS:
            subject.run(check)
