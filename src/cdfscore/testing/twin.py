"""Check of the R twin of a scheme, on the seeded scores of the contract."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.types import Array
from cdfscore.r.session import RSession
from cdfscore.schemes.base import Scheme
from cdfscore.testing.checks import tolerance_has_a_reason
from cdfscore.testing.contract import ContractError, Subject


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
    >>> from cdfscore.schemes import Uniform
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
