"""Measures that ir_measures does not compute: raw sums, and R-normalized forms.

Webber, Moffat and Zobel (2008), Section 2, distinguish raw and R-normalized measures. An
R-normalized measure is divided by the score of an ideal ranking, which has all relevant documents
first, so that the score of an ideal ranking is 1. The paper compares SP, DCG, RBP with p = 0.95 and
P@10 with their R-normalized forms. ir_measures has P, AP, the R-normalized form of SP, and the nDCG
of trec_eval, the R-normalized form of VDCG.

The page of factors of Webber and Moffat has two forms of discounted cumulative gain, which differ
from rank 2 on. Both are here under the names of that page: `DCG` and `VDCG`.

R is the number of relevant documents of a topic. Ranks begin at 1. A topic without relevant
documents has the score 0, as in trec_eval.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from cdfscore.errors import MeasureError
from cdfscore.numerics.types import Array, IntArray
from cdfscore.spelling import alternatives
from cdfscore.trec.qrels import Qrels
from cdfscore.trec.ranking import Judged
from cdfscore.trec.records import LARGEST

#: No run is as long, and larger ones overflow in some programs.
LARGEST_CUTOFF = 1_000_000_000

_GAINS = ("log2", "exp-log2")
_HIGHEST_POWER = 500  # of 2 as a gain, so that no sum is too large for a double


@dataclass(frozen=True)
class RankedSum(ABC):
    """Sum of terms of the relevant documents of a topic, down to a rank.

    Settings are spelled as those of ir_measures: ``RBP(p=0.95,rel=1)@100``.
    """

    #: Ranks that are counted; None for all.
    cutoff: int | None = None

    def __post_init__(self) -> None:
        for name, most in (("cutoff", LARGEST_CUTOFF), ("rel", LARGEST)):
            value = self._settings().get(name)
            whole = isinstance(value, int) and not isinstance(value, bool)
            if value is not None and not (whole and 1 <= value <= most):
                raise MeasureError(
                    f"{type(self).__name__}: {name} is {value!r}; expected a whole number from 1 "
                    f"to {most:,}"
                )

    def __str__(self) -> str:
        given = {f.name: f.default for f in fields(self)}
        shown = ",".join(
            f"{name}={value!r}"
            for name, value in self._settings().items()
            if name != "cutoff" and (name == "b" or value != given[name])
        )
        at = "" if self.cutoff is None else f"@{self.cutoff}"
        return f"{type(self).__name__}{f'({shown})' if shown else ''}{at}"

    @abstractmethod
    def scores(self, judged: Judged, qrels: Qrels) -> Array:
        """Return the score of each topic of the qrels, (topics,); 0 where nothing was returned."""

    def _settings(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def _within(self, judged: Judged, level: int) -> Judged:
        """Return the documents of this relevance or more that are counted."""
        keep = judged.relevance >= level
        if self.cutoff is not None:
            keep &= judged.rank <= self.cutoff
        return Judged(judged.topic[keep], judged.rank[keep], judged.relevance[keep])

    def _counted(self, relevant: IntArray) -> IntArray:
        """Return how many of the relevant documents an ideal ranking has among those counted."""
        return relevant if self.cutoff is None else np.minimum(relevant, self.cutoff)


@dataclass(frozen=True)
class SP(RankedSum):
    """Sum of precisions: the sum of the precision at the rank of each relevant document.

    SP = sum over k of k / r_k, where r_k is the rank of the k-th relevant document; Webber,
    Moffat and Zobel (2008), Section 2, after Aslam, Yilmaz and Pavlu. Its R-normalized form is AP =
    SP / R. `rel` is the least relevance of a relevant document.

    Examples
    --------
    >>> from cdfscore.trec import measure
    >>> run, qrels = {"301": {"d7": 3.0, "d2": 2.0, "d5": 1.0}}, {"301": {"d7": 1, "d5": 1}}
    >>> measure({"bm25": run}, qrels, "SP")["SP"].round(3)  # 1/1 + 2/3
            bm25
    topic
    301    1.667
    """

    rel: int = 1

    def scores(self, judged: Judged, qrels: Qrels) -> Array:
        """Return the score of each topic, (topics,)."""
        found = self._within(judged, self.rel)
        return _summed(found, _place(found.topic) / found.rank, qrels)


class Discounted(RankedSum):
    """Sum of gains that are divided by a discount of their ranks; of all relevant documents."""

    @abstractmethod
    def discounts(self, ranks: int) -> Array:
        """Return the discounts of the ranks from 1, (ranks,)."""

    def gains(self, relevance: IntArray) -> Array:
        """Return the gains of levels of relevance from 1."""
        return relevance.astype(np.float64)

    def scores(self, judged: Judged, qrels: Qrels) -> Array:
        """Return the score of each topic, (topics,)."""
        found = self._within(judged, 1)
        discounts = self.discounts(int(found.rank.max(initial=0)))
        return _summed(found, self.gains(found.relevance) / discounts[found.rank - 1], qrels)

    def normalized(self, judged: Judged, qrels: Qrels) -> Array:
        """Return the scores, divided by those of the ideal ranking: all documents by relevance."""
        order = np.lexsort((-qrels.relevance, qrels.codes))
        topic = qrels.codes[order]
        ideal = Judged(topic, _place(topic), qrels.relevance[order])
        return _normalized(
            Discounted.scores(self, judged, qrels), Discounted.scores(self, ideal, qrels)
        )


@dataclass(frozen=True)
class DCG(Discounted):
    """Discounted cumulative gain of Jarvelin and Kekalainen, with the base b of the logarithm.

    DCG = sum of relevance / max(1, log_b(rank)): ranks up to b are not discounted; Jarvelin and
    Kekalainen (2002). The page of factors of Webber and Moffat has b = 2. The usual DCG of today
    is `VDCG`, which discounts rank 2.

    Examples
    --------
    >>> from cdfscore.trec import measure
    >>> run, qrels = {"301": {"d7": 3.0, "d2": 2.0, "d5": 1.0}}, {"301": {"d2": 1, "d5": 1}}
    >>> measure({"bm25": run}, qrels, ["DCG", "VDCG"]).frame()["score"].round(3).tolist()
    [1.631, 1.131]
    """

    b: float = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        if not _is_number(self.b) or not 1 < self.b < math.inf:
            raise MeasureError(
                f"{type(self).__name__}: b is {self.b!r}; expected a finite number above 1"
            )
        if self.b == int(self.b):  # one name for 2 and 2.0
            object.__setattr__(self, "b", int(self.b))

    def discounts(self, ranks: int) -> Array:
        """Return max(1, log_b(rank)), (ranks,)."""
        return np.array([max(1.0, math.log2(r) / math.log2(self.b)) for r in range(1, ranks + 1)])


@dataclass(frozen=True)
class nDCG(DCG):
    """DCG in R-normalized form; it has the base b as a setting, and nDCG without b is another.

    The divisor is the DCG of an ideal ranking; Jarvelin and Kekalainen (2002). ``nDCG`` without b
    is that of ir_measures and trec_eval, whose raw form is `VDCG`.
    """

    def scores(self, judged: Judged, qrels: Qrels) -> Array:
        """Return the score of each topic, (topics,)."""
        return self.normalized(judged, qrels)


@dataclass(frozen=True)
class VDCG(Discounted):
    """Discounted cumulative gain as trec_eval has it: every rank from 2 on is discounted.

    VDCG = sum of gain / log2(rank + 1). With ``dcg="log2"`` the gain is the relevance, and nVDCG is
    the nDCG of trec_eval. With ``dcg="exp-log2"`` it is 2^relevance - 1, as in Burges et al.
    (2005); for relevance 0 and 1 this is the same. Both words are those of the nDCG of ir_measures.
    """

    dcg: str = "log2"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.dcg not in _GAINS:
            words = alternatives([*map(repr, _GAINS)])
            raise MeasureError(f"{type(self).__name__}: dcg is {self.dcg!r}; expected {words}")

    def discounts(self, ranks: int) -> Array:
        """Return log2(rank + 1), (ranks,)."""
        # The logarithm of the C library, which trec_eval takes; NumPy's may differ in one ulp.
        return np.array([math.log2(r + 1) for r in range(1, ranks + 1)])

    def gains(self, relevance: IntArray) -> Array:
        """Return the relevance, or 2^relevance - 1."""
        if self.dcg == _GAINS[0]:
            return super().gains(relevance)
        if relevance.max(initial=0) > _HIGHEST_POWER:
            raise MeasureError(
                f"{self}: a document has the relevance {relevance.max()}; expected at most "
                f"{_HIGHEST_POWER}, because the gain is 2^relevance - 1"
            )
        return np.exp2(relevance) - 1


@dataclass(frozen=True)
class nVDCG(VDCG):
    """VDCG in R-normalized form, divided by the VDCG of an ideal ranking: trec_eval's nDCG."""

    def scores(self, judged: Judged, qrels: Qrels) -> Array:
        """Return the score of each topic, (topics,)."""
        return self.normalized(judged, qrels)


