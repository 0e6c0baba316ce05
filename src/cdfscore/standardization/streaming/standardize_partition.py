"""Standardization of a part of the topics, as of a data frame of Dask."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.errors import ScoresError
from cdfscore.io.files import refuse_sparse
from cdfscore.io.results.results import Results, scores_of
from cdfscore.io.results.table import columns_of_frame, flat, results_of_frame
from cdfscore.io.scores.how import How
from cdfscore.io.scores.labels import check_labels, texts
from cdfscore.io.scores.parquet import RowsOfTopics
from cdfscore.schemes.base import Scheme
from cdfscore.standardization.matrix import ScoreMatrix
from cdfscore.standardization.policies.constant import refused
from cdfscore.standardization.standardizer import Standardizer, standardizer_of
from cdfscore.standardization.streaming.scores import matrix_of_rows, scores_of_rows
from cdfscore.standardization.streaming.streamed import Block, standardized_block
from cdfscore.threads import alone

if TYPE_CHECKING:
    import pandas as pd

_SOURCE = "the partition"


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
