"""Merging of ranked lists: documents by topic, normalized scores, weights, and the methods."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from itertools import chain, compress, pairwise
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cdfscore.common.cautions import warn_of
from cdfscore.common.text import counted, listed, notes_of_files, part_of
from cdfscore.common.threads import in_threads
from cdfscore.errors import (
    CdfscoreWarning,
    FitError,
    RunError,
    SchemeError,
    ScoresError,
    check_one_of,
)
from cdfscore.retrieval.measuring import AnyMeasure, Measured, parse_measure
from cdfscore.retrieval.measuring import measure as measured_by
from cdfscore.retrieval.runs import (
    AnyQrels,
    AnyRuns,
    NamedRun,
    Ranking,
    Run,
    check_labels,
    lines_of,
    named_once,
    qrels_given,
    read_run,
    runs_given,
    within_runs,
)
from cdfscore.scores.dataframes import IntoFrame
from cdfscore.scores.frame import as_scores
from cdfscore.standardization import policies
from cdfscore.standardization.policies import fit_by, fit_where_possible
from cdfscore.stats.numerics.numbers import finite_number, shown
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray
from cdfscore.stats.schemes.base import Scheme, parse_scheme
from cdfscore.stats.schemes.minmax import Minmax

# --- Documents of all sources together, by topic, each with the score of its source ---

#: Numbers of topics, sources and ids: there may be millions of each, and 4 bytes are enough.
Codes = NDArray[np.int32]


# Number of documents sorted at a time; limits the memory besides the lists and the result.
_BATCH = 1 << 18


@dataclass(frozen=True, eq=False)
class Pool:
    """Documents of the lists of all sources, by topic; within one by source and rank.

    `ids` has the id of each document once. `starts` (topics + 1,) has where the documents of each
    topic begin, and where the last end. Each document has the number of its `source`, of its id
    (`document`) and its score. `of_one_source` is True if each id is in one source only.
    """

    sources: tuple[str, ...]
    topics: tuple[str, ...]
    ids: Any
    starts: IntArray
    source: Codes
    document: Codes
    scores: Array
    of_one_source: bool

    @classmethod
    def joined(cls, parts: Iterable[Pool]) -> Pool:
        """Put pools of different topics together, one after another."""
        found = list(parts)
        before = np.cumsum([0, *(len(part.source) for part in found)])
        starts = [part.starts[1:] + offset for part, offset in zip(found, before, strict=False)]
        return replace(
            found[0],
            topics=tuple(topic for part in found for topic in part.topics),
            starts=np.concatenate([[0], *starts]),
            source=np.concatenate([part.source for part in found]),
            document=np.concatenate([part.document for part in found]),
            scores=np.concatenate([part.scores for part in found]),
        )

    @property
    def topic(self) -> Codes:
        """Number of the topic of each document."""
        return np.repeat(np.arange(len(self.topics), dtype=np.int32), np.diff(self.starts))

    @property
    def lists(self) -> IntArray:
        """Number of the list of each document: topic x sources + source."""
        return self.topic * np.int64(len(self.sources)) + self.source

    @property
    def keys(self) -> IntArray:
        """Number of each pair of a topic and a document."""
        return self.topic * np.int64(len(self.ids)) + self.document

    @property
    def rank(self) -> Array:
        """Rank of each document in its list, from 1, before the pool is ranked."""
        return within_runs(self.lists).astype(np.float64) + 1

    def chosen(self, places: IntArray, scores: Array | None = None) -> Pool:
        """Return some of the documents, by topic, in this order, perhaps with other scores."""
        sizes = np.bincount(self.topic[places], minlength=len(self.topics))
        return replace(
            self,
            starts=np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]),
            source=self.source[places],
            document=self.document[places],
            scores=self.scores[places] if scores is None else scores,
        )

    def ranked(self, keep: int | None = None) -> Pool:
        """Order the documents of each topic by descending score, then by descending id.

        Of those below the `keep`-th highest score none is sorted, and `keep` of a topic stay:
        finding this score takes a seventh of the time of sorting.
        """
        if keep is not None and (np.diff(self.starts) > keep).any():
            kept = np.ones(len(self.scores), np.bool_)
            for start, end in pairwise(self.starts.tolist()):
                if end - start > keep:
                    own = self.scores[start:end]
                    place = end - start - int(keep)  # of a number such as 10.0
                    kept[start:end] = own >= np.partition(own, place)[place]
            found = self.chosen(np.flatnonzero(kept)).ranked()
            sizes = np.diff(found.starts)
            within = np.arange(len(found.source)) - np.repeat(found.starts[:-1], sizes)
            return found.chosen(np.flatnonzero(within < keep))
        starts, down = self.starts.tolist(), -self.scores
        order = np.empty(len(down), np.int64)
        # Topic by topic: sorting all at once by two keys takes five times as long.
        for start, end in pairwise(starts):
            order[start:end] = np.argsort(down[start:end])
            order[start:end] += start
        found = self.chosen(order)
        tied = found.tied
        if not tied.any():
            return found
        (member,) = np.nonzero(tied | np.append(tied[1:], False))
        places = order[member]
        group = np.cumsum(~tied)[member]
        by_id = pc.rank(self.ids.take(self.document[places]), tiebreaker="dense").to_numpy()
        order[member] = places[np.lexsort((-by_id.astype(np.int64), group))]
        return self.chosen(order)

    @property
    def tied(self) -> BoolArray:
        """True for each document that has the score of the one before it in its topic."""
        same = np.append(False, self.scores[1:] == self.scores[:-1])
        same[self.starts[:-1][np.diff(self.starts) > 0]] = False
        return same

    def as_run(self, name: str) -> Run:
        """Return the documents of a ranked pool as a run, ranks from 1; ids as they are coded."""
        ranks = np.arange(1.0, len(self.source) + 1) - self.starts[self.topic]
        documents = pa.DictionaryArray.from_arrays(self.document, self.ids)
        return Run(name, name, self.topics, self.starts, documents, self.scores, ranks)


def batches(runs: Sequence[Run]) -> Iterator[Pool]:
    """Put the lists of sources together, and yield the documents of some topics at a time."""
    labels = tuple(dict.fromkeys(topic for run in runs for topic in run.topics))
    numbers = {label: number for number, label in enumerate(labels)}
    # Where the list of each source and topic begins, and how long it is, (topics, sources).
    starts, lengths = np.zeros((2, len(labels), len(runs)), dtype=np.int64)
    for source, run in enumerate(runs):
        own = [numbers[label] for label in run.topics]
        starts[own, source], lengths[own, source] = run.starts[:-1], np.diff(run.starts)
    coded = pa.chunked_array([run.documents for run in runs]).unify_dictionaries().chunks
    codes = [each.indices.to_numpy() for each in coded]
    names, ids = tuple(run.system for run in runs), coded[-1].dictionary  # that of all
    source_of = np.full(len(ids), -1, np.int32)
    of_one_source = True
    for source, own in enumerate(codes):
        of_one_source &= bool(np.isin(source_of[own], (-1, source)).all())
        source_of[own] = source
    ends = np.cumsum(lengths.sum(axis=1))
    batch = ends // _BATCH
    for number in np.unique(batch).tolist():
        chosen = slice(*np.searchsorted(batch, [number, number + 1]).tolist())
        own_lengths = lengths[chosen]
        # The place of each list here.
        first = np.cumsum(own_lengths).reshape(own_lengths.shape) - own_lengths
        document, scores = np.empty(own_lengths.sum(), np.int32), np.empty(own_lengths.sum())
        for source, run in enumerate(runs):
            sizes = own_lengths[:, source]
            within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            here = np.repeat(first[:, source], sizes) + within
            there = np.repeat(starts[chosen, source], sizes) + within
            document[here], scores[here] = codes[source][there], run.scores[there]
        yield Pool(
            names,
            labels[chosen],
            ids,
            np.concatenate([[0], np.cumsum(own_lengths.sum(axis=1))]),
            np.repeat(
                np.tile(np.arange(len(runs), dtype=np.int32), len(own_lengths)), own_lengths.ravel()
            ),
            document,
            scores,
            of_one_source,
        )


# --- Policies for documents that several sources return for a topic ---

DuplicatePolicy = Literal["refuse", "best", "sum", "mnz"]


def check_duplicates(policy: str) -> None:
    """Raise `SchemeError` for an unknown policy; specified in merge.4."""
    check_one_of("duplicates", policy, get_args(DuplicatePolicy), SchemeError)


def resolved(policy: DuplicatePolicy, pool: Pool) -> tuple[Pool, int]:
    """Return each document of a topic once, and the number of documents in several lists."""
    if pool.of_one_source:
        return pool, 0
    # The highest score of a document first; of equal scores, the first source first.
    order = np.lexsort((-pool.scores, pool.keys))
    key, scores = pool.keys[order], pool.scores[order]
    new = np.append(True, np.diff(key) > 0)
    if new.all():
        return pool, 0
    (first,) = np.nonzero(new)
    count = np.diff(np.append(first, len(key)))
    if policy == "refuse":
        place, number = int(first[count > 1][0]), int(count[count > 1][0])
        places = np.sort(order[place : place + number])
        topic, document = pool.topics[pool.topic[places[0]]], int(pool.document[places[0]])
        sources = listed([repr(pool.sources[each]) for each in pool.source[places]])
        raise RunError(
            f"topic {topic!r}: document {pool.ids[document].as_py()!r} is in the lists of the "
            f"sources {sources}; expected each document in one list, or duplicates='best', 'sum' "
            "or 'mnz'"
        )
    values = scores[first]
    if policy != "best":
        # Added from the highest on, so that the sum does not depend on the order of the sources.
        values = np.bincount(np.cumsum(new) - 1, scores).astype(np.float64)
    if policy == "mnz":
        values = values * count
    back = np.argsort(order[first], kind="stable")
    return pool.chosen(order[first][back], values[back]), int((count > 1).sum())


# --- Notes and cautions of merging: on omitted lists, ties, duplicates and weights ---


def on_ties(parts: Sequence[Pool]) -> tuple[list[str], list[str]]:
    """Return cautions and notes on documents with the same score as another one of their topic."""
    documents = equal = nearly = topics = 0
    at_the_top = list[int]()
    for pool in parts:
        tied = pool.tied
        with np.errstate(over="ignore"):
            single = replace(pool, scores=pool.scores.astype(np.float32).astype(np.float64))
        # The documents at the top end before the first document with another score.
        ends = np.flatnonzero(~np.append(tied, False))
        first = pool.starts[:-1]
        number = ends[np.searchsorted(ends, first, side="right")] - first
        at_the_top += number[number > 1].tolist()
        documents += len(tied)
        equal += int((tied | np.append(tied[1:], False)).sum())
        nearly += int((single.tied & ~tied).sum())
        topics += len(pool.topics)
    said = (
        f"{equal:,} of {counted(documents, 'document')} have the same score as another document of "
        "their topic, and are ordered by descending document id, as in trec_eval"
    )
    are_most = 2 * equal > documents
    cautions = [f"{said}: most of the order is arbitrary"] * are_most
    notes = [said] * (equal > 0 and not are_most)
    if at_the_top:
        cautions.append(
            f"in {part_of(len(at_the_top), topics, 'topic')} several documents (up to "
            f"{max(at_the_top)}) share the highest score: they are ordered by their ids, which "
            "affects measures of the first ranks, such as P@10"
        )
    if nearly:
        notes.append(
            f"{counted(nearly, 'document')} with the score of the document before in single "
            "precision, but a lower score in double precision: trec_eval orders them by descending "
            "document id"
        )
    return cautions, notes


_ONCE = {
    "best": "with its highest score",
    "sum": "with the sum of its scores",
    "mnz": "with the sum of its scores times the number of its lists",
}


# --- Runs of sources: read, ordered as by trec_eval, and cut at a depth ---


def read_all(
    runs: AnyRuns, depth: int | None, keep: int | None = None
) -> tuple[list[Run], list[str]]:
    """Return the first `depth` documents of all lists, a run for each source, and notes.

    Raises `SchemeError` for a depth below 1, and such a number to keep, before a run is read.
    """
    check_depth("depth", depth)
    check_depth("keep", keep)
    given = runs_given(runs)
    tops = in_threads(partial(_top, depth), given.runs)
    found: list[Run] = list(named_once(tops, "source", "lists"))
    notes = notes_of_files([(run.source, note) for run in found for note in run.notes], len(found))
    every = len(set().union(*(run.topics for run in found)))
    if short := [
        f"{run.system} for {every - len(run.topics)}" for run in found if len(run.topics) < every
    ]:
        notes.append(f"of {counted(every, 'topic')}, some sources have no list: {listed(short)}")
    return found, [*given.notes, *notes]


def as_read(runs: AnyRuns) -> list[Run]:
    """Return the runs as they are given or read, in their own order, without checks of names."""
    return [run if isinstance(run, Run) else read_run(run, n) for run, n in runs_given(runs).runs]


def _top(depth: int | None, given: NamedRun) -> Run:
    run, name = given
    return Ranking.of(run if isinstance(run, Run) else read_run(run, name)).top(depth)


def check_depth(name: str, depth: int | None) -> None:
    """Raise `SchemeError` unless the depth is None or a whole number of at least 1."""
    if depth is None:
        return
    number = finite_number(depth)
    if number is None or number < 1 or not number.is_integer():
        raise SchemeError(
            f"{name}={shown(depth)} is not accepted; expected a whole number of at least 1"
        )


# --- Result of `cdfscore.retrieval.merging.merge` and of the other methods of merging ---


@dataclass(frozen=True, eq=False, repr=False)
class Merged:
    """Result of `merge`: one list of documents for each topic.

    Attributes
    ----------
    parts
        The documents, some topics in each part, by descending score. Equal scores are ordered by
        descending document id, as in trec_eval. If a document is in several sources, its source is
        the first one with its highest score.
    name
        The name of the merged run.
    weights
        Weights of the sources, topics x sources, or None.
    notes
        Sentences on the merging, including the cautions.
    cautions
        The notes on results that are easily misread.
    """

    parts: tuple[Pool, ...]
    name: str
    weights: pd.DataFrame | None
    notes: tuple[str, ...]
    cautions: tuple[str, ...]

    @cached_property
    def pool(self) -> Pool:
        """The documents of all topics."""
        return Pool.joined(self.parts)

    @property
    def sources(self) -> tuple[str, ...]:
        """Names of the sources, in the order in which they were given."""
        return self.parts[0].sources

    @cached_property
    def run(self) -> Run:
        """The merged lists as a run, for `cdfscore.retrieval.measure`."""
        return self.pool.as_run(self.name)

    def encoded(self) -> Iterator[bytes]:
        """Yield the lines of the merged run as a file of TREC; raises what `encode_run` raises."""
        first = self.parts[0]
        check_labels(self.name, [topic for part in self.parts for topic in part.topics], first.ids)
        return chain.from_iterable(lines_of(part.as_run(self.name)) for part in self.parts)

    def frame(self) -> pd.DataFrame:
        """Return topic, document, rank, score and source of each document."""
        pool, run = self.pool, self.run
        return pd.DataFrame(
            {
                "topic": np.array(pool.topics, dtype=object)[pool.topic],
                "document": run.documents.dictionary_decode().to_pandas(),
                "rank": run.ranks.astype(np.int64),
                "score": pool.scores,
                "source": np.array(pool.sources, dtype=object)[pool.source],
            }
        )

    def __repr__(self) -> str:
        topics, documents = len(self.pool.topics), len(self.pool.topic)
        size = f"{counted(topics, 'topic')}, {counted(documents, 'document')}"
        return f"<Merged {self.name!r}: {counted(len(self.sources), 'source')}, {size}>"


def finished(
    pools: Iterable[Pool],
    duplicates: DuplicatePolicy,
    name: str,
    *,
    keep: int | None = None,
    notes: Sequence[str] = (),
    cautions: Sequence[str] = (),
    weights: pd.DataFrame | None = None,
) -> Merged:
    """Return the merged lists of scored documents, given by topic, and warn of the cautions."""
    parts, repeated = list[Pool](), 0
    for part, count in in_threads(partial(_ranked, duplicates, keep), pools):
        parts.append(part)
        repeated += count
    if not any(len(part.source) for part in parts):
        raise RunError("no document is left in any list; expected one or more")
    of_ties, on_some = on_ties(parts)
    found = [*cautions, *of_ties]
    everything = list(notes)
    if repeated:
        number = counted(repeated, "document")
        everything.append(
            f"{number} in the lists of several sources: each is kept once, {_ONCE[duplicates]}"
        )
    everything += [*on_some, *found]
    warn_of(found)
    return Merged(tuple(parts), name, weights, tuple(everything), tuple(found))


def _ranked(duplicates: DuplicatePolicy, keep: int | None, pool: Pool) -> tuple[Pool, int]:
    """Return the documents of some topics in order, and how many were there twice."""
    once, repeated = resolved(duplicates, pool)
    bad = ~np.isfinite(once.scores)
    if bad.any():
        place = int(bad.argmax())
        raise RunError(
            f"topic {once.topics[once.topic[place]]!r}: the merged score of document "
            f"{once.ids[int(once.document[place])].as_py()!r} is too large for a double; expected "
            "smaller scores, or smaller weights"
        )
    return once.ranked(keep), repeated


# --- Normalization of document scores, list by list: y = F(s), with F fitted to the list ---


ConstantListPolicy = Literal["limit", "half", "raise"]
UnfittedListPolicy = Literal["raise", "drop_list"]


@dataclass(frozen=True, eq=False)
class Normalized:
    """The lists of a source, normalized and without empty ones.

    `constant` are the topics whose list has equal scores only, and `unfitted` has the reason for
    each list without a fit, by topic.
    """

    run: Run
    constant: tuple[str, ...]
    unfitted: dict[str, str]


def check_policies(constant: str, unfitted: str, scheme: Scheme) -> None:
    """Raise `SchemeError` for an unknown policy, or one that is not defined for `scheme`.

    For constant lists, whose scores are all equal: "limit" (of the scheme as the spread goes to 0),
    "half" (1/2, for a cdf) or "raise". For lists to which the scheme cannot be fitted: "raise" or
    "drop_list". Specified in merge.2.
    """
    check_one_of("constant", constant, get_args(ConstantListPolicy), SchemeError)
    check_unfitted(unfitted)
    if constant != "raise":  # which is an error of the scores, whatever the scheme
        policies.check_constant(constant, scheme)


def check_unfitted(policy: str) -> None:
    """Raise `SchemeError` for an unknown policy for lists without a fit."""
    check_one_of("unfitted", policy, get_args(UnfittedListPolicy), SchemeError)


#: What is expected where a list has no fit.
TO_DROP_LISTS = "longer lists, or unfitted='drop_list', which omits such lists"
_RAW = (
    "raw scores are merged as they are: the order is right only if all sources score documents on "
    "the same scale"
)


def normalized(
    run: Run, scheme: Scheme, constant: ConstantListPolicy, unfitted: UnfittedListPolicy
) -> Normalized:
    """Fit the scheme to the scores of each list, and evaluate it at these scores."""
    y = np.full(len(run.scores), np.nan)
    reasons: dict[int, str] = {}
    equal: list[int] = []
    for lists, places in _of_similar_lengths(run):
        inside = places >= 0
        scores = np.where(inside, run.scores[places], np.nan)
        fitted, rows, refused = fit_where_possible(scheme, scores)
        reasons |= {int(lists[row]): reason for row, reason in refused.items()}
        if len(rows):
            own = inside[rows]
            y[places[rows][own]] = policies.evaluate(constant, fitted, scores[rows])[own]
            alike = np.nanmin(scores[rows], axis=1) == np.nanmax(scores[rows], axis=1)
            equal += lists[rows[alike]].tolist()
    if reasons and unfitted == "raise":
        first = min(reasons)
        raise FitError(f"{_place(run, first)}: {reasons[first]}; expected {TO_DROP_LISTS}")
    if equal and constant == "raise":
        raise policies.constant_refused(
            f"{_place(run, min(equal))}: all scores are equal",
            expected="another policy for constant lists, such as 'limit'",
        )
    return Normalized(
        _without(replace(run, scores=y), reasons),
        tuple(run.topics[each] for each in sorted(equal)),
        {run.topics[each]: reasons[each] for each in sorted(reasons)},
    )


def _of_similar_lengths(run: Run) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the numbers of lists, and the places of their documents, -1 after the last.

    The longest list of a group is less than twice as long as the shortest, to limit the padding.
    """
    lengths = np.diff(run.starts)
    (there,) = np.nonzero(lengths)
    group = np.frexp(lengths[there].astype(np.float64))[1]
    for exponent in np.unique(group).tolist():
        lists = there[group == exponent]
        columns = np.arange(lengths[lists].max())
        places = run.starts[lists][:, np.newaxis] + columns
        yield lists, np.where(columns < lengths[lists][:, np.newaxis], places, -1)


