"""The part of the uncertainty of standardized means that the reference systems contribute."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from cdfscore.common.costs import check_cost
from cdfscore.common.text import counted, each_in_units, kept, part_of
from cdfscore.comparison.pairs import Family, joined
from cdfscore.errors import FitError, ScoresError, SignificanceError
from cdfscore.showing import Shown
from cdfscore.standardization import policies
from cdfscore.standardization.standardized import Factors, Standardized
from cdfscore.stats.numerics import student_t
from cdfscore.stats.numerics.moments import mean_and_sd
from cdfscore.stats.numerics.numbers import MOST_RESAMPLES, whole_number_from
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray
from cdfscore.stats.significance import bootstrap, paired_t
from cdfscore.stats.significance.contract import ChosenTest, PairsTogether, TwoSamples

#: The columns of the parts of the uncertainty, in both tables.
PARTS = (
    "stderr_topics",
    "stderr_reference",
    "stderr_both",
    "reference_share",
    "both_df",
    "both_low",
    "both_high",
)


@dataclass(frozen=True, eq=False, repr=False)
class ReferenceUncertainty(Shown):
    """Uncertainty of standardized means from topics, reference systems, and both.

    A comparison by `compare` has it with ``reference_uncertainty=B``, the number of random
    resamples. For up to 7 reference systems, all n^n resamples are used instead, and the standard
    errors are exact. The policies of a `Standardizer` hold in each resample; the notes count the
    topics that are constant or unfitted there.

    Factors are estimates: other reference systems give other factors. The mean of a system, and
    the difference of two means, vary with the topics and with the reference systems. Resample b of
    the n reference systems gives scores y_b = F_tb(x) on T topics, with mean m_b and standard
    deviation s_b:

        V_topics    = s^2 / T, by the factors of all reference systems
        V_reference = var_b(m_b)
        V_both      = var_b(m_b) + mean_b(s_b^2 / T)

    The standard errors are the roots, and the share of the reference systems is V_reference /
    V_both. V_both is the variance of a bootstrap that draws topics and reference systems
    independently (the pigeonhole bootstrap). The interval is mean -+ t sqrt(V_both), with degrees
    of freedom by Satterthwaite. See clauses reference_uncertainty.1 to reference_uncertainty.5 of
    the specification.

    A resample draws whole systems, with their scores on all topics. Compared systems may be
    reference systems themselves; without a `reference` all of them are. For each mean or
    difference, its own systems stay in the reference once, and the other systems are resampled:
    about 37 % of the resamples are used for a mean and 14 % for a difference. A compared system is
    a reference system if name and scores are equal; a caution tells if only one of the two is.

    `means` has a row for each scheme and system, with the ``mean`` of its standardized scores over
    ``n`` topics. `pairs` has a row for each scheme and pair, with the ``difference`` of the two
    means, a minus b, over the topics that both have. Both tables have these columns:

    - ``stderr_topics``, ``stderr_reference`` and ``stderr_both``: the standard errors.
    - ``reference_share``: the share of the reference systems in the variance from both.
    - ``both_low`` and ``both_high``: the interval, from Student's t with ``both_df`` degrees of
      freedom.

    All are NaN for fewer than two topics.

    `method` describes the resamples. `systems` is the number of reference systems, and `members`
    the number of compared systems among them. `conf_level` is the level of the intervals. `notes`
    are sentences about the resamples; `cautions` are those notes that warn of a wrong reading.

    Notes
    -----
    Sources: Owen (2007), The pigeonhole bootstrap, Annals of Applied Statistics 1, for resampling
    of two crossed sets; McCullagh (2000), Resampling and exchangeable arrays, Bernoulli 6: no
    bootstrap of such data is exact. This one is conservative, except for means with few reference
    systems. Satterthwaite (1946), Biometrics Bulletin 2, for the degrees of freedom. A bootstrap of
    the lowest or highest of n scores is not consistent (Bickel and Freedman, 1981, Annals of
    Statistics 9), and schemes that rest on them, such as minmax, have a caution.

    Examples
    --------
    >>> from cdfscore import compare, datasets
    >>> ap = datasets.load_cranfield("ap")
    >>> new, others = ap[["bm25_k1.2_b0.75", "tfidf"]], ap.iloc[:, 20:32]
    >>> settings = {"scheme": "normal", "reference": others}
    >>> found = compare(new, "paired_t", **settings, reference_uncertainty=200).uncertainty
    >>> columns = ["difference", "stderr_topics", "stderr_reference", "stderr_both"]
    >>> found.pairs[columns].round(3)
       difference  stderr_topics  stderr_reference  stderr_both
    0       0.053          0.018             0.008         0.02
    """

    means: pd.DataFrame
    pairs: pd.DataFrame
    method: str
    systems: int
    members: int
    conf_level: float
    notes: list[str] = field(default_factory=list)
    cautions: list[str] = field(default_factory=list)
    units: tuple[str, str] = ("system", "topic")

    @property
    def schemes(self) -> list[str]:
        """The schemes, in the order in which they were given."""
        return list(dict.fromkeys(self.means["scheme"]))

    @property
    def sentence(self) -> str:
        """Sentence about the standard errors for a caption."""
        among = f" ({self.members} of them compared systems)" * bool(self.members)
        return (
            "Standard errors of the difference of two means: from the topics, with fixed factors; "
            f"from the {self.systems} reference systems{among}, with fixed topics; and from both, "
            f"with intervals of {100 * self.conf_level:.12g} % for each difference separately; "
            f"reference systems are drawn with replacement, {self.method}"
        )

    def __repr__(self) -> str:
        shares = self.pairs.groupby("scheme", sort=False)["reference_share"].median()
        found = ", ".join(f"{100 * share:.3g} % by {scheme}" for scheme, share in shares.items())
        return (
            f"<uncertainty from {self.systems} reference systems, {self.method}; median share in "
            f"the variance of differences: {found}>"
        )


#: The fewest random resamples.
FEWEST_RESAMPLES = 200
#: Called with the number of resamples that are done, and of all.
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Resampling:
    """Number of resamples of the reference systems, and their seed."""

    resamples: int
    seed: int = 0
    progress: Progress | None = None


def resampling_of(chosen: ChosenTest, resamples: int, seed: int | None) -> Resampling | None:
    """Return how the reference systems are resampled beside a test, None for no resamples."""
    name = "reference_uncertainty"
    if resamples == 0 and not isinstance(resamples, bool):
        if seed is not None:
            raise SignificanceError(
                f"seed={seed!r} is for resamples of the reference systems, and there are none; "
                f"expected {name}=999 with it, or the seed among the settings of the test"
            )
        return None
    number = whole_number_from(
        name, resamples, FEWEST_RESAMPLES, MOST_RESAMPLES, SignificanceError, also="0 for none"
    )
    own_seed = 0 if seed is None else whole_number_from("seed", seed, 0, None, SignificanceError)
    test = chosen.test
    if not isinstance(test, TwoSamples | PairsTogether) or test.samples == "unpaired":
        of = "unpaired scores" if test.samples == "unpaired" else test.samples
        raise SignificanceError(
            f"{name}=... is for differences between two systems on the same topics, and "
            f"{test.name} is a test of {of}; expected a test of pairs on the same topics, such as "
            "paired_t or tukey_hsd"
        )
    return Resampling(number, own_seed)


def monte_carlo(resamples: float) -> str:
    """Say how large the Monte Carlo error is (Efron and Tibshirani, 1993, section 6.4)."""
    error = 100 / np.sqrt(2 * (resamples - 1))
    return f"Monte Carlo error of a standard error up to about {error:.2g} %"


#: The fewest reference systems that are resampled, beside those that stay.
FEWEST_SYSTEMS = 3
# Scores, reference scores and differences of the resamples that are standardized at a time.
_BLOCK = 1 << 18
_FINITE = "a policy for constant topics that is finite, or more reference systems"


class Refitted(NamedTuple):
    """Scores by the factors of some resamples, and what their policies met."""

    y: Array  # (resamples, topics, systems)
    constant: IntArray  # (resamples,): topics on which the resampled scores are all equal
    unfitted: IntArray  # (resamples,): topics that the scheme cannot be fitted to


@dataclass(frozen=True, eq=False)
class Refits:
    """Scores (topics, m) and reference scores (topics, n), after the policies, and the scheme.

    `places` (m,) has the place of each system among the reference systems, -1 if it is none of
    them; `namesakes` have the name of one, and `renamed` the scores of one.
    """

    factors: Factors
    scores: Array
    reference: Array
    topics: tuple[str, ...]
    places: IntArray
    namesakes: tuple[str, ...]
    renamed: tuple[str, ...]

    @classmethod
    def of(cls, found: Standardized) -> Refits:
        """Match the topics of scores and reference; those without factors are left out."""
        factors = found.factors
        if found.reference is None:
            raise SignificanceError(
                f"{factors!r} do not have the scores of the reference systems, which are "
                "resampled; expected a scheme, and the reference scores by reference=..."
            )
        fitted_to = policies.settled(
            found.reference,
            "reference scores",
            factors.missing,
            factors.lower_is_better,
            factors.reflect_at,
        )
        known = set(factors.topics)
        rows = [row for row, topic in enumerate(found.used.topics) if topic in known]
        topics = tuple(found.used.topics[row] for row in rows)
        row_of = {topic: row for row, topic in enumerate(fitted_to.topics)}
        scores = found.used.values[rows]
        reference = fitted_to.values[[row_of[topic] for topic in topics]]
        columns = {system: place for place, system in enumerate(fitted_to.systems)}
        places = [columns.get(system, -1) for system in found.used.systems]
        same = [
            place >= 0 and np.array_equal(scores[:, i], reference[:, place], equal_nan=True)
            for i, place in enumerate(places)
        ]
        known_scores = {column.tobytes() for column in reference.T + 0.0}  # -0.0 is 0.0
        namesakes, renamed = list[str](), list[str]()
        for system, column, place, is_it in zip(
            found.used.systems, scores.T + 0.0, places, same, strict=True
        ):
            if not is_it and column.tobytes() in known_scores:
                renamed.append(system)
            elif not is_it and place >= 0:
                namesakes.append(system)
        own = np.where(same, places, -1)
        return cls(factors, scores, reference, topics, own, tuple(namesakes), tuple(renamed))

    @property
    def systems(self) -> int:
        """The number of reference systems."""
        return int(self.reference.shape[1])

    def resampled(self, *members: IntArray) -> IntArray:
        """Return the number of reference systems beside members, the compared systems by place."""
        found = self.systems - sum((self.places[each] >= 0).astype(np.int64) for each in members)
        least = int(np.min(found))
        if self.factors.fitted.parameters and least < FEWEST_SYSTEMS:
            beside = " beside the compared ones" * bool((self.places >= 0).any())
            raise SignificanceError(
                f"there {'is' if least == 1 else 'are'} {counted(least, 'reference system')} to "
                f"resample{beside}; expected {FEWEST_SYSTEMS} or more, in the scores or by "
                "reference=..."
            )
        return np.asarray(found)

    def stay(self, counts: Array) -> BoolArray:
        """Tell which compared systems each resample (resamples, n) has in the reference once."""
        return np.asarray((self.places < 0) | (counts[:, self.places] == 1))

    def batches(self, counts: Array, pairs: int) -> Iterator[Refitted]:
        """Standardize by resamples (resamples, n), the count of each reference system in each."""
        n = self.systems
        step = max(1, _BLOCK // max(self.scores.size, self.reference.size, pairs))
        for start in range(0, len(counts), step):
            own = counts[start : start + step].astype(np.intp)
            drawn = np.repeat(np.tile(np.arange(n), len(own)), own.ravel())
            yield self._refitted(drawn.reshape(len(own), n))

    def _refitted(self, drawn: IntArray) -> Refitted:
        scheme = self.factors.fitted.scheme
        shape = (len(drawn), *self.scores.shape)
        # A row for each resample and topic: schemes and policies take batches of rows.
        rows = self.reference[:, drawn].swapaxes(0, 1).reshape(-1, drawn.shape[1])
        x = np.broadcast_to(self.scores, shape).reshape(-1, shape[2])
        try:
            fitted, kept, _ = policies.fit_by(self.factors.unfitted, scheme, rows, self._place)
        except FitError as error:
            raise FitError(
                f"{error}; expected unfitted='nan', which leaves such topics out of the resample"
            ) from error
        constant = np.zeros(len(rows), dtype=np.bool_)
        constant[kept] = fitted.constant
        if self.factors.constant == "raise" and constant.any():
            raise policies.constant_refused(
                f"{self._place(int(constant.argmax()))}: the resampled scores are all equal"
            )
        own = policies.evaluate(self.factors.constant, fitted, x[kept])
        if np.isinf(own).any():
            row, column = np.argwhere(np.isinf(own))[0]
            raise ScoresError(
                f"{self._place(int(kept[row]))}: a score of {x[kept[row], column]} becomes "
                f"{own[row, column]} by {scheme}, and a mean of it has no standard error; expected "
                f"{_FINITE}"
            )
        y = np.full(x.shape, np.nan)
        y[kept] = own
        unfitted = np.ones(len(rows), dtype=np.bool_)
        unfitted[kept] = False
        return Refitted(
            y.reshape(shape),
            np.count_nonzero(constant.reshape(shape[:2]), axis=1),
            np.count_nonzero(unfitted.reshape(shape[:2]), axis=1),
        )

    def _place(self, row: int) -> str:
        topic = self.topics[row % len(self.topics)]
        lower = policies.of_scores(self.factors.lower_is_better, self.factors.reflect_at, topic)
        return f"topic {topic!r}{lower}, fitted to a resample of the {self.systems} systems"


@dataclass(frozen=True)
class Estimates:
    """Means over topics, of systems or of differences of two, with their standard errors."""

    mean: Array
    stderr: Array  # 0 where all topics have one value, NaN for fewer than 2 topics
    n: IntArray

    def take(self, rows: IntArray | int, columns: IntArray) -> Estimates:
        """Return some of estimates (rows, columns)."""
        return Estimates(*(each[rows, columns] for each in (self.mean, self.stderr, self.n)))


@dataclass
class Variances:
    """Sums over resamples of `systems` reference systems, in standard errors of `given`."""

    given: Estimates
    systems: IntArray
    weight: Array = field(init=False)
    #: The fewest topics of a mean.
    fewest: IntArray = field(init=False)
    _moved: Array = field(init=False)
    _moved_squared: Array = field(init=False)
    _within: Array = field(init=False)
    _unit: Array = field(init=False)

    def __post_init__(self) -> None:
        zeros = np.zeros((4, len(self.given.mean)))
        self.weight, self._moved, self._moved_squared, self._within = zeros
        self.fewest = self.given.n.copy()
        self._unit = np.where(self.given.stderr > 0, self.given.stderr, 1.0)

    def add(self, resampled: Estimates, which: IntArray, weights: Array) -> BoolArray:
        """Add means by the factors of resamples; those of fewer than 2 topics are left out.

        `which` has the mean that each is of. Returns which are left out.
        """
        there = ~np.isnan(resampled.stderr)
        own, weight = which[there], weights[there]
        unit = self._unit[own]
        moved = (resampled.mean[there] - self.given.mean[own]) / unit
        # In the order of the resamples, as R adds them.
        np.add.at(self.weight, own, weight)
        np.add.at(self._moved, own, weight * moved)
        np.add.at(self._moved_squared, own, weight * moved**2)
        np.add.at(self._within, own, weight * (resampled.stderr[there] / unit) ** 2)
        np.minimum.at(self.fewest, own, resampled.n[there])
        return ~there

    def columns(self, exact: bool, conf_level: float) -> dict[str, Array]:
        """Return the standard errors and intervals; `exact` if the resamples are all there are."""
        with np.errstate(invalid="ignore", divide="ignore"):
            reference = self._of_reference(exact)
            both = reference + self._within / self.weight
            share = np.where(both == 0, 0.0, reference / both)
            df = self.degrees_of_freedom(share)
        stderr = np.sqrt(both) * self._unit
        low, high = student_t.interval(self.given.mean, stderr, df, "two-sided", conf_level)
        return {
            "stderr_topics": self.given.stderr,
            "stderr_reference": np.sqrt(reference) * self._unit,
            "stderr_both": stderr,
            "reference_share": share,
            "both_df": df,
            "both_low": low,
            "both_high": high,
        }

    def degrees_of_freedom(self, share: Array) -> Array:
        """Return Satterthwaite's degrees of freedom of the sum of two estimates of variance."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return 1 / (share**2 / (self.systems - 1) + (1 - share) ** 2 / (self.given.n - 1))

    def rounding(self, exact: bool, resamples: int) -> tuple[Array, Array]:
        """Return bounds of the rounding of the standard errors, from reference and within topics.

        Each sum over k resamples has a relative error of k 2^-53 at most.
        """
        relative = 2.0**-53 * (resamples + 4)
        with np.errstate(invalid="ignore", divide="ignore"):
            # |x^2| / w is at most the sum of squares, and x is rounded twice in it.
            error = 3 * relative * self._moved_squared / (self.weight - (0 if exact else 1))
            root = np.sqrt(self._of_reference(exact))
            of_reference = np.fmin(error / root, np.sqrt(error))
            within = relative * np.sqrt(self._within / self.weight)
        return of_reference * self._unit, within * self._unit

    def _of_reference(self, exact: bool) -> Array:
        squares = self._moved_squared - self._moved**2 / self.weight
        return np.maximum(squares, 0.0) / (self.weight - (0 if exact else 1))

    def apart_by_topics(self, conf_level: float) -> BoolArray:
        """Tell which means differ from 0 by the topics alone: their interval is on one side."""
        df = self.given.n.astype(np.float64) - 1
        mean, stderr = self.given.mean, self.given.stderr
        low, high = student_t.interval(mean, stderr, df, "two-sided", conf_level)
        return (low > 0) | (high < 0)


