"""Any continuous distribution of scipy.stats, by its name."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from cdfscore.errors import FitError, SchemeError
from cdfscore.numerics.types import Array, BoolArray
from cdfscore.schemes import Distribution, Parameters


@dataclass(frozen=True)
class FromScipy(Distribution):
    """A continuous distribution of `scipy.stats`, fitted by maximum likelihood.

    y = F(x; parameters) with the parameters that ``scipy.stats.<dist>.fit`` finds for the
    reference scores of each topic. The other settings hold parameters fixed and are passed
    to it under the same names: `floc` and `fscale`, and `f0`, `f1`, ... for the shapes in
    the order of ``scipy.stats.<dist>.shapes``. Scores have shape (..., n); y has no unit
    and lies in [0, 1]. Topics are fitted one by one.

    Constant topic: there is no maximum likelihood fit. y is 0 left of the common score, 1/2
    at it and 1 right of it, the limit of a symmetric distribution that shrinks to a point.

    Raises `SchemeError` for an unknown distribution or a parameter that it does not have,
    and `FitError` for a topic with fewer than two reference scores, or where SciPy finds
    no maximum (a score outside a fixed support, for example).

    >>> FromScipy(dist="beta", floc=0, fscale=1).fit([0.1, 0.2, 0.4])([0.2]).round(3).tolist()
    [0.443]
    """

    dist: str = "norm"
    floc: float | None = None
    fscale: float | None = None
    f0: float | None = None
    f1: float | None = None
    f2: float | None = None
    f3: float | None = None

    formula = "y = F(x; parameters), fitted by maximum likelihood"
    source = "the reference of scipy.stats, fit and cdf of each distribution"
    minimum_scores = 2

    def __post_init__(self) -> None:
        fixable = {"dist", "floc", "fscale", *(f"f{i}" for i in range(self._law().numargs))}
        for name in self.settings():
            if name not in fixable:
                raise SchemeError(
                    f"from_scipy: {name} is not accepted, since {self.dist} has "
                    f"{self._law().numargs} shape parameters"
                )

    def estimate(self, scores: Array) -> Parameters:
        rows = scores.reshape(-1, scores.shape[-1])
        names = self.parameter_names()[1:]
        table = np.empty((len(rows), len(names) + 1))
        for i, row in enumerate(rows):
            sample = row[~np.isnan(row)]
            # On a constant topic the parameters are not used, and the spread is 0.
            table[i] = [*self._maximize(sample, i), np.ptp(sample)]
        shaped = table.reshape(*scores.shape[:-1], len(names) + 1)
        return {name: shaped[..., i : i + 1] for i, name in enumerate([*names, "spread"])}

    def evaluate(self, x: Array, spread: Array, **parameters: Array) -> Array:
        y: Array = np.asarray(self._law().cdf(x, **parameters))
        if not np.all(spread):
            location = parameters["loc"]
            step = np.where(x == location, 0.5, x > location)
            y = np.where((spread == 0) & ~np.isnan(x), step, y)
        return y

    def inverse(self, p: Array, spread: Array, **parameters: Array) -> Array:
        """Return SciPy's ``ppf``."""
        return np.where(spread > 0, self._law().ppf(p, **parameters), parameters["loc"])

    def support(self, spread: Array, **parameters: Array) -> tuple[Array, Array]:
        low, high = self._law().support(**parameters)
        location = parameters["loc"]
        return np.where(spread > 0, low, location), np.where(spread > 0, high, location)

    def constant(self, spread: Array, **parameters: Array) -> BoolArray:
        return np.equal(spread, 0)

    def parameter_names(self) -> list[str]:
        shapes = self._law().shapes
        return ["spread", *(shapes.replace(",", " ").split() if shapes else []), "loc", "scale"]

    def _law(self) -> Any:
        from scipy import stats

        law = getattr(stats, self.dist, None)
        if not isinstance(law, stats.rv_continuous):
            raise SchemeError(
                f"from_scipy: dist={self.dist} is not accepted; expected the name of a "
                "continuous distribution of scipy.stats, such as beta, gamma or johnsonsu"
            )
        return law

    def _maximize(self, sample: Array, row: int) -> list[float]:
        names = self.parameter_names()[1:]
        if np.ptp(sample) == 0:
            return [*[1.0] * (len(names) - 2), float(sample[0]), 1.0]
        fixed = {name: v for name, v in self.settings().items() if name != "dist"}
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                found = [float(v) for v in self._law().fit(sample, **fixed)]
                likely = np.isfinite(self._law().logpdf(sample, *found)).all()
        except Exception as error:  # SciPy's fits raise whatever their optimizers raise
            raise FitError(f"row {row}: {self} has no fit: {error}", row=row) from error
        if not likely:
            raise FitError(
                f"row {row}: {self} has no maximum likelihood fit that gives every reference "
                "score a positive finite density",
                row=row,
            )
        return found
