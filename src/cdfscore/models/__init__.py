"""Linear models of scores: components of systems, generalizability, and how many topics."""

from __future__ import annotations

from cdfscore.models.anova import anova
from cdfscore.models.generalizability import DStudy, GStudy, d_study, g_study
from cdfscore.models.planning import Plan, plan
from cdfscore.models.result import Anova

__all__ = ["Anova", "DStudy", "GStudy", "Plan", "anova", "d_study", "g_study", "plan"]
