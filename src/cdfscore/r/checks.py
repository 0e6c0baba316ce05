"""Checks of what is verified: the tolerance of a scheme, and the reference of factors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdfscore.errors import CdfscoreError, SchemeError
from cdfscore.numerics.tolerance import Tolerance
from cdfscore.schemes.base import Scheme
from cdfscore.spelling import argument, option
from cdfscore.standardization.factors import Factors
from cdfscore.standardization.matrix import ScoreMatrix

if TYPE_CHECKING:
    import pandas as pd


def check_tolerance(scheme: Scheme) -> None:
    """Raise `SchemeError` if the tolerance that a scheme states is none, or has a fault."""
    stated: object = scheme.tolerance
    if not isinstance(stated, Tolerance):
        raise SchemeError(
            f"{scheme.name}: tolerance is {stated!r}; expected one such as Tolerance(16, 'two "
            "solvers'), of cdfscore.numerics.tolerance"
        )
    if stated.fault:
        raise SchemeError(f"{scheme.name}: the tolerance: {stated.fault}")


def check_reference(factors: Factors, reference: pd.DataFrame) -> None:
    """Raise an error unless the factors say that they were fitted as R would fit them."""
    matrix = ScoreMatrix.of(reference)
    theirs = factors.were_fitted_to(matrix)
    if theirs is None:
        raise CdfscoreError(
            f"{factors!r} do not say which scores they were fitted to, and R fits them again; "
            "expected factors that cdfscore fitted"
        )
    if not theirs:
        raise CdfscoreError(
            f"R fits the scheme again, and needs the scores that {factors!r} were fitted to; give "
            f"these scores by {option('reference')}"
        )
    if factors.missing != factors.fitted_missing and matrix.missing():
        raise CdfscoreError(
            f"{factors!r} were fitted under {argument('missing', factors.fitted_missing)}, and R "
            f"would fit again under {argument('missing', factors.missing)}; expected the policy of "
            "the fit, since the reference has missing scores"
        )
