"""Sums and R-normalized measures, by plain enumeration of small rankings and against trec_eval."""

import itertools
import math
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore.retrieval import measure

PERSISTENCE = Fraction(19, 20)
# Relevance of the documents in their order, and of those that were not returned.
SMALL = [
    (list(returned), list(rest))
    for n in range(1, 5)
    for returned in itertools.product(range(3), repeat=n)
    for rest in ([], [1], [2, 1])
]


def definition(name: str, returned: list[int], rest: list[int], rel: int, k: int) -> Any:
    """Return a measure from its formula, as a fraction where it is one."""
    levels = returned[:k]
    ranks = [rank for rank, level in enumerate(levels, start=1) if level >= rel]
    relevant = sum(level >= rel for level in [*returned, *rest])
    if name == "SP":
        return sum(Fraction(place, rank) for place, rank in enumerate(ranks, start=1))
    if "DCG" in name:
        power = "exp" in name

        def cumulated(levels: list[int]) -> float:
            gains = [2**level - 1 if power else level for level in levels[:k]]
            if "VDCG" in name:
                return math.fsum(g / math.log2(r + 1) for r, g in enumerate(gains, start=1))
            # Jarvelin and Kekalainen (2002), Eq. 2: DCG[i] = CG[i] for i < b, then G[i] / log_b i.
            b = float(name.partition("b=")[2].rstrip(")"))
            return math.fsum(g / (math.log(r, b) if r >= b else 1) for r, g in enumerate(gains, 1))

        ideal = cumulated(sorted([*returned, *rest], reverse=True)) if name[0] == "n" else 1
        return cumulated(levels) / ideal if ideal else 0
    if name in ("RBP", "nRBP"):
        score = (1 - PERSISTENCE) * sum(PERSISTENCE ** (rank - 1) for rank in ranks)
        ideal = (1 - PERSISTENCE) * sum(PERSISTENCE**i for i in range(min(k, relevant)))
        return score if name == "RBP" else score / ideal if relevant else 0
    return Fraction(len(ranks), min(k, relevant)) if relevant else 0


# The gain of DCG is the relevance, so that there is no least one.
@pytest.mark.clause("sums.1", "sums.2", "sums.3", "sums.4", "sums.5", "sums.6")
@pytest.mark.parametrize(
    ("name", "rel"),
    [
        *itertools.product(["DCG(b=2)", "nDCG(b=2)", "DCG(b=3.5)", "nDCG(b=3.5)"], [1]),
        *itertools.product(["VDCG", "nVDCG", "VDCG(dcg='exp-log2')"], [1]),
        *itertools.product(["SP", "RBP", "nRBP", "nP"], [1, 2]),
    ],
)
@pytest.mark.parametrize("k", [2, 1000])
def test_every_small_ranking(name: str, k: int, rel: int) -> None:
    settings = f"rel={rel}" if name in ("SP", "nP") else f"p=0.95,rel={rel}"
    spelled = f"{name}@{k}" if "DCG" in name else f"{name}({settings})@{k}"
    qrels, run = {}, {}
    for i, (returned, rest) in enumerate(SMALL):
        levels = {f"d{j}": level for j, level in enumerate([*returned, *rest])}
        qrels[str(i)] = levels
        run[str(i)] = {f"d{j}": -float(j) for j in range(len(returned))}
    found = measure({"s": run}, qrels, spelled)[spelled]["s"].to_numpy()
    expected = [float(definition(name, *each, rel, k)) for each in SMALL]
    np.testing.assert_allclose(found, expected, rtol=1e-14, atol=0)


LEVELS = st.lists(st.integers(-1, 3), min_size=1, max_size=40)


@pytest.mark.clause("sums.1", "sums.2", "sums.5", "measure.1")
@given(LEVELS, LEVELS, st.integers(1, 3))
def test_r_normalized_sums_are_those_of_trec_eval_to_the_last_bit(
    pytrec_eval: ModuleType, returned: list[int], rest: list[int], rel: int
) -> None:
    levels = {f"d{j}": level for j, level in enumerate([*returned, *rest, 0])}
    run = {f"d{j}": -float(j) for j in range(len(returned))}
    evaluator = pytrec_eval.RelevanceEvaluator(
        {"1": levels}, {"map", "ndcg", "relative_P_10"}, relevance_level=rel
    )
    theirs = evaluator.evaluate({"1": run})["1"]
    names = [f"SP(rel={rel})", "nVDCG", f"nP(rel={rel})@10", f"P(rel={rel})@10"]
    ours = {
        name: each["s"].item()
        for name, each in measure({"s": {"1": run}}, {"1": levels}, names).matrices.items()
    }
    sp, nvdcg, np10, p10 = ours.values()
    relevant = sum(level >= rel for level in levels.values())
    assert sp / max(relevant, 1) == theirs["map"]
    assert np10 == theirs["relative_P_10"]
    assert p10 == sum(level >= rel for level in returned[:10]) / 10
    assert nvdcg == theirs["ndcg"]


