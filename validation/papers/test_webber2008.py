"""Webber, Moffat and Zobel (2008), computed again from the score matrices."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from cdfscore import Standardizer
from cdfscore.rank_correlation import drmse
from validation.papers.matrices import originals, robust
from validation.papers.webber2008 import PUBLISHED, Published


def means(data: Path, collection: str, scheme: str = "normal", by: str = "originals") -> pd.Series:
    """Mean score of each TREC 2004 Robust system on a collection, standardized by others."""
    scores = robust(data, "ap", collection)
    own = scheme == "raw" or by == "themselves"
    reference = scores if own else originals(data, collection)
    return Standardizer(scheme).fit(reference).system_means(scores)["mean"]


def table_1(data: Path, kind: str, which: str, moment: str) -> float:
    """The z-scheme's own factors, of topics over systems, and of systems over topics."""
    scores = originals(data, "T8.adh")
    matrix = scores if kind == "topic" else scores.T
    factors = Standardizer("z").fit(matrix)
    if kind == "topic":
        row = factors.topics.index(which)
    else:  # the system at this percentile of the 129, by mean AP
        order = np.argsort(-factors.fitted.parameters["mean"][:, 0])
        row = order[max(1, round(len(order) * int(which) / 100)) - 1]
    return factors.fitted.parameters[moment][row, 0]


def figure_3(data: Path, percentile: str) -> float:
    y = Standardizer("normal").fit_transform(originals(data, "T8.adh"))
    assert y.size == 6450
    return np.percentile(y, int(percentile))


def table_2(data: Path, collection: str, coefficient: str) -> float:
    by_both = (means(data, collection, by=by) for by in ("originals", "themselves"))
    return correlation(coefficient, *by_both)


def section_4(data: Path, c: str, d: str, coefficient: str) -> float:
    return correlation(coefficient, means(data, c, "raw"), means(data, d, "raw"))


def correlation(coefficient: str, x: pd.Series, y: pd.Series) -> float:
    function = {"Pearson": stats.pearsonr, "Kendall": stats.kendalltau}[coefficient]
    return function(x, y).statistic


def table_3(data: Path, c: str, d: str) -> float:
    return _drmse(means(data, c, "raw"), means(data, d, "raw"))


def table_5(data: Path, c: str, d: str) -> float:
    return _drmse(means(data, c), means(data, d))


def _drmse(c: pd.Series, d: pd.Series) -> float:
    return float(drmse(c.to_numpy(), d[c.index].to_numpy()))


def table_6(data: Path, measure: str, collection: str) -> float:
    if measure == "sAP":
        return means(data, collection).mean()
    scores = robust(data, {"AP": "ap", "P@10": "p10"}[measure], collection)
    return Standardizer("raw").fit(scores).system_means(scores)["mean"].mean()


COMPUTE = {
    "Table 1": table_1,
    "Figure 3": figure_3,
    "Table 2": table_2,
    "Section 4": section_4,
    "Table 3": table_3,
    "Table 5": table_5,
    "Table 6": table_6,
}


@pytest.mark.parametrize("published", PUBLISHED, ids=lambda p: f"{p.place}, {', '.join(p.cell)}")
def test_printed_digits(shared_data, published: Published) -> None:
    value = COMPUTE[published.place](shared_data, *published.cell)
    digits = len(published.value.partition(".")[2])
    assert f"{value:.{digits}f}" == published.value


def test_the_collections_are_those_of_the_paper(shared_data) -> None:
    assert originals(shared_data, "T7.adh").shape == (50, 103)
    assert originals(shared_data, "T8.adh").shape == (50, 129)
    assert originals(shared_data, "T04.rob").shape == (49, 110)
    assert robust(shared_data, "ap", "T03.rob").shape == (50, 110)
    assert len(PUBLISHED) == 45
