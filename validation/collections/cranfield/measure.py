"""Measure runs with ir_measures and write topics x systems matrices."""

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path

import ir_measures
import numpy as np
from ir_measures import AP, RR, P, nDCG
from numpy.typing import NDArray

from .collection import Judgments

MEASURES = {"ap": AP(rel=1), "ndcg10": nDCG @ 10, "p10": P(rel=1) @ 10, "rr": RR(rel=1)}
"""File name part and measure."""

DECIMALS = 6

Run = Mapping[int, Mapping[str, float]]
Matrix = NDArray[np.float64]
"""One row a topic, one column a system."""


class Evaluator:
    """Measures runs against the gains of one set of judgments."""

    def __init__(self, judgments: Judgments) -> None:
        self.topics = sorted(judgments.codes)
        qrels = {
            str(topic): {str(document): gain for document, gain in gains.items()}
            for topic, gains in judgments.gains.items()
        }
        self._provider = ir_measures.pytrec_eval.evaluator(list(MEASURES.values()), qrels)

    def scores(self, run: Run) -> dict[str, list[float]]:
        """Score of each topic by measure, 0 for a topic that the provider does not report."""
        by_name = {str(measure): name for name, measure in MEASURES.items()}
        found = {name: dict.fromkeys(self.topics, 0.0) for name in MEASURES}
        named = {str(topic): dict(ranking) for topic, ranking in run.items()}
        for metric in self._provider.iter_calc(named):
            found[by_name[str(metric.measure)]][int(metric.query_id)] = metric.value
        return {name: [values[t] for t in self.topics] for name, values in found.items()}

    def matrices(self, runs: Iterable[Run]) -> dict[str, Matrix]:
        """Matrix of each measure, rounded as it is written."""
        columns = [self.scores(run) for run in runs]
        return {
            name: np.round(np.array([column[name] for column in columns]).T, DECIMALS)
            for name in MEASURES
        }


def write_matrix(path: Path, topics: Iterable[int], systems: Iterable[str], matrix: Matrix) -> None:
    """Write CSV with a `topic` column and one column a system."""
    with path.open("w", encoding="ascii", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["topic", *systems])
        for topic, row in zip(topics, matrix, strict=True):
            writer.writerow([topic, *(shortest(value) for value in row)])


def shortest(value: float) -> str:
    """Shortest decimal form without an exponent: 0, 0.25, 1."""
    return np.format_float_positional(value, trim="-")