def _place(run: Run, number: int) -> str:
    return f"source {run.system!r}, topic {run.topics[number]!r}"


def _without(run: Run, lists: dict[int, str]) -> Run:
    """Return the run without some lists and without empty lists."""
    lengths = np.diff(run.starts)
    kept = lengths > 0
    kept[list(lists)] = False
    if kept.all():
        return run
    documents = np.repeat(kept, lengths)
    (places,) = np.nonzero(documents)
    return replace(
        run,
        topics=tuple(compress(run.topics, kept.tolist())),
        starts=np.concatenate([[0], np.cumsum(lengths[kept], dtype=np.int64)]),
        documents=run.documents.take(places),
        scores=run.scores[places],
        ranks=run.ranks[places],
    )


def _remarks(
    given: Sequence[Run],
    found: Sequence[Normalized],
    scheme: Scheme,
    constant: str,
    weights: pd.DataFrame | None,
) -> tuple[list[str], list[str]]:
    """Return notes and cautions on weights, on lists without a fit, and on those of one score."""
    notes, cautions = list[str](), [_RAW] * scheme.keeps_unit
    equal = [(each.run, topic) for each in found for topic in each.constant]
    if equal and not scheme.keeps_unit:
        run, topic = equal[0]
        value = run.scores[run.starts[run.topics.index(topic)]]
        lists = counted(sum(len(each.run.topics) for each in found), "list")
        cautions.append(
            f"{len(equal)} of {lists} have equal scores only, as a list of one document has "
            f"(source {run.system!r}, topic {topic!r}): by the policy {constant} their documents "
            f"get {value:g}"
        )
    if weights is not None:
        topics = {run.system: list(run.topics) for run in given}
        if absent := [str(source) for source in weights.columns if source not in topics]:
            notes.append(f"sources with weights and without lists: {listed(absent)}")
        known = [weights[name].reindex(own) for name, own in topics.items() if name in weights]
        if zero := sum(int((each == 0).sum()) for each in known):
            lists = counted(sum(map(len, topics.values())), "list")
            cautions.append(
                f"{zero} of {lists} have the weight 0: their documents have the score 0, and are "
                "ordered by their ids, not as in their lists"
            )
    left = [(each.run.system, *own) for each in found for own in each.unfitted.items()]
    if left:
        system, topic, reason = left[0]
        notes.append(
            f"{counted(len(left), 'list')} omitted, because {scheme} cannot be fitted: source "
            f"{system!r}, topic {topic!r}: {reason}" + ", and others" * (len(left) > 1)
        )
    return notes, cautions


