"""Factors: the fitted parameters of every topic, to save, publish and apply to new systems."""

from __future__ import annotations

from cdfscore.standardization.factors import Factors
from cdfscore.standardization.formats.published import (
    read_trec_eval_factors,
    read_webber_moffat,
    write_trec_eval_factors,
    write_webber_moffat,
)
from cdfscore.standardization.formats.saved import load_factors, save_factors

__all__ = [
    "Factors",
    "load_factors",
    "read_trec_eval_factors",
    "read_webber_moffat",
    "save_factors",
    "write_trec_eval_factors",
    "write_webber_moffat",
]