@dataclass(frozen=True)
class RBP(RankedSum):
    """Rank-biased precision with persistence p.

    RBP = (1 - p) sum of p^(rank - 1) over the relevant documents, whose relevance is `rel` or more;
    Moffat and Zobel (2008). Webber, Moffat and Zobel (2008) use p = 0.95. The default is 0.8, as in
    ir_measures, which has this measure under the same name but needs another package for it.
    """

    p: float = 0.8
    rel: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if not _is_number(self.p) or not 0 < self.p < 1:
            raise MeasureError(
                f"{type(self).__name__}: p is {self.p!r}; expected a number between 0 and 1"
            )

    def scores(self, judged: Judged, qrels: Qrels) -> Array:
        """Return the score of each topic, (topics,)."""
        found = self._within(judged, self.rel)
        return (1 - self.p) * _summed(found, np.float64(self.p) ** (found.rank - 1), qrels)


@dataclass(frozen=True)
class nRBP(RBP):
    """Rank-biased precision in R-normalized form, RBP / (1 - p^R).

    The divisor is the RBP of an ideal ranking, (1 - p) (1 + p + ... + p^(R - 1)); Webber, Moffat
    and Zobel (2008), Section 2.
    """

    def scores(self, judged: Judged, qrels: Qrels) -> Array:
        """Return the score of each topic, (topics,)."""
        ideal = -np.expm1(math.log(self.p) * self._counted(qrels.relevant(self.rel)))
        return _normalized(super().scores(judged, qrels), ideal)


