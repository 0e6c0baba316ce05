"""Sentences on what merging has done, left out, and made easy to misread."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cdfscore.io.text import counted, listed
from cdfscore.merging.normalization import Normalized
from cdfscore.merging.pool import Pool
from cdfscore.schemes.base import Scheme
from cdfscore.trec.run import Run


def of_raw(scheme: Scheme) -> list[str]:
    """Say that scores of different sources are compared as they are."""
    if not scheme.keeps_unit:
        return []
    return [
        "raw scores are merged as they are: the order is right only if all sources score documents "
        "on one scale"
    ]


def of_constant(found: Sequence[Normalized], scheme: Scheme, policy: str) -> list[str]:
    """Say how many lists have equal scores only, and what their documents get."""
    places = [(each.run, topic) for each in found for topic in each.constant]
    if not places or not scheme.needs_spread:
        return []
    run, topic = places[0]
    place = run.topics.index(topic)
    value = run.scores[run.starts[place]]
    lists = sum(len(each.run.topics) for each in found)
    return [
        f"{len(places)} of {counted(lists, 'list')} have equal scores only, as a list of one "
        f"document has (source {run.system!r}, topic {topic!r}): by the policy {policy} their "
        f"documents get {value:g}"
    ]


def of_most_tied(pool: Pool) -> list[str]:
    """Say that the order is arbitrary, if most documents have the score of another."""
    exact = _with_equal_scores(pool)
    if 2 * exact <= len(pool.scores):
        return []
    return [_tied(pool, exact) + ": most of the order is arbitrary"]


def of_some_tied(pool: Pool) -> list[str]:
    """Say how many documents have the score of another, if not most, or nearly that of another."""
    exact = _with_equal_scores(pool)
    said = [_tied(pool, exact)] if 0 < 2 * exact <= len(pool.scores) else []
    with np.errstate(over="ignore"):
        single = pool.scores.astype(np.float32)
    near = (single[1:] == single[:-1]) & (pool.topic[1:] == pool.topic[:-1]) & ~pool.tied[1:]
    if near.any():
        number = counted(int(near.sum()), "document")
        said.append(
            f"{number} with the score of the one before in single precision, and a lower one in "
            "double: trec_eval orders them by descending document id"
        )
    return said


def _with_equal_scores(pool: Pool) -> int:
    tied = pool.tied
    return int((tied | np.append(tied[1:], False)).sum())


def _tied(pool: Pool, exact: int) -> str:
    return (
        f"{exact:,} of {counted(len(pool.scores), 'document')} have the score of another of their "
        "topic, and are ordered by descending document id, as by trec_eval"
    )


def of_absent(runs: Sequence[Run]) -> list[str]:
    """Say which sources have no list for some topics."""
    topics = len({topic for run in runs for topic in run.topics})
    short = {run.system: topics - len(run.topics) for run in runs if len(run.topics) < topics}
    if not short:
        return []
    words = [f"{system} for {count}" for system, count in short.items()]
    return [f"of {counted(topics, 'topic')}, some sources have no list: {listed(words)}"]


def of_unfitted(found: Sequence[Normalized], scheme: Scheme) -> list[str]:
    """Say which lists were left out, as the scheme cannot be fitted to them."""
    left = [
        (each.run.system, topic, reason)
        for each in found
        for topic, reason in each.unfitted.items()
    ]
    if not left:
        return []
    system, topic, reason = left[0]
    return [
        f"{counted(len(left), 'list')} left out, as {scheme} cannot be fitted: source {system!r}, "
        f"topic {topic!r}: {reason}" + (", and others" if len(left) > 1 else "")
    ]


def of_duplicates(repeated: int, policy: str) -> list[str]:
    """Say how many documents several sources return."""
    if not repeated:
        return []
    what = "the highest of its scores" if policy == "best" else "the sum of its scores"
    return [f"{counted(repeated, 'document')} in the lists of several sources: each has {what}"]
