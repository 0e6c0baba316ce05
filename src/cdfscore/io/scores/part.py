"""Scores of one file before the search for summaries, with notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from cdfscore.io.scores.how import How
from cdfscore.io.scores.labels import heads

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Part:
    """The scores of a file, topics x systems, and sentences on how they were read.

    `topics` and `systems` are all labels of the file, with those that were left out.
    """

    source: str
    frame: pd.DataFrame
    topics: Sequence[str]
    systems: Sequence[str]
    notes: tuple[str, ...] = ()
    measure: str | None = None
    #: What the file has, if it names measures.
    measures: tuple[str, ...] = ()
    #: Settings of `How` on the form that the file has a use for.
    uses: frozenset[str] = frozenset({"topic_column", "systems_as_rows", "system_column"})
    #: True if the numbers are those of a wide file, all of them, in its own orientation or turned.
    whole: bool = True
    #: True if the only system has the name that the reader was given.
    named_as_file: bool = False
    #: The labels of `frame`, if they are known: to make texts of them takes a while.
    labels: tuple[list[str], list[str]] | None = None

    def read_by(self, header: str, how: How) -> Part:
        """Return the part, without a use for `systems_as_rows` if `header` says the opposite."""
        if how.rows_under(header) is not None or heads("system", header) == how.systems_as_rows:
            return self
        return replace(self, uses=self.uses - {"systems_as_rows"})

    def renamed(self, system: str) -> Part:
        """Return the scores of one system by another name."""
        import pandas as pd

        frame = self.frame.set_axis(pd.Index([system], dtype=str), axis=1)
        return replace(self, frame=frame, systems=[system], labels=None, named_as_file=False)