@dataclass(frozen=True)
class nP(RankedSum):
    """R-normalized precision: the number of relevant documents among the first k, over min(k, R).

    nP@k = P@k / (min(k, R) / k); Webber, Moffat and Zobel (2008), Section 2. trec_eval calls it
    relative_P. `rel` is the least relevance of a relevant document.
    """

    rel: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.cutoff is None:
            raise MeasureError("nP has no cutoff; expected nP@10, for example")

    def scores(self, judged: Judged, qrels: Qrels) -> Array:
        """Return the score of each topic, (topics,)."""
        found = self._within(judged, self.rel)
        ideal = self._counted(qrels.relevant(self.rel)).astype(np.float64)
        return _normalized(_summed(found, np.ones(len(found.rank)), qrels), ideal)


#: All of them, by name.
SUMS: dict[str, type[RankedSum]] = {
    each.__name__: each for each in (SP, DCG, nDCG, VDCG, nVDCG, RBP, nRBP, nP)
}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _summed(judged: Judged, terms: Array, qrels: Qrels) -> Array:
    """Add up the terms of each topic in the order of the ranks, as trec_eval does."""
    sums = np.bincount(judged.topic, weights=terms, minlength=len(qrels.topics))
    return sums.astype(np.float64)  # bincount of nothing has whole numbers


def _normalized(scores: Array, ideal: Array) -> Array:
    return np.divide(scores, ideal, out=np.zeros_like(scores), where=ideal > 0)


def _place(topic: IntArray) -> IntArray:
    """Return the number of each document within its topic, from 1; topics are in runs."""
    if not len(topic):
        return topic
    new = np.concatenate([[True], topic[1:] != topic[:-1]])
    starts = np.flatnonzero(new)
    return np.asarray(np.arange(len(topic)) - starts[np.cumsum(new) - 1] + 1)
