"""Factors: the fitted parameters of every topic, to save, publish and apply to new systems."""

from __future__ import annotations

from cdfscore.factors.factors import Factors
from cdfscore.factors.loading import load_factors
from cdfscore.factors.saving import save_factors
from cdfscore.factors.trec_eval import read_trec_eval_factors, write_trec_eval_factors
from cdfscore.factors.webber_moffat import read_webber_moffat, write_webber_moffat

__all__ = [
    "Factors",
    "load_factors",
    "read_trec_eval_factors",
    "read_webber_moffat",
    "save_factors",
    "write_trec_eval_factors",
    "write_webber_moffat",
]
