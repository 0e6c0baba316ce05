"""Linear and mixed models, and plans, in R."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cdfscore.errors import ModelError
from cdfscore.models.anova import Anova, LinearModel
from cdfscore.models.formula import (
    RESPONSE,
    TOPIC,
    Factor,
    Formula,
    Term,
    check_squares,
    finite_values,
    name_of,
    one_thread,
)
from cdfscore.models.generalizability import DStudy, GStudy
from cdfscore.models.goals import Plan
from cdfscore.models.mixed import MixedFit, MixedModel
from cdfscore.r.analysis import AnalysisInR, Checked, Judged, Part, terms_of_bound
from cdfscore.r.verify import in_r, scores_by_one_scheme
from cdfscore.standardization.standardized import Standardized
from cdfscore.stats.numerics.tails import upper_tail
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance import tukey_hsd
from cdfscore.stats.significance.contract import USUAL

_FOLDER = Path(__file__).parent
_LONG, _TUKEY = _FOLDER / "long_frame.R", tukey_hsd.twin()  # as R's studentized range is off
# What two ways to solve a design may differ by, of the numbers that are added.
_RELATIVE = 1e-12
_DENSE = Tolerance(
    _RELATIVE * 2**52,
    "R solves the full design; this package projects topics out first; 1e-12 of the number",
)

#: Tolerances of an analysis of variance against R's ``lm``, by the name of the number.
TOLERANCES = {
    "sum_of_squares": _DENSE,
    "df": Tolerance(0, "whole numbers"),
    "statistic": _DENSE,
    "p_value": USUAL["p_value"],
    "effect": _DENSE,
    "mean": _DENSE,
    "stderr": _DENSE,
}
# The error of a rotation of R, relative to the length of what it rotates: 9 units of rounding.
_ROTATED = 2e-15
# The largest number of multiplications of least squares in R, which take about two minutes.
_MOST = 2e11
_EXPECTED = "fewer topics, or a formula with fewer interactions with topic"
_TAIL_OF_RANGE = "NumPy: sums of normal tails, as pairwise_tukeyhsd has few digits in the tails"
_SQUARES = Tolerance(4500, "two algorithms add the squares; 1e-12 of the number")
_COUNTED = Tolerance(0, "a whole number")


@in_r.register
def _(result: Anova) -> tuple[Standardized, tuple[Part, ...]]:
    found = scores_by_one_scheme(result.standardized)
    ((scheme, (design, _)),) = result.designs.items()
    check_squares(design.scores, scheme)
    return found, (_Modelled(result),)


@in_r.register
def _(result: Plan) -> tuple[Standardized, tuple[Part, ...]]:
    return scores_by_one_scheme(result.standardized), (_Planned(result),)


@in_r.register
def _(result: GStudy, decision: DStudy | None = None) -> tuple[Standardized, tuple[Part, ...]]:
    found = scores_by_one_scheme(result.standardized)
    check_squares(found.frame.to_numpy(), str(found.factors.fitted.scheme))
    return found, (_Studied(result, decision),)


@in_r.register
def _(result: DStudy) -> tuple[Standardized, tuple[Part, ...]]:
    found: tuple[Standardized, tuple[Part, ...]] = in_r.dispatch(GStudy)(result.study, result)
    return found


# The quantities by the columns that show them.
_OF_TABLES = {
    "table: df": "degrees of freedom",
    "table: df error": "degrees of freedom of F",
    "table: statistic": "F",
    "table: p value": "p value of F",
    "log likelihood": "log-likelihood",
    "coefficients: estimate": "coefficient",
    "coefficients: stderr": "stderr of coefficient",
    "coefficients: df": "degrees of freedom of t",
    "coefficients: statistic": "t",
    "coefficients: p value": "p value of t",
}
_OF_MEANS = {
    "mean: mean": "mean",
    "mean: stderr": "stderr of mean",
    "mean: df": "degrees of freedom of mean",
    "difference: estimate": "difference",
    "difference: stderr": "stderr of difference",
    "difference: df": "degrees of freedom of difference",
    "difference: statistic": "t",
    "difference: p value": "p value of t",
    "difference: p adjusted": "p by tukey",
}


class _OfModel(Part):
    found: LinearModel
    _means: Any

    @property
    def alpha(self) -> float:
        return self.found.alpha

    @property
    def tables(self) -> Mapping[str, pd.DataFrame]:
        means = {f"{term}: mean": self.found.means(term) for term in self._means}
        return means | {f"{t}: difference": self.found.contrasts(t) for t in self._means}

    @property
    def shown(self) -> Mapping[str, str]:
        of_means = {
            f"{term}: {column}": f"{term}: {name}"
            for term in self._means
            for column, name in _OF_MEANS.items()
        }
        return {**_OF_TABLES, **of_means}


@dataclass(frozen=True, eq=False)
class _Modelled(_OfModel):
    found: Anova

    sources = (_LONG, _FOLDER / "anova.R", _TUKEY, _FOLDER / "modelled.R")
    function = "analyze_model"

    @property
    def settings(self) -> Mapping[str, object]:
        squares = self.found.sums_of_squares
        return {"formula": str(self.found.formula), "sums_of_squares": squares}

    @property
    def told(self) -> str:
        return f"analysis of variance, type {self.found.sums_of_squares}, {self.found.formula}"

    def __post_init__(self) -> None:
        ((design, _),) = self.found.designs.values()
        scores = int(np.isfinite(design.scores).sum())
        table = self.found.table
        columns = 1 + int(table["df"].iloc[:-1].sum())
        _check_time(len(table) + len(self._means), scores, columns)

    @cached_property
    def numbers(self) -> list[Checked]:
        ((design, _),), table = self.found.designs.values(), self.found.table
        scores = design.scores[np.isfinite(design.scores)]
        scores = scores - scores[0]  # as both judges subtract it first
        terms = list(table["term"])
        squares, df, f = (_numbers(table, name) for name in ("sum_of_squares", "df", "statistic"))
        # R rotates the scores with topics and all: the root of a sum of squares is a
        # length, and its error is a small part of the length of all scores. The sum of squares of a
        # term is a difference of two of residuals.
        size = float(np.sqrt(np.mean(scores**2)))
        moved = _ROTATED * size * np.sqrt(len(scores))
        before = squares + np.append(np.full(len(squares) - 1, squares[-1]), 0.0)
        of_squares = 2 * (2 * np.sqrt(before) + moved) * moved + _ROTATED * before
        of_residual = of_squares[-1] / squares[-1]
        mean_square = squares[-1] / df[-1]
        of_f = of_squares / df / mean_square + f * of_residual
        of_eta = (of_squares + of_squares[-1]) / (squares + squares[-1])
        of_omega = df * of_f * len(scores) / (df * (f - 1) + len(scores)) ** 2
        of_p = _between(f, df, df[-1], of_f + _RELATIVE * f)

        def column(name: str, quantity: str, tolerance: str, bound: Any = 0.0) -> Checked:
            of = terms_of_bound(np.nan_to_num(bound), TOLERANCES[tolerance])
            return Checked.row(
                quantity, terms, _numbers(table, name), TOLERANCES[tolerance], of, tolerance
            )

        found = [
            column("sum_of_squares", "sum of squares", "sum_of_squares", of_squares),
            column("df", "degrees of freedom", "df"),
            column("statistic", "F", "statistic", of_f),
            column("p_value", "p value of F", "p_value", of_p),
            column("partial_eta_squared", "partial eta squared", "effect", _RELATIVE + of_eta),
            column(
                "partial_omega_squared", "partial omega squared", "effect", _RELATIVE + of_omega
            ),
        ]
        for term, means in self._means.items():
            labels = self._labels(term, means)
            pairs = self.found.contrasts(term)
            both = [f"{a} - {b}" for a, b in zip(pairs["a"], pairs["b"], strict=True)]
            stderr, t = pairs["stderr"].to_numpy(), np.abs(pairs["statistic"].to_numpy())
            of_means = means["stderr"].to_numpy()
            of_t = 2 * _ROTATED * size / stderr + t * (of_residual / 2 + _RELATIVE)
            of_p, of_q = (
                pairs[name].to_numpy() * (t + 1) * of_t for name in ("p_value", "p_adjusted")
            )
            for name, own, values, tolerance, bound in (
                ("mean", labels, means["mean"], "mean", _ROTATED * size),
                ("stderr of mean", labels, of_means, "stderr", of_residual * of_means),
                ("difference", both, pairs["estimate"], "mean", 2 * _ROTATED * size),
                ("stderr of difference", both, stderr, "stderr", of_residual * stderr),
                ("t", both, pairs["statistic"], "statistic", of_t),
                ("p value of t", both, pairs["p_value"], "p_value", of_p),
                ("p by tukey", both, pairs["p_adjusted"], "p_value", of_q),
            ):
                allowed = TOLERANCES[tolerance]
                of = terms_of_bound(np.asarray(bound), allowed)
                numbers = np.asarray(values)
                found.append(Checked.row(f"{term}: {name}", own, numbers, allowed, of, tolerance))
        return found

    def by_statsmodels(self) -> Mapping[str, Judged]:
        from cdfscore.stats.judge import models as judged

        ((design, factors),) = self.found.designs.values()
        formula = self.found.formula
        levels = levels_in_r(factors, formula.factors)
        means = [term for term in formula.terms if name_of(term) in self._means]
        kind = self.found.sums_of_squares
        alpha = self.found.alpha
        return _judged(judged.ANOVA, design.scores, levels, formula.terms, kind, means, alpha)

    @property
    def arguments(self) -> dict[str, Any]:
        ((_, factors),) = self.found.designs.values()
        return {
            "factors": levels_in_r(factors, self.found.formula.factors),
            "formula": formula_in_r(self.found.formula),
            "type": self.found.sums_of_squares,
            "terms": list(self.found.table["term"]),
            "means": {term: self._labels(term, means) for term, means in self._means.items()},
        }

    @cached_property
    def _means(self) -> dict[str, pd.DataFrame]:
        found = {}
        for term in self.found.formula.terms:
            try:
                found[name_of(term)] = self.found.means(name_of(term))
            except ModelError:  # of a term with topic, and with cells without a score
                continue
        return found

    def _labels(self, term: str, means: pd.DataFrame) -> list[str]:
        own = next(each for each in self.found.formula.terms if name_of(each) == term)
        return [":".join(row) for row in means[list(own)].itertuples(index=False)]


@dataclass(frozen=True, eq=False)
class _Planned(Part):
    found: Plan

    sources = (_FOLDER / "goals.R", _FOLDER / "planned.R")
    function = "analyze_plan"

    @property
    def called(self) -> tuple[str, ...]:
        return (self.found.goal.name,)

    @property
    def told(self) -> str:
        goal = self.found.goal
        settings = (f"{name}={value}" for name, value in vars(goal).items() if value)
        return f"goal {goal.name}:{','.join(settings)}"

    @cached_property
    def numbers(self) -> list[Checked]:
        goal, pilot, sizes = self.found.goal, self.found.pilot, self._sizes
        variances = goal.variances(pilot)
        values = np.array(list(variances.values()))
        reached = np.array(goal.curve(sizes, pilot))
        labels = [f"{size} topics" for size in sizes]
        return [
            Checked.row("variance", list(variances), values, _SQUARES, float(values.sum())),
            Checked.row("topics", ["smallest number"], np.array([self.found.topics]), _COUNTED),
            Checked.row(goal.quantity, labels, reached, goal.tolerance),
        ]

    def by_statsmodels(self) -> Mapping[str, Judged]:
        from cdfscore.stats.judge import models as judged

        goal, name = self.found.goal, self.found.goal.name
        scores = self.found.pilot.matrices[0]
        variances = judged.VARIANCES(scores, list(goal.variances(self.found.pilot)))
        settings = {"systems": scores.shape[1], **{k: v for k, v in vars(goal).items() if v}}
        values = [judged.GOALS(name, size, variances, settings) for size in self._sizes]
        # The last is enough, and the one before, if there is one, is not.
        enough = goal.reached(values[-1]) and not any(map(goal.reached, values[:-1]))
        topics = float(self._sizes[-1]) if enough else np.inf
        of_curve = [judged.GOALS(name, n, variances, settings) for n in self.found.curve["topics"]]
        return {
            f"curve: {goal.quantity}": Judged(np.array(of_curve), judged.GOALS.by),
            "variance": Judged(variances, judged.VARIANCES.by),
            "topics": Judged(np.array([topics]), judged.GOALS.by),
            goal.quantity: Judged(np.array(values), judged.GOALS.by),
        }

    @property
    def shown(self) -> Mapping[str, str]:
        return {"value": self.found.goal.quantity}

    @property
    def arguments(self) -> dict[str, Any]:
        goal = self.found.goal
        return {
            "goal": goal.name,
            "settings": vars(goal),
            "variances": list(goal.variances(self.found.pilot)),
            "quantity": goal.quantity,
            "wanted": goal.wanted,
            "rises": goal.reached(np.inf),
            "fewest": goal.fewest,
            "topics": [float(size) for size in self._sizes],
            "labels": [f"{size} topics" for size in self._sizes],
        }

    @property
    def _sizes(self) -> list[int]:
        return [
            n for n in (self.found.topics - 1, self.found.topics) if n >= self.found.goal.fewest
        ]


@dataclass(frozen=True, eq=False)
class _Studied(Part):
    study: GStudy
    decision: DStudy | None = None

    sources = (_LONG, _FOLDER / "anova.R", _FOLDER / "studied.R")
    function = "analyze_study"
    told = "components of variance, and the reliability of means"

    def __post_init__(self) -> None:
        _check_time(5, self.study.scores, self.study.topics + self.study.systems - 1)

    @cached_property
    def numbers(self) -> list[Checked]:
        table, names = self.study.components, list(self.study.components.index)
        df, squares, variances, proportions = map(
            partial(_numbers, table), ("df", "mean_square", "variance", "proportion")
        )
        found = [
            Checked.row("degrees of freedom", names, df, _COUNTED),
            # Of the sum of all squares, which R rotates.
            Checked.row("mean square", names, squares, _SQUARES, float(df @ squares) / df),
            Checked.row("variance", names, variances, _SQUARES, float(variances.sum())),
            Checked.row("proportion", names, proportions, _SQUARES, 1.0),
        ]
        if self.decision is None:
            return found
        means, needed = self.decision.reliability, self.decision.topics_needed
        ratios = _numbers(means, "topics") * variances.sum() / variances[-1]
        topics, reliabilities = self.arguments["labels"].values()
        for kind in ("relative", "absolute"):
            own = {name: _numbers(means, name) for name in (kind, f"{kind}_low", f"{kind}_high")}
            # n ratio / (1 + n ratio), and the ratio is as exact as the variances
            found += [
                Checked.row(name, topics, y, _SQUARES, np.nan_to_num(ratios * (1 - y) ** 2))
                for name, y in own.items()
            ]
            with np.errstate(divide="ignore"):
                parts = variances.sum() / variances[0]
            for name in own:
                enough = _numbers(needed, name)
                of = np.nan_to_num(enough * parts, posinf=0.0)
                found.append(Checked.row(f"topics for {name}", reliabilities, enough, _SQUARES, of))
        return found

    @one_thread
    def by_statsmodels(self) -> Mapping[str, Judged]:
        from cdfscore.stats.judge.models import STUDY

        scores = self.study.standardized[0].frame.to_numpy()
        return _judged(STUDY, scores, *self._decided.values())

    @property
    def shown(self) -> Mapping[str, str]:
        needed = () if self.decision is None else self.decision.topics_needed
        of_needed = {f"topics needed: {name}": f"topics for {name}" for name in needed}
        return {"components: df": "degrees of freedom", **of_needed}

    @property
    def _decided(self) -> dict[str, Any]:
        if (own := self.decision) is None:
            return {}
        return {
            "topics": _numbers(own.reliability, "topics").tolist(),
            "reliabilities": _numbers(own.topics_needed, "reliability").tolist(),
            "confidence": own.confidence,
        }

    @property
    def arguments(self) -> dict[str, Any]:
        given = {"components": list(self.study.components.index), **self._decided}
        if self.decision is not None:
            given["labels"] = {
                "topics": [f"{n:.0f} topics" for n in given["topics"]],
                "reliabilities": [f"reliability {each!r}" for each in given["reliabilities"]],
            }
        return given


def _judged(counterpart: Any, *given: Any) -> dict[str, Judged]:
    return {
        name: Judged(np.asarray(own), _TAIL_OF_RANGE if name.endswith("tukey") else counterpart.by)
        for name, own in counterpart(*given).items()
    }


def _check_time(fits: int, scores: int, columns: int) -> None:
    if fits * scores * columns**2 > _MOST:
        raise ModelError(
            f"R or statsmodels would solve {fits} designs of {scores:,} scores and {columns:,} "
            f"columns, which takes more than two minutes; expected {_EXPECTED}"
        )


def _between(f: Array, df: Array, df_residual: float, error: Array) -> Array:
    """Return by how much p differs between F minus and F plus an error, which is large near 0."""
    below, above = (
        np.array(
            [upper_tail(np.array(x), k, df_residual).item() for x, k in zip(ends, df, strict=True)]
        )
        for ends in (np.fmax(f - error, 0), f + error)
    )
    return np.asarray(below - above)


def formula_in_r(formula: Formula) -> str:
    """Return a formula for R; names may have any characters."""
    terms = (":".join(f"`{name}`" for name in term) for term in formula.terms)
    return f"{RESPONSE} ~ {' + '.join(terms)}"


def levels_in_r(factors: Mapping[str, Factor], used: Iterable[str]) -> dict[str, list[str]]:
    """Return the levels of each system by factor; topic is not a factor of systems."""
    names = dict.fromkeys(name for name in used if name != TOPIC)
    return {name: [factors[name].levels[code] for code in factors[name].codes] for name in names}


# --- mixed models ---

# The relative difference of two maximizations of the likelihood.
_RELATIVE_OF_SEARCH = 1e-7
_SEARCHED = Tolerance(
    _RELATIVE_OF_SEARCH * 2**52,
    "two searches for a maximum; R stops at steps of 1e-8 of a variance; 1e-7 of the number",
)
# The likelihood is flat at its maximum.
_LIKELIHOOD = Tolerance(
    450_000, "the log-likelihood is a sum over the scores; 1e-10 of their number"
)
# The smallest standard error in a comparison, relative to that of one score.
_ROUNDING = 1e-9
# The largest number of multiplications of matrices in R, which take about two minutes.
_MOST_OF_MATRICES = 1e11


@in_r.register
def _(result: MixedModel) -> tuple[Standardized, tuple[Part, ...]]:
    found = scores_by_one_scheme(result.standardized)
    (scheme,) = result.schemes
    check_squares(finite_values(found, scheme), scheme)
    return found, (_Mixed(result, scheme),)


@dataclass(frozen=True, eq=False)
class _Mixed(_OfModel):
    found: MixedModel
    scheme: str

    sources = (_LONG, _TUKEY, _FOLDER / "mixed_model.R", _FOLDER / "mixed.R")
    function = "analyze_mixed"

    @property
    def settings(self) -> Mapping[str, object]:
        found, random = self.found, list(map(name_of, self.found.random))
        return {"random": random, "formula": str(found.formula), "method": found.method}

    @property
    def told(self) -> str:
        random = ", ".join(map(name_of, self.found.random))
        return f"mixed model by {self.found.method}, {self.found.formula}, random {random}"

    def notes_on(self, theirs: AnalysisInR) -> list[str]:
        # nlme cannot fit variances of 0.
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

    def __post_init__(self) -> None:
        topics, scores = (next(iter(of.values())) for of in (self.found.topics, self.found.scores))
        systems = len(next(iter(self._fit.factors.values())).codes)
        if topics * systems**3 * (len(self.found.random) + 2) > _MOST_OF_MATRICES:
            raise ModelError(
                f"R or statsmodels would invert {topics:,} matrices of {systems:,} systems for "
                f"{scores:,} scores, which takes more than two minutes; expected fewer topics or "
                "systems"
            )

    @cached_property
    def numbers(self) -> list[Checked]:
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

    @one_thread
    def by_statsmodels(self) -> Mapping[str, Judged]:
        from cdfscore.stats.judge.models import MIXED

        found, random = self.found, self.found.random
        used = [*found.formula.factors, *(name for term in random for name in term)]
        levels = levels_in_r(self._fit.factors, used)
        scores = finite_values(found.standardized[0], self.scheme)
        alpha = found.alpha
        return _judged(MIXED, scores, levels, found.formula.terms, random, found.method, alpha)

    @property
    def arguments(self) -> dict[str, Any]:
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
        return {
            name_of(term): [":".join(cell) for cell in self._fit.cells(term)[0]]
            for term in self.found.formula.terms
        }

    @property
    def _fit(self) -> MixedFit:
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
    most 1 + k F / 2, twice that of t, and one of df by at most k F / 2.
    """
    return terms_of_bound(np.nan_to_num(p * (2 + 1.5 * squares) * _RELATIVE_OF_SEARCH), _SEARCHED)
