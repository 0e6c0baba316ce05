"""Standardization from a Parquet file to another, with little memory whatever their size."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.cautions import warn_of
from cdfscore.errors import OutputError, SchemeError, ScoresError
from cdfscore.io.atomic import check_target, write_whole
from cdfscore.io.files import check_ending
from cdfscore.io.results.columns import long_columns
from cdfscore.io.results.results import Results, scores_of
from cdfscore.io.results.table import columns_of_frame, flat, results_of_frame
from cdfscore.io.scores.frame_labels import texts
from cdfscore.io.scores.how import How, Labels
from cdfscore.io.scores.labels import check_labels
from cdfscore.io.scores.parquet.file import ParquetRows
from cdfscore.io.scores.parquet.long import RowsOfTopics
from cdfscore.io.scores.writing import parquet_pieces
from cdfscore.io.sizes import refuse_sparse
from cdfscore.schemes.base import Scheme
from cdfscore.spelling import argument
from cdfscore.standardization.matrix import ScoreMatrix
from cdfscore.standardization.policies.constant import refused
from cdfscore.standardization.standardizer import Standardizer, standardizer_of
from cdfscore.standardization.streaming.scores import (
    LongScores,
    WideScores,
    matrix_of_rows,
    scores_of_rows,
)
from cdfscore.standardization.streaming.streamed import Block, Streamed, Tally, standardized_block
from cdfscore.threads import alone, in_threads

if TYPE_CHECKING:
    import pandas as pd

#: Scores of a block: 8 MB of doubles.
BLOCK = 1 << 20
_SOURCE = "the partition"


def standardize_parquet(
    source: str | Path,
    target: str | Path,
    how: Scheme | str | Standardizer,
    *,
    jobs: int = 1,
    topic_column: str | None = None,
    systems_as_rows: bool | None = None,
    keep_topics: Sequence[str] = (),
    keep_systems: Sequence[str] = (),
    block: int = BLOCK,
    progress: Callable[[int, int], None] | None = None,
) -> Streamed:
    """Standardize a Parquet file, fitted to its own scores, into another of the same form.

    The file has one row per topic and one column per system, or one row per score with the columns
    topic, system and score. The other file has the same rows in the same order, with the
    standardized scores. Scores and means equal those of `Standardizer.standardize` bit for bit.

    Memory is needed for a few blocks of topics, and for 8 bytes per topic. A file with one row per
    score is first partitioned by topic into files beside `target`, of 24 bytes per row, unless the
    rows of each topic are together; then the labels of the topics are in memory as well.

    Parameters
    ----------
    source, target
        The files. `target` is written completely or not at all.
    how
        A scheme, its spelling, or a `Standardizer` with its policies.
    jobs
        Number of threads, each for one block; the result does not depend on it.
    topic_column
        The column of topics, if its header does not identify it.
    systems_as_rows
        False if the rows are topics and no header says so, as for `read_scores`; True is refused.
    keep_topics, keep_systems
        Labels that look like those of summaries but are not, as for `read_scores`.
    block
        Approximate number of scores of a block; at least one topic.
    progress
        Function called with the number of topics done and the total. If rows are partitioned, each
        topic counts twice: when it is standardized, and when its rows are written.

    Raises
    ------
    ScoresError
        For a file that cannot be read or is not a score matrix, such as one with a topic twice.
    OutputError
        If `target` cannot be written, or is `source`.
    CdfscoreError
        For input that `Standardizer.standardize` refuses.

    Notes
    -----
    Some warnings need all scores together and are not given. If there is more than one block,
    topics that may be summaries of the others are recognized by their names only, and systems by
    their numbers on the topics of the first block. Standard deviations of raw scores on topics
    where lower is better are not compared with those of other topics.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from cdfscore import datasets, write_scores
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> write_scores(datasets.load_cranfield("ap"), folder / "ap.parquet")
    >>> done = standardize_parquet(folder / "ap.parquet", folder / "y.parquet", "empirical")
    >>> done
    <225 topics x 67 systems standardized by empirical:convention=weak, in 1 block>
    >>> done.means["mean"].idxmax()
    'combsum_bm25_lsa200'
    """
    source, target, how = Path(source), Path(target), standardizer_of(how)
    for name, number in (("jobs", jobs), ("block", block)):
        if not isinstance(number, int) or isinstance(number, bool) or number < 1:
            raise SchemeError(f"{argument(name, number)} is not accepted; expected 1 or more")
    check_ending(target, [".parquet"])
    if source.exists() and target.exists() and source.samefile(target):
        raise OutputError(f"{target} is the file of the scores; expected another file to write")
    check_target(target)
    reading = How(
        topic_column, systems_as_rows, kept=Labels.given("keep", keep_topics, keep_systems)
    )
    reading.check()
    with ParquetRows.opened(source) as rows:
        columns = long_columns(rows.source, rows.headers, reading, rows.cells)
        if columns is None:
            scores: WideScores | LongScores = WideScores(rows, reading, how)
        else:
            scores = LongScores(rows, reading, how, columns, target)
        with scores.opened(block):
            done = _written(scores, target, how, jobs, progress)
    warn_of(done.cautions)
    return done


def _written(
    scores: WideScores | LongScores,
    target: Path,
    how: Standardizer,
    jobs: int,
    progress: Callable[[int, int], None] | None,
) -> Streamed:
    """Write the standardized scores, unless an error is found before the last block."""
    tally = Tally(how, scores.systems, lower_on_all=scores.lower_on_all)
    results: list[Streamed] = []

    def pieces() -> Iterator[bytes]:
        tables = scores.tables(tally, partial(in_threads, threads=jobs), progress)
        yield from parquet_pieces(tables, labels=scores.labels, repeated=scores.repeated)
        results.append(tally.result(scores.doubts, scores.notes))  # or an error of all blocks

    write_whole({target: pieces()})
    return results[0]


def standardize_partition(
    part: pd.DataFrame,
    how: Scheme | str | Standardizer,
    systems: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Standardize some topics, fitted to their own scores; for ``map_partitions`` of Dask.

    y = F_t(x) depends on one topic, so that the numbers equal those of `Standardizer.standardize`
    if all scores of a topic are in one part. Scores are topics x systems, with the topics as the
    index or the first column; or rows of topic, system and score, and the result has these rows.
    A part without rows, which Dask's shuffle may produce, is returned unchanged.

    Parameters
    ----------
    part
        A data frame of pandas.
    how
        A scheme, its spelling, or a `Standardizer` with its policies.
    systems
        The systems in the order of summation, for rows of topic, system and score only. The default
        is the order of their first rows in the part. In another order, sums may differ in the last
        digit. A system without a row on a topic has a missing score there.

    Raises
    ------
    ScoresError
        If the part has no scores; for a row without a topic or a system, and a score that is not a
        number; for a system that is not one of `systems`; if the labels of `systems` are not
        different; and if `systems` is given and there is one column per system.
    CdfscoreError
        For input that `Standardizer.standardize` refuses.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = pd.DataFrame(
    ...     {"topic": ["301"] * 3, "system": ["bm25", "lsa", "ql"], "score": [0.2, 0.4, 0.3]}
    ... )
    >>> standardize_partition(rows, "empirical").round(3)
      topic system  score
    0   301   bm25  0.333
    1   301    lsa  1.000
    2   301     ql  0.667
    """
    how = standardizer_of(how)
    names = None if systems is None else _labels(systems)
    columns = columns_of_frame(_SOURCE, part, How())
    if columns is None:
        if names is not None:
            raise ScoresError(
                f"systems are given, and {_SOURCE} has no columns of topic, system and score; "
                "expected systems only for such rows"
            )
        if part.empty:
            return part
        given = ScoreMatrix.of(part)
        return _wide(given, _block(how, given))
    if columns.system is None or columns.measure is not None or None not in columns.scores:
        raise ScoresError(
            f"{_SOURCE} has a row for each score; expected columns of topic, system and score alone"
        )
    column = columns.scores[None] - flat(part).shape[1] + part.shape[1]
    if column < 0:
        raise ScoresError(f"{_SOURCE} has the scores in its index; expected a column of scores")
    if part.empty:
        return part
    read = results_of_frame(_SOURCE, part, columns, How(), None)
    rows, names = _rows(read, names)
    given = matrix_of_rows(_SOURCE, rows, tuple(names), how, partial(_places, read))
    block = _block(how, given)
    result = part.copy()
    result.isetitem(column, scores_of_rows(block, rows))
    return result[block.kept[rows.topic]]