# --- Weights of sources: how much the lists of a source count for a topic, w(C|q) ---

#: The weight of the selection score in CORI, against 1 for the document score.
CORI_LAMBDA = 0.4


def selection_weights(selection: IntoFrame, lam: float = CORI_LAMBDA) -> pd.DataFrame:
    """Return the weights of sources from their selection scores, as in CORI merging.

    ``w(C|q) = (1 + lambda * m) / (1 + lambda)`` with ``m = (s(C|q) - min) / (max - min)`` over the
    sources of the topic, and m = 1/2 if all their scores are equal. With lambda = 0 all weights are
    1. As lambda grows, w tends to m, which is used for ``math.inf``. The source with the lowest
    score then has the weight 0, so all its documents have the score 0, and their order is lost.
    Callan (2000) uses the smallest and the largest possible belief instead of the smallest and the
    largest score over the sources; this is the simpler form of the slides.

    Parameters
    ----------
    selection
        Scores s(C|q), topics x sources, higher for sources that fit the topic better; missing for a
        source that is not searched for a topic. The minimum and the maximum are over all sources,
        also those without a list.
    lam
        The parameter lambda, at least 0; 0.4 in CORI.

    Returns
    -------
    pandas.DataFrame
        Weights in [0, 1], topics x sources.

    Raises
    ------
    SchemeError
        For lambda below 0 or NaN.
    ScoresError
        If `selection` is not a table of scores.
    FitError
        For a topic whose scores are all missing.

    References
    ----------
    Callan (2000), Distributed Information Retrieval; Markov, Linear Score Normalization Revisited,
    Parameterized CORI Results Merging.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame({"a": [0.48], "b": [0.40], "c": [0.44]}, index=["301"])
    >>> selection_weights(scores).round(4).loc["301"].tolist()
    [1.0, 0.7143, 0.8571]
    """
    number = check_lambda(lam)
    frame = as_scores(selection)
    scores = frame.to_numpy()
    place = "scores of selection, topic {!r}".format
    fitted, _, _ = fit_by("raise", Minmax(), scores, lambda row: place(frame.index[row]))
    m = fitted(scores)
    found = frame.copy()
    found[:] = m if number == math.inf else (1 + number * m) / (1 + number)
    return found


