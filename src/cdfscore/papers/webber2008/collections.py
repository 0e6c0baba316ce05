"""Collections of the paper, read from the files of published scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cdfscore.errors import ScoresError
from cdfscore.io.scores.reading import read_scores
from cdfscore.io.text import listed
from cdfscore.numerics.types import Array
from cdfscore.standardization.policies import missing as missing_scores
from cdfscore.standardization.standardizer import Standardizer

if TYPE_CHECKING:
    import pandas as pd

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
    """Number of systems in an original experiment, and their files: one for each measure.

    The topics of the collection are the last rows of a file, after `skipped` others.
    """

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
            self._means[collection, measure, by] = factors.system_means(scores)["mean"]
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
    """Count the judged and the relevant documents of each topic of the paper."""
    import pandas as pd

    from cdfscore.trec.qrels import read_qrels

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


def given_or_read(data: Path | Collections) -> Collections:
    """Return the collections, read by `read_collections` if a folder is given."""
    return data if isinstance(data, Collections) else read_collections(data)


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
    return missing_scores.resolve("raise", scores.loc[expected], str(path))


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
    scores = missing_scores.resolve("raise", scores, str(path)).iloc[expected.skipped :]
    return scores.set_axis(list(topics), axis="index").rename_axis(index="topic")


def _check_same_systems(matrices: list[pd.DataFrame], name: str) -> None:
    first, *others = (list(matrix.columns) for matrix in matrices)
    if any(other != first for other in others):
        raise ScoresError(
            f"the files {name}_*.csv do not have the same systems in the same order; expected one "
            f"list of systems for {' and '.join(MEASURES)}"
        )
