"""A comparison in R, the uncertainty from its reference systems, and a rank correlation."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from cdfscore.common.text import counted, kept, written
from cdfscore.comparison.attainable import with_enough_resamples
from cdfscore.comparison.comparison import (
    Comparison,
    Tested,
    centers_of,
    has_ranks,
    matrix_of,
    mean_ranks,
    sizes_of_ties,
)
from cdfscore.comparison.correlation import Correlation
from cdfscore.comparison.pairs import Family, check_letters, traces_of
from cdfscore.comparison.ranking import groups
from cdfscore.comparison.reference_uncertainty import (
    FEWEST_RESAMPLES,
    TWIN,
    OfScheme,
    Refits,
    Resampling,
    bounds,
    first_fitted,
    variances_of,
)
from cdfscore.errors import SignificanceError, VerificationError
from cdfscore.r.analysis import (
    IF_STOPPED,
    RUN_ON,
    STOPPED,
    TEST_SOURCES,
    AnalysisInR,
    Checked,
    DrawsFile,
    Judged,
    Part,
    Quantity,
    error_of_scores,
    expression,
    on_scores_apart,
    terms_of_bound,
)
from cdfscore.r.session import twin_of
from cdfscore.r.verify import in_r, means_of, scores_by_one_scheme
from cdfscore.standardization.standardized import Standardized
from cdfscore.stats.effect_size import effects
from cdfscore.stats.numerics.multiples import tied
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array, IntArray
from cdfscore.stats.rank_correlation import coefficients
from cdfscore.stats.schemes.base import Scheme
from cdfscore.stats.significance import bootstrap
from cdfscore.stats.significance.contract import (
    QUANTITIES,
    USUAL,
    ChosenTest,
    Draws,
    Location,
    TestResult,
    TwoSamples,
    terms_of_end,
)
from cdfscore.stats.significance.one_sample_t import one_sample_t

#: The numbers of an effect size, and their names among the numbers of a test.
_OF_EFFECTS = {"estimate": "effect_size", "conf_low": "effect_low", "conf_high": "effect_high"}
#: The count of numbers in the draws of all pairs that R handles in about a minute: 5,995 pairs of
#: two samples of 249 scores each, with 10,000 divisions.
_A_MINUTE = 3e10
#: The Monte Carlo standard errors within which a pair is near the level.
_NEAR = 4
_COUNTED = Tolerance(0, "a whole number")
_RANKS = Tolerance(64, "sums of differences of ranks, and means of ranks; each is rounded")
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


@in_r.register
def _(result: Comparison) -> tuple[Standardized, tuple[Part, ...]]:
    scores = scores_by_one_scheme(tuple(each.standardized for each in result.tested))
    (tested,), (scheme,) = result.tested, result.schemes
    # The numbers are those of the tables, which a user sees.
    shown: dict[Any, Any] = {name: own.to_numpy() for name, own in result.table.items()}
    names = [each.name for each in fields(TestResult) if each.name in shown]
    own = {name: shown[name] for name in names} | {"n_y": shown["n_b"]}
    effect = {name: shown[name] for name in _OF_EFFECTS.values()}
    found = replace(tested.found, result=replace(tested.found.result, **own), effects=effect)
    means = result.means[scheme]
    if tested.chosen.test.location is None:
        known = scores.frame_of_means.assign(mean=means)
        vars(scores := replace(scores))["frame_of_means"] = known
    ranks = None if result.mean_ranks is None else result.mean_ranks[scheme].to_numpy()
    tested = replace(tested, standardized=scores, found=found, p_adjusted=shown["p_adjusted"])
    return scores, _parts_of(tested, means, result.mean_intervals[scheme], ranks)


@in_r.register
def _(result: Tested) -> tuple[Standardized, tuple[Part, ...]]:
    scores, family, matrix = result.standardized, result.family, result.found.matrix
    has = family is not None and has_ranks(result.chosen, family, matrix)
    own = centers_of(scores, result.chosen)
    return scores, _parts_of(result, *own, mean_ranks(matrix) if has else None)


def _parts_of(
    tested: Tested, centers: Any, intervals: pd.DataFrame, ranks: Array | None
) -> tuple[Part, ...]:
    chosen, location = tested.chosen, tested.chosen.test.location
    parts: list[Part] = [test := _OfTest(tested, traces_of(chosen, tested.effect))]
    if tested.family is not None:
        counted = "mean: n" if location is None else f"{chosen.test.center}: n"
        parts.append(_OfSystems(test, tested.family, location is None, counted, intervals, ranks))
    if location is not None:
        values = np.asarray(centers)
        parts.append(_Located(tested.standardized, chosen, location, values))
    if tested.resampling is not None:
        parts.append(_Uncertain.of(tested, tested.resampling))
    return tuple(parts)


@dataclass(frozen=True, eq=False)
class _OfTest(Part):
    tested: Tested
    traces: Sequence[str]

    sources = TEST_SOURCES
    is_test = True
    drawn_for = "the test"

    @property
    def told(self) -> str:
        return f"test {self.tested.chosen}"

    @property
    def twins(self) -> dict[Path, str]:
        found = {twin_of(self.tested.chosen.test): "significance_test"}
        if self.tested.effect:
            found[effects.effect_sizes.load(self.tested.effect).twin()] = "effect_size"
        return found

    @cached_property
    def draws(self) -> Mapping[str, Draws]:
        result, test = self.tested.found.result, self.tested.chosen.test
        shape = self.tested.standardized.frame.shape
        sizes = test.sizes(np.atleast_1d(result.n), np.atleast_1d(result.n_y), shape)
        drawn = test.random_draws(self.tested.chosen.settings, sizes)
        return {" x ".join(map(str, own)): each for own, each in drawn.items()}

    @cached_property
    def sample(self) -> tuple[IntArray, str] | None:
        """The pairs that R tests, near alpha and every k-th, with a note; None for all."""
        own, result = self.tested, self.tested.found.result
        each = max((one.trials * one.numbers for one in self.draws.values()), default=0)
        pairs = len(own.p_adjusted)
        # Other tests are of all pairs together.
        if not isinstance(own.chosen.test, TwoSamples) or each * pairs <= _A_MINUTE:
            return None
        with np.errstate(invalid="ignore"):
            error = own.p_adjusted / result.p_value * result.p_value_stderr
            is_near = np.abs(own.p_adjusted - own.alpha) <= _NEAR * error
        near, others = np.flatnonzero(is_near), np.flatnonzero(~is_near)
        step = -(-len(others) // max(1, int(_A_MINUTE // each) - len(near)))
        places = np.sort(np.concatenate([near, others[::step]])) if step else near
        note = (
            f"R tests {len(places):,} of {pairs:,} pairs, since all would take more than about a "
            f"minute: the {len(near):,} whose adjusted p value is within {_NEAR} Monte Carlo "
            f"standard errors of {written(own.alpha)}, and of the others the first of each "
            f"{step:,}; for p.adjust, the p values of the other pairs come from Python"
        )
        return places, note

    @property
    def places(self) -> IntArray:
        return np.arange(len(self.tested.labels)) if self.sample is None else self.sample[0]

    @property
    def labels(self) -> list[str]:
        return list(np.array(self.tested.labels, dtype=object)[self.places])

    @property
    def undefined(self) -> str:
        reasons = np.atleast_1d(self.tested.found.result.reason)
        return str(reasons[0]) if (reasons != "").all() else ""

    @property
    def settings(self) -> Mapping[str, object]:
        own = self.tested
        baselines = list(own.family.baselines) if own.family is not None else []
        options = {"adjust": own.adjust, "effect": own.effect, "alpha": own.alpha}
        return {"test": str(own.chosen), "baselines": baselines, **options}

    @property
    def facts(self) -> Mapping[str, object]:
        return {"settings": self.tested.chosen.settings, "family": str(self.tested.family)}

    @property
    def published(self) -> Mapping[str, object]:
        own = self.tested
        label, size = "", "effect size"
        if own.effect:  # which tables of papers have in place of the name
            label = effects.effect_sizes.load(own.effect).label.lower()
        words = {own.chosen.test.estimates: "estimate", own.effect: size, label: size}
        return {
            "words": {word.replace("_", " "): named for word, named in words.items() if word},
            "alpha": own.alpha,
            "sampled": self.sample is not None,
        }

    @cached_property
    def numbers(self) -> list[Checked]:
        return self.checks(self.tested.standardized.factors.fitted.scheme.tolerance)

    def checks(self, scores: Tolerance | None) -> list[Checked]:
        own, found = self.tested, self.tested.found
        # Python may have other numbers, but R has none if it stops.
        without = np.isnan(np.atleast_1d(found.result.p_value)) & (scores is not None)
        numbers, terms = dict[str, Array](), dict[str, Array]()
        for name in QUANTITIES:
            numbers[name] = np.where(without, np.nan, np.atleast_1d(getattr(found.result, name)))
            terms[name] = np.atleast_1d(found.result.terms(name))
        numbers["p_adjusted"] = own.p_adjusted
        for name, values in found.effects.items():
            numbers[name] = np.where(without, np.nan, values)
        stated = dict(own.chosen.test.tolerances)
        of_effect = (
            effects.effect_sizes.load(own.effect).tolerances if own.effect else effects.USUAL
        )
        for number, name in _OF_EFFECTS.items():
            stated[name] = of_effect[number]
        # A test says how large the terms of its statistic are; what they allow is capped too.
        most = np.fmax(np.abs(numbers["statistic"]), 1.0)
        ulp = max(stated["statistic"].ulp, 1.0)
        with np.errstate(over="ignore"):  # no cap at all
            terms["statistic"] = np.fmin(terms["statistic"], most * Tolerance.MOST / ulp)
        # An error of p below its floor is multiplied as p is, by Bonferroni's correction with m.
        p = numbers["p_value"]
        factor = np.divide(own.p_adjusted, p, out=np.full_like(p, len(p)), where=p > 0)
        terms["p_adjusted"] = stated["p_value"].floor * factor
        size = found.effects["effect_size"]
        terms["effect_size"] = np.zeros_like(factor)
        for end in ("effect_low", "effect_high"):
            terms[end] = terms_of_end(found.effects[end], size)
        y = own.standardized.scores.to_numpy()
        error = error_of_scores(scores, y) if scores else 0.0
        bounded = passed_on(own.chosen, found.result, found.effects, error)
        if scores is None and own.chosen.test.samples == "pairs":  # means are rounded, as in R
            stderr, size, d = numbers["stderr"], self.sizes(y)[0], np.abs(numbers["estimate"])
            with np.errstate(all="ignore"):
                of_t = np.nan_to_num(np.where(d < size / 2, np.spacing(size) / stderr, 0.0))
                bounded["p_value"] = np.nan_to_num(p * (1 + d / stderr) * of_t)
            bounded["statistic"] = np.sqrt(2) * of_t
        bounded["p_adjusted"] = bounded["p_value"] * factor
        places, labels, rows = self.places, self.labels, list[Checked]()
        for name, values in numbers.items():
            allowed = on_scores_apart(stated[name], name, scores)
            sizes = np.fmax(terms[name], terms_of_bound(bounded[name], allowed))[np.newaxis, places]
            quantity = name.replace("_", " ")
            alpha = own.alpha if name in ("p_value", "p_adjusted") else None
            ours = Quantity(quantity, [""], labels, values[np.newaxis, places])
            rows.append(Checked(ours, allowed, sizes, None, alpha))
        return rows

    def sizes(self, scores: Array) -> tuple[Array, Array]:
        family, (of_all, span) = self.tested.family, super().sizes(scores)
        if family is None or family.at_once:
            return of_all, span
        with np.errstate(all="ignore"):
            high, low = np.fmax.reduce(scores), np.fmin.reduce(scores)
        a, b = family.first[self.places], family.second[self.places]
        high, low = np.fmax(high[a], high[b]), np.fmin(low[a], low[b])
        together = self.tested.chosen.test.samples == "pairs"
        return np.fmax(np.abs(high), np.abs(low)), span if together else high / 2 - low / 2

    def by_statsmodels(self) -> Mapping[str, Judged]:
        return self._judged

    @cached_property
    def scores(self) -> Array:
        """The scores as the test compares them, those equal but for rounding being equal."""
        own = self.tested
        scores = matrix_of(own.standardized, own.standardized.frame.to_numpy())
        sizes = sizes_of_ties(own.standardized, own.chosen, own.effect)
        return scores if sizes is None else tied(scores, matrix_of(own.standardized, sizes))

    @cached_property
    def _judged(self) -> dict[str, Judged]:
        from cdfscore.stats.judge import effects as judged_effects
        from cdfscore.stats.judge import tests

        own, result = self.tested, self.tested.found.result
        test, name, places = own.chosen.test, own.chosen.test.name, self.places
        if name not in tests.TESTS:
            return {}
        family, pairs = own.family, (places, places)
        if family is not None and len(family.first):
            pairs = (family.first[places], family.second[places])
        # Those of one pair are used for each; shuffles of all systems are many, and used once.
        kind = np.float64 if isinstance(test, TwoSamples) else None
        drawn = {
            sizes: [np.asarray(block, dtype=kind) for block in each.blocks()]
            for sizes, each in self.draws.items()
        }
        judge, settings = tests.TESTS[name], own.chosen.settings
        few = test.minimum
        numbers = tests.of_family(
            judge, test.samples, self.scores, pairs, settings, drawn, few, test.in_unit
        )
        by = {key: judge.judge(key) for key in numbers}
        p = np.atleast_1d(result.p_value).astype(np.float64)
        is_own = np.isnan(numbers["p_value"])
        p[places] = np.where(is_own, p[places], numbers["p_value"])
        adjusted = judged_effects.adjusted(p, own.adjust)[places]
        numbers["p_adjusted"] = np.where(is_own, np.nan, adjusted)
        correction = judged_effects.CORRECTIONS.get(own.adjust)
        by["p_adjusted"] = by["p_value"] if correction is None else correction.by
        if of_effect := judged_effects.EFFECTS.get(own.effect):
            samples = "paired" if effects.effect_sizes.load(own.effect).paired else "unpaired"
            level = {"conf_level": own.chosen.conf_level}
            found = tests.of_family(of_effect, samples, self.scores, pairs, level, {})
            for key, number in _OF_EFFECTS.items():
                numbers[number], by[number] = found[key], of_effect.judge(key)
        if "p_value_stderr" in numbers:
            of_all = np.full(len(p), np.nan)
            of_all[places] = numbers.pop("p_value_stderr")
            numbers["table: p value stderr"], by["table: p value stderr"] = of_all, by["p_value"]
        return {key.replace("_", " "): Judged(values, by[key]) for key, values in numbers.items()}

    def notes_on(self, theirs: AnalysisInR) -> list[str]:
        if not self.undefined:
            labels, found = np.array(self.tested.labels, dtype=object), []
            reasons = np.atleast_1d(self.tested.found.result.reason)
            for reason in dict.fromkeys(filter(None, reasons.tolist())):
                own = labels[reasons == reason]
                times = f" ({len(own):,} times)" if len(own) > 1 else ""
                found.append(f"Python has no p value of {kept(own[0])}{times}: {reason}")
            return [*found, *self.notes_on_draws]
        (p_value,) = (found for found in theirs.quantities if found.name == "p value")
        in_r = "R has numbers" if (~np.isnan(p_value.values)).any() else "R has none either"
        if theirs.stopped:
            in_r = f"R stops ({theirs.stopped})"
        return [f"the test has no number to compare: {self.undefined}; {in_r}"]

    @property
    def notes_on_draws(self) -> list[str]:
        own, notes = self.tested, list[str]()
        if isinstance(own.chosen.test, TwoSamples) and own.family is not None:
            topics = len(own.standardized.scores)
            chosen, more = with_enough_resamples(
                own.chosen, own.family, topics, own.adjust, own.alpha
            )
            if more:
                here, there = own.chosen.settings["B"], chosen.settings["B"]
                notes.append(
                    f"B = {here:,} is verified here, and compare takes {there:,} for these pairs; "
                    f"test={str(chosen)!r} verifies that"
                )
        return [*notes, *([] if self.sample is None else self.sample[1:])]

    def code(self, draws: DrawsFile, *, compares_tables: bool) -> str:
        own, test = self.tested, self.tested.chosen.test
        settings = expression(own.chosen.settings)
        if test.drawn is not None:
            settings = f"c({settings}, draws = {draws.code(self.draws)})"
        baselines = list(own.family.baselines) if own.family is not None else []
        pairs = "NULL"
        if RUN_ON[test.samples].endswith(("_pair", "_pairs")):
            pairs = f"pairs_of(colnames(y), {expression(baselines)})"
        sampled = ""
        if self.sample is not None:
            (chosen, note), p_values = self.sample, own.found.result.p_value
            known = np.flatnonzero(~np.isnan(p_values))
            numbers = expression(p_values[known].tolist())
            places, there = (expression((each + 1).tolist()) for each in (chosen, known))
            sampled = (
                f",\n  # {note}\n  checked = {places},\n"
                f"  p_values = replace(rep(NA_real_, {len(p_values)}), {there},\n"
                f"                     {numbers})"
            )
        effect = "NULL"
        if own.effect:
            scaled = not effects.effect_sizes.load(own.effect).in_unit
            of = "in_own_unit(effect_size, character(0))" if scaled else "effect_size"
            effect = f"effect_numbers({of}, {expression(own.chosen.conf_level)})"
        y, function = "y", "significance_test"
        if test.in_unit is not None:
            function = f"in_own_unit({function}, {expression(list(test.in_unit))})"
        if sizes_of_ties(own.standardized, own.chosen, own.effect) is not None:
            is_cdf = own.standardized.factors.fitted.scheme.is_cdf
            is_known = own.standardized.reference is not None
            y = f"tied_scores(y, settled, how, {expression(is_cdf)}, {expression(is_known)})"
        return (
            f"{'retest <- retester' if compares_tables else 'tested <- analyze_differences'}(\n"
            f"  {y}, {function},\n"
            f"  {RUN_ON[test.samples]},\n"
            f"  pairs = {pairs},\n"
            f"  settings = {settings},\n"
            f"  adjust = {expression(own.adjust)},\n"
            f"  quantities = {expression(list(QUANTITIES))},\n"
            f"  effect = {effect}{sampled})\n"
            f"{'tested <- retest()' + chr(10) if compares_tables else ''}"
            f"{IF_STOPPED}\n"
            f'  notes <- c(notes, paste("{STOPPED}", attr(tested, "stopped")))\n'
            'notes <- c(notes, attr(tested, "notes"))\n'
            "results <- c(results, tested)\n"
        )


def passed_on(
    chosen: ChosenTest, result: TestResult, effects: Mapping[str, Array], error: float
) -> dict[str, Array]:
    """Return a bound for the difference of each number, by its name; 0 without a bound.

    If no score moves by more than e, a mean moves by at most m = 2 e, and its standard error by at
    most m / sqrt(n - 1), or sqrt(2) times as much for q of `tukey_hsd`; the rest follows, as no
    tail of t falls faster than that of the normal distribution. Other tests have no bound.
    """
    nowhere = np.zeros(np.shape(np.atleast_1d(result.p_value)))
    bounds = dict.fromkeys((*QUANTITIES, "p_adjusted", *effects), nowhere)
    if not error or chosen.test.estimates != "difference":
        return bounds
    moved = 2 * error
    n = np.fmin(result.n, result.n_y)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        of_stderr = moved / np.sqrt(n - 1)
        t = np.abs(result.statistic)
        of_t = np.sqrt(2) * (moved + t * of_stderr) / result.stderr
        bounds["estimate"] = np.where(np.isnan(result.estimate), 0.0, moved)
        bounds["stderr"] = np.where(np.isnan(result.stderr), 0.0, of_stderr)
        bounds["statistic"] = of_t
        for end in ("conf_low", "conf_high"):
            margin = np.abs(getattr(result, end) - result.estimate)
            bounds[end] = moved + margin / result.stderr * of_stderr
        if not chosen.test.draws:
            bounds["p_value"] = result.p_value * (t + 1) * of_t
        if "effect_size" in effects:
            d = effects["effect_size"]
            unit = result.stderr * np.sqrt(n) / 2
            bounds["effect_size"] = (moved + np.abs(d) * of_stderr * np.sqrt(n)) / unit
    return {name: np.nan_to_num(np.atleast_1d(bound), posinf=0.0) for name, bound in bounds.items()}


@dataclass(frozen=True, eq=False)
class _OfSystems(Part):
    test: _OfTest
    family: Family
    #: Whether the test compares means, which have intervals.
    of_means: bool
    #: What the numbers of topics are called.
    counted: str
    intervals: pd.DataFrame
    #: The mean ranks, None if there are none.
    ranks: Array | None

    sources = (Path(__file__).with_name("systems.R"),)
    function = "analyze_systems"
    given = ("y", "tested")

    @property
    def told(self) -> str:
        own = "intervals of means" if self.of_means else "numbers of topics"
        return f"{own}{' and letters' if self._has_letters else ''}"

    @cached_property
    def numbers(self) -> list[Checked]:
        found, tested = self.test.tested.standardized, self.test.tested
        systems, ends = list(found.scores.columns), self.intervals
        means = found.means["mean"].to_numpy()
        own = [Checked.row(self.counted, systems, ends["n"].to_numpy(), _COUNTED)]
        for end in ("low", "high") if self.of_means else ():
            values, tolerance = ends[end].to_numpy(), one_sample_t.tolerances[f"conf_{end}"]
            terms = terms_of_end(values, means)
            name = f"mean: conf {end}"
            own.append(Checked.row(name, systems, values, tolerance, terms, f"conf_{end}"))
        if self.ranks is not None:
            own.append(Checked.row("mean: rank", systems, self.ranks, _RANKS, like=None))
        result = tested.found.result
        for name, count in (("n", result.n), ("n b", result.n_y)):
            every = np.atleast_1d(np.broadcast_to(count, np.shape(result.p_value)))
            own.append(
                Checked.row(
                    name, self.test.labels, every[self.test.places].astype(np.float64), _COUNTED
                )
            )
        if self._has_letters:
            own.append(
                Checked.row("letter in common", self.test.labels, self._in_common(), _COUNTED)
            )
        return own

    def by_statsmodels(self) -> Mapping[str, Judged]:
        from cdfscore.stats.judge import tests

        tested, places, family = self.test.tested, self.test.places, self.family
        scores, of_mean = tested.standardized.frame.to_numpy(), tests.TESTS["one_sample_t"]
        level = tested.chosen.conf_level
        settings = {"alternative": "two-sided", "null_value": 0.0, "conf_level": level}
        own = tests.of_family(
            of_mean,
            "one sample",
            scores,
            (places, places),
            settings,
            {},
            in_unit=one_sample_t.in_unit,
        )
        found = {
            f"mean: {name.replace('_', ' ')}": Judged(own[name], of_mean.judge(name))
            for name in ("conf_low", "conf_high")
        }
        counts = (~np.isnan(scores)).sum(axis=0)
        found[self.counted] = Judged(counts.astype(np.float64), "NumPy: isnan")
        if self.ranks is not None:
            found["mean: rank"] = Judged(
                tests.mean_ranks(self.test.scores), "SciPy: stats.rankdata"
            )
        there = ~np.isnan(self.test.scores)
        sides = (
            (places, places) if family.at_once else (family.first[places], family.second[places])
        )
        first, second = (there[:, each] for each in sides)
        if tested.chosen.test.samples != "unpaired":
            first = second = first & second
        for name, each in (("n", first), ("n b", second)):
            found[name] = Judged(each.sum(axis=0).astype(np.float64), "NumPy: isnan")
        if self._has_letters and (p := self.test.by_statsmodels().get("p adjusted")):
            values = (~(p.values <= tested.alpha)).astype(np.float64)
            values[np.isnan(p.values) & ~np.isnan(tested.p_adjusted[places])] = np.nan
            found["letter in common"] = Judged(values, f"{p.by}: not significant")
        return found

    @property
    def shown(self) -> Mapping[str, str]:
        ranks = f"mean ranks: {self.test.tested.standardized.factors.fitted.scheme}"
        ends = {f"mean intervals: {end}": f"mean: conf {end}" for end in ("low", "high")}
        return {"mean intervals: n": self.counted, ranks: "mean: rank", **ends}

    @property
    def arguments(self) -> dict[str, Any]:
        tested = self.test.tested
        return {
            "kind": tested.chosen.test.samples,
            "baselines": list(self.family.baselines),
            "counted": self.counted,
            "conf_level": tested.chosen.conf_level if self.of_means else None,
            "alpha": tested.alpha,
            "letters": self._has_letters,
            "ranks": self.ranks is not None,
        }

    @cached_property
    def _has_letters(self) -> bool:
        try:
            check_letters(self.test.tested.chosen, self.family.baselines)
        except SignificanceError:  # not of all pairs, or not two-sided
            return False
        return True

    def _in_common(self) -> Array:
        family, tested = self.family, self.test.tested
        means = tested.standardized.means["mean"]
        if self.ranks is not None:
            means = means.copy()
            means[:] = -self.ranks
        ordered = means.sort_values(ascending=False, kind="stable").index
        first, second = (np.array(names, dtype=object) for names in family.names)
        apart = tested.p_adjusted <= tested.alpha
        of_letters = groups(list(ordered), zip(first[apart], second[apart], strict=True))
        systems = pd.Index(family.systems)
        member = np.array([systems.isin(group) for group in of_letters])
        a, b = family.first[self.test.places], family.second[self.test.places]
        return np.asarray((member[:, a] & member[:, b]).any(axis=0), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class _Located(Part):
    """What a test compares instead of means, by an R function beside the Python file of it."""

    scores: Standardized
    chosen: ChosenTest
    location: Location
    values: Array

    sources = (Path(__file__).with_name("systems.R"),)
    function = "analyze_locations"
    given = ("y", "location")

    @property
    def told(self) -> str:
        return f"{self.chosen.test.center} of each system"

    @property
    def name(self) -> str:
        return self.location.__name__

    def twin(self) -> Path:
        return Path(inspect.getfile(inspect.unwrap(self.location))).with_name(f"{self.name}.R")

    @property
    def twins(self) -> dict[Path, str]:
        return {twin_of(self): "location"}

    @property
    def arguments(self) -> dict[str, Any]:
        return {"settings": self.chosen.settings, "quantity": self.chosen.test.center}

    @property
    def shown(self) -> Mapping[str, str]:
        return {f"means: {self.scores.factors.fitted.scheme}": self.chosen.test.center}

    @property
    def numbers(self) -> list[Checked]:
        systems = list(self.scores.frame.columns)
        return [Checked.row(self.chosen.test.center, systems, self.values, USUAL["estimate"])]


@dataclass(frozen=True, eq=False)
class _Uncertain(Part):
    resampling: Resampling
    conf_level: float
    family: Family
    systems: int
    drawn: bootstrap.Resamples
    found: OfScheme
    scheme: Scheme

    sources = (TWIN, Path(__file__).with_name("uncertain.R"))
    function = "analyze_reference_uncertainty"
    given = ("settled", "how")
    drawn_for = "the reference systems"

    @classmethod
    def of(cls, tested: Tested, resampling: Resampling) -> _Uncertain:
        family, scores = tested.family, tested.standardized
        assert family is not None  # the test is of pairs
        refits = Refits.of(scores)
        scheme = scores.factors.fitted.scheme
        systems = first_fitted({str(scheme): refits}).systems
        drawn = bootstrap.resamples(systems, resampling.resamples, resampling.seed)
        _check_time(scheme, refits, family, drawn)
        found = variances_of(scores, refits, family, drawn)
        level = tested.chosen.conf_level
        return cls(resampling, level, family, systems, drawn, found, scheme)

    @property
    def told(self) -> str:
        return f"reference systems resampled, {self.drawn.method}"

    def notes_on(self, theirs: AnalysisInR) -> list[str]:
        return [f"{self.systems} reference systems are drawn with replacement, {self.drawn.method}"]

    @property
    def draws(self) -> Mapping[str, Draws]:
        own = self.resampling
        found = bootstrap.drawn((self.systems,), own.resamples, own.seed)
        return {} if found is None else {f"{self.systems} reference systems": found}

    @property
    def arguments(self) -> dict[str, Any]:
        baselines = list(self.family.baselines)
        return {"baselines": baselines, "conf_level": self.conf_level}

    @cached_property
    def numbers(self) -> list[Checked]:
        pairs = self.family.labels
        of_pairs = self._checked(False, pairs)
        difference = self.found.pairs.given.mean
        moved = np.full_like(difference, self._moved(2.0))
        terms = terms_of_bound(moved, USUAL["estimate"])
        own = Checked.row("difference", pairs, difference, USUAL["estimate"], terms, None)
        return [*self._checked(True, list(self.family.systems)), own, *of_pairs]

    def _checked(self, of_means: bool, labels: list[str]) -> list[Checked]:
        variances = self.found.means if of_means else self.found.pairs
        level, exact = self.conf_level, self.drawn.exact
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
        """Return a bound for the difference of a mean, from the scores and from rounding."""
        largest = self.found.largest
        error = error_of_scores(self.scheme.tolerance, np.array([largest]))
        return scores * (error + 2 * float(np.spacing(largest)))


def _check_time(scheme: Scheme, refits: Refits, family: Family, drawn: bootstrap.Resamples) -> None:
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
        fewer = f"reference_uncertainty={most!r} or less"
    raise SignificanceError(
        f"R would fit {scheme} to {counted(topics, 'topic')} of {resamples:,} resamples, which "
        f"takes about {seconds / 60:,.0f} minutes, and the limit is 2; expected {fewer}"
    )


# --- The rank correlation of two score matrices ---

_OF_COEFFICIENTS = Path(coefficients.__file__)
_TWO_SUMS = Tolerance(450, "two algorithms add the terms; 1e-13 of the number")
_MOST_OF_SUMS = Tolerance.MOST / _TWO_SUMS.ulp


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
    found: Correlation

    sources = (
        *(_OF_COEFFICIENTS.with_name(f"{name}.R") for name in ("kendall", "ap", "drmse")),
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
        sizes = np.fmin(self._terms(labels), np.fmax(np.abs(values), 1.0) * _MOST_OF_SUMS)
        return [own, Checked.row("correlation", labels, values, _TWO_SUMS, sizes, "statistic")]

    def by_statsmodels(self) -> Mapping[str, Judged]:
        from cdfscore.stats.judge import models as judged

        means = [each.means["mean"] for each in (self.found.first, self.found.second)]
        x, y = means[0].to_numpy(), means[1][means[0].index].to_numpy()
        known = judged.CORRELATIONS(x, y)
        values = [known.get(name, np.nan) for name in self.found.table["measure"]]
        second = means_of(self.found.second.frame.to_numpy())
        return {
            "second system mean": Judged(second, "Python: math.fsum"),
            "correlation": Judged(np.array(values, dtype=np.float64), judged.CORRELATIONS.by),
            "table: systems": Judged(np.full(len(values), float(len(x))), "Python: len"),
        }

    def _terms(self, measures: list[str]) -> Array:
        """Return the size of what the rounding of the means changes, for each measure."""
        means = [each.means["mean"].to_numpy() for each in (self.found.first, self.found.second)]
        largest = [np.abs(each).max() for each in means]
        ranges = [float(np.ptp(each)) for each in means]
        relative = sum(size / span for size, span in zip(largest, ranges, strict=True) if span)
        of_sds = dict.fromkeys(("pearson", "drmse", "drmse_geometric"), 1 + relative)
        return np.array([{"rmse": max(largest), **of_sds}.get(name, 1.0) for name in measures])

    shown = MappingProxyType({"table: value": "correlation"})

    @property
    def arguments(self) -> dict[str, Any]:
        return {"exact": bool(self.found.second.has_exact_means)}

    @property
    def told(self) -> str:
        return "rank correlation with the second scores"