def bounds(
    found: Variances, moved: float, *, exact: bool, resamples: int, conf_level: float
) -> dict[str, Array]:
    """Return a bound of the difference of each number, by its column; 0 where there is none.

    No mean of a resample moves by more than `moved`, m. Then a standard error from the topics moves
    by at most m / sqrt(T - 1), the one from the reference by m sqrt(W / (W - 1)), or m if the
    resamples are `exact`, and the one from both by at most their distance from 0. The share is the
    square of a ratio r of standard errors, which moves by d = (d_reference + r d_both) / (both -
    d_both). The degrees of freedom and the margin are between those at the ends of the share.
    """
    numbers = found.columns(exact, conf_level)
    of_reference, within = found.rounding(exact, resamples)
    with np.errstate(invalid="ignore", divide="ignore"):
        topics = moved / np.sqrt(found.given.n - 1)
        of_reference += moved * (1.0 if exact else np.sqrt(found.weight / (found.weight - 1)))
        of_both = np.hypot(of_reference, within + moved / np.sqrt(found.fewest - 1))
        both, share = numbers["stderr_both"], numbers["reference_share"]
        ratio = np.sqrt(share)
        smallest = np.fmax(both - of_both, 0)
        of_ratio = np.where(both == 0, 0.0, (of_reference + ratio * of_both) / smallest)
        of_share = np.fmin(2 * ratio * of_ratio + of_ratio**2, 1.0)
        lowest, highest = np.fmax(share - of_share, 0), np.fmin(share + of_share, 1)
        # The share with the most degrees of freedom, n + k - 2.
        best = (found.systems - 1) / (found.given.n + found.systems - 2)
        shares = np.array([lowest, highest, np.clip(best, lowest, highest)])
        df = np.array([found.degrees_of_freedom(each) for each in shares])
        own = found.degrees_of_freedom(share)
        of_df = np.abs(df - own).max(axis=0)
        zero = np.zeros_like(both)
        margins = [
            student_t.interval(zero, stderr, freedom, "two-sided", conf_level)[1]
            for stderr, freedom in (
                (both, own),
                (both + of_both, df.min(axis=0)),
                (smallest, df.max(axis=0)),
            )
        ]
    of_end = moved + np.abs(np.array(margins[1:]) - margins[0]).max(axis=0)
    bound = {
        "stderr_topics": topics,
        "stderr_reference": of_reference,
        "stderr_both": of_both,
        "reference_share": of_share,
        "both_df": of_df,
        "both_low": of_end,
        "both_high": of_end,
    }
    return {name: np.nan_to_num(values, posinf=0.0) for name, values in bound.items()}