def check_lambda(lam: float) -> float:
    """Return lambda as a number; raises `SchemeError` unless it is at least 0, or infinite."""
    number = math.inf if lam == math.inf else finite_number(lam)
    if number is None or number < 0:
        raise SchemeError(
            f"lam={shown(lam)} is not accepted; expected a number of at least 0, or infinity"
        )
    return number


def of_documents(pool: Pool, weights: pd.DataFrame) -> Array:
    """Return the weight of each document of a pool; raises `ScoresError` where there is none."""
    for kind, labels, known in (
        ("source", pool.sources, weights.columns),
        ("topic", pool.topics, weights.index),
    ):
        lacking = [label for label in labels if label not in known]
        if lacking:
            raise ScoresError(
                f"the weights lack {kind} {lacking[0]!r}; expected weights of every {kind} that "
                "has documents"
            )
    table = weights.loc[list(pool.topics), list(pool.sources)].to_numpy()
    found: Array = table[pool.topic, pool.source]
    bad = ~(found >= 0)  # NaN too
    if bad.any():
        place = int(bad.argmax())
        value = "missing" if np.isnan(found[place]) else f"{found[place]:g}"
        raise ScoresError(
            f"the weight of source {pool.sources[pool.source[place]]!r} for topic "
            f"{pool.topics[pool.topic[place]]!r} is {value}, and the source has documents; "
            "expected a number of at least 0"
        )
    return found


