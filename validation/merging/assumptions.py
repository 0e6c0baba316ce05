"""What linear normalization assumes of lists, counted: A1 to A3 of the slides."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
import pandas as pd

from cdfscore import CdfscoreWarning, diagnose
from cdfscore.retrieval import Run
from cdfscore.retrieval.runs import Ranking
from validation.merging.engines import MODELS
from validation.merging.methods import Asked
from validation.merging.scores import DEPTHS, shown_depth
from validation.merging.testbed import Testbed

#: Distributions that the linear ways to merge stand for.
FAMILIES = ("normal", "exponential", "minmax")
TESTED = ("normal", "exponential")
#: Lists of as many documents are diagnosed, and of every so many topics tested.
LEAST, EVERY, BOOTSTRAP = 20, 9, 199


def of_relevant(asked: Asked) -> pd.DataFrame:
    """Return A1 and A2 at each depth: which lists have relevant documents, and where."""
    rows = []
    relevant = {topic: {d for d, gain in own.items() if gain} for topic, own in asked.qrels.items()}
    ranked = list(_ranked(asked))
    for depth in DEPTHS:
        lengths, firsts, ranks = [], [], []
        for topic, documents in ranked:
            kept = documents[:depth]
            own = [rank for rank, each in enumerate(kept, start=1) if each in relevant[topic]]
            lengths.append(len(kept))
            firsts += own[:1]
            ranks += own
        rows.append(
            {
                "depth": shown_depth(depth),
                "lists": len(lengths),
                "mean_length": np.mean(lengths),
                "with_relevant": len(firsts) / len(lengths),
                "first_is_relevant": np.mean(np.array(firsts) == 1),
                "relevant": len(ranks),
                "relevant_at_first": np.mean(np.array(ranks) == 1),
                "median_rank": np.median(ranks),
                "mean_rank": np.mean(ranks),
            }
        )
    return pd.DataFrame(rows)


def of_scores(bed: Testbed) -> pd.DataFrame:
    """Return A3: which distribution is best for the scores of lists, model by model."""
    rows = []
    for number, run in enumerate(bed.runs):
        scores = _matrix(run)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CdfscoreWarning)
            every = diagnose(scores, FAMILIES, bootstrap=0, missing="omit")
            some = diagnose(scores[::EVERY], TESTED, bootstrap=BOOTSTRAP, missing="omit")
        tested = some.summary.set_index("scheme")
        for _, row in every.summary.iterrows():
            name = row["scheme"]
            rows.append(
                {
                    "model": MODELS[number % len(MODELS)],
                    "distribution": name,
                    "lists": row["topics"],
                    "fitted": row["fitted"],
                    "aic_wins": row["aic_wins"],
                    "crps_wins": row["crps_wins"],
                    **{
                        column: tested.loc[name, column] if name in TESTED else pd.NA
                        for column in ("tested", "ad_rejected")
                    },
                }
            )
    return pd.DataFrame(rows)


def _ranked(asked: Asked) -> Iterator[tuple[str, list[str]]]:
    """Yield the topic and the documents of each list, in their order."""
    for each in asked.runs:
        run = Ranking.of(each).top()
        documents = run.documents.to_pylist()
        for topic, start, end in zip(run.topics, run.starts[:-1], run.starts[1:], strict=True):
            yield topic, documents[start:end]


def _matrix(run: Run) -> pd.DataFrame:
    """Return the scores of the lists, a row for each of `LEAST` documents, NaN after the last."""
    scores = {
        topic: pd.Series(run.scores[start:end])
        for topic, start, end in zip(run.topics, run.starts[:-1], run.starts[1:], strict=True)
        if end - start >= LEAST
    }
    return pd.DataFrame(scores).T.rename(columns=lambda place: f"document {place + 1}")
