"""Reading of score matrices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from cdfscore.errors import ScoresError
from cdfscore.io.scores.cautions import kept_by
from cdfscore.io.scores.checked import searched
from cdfscore.io.scores.frame_labels import labels_of
from cdfscore.io.scores.how import Headers, How
from cdfscore.io.scores.memory import (
    notes_of,
    remember,
    remembered,
    same_measure,
    systems_were_rows,
)
from cdfscore.io.scores.one_file import part_of_file
from cdfscore.io.scores.part import Part
from cdfscore.io.scores.selection import asked_notes
from cdfscore.io.text import a_type, counted, files, joined, listed, those
from cdfscore.spelling import argument

if TYPE_CHECKING:
    import pandas as pd

#: A file, several, or files of one system each by the name of the system.
Paths = str | Path | Sequence[str | Path] | Mapping[str, str | Path]


def read_scores(
    path: Paths,
    *,
    measure: str | None = None,
    topic_column: Headers | Literal[False] | None = None,
    systems_as_rows: bool | None = None,
    keep_topics: Sequence[str] = (),
    keep_systems: Sequence[str] = (),
    drop_topics: Sequence[str] = (),
    drop_systems: Sequence[str] = (),
    system_column: Headers | None = None,
    score_column: str | None = None,
    replicate: Headers | None = None,
    na: Sequence[str] = (),
    cells: Sequence[str] = (),
    sheet: str | None = None,
) -> pd.DataFrame:
    """Read a score matrix, topics x systems, from one file or several.

    A file has one of these forms:

    - A row for each topic and a column for each system, or the reverse: CSV, TSV, Parquet or a
      sheet of Excel (.xlsx). The first line has the labels of the columns. An empty cell, NA or NaN
      is a missing score. Semicolons may be in place of commas, with decimal commas.
    - A row for each score: CSV, TSV or Parquet. The columns are topic, system, score and perhaps
      measure, in any order, or topic, system, and measures such as ap and ndcg. Without a column of
      systems, the file has one system with the name of the file, without endings such as .csv.
    - The output of ``trec_eval -q`` or ``ir_measures -q``, of one system or of several in sequence.
    - JSON: a dictionary by topic and measure, as pytrec_eval has it, by measure and topic, as ranx
      has it, or, with `systems_as_rows`, by system and topic; or records with the names of columns,
      of either kind of table, in one list or one in each line. A null is a missing score.

    What gzip has compressed is decompressed.

    Rows of the topic ``all`` are compared with the topics and omitted. Numbers are read to the
    nearest double. A note of every result lists what was omitted.

    Parameters
    ----------
    path
        The file, ``-`` for standard input, or several files with different systems. Topics of
        several files are matched by their labels. If a file lacks a topic, its scores are missing.
        A mapping has the file of one system under the name of the system. Parquet is recognized by
        its ending. In other files, the separator is a tab if the first line has one, else a comma.
    measure
        The measure to read; needed if a file has several.
    topic_column
        The header of the column of topics. False: there is none, and topics are numbered from 1.
        None: the first column has the topics if its header is empty, topic, query or the like, or
        if it has words. Ambiguous columns are refused: different whole numbers under another
        header, or a column with the header topic that is not the first.
    systems_as_rows
        True: rows are systems and columns are topics, and `topic_column` names the column of the
        systems. None: this is so if the header of that column is system, run, model, method,
        classifier or the like. Words under a header that can mean either are refused until
        `systems_as_rows` decides, or until `topic_column` names the first column. In JSON, it is
        for the outer keys. With several files, it is for files whose header does not decide.
    keep_topics, keep_systems
        Labels to keep although they look like summaries, such as the row ``all`` of trec_eval;
        see `as_scores`. Other such labels are refused, and so are labels that the file lacks.
    drop_topics, drop_systems
        Labels to omit. If rows are systems, as in a leaderboard, columns of words are omitted, and
        so is a column such as "Average" if it is the mean of the others. A column that may not be a
        task is refused until `drop_topics` or `keep_topics` has it. The reason is its name (size,
        speed, rank), -1 for unknown, numbers far above the others, no score at all, or an average
        that does not include it.
    system_column
        The header of the column of systems. A table with a column of topics has a row for each
        score then; a table without one has a row for each system. `topic_column`, `system_column`
        and `replicate` may be several headers, in a list or with commas between them: a label is
        their texts with " / " between. Of several files, one may have none of the columns.
    score_column
        The header of the column of scores, in a table with a row for each score. With this or
        `system_column`, columns that are not named and not known are left out, which a note says.
    replicate
        The column that tells several scores of a system on a topic apart, such as a fold or a seed,
        in a table with a row for each score. The mean of them is read, and a note has their number
        and standard deviation. A replicate without a score does not count.
    na
        Texts of cells without a score, such as OOM and -, beside those above. A text that is a
        number stands for every cell of this number.
    cells
        Forms of cells whose value is read: "value±sd", also with +- or +/-; "value(x)"; "value*",
        with any mark of significance; "**value**", also of LaTeX; "value%", where 64% is 0.64; and
        "1,000.5". What is beside the value is left out.
    sheet
        The sheet of a workbook of Excel to read. None: the first.

    Returns
    -------
    DataFrame
        Scores as float64, with an index named ``topic``: the labels as text, or a RangeIndex from 1
        if the file has no labels.

    Raises
    ------
    ScoresError
        If the file is not a score matrix, with file, line and column; if it has several measures,
        or not this one; and if two files have the same system.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> path = folder / "scores.csv"
    >>> _ = path.write_text("topic,bm25,lsa\\n301,0.25,0.5\\n302,0.75,NA\\n")
    >>> read_scores(path).loc["301", "lsa"].item()
    0.5
    >>> for name in ("bm25", "neural"):
    ...     _ = (folder / f"{name}.eval").write_text("map\\t301\\t0.2500\\nmap\\tall\\t0.2500\\n")
    >>> read_scores([folder / "bm25.eval", folder / "neural.eval"], measure="map")
           bm25  neural
    topic
    301    0.25    0.25
    """
    how = How.given(
        topic_column=topic_column,
        systems_as_rows=systems_as_rows,
        measure=measure,
        keep_topics=keep_topics,
        keep_systems=keep_systems,
        drop_topics=drop_topics,
        drop_systems=drop_systems,
        system_column=system_column,
        score_column=score_column,
        replicate=replicate,
        na=na,
        cells=cells,
        sheet=sheet,
    )
    return read_several([_named(path)], how)[0]


def read_several(
    inputs: Sequence[Sequence[tuple[str | None, str | Path]]],
    how: How,
    *,
    measure_is_used: bool = False,
) -> list[pd.DataFrame]:
    """Read score matrices, each from a file or several, with the name of the only system or None.

    A label to keep or to leave out must be in one of them. Of several files, `How.systems_as_rows`
    is for files whose header does not decide. Raises `ScoresError` for a setting that no
    file has a use for: the measure, unless `measure_is_used` otherwise, and the form.
    """
    # The user answers for the file that asks, not against what another says of itself.
    how = replace(how, header_first=sum(map(len, inputs)) > 1)
    read = [[_told(part_of_file(path, how, name), how) for name, path in own] for own in inputs]
    parts = [part for own in read for part in own]
    sources = list(dict.fromkeys(part.source for part in parts))
    _refuse_unused(parts, sources, how, measure_is_used=measure_is_used)
    unmet = tuple(how.cells.unmet(files(sources)))
    read[0][0] = replace(parts[0], notes=(*parts[0].notes, *unmet))
    if how.kept or how.dropped:  # the labels of many topics take a while
        how.refuse_unknown(
            files(sources, "or"),
            (label for part in parts for label in part.topics),
            (label for part in parts for label in part.systems),
        )
    return [searched(merged(own), how).frame for own in read]


def _named(paths: Paths) -> list[tuple[str | None, str | Path]]:
    """Return files, each with the name of its only system, if that is given."""
    if isinstance(paths, str | Path):
        return [(None, paths)]
    if not isinstance(paths, Iterable):
        raise ScoresError(
            f"the file is {a_type(paths)}; expected the name of a file, a list of names, or files "
            "by the names of their systems"
        )
    if isinstance(paths, Mapping):
        found: list[tuple[str | None, str | Path]] = [(str(n), p) for n, p in paths.items()]
    else:
        found = [(None, path) for path in paths]
    if not found:
        raise ScoresError("there is no file of scores; expected one or more")
    return found


def _told(part: Part, how: How) -> Part:
    """Return a part with the note on what the user left out of it, before other notes."""
    return replace(part, notes=(*asked_notes(part, how), *part.notes))


def _refuse_unused(
    parts: Sequence[Part], sources: Sequence[str], how: How, *, measure_is_used: bool
) -> None:
    """Raise `ScoresError` for a setting that no file has a use for."""
    several = len(sources) > 1
    if how.measure is not None and not (measure_is_used or any(part.measures for part in parts)):
        raise ScoresError(
            f"{argument('measure', how.measure)} is given, and {listed(sources)} "
            f"{'name' if several else 'names'} no measure; leave it out: it chooses a measure of "
            "a file that names measures, as trec_eval -q does"
        )
    idle = how.systems_as_rows is not None and not any("systems_as_rows" in p.uses for p in parts)
    if idle and (headed := [part.source for part in parts if "topic_column" in part.uses]):
        raise ScoresError(
            f"{argument('systems_as_rows', how.systems_as_rows)} is given, and the headers of "
            f"{files(list(dict.fromkeys(headed)))} say the opposite; use it for one file alone, "
            "or for files whose header does not decide"
        )
    headed = list(dict.fromkeys(part.source for part in parts if "topic_column" in part.uses))
    for name, header in {"system_column": how.system_column, **how.of_records}.items():
        if header is not None and headed and not any(name in part.uses for part in parts):
            raise ScoresError(
                f"{argument(name, header)} is given, and {listed(headed)} "
                f"{'have' if len(headed) > 1 else 'has'} a column for each system; expected it for "
                "a table with a row for each score"
            )
    form = {
        "topic_column": how.topic_column,
        "systems_as_rows": how.systems_as_rows,
        "system_column": how.system_column,
        **how.of_records,
    }
    for name, value in form.items():
        if value is not None and not any(name in part.uses for part in parts):
            raise ScoresError(
                f"{argument(name, value)} is given, and {listed(sources)} "
                f"{'have' if several else 'has'} a row for each score, as of trec_eval -q, or "
                "measures as keys; expected it only for tables with a header, and for dictionaries "
                "by system"
            )


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
        header=remembered(parts[0].frame).get("header"),
    )
    return Part(
        files([part.source for part in parts]),
        frame,
        topics,
        list(names),
        (*_named_as_files(parts), *joined(notes, len(parts))),
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
    source = those([part.source for part in found], len(parts))
    return [f"{source}: no system is named, and {taken} taken from the {where}: {names}"]


def _check_systems(parts: Sequence[Part], systems: Sequence[Sequence[str]]) -> None:
    seen: dict[str, str] = {}
    for part, own in zip(parts, systems, strict=True):
        for system in own:
            if seen.get(system) == part.source:
                raise ScoresError(f"{part.source} is given twice; expected each file once")
            if system in seen:
                raise _not_parts(
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
            raise _not_parts(
                f"{parts[0].source} and {part.source} have no topic in common, such as "
                f"{topics[0][0]!r} and {own[0]!r}; expected the same labels in both"
            )


def _not_parts(message: str) -> ScoresError:
    error = ScoresError(message)
    error.of_parts = True
    return error


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
