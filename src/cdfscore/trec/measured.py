"""Result of `cdfscore.trec.measure`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.errors import MeasureError
from cdfscore.io.text import counted, listed
from cdfscore.trec.measures import name_of_measure, parse_measure

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.trec.measures import AnyMeasure


@dataclass(frozen=True, eq=False, repr=False)
class Measured:
    """Result of `measure`: a score matrix for each measure.

    Attributes
    ----------
    matrices
        The score matrix, topics x systems, of each measure, by its name.
    notes
        Sentences on topics that were omitted, and cautions.

    Examples
    --------
    >>> from cdfscore.trec import measure
    >>> run = {"301": {"d7": 2.5, "d2": 1.5}, "302": {"d2": 9.0}}
    >>> measure({"bm25": run}, {"301": {"d2": 1}, "302": {"d2": 2}}, ["AP", "P@10"])
    <Measured AP, P@10: 2 topics, 1 system>
    """

    matrices: Mapping[str, pd.DataFrame]
    notes: tuple[str, ...]

    def __getitem__(self, measure: AnyMeasure) -> pd.DataFrame:
        """Return the score matrix of a measure, given by any of its spellings or as an object.

        Raises `MeasureError` for a measure that was not computed.
        """
        name = name_of_measure(measure)
        found = self.matrices.get(name)
        if found is None:
            found = self.matrices.get(str(parse_measure(name)))
        if found is None:
            raise MeasureError(
                f"{name!r} was not measured; expected one of {listed([*self.matrices])}"
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
        shape = [counted(n, noun) for n, noun in zip(first.shape, ("topic", "system"), strict=True)]
        return f"<Measured {', '.join(self.matrices)}: {', '.join(shape)}>"
