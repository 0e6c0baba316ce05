"""Notes and cautions on topics and documents that are not as expected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore.io.text import counted, listed, part_of
from cdfscore.numerics.types import BoolArray, IntArray
from cdfscore.trec.evaluation import RunScores
from cdfscore.trec.qrels import Qrels

if TYPE_CHECKING:
    from cdfscore.trec.measures import Measure

# Without a least relevance, these count documents of any.
_OF_ANY_RELEVANCE = ("Judged", "NumRet")


def unjudged(found: Sequence[RunScores]) -> list[str]:
    """Return a sentence on the topics of the runs that the qrels lack, if there are any."""
    topics = sorted({topic for run in found for topic in run.unjudged})
    if not topics:
        return []
    having = sum(1 for run in found if run.unjudged)
    are = "is" if len(topics) == 1 else "are"
    return [
        f"{counted(len(topics), 'topic')} without judgments in the qrels {are} left out, as in "
        f"trec_eval: {listed(topics)} (in {part_of(having, len(found), 'run')})"
    ]


def without_judged(found: Sequence[RunScores], qrels: Qrels) -> list[str]:
    """Return a sentence on the runs that have no judged document, if there are any."""
    runs = [f"{run.system!r} (such as {run.unknown!r})" for run in found if run.unknown is not None]
    if not runs:
        return []
    return [
        f"no document of {part_of(len(runs), len(found), 'system')} is judged: {listed(runs)}; are "
        "the ids of the documents written as in the qrels, such as "
        f"{str(qrels.documents[0].as_py())!r}?"
    ]


def below_zero(qrels: Qrels) -> list[str]:
    """Return a sentence on the topics of the qrels without a judged document, if there are any."""
    judged = frozenset(qrels.judged)
    topics = [topic for topic in qrels.topics if topic not in judged]
    if not topics:
        return []
    are = "is" if len(topics) == 1 else "are"
    return [
        f"{counted(len(topics), 'topic')} {are} left out, because the relevance in the qrels "
        f"is below 0, which means not judged: {listed(topics)}"
    ]


def undefined(found: Sequence[RunScores], known: BoolArray, measures: Sequence[str]) -> list[str]:
    """Return a sentence on each measure that is not defined on topics that a run has."""
    sentences = []
    for i, name in enumerate(measures):
        counts = [int((np.isnan(run.values[i]) & ~run.lacks & known).sum()) for run in found]
        runs = [f"{run.system!r} ({n})" for run, n in zip(found, counts, strict=True) if n]
        if runs:
            sentences.append(
                f"{name} is not defined on some topics of {len(runs)} of {len(found)} systems, "
                f"where the scores are missing: {listed(runs)}"
            )
    return sentences


def without_relevant(qrels: Qrels, known: BoolArray, measures: Mapping[str, Measure]) -> list[str]:
    """Return a sentence on topics without relevant documents, for each meaning of relevant."""
    found = []
    for what, counts in sorted(dict(_relevant(qrels, measures)).items()):
        topics = list(compress(qrels.topics, known & (counts == 0)))
        if topics:
            have = "has" if len(topics) == 1 else "have"
            found.append(
                f"{counted(len(topics), 'topic')} {have} no document {what}, so that all systems "
                f"have the same score there: {listed(topics)}"
            )
    return found


def _relevant(qrels: Qrels, measures: Mapping[str, Measure]) -> Iterator[tuple[str, IntArray]]:
    """Yield what is relevant for each measure that depends on it, and the number in each topic."""
    for name, measure in measures.items():
        settings: dict[str, Any] = getattr(measure, "params", None) or vars(measure)
        kind = getattr(measure, "NAME", None)
        if "gains" in settings:
            yield f"with a gain above 0 by {name}", qrels.gaining(settings["gains"])
        # Accuracy is not defined on a topic without them.
        elif kind != "Accuracy" and ("rel" in settings or kind not in _OF_ANY_RELEVANCE):
            level = settings.get("rel", 1)
            yield f"of relevance {level} or more", qrels.relevant(level)
