"""Methods of merging, by the names of their functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cdfscore.merging.merged import Merged
from cdfscore.merging.merging import merge
from cdfscore.merging.rank_based import round_robin, rrf
from cdfscore.merging.safe import safe

METHODS: Mapping[str, Callable[..., Merged]] = {
    function.__name__: function for function in (merge, safe, round_robin, rrf)
}
