"""Fit of a mixed model to the scores by one scheme."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import product

import numpy as np
from scipy import special

from cdfscore.errors import ModelError, SpecificationError, did_you_mean
from cdfscore.models.formula import (
    TOPIC,
    Factor,
    Term,
    check_part,
    columns_of,
    columns_of_all,
    labels_of,
    name_of,
    names_in,
)
from cdfscore.models.mixed.likelihood import (
    Method,
    Point,
    Sums,
    likelihood,
    means_of_topics,
    products_of,
)
from cdfscore.models.parts import Parts
from cdfscore.numerics.types import Array, BoolArray
from cdfscore.spelling import argument

# Columns (slots, m) of scores to others.
_Linear = Callable[[Array], Array]
# Degrees of freedom that differ by less than this, relative to their size, are equal.
_EQUAL = 1e-8
# A variance this small, relative to the residual variance, is rounding error.
_ROUNDING = 1e-20

_STEPS = 100
# Of the logarithm of an end; Newton's method squares the last step.
_CLOSE = 1e-6
# A part of an estimate that is rejected only if 0 is.
_SMALL = 1e-3
# The longest step of the logarithm of an end.
_LONGEST = 2.0

# A column depends on others if their residual is this small a part of its square.
_ALIASED = 1e-10
#: The name of the variance of the residuals.
RESIDUAL = "residual"
# 1 minus the squared correlation of two covariances that are the same, apart from rounding errors.
_ALIKE = 1e-9
#: The likelihood at variances.
Likelihood = Callable[[Array], Point]

#: The refusal of scores that leave no residuals.
DETERMINED = (
    "the residuals are 0, except for rounding errors, so no variance can be estimated; expected "
    "scores that the terms do not determine"
)
_STEPS_TO_OPTIMUM = 200
# Relative length of the last step. Newton's method squares it, so only rounding errors remain.
_CLOSE_TO_OPTIMUM = 1e-6
# Variances are variances of scaled scores. A variance below the first number is compared with this
# number, and residuals with a variance below the second are rounding errors.
_SMALL_STEP, _ROUNDING_OF_OPTIMUM = 1e-8, 1e-11
# The largest factor by which one step changes a variance: up, or down to above 0.
_FACTOR = 10.0
# A smaller difference of two values of the likelihood is rounding error.
_NOISE = 1e-8


def parse_random(terms: Sequence[str], factors: Mapping[str, Factor]) -> tuple[Term, ...]:
    """Parse random terms such as ``topic`` and ``topic:stemmer``, in their order.

    A factor may be between backticks, as in a formula. Raises `SpecificationError` for a list
    without topic, because scores on a topic share its difficulty; for a term that does not contain
    topic; for a name that is not a factor; and for a term that is given twice.
    """
    listed = isinstance(terms, Iterable) and not isinstance(terms, str)
    if not listed or not all(isinstance(term, str) for term in terms):
        raise SpecificationError(
            f"{argument('random', terms)} is not accepted; expected a list such as ['topic']"
        )
    known = (TOPIC, *factors)
    found = []
    for text in terms:
        names = names_in(text)
        if "" in names:
            raise SpecificationError(
                f"{argument('random', text)} lacks a name; expected topic, or a term such as "
                f"{TOPIC}:{next(iter(factors))}"
            )
        for name in names:
            if name not in known:
                check_part(name, text, known)
                parts = [part.strip() for part in text.split(",")]
                each = f", and each term by itself, {argument('random', parts)}"
                raise SpecificationError(
                    f"{argument('random', text)} names {name!r}, which is not a "
                    f"factor{did_you_mean(name, known)}; expected some of {', '.join(known)}, "
                    f"joined by :{each if len(parts) > 1 else ''}"
                )
        if TOPIC not in names:
            raise SpecificationError(
                f"{argument('random', text)} does not contain topic; expected topic, or a term "
                f"such as {TOPIC}:{text}, whose effects on two topics are independent (g_study has "
                "random systems)"
            )
        found.append((TOPIC, *dict.fromkeys(name for name in names if name != TOPIC)))
    if (TOPIC,) not in found:
        raise SpecificationError(
            f"the random terms {', '.join(map(name_of, found)) or '(none)'} lack topic; expected "
            "topic among them, because the scores on a topic share its difficulty"
        )
    twice = next((t for i, t in enumerate(found) if set(t) in map(set, found[:i])), None)
    if twice is not None:
        raise SpecificationError(
            f"the random term {name_of(twice)} is given twice; expected it once"
        )
    return tuple(found)


def indicators(term: Term, factors: Mapping[str, Factor], slots: int) -> Array:
    """Return the columns (slots, levels) of a random term within a topic."""
    own = [factors[name].codes for name in term if name != TOPIC]
    levels = np.stack([np.zeros(slots, np.int64), *own], axis=1)
    _, codes = np.unique(levels, axis=0, return_inverse=True)
    codes = codes.ravel()
    return np.eye(codes.max() + 1)[codes]


def check_distinct(sums: Sums, terms: Sequence[Term]) -> None:
    """Raise `ModelError` for random terms whose variances cannot be separated.

    In that case the information matrix of the variances, tr(P V_j P V_k) with P of least squares,
    is singular.
    """
    point = likelihood(sums, np.append(np.zeros(len(terms)), 1.0), "REML")
    own = np.hstack([point.products, point.traces[:, np.newaxis]])
    information = np.vstack([own, np.append(point.traces, point.degrees)])
    size = np.sqrt(information.diagonal())
    names = [*map(name_of, terms), RESIDUAL]
    nothing = [name for name, own in zip(names, size, strict=True) if own**2 <= _ALIKE * sums.n]
    if nothing:
        raise ModelError(
            f"the variance of {nothing[0]} cannot be estimated, because the fixed effects explain "
            "all of it; expected two topics or more, and another formula"
        )
    correlations = information / np.outer(size, size)
    last = len(names) - 1
    for k, name in enumerate(names[:-1]):
        given = [last, *range(k)]
        own = correlations[np.ix_(given, given)]
        across = correlations[given, k]
        if 1 - across @ np.linalg.solve(own, across) > _ALIKE:
            continue
        same = next((j for j in given if 1 - correlations[j, k] ** 2 <= _ALIKE), None)
        if same == last:
            raise ModelError(
                f"{name} has one score for each of its levels, so its variance is that of the "
                "residuals; omit it from the random terms, or give replicates: several scores of a "
                f"system on a topic, identified by {argument('replicate', 'COLUMN')}"
            )
        others = name_of(terms[same]) if same is not None else "other terms and residuals together"
        raise ModelError(
            f"the variance of {name} cannot be separated from that of {others}, because their "
            "levels are the same on each topic; omit one of them from the random terms"
        )


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
        # Not by **, which calls pow of C: in two units its last bits may differ.
        return self.sums.parts.squares(self.sums.scale * self.sums.scale * variances)


@dataclass(frozen=True, eq=False)
class Fit:
    """A mixed model at its maximum likelihood.

    `places` has the coefficients of each term of `fixed`; the first is the intercept. `variances`
    has the variances of the random terms and, last, of the residuals. `whole` is the maximum of the
    likelihood of all scores. If its variance of topic, at the place `topic`, is 0, effects and all
    other variances are from the likelihood of differences `within` topics, as with fixed topics.
    """

    factors: Mapping[str, Factor]
    places: Mapping[Term, slice]
    fixed: FixedEffects
    whole: Maximum
    within: Maximum | None
    topic: int

    @classmethod
    def of(
        cls,
        scores: Array,
        factors: Mapping[str, Factor],
        terms: Sequence[Term],
        random: Sequence[Term],
        method: Method,
    ) -> Fit:
        """Fit fixed `terms` and `random` terms to scores (topics, slots), NaN where missing.

        Raises `ModelError` for terms whose effects or variances cannot be separated from those of
        other terms, for constant scores, and if the likelihood does not converge.
        """
        slots = scores.shape[1]
        columns, own = columns_of_all(terms, factors, slots)
        x = np.hstack([np.ones((slots, 1)), columns])
        places = {term: slice(place.start + 1, place.stop + 1) for term, place in own.items()}
        parts = Parts.of(scores)
        present = parts.present
        if len(present) < 2:
            raise ModelError("the scores are on one topic; expected two topics or more")
        _check_columns(products_of(present, x, np.zeros((len(present), x.shape[1]))), places)
        blocks = [indicators(term, factors, slots) for term in random]
        sums = Sums.of(parts, x, blocks)
        if sums.constant:
            raise ModelError(
                "the scores are constant apart from the effects of the terms; expected scores with "
                "residuals"
            )
        if sums.determined:
            raise ModelError(DETERMINED)
        check_distinct(sums, random)
        topic = random.index((TOPIC,))
        start = np.ones(len(random) + 1)
        start[topic] = max(sums.variance_of_topics, 1.0)
        whole = Maximum.of(sums, start, method)
        if whole.best.variances[topic] > 0:
            fixed = FixedEffects.of(whole.best, sums)
            return cls(factors, places, fixed, whole, None, topic)
        _check_columns(products_of(present, columns, means_of_topics(present, columns)), own)
        inside = Sums.of(parts, columns, blocks, within_topics=True)
        # These sums have no effects that all scores of a topic share: their variance is 0.
        start = np.where(np.arange(len(random) + 1) == topic, 0.0, 1.0)
        within = Maximum.of(inside, start, method)
        fixed = FixedEffects.within(within.best, inside, columns, blocks)
        return cls(factors, places, fixed, whole, within, topic)

    @property
    def variances(self) -> Array:
        """Variances of the random terms and, last, of the residuals."""
        return (self.within or self.whole).variances

    @property
    def sds(self) -> Array:
        """Standard deviations of the random terms and, last, of the residuals."""
        return (self.within or self.whole).sds

    @property
    def proportions(self) -> Array:
        """Parts of the sum of the variances."""
        own = (self.within or self.whole).best.variances
        return np.asarray(own / own.sum())

    @property
    def topics(self) -> int:
        """Number of topics with scores."""
        return int(self.whole.sums.topics.sum())

    @property
    def scores(self) -> int:
        """Number of scores."""
        return self.whole.sums.n

    @property
    def log_likelihood(self) -> float:
        """Logarithm of the likelihood of random topics, restricted by REML.

        R's ``logLik`` under ``contr.sum``.
        """
        sums, best = self.whole.sums, self.whole.best
        unit = np.log(sums.scale) + sums.parts.exponent * np.log(2)
        return float(-best.value / 2 - best.degrees * unit)

    def intervals(self, alpha: float) -> Array:
        """Return the intervals (k + 1, 2) of the variances."""
        ends = [
            (self.whole if place == self.topic else self.within or self.whole).interval(
                place, alpha
            )
            for place in range(len(self.variances))
        ]
        return np.array(ends)

    def cells(self, term: Term) -> tuple[list[tuple[str, ...]], Array]:
        """Return the labels of the cells of a term, and their rows (m, p) in marginal means.

        In sum contrasts the coefficients of all other terms add up to 0 over equal weights.
        """
        levels = [self.factors[name].levels for name in term]
        codes = np.array(list(product(*(range(len(own)) for own in levels)))).T
        of_cells = {
            name: Factor(name, own, each)
            for name, own, each in zip(term, levels, codes, strict=True)
        }
        rows = np.zeros((codes.shape[1], len(self.fixed.coefficients)))
        rows[:, 0] = 1.0
        for other, place in self.places.items():
            if set(other) <= set(term):
                rows[:, place] = columns_of(other, of_cells)
        return list(product(*levels)), rows

    def tested(self, term: Term) -> Array:
        """Return the rows (m, p) that are 0 by the hypothesis of a term.

        They are orthonormal contrasts of the cells. In an unbalanced design, the degrees of freedom
        of F of a term with several degrees of freedom depend on the contrasts, by some percent.
        With orthonormal contrasts they do not depend on the order of levels. R's lmerTest uses
        other contrasts, which depend on the numbers of scores and on the coding of factors.
        """
        place = self.places[term]
        rows = np.zeros((place.stop - place.start, len(self.fixed.coefficients)))
        parts = [self.factors[name].contrasts for name in reversed(term)]
        rows[:, place] = reduce(np.kron, [np.linalg.qr(part)[1] for part in parts])
        return rows

    def contrasts(self, term: Term) -> list[str]:
        """Return the names of the coefficients of a term: the cells without those of last levels.

        Each is the effect of a level, or of a combination, relative to the mean of all. Raises
        `SpecificationError` for two coefficients with the same name.
        """
        levels = [self.factors[name].levels[:-1] for name in reversed(term)]
        return labels_of(term, [cell[::-1] for cell in product(*levels)])


def _check_columns(products: Array, places: Mapping[Term, slice]) -> None:
    """Raise `ModelError` for the first term with columns that follow from those before it.

    `products` (p, p) are the sums of products of all columns.
    """
    size = np.sqrt(products.diagonal())
    products = products / np.outer(*2 * [np.where(size > 0, size, 1.0)])
    for term, place in places.items():
        own = products[: place.stop, : place.stop]
        if np.linalg.eigvalsh(own)[0] <= _ALIASED:
            raise ModelError(
                f"the effects of {name_of(term)} follow from those of other terms: some "
                "combination of levels has no score, or the levels of two factors are the same; "
                f"omit {name_of(term)}"
            )


def profile_interval(
    likelihood: Likelihood, best: Point, place: int, alpha: float
) -> tuple[float, float]:
    """Return the interval of the variance at a place, at confidence 1 - alpha.

    It contains the variances that a likelihood ratio test does not reject. For them, minus twice
    the log-likelihood, maximized over the other variances, exceeds its value at the `best` point by
    at most the quantile of chi-squared with 1 degree of freedom (Venzon and Moolgavkar, 1988,
    Applied Statistics 37). The lower end is 0 if 0 is not rejected.

    Raises `ModelError` if the likelihood does not converge.
    """
    quantile = float(special.chdtri(1, alpha))
    estimate = float(best.variances[place])
    if estimate == 0:
        return 0.0, _end(likelihood, best, place, quantile, quantile / best.gradient[place])
    # About the distance of an end on the scale of logarithms, where the curve is near a parabola.
    curvature = best.hessian[place, place] * estimate**2
    far = np.exp(np.sqrt(2 * quantile / max(curvature, quantile / 2)))
    high = _end(likelihood, best, place, quantile, estimate * far)
    if place < len(best.variances) - 1:
        # Without effects that are large, other variances would have to make up for them: digits of
        # the likelihood are lost. But then a smaller variance is rejected too.
        small = [estimate * _SMALL, 0.0]
        lost = (
            greatest(likelihood, _moved(best, place, each), place).value - best.value
            for each in small
        )
        if all(each <= quantile for each in lost):
            return 0.0, high
    return _end(likelihood, best, place, quantile, estimate / far), high


def _end(likelihood: Likelihood, best: Point, place: int, quantile: float, start: float) -> float:
    """Return the end on the side of `start` from the best point.

    Newton's method is applied to the square root of the loss of log-likelihood, as a function of
    the logarithm of the variance, within a bracket of the end. The derivative of the profile is the
    derivative of the likelihood at the best other variances.
    """
    outward = 1.0 if start > best.variances[place] else -1.0
    with np.errstate(divide="ignore"):
        inside, outside = float(np.log(best.variances[place])), outward * np.inf
    here, near = float(np.log(start)), best
    for _ in range(_STEPS):
        variance = float(np.exp(here))
        near = greatest(likelihood, _moved(near, place, variance), place)
        lost = max(near.value - best.value, 0.0)
        if lost <= quantile:
            inside = here
        else:
            outside = here
        slope = variance * float(near.gradient[place]) / 2
        step = outward * _LONGEST
        if outward * slope > 0:
            # (root(q) - root(lost)) / (slope / root(lost))
            newton = (np.sqrt(quantile * lost) - lost) / slope
            step = float(np.clip(newton, -_LONGEST, _LONGEST))
        if abs(step) <= _CLOSE:
            return float(np.exp(here + step))
        here += step
        low, high = sorted((inside, outside))
        if not low < here < high:
            here = (inside + outside) / 2
    raise ModelError(
        f"the interval of a variance has not converged after {_STEPS} steps; expected a smaller "
        "alpha, fewer random terms, or more topics"
    )


def _moved(point: Point, place: int, variance: float) -> Array:
    """Return starting variances with a new value at a place, and the others on their tangent."""
    free = point.variances > 0
    free[place] = False
    step = variance - point.variances[place]
    moved = point.variances.copy()
    if free.any():
        across = point.hessian[free, place]
        moved[free] -= step * np.linalg.solve(point.hessian[np.ix_(free, free)], across)
    moved = np.clip(moved, point.variances / 2, 2 * point.variances)
    moved[place] = variance
    return moved


@dataclass(frozen=True, eq=False)
class FixedEffects:
    """Coefficients (p,) of fixed effects, their covariance (p, p), and its precision.

    `by_variances` (k, p, p) are the derivatives of the covariance by the variances that are not
    0. `of_variances` (k, k) is the covariance of their estimates: 2 times the inverse Hessian of
    minus twice the log-likelihood. `residual` is the residual variance. All are in the unit of
    `parts`, and the intercept is without their centre. With fixed topics, `over_topics` has the
    variances of all combinations with the intercept.
    """

    coefficients: Array
    covariance: Array
    by_variances: Array
    of_variances: Array
    residual: float
    parts: Parts
    over_topics: OverTopics | None = None

    @classmethod
    def of(cls, best: Point, sums: Sums) -> FixedEffects:
        """Return the fixed effects at the maximum likelihood of sums.

        A variance of 0 is at the end of its range, and is treated as known.
        """
        free = best.variances > 0
        # Variances may differ by many orders of magnitude.
        size = best.variances[free]
        hessian = best.hessian[np.ix_(free, free)] * np.outer(size, size)
        inverse = np.linalg.inv(hessian) * np.outer(size, size)
        scale, square = sums.scale, sums.scale * sums.scale
        return cls(
            sums.least_squares + scale * best.coefficients,
            square * best.covariance,
            square * best.covariance_by_variances[free],
            np.asarray(2 * inverse, dtype=np.float64),
            square * float(best.variances[-1]),
            sums.parts,
        )

    @classmethod
    def within(cls, best: Point, sums: Sums, x: Array, blocks: Sequence[Array]) -> FixedEffects:
        """Return the fixed effects with fixed topics, of `best` within topics.

        x (slots, p) are the columns without the intercept, and `blocks` those of random terms. The
        intercept is the mean over topics of the scores without the effects of the columns. See
        `OverTopics` for variances of combinations with it.
        """
        own = cls.of(best, sums)
        over_topics = OverTopics.of(best, sums, x, blocks, own.coefficients)
        only_columns = ((0, 0), (1, 0), (1, 0))
        return cls(
            np.append(over_topics.intercept, own.coefficients),
            np.pad(own.covariance, only_columns[1:]),
            np.pad(own.by_variances, only_columns),
            own.of_variances,
            own.residual,
            own.parts,
            over_topics,
        )

    def estimates(self, rows: Array) -> tuple[Array, Array, Array, Array]:
        """Return linear combinations (m,) by rows (m, p), standard errors, df, and t of each.

        df = 2 V^2 / var(V), of the estimated variance V of a combination; var(V) is by the delta
        method (Giesbrecht and Burns, 1985, Biometrics 41). With fixed topics, combinations with
        the intercept have those of `OverTopics`. A combination that does not vary, apart
        from rounding errors, has the standard error 0 and NaN degrees of freedom. An example is the
        mean of topics if a scheme gives all topics the same mean.
        """
        value, stderr, df = self._in_unit(rows)
        of_mean = rows[:, 0] * self.parts.centre
        t = np.divide(value + of_mean, stderr, out=np.full_like(stderr, np.nan), where=stderr > 0)
        return self.parts.numbers(value + of_mean), self.parts.numbers(stderr), df, t

    def _in_unit(self, rows: Array) -> tuple[Array, Array, Array]:
        """Return the same in the unit of the parts, without their centre and without t."""
        variances = np.vecdot(rows @ self.covariance, rows)
        gradients = np.vecdot(rows @ self.by_variances, rows).T
        of_variances = np.vecdot(gradients @ self.of_variances, gradients)
        unknown = np.full_like(variances, np.nan)
        df = np.divide(2 * variances**2, of_variances, out=unknown, where=of_variances > 0)
        means = rows[:, 0] != 0
        if self.over_topics is not None and means.any():
            variances[means], df[means] = self.over_topics.variances(rows[means])
        constant = variances <= _ROUNDING * self.residual
        variances[constant], df[constant] = 0.0, np.nan
        return rows @ self.coefficients, np.sqrt(variances), df

    def f_test(self, rows: Array) -> tuple[float, float]:
        """Return F of the hypothesis that all m combinations are 0, and its denominator's df.

        F is the mean of the squares of m independent t statistics, for the principal axes of the
        combinations. With their degrees of freedom f_i, the expectation of m F is
        E = sum f_i / (f_i - 2), and df = 2 E / (E - m) gives F the same expectation (Fai and
        Cornelius, 1996, Journal of Statistical Computation and Simulation 54). df is 2 if an f_i is
        2 or less.
        """
        _, vectors = np.linalg.eigh(rows @ self.covariance @ rows.T)
        estimates, stderr, df = self._in_unit(vectors.T @ rows)
        f = float(np.mean((estimates / stderr) ** 2))
        if np.ptp(df) <= _EQUAL * df.max():
            return f, float(df.mean())
        if df.min() <= 2:
            return f, 2.0
        expected = float(np.sum(df / (df - 2)))
        return f, 2 * expected / (expected - len(df))


@dataclass(frozen=True, eq=False)
class OverTopics:
    """Variance of means over topics, from how far the part of each topic is from its expectation.

    With fixed topics, a mean l = (l_0, l_1) is linear in the scores of topics, which are
    independent: it is sum_t g_t' y_t. With n_t scores on topic t, T topics, the centre c_t of the
    columns on a topic, their mean c, and within topics the weights W_t, for which W_t 1 = 0,

        g_t = l_0 1 / (T n_t) + W_t X_t (sum_s X_s' W_s X_s)^-1 (l_1 - l_0 c)

    The residuals r_t = y_t - a - X_t b tell how it varies from topic to topic:

        variance = k sum_t u_t^2, u_t = g_t' r_t

    This holds for any covariance of the mean of a topic and the differences within it. The model
    has none: a scheme that is fitted to the scores changes it. k makes the variance unbiased, and
    the degrees of freedom are those of Satterthwaite, both for scores with the covariance
    Z G Z' + I of the model (as Bell and McCaffrey, 2002, Survey Methodology 28, have them). If each
    topic has all scores, they are k = T / (T - 1) and T - 1: the mean has the standard error and
    the t test of T numbers, one for each topic.

    `present` (g, slots) has the patterns of missing scores, and `residuals` the r_t of the topics
    of each. x (slots, p) are the columns without c, which is `centre`, and z (slots, q) those of
    random effects. `relative` (q,) are the variances of these effects, divided by that of the
    residuals. `spread` is (sum_t X_t' W_t X_t)^-1.
    """

    intercept: float
    centre: Array
    present: BoolArray
    residuals: tuple[Array, ...]
    x: Array
    z: Array
    relative: Array
    spread: Array

    @classmethod
    def of(
        cls,
        best: Point,
        sums: Sums,
        x: Array,
        blocks: Sequence[Array],
        coefficients: Array,
    ) -> OverTopics:
        """Return the parts of topics."""
        parts = sums.parts
        means = means_of_topics(parts.present, x)
        centre = means.mean(axis=0)
        x = x - centre
        own = (means - centre) @ coefficients
        of_topics = parts.of_topics - own
        mean = float(of_topics.mean())
        left = parts.within - x @ coefficients + (own + of_topics - mean)[:, np.newaxis]
        patterns, of_topic = np.unique(parts.present, axis=0, return_inverse=True)
        return cls(
            mean - float(centre @ coefficients),
            centre,
            patterns,
            tuple(left[of_topic.ravel() == i][:, own] for i, own in enumerate(patterns)),
            x,
            np.hstack(list(blocks)),
            (best.variances[:-1] / best.variances[-1])[sums.owners],
            best.spread,
        )

    def variances(self, rows: Array) -> tuple[Array, Array]:
        """Return the variances (m,) of combinations by rows (m, p + 1), and their df (m,)."""
        counts = np.array([len(own) for own in self.residuals])
        topics, p = counts.sum(), self.x.shape[1]
        of_mean = rows[:, 0] / topics
        on_slots = self.x @ (self.spread @ (rows[:, 1:] - np.outer(rows[:, 0], self.centre)).T)
        squares = np.zeros(len(rows))
        expected = np.empty((len(counts), len(rows)))
        # Of each pattern, D'g of the columns D = (1, X - c), and the covariance of the scores of a
        # topic, g'y, with the estimates of D. `of_both` is the covariance of these estimates.
        moved, shared = np.empty((2, len(counts), len(rows), p + 1))
        of_both = np.zeros((p + 1, p + 1))
        of_both[1:, 1:] = self.spread
        for i, (own, left) in enumerate(zip(self.present, self.residuals, strict=True)):
            x, weighted, with_covariance = self.x[own], *self._within(own)
            n = len(x)
            g = of_mean / n + weighted(on_slots[own])
            squares += np.square(left @ g).sum(axis=0)
            covered = with_covariance(g)
            expected[i] = np.vecdot(g.T, covered.T)
            moved[i] = np.column_stack([g.sum(axis=0), g.T @ x])
            shared[i, :, 0] = covered.mean(axis=0) / topics
            shared[i, :, 1:] = weighted(covered).T @ x @ self.spread
            mean = with_covariance(np.full((n, 1), 1 / (n * topics)))
            of_both[0, 0] += counts[i] * mean.mean() / topics
            of_both[0, 1:] += counts[i] * (weighted(mean)[:, 0] @ x @ self.spread)
        of_both[1:, 0] = of_both[0, 1:]
        traces, of_squares = np.empty((2, len(rows)))
        for row in range(len(rows)):
            own, across = moved[:, row], moved[:, row] @ shared[:, row].T
            # Covariances of the u of topics of two patterns, and variances of those of one.
            between = own @ of_both @ own.T - across - across.T
            same = between.diagonal() + expected[:, row]
            traces[row] = counts @ same
            of_squares[row] = counts @ (same**2 - between.diagonal() ** 2)
            of_squares[row] += counts @ between**2 @ counts
        return squares * (counts @ expected) / traces, traces**2 / of_squares

    def _within(self, own: BoolArray) -> tuple[_Linear, _Linear]:
        """Return W_t and Z G Z' + I of the topics with scores in these slots, as functions."""
        z = self.z[own]
        z_left = z - z.mean(axis=0)
        inner = np.eye(z.shape[1]) + z_left.T @ z_left * self.relative

        def weighted(columns: Array) -> Array:
            left = columns - columns.mean(axis=0)
            on_z = np.linalg.solve(inner, z_left.T @ left)
            return np.asarray(left - z_left @ (self.relative[:, np.newaxis] * on_z))

        def with_covariance(columns: Array) -> Array:
            return np.asarray(columns + z @ (self.relative[:, np.newaxis] * (z.T @ columns)))

        return weighted, with_covariance


def greatest(likelihood: Likelihood, start: Array, fixed: int | None = None) -> Point:
    """Return the point of maximum likelihood; one variance may be `fixed` at its start.

    Newton's method works on the variances themselves, so a variance can be exactly 0: this is the
    projected method of Bertsekas (1982, SIAM Journal on Control and Optimization 20). If the
    Hessian is not positive definite, the absolute values of its eigenvalues are used.

    Raises `ModelError` if it does not converge, and if the residual variance tends to 0.
    """
    point = likelihood(start)
    for _ in range(_STEPS_TO_OPTIMUM):
        free = (point.variances > 0) | (point.gradient < 0)
        if fixed is not None:
            free[fixed] = False
        step, convex = _step(point, free)
        moved = _towards(point.variances, step)
        length = np.abs(moved - point.variances) / np.maximum(point.variances, _SMALL_STEP)
        if convex and length.max() <= _CLOSE_TO_OPTIMUM:
            # The value is already that of the optimum, and a profile needs only the value.
            return likelihood(moved) if fixed is None else point
        point = _lower(likelihood, point, step)
        if point.variances[-1] < _ROUNDING_OF_OPTIMUM:
            raise ModelError(DETERMINED)
    raise ModelError(
        f"the likelihood has not converged after {_STEPS_TO_OPTIMUM} steps of Newton's method, so "
        "there are no estimates; expected fewer random terms, or more topics"
    )


def _step(point: Point, free: BoolArray) -> tuple[Array, bool]:
    """Return Newton's step on the free variances, and whether the likelihood is convex there."""
    scale = np.maximum(point.variances, 1e-3 * point.variances[-1])[free]
    hessian = scale[:, np.newaxis] * point.hessian[np.ix_(free, free)] * scale
    values, vectors = np.linalg.eigh(hessian)
    size = np.maximum(np.abs(values), 1e-12 * np.abs(values).max(initial=0.0))
    step = np.zeros(len(free))
    step[free] = -scale * (vectors @ ((vectors.T @ (scale * point.gradient[free])) / size))
    return step, bool((values > 0).all())


def _towards(variances: Array, step: Array) -> Array:
    """Return the variances after a step, shortened if it is too long or leads below 0."""
    most = np.maximum(variances, _FACTOR * (variances + variances[-1]))
    moved = np.clip(variances + step, 0.0, most)
    moved[-1] = max(moved[-1], variances[-1] / _FACTOR)
    return moved


def _lower(likelihood: Likelihood, point: Point, step: Array) -> Point:
    """Return a point of higher likelihood along the step, halved if needed (Armijo, 1966)."""
    part = 1.0
    while True:
        found = likelihood(_towards(point.variances, part * step))
        expected = float(point.gradient @ (found.variances - point.variances))
        if found.value <= point.value + 1e-4 * expected or abs(expected) <= _NOISE:
            return found
        part /= 2
