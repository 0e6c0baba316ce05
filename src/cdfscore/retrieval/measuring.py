"""Measures of runs by qrels: which there are, and their scores."""

from __future__ import annotations

import ast
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from functools import lru_cache
from importlib import import_module
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import pandas as pd
import pyarrow.compute as pc

from cdfscore.common.cautions import warn_of
from cdfscore.common.text import counted, listed, notes_of_files, part_of
from cdfscore.common.threads import alone
from cdfscore.errors import (
    CdfscoreError,
    MeasureError,
    MissingDependencyError,
    RunError,
    alternatives,
    check_one_of,
    did_you_mean,
)
from cdfscore.retrieval.runs import (
    LARGEST,
    AnyQrels,
    AnyRuns,
    Judged,
    NamedRun,
    Qrels,
    RankConflicts,
    Ranking,
    Run,
    cautions,
    named_once,
    qrels_given,
    read_run,
    runs_given,
    within_runs,
)
from cdfscore.scores.dataframes import remember
from cdfscore.scores.results.names import TWO_FORMS_OF_DCG, is_with_base, name_of_page
from cdfscore.stats.numerics.numbers import shown
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray

if TYPE_CHECKING:
    import ir_measures

# --- Measures that ir_measures does not compute: raw sums, and R-normalized forms ---
#
# An R-normalized measure is divided by the score of an ideal ranking, which has all relevant
# documents first; Webber, Moffat and Zobel (2008), Section 2. R is the number of relevant ones. A
# topic without any has the score 0, as in trec_eval. `DCG` and `VDCG` differ from rank 2 on, and
# have the names of the page of factors of Webber and Moffat.

#: No run is as long, and larger ones overflow in some programs.
LARGEST_CUTOFF = 1_000_000_000

_GAINS = ("log2", "exp-log2")
_HIGHEST_POWER = 500  # of 2 as a gain, so that no sum is too large for a double


class _Rule(NamedTuple):
    holds: Callable[[Any], bool]
    expected: str


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _whole(least: int, most: int) -> _Rule:
    words = f"a whole number from {least} to {most:,}"
    return _Rule(lambda value: _is_whole(value) and least <= value <= most, words)


def _number(holds: Callable[[Any], bool], expected: str) -> _Rule:
    return _Rule(lambda value: isinstance(value, int | float) and holds(value), expected)


_RULES = {
    "cutoff": _whole(1, LARGEST_CUTOFF),
    "rel": _whole(1, LARGEST),
    "min_rel": _whole(0, LARGEST),
    "max_rel": _whole(1, LARGEST),
    "alpha": _number(lambda value: 0 <= value <= 1, "a number from 0.0 to 1.0"),
    "p": _number(lambda value: 0 < value < 1, "a number between 0 and 1"),
    "T": _number(lambda value: 0 < value < math.inf, "a number above 0"),
    "b": _number(lambda value: 1 < value < math.inf, "a finite number above 1"),
    # trec_eval is given the recall with two decimals, and measures the rounded one.
    "recall": _number(
        lambda value: 0 <= value <= 1 and round(value, 2) == value,
        "a number from 0.0 to 1.0 with at most 2 decimals",
    ),
    # trec_eval is given the digits, and takes 1 where they have an exponent.
    "beta": _number(
        lambda value: repr(value).replace(".", "", 1).isdigit(),
        "a number such as 0.5 or 2.0, without an exponent",
    ),
    "dcg": _Rule(_GAINS.__contains__, alternatives([*map(repr, _GAINS)])),
    "gains": _Rule(
        lambda value: (
            all(map(_is_whole, [*value, *value.values()]))
            and all(0 <= gain <= LARGEST for gain in value.values())
        ),
        f"whole numbers by relevance, from 0 to {LARGEST:,}, such as {{1: 1, 2: 3}}",
    ),
}


