"""Measures by name: those of ir_measures, and sums that it lacks.

ir_measures checks types only, and takes True for 1; the programs then fail, or measure something
else under the name.
"""

from __future__ import annotations

import ast
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cdfscore.errors import MeasureError, MissingDependencyError, alternatives, did_you_mean
from cdfscore.io.results.names import name_of_page
from cdfscore.numerics.numbers import shown
from cdfscore.numerics.types import Array, IntArray
from cdfscore.trec.runs import LARGEST, Judged, Qrels

if TYPE_CHECKING:
    import ir_measures


# --- Measures that ir_measures does not compute: raw sums, and R-normalized forms ---
#
# Webber, Moffat and Zobel (2008), Section 2, distinguish raw and R-normalized measures. An
# R-normalized measure is divided by the score of an ideal ranking, which has all relevant documents
# first, so that the score of an ideal ranking is 1. The paper compares SP, DCG, RBP with p = 0.95
# and P@10 with their R-normalized forms. ir_measures has P, AP, the R-normalized form of SP, and
# the nDCG of trec_eval, the R-normalized form of VDCG.
#
# The page of factors of Webber and Moffat has two forms of discounted cumulative gain, which differ
# from rank 2 on. Both are here under the names of that page: `DCG` and `VDCG`.
#
# R is the number of relevant documents of a topic. Ranks begin at 1. A topic without relevant
# documents has the score 0, as in trec_eval.


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


# --- Measures by name: those of ir_measures, and sums that it lacks ---
#
# ir_measures checks types only, and takes True for 1; the programs then fail, or measure something
# else under the name.

if TYPE_CHECKING:
    Measure = ir_measures.Measure | RankedSum
    #: Measures as they are given: by name, or as an object such as `ir_measures.AP`.
    AnyMeasure = str | Measure
    AnyMeasures = AnyMeasure | Iterable[AnyMeasure]


class _Rule(NamedTuple):
    """Condition on a setting beside its type, and its words in a message."""

    holds: Callable[[Any], bool]
    expected: str


def _whole(least: int, most: int) -> _Rule:
    return _Rule(lambda value: least <= value <= most, f"a whole number from {least} to {most:,}")


_POSITIVE = _Rule(lambda value: 0 < value < math.inf, "a number above 0")
_PROPORTION = _Rule(lambda value: 0 <= value <= 1, "a number from 0.0 to 1.0")
_PERSISTENCE = _Rule(lambda value: 0 < value < 1, "a number between 0.0 and 1.0")
_RULES = {
    "cutoff": _whole(1, LARGEST_CUTOFF),
    "rel": _whole(1, LARGEST),
    "min_rel": _whole(0, LARGEST),
    "max_rel": _whole(1, LARGEST),
    "alpha": _PROPORTION,
    "p": _PERSISTENCE,
    "T": _POSITIVE,
    # trec_eval is given the recall with two decimals, and measures the rounded one.
    "recall": _Rule(
        lambda value: 0 <= value <= 1 and round(value, 2) == value,
        "a number from 0.0 to 1.0 with at most 2 decimals",
    ),
    # trec_eval is given the digits, and takes 1 where they have an exponent.
    "beta": _Rule(
        lambda value: repr(value).replace(".", "", 1).isdigit(),
        "a number such as 0.5 or 2.0, without an exponent",
    ),
    "gains": _Rule(
        lambda value: (
            all(map(_is_whole, [*value, *value.values()]))
            and all(0 <= gain <= LARGEST for gain in value.values())
        ),
        f"whole numbers by relevance, from 0 to {LARGEST:,}, such as {{1: 1, 2: 3}}",
    ),
}


