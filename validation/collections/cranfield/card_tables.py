"""Tables of the data card."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

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


def code_table(results: Results) -> str:
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
        gain = "left out" if code == SOURCE_CODE else GAIN_OF_CODE[code]
        rows.append([code, gain, counts[code], f"{np.median(found):g}" if found else "-"])
    return table(["code", "gain", "judgments", f"median rank under `{REFERENCE}`"], rows)


def treatment_table(results: Results) -> str:
    """Mean AP and RR of the reference system under three treatments of the source documents."""
    judgments = results.collection.judgments
    scores, documents = results.scores[REFERENCE], results.collection.documents
    numbers = [document.number for document in documents]
    left_out = runs_of_topics(scores, numbers, judgments.sources)
    kept = runs_of_topics(scores, numbers, {})
    treatments = {
        "left out of the ranking (used here)": (judgments, left_out),
        "kept, not relevant": (judgments, kept),
        "kept, relevant": (judgments.with_relevant_sources(), kept),
    }
    rows = []
    for name, (judged, runs) in treatments.items():
        values = Evaluator(judged).scores(runs)
        rows.append([name, *(f"{np.mean(values[measure]):.4f}" for measure in ("ap", "rr"))])
    return table(["source document", "mean AP", "mean RR"], rows)


def peculiarity_table(results: Results) -> str:
    """Topics and systems that standardization has to be careful with."""
    rows = []
    for name, measure in MEASURES.items():
        matrix = results.matrices[name]
        equal = np.ptp(matrix, axis=1) == 0
        zero = equal & (matrix[:, 0] == 0)
        same = sum(np.array_equal(left, right) for left, right in combinations(matrix.T, 2))
        spread = np.median(np.std(matrix, axis=1, ddof=1))
        rows.append(
            [
                f"`{measure}`",
                _numbers(results.topics, zero),
                _numbers(results.topics, equal),
                same,
                np.unique(matrix).size,
                f"{spread:.4f}",
            ]
        )
    header = ["measure", "topics all 0", "topics all equal", "pairs of identical systems"]
    return table([*header, "distinct scores", "median topic standard deviation"], rows)


def system_table(results: Results) -> str:
    """Every system with its mean scores and parameters."""
    rows = [
        [
            f"`{name}`",
            *(f"{results.matrices[m][:, column].mean():.4f}" for m in MEASURES),
            system.parameters(),
        ]
        for column, (name, system) in enumerate(SYSTEMS.items())
    ]
    return table(["system", *(str(measure) for measure in MEASURES.values()), "parameters"], rows)


def table(header: Sequence[object], rows: Sequence[Sequence[object]]) -> str:
    """Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def _numbers(topics: Sequence[int], chosen: Sequence[bool]) -> str:
    """The chosen topic numbers, preceded by how many they are."""
    kept = [str(topic) for topic, keep in zip(topics, chosen, strict=True) if keep]
    return f"{len(kept)}: {', '.join(kept)}" if kept else "none"
