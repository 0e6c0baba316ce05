"""Results merging: one ranked list from the lists of several sources.

The document scores of each list are normalized, y = F(s), with F fitted to the list only. They can
be weighted by how well the source fits the topic; see Markov, Linear Score Normalization Revisited.
"""

from collections.abc import Callable, Mapping

from cdfscore.retrieval.merging.merging import (
    ChosenLambda,
    cross_validated_lambda,
    merge,
    round_robin,
    rrf,
    selection_weights,
)
from cdfscore.retrieval.merging.pool import Merged
from cdfscore.retrieval.merging.sources import SafeMerged, Samples, TermStatistics, cori, safe

#: The methods by their names.
METHODS: Mapping[str, Callable[..., Merged]] = {
    function.__name__: function for function in (merge, safe, round_robin, rrf)
}

__all__ = [
    "ChosenLambda",
    "Merged",
    "SafeMerged",
    "Samples",
    "TermStatistics",
    "cori",
    "cross_validated_lambda",
    "merge",
    "round_robin",
    "rrf",
    "safe",
    "selection_weights",
]
