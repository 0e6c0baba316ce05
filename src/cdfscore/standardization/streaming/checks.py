"""Checks of the labels of all topics, and of the scores of the first of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from cdfscore.io.scores.cautions import of_reading
from cdfscore.io.scores.how import How, Labels
from cdfscore.io.scores.memory import remember
from cdfscore.io.scores.parquet.labels import SeenLabels
from cdfscore.io.text import counted
from cdfscore.standardization.matrix import ScoreMatrix
from cdfscore.standardization.policies import direction
from cdfscore.standardization.standardizer import Standardizer

if TYPE_CHECKING:
    import pandas as pd


class File(Protocol):
    """A file of scores of which the labels can be read again."""

    @property
    def source(self) -> str:
        """The name of the file in messages."""

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems."""

    def labels(self) -> Iterable[Sequence[str]]:
        """Yield the labels of the topics, some at a time."""

    def seen(self, wanted: Iterable[str]) -> SeenLabels:
        """Return what is known of the labels."""


def check_labels_of(file: File, reading: How, how: Standardizer) -> tuple[SeenLabels, bool]:
    """Check the labels of topics, and that those that the user gives are among them.

    Returns what is known of the labels, and if lower is better on all topics. Raises `ScoresError`.
    """
    lower = () if how.lower_is_better is True else how.lower_is_better
    seen = file.seen({*lower, *reading.kept.topics})
    unknown = {*lower, *reading.kept.topics} - seen.found
    if unknown or reading.kept.systems:
        topics = [label for labels in file.labels() for label in labels] if unknown else []
        if reading.kept:
            reading.refuse_unknown(file.source, topics or seen.found, file.systems)
        if unknown:
            direction.check_labels(how.lower_is_better, topics, file.systems)
    return seen, how.lower_is_better is True or len(set(lower)) == seen.number


def with_memory(frame: pd.DataFrame, known: Mapping[str, Any]) -> None:
    """Make a frame remember what that of the file did."""
    remember(frame, **known)


def search_first(
    source: str,
    given: ScoreMatrix,
    kept: Labels,
    seen: SeenLabels,
    how: Standardizer,
    *,
    whole: bool,
) -> list[str]:
    """Raise `ScoresError` for summaries, as far as the first block tells; return the cautions."""
    labels = (given.topics, given.systems)
    part = None if whole else (seen.telling, seen.number)
    found = of_reading(source, labels, given.values, kept, part=part)
    remember(given.frame, keep_topics=sorted(kept.topics), keep_systems=sorted(kept.systems))
    lower = direction.reversed_topics(how.lower_is_better, given.topics)
    doubts = replace(given, found=found).doubts(lower, reference=True, raw=how.scheme.keeps_unit)
    first = "" if whole else f"on the first {counted(len(given.topics), 'topic')}, "
    return [
        f"{'' if each in found else first}{each.sentence}" for each in doubts if not each.is_note
    ]
