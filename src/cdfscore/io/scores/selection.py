"""Labels that are omitted: labels that the user names, and columns that are not tasks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cdfscore.io.scores.cautions import without_averages
from cdfscore.io.scores.frame_labels import labels_of
from cdfscore.io.scores.how import How
from cdfscore.io.scores.memory import remember
from cdfscore.io.scores.part import Part
from cdfscore.io.text import listed

if TYPE_CHECKING:
    import pandas as pd


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
    """Return the scores without the labels to leave out, and without columns that are not tasks.

    Where the rows of a file are systems, columns may be no tasks: `words` have no number, some
    are the average of the others, and some are refused until the user says what they are.
    `header` is that of the systems, if it alone says that they are in rows. `labels` are all
    topics and systems, if some have been left out before.
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
    """Return how labels are called together, if there are any."""
    if not labels:
        return []
    many = len(labels) > 1
    return [f"{len(labels)} {kind}s ({listed(labels)})" if many else f"{kind} {labels[0]}"]


def _of_words(labels: Sequence[str]) -> str:
    names = listed([repr(label) for label in labels])
    if len(labels) == 1:
        return f"the column {names} has words and no scores and is left out"
    return f"the columns {names} have words and no scores and are left out"
