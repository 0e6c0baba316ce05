"""The kinds of figures of linear models, plans and uncertainties, drawn by their commands."""

from __future__ import annotations

from cdfscore.comparison.reference_uncertainty import ReferenceUncertainty
from cdfscore.models.mixed.result import MixedModel
from cdfscore.models.planning import Plan
from cdfscore.models.result import Anova
from cdfscore.plots import (
    effect_sizes,
    marginal_means,
    plan_curve,
    reference_uncertainty,
    residuals,
    variances,
)
from cdfscore.plots.kinds import Kind

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
