"""The rules on real score matrices: how many topics each refuses, and how wide it smooths."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from cdfscore.errors import FitError
from cdfscore.numerics.moments import mean_and_sd
from cdfscore.numerics.types import Array
from cdfscore.schemes.kernel.bandwidths import RULES
from validation.parity.matrices import read_matrices

DATA = Path(os.environ.get("CDFSCORE_DATA", Path(__file__).parents[3] / "shared" / "data"))
SHOWN = (
    "robust2004/robust2004_ap.csv",
    "robust2004/robust2004_p10.csv",
    "urbano2019/data/terabyte2006_ap.csv",
    "web/web2012_ap.csv",
    "web/web2012_ndcg20.csv",
    "web/web2012_p20.csv",
    "web/web2012_rr.csv",
)
TITLE = """
## Real matrices

Topics that each rule refuses, and the median of h / sd over the others.

"""


def section() -> str:
    header = f"| matrix | topics | {' | '.join(RULES)} |\n|{'---|' * (len(RULES) + 2)}\n"
    matrices = {matrix.name: matrix.scores for matrix in read_matrices(DATA)}
    lines = [f"| {Path(name).stem} | {_cells(matrices[name])} |\n" for name in SHOWN]
    return TITLE + header + "".join(lines)


def _cells(scores: Array) -> str:
    found, sd = [], mean_and_sd(scores)[1][:, 0]
    for rule in RULES:
        h = bandwidths(rule, scores)
        refused = np.isnan(h)
        varied = ~refused & (sd > 0)
        ratio = f"{np.median(h[varied] / sd[varied]):.2f}" if varied.any() else "-"
        found.append(f"{refused.sum()}, {ratio}")
    return f"{len(scores)} | {' | '.join(found)}"


def bandwidths(rule: str, scores: Array) -> Array:
    """Return h of each topic, NaN where the rule refuses it."""
    h, left = np.full(len(scores), np.nan), np.arange(len(scores))
    while len(left):
        try:
            h[left] = RULES[rule](scores[left], np.sort(scores[left]))[:, 0]
            break
        except FitError as refusal:
            left = np.delete(left, list(refusal.rows))
    return h
