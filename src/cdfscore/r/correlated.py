"""Verification of the rank correlation of two score matrices in R."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore import rank_correlation
from cdfscore.errors import SchemeError
from cdfscore.numerics.tolerance import Tolerance
from cdfscore.numerics.types import Array
from cdfscore.r.further import Asked, Checked, Further
from cdfscore.rank_correlation.correlation import correlate
from cdfscore.spelling import option
from cdfscore.standardization.standardized import Factors, Standardized
from cdfscore.standardization.standardizer import How, standardize

if TYPE_CHECKING:
    import pandas as pd

_FOLDER = Path(str(rank_correlation.__file__)).parent
_CLOSE = Tolerance(450, "two algorithms add the terms; 1e-13 of the number")
_MOST = Tolerance.MOST / _CLOSE.ulp


def check_correlation(how: How, reference: object) -> None:
    """Raise `SchemeError` for factors or a reference: each matrix is standardized by itself."""
    if isinstance(how, Factors) or reference is not None:
        what = option("factors" if isinstance(how, Factors) else "reference")
        raise SchemeError(
            f"{what} and {option('correlate')} exclude each other, as each of the two files is "
            "standardized by itself; expected one of them"
        )


@dataclass(frozen=True, eq=False)
class CorrelationAsked(Asked):
    """Scores whose system means are correlated with those of the scores that are verified."""

    how: How
    other: pd.DataFrame

    def on(self, scores: Standardized) -> Correlated:
        """Return the correlation; raises `ScoresError` as `correlate`."""
        table = correlate(scores.given.frame, self.other, scheme=self.how)
        return Correlated(table, scores, standardize(self.other, self.how), self.other)


@dataclass(frozen=True, eq=False)
class Correlated(Further):
    """The rank correlation of the means of two matrices, each standardized by itself."""

    table: pd.DataFrame
    first: Standardized
    second: Standardized
    other: pd.DataFrame

    sources = (
        *(_FOLDER / f"{name}.R" for name in ("kendall", "ap", "drmse")),
        Path(__file__).with_suffix(".R"),
    )
    function = "analyze_correlation"
    given = ("y", "other", "how")

    @property
    def numbers(self) -> list[Checked]:
        """The means of the second scores, and the correlations."""
        means = self.second.means["mean"]
        scheme = self.second.factors.fitted.scheme
        y = self.second.scores.to_numpy()
        terms = np.nanmean(np.abs(y), axis=0)
        tied = self.second.has_exact_means and not scheme.tolerance.ulp
        allowed = scheme.tolerance.of_means(counted=scheme.counts or tied)
        own = Checked.row(
            "second system mean", list(means.index), means.to_numpy(), allowed, terms, like=None
        )
        values = self.table["value"].to_numpy()
        labels = list(self.table["measure"])
        sizes = np.fmin(self._terms(labels), np.fmax(np.abs(values), 1.0) * _MOST)
        return [own, Checked.row("correlation", labels, values, _CLOSE, sizes, "statistic")]

    def _terms(self, measures: list[str]) -> Array:
        """Return the size of what the rounding of the means changes, for each measure."""
        means = [each.means["mean"].to_numpy() for each in (self.first, self.second)]
        largest = [np.abs(each).max() for each in means]
        ranges = [float(np.ptp(each)) for each in means]
        relative = sum(size / span for size, span in zip(largest, ranges, strict=True) if span)
        of_sds = dict.fromkeys(("pearson", "drmse", "drmse_geometric"), 1 + relative)
        return np.array([{"rmse": max(largest), **of_sds}.get(name, 1.0) for name in measures])

    @property
    def arguments(self) -> dict[str, Any]:
        """Whether means are exact, so that equal ones are tied."""
        return {"exact": bool(self.second.has_exact_means)}

    @property
    def told(self) -> str:
        """The description of the analysis in the first lines of a script."""
        return "rank correlation with the second scores"