class OfScheme(NamedTuple):
    """Variances by one scheme, notes on the policies, and the largest standardized score."""

    means: Variances
    pairs: Variances
    notes: list[str]
    largest: float


def variances_of(
    found: Standardized,
    refits: Refits,
    family: Family,
    drawn: bootstrap.Resamples,
    progress: Progress = lambda done, of: None,
) -> OfScheme:
    """Return the variances of means and of differences over all resamples."""
    factors, y = found.factors, found.frame.to_numpy()
    systems, pairs = np.arange(y.shape[1]), np.arange(len(family))
    of_means = Variances(_means(y[np.newaxis]).take(0, systems), refits.resampled(systems))
    of_pairs = Variances(
        _differences(y[np.newaxis], family, 0 * pairs, pairs),
        refits.resampled(family.first, family.second),
    )
    largest = float(np.nanmax(np.abs(y), initial=0.0))
    if not factors.fitted.parameters:  # nothing is fitted, so that all resamples are the same
        of_means.add(of_means.given, systems, np.full(len(systems), drawn.total))
        of_pairs.add(of_pairs.given, pairs, np.full(len(pairs), drawn.total))
        progress(len(drawn.counts), len(drawn.counts))
        return OfScheme(of_means, of_pairs, [], largest)
    stay = refits.stay(drawn.counts)
    used = stay.any(axis=1)
    stay, counts, weights = stay[used], drawn.counts[used], drawn.weights[used]
    constant, unfitted, left_out = np.zeros((3, len(counts)))
    done = 0
    for batch in refits.batches(counts, len(family)):
        largest = float(np.nanmax(np.abs(batch.y), initial=largest))
        block = slice(done, done + len(batch.y))
        own, weight = stay[block], weights[block]
        rows, systems = np.nonzero(own)
        without = of_means.add(_means(batch.y).take(rows, systems), systems, weight[rows])
        left_out[block][rows[without]] = weight[rows[without]]
        rows, pairs = np.nonzero(own[:, family.first] & own[:, family.second])
        without = of_pairs.add(_differences(batch.y, family, rows, pairs), pairs, weight[rows])
        left_out[block][rows[without]] = weight[rows[without]]
        constant[block], unfitted[block] = batch.constant, batch.unfitted
        done = block.stop
        progress(len(drawn.counts) - len(counts) + done, len(drawn.counts))
    constant -= len(set(factors.constant_topics) & set(refits.topics))
    used_there = policies.used(factors.constant, factors.fitted.scheme)
    said, total = list[str](), weights.sum()
    rest = "unfitted only in the resampled reference, and left out of the means of that resample"
    for topics, are in (
        (constant, f"constant only in the resampled reference{used_there}"),
        (unfitted, rest),
    ):
        if topics.any():
            said.append(
                f"in {100 * weights[topics > 0].sum() / total:.3g} % of the resamples, topics "
                f"({(topics * weights).sum() / total:.3g} on average over all resamples, "
                f"{int(topics.max())} at most) are {are}"
            )
    if share := left_out.sum() / total:
        said.append(
            f"{100 * share:.3g} % of the resamples leave fewer than 2 topics with a score, and are "
            "left out"
        )
    return OfScheme(of_means, of_pairs, said, largest)


