"""Numbers of the data card."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, compress
from typing import Any

import numpy as np

from .collection import GAIN_OF_CODE, SOURCE_CODE, Collection
from .index import Scores
from .measure import MEASURES, Evaluator, Matrix
from .ranking import ranks, runs_of_topics
from .systems import SYSTEMS

REFERENCE = "bm25_k1.2_b0.75"
"""The system that the card uses to describe the judgments."""


@dataclass(frozen=True)
class Results:
    """What one build has computed."""

    collection: Collection
    topics: Sequence[int]
    scores: Mapping[str, Scores]
    matrices: Mapping[str, Matrix]
    grid: Mapping[str, Matrix]


def empty_documents(results: Results) -> list[int]:
    """Numbers of the documents without a word."""
    return [document.number for document in results.collection.documents if not document.full]


def codes(results: Results) -> list[dict[str, Any]]:
    """Count, gain and typical rank of each code, best first."""
    judgments = results.collection.judgments
    rank = ranks(results.scores[REFERENCE])
    counts = judgments.code_counts()
    rows = []
    for code in (*GAIN_OF_CODE, SOURCE_CODE):
        found = [
            rank[topic - 1, document - 1]
            for topic, judged in judgments.codes.items()
            for document, of_document in judged.items()
            if of_document == code
        ]
        rows.append(
            {
                "code": code,
                "gain": "left out" if code == SOURCE_CODE else GAIN_OF_CODE[code],
                "judgments": counts[code],
                "rank": np.median(found) if found else None,
            }
        )
    return rows


def treatments(results: Results) -> dict[str, dict[str, float]]:
    """Mean scores of the reference system under three treatments of the source documents."""
    judgments = results.collection.judgments
    scores, documents = results.scores[REFERENCE], results.collection.documents
    numbers = [document.number for document in documents]
    left_out = runs_of_topics(scores, numbers, judgments.sources)
    kept = runs_of_topics(scores, numbers, {})
    of = {
        "left out of the ranking (used here)": (judgments, left_out),
        "kept, not relevant": (judgments, kept),
        "kept, relevant": (judgments.with_relevant_sources(), kept),
    }
    return {
        name: {
            measure: float(np.mean(values))
            for measure, values in Evaluator(judged).scores(runs).items()
        }
        for name, (judged, runs) in of.items()
    }


def peculiarities(topics: Sequence[int], matrices: Mapping[str, Matrix]) -> list[dict[str, Any]]:
    """Topics and systems that standardization has to be careful with."""
    rows = []
    for name, measure in MEASURES.items():
        matrix = matrices[name]
        equal = np.ptp(matrix, axis=1) == 0
        zero = equal & (matrix[:, 0] == 0)
        rows.append(
            {
                "name": name,
                "measure": measure,
                "zero": list(compress(topics, zero)),
                "equal": list(compress(topics, equal)),
                "same": sum(np.array_equal(a, b) for a, b in combinations(matrix.T, 2)),
                "distinct": np.unique(matrix).size,
                "spread": np.median(np.std(matrix, axis=1, ddof=1)),
            }
        )
    return rows


def mean_scores(results: Results) -> dict[str, list[float]]:
    """Mean of each measure, by system."""
    return {
        name: [float(results.matrices[measure][:, column].mean()) for measure in MEASURES]
        for column, name in enumerate(SYSTEMS)
    }
