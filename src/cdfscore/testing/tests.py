"""The checks of the contract of significance tests."""

from __future__ import annotations

import inspect
import itertools
import pickle
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cdfscore.comparison.comparison import Tested
from cdfscore.errors import SignificanceError
from cdfscore.r.verify import verify
from cdfscore.standardization.standardizer import Standardizer
from cdfscore.stats.numerics.numbers import finite_number
from cdfscore.stats.numerics.types import Array, IntArray
from cdfscore.stats.significance.contract import (
    ALTERNATIVES,
    NOMINAL,
    QUANTITIES,
    SIGNS,
    AllSystems,
    ChosenTest,
    OneSample,
    PairsTogether,
    SignificanceTest,
    Simultaneous,
    Sizes,
    TwoSamples,
)
from cdfscore.testing.checks import SUMS, ContractError, checks_of, require, run_check, same_bits

#: Draws scores under the null hypothesis, of a shape (trials, topics, systems).
UnderNull = Callable[[np.random.Generator, tuple[int, int, int]], Array]
#: Numbers of a test by name, and reasons; each (samples, pairs), with one pair if there are none.
Numbers = dict[str, Array]

# Simulated trials: of few topics, of more topics or with resamples, of a test that takes a matrix
# at a time, and at a seed.
_TRIALS, _LESS, _MATRICES, _AT_A_SEED = 40_000, 10_000, 400, 100
# Numbers of topics; of the last, no test enumerates all outcomes.
_FEW, _ORDINARY, _MANY = 5, 10, 25
# Bits of scores with ties, of scores whose sums are exact, and of those with other sums in another
# order.
_TIED, _EXACT, _ALL_BITS = 3, 24, 52
_LEVELS = (0.01, NOMINAL, 0.1)
# Of the largest p value up to a level, the part that the proportion of such p values may be: of a
# test, and of a family of pairs.
_LEAST = {NOMINAL: (1 / 3, 1 / 3), 0.1: (1 / 3, 1 / 3), 0.5: (3 / 4, 1 / 2)}
# Powers of 2 by which scores are multiplied: by the first one, every number may be computed.
_UNITS = (20, -20, 600, -600)
# Standard errors by which a proportion of trials, or of resamples, may differ by chance.
_ERRORS = 4
# Sums in another order, and differences of scores that are moved, have other last digits.
_ROUNDING = 1e-9
# An interval and a p value may be by two approximations; and by other resamples.
_APART, _RESAMPLES = 1.25, 1999