def _means(y: Array) -> Estimates:
    rows = np.ascontiguousarray(y.swapaxes(1, 2))
    n = np.count_nonzero(~np.isnan(rows), axis=2)
    with np.errstate(invalid="ignore", divide="ignore"):  # NaN for fewer than 2 topics
        mean, sd = (each[..., 0] for each in mean_and_sd(rows))
        return Estimates(mean, np.where(n > 1, sd / np.sqrt(n), np.nan), n)


def _differences(y: Array, family: Family, rows: IntArray, pairs: IntArray) -> Estimates:
    columns = y.swapaxes(0, 1).reshape(y.shape[1], -1)
    start = rows * y.shape[2]
    first, second = (start + own[pairs] for own in (family.first, family.second))
    found = paired_t.over_pairs(columns, first, second)
    # The t test has no standard error where all topics have one value.
    without = np.isnan(found.stderr) & (found.n >= 2) & ~np.isnan(found.estimate)
    return Estimates(found.estimate, np.where(without, 0.0, found.stderr), found.n)


#: The R twin.
TWIN = Path(__file__).with_suffix(".R")


def first_fitted(refits: Mapping[str, Refits]) -> Refits:
    """Return the first scheme by which something is fitted; `SignificanceError` if none is."""
    for each in refits.values():
        if each.factors.fitted.parameters:
            return each
    raise SignificanceError(
        f"nothing is fitted to reference systems for {', '.join(refits)}; expected scheme=... with "
        "a scheme such as normal"
    )