def _labels(systems: object) -> list[str]:
    """Return the systems that a user gives; raises `ScoresError`."""
    if isinstance(systems, str | bytes) or not isinstance(systems, Iterable):
        raise ScoresError(f"systems={systems!r} is not accepted; expected a list of labels")
    names = texts(list(systems))
    check_labels("systems", "system", names, (f"place {i + 1}" for i in range(len(names))))
    return names


def _rows(read: Results, names: list[str] | None) -> tuple[RowsOfTopics, list[str]]:
    """Return the rows, with systems numbered in the order of their names; and these."""
    read.check_names()
    topics, of_rows = read.topics, read.of_systems()
    names = of_rows.names if names is None else names
    if unknown := set(of_rows.names).difference(names):
        raise ScoresError(
            f"{_SOURCE} has the system {min(unknown)!r}, which is not one of systems; expected all"
        )
    rows = len(topics.codes)
    refuse_sparse(_SOURCE, len(topics.names), len(names), rows)
    place = {name: number for number, name in enumerate(names)}
    lookup = np.array([place[name] for name in of_rows.names], dtype=np.int64)
    scores = scores_of(read.scores, np.arange(rows), read.cell, read.missing)
    return RowsOfTopics(topics.names, topics.codes, lookup[of_rows.codes], scores), names


def _places(read: Results, topic: str, system: str) -> tuple[str, str]:
    """Return the first two rows of a topic and a system."""
    found = np.flatnonzero(read.topics.are(topic) & read.of_systems().are(system)) + 1
    return f"row {found[0]}", f"row {found[1]}"


def _block(how: Standardizer, given: ScoreMatrix) -> Block:
    block = alone(standardized_block, how, given)  # other partitions have the other cores
    if how.constant == "raise" and block.constant_topics:
        raise refused(f"topic {block.constant_topics[0]!r}: all its reference scores are equal")
    return block


def _wide(given: ScoreMatrix, block: Block) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(block.y, index=given.frame.index[block.kept], columns=given.frame.columns)