# --- Merging by ranks only: round robin, and reciprocal rank fusion ---
# ranx also has reciprocal rank fusion; docs/decisions/0027 says why it is not used here.

#: The constant of reciprocal rank fusion in its paper.
RRF_K = 60


def round_robin(
    runs: AnyRuns,
    *,
    depth: int | None = None,
    keep: int | None = None,
    name: str = "merged",
) -> Merged:
    """Merge lists in turns: the first documents of all sources, then the second, and so on.

    Within a turn, sources have the order in which they are given; a source without further
    documents is skipped. A document that several sources return has its first position. The scores
    are n - 1, n - 2, ..., 0 for the n documents of a topic, so that trec_eval keeps the order. For
    runs and depths it raises what `merge` raises.

    Parameters
    ----------
    runs, depth, keep, name
        As of `merge`.

    Examples
    --------
    >>> from cdfscore.retrieval.merging import round_robin
    >>> lists = {"a": {"301": {"d1": 9.0, "d2": 8.0}}, "b": {"301": {"d7": 0.2}}}
    >>> round_robin(lists).frame()["document"].tolist()
    ['d1', 'd7', 'd2']
    """
    lists, told = read_all(runs, depth, keep)
    # By turn, and within a turn by source: whole numbers, each once in a topic.
    pools = (
        replace(pool, scores=-(pool.rank * len(pool.sources) + pool.source))
        for pool in batches(lists)
    )
    found = finished(pools, "best", name, keep=keep, notes=told)
    ranked = found.pool
    sizes = np.repeat(np.diff(ranked.starts), np.diff(ranked.starts))
    scores = sizes - ranked.as_run(name).ranks
    return replace(found, parts=(replace(ranked, scores=scores),))


