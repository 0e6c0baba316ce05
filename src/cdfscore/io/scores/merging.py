"""Several files as one score matrix: systems side by side, topics matched by their labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from cdfscore.errors import ScoresError
from cdfscore.io.scores.frame_labels import labels_of
from cdfscore.io.scores.memory import notes_of, remember, same_measure, systems_were_rows
from cdfscore.io.scores.part import Part
from cdfscore.io.scores.summaries import kept_by
from cdfscore.io.text import counted, files, listed

# Of more files, a note on each does not name them.
_ALL = 3


def merged(parts: Sequence[Part]) -> Part:
    """Return the systems of all parts on all topics, in order of first appearance.

    A score of a topic that a file lacks is missing, which a note says. Raises `ScoresError` for
    a system that two files have, and for topics that cannot be matched. A file of which everything
    is left out is as good as none, but for its notes.
    """
    import pandas as pd

    left = [part for part in parts if part.frame.empty]
    parts = [part for part in parts if not part.frame.empty] or parts[:1]
    notes = [(part.source, note) for part in left if part is not parts[0] for note in part.notes]
    if len(parts) == 1:
        others = [note for _, note in notes]
        return replace(parts[0], notes=(*_named_as_files(parts), *others, *parts[0].notes))
    labels = [labels_of(part.frame) for part in parts]
    _check_systems(parts, [systems for _, systems in labels])
    _check_numbered(parts)
    same_measure([(part.measure, part.source) for part in parts])
    _check_common_topics(parts, [own for own, _ in labels])
    topics = list(dict.fromkeys(topic for own, _ in labels for topic in own))
    place = {topic: row for row, topic in enumerate(topics)}
    values = np.full((len(topics), sum(len(systems) for _, systems in labels)), np.nan)
    column = 0
    for part, (own, systems) in zip(parts, labels, strict=True):
        rows = np.fromiter(map(place.__getitem__, own), np.intp, len(own))
        values[rows, column : column + len(systems)] = part.frame.to_numpy()
        column += len(systems)
        told = [*notes_of(part.frame), *part.notes, *_absent(part.source, topics, own)]
        notes += [(part.source, note) for note in told]
    numbered = isinstance(parts[0].frame.index, pd.RangeIndex)
    index = parts[0].frame.index if numbered else pd.Index(topics, dtype=str, name="topic")
    names = pd.Index([system for _, systems in labels for system in systems], dtype=str)
    known = next((part.measure for part in parts if part.measure), None)
    if known:
        said = f"no measure is named, and scores are taken as those of {known}"
        notes += [(part.source, f"{part.source}: {said}") for part in parts if part.measure is None]
    frame = pd.DataFrame(values, index=index, columns=names)
    kept = [kept_by(part.frame) for part in parts]
    remember(
        frame,
        keep_topics=sorted(frozenset().union(*(own.topics for own in kept))),
        keep_systems=sorted(frozenset().union(*(own.systems for own in kept))),
        systems_were_rows=all(systems_were_rows(part.frame) for part in parts),
    )
    return Part(
        files([part.source for part in parts]),
        frame,
        topics,
        list(names),
        (*_named_as_files(parts), *_joined(notes, len(parts))),
        known,
    )


def _named_as_files(parts: Sequence[Part]) -> list[str]:
    """Return the note on systems that have the names of their files, if there are any."""
    found = [part for part in parts if part.named_as_file and not part.frame.empty]
    if not found:
        return []
    names = listed([labels_of(part.frame)[1][0] for part in found])
    taken = "its name is" if len(found) == 1 else "the names are"
    where = "file" if len(found) == 1 else "files"
    source = _those([part.source for part in found], len(parts))
    return [f"{source}: no system is named, and {taken} taken from the {where}: {names}"]


def _joined(notes: Sequence[tuple[str, str]], count: int) -> list[str]:
    """Return notes with their files; those that are alike but for the file are one."""
    sources: dict[str, list[str]] = {}
    for source, note in notes:
        sources.setdefault(note.removeprefix(f"{source}: "), []).append(source)
    return [f"{_those(own, count)}: {text}" for text, own in sources.items()]


def _those(sources: Sequence[str], count: int) -> str:
    """Name the files of a note, by their number alone if they are all that are read."""
    return f"{count} files" if len(sources) == count > _ALL else files(sources)


def _check_systems(parts: Sequence[Part], systems: Sequence[Sequence[str]]) -> None:
    seen: dict[str, str] = {}
    for part, own in zip(parts, systems, strict=True):
        for system in own:
            if seen.get(system) == part.source:
                raise ScoresError(f"{part.source} is given twice; expected each file once")
            if system in seen:
                raise ScoresError(
                    f"system {system!r} is in {seen[system]} and in {part.source}; expected a "
                    "different name in each file, or a new name for the system of a file: "
                    "{'NAME': 'FILE'} in Python, NAME=FILE on the command line"
                )
        seen |= dict.fromkeys(own, part.source)


def _check_common_topics(parts: Sequence[Part], topics: Sequence[Sequence[str]]) -> None:
    """Raise `ScoresError` for a file that has no topic of the first one."""
    first = set(topics[0])
    for part, own in zip(parts[1:], topics[1:], strict=True):
        if first.isdisjoint(own):
            raise ScoresError(
                f"{parts[0].source} and {part.source} have no topic in common, such as "
                f"{topics[0][0]!r} and {own[0]!r}; expected the same labels in both"
            )


def _check_numbered(parts: Sequence[Part]) -> None:
    """Raise `ScoresError` for topics without labels beside labels, or beside other numbers."""
    import pandas as pd

    numbers = [
        len(part.frame) if isinstance(part.frame.index, pd.RangeIndex) else None for part in parts
    ]
    if len(set(numbers)) > 1:
        # The first that differs from the first file.
        other = next(i for i, number in enumerate(numbers) if number != numbers[0])
        has = [
            f"{parts[i].source} has "
            + (
                "labels of topics"
                if number is None
                else f"{counted(number, 'topic')} without labels"
            )
            for i, number in ((0, numbers[0]), (other, numbers[other]))
        ]
        raise ScoresError(
            f"{' and '.join(has)}; expected labels in all files, or the same number of topics "
            "without labels"
        )


def _absent(source: str, topics: Sequence[str], own: Sequence[str]) -> list[str]:
    """Return the note on topics that a file lacks, if there are any."""
    if len(own) == len(topics):
        return []
    there = set(own)
    absent = [topic for topic in topics if topic not in there]
    which = f"topic {absent[0]}" if len(absent) == 1 else f"{len(absent)} topics ({listed(absent)})"
    are = "is" if len(absent) == 1 else "are"
    return [f"{source}: {which} of the other files {are} absent, so that scores are missing there"]
