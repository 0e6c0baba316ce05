"""What is known of sources: statistics of their terms (CORI), and samples (SAFE)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from scipy.sparse import csr_array

from cdfscore.common.cautions import warn_of
from cdfscore.common.files import lines_in, source_name, too_sparse
from cdfscore.common.text import counted, listed
from cdfscore.common.text import number as number_of
from cdfscore.errors import FitError, RunError, SchemeError
from cdfscore.retrieval.merging import merging
from cdfscore.retrieval.runs import AnyRun, AnyRuns, Run, within_runs
from cdfscore.scores.cells import shown as of_cell
from cdfscore.scores.delimited import text_table
from cdfscore.stats.numerics.numbers import finite_number, shown
from cdfscore.stats.numerics.types import Array, IntArray

# --- CORI: scores of sources for a topic, from statistics of their terms ---


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
        """
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
    >>> from cdfscore.retrieval.merging import TermStatistics, cori
    >>> statistics = TermStatistics.of(
    ...     {"a": {"wing": 30, "flow": 100}, "b": {"flow": 50}}, {"a": 20_000, "b": 10_000}
    ... )
    >>> cori(statistics, {"1": "wing flow"}).round(4)
                a       b
    topic
    1      0.4442  0.4152
    """
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
    terms, cw = used[used < len(statistics.terms)], statistics.words
    df = statistics.document_frequencies[terms].toarray()
    t = df / (df + 50 + 150 * cw / cw.mean())
    cf = (df > 0).sum(axis=1, keepdims=True)
    # If no source has the term, T is 0, and so is the evidence.
    i = np.log((len(cw) + 0.5) / np.maximum(cf, 1)) / np.log(len(cw) + 1)
    beliefs = b + (1 - b) * (t * i)
    # The last row is for words that are not terms; they have the largest number.
    beliefs = np.vstack([beliefs, np.full(beliefs.shape[1], b)])
    sums = np.add.reduceat(beliefs[words], starts[:-1], axis=0)
    return pd.DataFrame(
        sums / np.diff(starts)[:, np.newaxis],
        index=pd.Index(list(queries), dtype=str, name="topic"),
        columns=pd.Index(statistics.sources, dtype=str),
    )


# --- SAFE: scores of documents from their ranks, by the broker's scores of sampled documents ---


#: Functions f of the rank r; of equally good ones the first is used.
FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "r": lambda r: r,
    "log(r)": np.log,
    "sqrt(r)": np.sqrt,
    "1/r": np.reciprocal,
}
#: The smallest number of pairs of a rank and a score for a line.
LEAST = 3


@dataclass(frozen=True, eq=False, repr=False)
class Samples:
    """Sampled documents of each source, and the number of documents of each source.

    Attributes
    ----------
    documents
        The number of the source of each sampled document, by its id.
    sources
        Names of the sources.
    sampled
        Number of documents that were sampled from each source, ``|S_C|``.
    sizes
        Number of documents of each source, ``|C|``, or an estimate.
    """

    documents: Mapping[str, int]
    sources: tuple[str, ...]
    sampled: IntArray
    sizes: Array

    @classmethod
    def of(cls, documents: Mapping[str, Sequence[str]], sizes: Mapping[str, float]) -> Samples:
        """Return the samples of sources, ``{source: documents}``, and their sizes.

        Raises `RunError` for a source without documents or size, a size below the number of its
        sampled documents, and a document that was sampled from two sources.
        """
        found: dict[str, int] = {}
        sources = tuple(documents)
        for number, (source, own) in enumerate(documents.items()):
            if isinstance(own, str):
                raise RunError(
                    f"the sampled documents of source {source!r} are the text {own!r}; expected a "
                    "list of ids"
                )
            if source not in sizes:
                raise RunError(f"the size of source {source!r} is not given; expected a number")
            count, size = len(set(own)), finite_number(sizes[source])
            if size is None or not 1 <= count <= size:
                raise RunError(
                    f"source {source!r} has {count} sampled documents and {sizes[source]!r} "
                    "documents; expected 1 or more, and at least as many documents as sampled ones"
                )
            for document in own:
                other = found.setdefault(document, number)
                if other != number:
                    raise RunError(
                        f"document {document!r} was sampled from the sources {sources[other]!r} "
                        f"and {source!r}; expected sources without common documents"
                    )
        counts = np.bincount(list(found.values()), minlength=len(sources))
        return cls(found, sources, counts, np.array([sizes[each] for each in sources], dtype=float))

    @property
    def ratio(self) -> Array:
        """``|C| / |S_C|``: number of documents that each sampled one represents, (sources,)."""
        return self.sizes / self.sampled

    def sources_of(self, run: Run) -> IntArray:
        """Return the number of the source of each document of a run of the sample index.

        Raises `RunError` for a document that is in no sample.
        """
        ids = run.documents.dictionary
        place = pc.index_in(ids, value_set=pa.array(list(self.documents), pa.string()))
        if place.null_count:
            stranger = ids.filter(pc.is_null(place))[0].as_py()
            raise RunError(
                f"{run.source}: document {stranger!r} is in no sample; expected documents "
                "that were sampled"
            )
        numbers = np.fromiter(self.documents.values(), np.int64)
        return np.asarray(numbers[place.to_numpy()][run.documents.indices.to_numpy()])

    def __repr__(self) -> str:
        return f"<Samples: {len(self.documents):,} documents of {len(self.sources)} sources>"


@dataclass(frozen=True, eq=False, repr=False)
class SafeMerged(merging.Merged):
    """Result of `safe`: the merged lists, and the fit of each list.

    Attributes
    ----------
    fits
        One row for each list: topic, source, n (number of pairs of a rank and a score), function,
        a, b, r_squared, and reason. If a list has no fit, its cells are empty except the reason.
    """

    fits: pd.DataFrame


def safe(
    runs: AnyRuns,
    sample_run: AnyRun,
    samples: Samples,
    *,
    depth: int | None = None,
    duplicates: merging.DuplicatePolicy = "refuse",
    unfitted: merging.UnfittedListPolicy = "raise",
    keep: int | None = None,
    name: str = "merged",
) -> SafeMerged:
    """Merge the lists of sources by SAFE, the sample-agglomerate fitting estimate.

    The broker has an index of documents that were sampled from all sources, and scores them for the
    topic. For each source, lines ``s = a + b * f(r)`` are fitted by least squares to these scores s
    and to the ranks r of the documents in the list of the source. f(r) is ``r``, ``log(r)``,
    ``sqrt(r)`` or ``1/r``; the function with the highest R^2 is used. The document at rank i of the
    list then has the score ``a + b * f(i)``. The scores of the source are not used.

    If a sampled document is not in the list, its rank is estimated as ``(j - 1/2) * |C| / |S_C|``,
    where j is its position among the ``|S_C|`` sampled documents. A list is unfitted if it does not
    have 3 pairs with at least 2 different ranks, or if its fitted scores increase with the rank.
    What the slides and the paper do not state, and how the program of their author differs, is in
    clauses safe.1 and safe.2 of the specification.

    Parameters
    ----------
    runs, depth, duplicates, unfitted, keep, name
        As of `merge`.
    sample_run
        The broker's run on the sampled documents, in any form of a run.
    samples
        Which documents were sampled from which source, and the sizes of the sources.

    Raises
    ------
    RunError
        As `merge`, for a source without a sample, and for a document of `sample_run` that is in no
        sample.
    FitError
        For an unfitted list, under ``unfitted="raise"``.

    References
    ----------
    Shokouhi and Zobel (2009), Robust Result Merging Using Sample-Based Score Estimates; Markov,
    Linear Score Normalization Revisited, CORI Results.

    Examples
    --------
    >>> from cdfscore.retrieval.merging import Samples, safe
    >>> lists = {"a": {"301": {"d1": 9.0, "d2": 8.0, "d3": 7.0, "d4": 6.0}}}
    >>> samples = Samples.of({"a": ["d1", "d3", "d4"]}, {"a": 400})
    >>> merged = safe(lists, {"301": {"d1": 4.0, "d3": 2.0, "d4": 1.0}}, samples)
    >>> merged.frame()[["document", "score"]].round(3).to_string(header=False)
    '0  d1  4.0\\n1  d2  3.0\\n2  d3  2.0\\n3  d4  1.0'
    >>> merged.fits[["n", "function", "a", "b", "r_squared"]].round(3).to_string(index=False)
    ' n function   a    b  r_squared\\n 3        r 5.0 -1.0        1.0'
    """
    merging.check_unfitted(unfitted)
    merging.check_duplicates(duplicates)
    lists, told = merging.read_all(runs, depth, keep)
    (broker,), of_sample = merging.read_all(sample_run, None)
    pool = merging.Pool.joined(merging.batches(lists))
    there, group = np.unique(pool.lists, return_inverse=True)
    table = _fits(*_pairs(pool, broker, samples, there), len(there))
    topic, source = np.divmod(there, len(pool.sources))
    table.insert(0, "topic", np.array(pool.topics, dtype=object)[topic])
    table.insert(1, "source", np.array(pool.sources, dtype=object)[source])
    left = table[table["reason"] != ""]
    if len(left):
        first = left.iloc[0]
        which = f"source {first['source']!r}, topic {first['topic']!r}: {first['reason']}"
        if unfitted == "raise":
            raise FitError(f"{which}; expected {merging.TO_DROP_LISTS}")
        more = ", and others" * (len(left) > 1)
        of_sample.append(
            f"{counted(len(left), 'list')} omitted, because no line is fitted: {which}{more}"
        )
    scores = np.full(len(group), np.nan)
    a, b = (table[name].to_numpy()[group] for name in "ab")
    for name, f in FUNCTIONS.items():
        own = (table["function"] == name).to_numpy()[group]
        scores[own] = a[own] + b[own] * f(pool.rank[own])
    (kept,) = np.nonzero(~np.isnan(scores))
    chosen = pool.chosen(kept, scores[kept])
    some = np.diff(chosen.starts) > 0  # no file of a run has a topic without documents
    topics = tuple(compress(chosen.topics, some.tolist()))
    found = merging.finished(
        [replace(chosen, topics=topics, starts=np.append(0, chosen.starts[1:][some]))],
        duplicates,
        name,
        keep=keep,
        notes=[*told, *of_sample],
    )
    return SafeMerged(
        found.parts, found.name, found.weights, found.notes, found.cautions, fits=table
    )


def _pairs(
    pool: merging.Pool, broker: Run, samples: Samples, there: IntArray
) -> tuple[IntArray, Array, Array]:
    """Return the list, the rank in it, and the broker's score of each sampled document.

    `there` are the numbers of the lists that have documents; a list is given by its place there.
    """
    names = {name: number for number, name in enumerate(pool.sources)}
    lacking = [name for name in pool.sources if name not in samples.sources]
    if lacking:
        raise RunError(f"source {lacking[0]!r} has no sample; expected one for each source")
    numbers = {label: number for number, label in enumerate(pool.topics)}
    of_run = np.array([numbers.get(label, -1) for label in broker.topics], dtype=np.int64)
    topic = np.repeat(of_run, np.diff(broker.starts))
    sampled = samples.sources_of(broker)
    source = np.array([names.get(name, -1) for name in samples.sources])[sampled]
    own = topic * len(pool.sources) + source
    place = np.searchsorted(there, own).clip(max=len(there) - 1)
    used = (topic >= 0) & (source >= 0) & (there[place] == own)
    place, topic, sampled = place[used], topic[used], sampled[used]
    # j, the rank among the sampled documents of the source: 1, 2, ... in the broker's order.
    order = np.argsort(place, kind="stable")
    j = np.empty(len(place))
    j[order] = within_runs(place[order]) + 1.0
    rank = (j - 0.5) * samples.ratio[sampled]
    # The rank in the list, where it has the document.
    ids = broker.documents
    known = pc.fill_null(pc.index_in(ids.dictionary, value_set=pool.ids), -1).to_numpy()
    found = known[ids.indices.to_numpy()][used]
    keys = pool.lists * len(pool.ids) + pool.document
    by_key = np.argsort(keys, kind="stable")
    wanted = own[used] * len(pool.ids) + found
    at = np.searchsorted(keys[by_key], wanted).clip(max=len(keys) - 1)
    listed = (found >= 0) & (keys[by_key][at] == wanted)
    rank[listed] = pool.rank[by_key[at[listed]]]
    kept = listed | (rank > np.bincount(np.searchsorted(there, pool.lists))[place])
    return place[kept], rank[kept], broker.scores[used][kept]


def _fits(group: IntArray, rank: Array, score: Array, groups: int) -> pd.DataFrame:
    """Fit s = a + b f(r) to the pairs of rank and score of each group, or say why not."""
    n = np.bincount(group, minlength=groups)
    # Minus the first score of each group, so that equal scores have exactly no spread.
    first = np.zeros(groups)
    first[group[::-1]] = score[::-1]
    above = score - first[group]
    # In units of the largest, whose square does not underflow or overflow.
    unit = np.zeros(groups)
    np.maximum.at(unit, group, np.abs(above))
    unit[unit == 0] = 1.0
    above /= unit[group]
    lines = [_line(group, f(rank), above, n) for f in FUNCTIONS.values()]
    a, b, r_squared = (np.stack(each) for each in zip(*lines, strict=True))
    # If all scores are equal, R^2 is 0/0, and the first function is used.
    best = np.argmax(np.where(np.isnan(r_squared), -1.0, r_squared), axis=0)
    chosen = best, np.arange(groups)
    a, b = first + unit * a[chosen], unit * b[chosen]
    reason = np.full(groups, "", dtype=object)
    reason[b * np.array([1, 1, 1, -1])[best] > 0] = "the fitted scores increase with the rank"
    reason[np.isnan(b)] = "all sampled documents have the same rank"
    for place in np.flatnonzero(n < LEAST):
        there = "is 1" if n[place] == 1 else f"are {n[place]}"
        reason[place] = f"a line needs {LEAST} sampled documents with ranks and there {there}"
    bad = reason != ""
    numbers = {"a": a, "b": b, "r_squared": r_squared[chosen]}
    return pd.DataFrame(
        {
            "n": n,
            "function": np.where(bad, "", np.array(list(FUNCTIONS), dtype=object)[best]),
            **{name: np.where(bad, np.nan, values) for name, values in numbers.items()},
            "reason": reason.tolist(),
        }
    )


def _line(group: IntArray, x: Array, y: Array, n: IntArray) -> tuple[Array, Array, Array]:
    """Return a, b and R^2 of y = a + b x in each group, NaN where x is constant."""

    def total(values: Array) -> Array:
        return np.bincount(group, weights=values, minlength=len(n)).astype(np.float64)

    with np.errstate(divide="ignore", invalid="ignore"):
        x_mean, y_mean = total(x) / n, total(y) / n
        dx, dy = x - x_mean[group], y - y_mean[group]
        xx, xy, yy = total(dx * dx), total(dx * dy), total(dy * dy)
        b = xy / xx
        return y_mean - b * x_mean, b, xy * xy / (xx * yy)


#: The methods of merging by their names.
METHODS: Mapping[str, Callable[..., merging.Merged]] = {
    function.__name__: function
    for function in (merging.merge, safe, merging.round_robin, merging.rrf)
}


# --- Tables for merging: scores or weights of sources, statistics of terms, queries, samples ---


# Headers of columns, in lower case, by their content.
_HEADERS: Mapping[str, Collection[str]] = {
    "topic": ("topic", "query_id", "qid", "query"),
    "source": ("source", "collection", "resource", "engine"),
    "score": ("score", "weight", "w"),
    "term": ("term", "word"),
    "df": ("df", "document_frequency"),
    "words": ("words", "cw"),
    "document": ("document", "doc_id", "docid", "docno"),
    "size": ("size", "documents"),
    "text": ("text", "query", "title"),
}


def read_selection(path: str | Path) -> pd.DataFrame:
    """Read scores or weights of sources: a CSV or TSV file with columns topic, source and score.

    Returns topics x sources, with NaN if a source has no line for a topic. Raises `RunError` for a
    file that cannot be read, a missing column, a score that is not a number, and two lines for the
    same topic and source.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "weights.csv"
    >>> _ = path.write_text("topic,source,score\\n301,a,0.5\\n301,b,1\\n302,b,1\\n")
    >>> read_selection(path)
             a    b
    topic
    301    0.5  1.0
    302    NaN  1.0
    """
    source, frame = _table_of(path, ("topic", "source", "score"), key=2)
    scores = _numbers(source, frame["score"])
    rows, topics = pd.factorize(frame["topic"])
    columns, sources = pd.factorize(frame["source"])
    if too_sparse(len(topics), len(sources), len(scores)):
        raise RunError(
            f"{source} has {len(scores):,} scores, of {len(sources):,} sources for {len(topics):,} "
            "topics; expected a score for 1 % or more of all pairs of a topic and a source"
        )
    values = np.full((len(topics), len(sources)), np.nan)
    values[rows, columns] = scores
    index = pd.Index(topics, dtype=str, name="topic")
    return pd.DataFrame(values, index=index, columns=pd.Index(sources, dtype=str))


def read_statistics(path: str | Path) -> TermStatistics:
    """Read statistics of terms: a CSV or TSV file with columns source, term, df and words.

    ``words`` is the number of words of the source, the same in all its lines. Raises `RunError` as
    `read_selection` does, and if a source has two different numbers of words.
    """
    source, frame = _table_of(path, ("source", "term", "df", "words"), key=2)
    frame = frame.assign(df=_numbers(source, frame["df"]), words=_numbers(source, frame["words"]))
    several = frame.groupby("source", sort=False)["words"].nunique()
    if (several > 1).any():
        name = several.index[int((several > 1).argmax())]
        raise RunError(f"{source}: source {name!r} has several numbers of words; expected one")
    frequencies = {
        str(name): dict(zip(own["term"], own["df"], strict=True))
        for name, own in frame.groupby("source", sort=False)
    }
    try:
        return TermStatistics.of(
            frequencies, dict(zip(frame["source"], frame["words"], strict=True))
        )
    except RunError as error:
        raise RunError(f"{source}: {error}") from error


def read_queries(path: str | Path) -> dict[str, str]:
    """Read queries: a CSV or TSV file with columns topic and text.

    Raises `RunError` as `read_selection` does.
    """
    _, frame = _table_of(path, ("topic", "text"))
    return dict(zip(frame["topic"], frame["text"], strict=True))


def read_samples(documents: str | Path, sizes: str | Path) -> Samples:
    """Read samples: CSV or TSV files with columns source and document, and source and size.

    Raises `RunError` as `read_selection` and `Samples.of` do.
    """
    source, frame = _table_of(documents, ("document", "source"))
    own, table = _table_of(sizes, ("source", "size"))
    of_sources = dict(zip(table["source"], _numbers(own, table["size"]), strict=True))
    sampled: dict[str, list[str]] = {}
    for name, document in zip(frame["source"], frame["document"], strict=True):
        sampled.setdefault(name, []).append(document)
    try:
        return Samples.of(sampled, of_sources)
    except RunError as error:
        raise RunError(f"{source} with {own}: {error}") from error


def _table_of(path: str | Path, roles: Sequence[str], key: int = 1) -> tuple[str, pd.DataFrame]:
    """Read the columns of these roles; the first `key` of them are not the same in two rows."""
    source = source_name(path)
    columns = f"the columns {', '.join(roles)}"
    content, _ = lines_in(path, RunError, f"a table with {columns}")
    frame = text_table(source, content, f"{columns}, and a row or more", RunError)
    lower = [str(name).lower() for name in frame.columns]
    places: dict[str, int] = {}
    for role in roles:
        found = [
            place
            for place, header in enumerate(lower)
            if header in _HEADERS[role] and place not in places.values()
        ]
        others = [each for each in roles if each not in (role, *places)]
        later = {name for other in others for name in _HEADERS[other]}
        found = [place for place in found if lower[place] not in later] or found
        if len(found) > 1:
            names = " and ".join(repr(frame.columns[place]) for place in found)
            raise RunError(f"{source} has the columns {names}, each a {role}; expected one")
        if not found:
            raise RunError(
                f"{source} has no column {role!r} among {listed(list(frame.columns))}; expected "
                f"{columns}"
            )
        places[role] = found[0]
    chosen = frame.iloc[:, list(places.values())].set_axis(list(places), axis=1)
    for role in ("topic", "source", "term", "document"):
        if role in chosen and (chosen[role] == "").any():
            line = chosen.index[int((chosen[role] == "").argmax())]
            raise RunError(f"{source}, line {line}: there is no {role}; expected its name")
    again = chosen.duplicated(list(roles[:key]))
    if again.any():
        row = chosen[again].iloc[0]
        what = " and ".join(f"{role} {row[role]!r}" for role in roles[:key])
        raise RunError(f"{source}, line {row.name} has {what} again; expected each once")
    return source, chosen


def _numbers(source: str, column: pd.Series[str]) -> list[float]:
    found = []
    for line, text in column.items():
        value = number_of(text)
        if value is None or not np.isfinite(value):
            raise RunError(
                f"{source}, line {line}: {column.name} {of_cell(text)} is not a finite number; "
                "expected a number such as 0.5"
            )
        found.append(value)
    return found
