"""Linear models of scores: components of systems, fixed and random topics, how many topics."""

from __future__ import annotations

from cdfscore.models.anova import anova
from cdfscore.models.generalizability import DStudy, GStudy, d_study, g_study
from cdfscore.models.mixed.mixed_model import mixed_model
from cdfscore.models.mixed.replicates import Replicates, as_replicates, read_replicates
from cdfscore.models.mixed.result import MixedModel
from cdfscore.models.planning import Plan, plan
from cdfscore.models.result import Anova

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
