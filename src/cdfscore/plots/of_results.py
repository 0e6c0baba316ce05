"""The figure of each result that has one, for `plot` of the result."""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING

from cdfscore.comparison.comparison import Comparison
from cdfscore.comparison.reference_uncertainty import ReferenceUncertainty
from cdfscore.comparison.sensitivity import Sensitivity
from cdfscore.diagnosis import Diagnosis
from cdfscore.models.mixed.result import MixedModel
from cdfscore.models.planning import Plan
from cdfscore.models.result import Anova
from cdfscore.plots.component_effects import plot_effect_sizes
from cdfscore.plots.critical_difference import draw_diagrams
from cdfscore.plots.kinds import kind_of, panels
from cdfscore.plots.marginal_means import plot_means as plot_means
from cdfscore.plots.plan_curve import plot_plan
from cdfscore.plots.reference_uncertainty import plot_reference_uncertainty
from cdfscore.plots.residuals import plot_residuals as plot_residuals
from cdfscore.plots.sensitivity_grid import plot_sensitivity
from cdfscore.plots.variances import plot_variances
from cdfscore.standardization.factors import Factors
from cdfscore.standardization.standardized import Standardized

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@singledispatch
def figure_of(result: object) -> Figure:
    """Draw a result."""
    raise NotImplementedError(f"there is no figure of {type(result).__name__}")


figure_of.register(Anova, plot_effect_sizes)
figure_of.register(Comparison, draw_diagrams)
figure_of.register(MixedModel, plot_variances)
figure_of.register(Plan, plot_plan)
figure_of.register(ReferenceUncertainty, plot_reference_uncertainty)
figure_of.register(Sensitivity, plot_sensitivity)


@figure_of.register(Diagnosis)
def _pit(result: Diagnosis) -> Figure:
    return panels(kind_of("pit"), [(result, {"scheme": scheme}) for scheme in result.schemes])


@figure_of.register(Factors)
def _mapping(result: Factors) -> Figure:
    return panels(kind_of("mapping"), [(result, {})])


@figure_of.register(Standardized)
def _standardized(result: Standardized) -> Figure:
    return panels(kind_of("standardized"), [(result, {})])
