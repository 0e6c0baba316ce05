"""Reproduction of Webber, Moffat and Zobel (2008): Tables 1 to 6 and Figures 1 to 7.

Score Standardization for Inter-Collection Comparison of Retrieval Systems, SIGIR 2008,
pages 51 to 58. `printed` returns all printed numbers. The package computes each number that the
published score matrices determine, and shows it beside the printed one.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from importlib.resources import files
from itertools import combinations, permutations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from cdfscore.common.text import listed
from cdfscore.diagnosis.reliability import topic_reliability
from cdfscore.errors import ExperimentError, ScoresError
from cdfscore.experiments.designs import Halves, ReferenceSize
from cdfscore.experiments.matrices import SchemeMatrices, refitted
from cdfscore.experiments.rates import (
    LIMITS,
    error_of_mean,
    percentile,
    percentile_interval,
    summary,
)
from cdfscore.experiments.trials import Experiment, run_trials
from cdfscore.retrieval.runs import read_qrels
from cdfscore.scores.reading import read_scores
from cdfscore.standardization.policies import ConstantPolicy, ScoreMatrix
from cdfscore.standardization.standardizer import Standardizer
from cdfscore.stats.numerics.moments import mean_and_sd
from cdfscore.stats.numerics.quantiles import quantile_r
from cdfscore.stats.numerics.types import Array, IntArray
from cdfscore.stats.rank_correlation import drmse, tau_b
from cdfscore.stats.significance.one_sample_t import one_sample_t
from cdfscore.stats.significance.pearson import pearson
from cdfscore.stats.significance.student_t import student_t

__all__ = [
    "Collections",
    "Printed",
    "experiments",
    "figure_tables",
    "printed",
    "read_collections",
    "tables",
]

#: The data that the judgments of the user supply.
JUDGMENTS = "relevance judgments"


class Printed(NamedTuple):
    """Number in a table, a figure or the text, and its place.

    `value` is text, so that the number of digits is known. `words` are printed with the number.
    Words such as "almost" change its meaning; then `low` and `high` are the range of the words:
    numbers that round to the printed one on the named side. 50% rounds in steps of 5. "Just over
    15%" ends at 16%.
    `needs` names the missing data that the number needs; it is empty if the number can be computed.
    `note` says what was computed instead, or which reading gives the printed number.

    Pages are those of the proceedings, 51 to 58. They were inferred from the paper's text, which
    has no page numbers: tables and figures interrupt a sentence at the top of a column. A number
    at the end of a page may be on the next page.
    """

    place: str
    page: int
    row: str
    column: str
    value: str
    words: str = ""
    low: float | None = None
    high: float | None = None
    needs: str = ""
    note: str = ""

    @property
    def digits(self) -> int:
        """Number of decimals."""
        return len(self.value.partition(".")[2])

    @property
    def covered(self) -> tuple[float, float]:
        """Range of values that the printed number represents, by its words or by rounding."""
        if self.low is not None and self.high is not None:
            return self.low, self.high
        half = 0.5 * 10.0**-self.digits
        return float(self.value) - half, float(self.value) + half


def printed(*, judged: bool = False) -> list[Printed]:
    """Return all printed numbers, from the file ``printed.csv`` beside this one.

    If the relevance judgments are known (`judged`), no number needs them.

    Examples
    --------
    >>> table3 = [p for p in printed() if p.place == "Table 3"]
    >>> table3[0].row, table3[0].column, table3[0].value
    ('T7.adh', 'T8.adh', '0.627')
    """
    text = (files(__package__) / "printed.csv").read_text(encoding="utf-8")
    numbers = []
    for line in csv.DictReader(text.splitlines()):
        ends = {name: float(line[name]) if line[name] else None for name in ("low", "high")}
        read: dict[str, Any] = {**line, "page": int(line["page"]), **ends}
        if judged:
            read["needs"] = line["needs"].removeprefix(JUDGMENTS).removeprefix(", ")
            read["note"] = line["note"].replace("4 of the 12 bars", "6 of the 12 bars")
        numbers.append(Printed(**read))
    return numbers


def status(number: Printed, computed: float) -> str:
    """Return the result of comparing a computed number with the printed one."""
    if number.needs:
        return f"needs {number.needs}" if math.isnan(computed) else "in part"
    if number.low is not None:
        low, high = number.covered
        return "as worded" if low <= computed <= high else "differs"
    return "equal" if f"{computed:.{number.digits}f}" == number.value else "differs"


def beside(numbers: list[Printed], computed: list[float]) -> pd.DataFrame:
    """Return a table with one row per number: labels, computed, printed, status, page."""
    rows = [
        (n.place, n.row, n.column, c, n.value, status(n, c), n.page)
        for n, c in zip(numbers, computed, strict=True)
    ]
    columns = ["place", "row", "column", "computed", "printed", "status", "page"]
    return pd.DataFrame(rows, columns=columns)


def beside_in_words(numbers: list[Printed], computed: list[float]) -> pd.DataFrame:
    """Return the table of `beside` with more columns: words, low, high, and a note."""
    table = beside(numbers, computed)
    notes = [
        f"{n.note}; the rest needs {n.needs}" if part else n.note
        for n, part in zip(numbers, table["status"] == "in part", strict=True)
    ]
    return table.assign(
        words=[n.words for n in numbers],
        low=[math.nan if n.low is None else n.low for n in numbers],
        high=[math.nan if n.high is None else n.high for n in numbers],
        note=notes,
    )


# --- Collections of the paper, read from the files of published scores ---

#: The topics of each collection. Topic 672 has no relevant document and was dropped.
TOPICS: dict[str, tuple[str, ...]] = {
    "T7.adh": tuple(map(str, range(351, 401))),
    "T8.adh": tuple(map(str, range(401, 451))),
    "T03.rob": tuple(map(str, range(601, 651))),
    "T04.rob": tuple(str(topic) for topic in range(651, 701) if topic != 672),
}
#: The measures, and their abbreviations in the names of the files.
MEASURES = {"AP": "ap", "P@10": "p10"}


class Original(NamedTuple):
    """Systems and files of an original experiment; other topics, to skip, come first in a file."""

    systems: int
    stem: str
    measures: tuple[str, ...] = tuple(MEASURES)
    skipped: int = 0


#: The original experiments of the collections but T04.rob, whose systems are the evaluated ones.
ORIGINALS = {
    "T7.adh": Original(103, "adhoc/adhoc7"),
    "T8.adh": Original(129, "adhoc/adhoc8"),
    "T03.rob": Original(78, "robust2003/robust2003", ("AP",), skipped=50),
}
#: The collections whose topics are divided at random.
HALVED = ("T7.adh", "T8.adh")
#: The folders of published scores, with their content.
FOLDERS = {
    "robust2004": "TREC 2004 Robust",
    "robust2003": "TREC 2003 Robust",
    "adhoc": "TREC 7 and 8 AdHoc",
}
EVALUATED_SYSTEMS = 110
#: What the judgments add: the sum of precisions, and P@10 divided by that of an ideal ranking. Each
#: is a published measure, times a factor that depends on the number of relevant documents.
JUDGED: dict[str, tuple[str, Callable[[Array], Array]]] = {
    "SP": ("AP", lambda relevant: relevant),
    "nP@10": ("P@10", lambda relevant: 10 / np.minimum(relevant, 10)),
}
#: The scheme that the paper calls standardization, its Eq. 1 and 2.
SCHEME = "normal"


@dataclass(frozen=True, eq=False)
class Collections:
    """Scores of the 110 TREC 2004 Robust systems, and of the systems of the original experiments.

    Attributes
    ----------
    robust
        One matrix, topics x systems, per measure: the scores of the 110 systems on the topics of
        all collections.
    original
        One matrix per collection and measure: the scores of the original systems.
    judgments
        The numbers of ``judged`` and of ``relevant`` documents of each topic, if the relevance
        judgments are known.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> topics = [topic for own in TOPICS.values() for topic in own]
    >>> scores = pd.DataFrame(np.linspace(0, 1, 199 * 110).reshape(199, 110), index=topics)
    >>> collections = Collections({"AP": scores}, {})
    >>> collections.evaluated("T04.rob", "AP").shape
    (49, 110)
    """

    robust: Mapping[str, pd.DataFrame]
    original: Mapping[tuple[str, str], pd.DataFrame]
    judgments: pd.DataFrame | None = None
    # A figure asks for the same means hundreds of times.
    _means: dict[tuple[str, str, str | None], pd.Series[float]] = field(
        default_factory=dict, init=False, repr=False
    )

    def evaluated(self, collection: str, measure: str) -> pd.DataFrame:
        """Return the scores of the TREC 2004 Robust systems on the topics of a collection."""
        topics = list(TOPICS[collection])
        if measure not in JUDGED:
            return self.robust[measure].loc[topics]
        assert self.judgments is not None  # of which `has` tells
        published, factor = JUDGED[measure]
        relevant = self.judgments.loc[topics, "relevant"].to_numpy(dtype=np.float64)
        return self.robust[published].loc[topics].mul(factor(relevant), axis=0)

    def has(self, measure: str) -> bool:
        """Tell whether the scores of a measure are known."""
        return measure not in JUDGED or self.judgments is not None

    def originals(self, collection: str, measure: str) -> pd.DataFrame:
        """Return the scores of the original systems of a collection.

        Raises `ScoresError` for P@10 of T03.rob, which is not among the published scores.
        """
        if collection == "T04.rob":
            return self.evaluated(collection, measure)
        if (collection, measure) not in self.original:
            raise ScoresError(
                f"{measure} of the original systems of {collection} is not among the published "
                f"scores; expected one of {', '.join(standardizable(measure))}"
            )
        return self.original[collection, measure]

    def standardized(self, collection: str, measure: str) -> pd.DataFrame:
        """Return `evaluated`, standardized by the original systems."""
        factors = Standardizer(SCHEME).fit(self.originals(collection, measure))
        return factors.transform(self.evaluated(collection, measure))

    def means(self, collection: str, measure: str, by: str | None) -> pd.Series[float]:
        """Return the mean of each TREC 2004 Robust system on a collection.

        `by` is "originals" or "themselves", the systems that standardize, or None for raw scores.
        """
        if (collection, measure, by) not in self._means:
            scores = self.evaluated(collection, measure)
            reference = self.originals(collection, measure) if by == "originals" else scores
            factors = Standardizer("raw" if by is None else SCHEME).fit(reference)
            self._means[collection, measure, by] = factors.standardize(scores).means["mean"]
        return self._means[collection, measure, by]


def standardizable(measure: str) -> list[str]:
    """Return the collections whose original systems have published scores of a measure."""
    return [c for c in TOPICS if c not in ORIGINALS or measure in ORIGINALS[c].measures]


def read_collections(data: Path, qrels: Path | None = None) -> Collections:
    """Read the folders ``robust2004``, ``robust2003`` and ``adhoc`` in a folder of scores.

    Parameters
    ----------
    data
        The folder of published scores, which contains these folders.
    qrels
        Relevance judgments of all topics: a file as for trec_eval, or a folder of such files and no
        others; those whose names begin with a dot are not read.

    Raises
    ------
    ScoresError
        If a file is absent, cannot be read, or is not the matrix that the paper used; or if the
        judgments lack a topic, or a relevant document of one, or have a topic in two files.
    RunError
        If a file of judgments cannot be read.

    Examples
    --------
    >>> read_collections(Path("nowhere"))
    Traceback (most recent call last):
        ...
    cdfscore.errors.ScoresError: nowhere has no folder 'robust2004'; expected a folder that contains
    the published scores in robust2004 (TREC 2004 Robust), robust2003 (TREC 2003 Robust), adhoc
    (TREC 7 and 8 AdHoc)
    """
    folder = Path(data)
    absent = [name for name in FOLDERS if not (folder / name).is_dir()]
    if absent:
        raise ScoresError(
            f"{folder} has no folder {absent[0]!r}; expected a folder that contains the published "
            f"scores in {listed([f'{name} ({of})' for name, of in FOLDERS.items()])}"
        )
    robust = {
        m: _robust(folder / "robust2004" / f"robust2004_{f}.csv") for m, f in MEASURES.items()
    }
    original = {
        (collection, m): _original(folder / f"{each.stem}_{MEASURES[m]}.csv", collection, each)
        for collection, each in ORIGINALS.items()
        for m in each.measures
    }
    _check_same_systems([robust[m] for m in MEASURES], "robust2004")
    for collection, each in ORIGINALS.items():
        _check_same_systems([original[collection, m] for m in each.measures], each.stem)
    return Collections(robust, original, None if qrels is None else _judgments(Path(qrels)))


def _judgments(path: Path) -> pd.DataFrame:
    files = [path]
    if path.is_dir():  # which may have files of the system, such as .DS_Store
        files = sorted(e for e in path.iterdir() if e.is_file() and not e.name.startswith("."))
    counts: dict[str, tuple[int, int]] = {}
    wanted = {topic for topics in TOPICS.values() for topic in topics}
    for file in files:
        found = read_qrels(file)
        numbers_of = (found.relevant(level).tolist() for level in (0, 1))
        own = zip(found.topics, *numbers_of, strict=True)
        for topic, *numbers in own:
            if topic in counts:
                raise ScoresError(f"{file}: topic {topic} is in another file; expected it in one")
            if topic in wanted:
                counts[topic] = (numbers[0], numbers[1])
    for topics in TOPICS.values():
        for topic in topics:
            if not counts.get(topic, (0, 0))[1]:
                what = "has no relevant document" if topic in counts else "is absent"
                raise ScoresError(
                    f"{path}: topic {topic} {what}; expected relevance judgments of topics 351-450 "
                    "and 601-700 without 672"
                )
    table = pd.DataFrame.from_dict(counts, orient="index", columns=["judged", "relevant"])
    return table.rename_axis("topic")


def _robust(path: Path) -> pd.DataFrame:
    scores = read_scores(path, topic_column="topic")
    expected = [topic for topics in TOPICS.values() for topic in topics]
    present = set(scores.index)
    absent = [topic for topic in expected if topic not in present]
    if absent or scores.shape[1] != EVALUATED_SYSTEMS:
        found = f"lacks topic {absent[0]}" if absent else f"has {scores.shape[1]} systems"
        raise ScoresError(
            f"{path} {found}; expected {EVALUATED_SYSTEMS} systems on topics 351-450 and 601-700 "
            "without 672"
        )
    return ScoreMatrix.of(scores.loc[expected]).after("raise", str(path)).frame


def _original(path: Path, collection: str, expected: Original) -> pd.DataFrame:
    scores = read_scores(path, topic_column=False)
    topics = TOPICS[collection]
    others = f"{expected.skipped} others and " if expected.skipped else ""
    if scores.shape != (expected.skipped + len(topics), expected.systems):
        raise ScoresError(
            f"{path} has {len(scores)} topics and {scores.shape[1]} systems; expected "
            f"{others}{len(topics)} topics, {topics[0]}-{topics[-1]} in order, and "
            f"{expected.systems} systems"
        )
    scores = ScoreMatrix.of(scores).after("raise", str(path)).frame.iloc[expected.skipped :]
    return scores.set_axis(list(topics), axis="index").rename_axis(index="topic")


def _check_same_systems(matrices: list[pd.DataFrame], name: str) -> None:
    first, *others = (list(matrix.columns) for matrix in matrices)
    if any(other != first for other in others):
        raise ScoresError(
            f"the files {name}_*.csv do not have the same systems in the same order; expected one "
            f"list of systems for {' and '.join(MEASURES)}"
        )


# --- Tables 1 to 6, and the numbers of the text, computed from the scores ---

#: The systems in Table 1, with their percentiles by mean AP, as stated there.
_SYSTEMS = {"READWARE2": 1, "Flab8atdn": 10, "ric8tpx": 40, "UT803": 75}
#: The topics in Table 1. They are not at the same percentiles: by mean AP they have the ranks 1, 6,
#: 24 and 45 of 50.
_TOPICS = ("q403", "q430", "q414", "q401")
_MOMENTS = {"mean": "mean", "st.dev": "sd"}


def tables(data: Path | Collections) -> dict[str, pd.DataFrame]:
    """Return "table1" to "table6", and "text" with the numbers printed elsewhere.

    Parameters
    ----------
    data
        The folder of published scores, which contains the folders ``robust2004``,
        ``robust2003`` and ``adhoc``, or the result of `read_collections`.

    Returns
    -------
    dict of DataFrame
        One row per printed number, with these columns:

        - ``place``, and the ``row`` and ``column`` in it
        - ``computed``: NaN if the number cannot be computed
        - ``printed``: the text in the paper
        - ``status``: "equal" if every printed digit is equal, "differs", or "needs ..." with the
          data that are not among the published scores
        - ``page``

        In "text", the status of a number that is printed with words such as "almost" is "as
        worded" if it is between ``low`` and ``high``, the range of the ``words``. The status is
        "in part" if only some of the scores are published; the ``note`` names them.

    Raises
    ------
    ScoresError
        If `data` does not contain the scores that the paper used.
    """
    collections = data if isinstance(data, Collections) else read_collections(data)
    compute: dict[str, Callable[[Collections, Printed], float]] = {
        "Table 1": lambda data, n: _moment(data, n.column, _MOMENTS[n.row]),
        "Table 2": lambda data, n: correlation(
            n.row, *(data.means(n.column, "AP", by) for by in ("originals", "themselves"))
        ),
        "Table 3": lambda data, n: pair_error(data, n.row, n.column, "AP", None),
        "Table 4": lambda data, n: better_systems(data, n.row, n.column, standardized=False),
        "Table 5": lambda data, n: pair_error(data, n.row, n.column, "AP", "originals"),
        "Table 6": _table6,
    }
    numbers = printed(judged=collections.judgments is not None)
    found = {}
    for place, cell in compute.items():
        cells = [number for number in numbers if number.place == place]
        found[place.lower().replace(" ", "")] = beside(
            cells, [math.nan if n.needs else cell(collections, n) for n in cells]
        )
    others = [n for n in numbers if n.place not in compute and not is_randomized(n)]
    found["text"] = beside_in_words(others, [computed(collections, n) for n in others])
    return found


def _table6(collections: Collections, cell: Printed) -> float:
    if cell.row in ("Judged", "Relevant"):
        assert collections.judgments is not None  # without them, the cell needs them
        numbers = collections.judgments.loc[list(TOPICS[cell.column]), cell.row.lower()]
        return float(numbers.mean())
    standardized = cell.row == "sAP"
    measure, by = ("AP", "originals") if standardized else (cell.row, None)
    return float(collections.means(cell.column, measure, by).mean())


def correlation(name: str, x: pd.Series[float], y: pd.Series[float]) -> float:
    """Return the correlation of two rankings that the paper calls "Pearson" or "Kendall"."""
    if name == "Pearson":
        return float(pearson(x.to_numpy(), y[x.index].to_numpy()).estimate)
    return float(tau_b(x.to_numpy(), y[x.index].to_numpy()))


def pair_error(collections: Collections, c: str, d: str, measure: str, by: str | None) -> float:
    """Return the dRMSE of system means between two collections, standardized `by` systems."""
    x, y = (collections.means(name, measure, by) for name in (c, d))
    return float(drmse(x.to_numpy(), y[x.index].to_numpy()))


def mean_pair_error(
    collections: Collections, names: Iterable[str], measure: str, by: str | None
) -> float:
    """Return the mean of `pair_error` over all pairs of these collections."""
    pairs = list(combinations(names, 2))
    return sum(pair_error(collections, c, d, measure, by) for c, d in pairs) / len(pairs)


def better_systems(collections: Collections, c: str, d: str, *, standardized: bool) -> int:
    """Return the number of systems that are significantly better on c than on d, as in Table 4."""
    scores = collections.standardized if standardized else collections.evaluated
    on_c, on_d = (scores(name, "AP").to_numpy().T for name in (c, d))
    return int((student_t(on_c, on_d, alternative="greater").p_value <= 0.025).sum())


def better_rates(
    collections: Collections, names: Iterable[str], *, standardized: bool
) -> list[float]:
    """Return the proportions of systems that are better, for each pair in both orders."""
    return [
        better_systems(collections, c, d, standardized=standardized) / EVALUATED_SYSTEMS
        for c, d in permutations(names, 2)
    ]


def is_randomized(number: Printed) -> bool:
    """Return whether a number comes from random halves of the topics, or samples of systems."""
    places = ("Figure 5", "Section 5, random halves", "Figure 6")
    return number.place in places or number.row.startswith("samples of ")


def computed(collections: Collections, number: Printed) -> float:
    """Return the computed value of a printed number of the text; NaN if it cannot be computed."""
    match number.place, number.row, number.column:
        case "Section 1", _, _:
            raw, standardized = (
                mean_pair_error(collections, TOPICS, "AP", by) for by in (None, "originals")
            )
            return 100 * (1 - standardized / raw)
        case "Section 2", _, _:
            return section2(collections, number)
        case ("Section 3", _, _) | ("Figure 3", _, _):
            return _scores_of_t8(collections, number)
        case "Section 4", "AP of T03.rob and T04.rob", _:
            means = (collections.means(name, "AP", None) for name in ("T03.rob", "T04.rob"))
            return correlation(number.column, *means)
        case "Section 4", "AP and sAP of T03.rob", _:
            means = (collections.means("T03.rob", "AP", by) for by in (None, "originals"))
            return correlation(number.column, *means)
        case "Section 5", "false positive rate of sAP over pairs of collections", _:
            rates = better_rates(collections, TOPICS, standardized=True)
            return 100 * (max(rates) if "largest" in number.column else sum(rates) / len(rates))
        case "Section 5", "AP of T7.adh and T8.adh", _:
            return pair_error(collections, "T7.adh", "T8.adh", "AP", None)
        case "Section 5", _, "mean dRMSE over pairs of collections":
            return mean_pair_error(collections, TOPICS, "AP", None)
        case _:
            assert number.needs, number  # of what is not public
            return math.nan


def _scores_of_t8(collections: Collections, number: Printed) -> float:
    """Return a number of Figure 3, or of Section 3 on it and on standardized scores."""
    scores = collections.originals("T8.adh", "AP")
    factors = Standardizer(SCHEME).fit(scores)
    match number.column:
        case "runs":
            return float(scores.size)
        case "runs below 0.2, %":
            return 100 * float((scores.to_numpy() < 0.2).mean())
        case "one sd above the mean" | "one sd below the mean":
            mean, sd = (factors.fitted.parameters[name] for name in ("mean", "sd"))
            away = mean + sd if "above" in number.column else mean - sd
            apart = scores.iloc[:, :1].copy()
            apart[:] = away
            return float(factors.transform(apart).to_numpy().mean())
    y = factors.transform(scores).to_numpy()
    return float(quantile_r(y.ravel(), int(number.column.partition("th ")[0]) / 100)[0])


def section2(collections: Collections, number: Printed) -> float:
    """Return the computed value of a printed number of the text of Section 2."""
    match number.row:
        case "systems of Table 1":
            return _factor(collections, tuple(_SYSTEMS), number.column)
        case "topics of Table 1":
            return _factor(collections, _TOPICS, number.column)
        case "topics of T8.adh by sd":
            sds = np.sort(collections.originals("T8.adh", "AP").std(axis=1).to_numpy())[::-1]
            return float(sds[0] / sds[round(0.75 * len(sds)) - 1])
        case "13th system of T8.adh":
            _, means, low, high = intervals(collections.originals("T8.adh", "AP").to_numpy())
            overlapping = np.flatnonzero((low <= high[12]) & (high >= low[12])) + 1
            columns = {
                "mean AP": means[12],
                "low end of the 95% interval": low[12],
                "high end of the 95% interval": high[12],
                "first rank whose interval overlaps": overlapping[0],
                "last rank whose interval overlaps": overlapping[-1],
            }
            return float(columns[number.column])
    # The correlation of reliability and sd of topics, for the best 75 % of the systems.
    scores = collections.originals("T8.adh", "AP").to_numpy()
    order = intervals(scores)[0]
    best = np.ascontiguousarray(scores[:, order[: int(0.75 * len(order))]])
    return float(pearson(topic_reliability(best), mean_and_sd(best)[1][:, 0]).estimate)


def intervals(scores: Array) -> tuple[IntArray, Array, Array, Array]:
    """Return the order of systems by mean, best first, their means, and their 95 % t intervals."""
    result = one_sample_t(np.ascontiguousarray(scores.T))
    order = np.argsort(-result.estimate, kind="stable")
    return order, result.estimate[order], result.conf_low[order], result.conf_high[order]


def _moment(collections: Collections, name: str, moment: str) -> float:
    scores = collections.originals("T8.adh", "AP")
    matrix = scores.T if name in _SYSTEMS else scores
    moments = Standardizer("z").fit(matrix).fitted.parameters
    if name in _SYSTEMS:
        rank = round(len(matrix) * _SYSTEMS[name] / 100)  # the nearest to the percentile
        row = (-moments["mean"][:, 0]).argsort(kind="stable")[rank - 1]
    else:
        row = list(scores.index).index(name.removeprefix("q"))
    return float(moments[moment][row, 0])


def _factor(collections: Collections, names: tuple[str, ...], column: str) -> float:
    moment = column.removeprefix("largest ").removesuffix(" over smallest")
    values = [_moment(collections, name, moment) for name in names]
    return max(values) / min(values)


# --- Numbers of Figures 1 to 7, for all scores that are published ---

#: The collection whose original systems are sampled.
NAME = "T03.rob"
#: Two scores are the fewest that have a standard deviation.
SIZES = (*range(2, 16), 20, 30, 50, 75)
#: Policy for topics whose sampled scores are all equal; the paper does not state one.
CONSTANT: ConstantPolicy = "limit"
_BINS = 20
#: Largest distance, in standard errors, that counts as chance between two random results.
BY_CHANCE = 3.0
#: Numbers of partitions and of samples in the paper. It does not state the number of partitions of
#: T7.adh and T03.rob; we assume 1,000, its number for the errors of T7.adh and T8.adh.
_PARTITIONS, _REPARTITIONS, _SAMPLES = 1000, 2000, 2000
#: The normal quantile of a 95% interval.
_WIDTH = 1.959964
_FORMS = ("raw", "normalized", "standardized")
#: Measure, form, and source. The source is the measure of the scores and whether they are
#: standardized, or the name of the missing data. Average precision is the sum of precisions divided
#: by the number of relevant documents; the paper calls this the normalized form of the sum.
_BARS: list[tuple[str, str, tuple[str, bool] | str]] = [
    ("P@10", "raw", ("P@10", False)),
    ("P@10", "normalized", ("nP@10", False)),
    ("P@10", "standardized", ("P@10", True)),
    *(("RBP", form, "RBP scores") for form in _FORMS),
    ("SP/AP", "raw", ("SP", False)),
    ("SP/AP", "normalized", ("AP", False)),
    ("SP/AP", "standardized", ("AP", True)),
    *(("DCG", form, "DCG scores") for form in _FORMS),
]

#: The matrices, in the order in which `random_halves` has them: measure, standardized or not. Those
#: of the judgments are last, and absent without them.
MATRICES = [(measure, standardized) for measure in MEASURES for standardized in (False, True)]
MATRICES += [(measure, False) for measure in JUDGED]


def experiments(
    data: Path | Collections, *, seed: int = 1, sizes: tuple[int, ...] = SIZES
) -> list[Experiment]:
    """Return the experiments of `figure_tables`, for `remove_cached` to remove their chunks."""
    collections = data if isinstance(data, Collections) else read_collections(data)
    sampled = experiment(collections, sizes, seed)
    return [sampled, *random_halves(collections, seed)]


def figure_tables(
    data: Path | Collections,
    *,
    samples: int = 2000,
    partitions: int = 1000,
    repartitions: int = 2000,
    seed: int = 1,
    sizes: tuple[int, ...] = SIZES,
    executor: Executor | None = None,
    cache: Path | None = None,
    resume: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, pd.DataFrame]:
    """Return the numbers of the figures: "figure1" to "figure7", and two more tables.

    Parameters
    ----------
    data
        As for `tables`.
    samples
        Samples of the standardizing systems of each size, for Figure 4.
    partitions, repartitions
        Number of random halves of the topics, for the errors of Figure 5 and for the rates of
        Figure 6. Both use the same halves as far as possible.
    seed
        Trial k, from 0, draws as R does after ``set.seed(seed + k)``. The paper names no seed.
    sizes
        Numbers of standardizing systems to sample, for Figure 4.
    executor, cache, resume
        As for `run_trials`.
    progress
        Function that is called with the number of finished trials and the number of all trials.

    Returns
    -------
    dict of DataFrame
        The numbers that each figure draws. A bar that the scores do not determine is NaN, and
        its ``needs`` names the missing data. "figure3_quartiles" has the quartiles of Figure 3.
        "randomized" compares the paper's results of random partitions with these results. It has
        the standard error and the distance ``z``, because other partitions give other digits. A
        number that differs by at most ``z_limit`` is "within sampling error".

    Raises
    ------
    CdfscoreError
        As raised by `tables` and `run_trials`; also if a number of trials is below 1, or if a size
        cannot be sampled.
    """
    given = {"samples": samples, "partitions": partitions, "repartitions": repartitions}
    for name, number in given.items():
        if number < 1:
            raise ExperimentError(f"{name} is {number}; expected 1 or more")
    collections = data if isinstance(data, Collections) else read_collections(data)
    sampled = experiment(collections, sizes, seed)
    of_t7_and_t8, of_t7_and_t03 = random_halves(collections, seed)
    most = max(partitions, repartitions)
    total, done = samples + most + partitions, 0

    def run(experiment: Experiment, trials: int) -> dict[str, Any]:
        nonlocal done
        before = done
        told = progress and (lambda finished, _: progress(before + finished, total))
        found = run_trials(
            experiment, trials, executor=executor, cache=cache, resume=resume, progress=told
        )
        done += trials
        return found

    of_samples = run(sampled, samples)
    found = {
        "figure1": figure1(collections),
        "figure2": figure2(collections),
        **figure3(collections),
        "figure4": figure4(collections, sampled, of_samples),
    }
    results = run(of_t7_and_t8, most)
    errors, rates = results["drmse"][:partitions], results["false_positives"][:repartitions]
    of_t03 = run(of_t7_and_t03, partitions)
    taus = dict(zip(sampled.reference_sizes or (), of_samples["tau_largest"][:, 0].T, strict=True))
    trials = Trials(errors, rates, of_t03["drmse"][:, 0], of_t03["false_positives"][:, 0], taus)
    return {
        **found,
        "figure5": figure5(errors),
        "figure6": figure6(rates),
        "figure7": figure7(collections),
        "randomized": randomized(collections, trials),
    }


def figure1(collections: Collections) -> pd.DataFrame:
    """Return AP of the TREC 8 AdHoc systems: one row per system, one column per topic."""
    return collections.originals("T8.adh", "AP").T.rename_axis(index="system").reset_index()


def figure2(collections: Collections) -> pd.DataFrame:
    """Return mean AP of each TREC 8 AdHoc system and its 95% t interval, by rank."""
    scores = collections.originals("T8.adh", "AP")
    order, means, low, high = intervals(scores.to_numpy())
    return pd.DataFrame(
        {
            "rank": np.arange(1, len(order) + 1),
            "system": scores.columns[order],
            "mean": means,
            "conf_low": low,
            "conf_high": high,
        }
    )


def figure3(collections: Collections) -> dict[str, pd.DataFrame]:
    """Return binned proportions and quartiles of AP and standardized AP of TREC 8 AdHoc runs."""
    raw = collections.originals("T8.adh", "AP")
    standardized = Standardizer(SCHEME).fit_transform(raw)
    scores = {"AP": raw.to_numpy().ravel(), "sAP": standardized.to_numpy().ravel()}
    edges = np.arange(_BINS + 1) / _BINS
    shares = {name: np.histogram(each, edges)[0] / each.size for name, each in scores.items()}
    at = [25, 50, 75]
    quartiles = {name: quantile_r(each, np.divide(at, 100)) for name, each in scores.items()}
    return {
        "figure3": pd.DataFrame({"from": edges[:-1], "to": edges[1:], **shares}),
        "figure3_quartiles": pd.DataFrame({"percentile": at, **quartiles}),
    }


def figure7(collections: Collections) -> pd.DataFrame:
    """Return mean dRMSE over all pairs of collections, and over those that have published P@10."""
    fewer = [name for name in TOPICS if name != "T03.rob"]

    def values(measure: str, standardized: bool) -> dict[str, float]:
        if not collections.has(measure):
            return {}
        by = "originals" if standardized else None
        everywhere = not standardized or standardizable(measure) == list(TOPICS)
        return {
            "all_pairs": mean_pair_error(collections, TOPICS, measure, by)
            if everywhere
            else np.nan,
            "without_T03.rob": mean_pair_error(collections, fewer, measure, by),
        }

    table = bars(values)
    lacks_t03 = table["all_pairs"].isna() & table["without_T03.rob"].notna()
    table.loc[lacks_t03, "needs"] = "P@10 of T03.rob"
    return table


def experiment(collections: Collections, sizes: tuple[int, ...], seed: int) -> ReferenceSize:
    """Return the experiment that samples the original systems of T03.rob."""
    schemes = refitted(
        collections.evaluated(NAME, "AP"),
        {"sAP": SCHEME},
        reference=collections.originals(NAME, "AP"),
        constant=CONSTANT,
    )
    return ReferenceSize(schemes, sizes, alphas=(0.05,), seed=seed)


def figure4(
    collections: Collections, sampled: ReferenceSize, arrays: Mapping[str, Array]
) -> pd.DataFrame:
    """Return percentiles of tau, one row per size of the samples; see webber2008.6."""
    taus = arrays["tau_largest"][:, 0]
    median, lowest95, lowest99 = quantile_r(taus.T, np.array([0.5, 0.05, 0.01])).T
    raw, standardized = (collections.means(NAME, "AP", by) for by in (None, "originals"))
    return pd.DataFrame(
        {
            "collection": NAME,
            "systems": sampled.largest,
            "size": sampled.reference_sizes,
            "samples": len(taus),
            "median": median,
            "lowest_95": lowest95,
            "lowest_99": lowest99,
            "constant": arrays["constant"].mean(axis=0),
            "scheme": SCHEME,
            "constant_policy": CONSTANT,
            "raw_and_standardized": correlation("Kendall", raw, standardized),
            "between": correlation("Kendall", raw, collections.means("T04.rob", "AP", None)),
        }
    )


@dataclass(frozen=True)
class Trials:
    """Results of random halves, (trials, matrices) and (trials,), and taus by sample size."""

    errors: Array
    rates: Array
    t03_errors: Array
    t03_rates: Array
    taus: Mapping[int, Array]


@dataclass(frozen=True)
class _Found:
    """Number with its standard error, and the numbers of partitions, here and in the paper."""

    value: float = math.nan
    error: float = math.nan
    trials: int = 0
    printed_trials: int = _PARTITIONS
    percentile_99: float = math.nan
    note: str = ""


def randomized(collections: Collections, trials: Trials) -> pd.DataFrame:
    """Compare the paper's numbers of its random partitions with those of these partitions.

    ``z`` is the distance of ``computed`` from the range of the printed number, divided by the
    standard error of the difference between these results and the paper's; see webber2008.3.
    """
    known = printed(judged=collections.judgments is not None)
    numbers = [number for number in known if is_randomized(number)]
    found = [_computed(collections, trials, number) for number in numbers]
    table = beside_in_words(numbers, [each.value for each in found])
    z = np.array(
        [
            standard_errors_apart(f.value, n.covered, f.error, f.trials, f.printed_trials)
            for n, f in zip(numbers, found, strict=True)
        ]
    )
    near = np.abs(z) <= BY_CHANCE
    table.loc[(table["status"] == "differs") & near, "status"] = "within sampling error"
    not_sampled = table["computed"].isna() & table["row"].str.startswith("samples of ")
    table.loc[not_sampled, "status"] = "not sampled"
    notes = [f.note + note for f, note in zip(found, table.pop("note"), strict=True)]
    return table.assign(
        standard_error=[each.error for each in found],
        z=z,
        z_limit=BY_CHANCE,
        percentile_99=[each.percentile_99 for each in found],
        note=notes,
    )


def _computed(collections: Collections, trials: Trials, number: Printed) -> _Found:
    ap = trials.errors[:, MATRICES.index(("AP", False))]
    match number.row, number.column:
        case "AP of random halves of T7.adh and T8.adh", _:
            return _mean(ap, ap)
        case "AP of random halves of T7.adh and T03.rob", _:
            return _mean(trials.t03_errors, trials.t03_errors)
        case _, "random halves with a smaller dRMSE, %":
            observed = pair_error(collections, "T7.adh", "T03.rob", "AP", None)
            return _share_below(observed, trials.t03_errors)
        case _, "random halves with a lower false positive rate, %":
            # one-tailed in both directions at 0.025 is two-tailed at 0.05, as on the halves
            both = better_rates(collections, ("T7.adh", "T03.rob"), standardized=False)
            return _share_below(sum(both), trials.t03_rates)
        case "samples of 78 systems of T03.rob", column:
            place, _, size = column.partition("th lowest tau of samples of ")
            if (taus := trials.taus.get(int(size))) is None:
                return _Found()
            percent = 100 - int(place)
            # (1 + tau) / 2 is in the range of a rate
            error = 2 * error_of_percentile((1 + taus) / 2, percent)
            return _Found(percentile(taus, percent), error, len(taus), _SAMPLES)
        case _, "smallest mean rate" | "largest mean rate":
            means = trials.rates.mean(axis=0)
            at = int(means.argmax() if "largest" in number.column else means.argmin())
            measure, standardized = MATRICES[at]
            which = f"{measure}{', standardized' * standardized}; "
            own = trials.rates[:, at]
            error = error_of_mean(own)
            return _Found(float(means[at]), error, len(own), _REPARTITIONS, note=which)
        case (("SP, standardized" | "SP, not standardized"), _) if not number.needs:
            source = ("AP", True) if number.row == "SP, standardized" else ("SP", False)
            rates = 100 * trials.rates[:, MATRICES.index(source)]
            error = 100 * error_of_percentile(rates / 100, 97.5)
            return _Found(percentile(rates, 97.5), error, len(rates), _REPARTITIONS)
        case _:
            assert number.needs, number  # of what is not public
            return _Found()


def _mean(values: Array, each: Array, note: str = "") -> _Found:
    """Return the mean of values, and the 99th percentile of what each partition has."""
    error, percentile_99 = error_of_mean(values), percentile(each, 99)
    return _Found(float(values.mean()), error, len(each), percentile_99=percentile_99, note=note)


def _share_below(observed: float, each: Array) -> _Found:
    return _mean(np.where(each < observed, 100.0, 0.0), each, f"observed: {observed:.3f}")


def error_of_percentile(trials: Array, percent: float) -> float:
    """Return the standard error of a percentile, from the width of its interval."""
    low, high = percentile_interval(trials, percent)
    return (high - low) / (2 * _WIDTH)


def standard_errors_apart(
    computed: float, covered: tuple[float, float], error: float, trials: int, printed_trials: int
) -> float:
    """Return z: the distance of `computed` from the range `covered`, in standard errors of both."""
    low, high = covered
    distance = computed - min(max(computed, low), high)
    if distance == 0:
        return 0.0
    both = error * math.sqrt(1 + trials / printed_trials)
    return distance / both if both != 0 else math.copysign(math.inf, distance)


def random_halves(collections: Collections, seed: int) -> tuple[Halves, Halves]:
    """Return the random halves of T7.adh and T8.adh, and those of T7.adh and T03.rob."""
    known = [each for each in MATRICES if collections.has(each[0])]
    return (
        Halves(_matrices(collections, HALVED, known), seed=seed),
        Halves(_matrices(collections, ("T7.adh", "T03.rob"), [("AP", False)]), seed=seed),
    )


def _matrices(
    collections: Collections, names: Sequence[str], sources: Sequence[tuple[str, bool]]
) -> SchemeMatrices:
    found = []
    for measure, standardized in sources:
        scores = collections.standardized if standardized else collections.evaluated
        found.append(np.concatenate([scores(name, measure).to_numpy() for name in names]))
    matrices = np.stack(found)
    labels = tuple(f"{'s' * standardized}{measure}" for measure, standardized in sources)
    return SchemeMatrices(labels, matrices[0], matrices, matrices)


def figure5(errors: Array) -> pd.DataFrame:
    """Return mean dRMSE and the interval that contains 95 % of `errors` (trials, matrices)."""
    return _laid_out(errors, "drmse", ("percentile_2.5", "percentile_97.5"))


def figure6(rates: Array) -> pd.DataFrame:
    """Return mean rates of false positives, and their 97.5th percentile with its interval."""
    ends = ("percentile_97.5", "percentile_97.5_low", "percentile_97.5_high")
    return _laid_out(rates, "false_positives", ends)


def _laid_out(trials: Array, statistic: str, percentiles: tuple[str, ...]) -> pd.DataFrame:
    def values(measure: str, standardized: bool) -> dict[str, float]:
        at = MATRICES.index((measure, standardized))
        if at >= trials.shape[1]:  # without judgments
            return {}
        found = summary(trials[:, at], LIMITS[statistic])
        return {name: found[name] for name in ("mean", "standard_error", *percentiles)}

    table = bars(values)
    table.insert(2, "partitions", len(trials))
    return table


def bars(values: Callable[[str, bool], dict[str, float]]) -> pd.DataFrame:
    """Return one row per bar: ``measure``, ``form``, the result of `values`, and ``needs``."""
    rows = []
    for measure, form, source in _BARS:
        given = {} if isinstance(source, str) else values(*source)
        needs = "" if given else source if isinstance(source, str) else JUDGMENTS
        rows.append({"measure": measure, "form": form, **given, "needs": needs})
    table = pd.DataFrame(rows)
    last = table.pop("needs")
    return table.assign(needs=last)
