"""``make validate``: how often cautions are wrong, how often faults are found, and what it costs.

Rewrites the tables of docs/cautions.md; exits with 1 for a false alarm. A part of the evaluation
data is a random choice of at least 5 topics and 4 systems. That a system has one score on all
topics of a part, or the same scores as another, is true there: such cautions are counted apart.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from cdfscore import Standardizer, as_scores, read_scores
from cdfscore.errors import ScoresError
from cdfscore.scores.cautions import Found, Matrix, of_reading, of_results
from cdfscore.scores.dataframes import notes_of
from cdfscore.scores.labels import Labels
from cdfscore.stats.numerics.types import Array
from validation import pages

PAGE = Path(__file__).parents[1] / "docs/cautions.md"
FOLDERS = ("adhoc", "gt4ireval", "leaderboards", "robust2003", "robust2004", "web")
#: Columns of the leaderboards of speech recognizers that are no tasks.
NO_TASKS = ["RTFx", "Model size (B)"]
TRUE_THERE = ("dead", "copy")
PARTS, PLANTED, SEED = 10_000, 100, 1
SIZES = {
    "AP": ((10, 5), (20, 12), (50, 40), (99, 110)),
    "P@10": ((10, 5), (20, 12), (50, 40)),
    "RR": ((10, 5), (20, 12), (50, 40)),
    "leaderboard": ((8, 6), (8, 12), (8, 40)),
}


def clean(data: Path) -> dict[str, pd.DataFrame]:
    """Return the score matrices of the evaluation data, by the names of their files."""
    paths = [path for folder in FOLDERS for path in sorted((data / folder).glob("*.csv"))]
    paths += sorted((data / "urbano2019/data").glob("*.csv"))
    return {
        f"{path.parent.name}/{path.name}": read_scores(
            path, drop_topics=NO_TASKS if path.name.startswith("asr") else ()
        )
        for path in paths
    }


def said_of(scores: pd.DataFrame) -> list[Found]:
    """Return all cautions on scores, as a reference and as raw; a refusal is one of them."""
    topics, systems = list(map(str, scores.index)), list(map(str, scores.columns))
    values = np.ascontiguousarray(scores.to_numpy())
    try:
        of_reading("scores", (topics, systems), values, Labels())
    except ScoresError as error:
        return [Found("refused", "topic", (), str(error))]
    return of_results(Matrix(topics, systems, values))


def parts(matrices: dict[str, pd.DataFrame], count: int, seed: int) -> Iterator[pd.DataFrame]:
    """Yield random parts, half of the numbers of topics and systems of them small."""
    rng = np.random.default_rng(seed)
    frames = list(matrices.values())
    for _ in range(count):
        frame = frames[rng.integers(len(frames))]
        places = []
        for size, least in zip(frame.shape, (5, 4), strict=True):
            most = size if rng.random() < 0.5 else min(size, 12)
            chosen = rng.permutation(size)[
                : rng.integers(least, most + 1) if most > least else most
            ]
            places.append(np.sort(chosen))
        yield frame.iloc[places[0], places[1]]


def alarms(frames: Iterator[pd.DataFrame] | list[pd.DataFrame]) -> Counter[str]:
    """Count the frames with a caution of each rule."""
    found: Counter[str] = Counter()
    for frame in frames:
        found.update({each.rule for each in said_of(frame)})
    return found


#: What is planted: the rules that are to find it, and the places of the systems (1) or topics (0)
#: that it is to name, all of them.
Planted = tuple[str, int, list[int]]


def _systems(scores: Array, rng: np.random.Generator, count: int = 1) -> list[int]:
    return rng.permutation(scores.shape[1])[:count].tolist()


def _topics(scores: Array, rng: np.random.Generator, count: int = 1) -> list[int]:
    return rng.permutation(len(scores))[:count].tolist()


def _dead(scores: Array, rng: np.random.Generator) -> Planted:
    places = _systems(scores, rng)
    scores[:, places] = 0.0
    return "dead", 1, places


def _copy(scores: Array, rng: np.random.Generator) -> Planted:
    first, second = sorted(_systems(scores, rng, 2))
    scores[:, second] = scores[:, first]
    return "copy", 1, [second]


def _blown_up(scores: Array, rng: np.random.Generator) -> Planted:
    places = _systems(scores, rng)
    scores[:, places] = -50.0 * (1.0 + scores[:, places])
    return "spread", 1, places


def _two_blown_up(scores: Array, rng: np.random.Generator) -> Planted:
    places = _systems(scores, rng, 2)
    scores[:, places] = np.array([500.0, 900.0]) * rng.random((len(scores), 2))
    return "spread", 1, places


def _times_ten(scores: Array, rng: np.random.Generator) -> Planted:
    places = _systems(scores, rng)
    scores[:, places] *= 10.0
    return "spread", 1, places


def _percent(scores: Array, rng: np.random.Generator) -> Planted:
    places = _systems(scores, rng, scores.shape[1] // 2)
    scores[:, places] *= 100.0 if np.nanmax(scores) <= 1 else 0.01
    return "spread units", 1, []  # either half is named


def _reversed(scores: Array, rng: np.random.Generator) -> Planted:
    scores[_topics(scores, rng, len(scores) // 3)] *= -1.0
    return "direction", 0, []  # some of them are enough


def _one_reversed(scores: Array, rng: np.random.Generator) -> Planted:
    places = _topics(scores, rng)
    scores[places] *= -1.0
    return "direction", 0, places


def _large(scores: Array, rng: np.random.Generator) -> Planted:
    places = _topics(scores, rng)
    scores[places] *= 1234.5
    return "deciding", 0, places


def _ranks(scores: Array, rng: np.random.Generator) -> Planted:
    places = _topics(scores, rng)
    scores[places] = np.nanmean(scores, axis=0).argsort()[::-1].argsort() + 1.0
    return "refused", 0, places


def _average_ranks(scores: Array, rng: np.random.Generator) -> Planted:
    places = _topics(scores, rng)
    others = pd.DataFrame(np.delete(scores, places, axis=0))
    scores[places] = others.rank(axis=1, ascending=False).mean().round(2)
    return "refused", 0, places


def _counts(scores: Array, rng: np.random.Generator) -> Planted:
    places = _systems(scores, rng)
    scores[:, places[0]] = rng.integers(20, 2000, len(scores))
    return "refused", 1, places


def _mean_row(scores: Array, rng: np.random.Generator) -> Planted:
    places = _topics(scores, rng)
    scores[places] = np.delete(scores, places, axis=0).mean(axis=0).round(4)
    return "refused", 0, places


def _sum_column(scores: Array, rng: np.random.Generator) -> Planted:
    places = _systems(scores, rng)
    scores[:, places[0]] = np.delete(scores, places, axis=1).sum(axis=1)
    return "refused", 1, places


#: Faults by what is done to a matrix.
FAULTS: dict[str, Callable[[Array, np.random.Generator], Planted]] = {
    "a system that never ran (0 on all topics)": _dead,
    "a copy of a system": _copy,
    "a system in other units (-50 - 50 times its scores)": _blown_up,
    "two systems in other units (up to 500 and 900)": _two_blown_up,
    "a system in other units (10 times its scores)": _times_ten,
    "half of the systems in percent": _percent,
    "a third of the topics in the other direction": _reversed,
    "one topic in the other direction": _one_reversed,
    "one topic in other units (1234.5 times its scores)": _large,
    "a row of ranks": _ranks,
    "a row of average ranks, with 2 decimals": _average_ranks,
    "a column of whole numbers, such as the size of the data": _counts,
    "a row of means, with 4 decimals": _mean_row,
    "a column of sums": _sum_column,
}


def _is_found(values: Array, part: pd.DataFrame, planted: Planted) -> bool:
    rule, axis, places = planted
    names = [str(part.axes[axis][place]) for place in places]
    return any(
        each.rule in (*rule.split(), "refused")
        and all(name in each.labels or repr(name) in each.why for name in names)
        for each in said_of(pd.DataFrame(values, part.index, part.columns))
    )


def _wrong_measure(part: pd.DataFrame, other: pd.DataFrame, rng: np.random.Generator) -> bool:
    values = part.to_numpy().copy()
    places = _systems(values, rng)
    values[:, places] = other.to_numpy()[:, places]
    return _is_found(values, part, ("spread", 1, places))


def _turned(part: pd.DataFrame, other: pd.DataFrame, rng: np.random.Generator) -> bool:
    """A file of systems x topics without a header of the labels: a note or a question says so."""
    turned = pd.DataFrame(part.to_numpy().T, list(part.columns), list(part.index))
    try:
        return any("turns it" in note for note in notes_of(as_scores(turned)))
    except ScoresError:
        return True


def _lost_line(
    part: pd.DataFrame, other: pd.DataFrame, rng: np.random.Generator, num_q: bool = False
) -> bool:
    scores = part.iloc[:, _systems(part.to_numpy(), rng)[0]].dropna()
    lines = [f"map\t{topic}\t{score:.4f}\n" for topic, score in scores.items()]
    del lines[rng.integers(len(lines))]
    lines += [f"num_q\tall\t{len(scores)}\n"] * num_q
    return _is_refused("".join(lines) + f"map\tall\t{scores.mean():.4f}\n")


def _is_refused(output: str) -> bool:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "s.eval"
        path.write_text(output, encoding="utf-8")
        try:
            notes = notes_of(read_scores(path, measure="map"))
        except ScoresError:
            return True
    return any("not in the file" in note for note in notes)


#: Faults of files and of measures: whether one is found in a part, beside that by another measure.
OF_FILES: dict[str, Callable[[pd.DataFrame, pd.DataFrame, np.random.Generator], bool]] = {
    "a system by another measure (P@10, AP; accuracy among errors)": _wrong_measure,
    "a turned file (systems in rows, no header of the labels)": _turned,
    "a lost line of trec_eval -q": _lost_line,
    "a lost line of trec_eval -q with num_q": partial(_lost_line, num_q=True),
}
#: Matrices that faults are planted in, by topics that hardly agree and by tasks that do, and those
#: of the same systems by another measure.
PLANTED_IN = {
    "AP": ("robust2004/robust2004_ap.csv", "robust2004/robust2004_p10.csv"),
    "P@10": ("robust2004/robust2004_p10.csv", "robust2004/robust2004_ap.csv"),
    "RR": ("adhoc/adhoc8_rr.csv", "adhoc/adhoc8_ap.csv"),
    "leaderboard": ("leaderboards/asr_english.csv", None),
}


def found_of(
    scores: pd.DataFrame,
    fault: str,
    size: tuple[int, int],
    count: int,
    other: pd.DataFrame | None = None,
) -> int:
    """Return in how many of `count` parts of a size a fault is found that is planted there.

    Scores by another measure are `other`, or 100 less errors in percent.
    """
    rng, found = np.random.default_rng(SEED), 0
    beside = 100 - scores if other is None else other
    for _ in range(count):
        places = [np.sort(rng.permutation(n)[:k]) for n, k in zip(scores.shape, size, strict=True)]
        part = scores.iloc[places[0], places[1]]
        if fault in OF_FILES:
            found += OF_FILES[fault](part, beside.iloc[places[0], places[1]], rng)
        else:
            values = part.to_numpy().copy()
            found += _is_found(values, part, FAULTS[fault](values, rng))
    return found


#: A measure of new systems, with the file of AP and its own.
NEW = {
    "AP": ("robust2004/robust2004_ap", "robust2004/robust2004_ap"),
    "nDCG": ("urbano2019/data/robust2004_ap", "urbano2019/data/robust2004_ndcg"),
    "P@10": ("robust2004/robust2004_ap", "robust2004/robust2004_p10"),
}


def of_other_measure(data: Path, systems: int, count: int) -> dict[str, int]:
    """Return how often new systems have a caution, by their measure; the reference is AP."""
    rng, found = np.random.default_rng(SEED), dict.fromkeys(NEW, 0)
    for measure, files in NEW.items():
        ap, own = (read_scores(data / f"{file}.csv") for file in files)
        for _ in range(count):
            topics, order = rng.permutation(len(ap))[:50], rng.permutation(110)
            new = own.iloc[topics, order[40 : 40 + systems]]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                done = Standardizer("normal").fit(ap.iloc[topics, order[:40]]).standardize(new)
            found[measure] += any("have the same scores" not in said for said in done.cautions)
    return found


def milliseconds(topics: int, systems: int, repeats: int) -> float:
    """Return the median time of all checks of a matrix that was not seen before."""
    rng = np.random.default_rng(SEED)
    level = rng.beta(1, 2, (topics, 1)) / 2 + rng.normal(0.2, 0.1, systems)
    values = np.clip(level + rng.normal(0, 0.15, (topics, systems)), 0, 1).round(4)
    labels = [str(i) for i in range(topics)], [f"s{i}" for i in range(systems)]
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        of_reading("scores", labels, values, Labels())
        of_results(Matrix(*labels, values))
        times.append(1e3 * (time.perf_counter() - start))
    return median(times)


def main() -> None:
    data = Path(__file__).parents[2] / "shared/data"
    matrices = clean(data)
    whole = alarms(list(matrices.values()))
    of_parts = alarms(parts(matrices, PARTS, SEED))
    missed = {
        (fault, name, size): found_of(matrices[key], fault, size, PLANTED, matrices.get(other))
        for fault in (*FAULTS, *OF_FILES)
        for name, (key, other) in PLANTED_IN.items()
        for size in SIZES[name]
    }
    costs = {size: milliseconds(*size, repeats) for size, repeats in _TIMED.items()}
    measured = pages.rendered(
        "cautions.md.jinja",
        matrices=len(matrices),
        whole=whole,
        of_parts=of_parts,
        parts=PARTS,
        missed=missed,
        faults=[*FAULTS, *OF_FILES],
        planted=PLANTED,
        sizes=SIZES,
        other={k: of_other_measure(data, k, PLANTED) for k in (1, 5)},
        costs=costs,
    )
    sys.stdout.write(measured)
    PAGE.write_text(pages.rewritten(PAGE.read_text(encoding="utf-8"), measured), encoding="utf-8")
    if {*whole, *of_parts} - {*TRUE_THERE}:
        sys.exit("a clean matrix has a caution")


_TIMED = {(10, 5): 200, (249, 110): 200, (100_000, 50): 3}


if __name__ == "__main__":
    main()
