"""The figure of each result that has one, for `plot` of the result."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from typing import TYPE_CHECKING, Any

from cdfscore.comparison.comparison import Comparison
from cdfscore.comparison.conclusion_grid import ConclusionGrid
from cdfscore.comparison.reference_uncertainty import ReferenceUncertainty
from cdfscore.comparison.sensitivity import Sensitivity
from cdfscore.diagnosis import Diagnosis
from cdfscore.models.mixed.result import MixedModel
from cdfscore.models.planning import Plan
from cdfscore.models.result import Anova
from cdfscore.plots.critical_difference import MOST
from cdfscore.plots.kinds import Kind, kind_of, panels, panels_of
from cdfscore.plots.marginal_means import factors_drawn
from cdfscore.plots.of_models import (
    EFFECT_SIZES,
    MARGINAL_MEANS,
    NORMAL_QUANTILES,
    PLAN,
    REFERENCE_UNCERTAINTY,
    RESIDUALS,
    VARIANCES,
)
from cdfscore.standardization.factors import Factors
from cdfscore.standardization.standardized import Standardized

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@singledispatch
def figure_of(result: object) -> Figure:
    """Draw a result."""
    raise NotImplementedError(f"there is no figure of {type(result).__name__}")


@figure_of.register(Comparison)
def _comparison(result: Comparison) -> Figure:
    """Draw a panel for each scheme: a diagram of few systems, and a heat map of more."""
    kind = kind_of("critical_difference" if len(result.systems) <= MOST else "pairs")
    return _of_every_scheme(kind, result, result.schemes)


@figure_of.register(Sensitivity)
def _sensitivity(result: Sensitivity) -> Figure:
    return panels(kind_of("schemes"), [(result, {})])


@figure_of.register(ConclusionGrid)
def _conclusion_grid(result: ConclusionGrid) -> Figure:
    return panels(kind_of("sensitivity"), [(result, {})])


@figure_of.register(Anova)
def _effect_sizes(result: Anova) -> Figure:
    return panels(EFFECT_SIZES, [(result, {})])


@figure_of.register(MixedModel)
def _variances(result: MixedModel) -> Figure:
    return _of_every_scheme(VARIANCES, result, result.schemes)


@figure_of.register(Plan)
def _plan(result: Plan) -> Figure:
    return panels(PLAN, [(result, {})])


@figure_of.register(ReferenceUncertainty)
def _reference_uncertainty(result: ReferenceUncertainty) -> Figure:
    return _of_every_scheme(REFERENCE_UNCERTAINTY, result, result.schemes)


@figure_of.register(Diagnosis)
def _pit(result: Diagnosis) -> Figure:
    return _of_every_scheme(kind_of("pit"), result, result.schemes)


@figure_of.register(Factors)
def _mapping(result: Factors) -> Figure:
    return panels(kind_of("mapping"), [(result, {})])


@figure_of.register(Standardized)
def _standardized(result: Standardized) -> Figure:
    return panels(kind_of("standardized"), [(result, {})])


def figure_of_means(result: Anova, term: str) -> Figure:
    """Draw the marginal means of a term, a panel for each scheme."""
    factors_drawn(term)
    return _of_every_scheme(MARGINAL_MEANS, result, result.schemes, term=term)


def figure_of_residuals(result: Anova) -> Figure:
    """Draw the residuals, a row of two panels for each scheme."""
    kinds = (RESIDUALS, NORMAL_QUANTILES)
    drawn = [(kind, result, {"scheme": scheme}) for scheme in result.schemes for kind in kinds]
    return panels_of(drawn, columns=len(kinds))


def _of_every_scheme(kind: Kind, result: Any, schemes: Sequence[str], **keywords: str) -> Figure:
    return panels(kind, [(result, {"scheme": scheme, **keywords}) for scheme in schemes])
