"""Goals for the number of topics of a collection, such as the power of a test."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from scipy import special

from cdfscore.common.catalogue import Catalogue, stem_of
from cdfscore.common.cautions import each_once, warn_of
from cdfscore.common.text import each_in_units, in_units, written
from cdfscore.errors import ModelError
from cdfscore.models.formula import Parts, doubly_centred
from cdfscore.models.generalizability import REACHED, GStudy, d_study, study_of
from cdfscore.scores.dataframes import IntoFrame, both_as_pandas
from cdfscore.showing import Shown
from cdfscore.standardization.standardized import ExtraTopics, Standardized
from cdfscore.standardization.standardizer import How, name_of, standardize
from cdfscore.stats.numerics.numbers import MOST_RESAMPLES, finite_number, shown, whole_number_from
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.power.power_t import power_t
from cdfscore.stats.schemes.base import scheme_label

__all__ = [
    "Dependability",
    "Generalizability",
    "Goal",
    "Interval",
    "OneWay",
    "PairedT",
    "TwoWay",
]

# --- Variances estimated from pilot data: of scores, of residuals, and of differences ---

# Sizes of the largest score: the squares of others are near the smallest or the largest double.
_SMALLEST, _LARGEST = 1e-120, 1e120


@dataclass(frozen=True, eq=False)
class Pilot:
    """Score matrices (topics, systems) of pilot data, and the variances estimated from them.

    For n topics and m systems:

    - `scores` is the variance of the scores of a system, V_E1 of a one-way analysis of variance:
      sum_ts (x_ts - mean_s)^2 / (m (n - 1)).
    - `residual` is the residual variance of topics and systems, V_E2 of a two-way one:
      sum_ts (x_ts - mean_t - mean_s + mean)^2 / ((m - 1) (n - 1)).
    - `differences` is the mean, over all pairs of systems, of the variance of the differences of
      their scores; it is 2 `residual`. `of_pairs` has the variance of each pair.

    Of several matrices each variance is pooled: sum_c (n_c - 1) var_c / sum_c (n_c - 1).

    Source: Sakai (2016), Topic set size design, Information Retrieval Journal 19, for V_E1 and
    pooling; Sakai (2014), EVIA, for two-way analysis of variance. For pairs he uses 2 V_E1, which
    is larger, because it also contains the variance between topics, which cancels in differences of
    pairs.

    Examples
    --------
    >>> pilot = Pilot.of([np.array([[0.1, 0.3], [0.2, 0.6], [0.6, 0.7]])])
    >>> round(pilot.scores, 4), round(pilot.residual, 4), round(pilot.differences, 4)
    (0.0567, 0.0117, 0.0233)
    """

    matrices: tuple[Array, ...]
    scores: float
    residual: float
    differences: float
    of_pairs: Array

    @classmethod
    def of(cls, matrices: Sequence[Array]) -> Pilot:
        """Estimate the variances.

        Raises `ModelError` for fewer than two topics or systems, for missing and infinite scores,
        for scores whose squares are near the ends of the doubles, and for differences between
        systems that are the same on all topics.
        """
        for place, values in enumerate(matrices):
            _check(values, "the pilot" if len(matrices) == 1 else f"pilot {place + 1}")
        weights = np.array([len(values) - 1 for values in matrices])
        weights = weights / weights.sum()
        scores = [float(np.var(values - values[:1], axis=0, ddof=1).mean()) for values in matrices]
        left = [doubly_centred(values) for values in matrices]
        residuals = [
            float(np.vdot(own, own)) / ((len(own) - 1) * (own.shape[1] - 1)) for own in left
        ]
        residual = float(weights @ residuals)
        of_pairs = []
        for covariance in (np.cov(own, rowvar=False) for own in left):
            i, j = np.triu_indices(len(covariance), 1)
            own = covariance.diagonal()
            of_pairs.append(np.maximum(own[i] + own[j] - 2 * covariance[i, j], 0.0))
        return cls(
            tuple(matrices),
            float(weights @ scores),
            residual,
            2 * residual,
            np.concatenate(of_pairs),
        )

    @cached_property
    def study(self) -> GStudy:
        """The components of variance of the only matrix."""
        return study_of(self.matrices[0], [])

    @property
    def systems(self) -> int | None:
        """The number of systems, None if it differs between matrices."""
        found = {values.shape[1] for values in self.matrices}
        return found.pop() if len(found) == 1 else None

    @property
    def told(self) -> str:
        """The sizes, for a sentence."""
        sizes = [f"{values.shape[1]} systems, {len(values)} topics" for values in self.matrices]
        return sizes[0] if len(sizes) == 1 else f"{len(sizes)} pilots: {'; '.join(sizes)}"

    def centred(self, *, within_topics: bool) -> Array:
        """Return the scores of the only matrix without the mean of each system.

        Within topics, they are also without the score of the first system, which no difference of
        two systems has. They are multiplied by sqrt(n / (n - 1)), so that their variance with the
        divisor n equals the estimated variance, with the divisor n - 1.
        """
        (values,) = self.matrices
        n = len(values)
        if within_topics:
            values = values - values[:, :1]
        values = values - values[:1]
        return np.asarray((values - values.mean(axis=0)) * np.sqrt(n / (n - 1)))


def _check(values: Array, name: str) -> None:
    topics, systems = values.shape
    if topics < 2 or systems < 2:
        raise ModelError(
            f"{name} has {systems} systems on {topics} topics; expected at least two of each, to "
            "estimate a variance"
        )
    missing = int(np.isnan(values).sum())
    if missing:
        raise ModelError(
            f"{name} lacks {missing} of {values.size} scores; expected a score of every system on "
            "every topic, for example by missing='zero' or 'drop_topic'"
        )
    if np.isinf(values).any():
        raise ModelError(
            f"{name} has infinite scores; expected finite scores, for example by another policy "
            "for constant topics"
        )
    largest = float(np.abs(values).max())
    if largest and not _SMALLEST <= largest <= _LARGEST:
        raise ModelError(
            f"{name} has scores of a size up to {largest:g}, whose squares are near the ends of "
            f"the doubles; expected a unit in which it is from {_SMALLEST:g} to {_LARGEST:g}"
        )
    parts = Parts.of(values)
    residuals = doubly_centred(np.ldexp(values, -parts.exponent))
    if np.vdot(residuals, residuals) <= parts.rounding:
        raise ModelError(
            f"{name} has the same differences between systems on all topics, so they have no "
            "variance; expected scores that differ between topics and systems"
        )


# --- What all goals have in common, and the smallest number of topics for one ---

#: The largest number of topics that is considered.
MOST = 10_000_000
#: The quantile of the variances of pairs that the note gives beside their mean.
_OF_PAIRS = 0.95
# Settings are above 0 and below these.
_BELOW = {"difference": math.inf, "width": math.inf, "power": 1, "alpha": 1, "reliability": 1}


@dataclass(frozen=True)
class Goal(ABC):
    """Base class of goals: a value of a `quantity`, such as a power, that topics must reach.

    Goals are frozen dataclasses of settings. In units of the scores, and above 0, are the true
    `difference` of two means, which is the range of all means in `OneWay` and `TwoWay`, and the
    expected `width` of an interval. Between 0 and 1 are the `power` and the `reliability` to reach,
    and `alpha`, the level of the test or 1 minus the confidence. `systems`, 2 or more, is the
    number of systems; that of the pilot if not given. Another value raises `ModelError`.

    `fewest` is the smallest number of topics for which the quantity is defined, and `example` is a
    value of the first setting.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.models.goals import Interval, OneWay, PairedT, TwoWay, plan
    >>> pilot = datasets.load_cranfield("ap").iloc[:, :12]
    >>> goals = [Interval(width=0.05), PairedT(difference=0.05), OneWay(difference=0.1)]
    >>> [plan(pilot, goal).topics for goal in [*goals, TwoWay(difference=0.1)]]
    [58, 31, 255, 17]
    >>> [plan(pilot, goal(reliability=0.9)).topics for goal in (Generalizability, Dependability)]
    [151, 2503]
    """

    quantity: ClassVar[str]
    fewest: ClassVar[int] = 2
    example: ClassVar[str] = "0.05"
    #: The setting that is in units of the scores, in words.
    on_the_scale: ClassVar[str] = "the difference"
    #: Changes of the goal that need fewer topics.
    easier: ClassVar[str] = "a larger difference, or less power"
    #: Whether the quantity can be estimated by resampling.
    can_be_checked: ClassVar[bool] = True
    #: Whether `resampled` compares systems within topics only.
    within_topics: ClassVar[bool] = False
    #: The variances that the quantity depends on, by their names in `Pilot`.
    rests_on: ClassVar[tuple[str, ...]] = ("differences",)
    #: Tolerance of the quantity against R's, which goals.R computes.
    tolerance: ClassVar[Tolerance] = Tolerance(
        450_000, "Python and R use two algorithms; 1e-10 of the number"
    )

    @property
    def name(self) -> str:
        """The name of the goal on the command line."""
        return stem_of(type(self).__name__)

    def variances(self, pilot: Pilot) -> dict[str, float]:
        """Return the variances that the quantity depends on, by name."""
        return {name: float(getattr(pilot, name)) for name in self.rests_on}

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if name == "systems" and value is not None:
                whole_number_from(name, value, 2, None, ModelError)
            number, below = finite_number(value), _BELOW.get(name)
            if below is not None and (number is None or not 0 < number < below):
                expected = "number between 0 and 1" if below == 1 else "finite number above 0"
                given = f"{name}={shown(value)}"
                raise ModelError(f"{self.name}: {given} is not accepted; expected a {expected}")

    @property
    def wanted(self) -> float:
        """The value of the quantity that is to be reached: the setting of its name."""
        wanted: float = getattr(self, self.quantity)
        return wanted

    @abstractmethod
    def at(self, topics: int, pilot: Pilot) -> float:
        """Return the quantity of a collection with this number of topics."""

    def curve(self, topics: Sequence[int], pilot: Pilot) -> list[float]:
        """Return the quantity of collections with each of some numbers of topics."""
        return [self.at(n, pilot) for n in topics]

    @abstractmethod
    def sentence(self, topics: int, pilot: Pilot) -> str:
        """Return the result in one sentence, with its assumptions."""

    def reached(self, value: float) -> bool:
        """Return whether a value of the quantity reaches the goal."""
        return value >= self.wanted * REACHED

    def refusal(self, pilot: Pilot) -> str | None:
        """Return why a pilot cannot be used for this goal; None if it can."""
        return None

    def notes(self, topics: int, pilot: Pilot) -> list[str]:
        """Return notes that a reader of the sentence needs."""
        return []

    def topics(self, pilot: Pilot) -> int:
        """Return the smallest number of topics that reaches the goal, by bisection.

        Raises `ModelError` if none up to `MOST` does.
        """
        return self.found(smallest(lambda n: self.reached(self.at(n, pilot)), self.fewest))

    def found(self, topics: float | None) -> int:
        """Return a number of topics; raises `ModelError` for None, and above `MOST`."""
        if topics is None or topics > MOST:
            raise ModelError(
                f"{self.name}: a {self.quantity} of {written(self.wanted)} needs more than "
                f"{MOST:,} topics; expected {self.easier}"
            )
        return int(topics)

    def resampling_refusal(self, pilot: Pilot) -> str | None:
        """Return why `resampled` is not defined for this goal and pilot; None if it is."""
        if len(pilot.matrices) == 1:
            return None
        return f"a check needs one pilot, and there are {len(pilot.matrices)}"

    def resampled(self, centred: Array, topics: int, rng: np.random.Generator) -> float:
        """Return the quantity in one resample: 1 if a difference is found, or a width.

        `centred` are the scores of the pilot (topics, systems) with equal means, and the
        variances that `Pilot` estimates.
        """
        raise NotImplementedError


def smallest(enough: Callable[[int], bool], fewest: int) -> int | None:
    """Return the smallest number up to `MOST` that is enough, as all larger ones are, or None."""
    low, high = fewest - 1, fewest
    while not enough(high):
        if high == MOST:
            return None
        low, high = high, min(2 * high, MOST)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


class OfPairs(Goal):
    """Goal for the difference of two systems, with the mean variance of all pairs of the pilot."""

    within_topics: ClassVar[bool] = True

    def notes(self, topics: int, pilot: Pilot) -> list[str]:
        """Say how far the variances of pairs are from their mean."""
        pairs = len(pilot.of_pairs)
        high = float(np.quantile(pilot.of_pairs, _OF_PAIRS))
        if pairs == 1 or high <= pilot.differences:
            return []
        with_high = replace(pilot, differences=high)
        more = smallest(lambda n: self.reached(self.at(n, with_high)), self.fewest)
        needed = f"more than {MOST:,}" if more is None else f"{more:,}"
        return [
            f"the variance of the differences is the mean over {pairs:,} pairs, whose variances "
            f"are from {pilot.of_pairs.min():.3g} to {pilot.of_pairs.max():.3g}; for "
            f"{100 * _OF_PAIRS:g} % of the pairs it is at most {high:.3g}, which needs {needed} "
            f"topics instead of {topics:,}"
        ]


def differences(centred: Array, topics: int, rng: np.random.Generator) -> Array:
    """Return the differences of two systems drawn at random, on topics drawn with replacement."""
    systems = centred.shape[1]
    i = int(rng.integers(systems))
    j = (i + 1 + int(rng.integers(systems - 1))) % systems
    rows = rng.integers(len(centred), size=topics)
    return np.asarray(centred[rows, i] - centred[rows, j])


@dataclass(frozen=True)
class Interval(OfPairs):
    """Goal: the confidence interval of a difference of two means has at most this expected width.

    E(width) = 2 q E(s) / sqrt(n). q is the upper alpha / 2 quantile of Student's t with n - 1
    degrees of freedom, s the standard deviation of n differences, and

        E(s) = sigma_d sqrt(2 / (n - 1)) Gamma(n / 2) / Gamma((n - 1) / 2)

    for normal differences with variance sigma_d^2, `Pilot.differences`. The confidence is
    1 - alpha.

    Source: Sakai (2016), Topic set size design, after Nagata (2003).

    Settings and errors are those of `Goal`.
    """

    quantity: ClassVar[str] = "width"
    example: ClassVar[str] = "0.1"
    on_the_scale: ClassVar[str] = "the width"
    easier: ClassVar[str] = "a larger width, or a larger alpha"

    width: float
    alpha: float = 0.05

    def reached(self, value: float) -> bool:
        return value * REACHED <= self.width

    def at(self, topics: int, pilot: Pilot) -> float:
        df = topics - 1
        # poch(x, 1/2) is Gamma(x + 1/2) / Gamma(x), and keeps digits where the two overflow.
        expected = math.sqrt(2 * pilot.differences / df) * float(special.poch(df / 2, 0.5))
        return -2 * float(special.stdtrit(df, self.alpha / 2)) * expected / math.sqrt(topics)

    def sentence(self, topics: int, pilot: Pilot) -> str:
        return (
            f"With {topics:,} topics the {100 * (1 - self.alpha):.12g} % confidence interval of a "
            f"difference has an expected width of {written(self.width)} or less, if differences "
            f"are normal and have the variance of the pilot, {pilot.differences:.3g}"
        )

    def resampled(self, centred: Array, topics: int, rng: np.random.Generator) -> float:
        """Return the width of the interval of two systems drawn at random."""
        s = float(differences(centred, topics, rng).std(ddof=1))
        return -2 * float(special.stdtrit(topics - 1, self.alpha / 2)) * s / math.sqrt(topics)


@dataclass(frozen=True)
class PairedT(OfPairs):
    """Goal: the two-sided paired t test detects a true difference of two means with this power.

    ``power = P(|T| > q)``. T has the noncentral t distribution with n - 1 degrees of freedom and
    noncentrality sqrt(n) difference / sigma_d. q is the upper alpha / 2 quantile of Student's t,
    and sigma_d^2 is the variance of the differences, `Pilot.differences`.

    Source: Sakai (2016), Topic set size design, after Nagata (2003), who approximates; here the
    distribution is exact (`power_t`). R: ``power.t.test(type = "paired", strict = TRUE)``.

    Settings and errors are those of `Goal`.
    """

    quantity: ClassVar[str] = "power"

    difference: float
    power: float = 0.8
    alpha: float = 0.05

    def at(self, topics: int, pilot: Pilot) -> float:
        sd = math.sqrt(pilot.differences)
        found = power_t(topics, self.difference, sd, self.alpha, type="paired", strict=True)
        return found.power

    def sentence(self, topics: int, pilot: Pilot) -> str:
        return (
            f"With {topics:,} topics the paired t test detects a difference of "
            f"{written(self.difference)} with power {written(self.power)} at alpha "
            f"{written(self.alpha)}, if differences are normal and have the variance of the "
            f"pilot, {pilot.differences:.3g}"
        )

    def resampled(self, centred: Array, topics: int, rng: np.random.Generator) -> float:
        """Return 1 if the test finds the difference, put between two systems drawn at random."""
        found = differences(centred, topics, rng) + self.difference
        least = -special.stdtrit(topics - 1, self.alpha / 2) / math.sqrt(topics)
        return float(abs(found.mean()) > least * found.std(ddof=1))


@dataclass(frozen=True)
class OfAnova(Goal):
    """The F test of m systems detects a range of their true means, the hardest to detect."""

    quantity: ClassVar[str] = "power"
    #: The name of the F test in a sentence, and the variable that has the variance.
    test: ClassVar[str]
    variable: ClassVar[str]
    tolerance: ClassVar[Tolerance] = Tolerance.absolute(
        2e-9, "the noncentral F distribution of R has an error of up to 1e-9"
    )

    difference: float
    systems: int | None = None
    power: float = 0.8
    alpha: float = 0.05

    def df(self, topics: int, systems: int) -> int:
        """Return the degrees of freedom of the error."""
        return (systems - self.within_topics) * (topics - 1)

    def refusal(self, pilot: Pilot) -> str | None:
        """Return the refusal of pilots with different numbers of systems, if none is given."""
        if self.systems is not None or pilot.systems is not None:
            return None
        return (
            f"{self.name}: the pilots have different numbers of systems; expected the number of "
            "systems, in the setting systems"
        )

    def at(self, topics: int, pilot: Pilot) -> float:
        systems, (variance,) = self._systems(pilot), self.variances(pilot).values()
        df1, df2 = systems - 1, self.df(topics, systems)
        noncentrality = topics * np.square(self.difference) / (2 * variance)
        return 1 - float(special.ncfdtr(df1, df2, noncentrality, self._critical(df1, df2)))

    def sentence(self, topics: int, pilot: Pilot) -> str:
        (variance,) = self.variances(pilot).values()
        return (
            f"With {topics:,} topics {self.test} analysis of variance of {self._systems(pilot)} "
            f"systems detects a range of means of {written(self.difference)} with power "
            f"{written(self.power)} at alpha {written(self.alpha)}, if {self.variable} are normal "
            f"and have the variance of the pilot, {variance:.3g}"
        )

    def resampling_refusal(self, pilot: Pilot) -> str | None:
        """Return the refusal of a pilot with fewer systems than the goal."""
        if len(pilot.matrices) > 1 or self.systems is None or self.systems <= (pilot.systems or 0):
            return super().resampling_refusal(pilot)
        return (
            f"{self.name}: {self.systems} systems cannot be drawn from the {pilot.systems} of the "
            "pilot; expected as many or fewer"
        )

    def resampled(self, centred: Array, topics: int, rng: np.random.Generator) -> float:
        """Return 1 if F is significant, with two systems drawn at random as ends of the range."""
        systems = self.systems or centred.shape[1]
        scores = centred[:, rng.permutation(centred.shape[1])[:systems]]
        if self.within_topics:  # all systems on the same topics
            found = scores[rng.integers(len(scores), size=topics)]
        else:
            rows = rng.integers(len(scores), size=(topics, systems))
            found = np.take_along_axis(scores, rows, axis=0)
        found[:, 0] += self.difference
        found[:, 1:] += self.difference / 2
        found[:, 1] -= self.difference / 2
        means = found.mean(axis=0)
        between = means - means.mean()
        left = found - means
        if self.within_topics:
            left = found - found.mean(axis=1, keepdims=True) - between
        df1, df2 = systems - 1, self.df(topics, systems)
        f = topics * float(between @ between) / df1
        return float(f > self._critical(df1, df2) * float(np.vdot(left, left)) / df2)

    def _critical(self, df1: int, df2: int) -> float:
        """Return the upper point alpha of F, by the lower point of 1 / F: it keeps its digits."""
        return 1 / float(special.fdtri(df2, df1, self.alpha))

    def _systems(self, pilot: Pilot) -> int:
        found = self.systems or pilot.systems
        assert found is not None  # as `refusal` has made sure
        return found


@dataclass(frozen=True)
class OneWay(OfAnova):
    """Goal: the F test of m systems, each on n own topics, detects a range of true means.

    power = P(F' > q). F' has the noncentral F distribution with m - 1 and m (n - 1) degrees of
    freedom and noncentrality n difference^2 / (2 sigma^2). This is the case that is hardest to
    detect: two systems at the ends of the range, and the others in the middle. sigma^2 is the
    variance of the scores of a system, `Pilot.scores`, and m is the number of systems.

    If the systems share the topics, this test does not use that they share their difficulty: it
    needs more topics than `TwoWay`. Sakai uses it for systems on different topics.

    Source: Sakai (2016), Topic set size design, after Nagata (2003), who approximates; here the
    distribution is exact. R: ``power.anova.test(groups = m, within.var = sigma^2,
    between.var = difference^2 / (2 (m - 1)))``.

    Settings and errors are those of `Goal`.
    """

    test: ClassVar[str] = "one-way"
    variable: ClassVar[str] = "scores of a system"
    rests_on: ClassVar[tuple[str, ...]] = ("scores",)


@dataclass(frozen=True)
class TwoWay(OfAnova):
    """Goal: the F test of m systems on the same n topics detects a range of true means.

    The power is that of `OneWay` with (m - 1) (n - 1) degrees of freedom of the error, and sigma^2
    the residual variance of topics and systems, `Pilot.residual`. The test is
    `cdfscore.stats.significance.anova_two_way`.

    F has this distribution if the differences of all pairs of systems have the same variance. This
    does not hold if some systems are variants of one another; a check by resampling then shows less
    power.

    Source: the F test of randomized blocks, with the means of `OneWay`; Sakai (2014), Topic set
    size design with variance estimates from two-way ANOVA, EVIA.

    Settings and errors are those of `Goal`.
    """

    test: ClassVar[str] = "two-way"
    within_topics: ClassVar[bool] = True
    variable: ClassVar[str] = "residuals of topics and systems"
    rests_on: ClassVar[tuple[str, ...]] = ("residual",)


@dataclass(frozen=True)
class Reliability(Goal):
    """The means of systems have this reliability, a coefficient of `d_study`."""

    quantity: ClassVar[str] = "reliability"
    fewest: ClassVar[int] = 1
    example: ClassVar[str] = "0.95"
    on_the_scale: ClassVar[str] = ""
    easier: ClassVar[str] = "a lower reliability, or a pilot whose systems differ more"
    can_be_checked: ClassVar[bool] = False
    #: Column of the results of `d_study`, and what has this reliability.
    kind: ClassVar[str]
    what: ClassVar[str]

    reliability: float

    def refusal(self, pilot: Pilot) -> str | None:
        if len(pilot.matrices) == 1:
            return None
        return (
            f"{self.name} needs one pilot, and there are {len(pilot.matrices)}; expected one pilot"
        )

    def variances(self, pilot: Pilot) -> dict[str, float]:
        found = pilot.study.components["variance"].tolist()
        return dict(zip(("systems", "topics", "residual"), found, strict=True))

    def notes(self, topics: int, pilot: Pilot) -> list[str]:
        return list(pilot.study.notes)

    def at(self, topics: int, pilot: Pilot) -> float:
        return self.curve([topics], pilot)[0]

    def curve(self, topics: Sequence[int], pilot: Pilot) -> list[float]:
        return list(d_study(pilot.study, topics).reliability[self.kind])

    def topics(self, pilot: Pilot) -> int:
        """Return the smallest number of topics; raises `ModelError` if none is enough."""
        needed = d_study(pilot.study, reliabilities=[self.reliability]).topics_needed
        found = float(needed[self.kind].iloc[0])
        if math.isinf(found):
            raise ModelError(
                f"{self.name}: no number of topics reaches a reliability of "
                f"{written(self.reliability)}, because the estimated variance of "
                "systems is 0, and with it the reliability of means over any number of topics; "
                "expected a pilot whose systems differ more"
            )
        return self.found(found)

    def sentence(self, topics: int, pilot: Pilot) -> str:
        needed = d_study(pilot.study, reliabilities=[self.reliability]).topics_needed.iloc[0]
        low, high = needed[f"{self.kind}_low"], needed[f"{self.kind}_high"]
        ends = f"{low:,.0f} or more" if math.isinf(high) else f"{low:,.0f} to {high:,.0f}"
        return (
            f"With {topics:,} topics (95 % interval {ends}) {self.what} has a "
            f"reliability of {written(self.reliability)}, if systems and topics are samples of the "
            "same populations as the pilot"
        )


@dataclass(frozen=True)
class Generalizability(Reliability):
    """Goal: the generalizability coefficient, E rho^2, the reliability of the order of systems.

    E rho^2 = var_system / (var_system + var_residual / n); see `cdfscore.models.d_study`.

    Settings and errors are those of `Goal`.
    """

    kind: ClassVar[str] = "relative"
    what: ClassVar[str] = "the order of the systems"


@dataclass(frozen=True)
class Dependability(Reliability):
    """Goal: the index of dependability, Phi, the reliability of the mean scores of systems.

    Phi = var_system / (var_system + (var_topic + var_residual) / n); see `cdfscore.models.d_study`.

    Settings and errors are those of `Goal`.
    """

    kind: ClassVar[str] = "absolute"
    what: ClassVar[str] = "the mean score of a system"


@dataclass(frozen=True)
class GoalCatalogue(Catalogue):
    """Catalogue of goals; some settings of a goal have no default."""

    def _made(self, member: Any, settings: dict[str, Any]) -> Any:
        for own in fields(member):
            if own.default is MISSING and own.name not in settings:
                name = stem_of(member.__name__)
                raise ModelError(
                    f"{name} needs a value of {own.name}; expected such as "
                    f"'{name}:{own.name}={member.example}'"
                )
        return super()._made(member, settings)


#: Names elsewhere, and of Sakai's spreadsheets.
_ELSEWHERE = {
    "anova": ("one_way", "two_way"),
    "t": ("paired_t",),
    "ci": ("interval",),
    "width": ("interval",),
    "reliability": ("generalizability", "dependability"),
    "power": ("paired_t", "one_way", "two_way"),
}

goals = GoalCatalogue("cdfscore.models.goals", "goal", ModelError, elsewhere=_ELSEWHERE)


def parse_goal(text: str) -> Goal:
    """Make a goal from its spelling, ``name:key=value,key=value``.

    Raises `ModelError` for an unknown name or setting, or a value that is not accepted.

    Examples
    --------
    >>> parse_goal("paired_t:difference=0.05")
    PairedT(difference=0.05, power=0.8, alpha=0.05)
    """
    goal: Goal = goals.parse(text)
    return goal


# --- How many topics: the smallest number that reaches a goal, from pilot data ---


#: The least number of resamples.
FEWEST = 100
# A resampled value misses the goal if it is this many standard errors away from it.
_ERRORS = 3

#: With fewer topics of a pilot than this, the estimate of a variance is very uncertain.
FEW = 25
# The number of points of a curve, about.
_POINTS = 40


@dataclass(frozen=True, eq=False, repr=False)
class Plan(Shown):
    """Result of `plan`: the number of topics, and the curve of the goal.

    Attributes
    ----------
    goal, scheme
        As of `plan`.
    pilot
        The variances of the pilot data.
    topics
        The smallest number of topics that reaches the goal.
    value
        The power, width or reliability with this number of topics.
    curve
        One row for each of several numbers of topics: ``topics``, and the quantity of the goal,
        ``power``, ``width`` or ``reliability``.
    answer
        The result in one sentence, with its assumptions.
    check
        The quantity in resamples of the pilot; None if no check was requested, or if none is
        possible, which a note says.
    notes
        Sentences on the result.
    standardized
        The scores of each pilot, for `cdfscore.verify`.
    """

    goal: Goal
    scheme: str
    pilot: Pilot
    topics: int
    value: float
    curve: pd.DataFrame
    answer: str
    check: Check | None = None
    notes: list[str] = field(default_factory=list)
    standardized: tuple[Standardized, ...] = ()

    def __repr__(self) -> str:
        return f"<{self.answer}>"


def plan(
    pilot: IntoFrame,
    goal: Goal | str,
    *,
    scheme: How = "raw",
    others: Sequence[IntoFrame] = (),
    reference: IntoFrame | None = None,
    extra_topics: ExtraTopics = "refuse",
    topics: Sequence[int] | None = None,
    check: int = 0,
    seed: int = 0,
) -> Plan:
    """Find the smallest number of topics that reaches a goal, with the variances of pilot data.

    Parameters
    ----------
    pilot
        Scores of systems on topics, in a data frame of any kind.
    goal
        A member of `cdfscore.models.goals`, or its spelling, such as
        ``"paired_t:difference=0.05,power=0.8"``.
    scheme
        Scheme of the scores; "raw" is the scores as they are. A difference or width of the goal is
        in units of these scores.
    others
        More pilots, each standardized by itself; the variances of all are pooled, see `Pilot`.
    reference, extra_topics
        As for `cdfscore.compare`; all pilots have the same reference.
    topics
        Numbers of topics of the curve; some up to twice the answer if not given.
    check
        Number of resamples of the pilot's topics for a check of the answer, 100 or more; 0 for
        none.
    seed
        Seed of the resamples.

    Raises
    ------
    ModelError
        For a goal or number that is not accepted, for a pilot without an estimate of the variance
        (a single topic or system, missing scores, differences without variance), and for a goal
        that needs more than 10,000,000 topics.
    CdfscoreError
        For input that `compare` refuses.

    Notes
    -----
    Source: Sakai (2016), Topic set size design, Information Retrieval Journal 19, for the t test,
    one-way analysis of variance and intervals. His spreadsheets approximate the distributions, and
    their numbers of topics may differ; here distributions are exact.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> found = plan(datasets.load_cranfield("ap").iloc[:50], "paired_t:difference=0.05")
    >>> found.topics
    114
    >>> print(f"{found.value:.4f}")
    0.8015
    """
    wanted = parse_goal(goal) if isinstance(goal, str) else goal
    if not isinstance(wanted, Goal):
        raise ModelError(
            f"goal={goal!r} is not accepted; expected a goal such as 'paired_t:difference=0.05'"
        )
    sizes = [] if topics is None else list(topics)
    check_settings(wanted, sizes, check, seed)
    with each_once():
        frames = [both_as_pandas(each, reference) for each in (pilot, *others)]
        found = [standardize(own, scheme, fitted_on, extra_topics) for own, fitted_on in frames]
    data = Pilot.of([each.frame.to_numpy() for each in found])
    if (refusal := wanted.refusal(data)) is not None:
        raise ModelError(refusal)
    number = wanted.topics(data)
    if not sizes:
        last = max(2 * number, wanted.fewest + _POINTS)
        points = np.linspace(wanted.fewest, last, _POINTS).round().astype(int)
        sizes = sorted({*points.tolist(), number})
    curve = pd.DataFrame({"topics": sizes})
    curve[wanted.quantity] = wanted.curve(curve["topics"].tolist(), data)
    unchecked = wanted.resampling_refusal(data) if check else None
    resampled = None
    if check and unchecked is None:
        resampled = check_by_resampling(wanted, data, number, check, seed)
    few, used = list[str](), sum(map(len, data.matrices))
    if used < FEW:
        few.append(
            f"with a pilot of {used} topics the variance is uncertain, and so is the number of "
            f"topics; at least {FEW} topics are advised (Sakai and Shang, 2016)"
        )
    units = found[0].units
    few = each_in_units(units, few)
    warn_of(few)
    name = name_of(scheme)
    label = scheme_label(name)
    told = data.told if name == "raw" else f"{data.told}, scores by {label}"
    scaled = f"{wanted.on_the_scale} is in units of scores by {label}, and not of other schemes"
    notes = [note for each in found for note in each.notes]
    notes += [scaled] if wanted.on_the_scale and name != "raw" else []
    notes += [*few, *wanted.notes(number, data), *([resampled.told(wanted)] if resampled else [])]
    notes += [f"not checked by resampling: {unchecked}"] if unchecked else []
    return Plan(
        wanted,
        name,
        data,
        number,
        wanted.at(number, data),
        curve,
        in_units(units, f"{wanted.sentence(number, data)} ({told})"),
        resampled,
        each_in_units(units, dict.fromkeys(notes)),
        tuple(found),
    )


def check_settings(goal: Goal, topics: Sequence[int], check: int, seed: int) -> None:
    """Raise `ModelError` for settings of `plan` that are not accepted for any pilot."""
    for size in topics:
        whole_number_from("topics", size, goal.fewest, MOST, ModelError)
    if check != 0:
        whole_number_from("check", check, FEWEST, MOST_RESAMPLES, ModelError, also="0 for no check")
        if not goal.can_be_checked:
            raise ModelError(
                f"there is no check of {goal.name} by resampling; expected no check, or one of "
                "paired_t, one_way, two_way or interval"
            )
    whole_number_from("seed", seed, 0, None, ModelError)


@dataclass(frozen=True)
class Check:
    """Mean of the quantity of a goal over resamples of the pilot, with its Monte Carlo error.

    Attributes
    ----------
    topics
        The number of topics of each resample.
    value
        The proportion of resamples in which the difference was significant, or the mean width.
    stderr
        The Monte Carlo standard error of `value`.
    formula
        The value by the formula of the goal, for the same number of topics.
    resamples, seed
        The number of resamples and their seed.
    """

    topics: int
    value: float
    stderr: float
    formula: float
    resamples: int
    seed: int

    def told(self, goal: Goal) -> str:
        """Return the result in one sentence, and whether the goal is missed."""
        found = (
            f"in {self.resamples:,} resamples of the pilot with {self.topics:,} topics the "
            f"{goal.quantity} is {self.value:.4g}, with a Monte Carlo standard error of "
            f"{self.stderr:.2g}; the formula gives {self.formula:.4g}"
        )
        reach = _ERRORS * self.stderr
        if goal.reached(self.value - reach) or goal.reached(self.value + reach):
            return found
        return f"{found}; the resamples do not reach {written(goal.wanted)}, so use more topics"


def check_by_resampling(goal: Goal, pilot: Pilot, topics: int, resamples: int, seed: int) -> Check:
    """Return the quantity of a goal in resamples; each depends on the seed and its number."""
    centred = pilot.centred(within_topics=goal.within_topics)
    values = np.array(
        [
            goal.resampled(centred, topics, np.random.default_rng([seed, k]))
            for k in range(resamples)
        ]
    )
    stderr = float(values.std(ddof=1)) / math.sqrt(resamples)
    return Check(topics, float(values.mean()), stderr, goal.at(topics, pilot), resamples, seed)
