"""The recorded tables, asked for what the page says."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from validation.merging.methods import BASELINE
from validation.merging.recording import PARTITIONS_OF, SOURCES, Tables

#: A kind of partition and a number of sources.
Bed = tuple[str, int]
#: What the findings compare: two ways to merge, the depth and the family; or two depths of one.
CHOSEN = (
    ("Z-Score", BASELINE, "all", "linear"),
    ("Sum", BASELINE, "all", "linear"),
    ("100", "10", BASELINE, "depth"),
    ("all", "10", "Z-Score", "depth"),
    ("all", "10", "Sum", "depth"),
    *(
        (a, b, "all", "selection")
        for a, b in (
            ("CORI (0.4)", BASELINE),
            ("CORI (0.4), samples", BASELINE),
            ("CORI (inf)", "CORI (0.4)"),
            ("CORI (cv)", "CORI (0.4)"),
            ("SAFE", BASELINE),
            ("SAFE", "CORI (0.4)"),
            ("SAFE", "CORI (0.4), samples"),
            ("CORI (cv)", "SAFE"),
        )
    ),
)


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

    def apart(self, a: str, b: str) -> float:
        """Return how far the mean AP of two ways to merge whole lists is apart at most."""
        return float((self.ap(a) - self.ap(b)).abs().max())

    def pair(
        self, bed: Bed, a: str, b: str, of: str = "all", family: str = "selection"
    ) -> pd.Series:
        """Return the difference a - b with its interval."""
        rows = self.rows("pairs", bed)
        rows = rows[(rows["family"] == family) & (rows["of"] == of)]
        there = rows[(rows["a"] == a) & (rows["b"] == b)]
        if len(there):
            return there.iloc[0]
        row = rows[(rows["a"] == b) & (rows["b"] == a)].iloc[0].copy()
        row[["difference", "low", "high"]] = [-row["difference"], -row["high"], -row["low"]]
        return row

    @property
    def chosen_pairs(self) -> dict[str, list[pd.Series]]:
        """Return the differences that the findings rest on, a row for each bed."""
        return {
            f"{a} - {b}" if family != "depth" else f"{of}: {a} - {b}": [
                self.pair(bed, a, b, of, family) for bed in self.beds
            ]
            for a, b, of, family in CHOSEN
        }

    @property
    def largest_gain(self) -> float:
        """Return by how much MinMax gains from 10 to 100 documents at most."""
        return float((self.ap(BASELINE, "100") - self.ap(BASELINE, "10")).max())

    def assumption(self, column: str) -> pd.Series:
        """Return what was counted of whole lists in each bed."""
        rows = {bed: self.one("assumptions", bed, depth="all")[column] for bed in self.beds}
        return pd.Series(rows)

    @property
    def fits(self) -> dict[str, pd.DataFrame]:
        """Return the counts of each model, a row a distribution."""
        fits = self.tables["fits"]
        return {
            str(model): own.set_index("distribution")
            for model, own in fits.groupby("model", sort=False)
        }

    @property
    def tested(self) -> str:
        """Return of how many lists a model was tested."""
        (count,) = self.tables["fits"]["tested"].dropna().unique()
        return f"{count:.0f}"

    @property
    def methods_of_seeds(self) -> list[str]:
        return self.tables["seeds"]["method"].unique().tolist()

    def seeds(self, bed: Bed, method: str, measure: str = "AP") -> pd.Series:
        """Return the mean of each partition."""
        rows = self.rows("seeds", bed)
        return rows[rows["method"] == method].set_index("seed")[measure]

    def above(self, bed: Bed, a: str, b: str) -> int:
        """Return in how many of the partitions a is above b."""
        return int((self.seeds(bed, a) > self.seeds(bed, b)).sum())


def interval(row: pd.Series, measure: str = "") -> str:
    """Return a difference with its interval."""
    of = f"{measure} " if measure else ""
    return f"{row[f'{of}difference']:+.3f} ({row[f'{of}low']:+.3f} to {row[f'{of}high']:+.3f})"