@dataclass(frozen=True)
class RankedSum(ABC):
    """Sum of terms of the relevant documents of a topic, down to a rank.

    Settings are spelled as those of ir_measures: ``RBP(p=0.95,rel=1)@100``.
    """

    #: Ranks that are counted; None for all.
    cutoff: int | None = None

    #: Whether the score is divided by that of an ideal ranking.
    normalized: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not (value is None and name in ("cutoff", "rel")) and not _RULES[name].holds(value):
                raise MeasureError(
                    f"{type(self).__name__}: {name} is {value!r}; expected {_RULES[name].expected}"
                )

    def __str__(self) -> str:
        given = {f.name: f.default for f in fields(self)}
        shown = ",".join(
            f"{name}={value!r}"
            for name, value in vars(self).items()
            if name != "cutoff" and (name == "b" or value != given[name])
        )
        at = "" if self.cutoff is None else f"@{self.cutoff}"
        return f"{type(self).__name__}{f'({shown})' if shown else ''}{at}"

    def scores(self, judged: Judged, qrels: Qrels) -> Array:
        """Return the score of each topic of the qrels, (topics,); 0 where nothing was returned."""
        found = self.summed(judged, qrels)
        if not self.normalized:
            return found
        ideal = self.ideal(qrels)
        return np.divide(found, ideal, out=np.zeros_like(found), where=ideal > 0)

    def summed(self, judged: Judged, qrels: Qrels) -> Array:
        """Return the sum of the terms of each topic, (topics,)."""
        keep = judged.relevance >= getattr(self, "rel", 1)
        if self.cutoff is not None:
            keep &= judged.rank <= self.cutoff
        found = Judged(judged.topic[keep], judged.rank[keep], judged.relevance[keep])
        sums = np.bincount(found.topic, self.terms(found), len(qrels.topics))
        return sums.astype(np.float64)  # bincount of nothing has whole numbers

    @abstractmethod
    def terms(self, found: Judged) -> Array:
        """Return the terms of documents that are relevant and counted."""

    def ideal(self, qrels: Qrels) -> Array:
        """Return the sums of the ideal ranking, which has all documents by relevance."""
        order = np.lexsort((-qrels.relevance, qrels.codes))
        topic = qrels.codes[order]
        return self.summed(Judged(topic, within_runs(topic) + 1, qrels.relevance[order]), qrels)

    def counted(self, qrels: Qrels) -> IntArray:
        """Count the relevant documents that an ideal ranking has among those counted."""
        relevant = qrels.relevant(getattr(self, "rel", 1))
        return np.minimum(relevant, self.cutoff or LARGEST_CUTOFF)


@dataclass(frozen=True)
class SP(RankedSum):
    """Sum of precisions: the sum of the precision at the rank of each relevant document.

    SP = sum over k of k / r_k, where r_k is the rank of the k-th relevant document; Webber,
    Moffat and Zobel (2008), Section 2, after Aslam, Yilmaz and Pavlu. Its R-normalized form is AP =
    SP / R. `rel` is the least relevance of a relevant document.
    """

    rel: int = 1

    def terms(self, found: Judged) -> Array:
        return np.asarray((within_runs(found.topic) + 1) / found.rank)


class Discounted(RankedSum):
    """Sum of gains that are divided by a discount of their ranks; of all relevant documents."""

    @abstractmethod
    def discounts(self, ranks: int) -> Array:
        """Return the discounts of the ranks from 1, (ranks,)."""

    def gains(self, relevance: IntArray) -> Array:
        """Return the gains of levels of relevance from 1."""
        return relevance.astype(np.float64)

    def terms(self, found: Judged) -> Array:
        discounts = self.discounts(int(found.rank.max(initial=0)))
        return np.asarray(self.gains(found.relevance) / discounts[found.rank - 1])


@dataclass(frozen=True)
class DCG(Discounted):
    """Discounted cumulative gain of Jarvelin and Kekalainen, with the base b of the logarithm.

    DCG = sum of relevance / max(1, log_b(rank)): ranks up to b are not discounted; Jarvelin and
    Kekalainen (2002). The page of factors of Webber and Moffat has b = 2. The usual DCG of today
    is `VDCG`, which discounts rank 2.
    """

    b: float = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.b == int(self.b):  # one name for 2 and 2.0
            object.__setattr__(self, "b", int(self.b))

    def discounts(self, ranks: int) -> Array:
        return np.array([max(1.0, math.log2(r) / math.log2(self.b)) for r in range(1, ranks + 1)])


@dataclass(frozen=True)
class nDCG(DCG):
    """DCG in R-normalized form; it has the base b as a setting, and nDCG without b is another.

    The divisor is the DCG of an ideal ranking; Jarvelin and Kekalainen (2002). ``nDCG`` without b
    is that of ir_measures and trec_eval, whose raw form is `VDCG`.
    """

    normalized: ClassVar[bool] = True


