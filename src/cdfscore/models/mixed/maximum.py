"""Maximum likelihood of scores: of all scores, or of differences within topics."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from cdfscore.models.mixed.likelihood import Method, Point, likelihood
from cdfscore.models.mixed.optimum import Likelihood, greatest
from cdfscore.models.mixed.profile import profile_interval
from cdfscore.models.mixed.sums import Sums
from cdfscore.numerics.types import Array


@dataclass(frozen=True, eq=False)
class Maximum:
    """The `best` point of a likelihood of scaled scores, and the likelihood itself."""

    sums: Sums
    best: Point
    likelihood: Likelihood

    @classmethod
    def of(cls, sums: Sums, start: Array, method: Method) -> Maximum:
        """Maximize from variances `start`; raises `ModelError` if it does not converge."""
        of_scores = partial(likelihood, sums, method=method)
        return cls(sums, greatest(of_scores, start), of_scores)

    @property
    def variances(self) -> Array:
        """Variances of the random terms and, last, of the residuals, on the scale of scores."""
        return self._squares(self.best.variances)

    @property
    def sds(self) -> Array:
        """Their roots."""
        return self.sums.parts.numbers(self.sums.scale * np.sqrt(self.best.variances))

    def interval(self, place: int, alpha: float) -> Array:
        """Return the two ends of the interval of the variance at a place."""
        ends = profile_interval(self.likelihood, self.best, place, alpha)
        return self._squares(np.array(ends))

    def _squares(self, variances: Array) -> Array:
        return self.sums.parts.squares(self.sums.scale**2 * variances)