def check_settings(text: str, supported: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    """Raise `MeasureError` for a setting of another type, or out of its range.

    `text` is the name of the measure as given, and `supported` has its settings in ir_measures.
    """
    for name, value in settings.items():
        info = supported[name]
        rule = _RULES.get(name)
        fits = info.validate(value) and isinstance(value, bool) == (info.dtype is bool)
        if not fits or (rule is not None and not rule.holds(value)):
            expected = _of_type(info) if rule is None else rule.expected
            raise MeasureError(f"measure {text!r}: {name} is {value!r}; expected {expected}")


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _of_type(info: Any) -> str:
    """Return what a setting of a measure of ir_measures accepts."""
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

    Examples
    --------
    >>> list(parse_measures(["MAP", "nDCG @ 20", "RBP(p=0.95)"]))
    ['AP', 'nDCG@20', 'RBP(p=0.95)']
    """
    names = _names(given)
    if not names:
        raise MeasureError(f"no measure is given; {_EXPECTED}")
    found: dict[str, Measure] = {}
    spelled: dict[str, str] = {}
    for name in names:
        measure = parse_measure(name)
        if str(measure) in found:
            raise MeasureError(
                f"measure {name!r} is the same as {spelled[str(measure)]!r}; expected each once"
            )
        found[str(measure)] = measure
        spelled[str(measure)] = name
    return found


def parse_measure(given: AnyMeasure) -> Measure:
    """Return a measure of its name with settings, such as ``P(rel=2)@10``, or of an object."""
    irm = require_ir_measures()
    text = name_of_measure(given)
    name, settings, at = _parts(name_of_page(text))
    # nDCG without b is that of ir_measures.
    if name in SUMS and (name != "nDCG" or "b" in settings):
        names = [*SUMS[name].__dataclass_fields__]
        settings = _with_cutoff(text, settings, "cutoff", at)
        _refuse_unknown_settings(text, settings, names)
        return SUMS[name](**settings)
    known: Any = irm.measures.registry.get(name)
    if known is None:
        raise MeasureError(f"measure {text!r} is not known{_hint(irm, name, text)}; {_EXPECTED}")
    settings = _with_cutoff(text, settings, known.AT_PARAM, at)
    supported = known.SUPPORTED_PARAMS
    _refuse_unknown_settings(text, settings, [*supported])
    check_settings(text, supported, settings)
    for setting, info in supported.items():
        if info.required and setting not in {**known.params, **settings}:
            at_sign = f", as in {name}@10" if setting == known.AT_PARAM else ""
            raise MeasureError(f"measure {text!r} has no {setting}; expected one{at_sign}")
    if name == "NumQ":
        raise MeasureError(
            "NumQ is 1 for each topic, and no score; expected a measure with scores of topics"
        )
    measure: Measure = known(**settings)
    _refuse_unmeasured(irm, measure)
    return measure


def name_of_measure(given: object) -> str:
    """Return the full name of a measure; raises `MeasureError` for other objects.

    An object is read by its name, so that its settings are checked as those of a name.
    """
    if isinstance(given, str):
        return given
    if _is_object(given):
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


def _names(given: AnyMeasures) -> list[str]:
    if isinstance(given, Iterable) and not isinstance(given, str | bytes):
        return list(map(name_of_measure, given))
    return [name_of_measure(given)]


def _is_object(given: object) -> bool:
    """Tell whether something is a measure of ir_measures or one of the sums."""
    return isinstance(given, RankedSum | require_ir_measures().Measure)


def _parts(text: str) -> tuple[str, dict[str, Any], Any]:
    """Split a name of a measure into its name, its settings, and what follows the @."""
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


def _with_cutoff(text: str, settings: dict[str, Any], name: str, at: Any) -> dict[str, Any]:
    if at is None:
        return settings
    if name in settings:
        raise MeasureError(f"measure {text!r} has {name} twice; expected it once")
    return {**settings, name: at}


def _refuse_unknown_settings(text: str, settings: dict[str, Any], known: list[str]) -> None:
    for setting in settings:
        if setting not in known:
            expected = f"expected {' or '.join(known)}" if known else "expected none"
            raise MeasureError(
                f"measure {text!r} has no setting {setting!r}{did_you_mean(setting, known)}; "
                f"{expected}"
            )


def _hint(irm: Any, name: str, text: str) -> str:
    """Return the measure that was probably meant: trec_eval's name for it, or a similar one."""
    try:
        measures = irm.parse_trec_measure(text.strip())
    except (ValueError, KeyError, TypeError):
        measures = []
    if measures:
        return f": it is trec_eval's name for {measures[0]}"
    known = [*irm.measures.registry, *SUMS]
    same = [each for each in known if each.casefold() == name.casefold()]
    return f" (did you mean {same[0]!r}?)" if same else did_you_mean(name, known)


def _refuse_unmeasured(irm: Any, measure: Any) -> None:
    """Raise `MeasureError` where nothing that is installed measures it, or it needs subtopics."""
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