@dataclass(frozen=True)
class Candidate:
    """A significance test with settings, and seeded scores (samples, topics, systems) for it."""

    chosen: ChosenTest
    within: tuple[float, float]
    under_null: UnderNull | None
    trials: int | None
    seed: int

    def run(self, check: Check) -> None:
        """Run a check; an error of the test is a failure of the check."""
        run_check(check, self, str(self.chosen), self.test.name)

    @property
    def test(self) -> SignificanceTest[Any]:
        """The test without its settings."""
        return self.chosen.test

    @property
    def systems(self) -> int:
        """The number of systems of a sample: 1 or 2, or 4 for a test of a matrix."""
        return {"one sample": 1, "paired": 2, "unpaired": 2}.get(self.test.samples, 4)

    @property
    def of_matrix(self) -> bool:
        """Whether the test is of pairs of a matrix, and takes a matrix at a time."""
        return isinstance(self.test, PairsTogether)

    @cached_property
    def pairs(self) -> IntArray:
        """The pairs of a test of a matrix: of all systems, or of each with a baseline."""
        one = isinstance(self.test, PairsTogether) and self.test.one_baseline
        return np.array(
            [(0, 3), (1, 3), (2, 3)] if one else np.stack(np.triu_indices(4, 1), axis=1)
        )

    def rng(self, *of: int) -> np.random.Generator:
        """Return the generator of some scores."""
        return np.random.default_rng([self.seed, *of])

    def in_domain(self, share: Any) -> Array:
        """Return scores (samples, topics, systems) in `within`, of numbers from 0 to 1.

        A second sample that is independent of the first is shorter: it ends with two NaN.
        """
        low, high = self.within
        scores: Array = low + (high - low) * np.asarray(share, dtype=np.float64)
        if self.test.samples == "unpaired":
            scores[..., -2:, 1] = np.nan
        return scores

    def drawn(self, samples: int = 3, topics: int = _ORDINARY, *, bits: int = _EXACT) -> Array:
        """Draw samples whose systems differ more or less, of scores of some bits."""
        rng = self.rng(samples, topics)
        noise = rng.beta(2, 2, (samples, topics, self.systems)) - 0.5
        share = 0.5 + 0.3 * noise + 0.3 * rng.uniform(-1, 1, (samples, 1, self.systems))
        return self.in_domain(np.ldexp(np.rint(np.ldexp(share, bits)), -bits))

    def equal(self, rng: np.random.Generator, shape: tuple[int, int, int]) -> Array:
        """Draw normal scores without a difference or correlation, of topics that may differ."""
        share = rng.normal(size=shape)
        if self.systems > 1 and self.test.shows != "correlation":
            share += rng.normal(size=(*shape[:2], 1)) * (self.test.samples != "unpaired")
        if isinstance(self.test, OneSample):
            low, high = self.within
            null: float = self.neutral.get("null_value", 0.0)
            return np.asarray(null + (high - low) / 15 * share)
        return self.in_domain(0.5 + share / 15)

    def results(self, scores: Array, *, pairs: IntArray | None = None, **settings: Any) -> Numbers:
        """Return the numbers of the test of each sample."""
        given, call = {**self.chosen.given, **settings}, self._call()
        if self.of_matrix:
            own = self.pairs if pairs is None else pairs
            return numbers([call(matrix, own, **given) for matrix in scores], len(scores))
        arrays = [scores] if isinstance(self.test, AllSystems) else np.moveaxis(scores, -1, 0)
        return numbers([call(*arrays, **given)], len(scores))

    def alone(self, samples: list[Array]) -> Numbers:
        """Return the numbers of a sample, or of two, without missing scores."""
        return numbers([self._call()(*samples, **self.chosen.given)], 1)

    def _call(self) -> Any:
        return self.test  # whose call has other arguments in each class

    @property
    def neutral(self) -> dict[str, Any]:
        """The settings of a test of no difference, where the test has others."""
        defaults = self.test.defaults
        return {name: defaults[name] for name in ("null_value", "centre") if name in defaults}

    @property
    def sides(self) -> dict[str, dict[str, Any]]:
        """The settings of each alternative by its name; "" if there is only one."""
        if "alternative" not in self.test.setting_names:
            return {"": self.neutral}
        return {each: {**self.neutral, "alternative": each} for each in ALTERNATIVES}

    @property
    def two_sided(self) -> dict[str, Any]:
        """The settings of the two-sided test."""
        return next(iter(self.sides.values()))


Check = Callable[[Candidate], None]


def numbers(found: list[Any], samples: int) -> Numbers:
    """Return the numbers of results by name."""
    names = (*QUANTITIES, "p_value_stderr", "n", "n_y", "reason")
    columns = {name: np.array([getattr(each, name) for each in found]) for name in names}
    return {name: values.reshape(samples, -1) for name, values in columns.items()}


def require_equal(
    got: Numbers, expected: Numbers, given: str, wanted: str, rtol: float = 0.0
) -> None:
    """Require the same bits, or numbers within `rtol`; the sentence shows the first other."""
    for name in QUANTITIES:
        a, b = got[name], expected[name]
        near = np.isclose(a, b, rtol=rtol, atol=rtol / 1000, equal_nan=True)
        if not (same_bits(a, b) if rtol == 0 else near.all()):
            i = tuple(np.argwhere(~near)[0]) if not near.all() else (0, 0)
            raise ContractError(
                f"{given} {name} is {float(a[i])!r}; expected {float(b[i])!r}, {wanted}"
            )


def require_p(subject: Candidate, got: Numbers, expected: Numbers, given: str, wanted: str) -> None:
    """Require the same p values, but for rounding errors and what random resamples differ by."""
    p, other = got["p_value"], expected["p_value"]
    errors = np.fmax(got["p_value_stderr"], expected["p_value_stderr"])
    random = 2 * _ERRORS * np.nan_to_num(errors) if subject.test.draws else 0.0
    same = np.abs(p - other) <= random + _ROUNDING * np.fmax(other, 1e-3)
    for i, j in np.argwhere(~same & ~(np.isnan(p) & np.isnan(other)))[:1]:
        raise ContractError(
            f"{given} p value is {float(p[i, j])!r}; expected {float(other[i, j])!r}, {wanted}"
        )


def of(sample: Array) -> str:
    """Name the scores of a sample."""
    return f"of {' and '.join(str(column.tolist()) for column in sample.T)}"


# Checks of the declaration.


def _documentation_is_there(subject: Candidate) -> None:
    test = subject.test
    require(bool(inspect.getdoc(test.function)), "there is no docstring; expected one")
    require(bool(test.source.strip()), f"source is {test.source!r}; expected a reference")


def _settings_have_types(subject: Candidate) -> None:
    for name in sorted(set(subject.test.setting_names) - set(subject.test.hints())):
        raise ContractError(
            f"the setting {name} has no type; expected one, by which the command line reads it"
        )


