"""Policies for judged topics that a run lacks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from cdfscore.errors import CdfscoreError, RunError, did_you_mean
from cdfscore.io.text import counted, listed, part_of
from cdfscore.numerics.types import Array, BoolArray, IntArray
from cdfscore.spelling import alternatives, argument, option
from cdfscore.trec.evaluation import RunScores

MissingTopics = Literal["refuse", "omit", "zero"]
POLICIES = get_args(MissingTopics)


def check_policy(policy: str) -> None:
    """Raise `CdfscoreError` unless `policy` is one of `POLICIES`."""
    if policy not in POLICIES:
        raise CdfscoreError(
            f"{option('missing_topics')} is {policy!r}{did_you_mean(str(policy), POLICIES)}; "
            f"expected {alternatives(list(POLICIES))}"
        )


def after_policy(
    policy: MissingTopics,
    runs: Sequence[RunScores],
    values: Array,
    topics: Sequence[str],
    lacks: BoolArray,
) -> tuple[Array, BoolArray, list[str]]:
    """Return the scores after the policy, the topics that stay, and what was done.

    Parameters
    ----------
    policy
        ``refuse`` raises `RunError`; ``omit`` leaves scores missing, as trec_eval does, and
        leaves out topics that all runs lack; ``zero`` makes them 0, as ``trec_eval -c`` does.
    runs
        The runs, for messages.
    values
        Scores, (measures, topics, systems), NaN where a run lacks the topic.
    topics
        Labels of the topics.
    lacks
        True where a run lacks the topic, (topics, systems).

    Raises
    ------
    RunError
        For a run without a judged topic under any policy, and for one that lacks a topic under
        ``refuse``.
    """
    for run, absent in zip(runs, lacks.T, strict=True):
        if absent.all():
            raise RunError(
                f"{run.source} has none of the {counted(len(topics), 'judged topic')}, such as "
                f"{topics[0]!r}{_found(run)}; expected topics with the labels of the qrels"
            )
        if policy == "refuse" and absent.any():
            raise RunError(
                f"{run.source} lacks {_counted(absent)}, such as "
                f"{topics[int(absent.argmax())]!r}; say {argument('missing_topics', 'zero')} for "
                f"scores of 0 there, or {argument('missing_topics', 'omit')} for missing scores"
            )
    stays = np.ones(len(topics), np.bool_)
    if not lacks.any():
        return values, stays, []
    which = [
        f"{run.system!r} ({int(absent.sum())})"
        for run, absent in zip(runs, lacks.T, strict=True)
        if absent.any()
    ]
    lack = "lacks" if len(which) == 1 else "lack"
    count = part_of(len(which), len(runs), "system")
    whose = f"judged topics that {count} {lack}: {listed(which)}"
    if policy == "zero":
        return np.where(lacks, 0.0, values), stays, [f"scores are 0 on {whose}"]
    stays = np.logical_not(lacks.all(axis=1))
    notes = []
    if not stays.all():
        are, them = ("is", "it") if np.count_nonzero(~stays) == 1 else ("are", "them")
        notes.append(f"{_counted(~stays)} {are} left out, because no run has {them}")
    if lacks[stays].any():
        notes.append(f"scores are missing on {whose}")
    return values[:, stays], stays, notes


def _counted(flags: BoolArray | IntArray) -> str:
    return part_of(int(np.count_nonzero(flags)), len(flags), "judged topic")


def _found(run: RunScores) -> str:
    return f", but has others, such as {run.unjudged[0]!r}" if run.unjudged else ""
