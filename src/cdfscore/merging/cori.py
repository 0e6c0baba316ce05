"""CORI: scores of sources for a topic, from statistics of their terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.cautions import warn_of
from cdfscore.errors import RunError, SchemeError
from cdfscore.io.text import listed
from cdfscore.numerics.numbers import finite_number, shown
from cdfscore.numerics.types import Array, IntArray

if TYPE_CHECKING:
    import pandas as pd
    from scipy.sparse import csr_array

#: The belief of a source without the term.
DEFAULT_BELIEF = 0.4


@dataclass(frozen=True, eq=False, repr=False)
class TermStatistics:
    """Document frequencies of terms and numbers of words, for each source.

    Attributes
    ----------
    sources
        Names of the sources.
    terms
        The terms.
    document_frequencies
        df: number of documents of the source that contain the term, a sparse array (terms,
        sources).
    words
        cw: number of words of the source, (sources,).

    Examples
    --------
    >>> from cdfscore.merging import TermStatistics, cori
    >>> found = TermStatistics.of(
    ...     {"a": {"wing": 30, "flow": 100}, "b": {"flow": 50}}, {"a": 20_000, "b": 10_000}
    ... )
    >>> cori(found, {"301": "wing flow"}).round(4)
                a       b
    topic
    301    0.4442  0.4152
    """

    sources: tuple[str, ...]
    terms: tuple[str, ...]
    document_frequencies: csr_array[np.float64, tuple[int, int]]
    words: Array

    @classmethod
    def of(
        cls, document_frequencies: Mapping[str, Mapping[str, float]], words: Mapping[str, float]
    ) -> TermStatistics:
        """Return the statistics of sources from dictionaries, ``{source: {term: df}}``.

        Raises `RunError` for a source without a number of words, and for a number that is not
        possible.

        Examples
        --------
        >>> TermStatistics.of({"a": {"wing": 30}, "b": {"flow": 50}}, {"a": 20_000, "b": 10_000})
        <TermStatistics: 2 terms, 2 sources>
        """
        from scipy.sparse import csr_array

        sources = tuple(document_frequencies)
        lacking = [source for source in sources if source not in words]
        if lacking:
            raise RunError(f"the words of source {lacking[0]!r} are not given; expected a number")
        numbers: dict[str, int] = {}
        every = document_frequencies.values()
        for own in every:
            for term in own:
                numbers.setdefault(term, len(numbers))
        found = [np.array(list(map(_number, own.values()))) for own in every]
        for source, own, df in zip(sources, every, found, strict=True):
            if not (df >= 0).all():
                term = list(own)[int((~(df >= 0)).argmax())]
                raise RunError(
                    f"term {term!r} is in {own[term]!r} documents of source {source!r}; "
                    "expected a number of at least 0"
                )
        rows = [numbers[term] for own in every for term in own]
        columns = np.repeat(np.arange(len(sources)), [len(own) for own in found])
        table = csr_array(
            (np.concatenate([*found, np.empty(0)]), (rows, columns)), (len(numbers), len(sources))
        )
        cw = np.array([_number(words[source]) for source in sources])
        if not (cw > 0).all():
            source = sources[int((~(cw > 0)).argmax())]
            raise RunError(
                f"source {source!r} has {words[source]!r} words; expected a number above 0"
            )
        return cls(sources, tuple(numbers), table, cw)

    def words_of(self, queries: Mapping[str, str | Sequence[str]]) -> tuple[IntArray, IntArray]:
        """Return the numbers of the terms of all queries, and where those of each begin and end.

        A word that is no term has the number after the last. Raises `RunError` for a query without
        words, and if no word of any query is a term.
        """
        none = len(self.terms)
        found: list[int] = []
        starts = [0]
        for topic, query in queries.items():
            words = query.split() if isinstance(query, str) else query
            found += [self._numbers.get(word, none) for word in words]
            if len(found) == starts[-1]:
                raise RunError(f"the query of topic {topic!r} has no word; expected one or more")
            starts.append(len(found))
        if set(found) <= {none}:
            raise RunError(
                "no word of any query is a term of a source; expected words that are stemmed and "
                "spelled like the terms"
            )
        return np.array(found), np.array(starts)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {term: number for number, term in enumerate(self.terms)}

    def __repr__(self) -> str:
        return f"<TermStatistics: {len(self.terms):,} terms, {len(self.sources)} sources>"


def _number(value: object) -> float:
    """Return a number; NaN for what is not finite, or none."""
    found = finite_number(value)
    return np.nan if found is None else found


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
            f"default_belief={shown(default_belief)} is not accepted; expected a number from 0 to "
            "below 1"
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