def _test_is_picklable(subject: Candidate) -> None:
    again = pickle.loads(pickle.dumps(subject.test))
    require(again is subject.test, f"pickling gives back {again!r}; expected the same test")


# Checks of arrays: input that stays as it is, layout, batches, missing scores.


def _input_is_not_modified(subject: Candidate) -> None:
    for bits in (_EXACT, _TIED):
        scores = subject.drawn(bits=bits)
        before = scores.copy()
        subject.results(scores)
        same = same_bits(scores, before)
        require(same, "the test changed the scores it was given; expected it to leave them alone")


def _layout_of_input_does_not_matter(subject: Candidate) -> None:
    scores = subject.drawn(8, _MANY, bits=_ALL_BITS)
    expected = subject.results(scores)
    kinds = {
        "read-only": np.broadcast_to(scores, scores.shape),
        "non-contiguous": np.repeat(scores, 2, axis=1)[:, ::2],
        "Fortran-ordered": np.asfortranarray(scores),
    }
    for kind, same in kinds.items():
        found = subject.results(same)
        require_equal(found, expected, f"of {kind} scores", f"as of contiguous ones; {SUMS}")


def _batch_equals_row_by_row(subject: Candidate) -> None:
    scores = subject.drawn(4, bits=_ALL_BITS)
    whole = subject.results(scores)
    for i in range(len(scores)):
        row = {name: values[i : i + 1] for name, values in whole.items()}
        wanted = f"as of that sample alone; {SUMS}"
        require_equal(row, subject.results(scores[i : i + 1]), f"of sample {i} of a batch", wanted)
    if not subject.of_matrix:
        found = subject.results(scores.reshape(2, 2, *scores.shape[1:]))
        same = {name: values.reshape(2, 2) for name, values in whole.items()}
        require_equal(found, same, "of a batch of shape (2, 2)", "as of one of shape (4,)")


def _missing_scores_are_omitted(subject: Candidate) -> None:
    scores = subject.drawn(8, _MANY, bits=_ALL_BITS)
    scores[1::2, 2] = scores[3, [0, 4], -1] = np.nan
    if isinstance(subject.test, AllSystems | PairsTogether):
        try:
            subject.results(scores)
        except SignificanceError:
            return
        raise ContractError("scores with NaN have a result; expected an error for a missing score")
    whole = subject.results(scores)
    for i, sample in enumerate(scores):
        present = ~np.isnan(sample)
        if subject.test.samples == "paired":
            present[:] = present.all(axis=1, keepdims=True)
        alone = subject.alone(
            [column[own] for column, own in zip(sample.T, present.T, strict=True)]
        )
        row = {name: values[i : i + 1] for name, values in whole.items()}
        told, sizes = ([int(each[name][0, 0]) for name in ("n", "n_y")] for each in (row, alone))
        require(told == sizes, f"of sample {i} with NaN, n is {told}; expected {sizes}")
        wanted = f"as without the missing scores; {SUMS}"
        require_equal(row, alone, f"of sample {i} with NaN", wanted)


def _pairs_of_systems_are_their_columns(subject: Candidate) -> None:
    test = subject.test
    if not isinstance(test, TwoSamples):
        return
    scores = np.concatenate(subject.drawn(3, _MANY, bits=_ALL_BITS)[:, :-2], axis=1)
    scores[:, 5] = scores[:, 4]
    first, second = np.triu_indices(6, 1)
    for missing in (False, True):
        scores[3, 2] = np.nan if missing else scores[3, 2]
        found = test.over_pairs(scores, first, second, **subject.chosen.given)
        expected = subject.results(np.stack([scores.T[first], scores.T[second]], axis=-1))
        given = "of a pair of columns of a matrix"
        own, wanted = numbers([found], 15), "as of the two samples"
        require_equal(own, expected, given, wanted, 1e-12)
        n, sizes = (each["n"].ravel().tolist() for each in (own, expected))
        require(n == sizes, f"{given} n is {n}; expected {sizes}, {wanted}")


# Checks of what a p value is.


def samples_of_all_kinds(subject: Candidate) -> list[Array]:
    """Return ordinary and tied samples, samples that are apart, and extreme ones."""
    found = [subject.drawn(20, n, bits=bits) for n in (_FEW, 8) for bits in (_EXACT, _TIED)]
    rank = np.arange(1.0, 1 + subject.systems)
    for n in (_FEW, 8):
        powers = np.linspace(0.1, 0.14, n)[:, np.newaxis] ** rank
        constant = np.broadcast_to(rank / 8, powers.shape)
        parallel = constant + np.arange(n)[:, np.newaxis] / 256
        found.append(
            subject.in_domain([powers, powers[:, ::-1], constant, constant[:, ::-1], parallel])
        )
    share = np.tile(subject.rng(8).random((8, subject.systems)), (5, 1, 1))
    share[0, :, 0] = 0.75  # one is constant
    share[1] = share[2] = share[1, :, :1]  # identical, and identical but for one topic
    share[2, 0, 0] = 0.75
    share[3, :, 0] = 0.96875 + np.arange(8) * 2.0**-40  # hardly apart
    share[4, :-1] = 0.75  # constant but for one topic
    return [*found, subject.in_domain(share)]