def rrf(
    runs: AnyRuns,
    k: float = RRF_K,
    *,
    depth: int | None = None,
    keep: int | None = None,
    name: str = "merged",
) -> Merged:
    """Merge lists by reciprocal rank fusion: the score of a document is the sum of 1 / (k + rank).

    The sum is over the lists that contain the document, with ranks from 1. In disjoint lists all
    documents with the same rank have the same score, so most of the order is arbitrary. For runs
    and depths it raises what `merge` raises, and `SchemeError` for k.

    Parameters
    ----------
    runs, depth, keep, name
        As of `merge`.
    k
        A number of at least 0; 60 in the paper.

    Warns
    -----
    CdfscoreWarning
        If most merged scores are equal.

    References
    ----------
    Cormack, Clarke and Buettcher (2009), Reciprocal Rank Fusion Outperforms Condorcet and
    Individual Rank Learning Methods.

    Examples
    --------
    >>> from cdfscore.retrieval.merging import rrf
    >>> lists = {"a": {"301": {"d1": 9.0, "d2": 8.0}}, "b": {"301": {"d2": 0.2, "d7": 0.1}}}
    >>> rrf(lists).frame()[["document", "score"]].round(4).values.tolist()
    [['d2', 0.0325], ['d1', 0.0164], ['d7', 0.0161]]
    """
    number = finite_number(k)
    if number is None or number < 0:
        raise SchemeError(f"k={shown(k)} is not accepted; expected a number of at least 0")
    lists, told = read_all(runs, depth, keep)
    pools = (replace(pool, scores=1 / (number + pool.rank)) for pool in batches(lists))
    return finished(pools, "sum", name, keep=keep, notes=told)


# --- Merging of ranked lists by normalized document scores ---