@pytest.mark.clause("sums.2", "sums.4", "sums.5", "sums.6")
@given(LEVELS)
def test_an_ideal_ranking_has_the_r_normalized_score_1(levels: list[int]) -> None:
    ordered = sorted(levels, reverse=True)
    qrels = {"1": {f"d{j}": level for j, level in enumerate([*ordered, 0])}}
    run = {"1": {f"d{j}": -float(j) for j in range(len(ordered))}}
    names = ["nRBP(p=0.95)", "nRBP(p=0.5)@3", "nP@10", "nP@1", "nDCG(b=2)", "nVDCG@3"]
    found = measure({"s": run}, qrels, names)
    for matrix in found.matrices.values():
        assert matrix["s"].item() == pytest.approx(float(ordered[0] >= 1), rel=1e-12)


@pytest.mark.clause("sums.1", "measure.1")
def test_only_a_perfect_ranking_has_the_score_1() -> None:
    """Of AP and RP, as Webber, Moffat and Zobel (2008) say in Section 2; not of nDCG with b = 2."""
    qrels, run, perfect, recall = {}, {}, [], []
    for i, (returned, rest) in enumerate(SMALL):
        qrels[str(i)] = {f"d{j}": level for j, level in enumerate([*returned, *rest])}
        run[str(i)] = {f"d{j}": -float(j) for j in range(len(returned))}
        relevant = sum(level > 0 for level in [*returned, *rest])
        perfect.append(relevant > 0 and sum(level > 0 for level in returned[:relevant]) == relevant)
        recall.append(sum(level > 0 for level in returned[:3]) / max(relevant, 1))
    found = measure({"s": run}, qrels, ["AP", "RP", "R@3", "nDCG(b=2)"])
    assert (found["AP"]["s"] == 1).tolist() == perfect
    assert (found["RP"]["s"] == 1).tolist() == perfect
    assert (found["nDCG(b=2)"]["s"] == 1)[~np.array(perfect)].any()  # rank 2 is not discounted
    np.testing.assert_allclose(found["R@3"]["s"], recall, rtol=1e-14, atol=0)


@pytest.mark.clause("measure.1", "sums.1", "sums.2", "sums.3", "sums.6")
def test_the_measures_of_the_page_of_factors() -> None:
    # Relevant documents at ranks 1, 2, 4 and 8; one was not returned.
    run = {"1": {f"d{rank}": -float(rank) for rank in range(1, 11)}}
    qrels = {"1": {**{f"d{rank}": 1 for rank in (1, 2, 4, 8)}, "x": 1}}
    worked = {
        "SP": 1 / 1 + 2 / 2 + 3 / 4 + 4 / 8,
        "AP": (1 / 1 + 2 / 2 + 3 / 4 + 4 / 8) / 5,
        "DCG": 1 + 1 + 1 / 2 + 1 / 3,
        "nDCG(b=2)": (1 + 1 + 1 / 2 + 1 / 3)
        / (1 + 1 + 1 / math.log2(3) + 1 / 2 + 1 / math.log2(5)),
        "VDCG": 1 + 1 / math.log2(3) + 1 / math.log2(5) + 1 / math.log2(9),
        "P@10": 4 / 10,
        "RR": 1,
        "RBP.8": 0.2 * (1 + 0.8 + 0.8**3 + 0.8**7),
        "RBP.95": 0.05 * (1 + 0.95 + 0.95**3 + 0.95**7),
        "RP": 3 / 5,
    }
    found = measure({"s": run}, qrels, list(worked))
    for name, value in worked.items():
        assert found[name]["s"].item() == pytest.approx(value, rel=1e-14), name
    assert found["nSP"].equals(found["AP"])


@pytest.mark.clause("sums.1", "sums.2", "sums.3", "sums.4", "sums.5", "sums.6")
def test_nothing_relevant_returned_is_0() -> None:
    found = measure(
        {"s": {"1": {"d9": 1.0}, "2": {"d9": 1.0}}},
        {"1": {"d1": 1}, "2": {"d1": 0}},
        ["SP", "DCG", "nDCG(b=2)", "VDCG", "nVDCG", "RBP", "nRBP", "nP@10"],
    )
    assert [matrix["s"].tolist() for matrix in found.matrices.values()] == [[0.0, 0.0]] * 8