def _p_is_a_probability_or_has_a_reason(subject: Candidate) -> None:
    for scores in samples_of_all_kinds(subject):
        found = subject.results(scores)
        p, reason = found["p_value"], found["reason"]
        told = np.isnan(p) == (reason != "")
        for i, j in np.argwhere(~(((p >= 0) & (p <= 1)) | np.isnan(p)) | ~told)[:1]:
            raise ContractError(
                f"the p value is {float(p[i, j])!r} and the reason {str(reason[i, j])!r}; expected "
                f"a number from 0 to 1, or NaN with a reason, {of(scores[i])}"
            )


def _smallest_p_is_the_declared_one(subject: Candidate) -> None:
    """No p value is below `least_p`; of as many topics, one of a sample is at most 4 times it."""
    attained = dict[int, list[float]]()
    for samples in samples_of_all_kinds(subject):
        found = subject.results(samples, **subject.neutral)
        p = np.nanmin(found["p_value"], axis=1, initial=1.0)
        sizes = [_sizes(subject, each) for each in samples]
        settings = {**subject.chosen.settings, **subject.neutral}
        least = np.array([subject.test.least_p(each, settings) for each in sizes])
        for i in np.flatnonzero(p < least * (1 - _ROUNDING))[:1]:
            raise ContractError(
                f"the p value is {float(p[i])!r}; expected {float(least[i])!r}, the least_p of "
                f"{sizes[i]}, or more, {of(samples[i])}"
            )
        before = attained.get(samples.shape[1], [1.0, 1.0])
        attained[samples.shape[1]] = np.fmin(before, [p.min(), least.min()]).tolist()
    for topics, (smallest, least_p) in attained.items():
        require(
            least_p == 0 or smallest <= 4 * least_p,
            f"the smallest p value of {topics} topics is {smallest!r}, of samples that are apart "
            f"too; expected {least_p!r}, the least_p, to a factor of 4",
        )


def _sizes(subject: Candidate, sample: Array) -> Sizes:
    if subject.systems != 2:
        return Sizes.of_topics(len(sample), subject.systems)
    x, y = sample.T
    n, m = (int((~np.isnan(each)).sum()) for each in (x, y))
    values = np.concatenate([x[:n], y[:m]])
    if n == m:
        values = np.abs(x - y)[x != y]
    nonzero = len(values) if n == m else min(n, m)
    return Sizes(n, m, nonzero, tied=len(np.unique(values)) < len(values))


def _p_is_monotone_in_the_statistic(subject: Candidate) -> None:
    """Of samples of one size without ties; of random resamples, only of the pairs of a matrix."""
    test = subject.test
    if (test.draws and not subject.of_matrix) or test.shows == "equivalence":
        return  # p depends on the differences, or the statistic is that of one of two tests
    scores = subject.drawn(6 if subject.of_matrix else 60)
    for side, settings in subject.sides.items():
        found = subject.results(scores, **settings)
        t, p, parameter = (found[each] for each in ("statistic", "p_value", "parameter"))
        if not subject.of_matrix:
            same = np.isnan(parameter) | (parameter == parameter[0])
            t, p = t[same][np.newaxis], p[same][np.newaxis]
        for statistic, own in zip(t, p, strict=True):
            order = np.argsort(statistic, kind="stable")
            before, after = own[order][:-1], own[order][1:]
            steps = np.sign(after - before)[np.abs(after - before) > _ROUNDING * after]
            turns = np.flatnonzero(np.diff(steps))
            peak = side in ("", "two-sided") and len(turns) == 1 and steps[0] > 0
            require(
                peak or not len(turns),
                f"the p values{f' of the alternative {side!r}' * bool(side)} are "
                f"{own[order].round(4).tolist()} of the statistics "
                f"{statistic[order].round(4).tolist()}; expected p values that only rise, only "
                "fall, or if two-sided rise and then fall",
            )


# Checks of symmetry.


