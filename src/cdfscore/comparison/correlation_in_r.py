"""The rank correlation of two score matrices in R."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cdfscore.comparison.correlation import Correlation
from cdfscore.errors import VerificationError
from cdfscore.r.analysis import Checked, Part
from cdfscore.r.verify import in_r
from cdfscore.standardization.standardized import Standardized
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.rank_correlation import coefficients

_TWINS = Path(coefficients.__file__)
_CLOSE = Tolerance(450, "two algorithms add the terms; 1e-13 of the number")
_MOST = Tolerance.MOST / _CLOSE.ulp


@in_r.register
def _(result: Correlation) -> tuple[Standardized, tuple[Part, ...]]:
    lower = [each.factors.lower_is_better for each in (result.first, result.second)]
    first, second = (own if own is True else set(own) for own in lower)
    if result.first.reference is None or first != second:
        raise VerificationError(
            "R standardizes the two matrices in the same way, each by itself; expected a "
            "correlation by a scheme, with the same topics on which lower is better"
        )
    return result.first, (_Correlated(result),)


@dataclass(frozen=True, eq=False)
class _Correlated(Part):
    """The rank correlation of the means of two matrices, each standardized by itself."""

    found: Correlation

    sources = (
        *(_TWINS.with_name(f"{name}.R") for name in ("kendall", "ap", "drmse")),
        Path(__file__).with_name("correlated.R"),
    )
    function = "analyze_correlation"
    given = ("y", "other", "how")

    @property
    def other(self) -> pd.DataFrame:
        return self.found.second.given.frame

    @property
    def numbers(self) -> list[Checked]:
        means = self.found.second.means["mean"]
        scheme = self.found.second.factors.fitted.scheme
        y = self.found.second.scores.to_numpy()
        terms = np.nanmean(np.abs(y), axis=0)
        tied = self.found.second.has_exact_means and not scheme.tolerance.ulp
        allowed = scheme.tolerance.of_means(counted=scheme.counts or tied)
        own = Checked.row(
            "second system mean", list(means.index), means.to_numpy(), allowed, terms, like=None
        )
        values = self.found.table["value"].to_numpy()
        labels = list(self.found.table["measure"])
        sizes = np.fmin(self._terms(labels), np.fmax(np.abs(values), 1.0) * _MOST)
        return [own, Checked.row("correlation", labels, values, _CLOSE, sizes, "statistic")]

    def _terms(self, measures: list[str]) -> Array:
        """Return the size of what the rounding of the means changes, for each measure."""
        means = [each.means["mean"].to_numpy() for each in (self.found.first, self.found.second)]
        largest = [np.abs(each).max() for each in means]
        ranges = [float(np.ptp(each)) for each in means]
        relative = sum(size / span for size, span in zip(largest, ranges, strict=True) if span)
        of_sds = dict.fromkeys(("pearson", "drmse", "drmse_geometric"), 1 + relative)
        return np.array([{"rmse": max(largest), **of_sds}.get(name, 1.0) for name in measures])

    @property
    def arguments(self) -> dict[str, Any]:
        return {"exact": bool(self.found.second.has_exact_means)}

    @property
    def told(self) -> str:
        return "rank correlation with the second scores"
