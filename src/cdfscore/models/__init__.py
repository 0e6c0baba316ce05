"""Linear models of scores: components of systems, fixed and random topics, how many topics."""

from cdfscore.models.anova import Anova, anova
from cdfscore.models.generalizability import DStudy, GStudy, d_study, g_study
from cdfscore.models.goals import Plan, plan
from cdfscore.models.mixed import MixedModel, mixed_model
from cdfscore.models.replicates import Replicates, as_replicates, read_replicates

__all__ = [
    "Anova",
    "DStudy",
    "GStudy",
    "MixedModel",
    "Plan",
    "Replicates",
    "anova",
    "as_replicates",
    "d_study",
    "g_study",
    "mixed_model",
    "plan",
    "read_replicates",
]