def _order_of_topics_does_not_matter(subject: Candidate) -> None:
    scores = subject.drawn(8)
    other, together = scores.copy(), subject.test.samples != "unpaired"
    for k in range(subject.systems):  # of independent samples, each has an order of its own
        other[..., k] = scores[:, subject.rng(1, 0 if together else k).permutation(_ORDINARY), k]
    expected, found = (subject.results(each) for each in (scores, other))
    require_p(subject, found, expected, "of topics in another order the", "as before")
    if not subject.test.draws:
        require_equal(found, expected, "of topics in another order", "as before", _ROUNDING)


def _order_of_systems_does_not_matter(subject: Candidate) -> None:
    """The two-sided p value stays; a difference and its interval change their sign."""
    test = subject.test
    if isinstance(test, OneSample) or (isinstance(test, PairsTogether) and test.one_baseline):
        return
    for bits in (_EXACT, _TIED):
        scores = subject.drawn(8, bits=bits)
        other, pairs = scores[..., ::-1], None
        if subject.of_matrix:
            other, pairs = scores, subject.pairs[:, ::-1]
        given = "with x and y exchanged" if subject.systems == 2 else "of systems in another order"
        before = subject.results(scores, **subject.two_sided)
        after = subject.results(other, pairs=pairs, **subject.two_sided)
        require_p(subject, after, before, f"{given} the two-sided", "as before")
        if not test.estimates.startswith("difference"):
            continue
        minus = {**before, "estimate": -before["estimate"]}
        if not test.draws:
            minus |= {"conf_low": -before["conf_high"], "conf_high": -before["conf_low"]}
        for name in ("estimate", "conf_low", "conf_high")[: 1 if test.draws else 3]:
            same = np.isclose(after[name], minus[name], _ROUNDING, 1e-12, equal_nan=True)
            for i, j in np.argwhere(~same)[:1]:
                raise ContractError(
                    f"{given} {name} is {float(after[name][i, j])!r}; expected "
                    f"{float(minus[name][i, j])!r}, as a {test.estimates} changes its sign"
                )
        if "less" in subject.sides:
            less = subject.results(scores, **subject.sides["less"])
            greater = subject.results(other, pairs=pairs, **subject.sides["greater"])
            require_p(subject, greater, less, f"{given} the greater", "that of less before")


def _declared_changes_of_the_scores_do_not_matter(subject: Candidate) -> None:
    """The two-sided p value stays if scores are multiplied, or moved as `shifts` says."""
    test, settings = subject.test, subject.two_sided
    if not test.shifts:
        return
    own = {**subject.chosen.settings, **settings}
    scaled = {name: 0.125 * own[name] for name in test.in_unit or () if name in own}
    for bits in (_EXACT, _TIED):
        scores = subject.drawn(8, bits=bits)
        wanted = {"topics": (8, _ORDINARY, 1), "systems": (8, 1, subject.systems)}
        shift = subject.rng(2).integers(1, 16, wanted.get(test.shifts, (1, 1, 1))) / 4
        moved = dict(settings)
        if isinstance(test, OneSample) and "null_value" in own:
            moved["null_value"] = own["null_value"] + float(shift[0, 0, 0])
        changes: dict[str, tuple[Array, dict[str, Any]]] = {
            "are multiplied by 1/8": (0.125 * scores, {**settings, **scaled}),
            "are multiplied by -1": (-scores, settings),
            f"are moved as shifts={test.shifts!r} says": (scores + shift, moved),
        }
        expected = subject.results(scores, **settings)
        for change, (other, given) in changes.items():
            found = subject.results(other, **given)
            require_p(subject, found, expected, f"if all scores {change}, the", "as before")


def _numbers_in_the_unit_of_the_scores_are_declared(subject: Candidate) -> None:
    """If scores are multiplied by a power of 2, each number is so too, or stays."""
    test, own = subject.test, {**subject.chosen.settings, **subject.neutral}
    if test.in_unit is None or isinstance(own.get("ties_at"), int):
        return  # scores are not scaled, or are rounded to decimals
    scores, given = subject.drawn(8), dict[str, float]()
    for setting in test.in_unit:
        if (number := finite_number(own.get(setting))) is not None:
            given[setting] = number
    found = {
        power: subject.results(
            np.ldexp(scores, power),
            **{**subject.neutral, **{k: float(np.ldexp(v, power)) for k, v in given.items()}},
        )
        for power in (0, *_UNITS)
    }
    for name in QUANTITIES:
        before, near = found[0][name], np.ldexp(found[_UNITS[0]][name], -_UNITS[0])
        in_unit = np.allclose(near, before, _ROUNDING, 1e-12, equal_nan=True)
        for power in _UNITS:
            by = power if in_unit else 0
            back = np.ldexp(found[power][name], -by)
            same = np.isclose(back, before, _ROUNDING, 1e-12, equal_nan=True)
            for i, j in np.argwhere(~same)[:1]:
                raise ContractError(
                    f"of scores times 2^{power} {name} is {float(found[power][name][i, j])!r}; "
                    f"expected {float(np.ldexp(before[i, j], by))!r}, as it is "
                    f"{float(before[i, j])!r} before: in_unit={test.in_unit!r} has to name what "
                    "is in the unit of the scores, and no other number may depend on it"
                )