@dataclass(frozen=True)
class VDCG(Discounted):
    """Discounted cumulative gain as trec_eval has it: every rank from 2 on is discounted.

    VDCG = sum of gain / log2(rank + 1). With ``dcg="log2"`` the gain is the relevance, and nVDCG is
    the nDCG of trec_eval. With ``dcg="exp-log2"`` it is 2^relevance - 1, as in Burges et al.
    (2005); for relevance 0 and 1 this is the same. Both words are those of the nDCG of ir_measures.
    """

    dcg: str = "log2"

    def discounts(self, ranks: int) -> Array:
        # The logarithm of the C library, which trec_eval takes; NumPy's may differ in one ulp.
        return np.array([math.log2(r + 1) for r in range(1, ranks + 1)])

    def gains(self, relevance: IntArray) -> Array:
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

    normalized: ClassVar[bool] = True


@dataclass(frozen=True)
class RBP(RankedSum):
    """Rank-biased precision with persistence p.

    RBP = (1 - p) sum of p^(rank - 1) over the relevant documents, whose relevance is `rel` or more;
    Moffat and Zobel (2008). Webber, Moffat and Zobel (2008) use p = 0.95. The default is 0.8, as in
    ir_measures, which has this measure under the same name but needs another package for it.
    """

    p: float = 0.8
    rel: int = 1

    def summed(self, judged: Judged, qrels: Qrels) -> Array:
        return (1 - self.p) * super().summed(judged, qrels)

    def terms(self, found: Judged) -> Array:
        return np.asarray(np.float64(self.p) ** (found.rank - 1))


@dataclass(frozen=True)
class nRBP(RBP):
    """Rank-biased precision in R-normalized form, RBP / (1 - p^R).

    The divisor is the RBP of an ideal ranking, (1 - p) (1 + p + ... + p^(R - 1)); Webber, Moffat
    and Zobel (2008), Section 2.
    """

    normalized: ClassVar[bool] = True

    def ideal(self, qrels: Qrels) -> Array:
        return np.asarray(-np.expm1(math.log(self.p) * self.counted(qrels)))


@dataclass(frozen=True)
class nP(RankedSum):
    """R-normalized precision: the number of relevant documents among the first k, over min(k, R).

    nP@k = P@k / (min(k, R) / k); Webber, Moffat and Zobel (2008), Section 2. trec_eval calls it
    relative_P. `rel` is the least relevance of a relevant document.
    """

    normalized: ClassVar[bool] = True

    rel: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.cutoff is None:
            raise MeasureError("nP has no cutoff; expected nP@10, for example")

    def terms(self, found: Judged) -> Array:
        return np.ones(len(found.rank))

    def ideal(self, qrels: Qrels) -> Array:
        return self.counted(qrels).astype(np.float64)


#: All of them, by name.
SUMS: dict[str, type[RankedSum]] = {
    each.__name__: each for each in (SP, DCG, nDCG, VDCG, nVDCG, RBP, nRBP, nP)
}


# --- Measures by name: those of ir_measures, and sums that it lacks ---
#
# ir_measures checks types only, and takes True for 1.

Measure: TypeAlias = "ir_measures.Measure | RankedSum"
#: Measures as they are given: by name, or as an object such as `ir_measures.AP`.
AnyMeasure: TypeAlias = "str | Measure"
AnyMeasures: TypeAlias = "AnyMeasure | Iterable[AnyMeasure]"


