"""Verification of the uncertainty from the reference systems: errors, shares and intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from cdfscore.comparison.pairs import Family
from cdfscore.comparison.reference_uncertainty import (
    FEWEST_RESAMPLES,
    TWIN,
    Bar,
    OfScheme,
    Refits,
    Resampling,
    bounds,
    first_fitted,
    variances_of,
)
from cdfscore.errors import SignificanceError
from cdfscore.io.text import counted
from cdfscore.r.further import Asked, Checked, Further
from cdfscore.r.passed_on import error_of_scores, terms_of_bound
from cdfscore.schemes.base import Scheme
from cdfscore.significance import bootstrap
from cdfscore.significance.contract import USUAL, Draws
from cdfscore.spelling import argument
from cdfscore.standardization.standardized import Standardized

#: Seconds that R may take.
_MOST = 120.0
#: Seconds that R takes for a difference of two scores in a resample.
_EACH = 6e-8
#: The number of a test whose usual tolerance each column has.
_LIKE = {
    "difference": "estimate",
    "stderr_topics": "stderr",
    "stderr_reference": "stderr",
    "stderr_both": "stderr",
    "reference_share": "stderr",
    "both_df": "parameter",
    "both_low": "conf_low",
    "both_high": "conf_high",
}


@dataclass(frozen=True)
class UncertaintyAsked(Asked):
    """Resamples of the reference systems, beside a test of pairs."""

    baselines: tuple[str, ...]
    resampling: Resampling
    conf_level: float

    def on(self, scores: Standardized) -> Uncertain:
        """Return the uncertainty; raises as `compare`, and if R would take too long."""
        family = Family.of(list(scores.frame.columns), self.baselines)
        refits = Refits.of(scores)
        scheme = scores.factors.fitted.scheme
        systems = first_fitted({str(scheme): refits}).systems
        drawn = bootstrap.resamples(systems, self.resampling.resamples, self.resampling.seed)
        _check_time(scheme, refits, family, drawn)
        found = variances_of(scores, refits, family, drawn, Bar(None, 0, 1))
        return Uncertain(self, family, systems, drawn, found, scheme)


@dataclass(frozen=True, eq=False)
class Uncertain(Further):
    """The uncertainty of means and differences from the reference systems."""

    asked: UncertaintyAsked
    family: Family
    systems: int
    drawn: bootstrap.Resamples
    found: OfScheme
    scheme: Scheme

    sources = (
        TWIN,
        Path(__file__).with_suffix(".R"),
    )
    function = "analyze_reference_uncertainty"
    given = ("settled", "how")

    @property
    def told(self) -> str:
        """The resamples."""
        return f"reference systems resampled, {self.drawn.method}"

    @property
    def notes(self) -> list[str]:
        """A note on the resamples."""
        return [f"{self.systems} reference systems are drawn with replacement, {self.drawn.method}"]

    @property
    def draws(self) -> Mapping[str, Draws]:
        """The random resamples; none if all are taken, since R can list them itself."""
        resampling = self.asked.resampling
        found = bootstrap.drawn((self.systems,), resampling.resamples, resampling.seed)
        return {} if found is None else {f"{self.systems} reference systems": found}

    @property
    def arguments(self) -> dict[str, Any]:
        """The baselines, and the level of the intervals."""
        baselines = list(self.family.baselines)
        return {"baselines": baselines, "conf_level": self.asked.conf_level}

    @cached_property
    def numbers(self) -> list[Checked]:
        """The columns of the means, the differences, and the columns of these."""
        pairs = [f"{a} - {b}" for a, b in zip(*self.family.names, strict=True)]
        of_pairs = self._checked(False, pairs)
        difference = self.found.pairs.given.mean
        moved = np.full_like(difference, self._moved(2.0))
        terms = terms_of_bound(moved, USUAL["estimate"])
        own = Checked.row("difference", pairs, difference, USUAL["estimate"], terms, None)
        return [*self._checked(True, list(self.family.systems)), own, *of_pairs]

    def _checked(self, of_means: bool, labels: list[str]) -> list[Checked]:
        variances = self.found.means if of_means else self.found.pairs
        level, exact = self.asked.conf_level, self.drawn.exact
        numbers = variances.columns(exact, level)
        moved, resamples = self._moved(1.0 if of_means else 2.0), len(self.drawn.counts)
        bound = bounds(variances, moved, exact=exact, resamples=resamples, conf_level=level)
        rows = []
        for name, values in numbers.items():
            tolerance = USUAL[_LIKE[name]]
            terms = terms_of_bound(bound[name], tolerance)
            of = "mean" if of_means else "difference"
            quantity = f"{of}: {name.replace('_', ' ')}"
            rows.append(Checked.row(quantity, labels, values, tolerance, terms, None))
        return rows

    def _moved(self, scores: float) -> float:
        """Return a bound for the difference of a mean of scores, or of differences of two scores.

        It allows for differences of the scores, and for rounding errors of the mean on both sides.
        """
        largest = self.found.largest
        error = error_of_scores(self.scheme.tolerance, np.array([largest]))
        return scores * (error + 2 * float(np.spacing(largest)))


def _check_time(scheme: Scheme, refits: Refits, family: Family, drawn: bootstrap.Resamples) -> None:
    """Raise `SignificanceError` if R would take much longer than two minutes."""
    topics, compared = refits.scores.shape
    fits = [scheme] if scheme.component is None else [scheme, scheme.component]
    size = (compared + refits.systems) / 200
    resamples = len(drawn.counts)
    of_fits = sum(each.seconds_in_r for each in fits) * max(size, 0.5) * resamples
    pairs = sum(
        np.count_nonzero(stay[family.first] & stay[family.second])
        for stay in refits.stay(drawn.counts)
    )
    seconds = topics * (of_fits + _EACH * pairs)
    if seconds <= _MOST:
        return
    fewer = "fewer topics, or a scheme that R fits faster"
    most = int(resamples * _MOST / seconds)
    if most >= FEWEST_RESAMPLES and not drawn.exact:
        fewer = f"{argument('reference_uncertainty', most)} or less"
    raise SignificanceError(
        f"R would fit {scheme} to {counted(topics, 'topic')} of {resamples:,} resamples, which "
        f"takes about {seconds / 60:,.0f} minutes, and the limit is 2; expected {fewer}"
    )
