"""Choice of lambda, the strength of resource selection, by cross-validation."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pandas as pd
from narwhals.typing import IntoFrame

from cdfscore.errors import CdfscoreWarning, RunError, SchemeError
from cdfscore.io.scores.given import as_scores
from cdfscore.io.text import counted
from cdfscore.merging.merging import merge
from cdfscore.merging.normalization import (
    ConstantListPolicy,
    UnfittedListPolicy,
    check_lambda,
    selection_weights,
)
from cdfscore.merging.pool import DuplicatePolicy, sources_of
from cdfscore.schemes.base import Scheme
from cdfscore.trec.measures import AnyMeasure, parse_measure
from cdfscore.trec.measuring import Measured
from cdfscore.trec.measuring import measure as measured_by
from cdfscore.trec.runs import AnyQrels, AnyRuns, qrels_given

#: Values of lambda to choose from: no selection, CORI's 0.4, ..., selection scores alone.
LAMBDAS = (0.0, 0.1, 0.2, 0.4, 0.7, 1.0, 2.0, 5.0, 10.0, 100.0, math.inf)


@dataclass(frozen=True, eq=False, repr=False)
class ChosenLambda:
    """Result of `cross_validated_lambda`: the chosen values of lambda, and the weights.

    Attributes
    ----------
    scores
        The measure of the merged lists, topics x values of lambda.
    by_topic
        The value for each topic: the one with the highest mean over the other judged topics.
    weights
        The weights of sources by these values, topics x sources, for `merge`.
    """

    scores: pd.DataFrame
    by_topic: pd.Series[float]
    weights: pd.DataFrame

    @property
    def note(self) -> str:
        """The chosen values in one sentence, with the number of topics of each."""
        counts = self.by_topic.value_counts().sort_index()
        values = ", ".join(f"{v:g} ({counted(n, 'topic')})" for v, n in counts.items())
        unjudged = len(self.by_topic.index.difference(self.scores.index))
        without = f"; {counted(unjudged, 'topic')} without judgments, by all judged topics"
        of_others = without if unjudged else ""
        return (
            f"lambda is chosen for each topic by the mean over all other judged topics{of_others}: "
            f"{values}"
        )

    def __repr__(self) -> str:
        return f"<ChosenLambda: {self.note}>"


def cross_validated_lambda(
    runs: AnyRuns,
    selection: IntoFrame,
    qrels: AnyQrels,
    measure: AnyMeasure = "AP",
    *,
    lambdas: Sequence[float] = LAMBDAS,
    normalize: Scheme | str = "minmax",
    depth: int | None = None,
    duplicates: DuplicatePolicy = "refuse",
    constant: ConstantListPolicy = "limit",
    unfitted: UnfittedListPolicy = "raise",
) -> ChosenLambda:
    """Choose lambda of `selection_weights` for each topic by leave-one-out over topics.

    For each topic, the chosen value gives the merged lists with the highest mean of the measure
    over all other judged topics; of equal values the smallest is chosen. For a topic without
    judgments, the mean is over all judged topics. The choice for a topic does not depend on its own
    judgments, so the merged lists can be tested against others.

    Parameters
    ----------
    runs, normalize, depth, duplicates, constant, unfitted
        As of `merge`.
    selection
        Scores of resource selection, topics x sources, as of `selection_weights`.
    qrels, measure
        As of `cdfscore.trec.measure`; one measure.
    lambdas
        Values to choose from, each at least 0 or infinite.

    Returns
    -------
    ChosenLambda
        The values, the measure by lambda, and the weights for `merge`.

    Raises
    ------
    SchemeError
        For fewer than two values of lambda, and as `merge`.
    RunError
        For fewer than two judged topics, and as `merge` and `cdfscore.trec.measure`.

    Examples
    --------
    >>> import pandas as pd
    >>> from cdfscore.merging import cross_validated_lambda
    >>> lists = {
    ...     "a": {"1": {"a1": 3.0, "a2": 1.0}, "2": {"a3": 3.0, "a4": 1.0}},
    ...     "b": {"1": {"b1": 3.0, "b2": 1.0}, "2": {"b3": 3.0, "b4": 1.0}},
    ... }
    >>> selection = pd.DataFrame({"a": [0.5, 0.4], "b": [0.4, 0.5]}, index=["1", "2"])
    >>> judged = {"1": {"a1": 1}, "2": {"b3": 1}}
    >>> cross_validated_lambda(lists, selection, judged, lambdas=[0, 1]).by_topic.tolist()
    [0.0, 1.0]
    """
    values = sorted({check_lambda(each) for each in lambdas})
    if len(values) < 2:
        raise SchemeError(
            f"there {'are no values' if not values else 'is one value'} of lambda to choose from; "
            "expected two or more"
        )
    parsed, judged = parse_measure(measure), qrels_given(qrels)
    frame = as_scores(selection)
    lists = list(sources_of(runs, depth).runs)
    columns: dict[float, pd.Series[float]] = {}
    with warnings.catch_warnings():  # these warnings are repeated when the lists are merged
        warnings.simplefilter("ignore", CdfscoreWarning)
        for value in values:
            merged = merge(
                lists,
                normalize,
                weights=selection_weights(frame, value),
                duplicates=duplicates,
                constant=constant,
                unfitted=unfitted,
            )
            found: Measured = measured_by(merged.run, judged, parsed, missing_topics="omit")
            (matrix,) = found.matrices.values()
            columns[value] = matrix.iloc[:, 0]
    scores = pd.DataFrame(columns).dropna()
    if len(scores) < 2:
        raise RunError(
            f"{len(scores)} of the topics are judged; expected at least two, because the value for "
            "each topic is chosen on the other topics"
        )
    table = scores.to_numpy()
    # Fractions, as equal sums must be equal; the smallest value of equal ones is first.
    exact = [[Fraction(score) for score in row] for row in table.tolist()]
    sums = [sum(column) for column in zip(*exact, strict=True)]
    others = [[total - own for total, own in zip(sums, row, strict=True)] for row in exact]
    best = [each.index(max(each)) for each in others]
    everywhere = values[sums.index(max(sums))]
    by_topic = pd.Series(everywhere, index=frame.index, dtype=float, name="lambda")
    of_judged = pd.Series(np.array(values)[best], index=scores.index)
    by_topic[scores.index] = of_judged
    weights = pd.concat(
        [selection_weights(rows, float(value)) for value, rows in frame.groupby(by_topic)]
    )
    return ChosenLambda(scores, by_topic, weights.loc[frame.index])
