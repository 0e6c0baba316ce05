"""Effect sizes by name: those of this package, and those that other packages add."""

from __future__ import annotations

from cdfscore.catalogue import FunctionCatalogue
from cdfscore.errors import SignificanceError

effect_sizes = FunctionCatalogue("cdfscore.effect_size", "effect size", SignificanceError)
