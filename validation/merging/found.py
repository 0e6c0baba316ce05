"""The recorded tables, asked for what the page says."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from validation.merging.recording import PARTITIONS_OF, SOURCES, Tables

#: A kind of partition and a number of sources.
Bed = tuple[str, int]


@dataclass(frozen=True)
class Found:
    """What `python -m validation.merging` has recorded."""

    tables: Tables

    @property
    def beds(self) -> list[Bed]:
        return [(kind, sources) for kind in PARTITIONS_OF for sources in SOURCES]

    @property
    def depths(self) -> list[str]:
        return self.tables["scores"]["depth"].unique().tolist()

    def rows(self, table: str, bed: Bed) -> pd.DataFrame:
        kind, sources = bed
        rows = self.tables[table]
        return rows[(rows["partition"] == kind) & (rows["sources"] == sources)]

    def one(self, table: str, bed: Bed, **where: str) -> pd.Series:
        """Return the one row of these values."""
        rows = self.rows(table, bed)
        for column, value in where.items():
            rows = rows[rows[column] == value]
        (index,) = rows.index
        return rows.loc[index]

    def score(self, bed: Bed, method: str, depth: str = "all") -> pd.Series:
        return self.one("scores", bed, method=method, depth=depth)

    def ap(self, method: str, depth: str = "all") -> pd.Series:
        """Return the mean AP of each bed."""
        return pd.Series({bed: self.score(bed, method, depth)["AP"] for bed in self.beds})

    def pair(self, bed: Bed, a: str, b: str, of: str = "all", family: str = "selection") -> pd.Series:
        """Return the difference a - b with its interval."""
        rows = self.rows("pairs", bed)
        rows = rows[(rows["family"] == family) & (rows["of"] == of)]
        there = rows[(rows["a"] == a) & (rows["b"] == b)]
        if len(there):
            return there.iloc[0]
        row = rows[(rows["a"] == b) & (rows["b"] == a)].iloc[0].copy()
        row[["difference", "low", "high"]] = [-row["difference"], -row["high"], -row["low"]]
        return row

    def seeds(self, bed: Bed, method: str, measure: str = "AP") -> pd.Series:
        """Return the mean of each partition."""
        rows = self.rows("seeds", bed)
        return rows[rows["method"] == method].set_index("seed")[measure]

    def above(self, bed: Bed, a: str, b: str) -> int:
        """Return in how many of the partitions a is above b."""
        return int((self.seeds(bed, a) > self.seeds(bed, b)).sum())
