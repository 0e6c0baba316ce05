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
from cdfscore.plots.critical_difference import MOST
from cdfscore.plots.kinds import kind_of, panels
from cdfscore.plots.mapping import plot_factors, plot_standardized
from cdfscore.plots.marginal_means import plot_means as plot_means
from cdfscore.plots.pit_histogram import plot_pit_histograms
from cdfscore.plots.plan_curve import plot_plan
from cdfscore.plots.reference_uncertainty import plot_reference_uncertainty
from cdfscore.plots.residuals import plot_residuals as plot_residuals
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
figure_of.register(Diagnosis, plot_pit_histograms)
figure_of.register(Factors, plot_factors)
figure_of.register(MixedModel, plot_variances)
figure_of.register(Plan, plot_plan)
figure_of.register(ReferenceUncertainty, plot_reference_uncertainty)
figure_of.register(Standardized, plot_standardized)


@figure_of.register(Comparison)
def _comparison(result: Comparison) -> Figure:
    """Draw a panel for each scheme: a diagram of few systems, and a heat map of more."""
    kind = kind_of("critical_difference" if len(result.systems) <= MOST else "pairs")
    return panels(kind, [(result, {"scheme": scheme}) for scheme in result.schemes])


@figure_of.register(Sensitivity)
def _sensitivity(result: Sensitivity) -> Figure:
    return panels(kind_of("schemes"), [(result, {})])
