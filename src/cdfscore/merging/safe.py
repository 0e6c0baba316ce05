"""SAFE: scores of documents from their ranks, by the broker's scores of sampled documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from cdfscore.errors import FitError, RunError
from cdfscore.io.text import counted
from cdfscore.merging.normalization import UnfittedListPolicy, check_unfitted, to_drop_lists
from cdfscore.merging.pool import (
    DuplicatePolicy,
    Merged,
    Pool,
    check_duplicates,
    finished,
    read_all,
    within_runs,
)
from cdfscore.numerics.numbers import finite_number
from cdfscore.numerics.types import Array, IntArray
from cdfscore.trec.runs import AnyRun, AnyRuns, Run

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

    Examples
    --------
    >>> found = Samples.of({"a": ["d1", "d3"], "b": ["d7"]}, {"a": 400, "b": 60})
    >>> found
    <Samples: 3 documents of 2 sources>
    >>> found.ratio.tolist()
    [200.0, 60.0]
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

        Examples
        --------
        >>> Samples.of({"a": ["d1", "d4"], "b": ["d7"]}, {"a": 200, "b": 120})
        <Samples: 3 documents of 2 sources>
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
        found: IntArray = numbers[place.to_numpy()][run.documents.indices.to_numpy()]
        return found

    def __repr__(self) -> str:
        return f"<Samples: {len(self.documents):,} documents of {len(self.sources)} sources>"


@dataclass(frozen=True, eq=False, repr=False)
class SafeMerged(Merged):
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
    duplicates: DuplicatePolicy = "refuse",
    unfitted: UnfittedListPolicy = "raise",
    keep: int | None = None,
    name: str = "merged",
) -> SafeMerged:
    """Merge the lists of sources by SAFE, the sample-agglomerate fitting estimate.

    The broker has an index of documents that were sampled from all sources, and scores them for the
    topic. For each source, lines ``s = a + b * f(r)`` are fitted by least squares to these scores s
    and to the ranks r of the documents in the list of the source. f(r) is ``r``, ``log(r)``,
    ``sqrt(r)`` or ``1/r``; the function with the highest R^2 is used. The document at rank i of the
    list then has the score ``a + b * f(i)``. The scores of the source are not used.

    If a sampled document is in the list, r is its rank in the list. Otherwise its rank is estimated
    as ``(j - 1/2) * |C| / |S_C|``, where j is its position among the ``|S_C|`` sampled documents of
    the source, in the order of the broker: each sampled document represents ``|C| / |S_C|``
    documents. If the estimated rank is not beyond the end of the list, it contradicts the list,
    because the list does not contain the document. Such a pair is omitted.

    The slides and the paper do not state these details. Here:

    - Ranks are not rounded.
    - A list is unfitted if it does not have 3 pairs with at least 2 different ranks, or if its
      fitted scores increase with the rank.
    - R^2, not r, selects the function, because r is negative for scores that decrease with rank.
    - If all scores are equal, b = 0.

    The program that the author of the slides has published differs. For sampled documents that are
    not in the list it counts ranks from the last one that is, and from the end of the list,
    ``L + (i - 1/2) * |C| / |S_C|``, and omits earlier ones. It uses the function with the highest
    r, which is nearly always ``1/r``, because r is negative for the other functions.

    Parameters
    ----------
    runs, depth, duplicates, unfitted, keep, name
        As of `merge`.
    sample_run
        The broker's run on the sampled documents, in any form of a run.
    samples
        Which documents were sampled from which source, and the sizes of the sources.

    Returns
    -------
    SafeMerged
        The merged lists, with the fits.

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
    >>> from cdfscore.merging import Samples, safe
    >>> lists = {"a": {"301": {"d1": 9.0, "d2": 8.0, "d3": 7.0, "d4": 6.0}}}
    >>> samples = Samples.of({"a": ["d1", "d3", "d4"]}, {"a": 400})
    >>> merged = safe(lists, {"301": {"d1": 4.0, "d3": 2.0, "d4": 1.0}}, samples)
    >>> merged.frame()[["document", "score"]].round(3).to_string(header=False)
    '0  d1  4.0\\n1  d2  3.0\\n2  d3  2.0\\n3  d4  1.0'
    >>> merged.fits[["n", "function", "a", "b", "r_squared"]].round(3).to_string(index=False)
    ' n function   a    b  r_squared\\n 3        r 5.0 -1.0        1.0'
    """
    check_unfitted(unfitted)
    check_duplicates(duplicates)
    lists, told = read_all(runs, depth, keep)
    (broker,), of_sample = read_all(sample_run, None)
    pool = Pool.of(lists)
    there, group = np.unique(pool.lists, return_inverse=True)
    fits = RankFits.of(*_pairs(pool, broker, samples, there), len(there))
    if fits.reasons and unfitted == "raise":
        place, reason = next(iter(fits.reasons.items()))
        topic, source = divmod(int(there[place]), len(pool.sources))
        where = f"source {pool.sources[source]!r}, topic {pool.topics[topic]!r}"
        raise FitError(f"{where}: {reason}; expected {to_drop_lists()}")
    table = _table(pool, there, fits)
    scores = fits.scores(group, pool.rank)
    (kept,) = np.nonzero(~np.isnan(scores))
    found = finished(
        [pool.chosen(kept, scores[kept]).without_empty_topics()],
        duplicates,
        name,
        keep=keep,
        notes=[*told, *of_sample, *_of_unfitted(table)],
    )
    return SafeMerged(
        found.parts, found.name, found.weights, found.notes, found.cautions, fits=table
    )


def _pairs(
    pool: Pool, broker: Run, samples: Samples, there: IntArray
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


def _table(pool: Pool, there: IntArray, fits: RankFits) -> pd.DataFrame:
    topic, source = np.divmod(there, len(pool.sources))
    words = np.array(list(FUNCTIONS), dtype=object)
    return pd.DataFrame(
        {
            "topic": np.array(pool.topics, dtype=object)[topic],
            "source": np.array(pool.sources, dtype=object)[source],
            "n": fits.n,
            "function": np.where(np.isnan(fits.b), "", words[fits.function]),
            "a": fits.a,
            "b": fits.b,
            "r_squared": fits.r_squared,
            "reason": [fits.reasons.get(number, "") for number in range(len(there))],
        }
    )


def _of_unfitted(table: pd.DataFrame) -> list[str]:
    left = table[table["reason"] != ""]
    if left.empty:
        return []
    first = left.iloc[0]
    return [
        f"{counted(len(left), 'list')} omitted, because no line is fitted: source "
        f"{first['source']!r}, topic {first['topic']!r}: {first['reason']}"
        + (", and others" if len(left) > 1 else "")
    ]


@dataclass(frozen=True, eq=False)
class RankFits:
    """Fits of s = a + b f(r), one for each group of pairs.

    Attributes
    ----------
    n
        Number of pairs, (groups,).
    function
        Number of f in `FUNCTIONS`: the function with the highest R^2.
    a, b, r_squared
        NaN if there is no fit.
    reasons
        The reason why there is no fit, by the number of the group.
    """

    n: IntArray
    function: IntArray
    a: Array
    b: Array
    r_squared: Array
    reasons: dict[int, str]

    @classmethod
    def of(cls, group: IntArray, rank: Array, score: Array, groups: int) -> RankFits:
        """Fit the pairs of rank and score of each group, given by its number."""
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
        r_squared = r_squared[chosen]
        rising = b * np.array([1, 1, 1, -1])[best] > 0
        one_rank = np.isnan(b)
        reasons = {
            **{int(i): "the fitted scores increase with the rank" for i in np.flatnonzero(rising)},
            **{
                int(i): "all sampled documents have the same rank" for i in np.flatnonzero(one_rank)
            },
            **{int(i): _too_few(int(n[i])) for i in np.flatnonzero(n < LEAST)},
        }
        bad = rising | one_rank | (n < LEAST)
        a, b, r_squared = (np.where(bad, np.nan, each) for each in (a, b, r_squared))
        return cls(n, best, a, b, r_squared, dict(sorted(reasons.items())))

    def scores(self, group: IntArray, rank: Array) -> Array:
        """Return a + b f(r) at the ranks of documents of these groups; NaN without a fit."""
        found = np.full(len(rank), np.nan)
        for number, f in enumerate(FUNCTIONS.values()):
            own = self.function[group] == number
            found[own] = self.a[group[own]] + self.b[group[own]] * f(rank[own])
        return found


def _too_few(number: int) -> str:
    there = "is 1" if number == 1 else f"are {number}"
    return f"a line needs {LEAST} sampled documents with ranks and there {there}"


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
