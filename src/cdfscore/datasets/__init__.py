"""Score matrices in the package, measured on runs made for it.

Examples
--------
>>> cranfield_measures()
['ap', 'ndcg10', 'p10', 'rr']
"""

from __future__ import annotations

from importlib.resources import as_file, files

import pandas as pd

from cdfscore.errors import ScoresError, check_one_of
from cdfscore.scores.dataframes import remember
from cdfscore.scores.reading import read_scores

# By the names of their files.
_MEASURES = {"ap": "AP", "ndcg10": "nDCG@10", "p10": "P@10", "rr": "RR"}


def load_cranfield(measure: str) -> pd.DataFrame:
    """Load the scores of 67 retrieval systems on the 225 topics of the Cranfield collection.

    `measure` is "ap", "ndcg10", "p10" or "rr", which the scores remember. The data card
    ``cranfield.md`` beside the data describes the systems, the measures and how the scores were
    made.
    Raises `ScoresError` for another measure.

    Examples
    --------
    >>> load_cranfield("ap").shape
    (225, 67)
    """
    return _scores("cranfield", measure)


def load_cranfield_grid(measure: str) -> pd.DataFrame:
    """Load the scores of a designed experiment: 72 systems on the 225 topics of Cranfield.

    The systems are all combinations of 3 stemmers, 3 stop lists and 8 models, each once, so that
    the effects of these components can be separated. No system was tuned. The name of a system
    lists its components, such as ``porter_short_bm25``; see also `load_cranfield_components`.
    `measure` is "ap", "ndcg10", "p10" or "rr", which the scores remember. The data card
    ``cranfield.md`` beside the data describes the components, the measures and how the scores were
    made.
    Raises `ScoresError` for another measure.

    Examples
    --------
    >>> ap = load_cranfield_grid("ap")
    >>> ap.shape
    (225, 72)
    >>> ap[["none_none_bm25", "porter_none_bm25", "porter_long_bm25"]].mean().round(3).to_dict()
    {'none_none_bm25': 0.319, 'porter_none_bm25': 0.348, 'porter_long_bm25': 0.359}
    """
    return _scores("cranfield_grid", measure)


def load_cranfield_components() -> pd.DataFrame:
    """Load the components of the systems of `load_cranfield_grid`, one row per system.

    The rows are in the order of the systems. The columns are ``system``, ``stemmer`` (none, s,
    porter), ``stoplist`` (none, short, long) and ``model`` (bm25, dirichlet, jm, tfidf, pl2, dfi,
    lsa, coordination), all of them text. The data card ``cranfield.md`` describes the levels.

    Examples
    --------
    >>> load_cranfield_components().head(3)
                     system stemmer stoplist      model
    0        none_none_bm25    none     none       bm25
    1   none_none_dirichlet    none     none  dirichlet
    2          none_none_jm    none     none         jm
    """
    with as_file(files(__name__) / "cranfield_grid_components.csv") as path:
        return pd.read_csv(path, dtype=str, keep_default_na=False)


def cranfield_measures() -> list[str]:
    """List the measures of `load_cranfield` and `load_cranfield_grid`.

    Examples
    --------
    >>> cranfield_measures()
    ['ap', 'ndcg10', 'p10', 'rr']
    """
    return list(_MEASURES)


def _scores(name: str, measure: str) -> pd.DataFrame:
    check_one_of("measure", measure, _MEASURES, ScoresError)
    with as_file(files(__name__) / f"{name}_{measure}.csv") as path:
        found = read_scores(path)
    remember(found, measure=_MEASURES[measure])
    return found