def merge(
    runs: AnyRuns,
    normalize: Scheme | str = "minmax",
    *,
    weights: IntoFrame | None = None,
    depth: int | None = None,
    duplicates: DuplicatePolicy = "refuse",
    constant: ConstantListPolicy = "limit",
    unfitted: UnfittedListPolicy = "raise",
    keep: int | None = None,
    name: str = "merged",
) -> Merged:
    """Merge the ranked lists of several sources by their normalized document scores.

    A list has the scores s of one source C for one topic q. The scheme is fitted to each list and
    gives ``y = F(s)``: for "minmax" ``(s - min) / (max - min)``, for "z" ``(s - mean) / sd`` with
    n - 1, for "sum" ``(s - min) / sum(s_i - min)``, and for another scheme its own formula. With
    weights, the merged score is ``w(C|q) * y``. The documents of a topic are ordered by merged
    score; equal scores are ordered by descending document id, as in trec_eval.

    Parameters
    ----------
    runs
        The lists, one run for each source, in any form that `cdfscore.retrieval.measure` accepts.
        Within a list, documents are ordered as in trec_eval. A source may lack lists for some
        topics; a source without any document is rejected.
    normalize
        A scheme, or its spelling, such as "minmax", "z", "sum", "empirical" or "kernel".
    weights
        Weights w(C|q) of at least 0, topics x sources, such as those of `selection_weights`; all 1
        if not given.
    depth
        The number of first documents of each list that are used; the cut is made before
        normalization. All are used if None.
    duplicates
        For a document that several sources return for a topic: "refuse" (an error), "best" (its
        highest score), "sum" (the sum of its scores, CombSUM) or "mnz" (the sum times the number of
        its lists, CombMNZ).
    constant
        For lists whose scores are all equal: "limit", "half" or "raise"; see
        `cdfscore.retrieval.merging.merging.check_policies`.
    unfitted
        For lists to which the scheme cannot be fitted, such as one document for "z": "raise" or
        "drop_list".
    keep
        The number of first documents of each merged list that are kept; all if None.
    name
        The name of the merged run.

    Returns
    -------
    Merged
        The topics of the first source come first, then other topics in the order of their
        appearance. Omitted lists do not count.

    Raises
    ------
    RunError
        As `cdfscore.retrieval.read_run`; for two sources with the same name; for a document in
        several lists of a topic under "refuse"; for a merged score that is too large for a double;
        and if there is no document.
    SchemeError
        For an unknown scheme or policy; for a depth below 1; and for weights with a scheme that
        gives scores below 0, such as z, because a smaller weight would move such a document up.
    ScoresError
        For a source or a topic without weights, and weights below 0.
    FitError
        For a list to which the scheme cannot be fitted under "raise"; `ConstantTopicError` for a
        constant list under "raise".

    Warns
    -----
    CdfscoreWarning
        For constant lists, raw scores and weights of 0. Also if documents are ordered by their ids
        at the top of merged lists, such as for "minmax", where the first documents of all lists
        have y = 1, or in most of a list, such as for "empirical".

    References
    ----------
    Markov, Linear Score Normalization Revisited; Fox and Shaw (1994), Combination of Multiple
    Searches, for sums.

    Examples
    --------
    >>> from cdfscore.retrieval.merging import merge
    >>> lists = {
    ...     "a": {"301": {"d1": 12.0, "d2": 8.0, "d3": 4.0}},
    ...     "b": {"301": {"d7": 0.9, "d8": 0.8, "d9": 0.4}},
    ... }
    >>> merge(lists, "minmax").frame()
      topic document  rank  score source
    0   301       d7     1    1.0      b
    1   301       d1     2    1.0      a
    2   301       d8     3    0.8      b
    3   301       d2     4    0.5      a
    4   301       d9     5    0.0      b
    5   301       d3     6    0.0      a
    """
    scheme = parse_scheme(normalize) if isinstance(normalize, str) else normalize
    check_policies(constant, unfitted, scheme)
    check_duplicates(duplicates)
    table = None if weights is None else as_scores(weights)
    given, told = read_all(runs, depth, keep)
    lists = [normalized(run, scheme, constant, unfitted) for run in given]
    pools = batches([each.run for each in lists])
    notes, cautions = _remarks(given, lists, scheme, constant, table)
    return finished(
        pools if table is None else (_weighted(pool, table, scheme) for pool in pools),
        duplicates,
        name,
        notes=[*told, *notes],
        cautions=cautions,
        keep=keep,
        weights=table,
    )


def _weighted(pool: Pool, weights: pd.DataFrame, scheme: Scheme) -> Pool:
    if (pool.scores < 0).any():
        place = int(pool.scores.argmin())
        raise SchemeError(
            f"normalize={str(scheme)!r} gives scores below 0, such as {pool.scores[place]:.3g} in "
            f"source {pool.sources[pool.source[place]]!r}, which a smaller weight would move up; "
            "expected no weights, or scores of at least 0, such as those of minmax, sum and every "
            "cdf"
        )
    with np.errstate(over="ignore"):  # an infinite score is refused with its document
        return replace(pool, scores=of_documents(pool, weights) * pool.scores)


# --- Choice of lambda, the strength of resource selection, by cross-validation ---


#: Values of lambda to choose from: no selection, CORI's 0.4, ..., selection scores alone.
LAMBDAS = (0.0, 0.1, 0.2, 0.4, 0.7, 1.0, 2.0, 5.0, 10.0, 100.0, math.inf)