# Checks of the null value, and of the location.


def _null_value_is_that_of_the_null_hypothesis(subject: Candidate) -> None:
    """Another one changes p; of a shift or a ratio, p is that of scores without it."""
    test, (low, high) = subject.test, subject.within
    scores = subject.drawn(8)
    for name, null in subject.neutral.items():
        if finite_number(null) is None:
            continue
        is_shift = test.estimates == "difference" or name in (test.in_unit or ())
        is_shift |= bool(test.shifts) and test.estimates.startswith("difference")
        moved, instead = None, ""
        value = null + float(np.exp2(np.floor(np.log2((high - low) / 32))))
        one_first = np.arange(subject.systems) == 0
        if isinstance(test, OneSample | TwoSamples) and null == 0 and is_shift:
            moved, instead = scores - value * one_first, f"x - {value:g}"
        elif isinstance(test, TwoSamples) and null == 1 and test.estimates.startswith("ratio"):
            value, divisor = 4.0, 2.0 if "variance" in test.estimates else 4.0
            moved, instead = scores / np.where(one_first, divisor, 1.0), f"x / {divisor:g}"
        for side, settings in subject.sides.items():
            told = f" of the alternative {side!r}" * bool(side)
            settings |= {"B": _RESAMPLES} if test.draws else {}
            found = subject.results(scores, **{**settings, name: value})
            before = subject.results(scores, **settings)["p_value"]
            require(
                not np.array_equal(found["p_value"], before, equal_nan=True),
                f"the p values{told} with {name}={value:g} are those with {name}={null:g}; "
                f"expected others: {name} has no effect",
            )
            if moved is not None:
                expected = subject.results(moved, **settings)
                given = f"with {name}={value:g}{' and' * bool(told)}{told.removeprefix(' of')} the"
                wanted = f"that with {name}={null:g} of {instead} for x"
                require_p(subject, found, expected, given, wanted)


def _location_is_what_the_test_compares(subject: Candidate) -> None:
    """It is a number of each sample, whose difference is the estimate where that is one."""
    test, locations = subject.test, subject.chosen.locations
    if test.location is None:
        return
    scores = subject.drawn(8, _MANY, bits=_ALL_BITS)[:, :-2]
    whole = np.concatenate([*scores], axis=1)
    found = locations(whole)
    assert found is not None  # the test has one
    given = f"the location {test.location.__name__}"
    for missing in (0, 2):
        columns = whole.copy()
        columns[:missing] = np.nan
        for i, together in enumerate(locations(columns)):  # type: ignore[arg-type]
            (alone,) = locations(whole[missing:, [i]])  # type: ignore[misc]
            require(
                bool(together == alone),
                f"{given} of system {i} of {whole.shape[1]} is {float(together)!r}; expected "
                f"{float(alone)!r}, as of that system alone; {SUMS}",
            )
    estimate = subject.results(scores)["estimate"]
    if not test.estimates.startswith("difference") or np.isnan(estimate).all():
        return
    first, second = (subject.pairs if subject.of_matrix else np.array([[0, 1]])).T
    of_systems = found.reshape(len(scores), -1)
    expected = of_systems[:, first] - of_systems[:, second]
    same = np.isclose(estimate, expected, _ROUNDING, 1e-12, equal_nan=True)
    for k, j in np.argwhere(~same)[:1]:
        raise ContractError(
            f"the estimate is {float(estimate[k, j])!r}; expected {float(expected[k, j])!r}, the "
            f"difference of {given} of x and of y, as the test estimates a {test.estimates}"
        )


# Checks of alternatives and intervals.


def _one_sided_p_values_are_of_the_declared_side(subject: Candidate) -> None:
    scores = subject.drawn(40)
    estimate = subject.results(scores, **subject.two_sided)["estimate"].ravel()
    if "less" not in subject.sides or np.isnan(estimate).any():
        return
    low, high = int(estimate.argmin()), int(estimate.argmax())
    for side, small, large in (("less", low, high), ("greater", high, low)):
        p = subject.results(scores, **subject.sides[side])["p_value"].ravel()
        require(
            p[small] < p[large],
            f"the alternative {side!r} has the p value {float(p[small])!r} where the estimate is "
            f"{float(estimate[small]):.4g}, and {float(p[large])!r} where it is "
            f"{float(estimate[large]):.4g}; expected the larger one there: it is of the wrong side",
        )


