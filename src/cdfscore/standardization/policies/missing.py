"""Policies for missing scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from cdfscore.errors import MissingScoreError, SchemeError
from cdfscore.io.scores.frame_labels import topic_labels
from cdfscore.numerics.blocks import all_finite
from cdfscore.spelling import argument, check_one_of

if TYPE_CHECKING:
    import pandas as pd

MissingPolicy = Literal["raise", "omit", "zero", "drop_topic"]
POLICIES: tuple[str, ...] = get_args(MissingPolicy)
#: What became of missing scores in tests of pairs, for a methods paragraph.
TOLD = {
    "raise": "No score was missing.",
    "omit": "Where a score was missing, a pair was tested on the {topics} of both {systems}.",
    "zero": "Where a score was missing, it counted as 0.",
    "drop_topic": "Where a score was missing, the {topic} was left out.",
}


def check_policy(policy: str) -> None:
    """Raise `SchemeError` for an unknown policy.

    raise       an error that names the first missing score
    omit        omit the score: the topic is fitted to the others, and its y is missing too
    zero        use 0 as the score, as ``trec_eval -c`` does
    drop_topic  omit the topic for all systems

    Raises `SchemeError`.

    Examples
    --------
    >>> check_policy("omit")
    >>> try:
    ...     check_policy("none")
    ... except SchemeError as error:
    ...     print(error)
    missing='none' is not accepted; expected one of raise, omit, zero, drop_topic
    """
    check_one_of("missing", policy, POLICIES, SchemeError)


def resolve(policy: str, scores: pd.DataFrame, source: str) -> pd.DataFrame:
    """Return `scores` after `policy`; raises `MissingScoreError` under "raise"."""
    if policy == "omit" or all_finite(scores.to_numpy()):
        return scores
    missing = np.isnan(scores.to_numpy())
    if not missing.any():
        return scores
    if policy == "zero":
        return scores.fillna(0.0)
    if policy == "drop_topic":
        kept: pd.DataFrame = scores[~missing.any(axis=1)]
        if kept.empty:
            raise MissingScoreError(
                f"{source}: every topic has a missing score, so that "
                f"{argument('missing', 'drop_topic')} leaves none"
            )
        return kept
    row, column = np.argwhere(missing)[0]
    raise refused(
        source, topic_labels(scores)[row], str(scores.columns[column]), int(missing.sum())
    )


def refused(source: str, topic: str, system: str, number: int) -> MissingScoreError:
    """Return the error under "raise": the first missing score, and how many there are."""
    return MissingScoreError(
        f"{source}, topic {topic!r}, system {system!r}: the score is missing ({number} missing in "
        f"all); choose a policy by {argument('missing', 'omit', 'zero', 'drop_topic')}",
        cell=(topic, system),
    )
