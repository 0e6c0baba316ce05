"""Result of `cdfscore.merging.merge` and of the other ways to merge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore.io.text import counted
from cdfscore.numerics.types import IntArray
from cdfscore.trec.run import Run

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Merged:
    """One list of documents for each topic, from those of several sources.

    Attributes
    ----------
    run
        The merged lists, by descending score; equal scores by descending document id, as trec_eval
        orders them.
    sources
        Names of the sources, in the order in which they were given.
    source
        Number of the source of each document of the run, from 0; for a document of several sources
        the first of those with its highest score, (documents,).
    weights
        Weights of the sources, topics x sources, or None.
    notes
        Sentences on what was done and left out, cautions included.
    cautions
        Those on what could be misread.
    """

    run: Run
    sources: tuple[str, ...]
    source: IntArray
    weights: pd.DataFrame | None
    notes: tuple[str, ...]
    cautions: tuple[str, ...]

    def frame(self) -> pd.DataFrame:
        """Return topic, document, rank, score and source of each document."""
        import pandas as pd

        run = self.run
        topic = np.repeat(np.arange(len(run.topics)), np.diff(run.starts))
        return pd.DataFrame(
            {
                "topic": _words(run.topics, topic),
                "document": run.documents.to_pandas(),
                "rank": run.ranks.astype(np.int64),
                "score": run.scores,
                "source": _words(self.sources, self.source),
            }
        )

    def __repr__(self) -> str:
        return f"<Merged {counted(len(self.sources), 'source')}: {self.run!r}>"


def _words(labels: tuple[str, ...], numbers: IntArray) -> Any:
    return np.array(labels, dtype=object)[numbers]
