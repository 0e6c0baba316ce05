"""Scores of one file before the search for summaries, and labels that are left out of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from cdfscore.common.text import listed
from cdfscore.scores.cautions import without_averages
from cdfscore.scores.dataframes import remember
from cdfscore.scores.how import How
from cdfscore.scores.labels import heads, labels_of


@dataclass(frozen=True, eq=False)
class Part:
    """The scores of a file, topics x systems; `topics` and `systems` are all labels, also those
    left out.
    """

    source: str
    frame: pd.DataFrame
    topics: Sequence[str]
    systems: Sequence[str]
    notes: tuple[str, ...] = ()
    measure: str | None = None
    #: What the file has, if it names measures.
    measures: tuple[str, ...] = ()
    #: Settings of `How` on the form that the file has a use for.
    uses: frozenset[str] = frozenset({"topic_column", "systems_as_rows", "system_column"})
    #: True if the numbers are those of a wide file, all of them, in its own orientation or turned.
    whole: bool = True
    #: True if the only system has the name that the reader was given.
    named_as_file: bool = False
    #: The labels of `frame`, if they are known: to make texts of them takes a while.
    labels: tuple[list[str], list[str]] | None = None

    def read_by(self, header: str, how: How) -> Part:
        """Return the part, without a use for `systems_as_rows` if `header` says the opposite."""
        if how.rows_under(header) is not None or heads("system", header) == how.systems_as_rows:
            return self
        return replace(self, uses=self.uses - {"systems_as_rows"})

    def renamed(self, system: str) -> Part:
        """Return the scores of one system by another name."""
        frame = self.frame.set_axis(pd.Index([system], dtype=str), axis=1)
        return replace(self, frame=frame, systems=[system], labels=None, named_as_file=False)


def selected(
    source: str,
    frame: pd.DataFrame,
    how: How,
    *,
    of_systems: bool,
    header: str | None = None,
    words: Sequence[str] = (),
    labels: tuple[Sequence[str], Sequence[str]] | None = None,
) -> Part:
    """Return the scores without the labels to leave out, and without columns that are no tasks.

    `words` are columns without a number. `header` is that of the systems, if it alone says that
    they are in rows. `labels` are all topics and systems, if some have been left out before.
    """
    topics, systems = labels or labels_of(frame)
    notes = []
    if of_systems and header is not None:
        notes.append(f"{source}: rows are taken as systems, because their header is {header!r}")
    kept = without(frame, how.dropped.topics, how.dropped.systems)
    if of_systems:
        words = [word for word in words if word not in how.dropped.topics]
        if words:
            notes.append(f"{source}: {_of_words(words)}")
        kept = without(kept, frozenset(words))
        means, said = without_averages(source, kept, how.kept.topics)
        notes += said
        kept = without(kept, frozenset(means))
        remember(kept, systems_were_rows=True)
    return Part(source, kept, topics, systems, tuple(notes), whole=kept is frame)


def asked_notes(part: Part, how: How) -> list[str]:
    """Return the note on labels that the user left out of a file or frame, if it has any."""
    dropped = how.dropped
    topics = [label for label in dict.fromkeys(part.topics) if label in dropped.topics]
    systems = [label for label in dict.fromkeys(part.systems) if label in dropped.systems]
    names = " and ".join([*_named("topic", topics), *_named("system", systems)])
    are = "is" if len(topics) + len(systems) == 1 else "are"
    return [f"{part.source}: {names} {are} left out, as asked"] if names else []


def without(
    frame: pd.DataFrame, topics: frozenset[str], systems: frozenset[str] = frozenset()
) -> pd.DataFrame:
    """Return a frame without some topics and systems; the same if it has none of them."""
    if not topics and not systems:
        return frame
    own = labels_of(frame)
    keep = [
        [label not in left for label in labels]
        for labels, left in zip(own, (topics, systems), strict=True)
    ]
    return frame if all(map(all, keep)) else frame.loc[keep[0], keep[1]]


def _named(kind: str, labels: Sequence[str]) -> list[str]:
    if not labels:
        return []
    many = len(labels) > 1
    return [f"{len(labels)} {kind}s ({listed(labels)})" if many else f"{kind} {labels[0]}"]


def _of_words(labels: Sequence[str]) -> str:
    names = listed([repr(label) for label in labels])
    if len(labels) == 1:
        return f"the column {names} has words and no scores and is left out"
    return f"the columns {names} have words and no scores and are left out"
