"""CORI: scores of sources for a topic, from statistics of their terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.cautions import warn_of
from cdfscore.errors import SchemeError
from cdfscore.io.text import listed
from cdfscore.merging.statistics import TermStatistics
from cdfscore.numerics.numbers import finite_number, shown
from cdfscore.numerics.types import Array, IntArray
from cdfscore.spelling import argument

if TYPE_CHECKING:
    import pandas as pd

#: The belief of a source without the term.
DEFAULT_BELIEF = 0.4


def cori(
    statistics: TermStatistics,
    queries: Mapping[str, str | Sequence[str]],
    default_belief: float = DEFAULT_BELIEF,
) -> pd.DataFrame:
    """Score sources for topics by CORI: the mean belief in the terms of the query.

    ``p(r|C) = b + (1 - b) * T * I`` for a term r and a source C, with
    ``T = df / (df + 50 + 150 * cw / mean(cw))`` and ``I = log((|C| + 0.5) / cf) / log(|C| + 1)``,
    where df is the number of documents of C with the term, cw the number of words in C, cf the
    number of sources with the term, ``|C|`` the number of sources, and b the default belief.
    The score is the mean of p over the words of the query; a word that occurs twice counts twice.
    A term that no source has gives b.

    Parameters
    ----------
    statistics
        Document frequencies of terms, and the sizes of sources; see `TermStatistics`.
    queries
        The words of each topic: a text, split at white space, or a list. They are compared with
        the terms as they are, so that both must have been stemmed in the same way.
    default_belief
        b, from 0 to below 1.

    Returns
    -------
    pandas.DataFrame
        Scores in [b, 1], topics x sources, for `selection_weights`.

    Raises
    ------
    SchemeError
        For a default belief out of range.
    RunError
        For a query without words, and if no word of any query is a term.

    Warns
    -----
    CdfscoreWarning
        For queries of which no word is a term.

    References
    ----------
    Callan (2000), Distributed Information Retrieval, for T and I; Callan, Lu and Croft (1995),
    Searching Distributed Collections with Inference Networks, whose T is another.

    Examples
    --------
    >>> from cdfscore.merging import TermStatistics, cori
    >>> statistics = TermStatistics.of(
    ...     {"a": {"wing": 30, "flow": 100}, "b": {"flow": 50}}, {"a": 20_000, "b": 10_000}
    ... )
    >>> cori(statistics, {"1": "wing flow"}).round(4)
                a       b
    topic
    1      0.4442  0.4152
    """
    import pandas as pd

    b = finite_number(default_belief)
    if b is None or not 0 <= b < 1:
        raise SchemeError(
            f"{argument('default_belief', default_belief, shown=shown)} is not accepted; expected "
            "a number from 0 to below 1"
        )
    words, starts = statistics.words_of(queries)
    none = np.maximum.reduceat(words != len(statistics.terms), starts[:-1]) == 0
    if none.any():
        labels = list(compress(map(str, queries), none.tolist()))
        warn_of(
            [
                f"in {len(labels)} of {len(queries)} queries no word is a term of a source "
                f"({listed(labels)}): all sources have the same score for them"
            ]
        )
    # Only of the terms of the queries, which may be few.
    used, words = np.unique(words, return_inverse=True)
    beliefs = b + (1 - b) * _evidence(statistics, used[used < len(statistics.terms)])
    # The last row is for words that are not terms; they have the largest number.
    beliefs = np.vstack([beliefs, np.full(beliefs.shape[1], b)])
    sums = np.add.reduceat(beliefs[words], starts[:-1], axis=0)
    return pd.DataFrame(
        sums / np.diff(starts)[:, np.newaxis],
        index=pd.Index(list(queries), dtype=str, name="topic"),
        columns=pd.Index(statistics.sources, dtype=str),
    )


def _evidence(statistics: TermStatistics, terms: IntArray) -> Array:
    """Return T * I of these terms, terms x sources."""
    df, cw = statistics.document_frequencies[terms].toarray(), statistics.words
    t = df / (df + 50 + 150 * cw / cw.mean())
    cf = (df > 0).sum(axis=1, keepdims=True)
    sources = len(cw)
    # If no source has the term, T is 0, and so is the evidence.
    evidence: Array = t * (np.log((sources + 0.5) / np.maximum(cf, 1)) / np.log(sources + 1))
    return evidence
