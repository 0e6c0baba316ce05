"""What `validation.papers.reference_systems` runs, and what it has found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

MATRICES = {
    "robust2004_ap": "Robust AP",
    "robust2004_ndcg": "Robust nDCG",
    "terabyte2006_ap": "Terabyte AP",
    "terabyte2006_ndcg": "Terabyte nDCG",
}
PAPER = {"raw": "raw", "N-std": "normal", "U-std": "uniform", "z-std": "z", "E-std": "empirical"}
CDFS = {
    **{label: PAPER[label] for label in ("N-std", "U-std", "E-std")},
    "kernel": "kernel",
    "min-max": "minmax",
    "exponential": "exponential",
}
SUM = {"sum": "sum"}
COLUMNS = list(PAPER | CDFS | SUM)
SMALL, LARGE = (2, 3, 5), (20, 40)
ALL = (*SMALL, 10, *LARGE)
WELCH, PAIRED = "power_unpaired", "power_paired"
RATES = (PAIRED, WELCH, "type1")


@dataclass(frozen=True)
class Setting:
    """Schemes that are run together, under one policy, and with which numbers of systems."""

    schemes: Mapping[str, str]
    constant: str
    sizes: tuple[int, ...]
    and_all: bool = True

    def sizes_for(self, largest: int) -> tuple[int, ...]:
        return (*(m for m in self.sizes if m < largest), *(largest,) * self.and_all)

    def spelled(self) -> list[str]:
        """Return the schemes as they are given to the command."""
        return [
            label if label == spelling else f"{label}={spelling}"
            for label, spelling in self.schemes.items()
        ]


# Where two settings have a scheme, the tables show the first.
SETTINGS = {
    "paper": Setting(PAPER, "urbano2019", ALL),
    "cdfs": Setting(CDFS, "limit", ALL),
    "sum": Setting(SUM, "raise", LARGE),
    "half": Setting(CDFS, "half", SMALL, and_all=False),
}


class Found:
    """All that was measured: rows of setting, table, kind, m, scheme, statistic and matrix.

    The kind is the agreement or, of rates, the level.
    """

    def __init__(self, rows: pd.DataFrame) -> None:
        self.rows = rows
        keys = ["table", "kind", "reference_systems", "scheme", "statistic", "matrix"]
        self.shown = rows.drop_duplicates(keys)
        self.same = rows[rows["table"] != "constant"].pivot_table(
            index=keys, columns="setting", values="value"
        )
        constant = rows[(rows["table"] == "constant") & (rows["setting"] == "paper")]
        self.constant = constant.pivot(index="matrix", columns="reference_systems", values="value")
        self.largest = constant.groupby("matrix")["reference_systems"].max()
        #: The levels of the tests.
        self.levels = self.shown.query("table == @WELCH")["kind"].unique()

    def wide(self, table: str, kind: str | float, statistic: str = "mean") -> pd.DataFrame:
        """Return a row for each matrix and m, and a column a scheme."""
        rows = self.shown.query("table == @table and kind == @kind and statistic == @statistic")
        wide = rows.pivot(index=["matrix", "reference_systems"], columns="scheme", values="value")
        return wide.reindex(columns=COLUMNS)

    def at(self, table: str, kind: str | float, scheme: str, m: int | None = None) -> pd.Series:
        """Return the means, or rates, by matrix, with m reference systems or all."""
        if m is not None:
            return self._means(table, kind)[scheme].xs(m, level="reference_systems")
        wide = self._means(table, kind)[scheme]
        keys = pd.MultiIndex.from_arrays([self.largest.index, self.largest])
        return wide.loc[keys].droplevel("reference_systems")

    def some_at(self, table: str, kind: str | float, scheme: str, m: int) -> pd.Series:
        """Return the means of those matrices that have m reference systems."""
        return self.at(table, kind, scheme, m).dropna()

    def lost(self, scheme: str, m: int, level: float | None = None) -> float:
        """Return by how much the power with m is below that with all, at most."""
        levels = [level] if level else self.levels
        return max(
            self.farther(test, each, scheme, m) for test in (WELCH, PAIRED) for each in levels
        )

    def farther(self, table: str, kind: str | float, scheme: str, m: int) -> float:
        """Return by how much the mean, or rate, with m is below that with all, at most."""
        return float((self.at(table, kind, scheme) - self.at(table, kind, scheme, m)).max())

    def above_raw(self, table: str, kind: str | float, scheme: str) -> str:
        """Say with which m a scheme is above raw scores, matrix by matrix, where it `rises`."""
        texts = []
        for matrix, above in self._above(table, kind, scheme):
            number = f"{above.index[above].min()} or more" if above.any() else "no number"
            texts.append(f"{number} on {matrix}")
        return f"{', '.join(texts[:-1])} and {texts[-1]}"

    def rises(self, table: str, kind: str | float, scheme: str) -> bool:
        """Tell whether a scheme that is above raw scores stays so with more systems."""
        return all(above.is_monotonic_increasing for _, above in self._above(table, kind, scheme))

    def _above(self, table: str, kind: str | float, scheme: str) -> Iterator[tuple[str, pd.Series]]:
        wide = self._means(table, kind)
        for matrix in MATRICES.values():
            rows = wide.loc[matrix].sort_index()
            yield matrix, rows[scheme] > rows["raw"]

    def _means(self, table: str, kind: str | float) -> pd.DataFrame:
        return self.wide(table, kind, "rate" if table in RATES else "mean")

    def apart(self, one: str, other: str, statistic: str) -> float:
        """Return the largest difference of two policies, over all that both were run on."""
        rows = self.same.query("statistic == @statistic")
        return float((rows[one] - rows[other]).abs().max())
