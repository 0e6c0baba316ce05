"""The score matrices of the papers, from the evaluation data."""

from pathlib import Path

import pandas as pd

from cdfscore import read_scores

#: The topic sets of Webber et al. (2008), by their names. Topic 672 has no relevant document.
TOPICS = {
    "T7.adh": range(351, 401),
    "T8.adh": range(401, 451),
    "T03.rob": range(601, 651),
    "T04.rob": [topic for topic in range(651, 701) if topic != 672],
}


def robust(folder: Path, measure: str, collection: str) -> pd.DataFrame:
    """Scores of the 110 systems of TREC 2004 Robust on the topics of a collection."""
    scores = read_scores(folder / "robust2004" / f"robust2004_{measure}.csv")
    return scores.loc[[str(topic) for topic in TOPICS[collection]]]


def originals(folder: Path, collection: str) -> pd.DataFrame:
    """AP of the systems that took part when the collection was made: its standardizing systems."""
    if collection == "T04.rob":
        return robust(folder, "ap", collection)
    scores = read_scores(folder / "adhoc" / f"adhoc{collection[1]}_ap.csv", topic_column=False)
    return scores.set_axis([str(topic) for topic in TOPICS[collection]])


def urbano(folder: Path) -> dict[str, pd.DataFrame]:
    """The four matrices of Urbano et al. (2019)."""
    return {
        path.stem: read_scores(path, topic_column=False)
        for path in sorted((folder / "urbano2019" / "data").glob("*.csv"))
    }
