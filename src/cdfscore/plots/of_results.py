"""The figure of each result that has one, for `plot` of the result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cdfscore.comparison.comparison import Comparison
from cdfscore.comparison.reference_uncertainty import ReferenceUncertainty
from cdfscore.comparison.sensitivity import ConclusionGrid, Sensitivity
from cdfscore.diagnosis import Diagnosis
from cdfscore.models.anova import Anova
from cdfscore.models.mixed import MixedModel
from cdfscore.models.planning import Plan
from cdfscore.plots import (
    effect_sizes,
    marginal_means,
    plan_curve,
    reference_uncertainty,
    residuals,
    variances,
)
from cdfscore.plots.critical_difference import MOST
from cdfscore.plots.kinds import Kind, kind_of, panels, panels_of
from cdfscore.plots.marginal_means import factors_drawn
from cdfscore.standardization.standardized import Factors, Standardized

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EFFECT_SIZES = Kind(
    "effect_sizes", Anova, effect_sizes.plot_effect_sizes, effect_sizes.size,
    "The effect size of each term of a linear model, with its interval.",
)  # fmt: skip
MARGINAL_MEANS = Kind(
    "marginal_means", Anova, marginal_means.plot_marginal_means, marginal_means.size,
    "The marginal means of a term of a linear model, with their intervals.",
)  # fmt: skip
RESIDUALS = Kind(
    "residuals", Anova, residuals.plot_residuals, residuals.size,
    "The residuals of a linear model against the fitted scores.",
)  # fmt: skip
NORMAL_QUANTILES = Kind(
    "normal_quantiles", Anova, residuals.plot_normal_quantiles, residuals.size,
    "Normal quantile plot of the residuals of a linear model.",
)  # fmt: skip
VARIANCES = Kind(
    "variances", MixedModel, variances.plot_variances, variances.size,
    "The standard deviation of each random term of a mixed model, with its interval.",
)  # fmt: skip
PLAN = Kind(
    "plan", Plan, plan_curve.plot_plan, plan_curve.size,
    "The power, width or reliability of a plan against the number of topics.",
)  # fmt: skip
REFERENCE_UNCERTAINTY = Kind(
    "reference_uncertainty", ReferenceUncertainty,
    reference_uncertainty.plot_reference_uncertainty, reference_uncertainty.size,
    "Means of systems, with intervals from topics alone and from topics and reference.",
)  # fmt: skip


#: The figure of each type of result, and whether it has a panel for each scheme.
FIGURES: dict[type, tuple[Kind | str, bool]] = {
    Sensitivity: ("schemes", False),
    ConclusionGrid: ("sensitivity", False),
    Anova: (EFFECT_SIZES, False),
    MixedModel: (VARIANCES, True),
    Plan: (PLAN, False),
    ReferenceUncertainty: (REFERENCE_UNCERTAINTY, True),
    Diagnosis: ("pit", True),
    Factors: ("mapping", False),
    Standardized: ("standardized", False),
    # Of few systems a diagram, and of more a heat map.
    Comparison: ("critical_difference", True),
}


def figure_of(result: Any) -> Figure:
    """Draw a result."""
    kind, by_scheme = FIGURES[type(result)]
    if isinstance(result, Comparison) and len(result.systems) > MOST:
        kind = "pairs"
    own = kind_of(kind) if isinstance(kind, str) else kind
    if by_scheme:
        return _of_every_scheme(own, result, result.schemes)
    return panels(own, [(result, {})])


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
