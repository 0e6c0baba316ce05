"""Runs and qrels of the Cranfield collection, as files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from validation.collections.cranfield.collection import Collection, read_collection
from validation.collections.cranfield.index import Indexer, Scores
from validation.collections.cranfield.ranking import runs_of_topics
from validation.collections.cranfield.systems import SYSTEMS, System


@dataclass(frozen=True)
class Cranfield:
    """The collection, and the scores of some of its systems by topic and document."""

    collection: Collection
    scores: dict[str, Scores]

    @classmethod
    def of(cls, data: Path, names: Sequence[str] = ()) -> Cranfield:
        """Run the systems of these names, which combine no others, or all of them."""
        collection = read_collection(data)
        indexer = Indexer.of(collection)
        scores: dict[str, Scores] = {}
        for name, system in SYSTEMS.items():
            if names and name not in names:
                continue
            if isinstance(system, System):
                scores[name] = system.model(indexer.index(system.field, system.analyzer))
            else:
                scores[name] = system.combine([scores[member] for member in system.members])
        return cls(collection, scores)

    def write_qrels(self, path: Path) -> Path:
        """Write the gains of all topics."""
        path.write_text(
            "".join(
                f"{topic} 0 {document} {gain}\n"
                for topic, gains in self.collection.judgments.gains.items()
                for document, gain in gains.items()
            )
        )
        return path

    def write_runs(self, folder: Path, decimals: int | None = None) -> list[Path]:
        """Write a run of each system, 1,000 documents a topic.

        Scores are 1000, 999, ... as in the bundled score matrices, or those of the system with so
        many decimals, which has ties in any other order than that of the ranks.
        """
        folder.mkdir(parents=True, exist_ok=True)
        return [self._write_run(folder / f"{name}.run", name, decimals) for name in self.scores]

    def _write_run(self, path: Path, name: str, decimals: int | None) -> Path:
        numbers = [document.number for document in self.collection.documents]
        runs = runs_of_topics(self.scores[name], numbers, self.collection.judgments.sources)
        lines = []
        for (topic, ranking), row in zip(runs.items(), self.scores[name], strict=True):
            shown = list(ranking.values())
            if decimals is not None:
                places = np.array(list(map(int, ranking))) - 1  # numbers are 1, 2, 3, ...
                shown = np.round(row[places], decimals).tolist()
            lines += [
                f"{topic} Q0 {document} {rank} {score} {name}\n"
                for rank, (document, score) in enumerate(zip(ranking, shown, strict=True), start=1)
            ]
        path.write_text("".join(lines))
        return path


def without_combinations() -> list[str]:
    """Name the systems that combine no others."""
    return [name for name, system in SYSTEMS.items() if isinstance(system, System)]
