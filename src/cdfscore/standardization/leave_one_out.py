"""Every system read through the scheme fitted to the others, not to itself too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.errors import DegenerateTopicError, FitError, ScoresError
from cdfscore.io.scores import as_scores, topic_labels
from cdfscore.numerics.types import Array, BoolArray, IntArray
from cdfscore.schemes.base import Fitted, Scheme
from cdfscore.standardization.policies import constant as degenerate_topics
from cdfscore.standardization.policies import missing as missing_scores
from cdfscore.standardization.policies import unfitted as unfitted_topics
from cdfscore.standardization.standardizer import Standardizer

if TYPE_CHECKING:
    import pandas as pd

# Scores of the samples that are fitted at a time; bounds the memory.
_BLOCK = 1 << 20


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Scores standardized by leave-one-out, and the cells that a policy touched.

    `refused` has the reason for each cell (topic, system) whose scheme could not be fitted,
    and `constant` says for each cell of `standardized` whether the others' scores are equal.
    """

    standardized: pd.DataFrame
    constant: BoolArray
    refused: dict[tuple[str, str], str]


def leave_one_out(
    scores: pd.DataFrame,
    scheme: Scheme | str,
    degenerate: str = "limit",
    missing: str = "raise",
    unfitted: str = "raise",
) -> pd.DataFrame:
    """Standardize every score by the scheme fitted to the other systems of its topic.

    y_ts = F_(t, without s)(x_ts): a reference system that is judged against itself is drawn
    towards the middle, the more so the fewer the systems. `scores` is topics x systems; the
    result has its labels, and the numbers that `Standardizer` gives to a system from a
    reference without it, bit for bit. The policies are those of `Standardizer`, for each
    sample of the others: one that is constant, a score that is missing, and one that the
    scheme cannot be fitted to; under ``unfitted="drop_topic"`` a topic with one such sample
    is left out, for all systems.

    Raises `SchemeError` for an unknown scheme, setting or policy, `ScoresError` for what is
    no score matrix or has one system alone, `MissingScoreError` and `DegenerateTopicError`
    as the policies say, and `FitError` for a sample that the scheme cannot be fitted to;
    all with the topic and the system.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame({"bm25": [0.2], "lsa": [0.4], "ql": [0.3]}, index=["301"])
    >>> leave_one_out(scores, "empirical")
           bm25  lsa   ql
    topic
    301     0.0  1.0  0.5
    """
    return left_out(scores, Standardizer(scheme, degenerate, missing, unfitted)).standardized


def left_out(scores: pd.DataFrame, standardizer: Standardizer) -> LeftOut:
    """Standardize as `leave_one_out` does, and say what the policies touched."""
    import pandas as pd

    matrix = missing_scores.resolve(standardizer.missing, as_scores(scores), "scores")
    if matrix.shape[1] < 2:
        raise ScoresError(
            f"there is {matrix.shape[1]} system; expected 2 or more, of which one is left out"
        )
    values, topics, systems = matrix.to_numpy(), topic_labels(matrix), list(matrix.columns)
    y, constant = np.full(values.shape, np.nan), np.zeros(values.shape, dtype=np.bool_)
    refused: dict[tuple[str, str], str] = {}
    for topic, system, samples in _samples(values):
        cells = [(topics[t], systems[s]) for t, s in zip(topic, system, strict=True)]
        fitted, rows, reasons = _fit(samples, standardizer, cells)
        refused |= {cells[row]: reasons[row] for row in sorted(reasons)}
        place = (topic[rows], system[rows])
        constant[place] = fitted.constant
        if standardizer.degenerate == "raise":
            _refuse_constant(fitted, cells, rows)
        x = values[place][:, np.newaxis]
        y[place] = degenerate_topics.evaluate(standardizer.degenerate, fitted, x)[:, 0]
    dropped = {topic for topic, _ in refused} if standardizer.unfitted == "drop_topic" else set()
    kept = np.array([topic not in dropped for topic in topics])
    if refused and (not kept.any() or len(refused) == np.count_nonzero(~np.isnan(values))):
        cell, reason = next(iter(refused.items()))
        raise FitError(f"{standardizer.parsed} fits no topic; {_without(cell)}: {reason}")
    standardized = pd.DataFrame(y, index=matrix.index, columns=matrix.columns)
    return LeftOut(standardized[kept], constant[kept], refused)


def _samples(values: Array) -> Iterator[tuple[IntArray, IntArray, Array]]:
    """Yield topics and systems (rows,) of scores that are there, and the others' (rows, n - 1)."""
    topics, systems = np.nonzero(~np.isnan(values))
    others = values.shape[1] - 1
    step = max(1, _BLOCK // others)
    for start in range(0, len(topics), step):
        topic, system = topics[start : start + step], systems[start : start + step]
        columns = np.arange(others) + (np.arange(others) >= system[:, np.newaxis])
        yield topic, system, values[topic[:, np.newaxis], columns]


def _fit(
    samples: Array, standardizer: Standardizer, cells: list[tuple[str, str]]
) -> tuple[Fitted, IntArray, dict[int, str]]:
    """Fit the rows of `samples` as `fit_where_possible`, or all under ``unfitted="raise"``."""
    if standardizer.unfitted != "raise":
        return unfitted_topics.fit_where_possible(standardizer.parsed, samples)
    try:
        return standardizer.parsed.fit(samples), np.arange(len(samples)), {}
    except FitError as error:
        if error.row is None:
            raise
        reason = str(error).removeprefix(f"row {error.row}: ")
        raise FitError(f"{_without(cells[error.row])}: {reason}") from error


def _refuse_constant(fitted: Fitted, cells: list[tuple[str, str]], rows: IntArray) -> None:
    constant = np.flatnonzero(fitted.constant)
    if constant.size:
        raise DegenerateTopicError(
            f"{_without(cells[rows[constant[0]]])}: all the other scores are equal; expected "
            "another policy for degenerate topics, such as 'limit'"
        )


def _without(cell: tuple[str, str]) -> str:
    topic, system = cell
    return f"topic {topic!r} without system {system!r}"