def uncertainty_of(
    standardized: Sequence[Standardized],
    family: Family,
    resampling: Resampling,
    conf_level: float,
) -> ReferenceUncertainty:
    """Return the uncertainty of a family of pairs by each scheme, after the checks."""
    refits = {str(found.factors.fitted.scheme): Refits.of(found) for found in standardized}
    fitted = first_fitted(refits)
    check_cost(
        f"{resampling.resamples:,} resamples of reference systems",
        "fewer resamples",
        second_of_fits=min(resampling.resamples, fitted.systems**fitted.systems)
        * sum(
            (own.scores.size + own.reference.size) * own.factors.fitted.scheme.seconds_to_fit
            for own in refits.values()
        ),
    )
    drawn = bootstrap.resamples(fitted.systems, resampling.resamples, resampling.seed)
    means, pairs, fewest = [], [], drawn.total
    of_schemes: dict[str, list[str]] = {}
    cautions: dict[str, list[str]] = {}
    for place, (found, (name, own)) in enumerate(zip(standardized, refits.items(), strict=True)):

        def tell(done: int, of: int, place: int = place) -> None:
            if resampling.progress:
                resampling.progress(place * of + done, len(refits) * of)

        of_means, of_pairs, of_schemes[name], _ = variances_of(found, own, family, drawn, tell)
        parts = [each.columns(drawn.exact, conf_level) for each in (of_means, of_pairs)]
        of_systems = {"scheme": name, "system": family.systems, "n": of_means.given.n}
        mean = found.means["mean"].to_numpy()
        means.append(pd.DataFrame({**of_systems, "mean": mean, **parts[0]}))
        both = dict(zip(("system_a", "system_b"), family.names, strict=True))
        difference = {"n": of_pairs.given.n, "difference": of_pairs.given.mean}
        pairs.append(pd.DataFrame({"scheme": name, **both, **difference, **parts[1]}))
        apart = of_pairs.apart_by_topics(conf_level)
        still = apart & ((parts[1]["both_low"] > 0) | (parts[1]["both_high"] < 0))
        of_schemes[name].append(
            f"the interval of {100 * conf_level:.12g} % excludes 0: from the topics for "
            f"{part_of(int(apart.sum()), len(family), 'difference')}"
            + f", and from topics and reference systems for {still.sum():,} of these"
            * bool(apart.any())
        )
        scheme = own.factors.fitted.scheme
        cautions[name] = [
            f"{scheme.name} depends on the lowest or the highest reference score, and most "
            "resamples have the same one, so that the standard error from the reference systems is "
            "usually too small"
        ] * scheme.rests_on_extremes
        with_error = ~np.isnan(parts[1]["stderr_reference"])
        fewest = min(fewest, float(of_pairs.weight[with_error].min(initial=np.inf)))
    members, systems = int(np.count_nonzero(fitted.places >= 0)), len(fitted.places)
    on_names = []
    for names, differs, needed in (
        (
            fitted.namesakes,
            "differ from those of the reference system with the same name",
            "digits",
        ),
        (fitted.renamed, "are those of a reference system with another name", "names"),
    ):
        if names:
            is_taken = "is treated as" if len(names) == 1 else "are treated as"
            same = "it is the same system" if len(names) == 1 else "they are the same systems"
            on_names.append(
                f"the scores of {kept(*names)} {differs}, so that "
                f"{part_of(len(names), systems, 'system')} {is_taken} not in the reference; "
                f"expected the same {needed} in both, if {same}"
            )
    first, units = [*on_names, *joined(cautions)], standardized[0].units
    of_members = []
    if members:
        which = (
            "the compared systems" if members == systems else part_of(members, systems, "system")
        )
        are = "is a reference system itself" if members == 1 else "are reference systems themselves"
        of_members.append(
            f"{which} {are}: for each mean or difference, its own systems stay in the reference, "
            "and the other systems are resampled"
        )
    return ReferenceUncertainty(
        pd.concat(means, ignore_index=True),
        pd.concat(pairs, ignore_index=True),
        drawn.method if drawn.exact else f"{drawn.method}, {monte_carlo(fewest)}",
        fitted.systems,
        members,
        conf_level,
        each_in_units(units, [*first, *of_members, *joined(of_schemes)]),
        each_in_units(units, first),
        units,
    )