@dataclass(frozen=True, eq=False, repr=False)
class ChosenLambda:
    """Result of `cross_validated_lambda`: the chosen values of lambda, and the weights.

    Attributes
    ----------
    scores
        The measure of the merged lists, topics x values of lambda.
    by_topic
        The value for each topic: the one with the highest mean over the other judged topics.
    weights
        The weights of sources by these values, topics x sources, for `merge`.
    """

    scores: pd.DataFrame
    by_topic: pd.Series[float]
    weights: pd.DataFrame

    @property
    def note(self) -> str:
        """The chosen values in one sentence, with the number of topics of each."""
        counts = self.by_topic.value_counts().sort_index()
        values = ", ".join(f"{v:g} ({counted(n, 'topic')})" for v, n in counts.items())
        unjudged = len(self.by_topic.index.difference(self.scores.index))
        without = f"; {counted(unjudged, 'topic')} without judgments, by all judged topics"
        of_others = without if unjudged else ""
        return (
            f"lambda is chosen for each topic by the mean over all other judged topics{of_others}: "
            f"{values}"
        )

    def __repr__(self) -> str:
        return f"<ChosenLambda: {self.note}>"


def cross_validated_lambda(
    runs: AnyRuns,
    selection: IntoFrame,
    qrels: AnyQrels,
    measure: AnyMeasure = "AP",
    *,
    lambdas: Sequence[float] = LAMBDAS,
    normalize: Scheme | str = "minmax",
    depth: int | None = None,
    duplicates: DuplicatePolicy = "refuse",
    constant: ConstantListPolicy = "limit",
    unfitted: UnfittedListPolicy = "raise",
) -> ChosenLambda:
    """Choose lambda of `selection_weights` for each topic by leave-one-out over topics.

    For each topic, the chosen value gives the merged lists with the highest mean of the measure
    over all other judged topics; of equal values the smallest is chosen. For a topic without
    judgments, the mean is over all judged topics. The choice for a topic does not depend on its own
    judgments, so the merged lists can be tested against others.

    Parameters
    ----------
    runs, normalize, depth, duplicates, constant, unfitted
        As of `merge`.
    selection
        Scores of resource selection, topics x sources, as of `selection_weights`.
    qrels, measure
        As of `cdfscore.retrieval.measure`; one measure.
    lambdas
        Values to choose from, each at least 0 or infinite.

    Raises
    ------
    SchemeError
        For fewer than two values of lambda, and as `merge`.
    RunError
        For fewer than two judged topics, and as `merge` and `cdfscore.retrieval.measure`.

    Examples
    --------
    >>> import pandas as pd
    >>> from cdfscore.retrieval.merging import cross_validated_lambda
    >>> lists = {
    ...     "a": {"1": {"a1": 3.0, "a2": 1.0}, "2": {"a3": 3.0, "a4": 1.0}},
    ...     "b": {"1": {"b1": 3.0, "b2": 1.0}, "2": {"b3": 3.0, "b4": 1.0}},
    ... }
    >>> selection = pd.DataFrame({"a": [0.5, 0.4], "b": [0.4, 0.5]}, index=["1", "2"])
    >>> judged = {"1": {"a1": 1}, "2": {"b3": 1}}
    >>> cross_validated_lambda(lists, selection, judged, lambdas=[0, 1]).by_topic.tolist()
    [0.0, 1.0]
    """
    values = sorted({check_lambda(each) for each in lambdas})
    if len(values) < 2:
        raise SchemeError(
            f"there {'are no values' if not values else 'is one value'} of lambda to choose from; "
            "expected two or more"
        )
    parsed, judged = parse_measure(measure), qrels_given(qrels)
    frame = as_scores(selection)
    lists, _ = read_all(runs, depth)
    columns: dict[float, pd.Series[float]] = {}
    with warnings.catch_warnings():  # these warnings are repeated when the lists are merged
        warnings.simplefilter("ignore", CdfscoreWarning)
        for value in values:
            merged = merge(
                lists,
                normalize,
                weights=selection_weights(frame, value),
                duplicates=duplicates,
                constant=constant,
                unfitted=unfitted,
            )
            found: Measured = measured_by(merged.run, judged, parsed, missing_topics="omit")
            (matrix,) = found.matrices.values()
            columns[value] = matrix.iloc[:, 0]
    scores = pd.DataFrame(columns).dropna()
    if len(scores) < 2:
        raise RunError(
            f"{len(scores)} of the topics are judged; expected at least two, because the value for "
            "each topic is chosen on the other topics"
        )
    table = scores.to_numpy()
    # Fractions, as equal sums must be equal; the smallest value of equal ones is first.
    exact = [[Fraction(score) for score in row] for row in table.tolist()]
    sums = [sum(column) for column in zip(*exact, strict=True)]
    others = [[total - own for total, own in zip(sums, row, strict=True)] for row in exact]
    best = [each.index(max(each)) for each in others]
    everywhere = values[sums.index(max(sums))]
    by_topic = pd.Series(everywhere, index=frame.index, dtype=float, name="lambda")
    of_judged = pd.Series(np.array(values)[best], index=scores.index)
    by_topic[scores.index] = of_judged
    weights = pd.concat(
        [selection_weights(rows, float(value)) for value, rows in frame.groupby(by_topic)]
    )
    return ChosenLambda(scores, by_topic, weights.loc[frame.index])
