"""System means on TREC's matrices: exact for E-std, R's colMeans for the others."""

from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer, read_scores
from cdfscore.datasets import load_cranfield
from validation.papers.matrices import urbano

# Pairs of systems that E-std ties exactly, by matrix.
TIES = {
    "robust2004_ap, 249 topics": 1,
    "robust2004_ap": 2,
    "robust2004_ndcg": 2,
    "terabyte2006_ap": 1,
    "terabyte2006_ndcg": 0,
}


@pytest.fixture(scope="module")
def matrices(shared_data: Path) -> dict[str, pd.DataFrame]:
    whole = read_scores(shared_data / "robust2004" / "robust2004_ap.csv")
    assert whole.shape == (249, 110)
    return {"robust2004_ap, 249 topics": whole, **urbano(shared_data)}


def fractions_of(reference: pd.DataFrame, scores: pd.DataFrame) -> list[Fraction]:
    """Mean E-std of each system by counting, Eq. 7 of Urbano et al. (2019)."""
    totals = [0] * scores.shape[1]
    for topic, row in scores.iterrows():
        sample = np.sort(reference.loc[topic])
        counts = np.searchsorted(sample, row, side="right")
        totals = [total + int(count) for total, count in zip(totals, counts, strict=True)]
    return [Fraction(total, reference.shape[1] * len(scores)) for total in totals]


def tied_pairs(means: list) -> set[tuple[int, int]]:
    return {(a, b) for a, b in combinations(range(len(means)), 2) if means[a] == means[b]}


@pytest.mark.parametrize("name", TIES)
def test_exact_ties(matrices, name) -> None:
    scores = matrices[name]
    means = Standardizer("empirical").fit(scores).standardize(scores).means["mean"].tolist()
    exact = fractions_of(scores, scores)
    assert means == [float(fraction) for fraction in exact]
    assert tied_pairs(means) == tied_pairs(exact)
    assert len(tied_pairs(means)) == TIES[name]


def test_float_means_break_ties(matrices) -> None:
    """On 60 random halves of the Robust topics, as the 2019 experiments draw them.

    On 200 halves the means of doubles lose some 208 of 675 ties, nearly every third.
    """
    scores = matrices["robust2004_ap"].set_axis([f"t{i}" for i in range(99)])
    factors = Standardizer("empirical").fit(scores)
    random = np.random.default_rng(2019)
    ties = lost = 0
    for _ in range(60):
        half = scores.iloc[np.sort(random.choice(99, 50, replace=False))]
        exact = tied_pairs(fractions_of(scores, half))
        assert tied_pairs(factors.standardize(half).means["mean"].tolist()) == exact
        doubles = tied_pairs(factors.transform(half).to_numpy().mean(axis=0).tolist())
        ties, lost = ties + len(exact), lost + len(exact - doubles)
    assert 0.2 < lost / ties < 0.4


def col_means(rinterface, values: np.ndarray) -> np.ndarray:
    """R's colMeans(x, na.rm = TRUE)."""
    base = rinterface.baseenv
    column_by_column = rinterface.FloatSexpVector(values.ravel(order="F").tolist())
    x = base["matrix"](column_by_column, nrow=rinterface.IntSexpVector([len(values)]))
    return np.array(base["colMeans"](x, **{"na.rm": rinterface.BoolSexpVector([True])}))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("scheme", ["raw", "normal", "uniform", "z", "minmax"])
@pytest.mark.parametrize("gaps", [False, True])
def test_other_means_are_those_of_r(matrices, rinterface, scheme, gaps) -> None:
    """Bit for bit: the same additions in the same order and precision."""
    cranfield = {measure: load_cranfield(measure) for measure in ("ap", "rr")}
    for name, scores in {**matrices, **cranfield}.items():
        if gaps:
            scores = scores.mask(np.random.default_rng(4).random(scores.shape) < 0.1)
        factors = Standardizer(scheme, missing="omit").fit(scores)
        means = factors.standardize(scores).means["mean"].to_numpy()
        expected = col_means(rinterface, factors.transform(scores).to_numpy())
        assert means.tobytes() == expected.tobytes(), name
