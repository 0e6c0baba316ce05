"""Effect sizes by name: those of this package, and those that other packages add."""

from __future__ import annotations

from cdfscore.catalogue import FunctionCatalogue
from cdfscore.errors import SignificanceError

effect_sizes = FunctionCatalogue("cdfscore.effect_size", "effect size", SignificanceError)

#: What people call the effect sizes that have another name than their file.
LABELS = {
    "hedges_g": "Hedges' g",
    "rank_biserial": "rank-biserial correlation",
    "rank_biserial_paired": "matched-pairs rank-biserial correlation",
}