def _one_sided_and_two_sided_p_values_agree(subject: Candidate) -> None:
    if "less" not in subject.sides:
        return
    for bits in (_EXACT, _TIED):
        scores = subject.drawn(40, bits=bits)
        found = [
            subject.results(scores, pairs=subject.pairs[:1], **settings)
            for settings in subject.sides.values()
        ]
        both, less, greater = (each["p_value"] for each in found)
        one_statistic = np.array_equal(found[1]["statistic"], found[2]["statistic"], equal_nan=True)
        slack = 0.1 if subject.test.draws else 1e-6
        wrong = both < np.fmin(less, greater) * (1 - slack)
        wrong |= np.array(one_statistic) & (less + greater < 1 - slack)
        for i, j in np.argwhere(wrong)[:1]:
            p = ", ".join(f"{float(each[i, j])!r}" for each in (both, less, greater))
            raise ContractError(
                f"the p values of 'two-sided', 'less' and 'greater' are {p}; expected a two-sided "
                "one that is not below both others, and others whose sum is 1 or more, as each "
                f"counts what is as extreme as the sample, {of(scores[i])}"
            )
        # Of resamples, which need not be symmetric, the two-sided p value may be of |t|.
        if one_statistic and not subject.test.draws:
            for i, j in np.argwhere(both > 2 * np.fmin(less, greater) * (1 + slack))[:1]:
                raise ContractError(
                    f"the two-sided p value is {float(both[i, j])!r}; expected at most twice the "
                    f"smaller one of 'less' and 'greater', {float(less[i, j])!r} and "
                    f"{float(greater[i, j])!r}, which are of the same statistic, {of(scores[i])}"
                )


def _interval_and_p_value_agree(subject: Candidate) -> None:
    """The null value is outside of the interval if, and only if, p < 1 - conf_level."""
    test, settings = subject.test, subject.chosen.settings
    if "conf_level" not in settings or test.shows == "equivalence":
        return
    more: dict[str, Any] = {"conf_int": True} if "conf_int" in settings else {}
    more |= {"B": _RESAMPLES} if test.draws else {}
    null = 0.5 if test.estimates == SIGNS else subject.neutral.get("null_value", 0.0)
    scores = subject.drawn(20 if subject.of_matrix else 100)
    for side, own in subject.sides.items():
        for level in (0.95, 0.8):
            found = subject.results(scores, **own, **more, conf_level=level)
            low, high, p = (found[name] for name in ("conf_low", "conf_high", "p_value"))
            outside, alpha = (null < low) | (null > high), 1 - level
            chance = _ERRORS * np.sqrt(alpha * level / _RESAMPLES) if test.draws else 0.0
            # Of resamples, the two-sided p value may be of |t|, and the interval of both tails.
            apart = _APART**4 if test.draws and side == "two-sided" else _APART
            wrong = np.where(outside, p > alpha * apart + chance, p < alpha / apart - chance)
            for i, j in np.argwhere(wrong & ~np.isnan(low + high))[:1]:
                told = f" of the alternative {side!r}" * bool(side)
                where = "does not hold" if outside[i, j] else "holds"
                raise ContractError(
                    f"the interval{told} with conf_level={level} is from {float(low[i, j])!r} to "
                    f"{float(high[i, j])!r} and {where} {null:g}, where the p value is "
                    f"{float(p[i, j])!r}; expected it to hold {null:g} if p is above {alpha:.3g}, "
                    f"and not otherwise: they are of two levels, {of(scores[i])}"
                )


# The check of the distribution of p under the null hypothesis, by simulation.


