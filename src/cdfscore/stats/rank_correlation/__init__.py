"""Rank correlation of systems: Kendall's tau, AP correlation and dRMSE.

x and y have shape (..., n), with one value per system; the result has shape (...).
"""

from cdfscore.stats.rank_correlation.coefficients import (
    drmse,
    drmse_geometric,
    rmse,
    swap_rate,
    tau,
    tau_ap,
    tau_ap_a,
    tau_ap_b,
    tau_b,
)

__all__ = [
    "drmse",
    "drmse_geometric",
    "rmse",
    "swap_rate",
    "tau",
    "tau_ap",
    "tau_ap_a",
    "tau_ap_b",
    "tau_b",
]
