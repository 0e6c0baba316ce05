"""Standardization from a Parquet file to another, with little memory whatever their size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from cdfscore.cautions import warn_of
from cdfscore.errors import OutputError, SchemeError, ScoresError
from cdfscore.io.atomic import check_target, write_whole
from cdfscore.io.files import check_ending
from cdfscore.io.results.table import long_columns
from cdfscore.io.scores.how import How
from cdfscore.io.scores.parquet import ParquetRows
from cdfscore.io.scores.writing import parquet_pieces
from cdfscore.schemes.base import Scheme
from cdfscore.spelling import argument
from cdfscore.standardization.standardizer import Standardizer, standardizer_of
from cdfscore.standardization.streaming.scores import LongScores, WideScores
from cdfscore.standardization.streaming.streamed import Streamed, Tally
from cdfscore.threads import in_threads

#: Scores of a block: 8 MB of doubles.
BLOCK = 1 << 20


def standardize_parquet(
    source: str | Path,
    target: str | Path,
    how: Scheme | str | Standardizer,
    *,
    jobs: int = 1,
    topic_column: str | None = None,
    system_column: str | None = None,
    score_column: str | None = None,
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
    topic_column, system_column, score_column
        The columns of topics, systems and scores, one each, if their headers do not identify them.
        Other columns are copied.
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
    reading = How.given(
        topic_column=topic_column,
        system_column=system_column,
        score_column=score_column,
        systems_as_rows=systems_as_rows,
        keep_topics=keep_topics,
        keep_systems=keep_systems,
    )
    with ParquetRows.opened(source) as rows:
        reading, several = reading.one_header(rows.source, rows.headers)
        if several:
            raise ScoresError(
                f"{rows.source} is streamed, and a label in a stream is that of one column; "
                f"expected one instead of {several[0][0]}, or a file that fits in memory"
            )
        columns = long_columns(rows.source, rows.headers, reading, rows.cells)
        if columns is None:
            reading = reading.of_matrix(rows.source)
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
