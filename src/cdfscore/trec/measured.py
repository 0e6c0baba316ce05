"""Result of `cdfscore.trec.measure`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.errors import MeasureError
from cdfscore.io.text import listed
from cdfscore.trec.measures import parse_measure

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Measured:
    """Scores of runs by several measures.

    Attributes
    ----------
    matrices
        A score matrix, topics x systems, by the name of each measure.
    notes
        Sentences on what was left out, and on what could be misread.
    """

    matrices: Mapping[str, pd.DataFrame]
    notes: tuple[str, ...]

    def __getitem__(self, measure: str) -> pd.DataFrame:
        """Return the score matrix of a measure, in any of its spellings.

        Raises `MeasureError` for a measure that is not among them.
        """
        found = self.matrices.get(measure)
        if found is None:
            found = self.matrices.get(str(parse_measure(measure)))
        if found is None:
            raise MeasureError(
                f"{measure!r} was not measured; expected one of {listed([*self.matrices])}"
            )
        return found

    def frame(self) -> pd.DataFrame:
        """Return all scores in long form: topic, system, measure, score; NaN if missing."""
        import pandas as pd

        first = next(iter(self.matrices.values()))
        topics, systems, names = [*first.index], [*first.columns], [*self.matrices]
        values = np.stack([each.to_numpy() for each in self.matrices.values()])
        shape = values.shape  # (measures, topics, systems)
        numbers = np.indices((shape[2], shape[1], shape[0])).reshape(3, -1)
        labels = (systems, topics, names)
        columns = {
            name: np.array(words, dtype=object)[number]
            for name, words, number in zip(
                ("system", "topic", "measure"), labels, numbers, strict=True
            )
        }
        return pd.DataFrame(
            {
                "topic": columns["topic"],
                "system": columns["system"],
                "measure": columns["measure"],
                "score": values.transpose(2, 1, 0).ravel(),
            }
        )

    def __repr__(self) -> str:
        first = next(iter(self.matrices.values()))
        return (
            f"<Measured {', '.join(self.matrices)}: {first.shape[0]} topics, "
            f"{first.shape[1]} systems>"
        )
