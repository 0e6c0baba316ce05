"""Statistics of the terms of sources, for resource selection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.errors import RunError
from cdfscore.numerics.numbers import finite_number
from cdfscore.numerics.types import Array, IntArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array


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