def _p_is_uniform_under_the_null_hypothesis(subject: Candidate) -> None:
    """Of each alternative: not too small, and only as large as few outcomes explain."""
    stated, most_topics = subject.test.level.untied, _MANY if subject.test.draws else _ORDINARY
    for side, topics in itertools.product(subject.sides, (_FEW, most_topics)):
        p, errors = _under_null(subject, topics, side)
        known = max((n for n in stated if n <= topics), default=None)
        told = f"p{f' of the alternative {side!r}' * bool(side)} is "
        trials = f"{len(p):,} simulated samples of {topics} topics under the null hypothesis"
        other = ", or the scores of `under_null` are not at the edge of the null hypothesis"
        if subject.under_null is None:
            other = (
                ", or the null hypothesis is not that of equal systems, and `under_null` has to "
                "draw scores under it"
            )
        for level in _LEVELS if known is None else (NOMINAL,):
            expected = level if known is None else stated[known]
            most = expected + _ERRORS * np.sqrt(expected * (1 - expected) * errors)
            rate = float((p <= level).mean())
            require(
                rate <= most,
                f"{told}{level} or less in {100 * rate:.2f} % of {trials}; expected "
                f"{100 * expected:g} %, and by chance at most {100 * most:.2f} %: p is too small"
                f"{other}",
            )
        sizes = _sizes(subject, subject.drawn(1, topics)[0])
        settings = {**subject.chosen.settings, **subject.sides[side]}
        least_p = subject.test.least_p(sizes, settings)
        require(
            topics < most_topics or least_p > NOMINAL or bool((p <= NOMINAL).any()),
            f"{told}never {NOMINAL} or less in {trials}; expected about {100 * NOMINAL:g} % of "
            f"them, or a least_p above {NOMINAL}: p is too large{other}",
        )
        for level, shares in _LEAST.items():
            # If p is exact, the proportion is the largest p value that is possible up to the level.
            possible = float(p[p <= level].max(initial=0.0))
            expected = possible * shares[isinstance(subject.test, Simultaneous)]
            least = expected - _ERRORS * np.sqrt(expected * (1 - expected) * errors)
            rate = float((p <= level).mean())
            require(
                rate >= least,
                f"{told}{level} or less in {100 * rate:.2f} % of {trials}; expected about "
                f"{100 * possible:.4g} %, the largest such p value, and at least "
                f"{100 * least:.2f} %: p is too large{other}",
            )


def _under_null(subject: Candidate, topics: int, side: str) -> tuple[Array, float]:
    """Return simulated p values, and the variance of a proportion of them in that of one trial."""
    draws = subject.test.draws
    usual = _LESS if draws or topics > _FEW else _TRIALS
    trials = subject.trials or (_MATRICES if subject.of_matrix else usual)
    settings: dict[str, Any] = {"alternative": side} if side else {}
    if (draw := subject.under_null) is None:
        draw, settings = subject.equal, subject.sides[side]
    scores = draw(subject.rng(3, topics), (trials, topics, subject.systems))
    step = min(trials, _AT_A_SEED if not subject.of_matrix else 1) if draws else trials
    parts = []
    for i in range(0, trials, step):
        settings |= {"seed": i} if draws else {}
        parts.append(subject.results(scores[i : i + step], **settings)["p_value"])
    p = np.concatenate(parts)
    # The smallest p value of a family holds for it; the trials at a seed share their resamples.
    own = p.min(axis=1) if isinstance(subject.test, Simultaneous) else p[:, 0]
    return own, (1 + (step / subject.chosen.settings["B"] if draws else 0)) / trials


#: All checks of Python, in the order in which they run.
CHECKS = checks_of(globals(), "Candidate")


# The check of the twin.


def as_computed_in_r(subject: Candidate) -> None:
    """Every number agrees with that of the R twin, of ordinary, tied and extreme samples."""
    *_, extreme = samples_of_all_kinds(subject)
    cases = {
        "random scores": subject.drawn(3),
        "few scores": subject.drawn(3, _FEW),
        "tied scores": subject.drawn(3, bits=_TIED),
        "extreme scores": extreme,
    }
    if subject.test.in_unit is not None:
        cases["very large scores"] = np.ldexp(subject.drawn(3), 600)
    for kind, scores in cases.items():
        each_alone = isinstance(subject.test, AllSystems | PairsTogether)
        several = scores if kind == "extreme scores" else scores[: 1 if each_alone else 2]
        for matrix in several if each_alone else [np.concatenate([*several], axis=1)]:
            for side in subject.sides if kind == "random scores" else ("",):
                _require_as_in_r(subject, matrix, {"alternative": side} if side else {}, kind)


def _require_as_in_r(
    subject: Candidate, matrix: Array, settings: dict[str, Any], kind: str
) -> None:
    import pandas as pd

    frame = pd.DataFrame(matrix).rename("t{}".format, axis=0).rename("s{}".format, axis=1)
    chosen = subject.test.chosen({**subject.chosen.given, **settings})
    baselines = (
        ["s0"] if isinstance(subject.test, PairsTogether) and subject.test.one_baseline else []
    )
    with warnings.catch_warnings(action="ignore"):  # that systems are constant or the same
        scores = Standardizer("raw", missing="omit").standardize(frame)
        report = verify(Tested.of(scores, chosen, baselines, "none", "", NOMINAL))
    for row in report[~report["agrees"]].itertuples():
        raise ContractError(
            f"{kind}: {row.quantity} of {row.system} is {row.python!r} and in R {row.r!r}, "
            f"{row.max_ulp:.3g} ulp apart; expected at most {row.allowed_ulp:g} ({row.reason}), of "
            f"{frame.to_dict('list')}"
        )
