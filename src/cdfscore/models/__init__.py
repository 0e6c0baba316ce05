"""Linear models of scores: components of systems, and generalizability."""

from __future__ import annotations

from cdfscore.models.anova import anova
from cdfscore.models.generalizability import DStudy, GStudy, d_study, g_study
from cdfscore.models.result import Anova

__all__ = ["Anova", "DStudy", "GStudy", "anova", "d_study", "g_study"]
