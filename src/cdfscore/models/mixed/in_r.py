"""A mixed model in R: variances, coefficients, and tests of fixed terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore.errors import ModelError
from cdfscore.models import formula as models
from cdfscore.models.formula import TOPIC, Term, name_of
from cdfscore.models.given import check_squares, finite_values
from cdfscore.models.in_r import formula_in_r, levels_in_r
from cdfscore.models.mixed import mixed_model as mixed
from cdfscore.models.mixed.fit import Fit
from cdfscore.models.mixed.result import MixedModel
from cdfscore.numerics.tolerance import Tolerance
from cdfscore.numerics.types import Array
from cdfscore.r.analysis import AnalysisInR, Part
from cdfscore.r.checks import Checked, terms_of_bound
from cdfscore.r.verify import in_r, scores_by_one_scheme
from cdfscore.significance import tukey_hsd
from cdfscore.standardization.standardized import Standardized

if TYPE_CHECKING:
    import pandas as pd

# The relative difference of two maximizations of the likelihood.
_RELATIVE = 1e-7
_SEARCHED = Tolerance(
    _RELATIVE * 2**52,
    "two searches for a maximum; R stops at steps of 1e-8 of a variance; 1e-7 of the number",
)
# The likelihood is flat at its maximum.
_LIKELIHOOD = Tolerance(
    450_000, "the log-likelihood is a sum over the scores; 1e-10 of their number"
)
# The smallest standard error in a comparison, relative to that of one score.
_ROUNDING = 1e-9
# The largest number of multiplications of matrices in R, which take about two minutes.
_MOST = 1e11


@in_r.register
def _(result: MixedModel) -> tuple[Standardized, tuple[Part, ...]]:
    found = scores_by_one_scheme(result.standardized)
    (scheme,) = result.schemes
    check_squares(finite_values(found, scheme), scheme)
    modelled = Mixed(result, scheme)
    modelled.check_size()
    return found, (modelled,)


@dataclass(frozen=True, eq=False)
class Mixed(Part):
    """A mixed model of one matrix of scores."""

    found: MixedModel
    scheme: str

    sources = (
        Path(models.__file__).with_name("long_frame.R"),
        tukey_hsd.twin(),  # for its studentized range, as R's is off
        Path(mixed.__file__).with_suffix(".R"),
        Path(__file__).with_name("mixed.R"),
    )
    function = "analyze_mixed"

    @property
    def alpha(self) -> float:
        """The level of decisions."""
        return self.found.alpha

    @property
    def settings(self) -> Mapping[str, object]:
        """The options as a result in JSON states them."""
        found, random = self.found, list(map(name_of, self.found.random))
        return {"random": random, "formula": str(found.formula), "method": found.method}

    @property
    def told(self) -> str:
        """The method, the formula and the random terms."""
        random = ", ".join(map(name_of, self.found.random))
        return f"mixed model by {self.found.method}, {self.found.formula}, random {random}"

    def notes_on(self, theirs: AnalysisInR) -> list[str]:
        """Return notes on variances of 0, which nlme cannot fit."""
        found = [
            f"{self.scheme}: the variance of {name_of(term)} is 0; R fits the model without this "
            "term, and checks that the likelihood decreases as the variance grows"
            for term in _at_0(self.found.random, self._fit.variances)
        ]
        if self._fit.within is not None:
            found.append(
                f"{self.scheme}: R fits differences within topics again, for the tests and the "
                "other variances"
            )
        return found

    def check_size(self) -> None:
        """Raise `ModelError` if the matrices would take R more than two minutes."""
        topics, scores = (next(iter(of.values())) for of in (self.found.topics, self.found.scores))
        systems = len(next(iter(self._fit.factors.values())).codes)
        if topics * systems**3 * (len(self.found.random) + 2) > _MOST:
            raise ModelError(
                f"R would invert {topics:,} matrices of {systems:,} systems for {scores:,} scores, "
                "which takes more than two minutes; expected fewer topics or systems"
            )

    @cached_property
    def numbers(self) -> list[Checked]:
        """The variances, the likelihood, coefficients, tests of terms, and marginal means."""
        found = self.found
        (likelihood,), (scores,) = found.log_likelihood.values(), found.scores.values()
        of_terms, of_one = list(found.table["term"]), found.coefficients
        names = [" ".join(filter(None, own)) for own in of_one[["term", "contrast"]].to_numpy()]

        def column(quantity: str, table: pd.DataFrame, name: str, of: Any = 0.0) -> Checked:
            labels = of_terms if table is found.table else names
            like = "p_value" if name == "p_value" else "stderr"
            return Checked.row(quantity, labels, _numbers(table, name), _SEARCHED, of, like)

        f, t = _numbers(found.table, "statistic"), _numbers(of_one, "statistic")
        of_f = _passed_on(_numbers(found.table, "p_value"), _numbers(found.table, "df") * f)
        of_t = _passed_on(_numbers(of_one, "p_value"), t**2)
        variances = _numbers(found.variances, "variance")
        least = _ROUNDING * np.sqrt(variances[-1])
        return [
            Checked.row(
                "variance", list(found.variances["component"]), variances, _SEARCHED, like="stderr"
            ),
            Checked.row(
                "log-likelihood", [found.method], np.array([likelihood]), _LIKELIHOOD, scores
            ),
            # A coefficient near 0 is compared in units of its standard error, which may be 0.
            column("coefficient", of_one, "estimate", np.fmax(_numbers(of_one, "stderr"), least)),
            column("stderr of coefficient", of_one, "stderr"),
            column("degrees of freedom of t", of_one, "df"),
            column("t", of_one, "statistic", 1.0),
            column("p value of t", of_one, "p_value", of_t),
            column("F", found.table, "statistic", 1.0),
            column("degrees of freedom of F", found.table, "df_error"),
            column("p value of F", found.table, "p_value", of_f),
            *(each for term in of_terms for each in self._of_means(term, least)),
        ]

    def _of_means(self, term: str, least: float) -> list[Checked]:
        """Return the marginal means of a term and their differences."""
        means, pairs = self.found.means(term), self.found.contrasts(term)
        labels = self._means[term]
        both = [f"{a} - {b}" for a, b in zip(pairs["a"], pairs["b"], strict=True)]
        squares = _numbers(pairs, "statistic") ** 2
        of_t, of_q = (
            _passed_on(_numbers(pairs, name), squares) for name in ("p_value", "p_adjusted")
        )
        of_mean, of_difference = (
            np.fmax(_numbers(table, "stderr"), least) for table in (means, pairs)
        )
        return [
            Checked.row(f"{term}: {name}", own, _numbers(table, column), _SEARCHED, of, like)
            for name, own, table, column, of, like in (
                ("mean", labels, means, "mean", of_mean, "stderr"),
                ("stderr of mean", labels, means, "stderr", 0.0, "stderr"),
                ("degrees of freedom of mean", labels, means, "df", 0.0, "stderr"),
                ("difference", both, pairs, "estimate", of_difference, "stderr"),
                ("stderr of difference", both, pairs, "stderr", 0.0, "stderr"),
                ("degrees of freedom of difference", both, pairs, "df", 0.0, "stderr"),
                ("t", both, pairs, "statistic", 1.0, "stderr"),
                ("p value of t", both, pairs, "p_value", of_t, "p_value"),
                ("p by tukey", both, pairs, "p_adjusted", of_q, "p_value"),
            )
        ]

    @property
    def arguments(self) -> dict[str, Any]:
        """The factors of the systems, the formula, the random terms, and the labels."""
        (_, _, coefficients, *_) = numbers = self.numbers
        named = {each.quantity.name: each.quantity.systems for each in numbers}
        fit, random = self._fit, self.found.random
        used = [*self.found.formula.factors, *(name for term in random for name in term)]
        at_0_within = None
        if fit.within is not None:
            of_terms = _at_0(random, fit.within.variances)
            at_0_within = [name_of(term) for term in of_terms if term != (TOPIC,)]
        return {
            "factors": levels_in_r(self._fit.factors, used),
            "formula": formula_in_r(self.found.formula),
            "random": list(map(name_of, random)),
            "at_0": list(map(name_of, _at_0(random, fit.whole.variances))),
            "at_0_within": at_0_within,
            "method": self.found.method,
            "components": named["variance"],
            "terms": named["F"],
            "coefficients": coefficients.quantity.systems,
            "means": self._means,
        }

    @cached_property
    def _means(self) -> dict[str, list[str]]:
        """The labels of the marginal means of each term."""
        return {
            name_of(term): [":".join(cell) for cell in self._fit.cells(term)[0]]
            for term in self.found.formula.terms
        }

    @property
    def _fit(self) -> Fit:
        (fit,) = self.found.fits.values()
        return fit


def _at_0(terms: Sequence[Term], variances: Array) -> list[Term]:
    """Return the random terms whose variance is 0; that of the residuals is the last."""
    return [term for term, own in zip(terms, variances[:-1], strict=True) if own == 0]


def _numbers(table: pd.DataFrame, name: str) -> Array:
    return table[name].to_numpy(dtype=np.float64)


def _passed_on(p: Array, squares: Array) -> Array:
    """Return terms that allow a p value to differ by as much as F and its df pass on to it.

    `squares` are t^2, or k F on k degrees of freedom. A relative error of F is multiplied by at
    most 1 + k F / 2 (see `cdfscore.models.in_r`), twice that of t. A relative error of df is
    multiplied by at most k F / 2: the tail is about (1 + k F / df)^(-df / 2), and its logarithm
    changes by less.
    """
    return terms_of_bound(np.nan_to_num(p * (2 + 1.5 * squares) * _RELATIVE), _SEARCHED)