def _check_settings(text: str, supported: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    for name, value in settings.items():
        info = supported[name]
        rule = _RULES.get(name)
        fits = info.validate(value) and isinstance(value, bool) == (info.dtype is bool)
        if not fits or (rule is not None and not rule.holds(value)):
            has_choices = isinstance(info.choices, Sequence)
            expected = _of_type(info) if rule is None or has_choices else rule.expected
            raise MeasureError(f"measure {text!r}: {name} is {value!r}; expected {expected}")


def _of_type(info: Any) -> str:
    if isinstance(info.choices, Sequence):
        return " or ".join(map(repr, info.choices))
    kinds = {int: "a whole number", float: "a number with a decimal point", bool: "True or False"}
    return kinds.get(info.dtype, getattr(info.dtype, "__name__", "another value"))


_EXPECTED = "expected a name such as AP, nDCG@20 or AP(rel=2)"

# The program of ir_measures for diversity.
_DIVERSITY = "pyndeval"


def parse_measures(given: AnyMeasures) -> dict[str, Measure]:
    """Return the measures that are given by name, or as objects, by their usual spelling.

    Raises `MeasureError` for other objects, for an unknown measure or setting, for one that
    nothing installed measures, and for one that is named twice; `MissingDependencyError` without
    ir_measures.
    """
    if not isinstance(given, Iterable) or isinstance(given, str | bytes):
        given = [given]
    names = list(map(name_of_measure, given))
    if not names:
        raise MeasureError(f"no measure is given; {_EXPECTED}")
    found: dict[str, Measure] = {}
    for name in names:
        measure = parse_measure(name)
        if str(measure) in found:
            before = names[list(found).index(str(measure))]
            raise MeasureError(f"measure {name!r} is the same as {before!r}; expected each once")
        found[str(measure)] = measure
    return found


def parse_measure(given: AnyMeasure) -> Measure:
    """Return a measure of its name with settings, such as ``P(rel=2)@10``, or of an object."""
    irm = require_ir_measures()
    text = name_of_measure(given)
    name, settings, at = _parts(name_of_page(text))
    # nDCG without b is that of ir_measures.
    own = SUMS.get(name) if name != "nDCG" or "b" in settings else None
    known: Any = own or irm.measures.registry.get(name)
    if known is None:
        raise MeasureError(f"measure {text!r} is not known{_hint(irm, name, text)}; {_EXPECTED}")
    cutoff = known.AT_PARAM if own is None else "cutoff"
    supported: dict[str, Any] = (
        known.SUPPORTED_PARAMS if own is None else {each.name: each for each in fields(own)}
    )
    if at is not None:
        if cutoff in settings:
            raise MeasureError(f"measure {text!r} has {cutoff} twice; expected it once")
        settings[cutoff] = at
    for setting in settings:
        if setting not in supported:
            raise MeasureError(
                f"measure {text!r} has no setting {setting!r}{did_you_mean(setting, supported)}; "
                f"expected {' or '.join(supported) or 'none'}"
            )
    if own is not None:
        return own(**settings)
    _check_settings(text, supported, settings)
    for setting, info in supported.items():
        if info.required and setting not in {**known.params, **settings}:
            at_sign = f", as in {name}@10" if setting == cutoff else ""
            raise MeasureError(f"measure {text!r} has no {setting}; expected one{at_sign}")
    if name == "NumQ":
        raise MeasureError(
            "NumQ is 1 for each topic, and no score; expected a measure with scores of topics"
        )
    measure: Measure = known(**settings)
    _refuse_unmeasured(irm, measure)
    return measure


def name_of_measure(given: object) -> str:
    """Return the full name of a measure, or of an object, whose settings are checked so as well."""
    if isinstance(given, str):
        return given
    if isinstance(given, RankedSum | require_ir_measures().Measure):
        return str(given)
    raise MeasureError(
        f"measure {shown(given)} is not accepted; {_EXPECTED}, or an object such as ir_measures.AP"
    )


def require_ir_measures() -> Any:
    """Import ir_measures and what measures for it, or raise `MissingDependencyError`."""
    try:
        import_module("pytrec_eval")
        return import_module("ir_measures")
    except ImportError as error:
        raise MissingDependencyError(
            "measures need ir_measures and pytrec_eval, which are not installed; run "
            "pip install 'cdfscore[trec]'"
        ) from error


def _parts(text: str) -> tuple[str, dict[str, Any], Any]:
    try:
        node: ast.expr = ast.parse(text.strip(), mode="eval").body
        at = None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            at = ast.literal_eval(node.right)
            node = node.left
        settings = {}
        if isinstance(node, ast.Call) and not node.args:
            settings = {str(k.arg): ast.literal_eval(k.value) for k in node.keywords}
            node = node.func
        if isinstance(node, ast.Name):
            return node.id, settings, at
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        pass
    raise MeasureError(f"measure {text!r} is not a name with settings; {_EXPECTED}")


def _hint(irm: Any, name: str, text: str) -> str:
    with suppress(ValueError, KeyError, TypeError, IndexError):
        return f": it is trec_eval's name for {irm.parse_trec_measure(text.strip())[0]}"
    return did_you_mean(name, [*irm.measures.registry, *SUMS])


def _refuse_unmeasured(irm: Any, measure: Any) -> None:
    providers = irm.DefaultPipeline.providers
    if any(p.NAME == _DIVERSITY and p.supports(measure) for p in providers):
        raise MeasureError(
            f"measure {str(measure)!r} is a measure of diversity, which needs subtopics; expected "
            "another, because cdfscore does not read the iteration column of the qrels"
        )
    if irm.DefaultPipeline.supports(measure):
        return
    others = [p.NAME for p in providers if p.supports(measure)]
    needed = "no program of ir_measures has it"
    if others:
        needed = f"it needs {' or '.join(others)}, which is not installed"
    raise MeasureError(f"measure {str(measure)!r} cannot be measured: {needed}")


# --- Measurement of runs: topics x systems, by each of several measures ---


#: Policies for judged topics that a run lacks.
MissingTopics = Literal["refuse", "omit", "zero"]
POLICIES = get_args(MissingTopics)
# Without a least relevance, these count documents of any.
_OF_ANY_RELEVANCE = ("Judged", "NumRet")
Rankings = Mapping[str, Mapping[str, float]]
# Written in Perl: reads files of columns, and stops at a higher relevance.
_GDEVAL, _HIGHEST_OF_GDEVAL = "gdeval", 4


def measure(
    runs: AnyRuns,
    qrels: AnyQrels,
    measures: AnyMeasures,
    *,
    missing_topics: MissingTopics = "refuse",
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Measured:
    """Measure runs by qrels: one score matrix, topics x systems, for each measure.

    Documents are ordered as in trec_eval: by descending score in single precision, and equal scores
    by descending document id. The scores are those of `ir_measures`. If it takes them from
    pytrec_eval, they are the same doubles.

    Parameters
    ----------
    runs
        A run, a list of runs, or runs by the names of systems, ``{"bm25": "a.run", "x": run}``. A
        run is a file or the result of `read_run`, which has the name of its run id. Or it has
        scores in memory: a dictionary ``{"301": {"d7": 2.5}}`` as pytrec_eval takes it, a ``Run``
        of ranx, records such as ``ScoredDoc`` of ir_measures, or a data frame with columns of
        topics, documents and scores, such as ``query_id``, ``doc_id`` and ``score``, and perhaps
        of systems.
    qrels
        A file, the result of `read_qrels`, or relevance in memory, in the same forms:
        ``{"301": {"d7": 1}}``, ``Qrels`` of ranx, ``Qrel`` of ir_measures, a data frame.
    measures
        Measures of ir_measures, by name, such as ``AP``, ``nDCG@20`` and ``P(rel=2)@10``, or as
        objects, such as ``ir_measures.AP @ 10``. Also, by name, measures of Webber, Moffat and
        Zobel (2008): ``SP``, ``DCG``, ``nDCG(b=2)``, ``VDCG``, ``nVDCG``, ``RBP(p=0.95)``,
        ``nRBP(p=0.95)`` and ``nP@10``; see `cdfscore.retrieval.measuring`.
    missing_topics
        The policy for judged topics that a run lacks. ``refuse``: an error. ``omit``: the score is
        missing, as in trec_eval, which averages over the other topics; topics that all runs lack
        are omitted. ``zero``: the score is 0, as with ``trec_eval -c``.
    executor
        An executor that measures one run at a time. A ProcessPoolExecutor uses several cores.
        Threads do not, because pytrec_eval keeps the interpreter's lock.
    progress
        A function that is called with the number of measured runs and the number of all runs.

    Returns
    -------
    Measured
        The matrices, with topics in the order of the qrels. Topics of the runs that are not judged
        are omitted, and a note counts them.

    Raises
    ------
    RunError
        For the errors of `read_run` and `read_qrels`, also in memory, with topic and document; for
        several runs without names, or two with the same name; for a run without a judged topic,
        and, under ``refuse``, for a run that lacks a judged topic.
    MeasureError
        For an unknown measure or setting, and if the program that computes a measure fails.
    MissingDependencyError
        If ir_measures or pytrec_eval is not installed.

    Warns
    -----
    CdfscoreWarning
        If the ranks in a file contradict the scores, or if equal scores have another order than
        their ranks; if no document of a run is judged; if a measure is not defined on a topic; and
        if a topic has no relevant document, so that all scores are 0.

    Examples
    --------
    >>> from cdfscore.retrieval import measure
    >>> run = {"301": {"d7": 2.5, "d2": 1.5}, "302": {"d2": 9.0}}
    >>> measured = measure({"bm25": run}, {"301": {"d2": 1}, "302": {"d2": 2}}, ["AP", "P@10"])
    >>> measured["AP"]
           bm25
    topic
    301     0.5
    302     1.0
    """
    given = runs_given(runs)
    check_policy(missing_topics)
    parsed = parse_measures(measures)
    judged = qrels_given(qrels)
    every = list(_measured(given.runs, judged, tuple(parsed), executor, progress))
    found = list(named_once(every, "system", "runs"))
    # A topic with negative relevance only has no judged document.
    known = np.isin(judged.topics, judged.judged)
    topics = list(compress(judged.topics, known))
    values = np.stack([each.values[:, known] for each in found], axis=2)
    lacks = np.stack([each.lacks[known] for each in found], axis=1)
    values, stays, policy_notes = _after_policy(missing_topics, found, values, topics, lacks)
    known[known] = stays
    read = notes_of_files([(run.source, note) for run in found for note in run.notes], len(found))
    told = [*given.notes, *judged.notes, *read, *policy_notes, *_left_out(found, judged)]
    if any(map(is_with_base, parsed)):
        told.append(
            f"{TWO_FORMS_OF_DCG}: relevance 1 at rank 2 gives a DCG of 1 and a VDCG of 0.63"
        )
    warned = list(_cautions(found, judged, known, parsed))
    everything = [*told, *warned]
    index = pd.Index(list(compress(topics, stays)), dtype=str, name="topic")
    columns = pd.Index([each.system for each in found], dtype=str)
    matrices = {}
    for name, block in zip(parsed, values, strict=True):
        matrices[name] = pd.DataFrame(block, index=index, columns=columns)
        remember(matrices[name], notes=list(everything), measure=name)
    warn_of(warned)
    return Measured(matrices, tuple(everything))


def _measured(
    runs: Sequence[NamedRun],
    qrels: Qrels,
    names: tuple[str, ...],
    executor: Executor | None,
    progress: Callable[[int, int], None] | None,
) -> Iterator[RunScores]:
    if executor is None:
        each = (scores_of(run, name, qrels, names) for run, name in runs)
    else:
        here = [  # standard input is of this process
            (read_run("-", name) if run == "-" else run, name) for run, name in runs
        ]
        waiting = [executor.submit(alone, scores_of, run, name, qrels, names) for run, name in here]
        each = (future.result() for future in waiting)
    for done, found in enumerate(each, start=1):
        if progress is not None:
            progress(done, len(runs))
        yield found


def _left_out(found: Sequence[RunScores], qrels: Qrels) -> Iterator[str]:
    """Yield a sentence on topics without judgments, and on those without a judged document."""
    if topics := sorted({topic for run in found for topic in run.unjudged}):
        having = sum(1 for run in found if run.unjudged)
        yield (
            f"{_topics_are(topics, 'without judgments in the qrels ')} left out, as in "
            f"trec_eval: {listed(topics)} (in {part_of(having, len(found), 'run')})"
        )
    judged = frozenset(qrels.judged)
    if topics := [topic for topic in qrels.topics if topic not in judged]:
        yield (
            f"{_topics_are(topics)} left out, because the relevance in the qrels "
            f"is below 0, which means not judged: {listed(topics)}"
        )


def _topics_are(topics: Sequence[str], which: str = "") -> str:
    return f"{counted(len(topics), 'topic')} {which}{'is' if len(topics) == 1 else 'are'}"


def _cautions(
    found: Sequence[RunScores], qrels: Qrels, known: BoolArray, measures: Mapping[str, Measure]
) -> Iterator[str]:
    """Yield sentences on ranks, on runs and measures without scores, and on equal scores."""
    yield from cautions({each.system: each.conflicts for each in found})
    if runs := [f"{r.system!r} (such as {r.unknown!r})" for r in found if r.unknown is not None]:
        yield (
            f"no document of {part_of(len(runs), len(found), 'system')} is judged: {listed(runs)}; "
            "are the ids of the documents written as in the qrels, such as "
            f"{str(qrels.documents[0].as_py())!r}?"
        )
    for i, name in enumerate(measures):
        counts = [int((np.isnan(run.values[i]) & ~run.lacks & known).sum()) for run in found]
        if runs := [f"{run.system!r} ({n})" for run, n in zip(found, counts, strict=True) if n]:
            yield (
                f"{name} is not defined on some topics of {len(runs)} of {len(found)} systems, "
                f"where the scores are missing: {listed(runs)}"
            )
    for what, relevant in sorted(dict(_relevant(qrels, measures)).items()):
        if topics := list(compress(qrels.topics, known & (relevant == 0))):
            yield (
                f"{counted(len(topics), 'topic')} {'has' if len(topics) == 1 else 'have'} no "
                f"document {what}, so that all systems have the same score there: {listed(topics)}"
            )


def _relevant(qrels: Qrels, measures: Mapping[str, Measure]) -> Iterator[tuple[str, IntArray]]:
    for name, measure in measures.items():
        settings: dict[str, Any] = getattr(measure, "params", None) or vars(measure)
        kind = getattr(measure, "NAME", None)
        if "gains" in settings:
            yield f"with a gain above 0 by {name}", qrels.gaining(settings["gains"])
        # Accuracy is not defined on a topic without them.
        elif kind != "Accuracy" and ("rel" in settings or kind not in _OF_ANY_RELEVANCE):
            level = settings.get("rel", 1)
            yield f"of relevance {level} or more", qrels.relevant(level)


def check_policy(policy: str) -> None:
    """Raise `CdfscoreError` unless `policy` is one of `POLICIES`."""
    check_one_of("missing_topics", policy, POLICIES, CdfscoreError)


def _after_policy(
    policy: MissingTopics,
    runs: Sequence[RunScores],
    values: Array,
    topics: Sequence[str],
    lacks: BoolArray,
) -> tuple[Array, BoolArray, list[str]]:
    """Return the scores (measures, topics, systems), the topics that stay, and what was done."""
    for run, absent in zip(runs, lacks.T, strict=True):
        if absent.all():
            others = f", but has others, such as {run.unjudged[0]!r}" if run.unjudged else ""
            raise RunError(
                f"{run.source} has none of the {counted(len(topics), 'judged topic')}, such as "
                f"{topics[0]!r}{others}; expected topics with the labels of the qrels"
            )
        if policy == "refuse" and absent.any():
            raise RunError(
                f"{run.source} lacks {_part(absent)}, such as {topics[int(absent.argmax())]!r}; "
                "say missing_topics='zero' for scores of 0 there, or missing_topics='omit' for "
                "missing scores"
            )
    stays = np.ones(len(topics), np.bool_)
    if not lacks.any():
        return values, stays, []
    which = [
        f"{run.system!r} ({int(absent.sum())})"
        for run, absent in zip(runs, lacks.T, strict=True)
        if absent.any()
    ]
    lack = "lacks" if len(which) == 1 else "lack"
    count = part_of(len(which), len(runs), "system")
    whose = f"judged topics that {count} {lack}: {listed(which)}"
    if policy == "zero":
        return np.where(lacks, 0.0, values), stays, [f"scores are 0 on {whose}"]
    stays = np.logical_not(lacks.all(axis=1))
    notes = []
    if not stays.all():
        are, them = ("is", "it") if np.count_nonzero(~stays) == 1 else ("are", "them")
        notes.append(f"{_part(~stays)} {are} left out, because no run has {them}")
    if lacks[stays].any():
        notes.append(f"scores are missing on {whose}")
    return values[:, stays], stays, notes


def _part(flags: BoolArray | IntArray) -> str:
    return part_of(int(np.count_nonzero(flags)), len(flags), "judged topic")


@dataclass(frozen=True, eq=False)
class RunScores:
    """Scores (measures, topics of the qrels) of a run, NaN on topics that it `lacks`.

    `unjudged` are topics that the qrels lack; `unknown` is a document, if none of them is judged.
    """

    system: str
    source: str
    values: Array
    lacks: BoolArray
    unjudged: tuple[str, ...]
    conflicts: RankConflicts
    unknown: str | None
    notes: tuple[str, ...]


def scores_of(
    run: Run | str | Path, system: str | None, qrels: Qrels, names: tuple[str, ...]
) -> RunScores:
    """Measure a run, or the file of one, perhaps in another process."""
    run = run if isinstance(run, Run) else read_run(run, system)
    measures, programs = _prepared(qrels, names)
    ranking = Ranking.of(run)
    judged = Judged.of(ranking, qrels)
    values = np.full((len(measures), len(qrels.topics)), np.nan)
    rankings = ranking.as_dict() if programs else {}
    for program in programs:
        program.measure(run, rankings, values)
    for i, measure in enumerate(measures):
        if isinstance(measure, RankedSum):
            values[i] = measure.scores(judged, qrels)
    returned, known = frozenset(run.topics), frozenset(qrels.topics)
    lacks = np.array([topic not in returned for topic in qrels.topics])
    values[:, lacks] = np.nan
    return RunScores(
        run.system,
        run.source,
        values,
        lacks,
        tuple(topic for topic in run.topics if topic not in known),
        RankConflicts.of(ranking),
        None if len(judged.rank) else str(run.documents[0].as_py()),
        run.notes,
    )


@lru_cache(maxsize=1)
def _prepared(qrels: Qrels, names: tuple[str, ...]) -> tuple[list[Measure], list[Program]]:
    """Return the measures, and the programs for those that are no sums; one for all runs."""
    measures = list(parse_measures(names).values())
    others = {m: i for i, m in enumerate(measures) if not isinstance(m, RankedSum)}
    return measures, programs_of(others, qrels)


class Program:
    """A program of ir_measures; topics are numbers for it, as gdeval cuts them at a hyphen."""

    def __init__(self, provider: Any, places: Mapping[Any, int], qrels: Qrels) -> None:
        self._places = places
        self._is_gdeval = provider.NAME == _GDEVAL
        self._what = f"{listed([*map(str, places)])} by {provider.NAME} of ir_measures"
        self._numbers = {topic: str(i) for i, topic in enumerate(qrels.topics)}
        highest = int(qrels.relevance.max())
        if self._is_gdeval and highest > _HIGHEST_OF_GDEVAL:
            raise MeasureError(
                f"{qrels.source} cannot be measured with {self._what}: a document has the "
                f"relevance {highest}; expected at most {_HIGHEST_OF_GDEVAL}"
            )
        self._refuse_spaces(qrels)
        with self._errors_told(qrels):
            self._evaluator = provider.evaluator(list(places), self._numbered(qrels.as_dict()))

    def measure(self, run: Run, rankings: Rankings, values: Array) -> None:
        """Write the scores of a run into their places, of measures x topics of the qrels."""
        self._refuse_spaces(run)
        with self._errors_told(run):
            for found in self._evaluator.iter_calc(self._numbered(rankings)):
                values[self._places[found.measure], int(found.query_id)] = found.value

    def _numbered(self, rows: Mapping[str, Any]) -> dict[str, Any]:
        return {self._numbers[topic]: row for topic, row in rows.items() if topic in self._numbers}

    @contextmanager
    def _errors_told(self, source: Run | Qrels) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
            raise MeasureError(
                f"{source.source} cannot be measured with {self._what} ({reason})"
            ) from error

    def _refuse_spaces(self, source: Run | Qrels) -> None:
        """Refuse ids that a file of columns cannot hold; what is in memory may have them."""
        if not self._is_gdeval:
            return
        ids = source.documents.dictionary
        bad = ids.filter(pc.match_substring_regex(ids, r"^$|\s"))
        if len(bad):
            raise MeasureError(
                f"{source.source} cannot be measured with {self._what}: a document has the id "
                f"{bad[0].as_py()!r}; expected ids without spaces"
            )


def programs_of(measures: Mapping[Any, int], qrels: Qrels) -> list[Program]:
    """Return the programs for measures with places, each the first of ir_measures that has it.

    Those of one program go together, which is quicker, unless they would change each other:
    pytrec_eval in ir_measures measures nDCG with the gains of another measure and NumRet among the
    judged documents of another, depending on their order. ir_measures alone would keep them in a
    set, whose order differs from process to process.
    """
    known = require_ir_measures().DefaultPipeline.providers
    groups: dict[Any, dict[Any, int]] = {}
    providers = {}
    for measure, place in measures.items():
        provider = next(p for p in known if p.is_available() and p.supports(measure))
        providers[provider.NAME] = provider
        settings = measure.params
        gains = tuple(sorted(settings["gains"].items())) if "gains" in settings else None
        key = (provider.NAME, gains, settings.get("judged_only", False))
        groups.setdefault(key, {})[measure] = place
    return [Program(providers[name], group, qrels) for (name, *_), group in groups.items()]


@dataclass(frozen=True, eq=False, repr=False)
class Measured:
    """Result of `measure`: a score matrix for each measure.

    Attributes
    ----------
    matrices
        The score matrix, topics x systems, of each measure, by its name.
    notes
        Sentences on topics that were omitted, and cautions.
    """

    matrices: Mapping[str, pd.DataFrame]
    notes: tuple[str, ...]

    def __getitem__(self, measure: AnyMeasure) -> pd.DataFrame:
        """Return the score matrix of a measure, given by any of its spellings or as an object.

        Raises `MeasureError` for a measure that was not computed.
        """
        name = name_of_measure(measure)
        usual = name if name in self.matrices else str(parse_measure(name))
        if usual not in self.matrices:
            raise MeasureError(
                f"{name!r} was not measured; expected one of {listed([*self.matrices])}"
            )
        return self.matrices[usual]

    def frame(self) -> pd.DataFrame:
        """Return all scores in long form: topic, system, measure, score; NaN if missing."""
        first = next(iter(self.matrices.values()))
        labels = [[*first.columns], [*first.index], [*self.matrices]]
        every = pd.MultiIndex.from_product(labels, names=["system", "topic", "measure"])
        rows = every.to_frame(index=False)
        values = np.stack([each.to_numpy() for each in self.matrices.values()])
        rows["score"] = values.transpose(2, 1, 0).ravel()  # of (measures, topics, systems)
        return rows.reindex(columns=["topic", "system", "measure", "score"])

    def __repr__(self) -> str:
        first = next(iter(self.matrices.values()))
        shape = [counted(n, noun) for n, noun in zip(first.shape, ("topic", "system"), strict=True)]
        return f"<Measured {', '.join(self.matrices)}: {', '.join(shape)}>"
