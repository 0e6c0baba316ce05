"""Plans, the goodness of fit of a diagnosis, Monte Carlo errors, and reproduced percentiles."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.special import ndtr

from cdfscore import parse_scheme
from cdfscore.diagnosis.criteria import STATISTICS, Resolution, pit_histogram, sampling_band
from cdfscore.diagnosis.diagnosis import Draws, bootstrap, ranking
from cdfscore.experiments.rates import percentile_interval
from cdfscore.models.goals import (
    Dependability,
    Generalizability,
    Interval,
    OneWay,
    PairedT,
    Pilot,
    TwoWay,
    check_by_resampling,
)
from cdfscore.stats.numerics.tails import upper_tail
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance import anova_two_way, paired_t
from cdfscore.stats.significance.contract import significance_tests
from validation.coverage.cells import Cell, average, covered, generators, proportion, ratio, sampled

TRIALS, PILOTS, TOPICS, REPEATED = 10_000, 400, 600, 1_000
SYSTEMS = 4
#: The standard deviations of the effects of systems and topics, and of the residuals.
SDS = (0.5, 1.0, 1.0)


def pilot() -> Pilot:
    """Return a pilot whose variances are the true ones: the formulas assume that they are known."""
    return Pilot((), SDS[1] ** 2 + SDS[2] ** 2, SDS[2] ** 2, 2 * SDS[2] ** 2, np.zeros(0))


def scores_of(topics: int, means: Array, own_topics: bool = False) -> Array:
    """Return scores (trials, topics, systems) of systems with these means."""

    def sample(rng: np.random.Generator) -> Array:
        of_topics = SDS[1] * rng.normal(size=(topics, len(means) if own_topics else 1))
        return np.asarray(of_topics + means + SDS[2] * rng.normal(size=(topics, len(means))))

    return sampled(f"plan {topics} {len(means)} {own_topics}", TRIALS, sample)


def of_goals() -> Iterator[Cell]:
    """With the number of topics of a plan, the power, the width and the reliability."""
    known = pilot()
    for difference in (0.5, 1.5):
        pair = PairedT(difference)
        n = pair.topics(known)
        y = scores_of(n, np.array([difference, 0.0]))
        p = paired_t(y[..., 0], y[..., 1]).p_value
        yield proportion(
            "plan, power of paired_t", _design(n, difference), pair.at(n, known), p <= 0.05
        )
        means = difference * np.array([0.5, 0.0, 0.0, -0.5])
        two = TwoWay(difference, systems=SYSTEMS)
        n = two.topics(known)
        p = anova_two_way(scores_of(n, means)).p_value
        yield proportion(
            "plan, power of two_way", _design(n, difference), two.at(n, known), p <= 0.05
        )
        one = OneWay(difference, systems=SYSTEMS)
        n = one.topics(known)
        y = scores_of(n, means, own_topics=True)
        between = n * y.mean(axis=1).var(axis=1, ddof=1)
        f = between / y.var(axis=1, ddof=1).mean(axis=1)
        p = upper_tail(f, SYSTEMS - 1, SYSTEMS * (n - 1))
        yield proportion(
            "plan, power of one_way", _design(n, difference), one.at(n, known), p <= 0.05
        )
    for width in (0.5, 2.0):
        goal = Interval(width)
        n = goal.topics(known)
        y = scores_of(n, np.zeros(2))
        found = paired_t(y[..., 0], y[..., 1])
        design = f"{n} topics for a width of {width:g}"
        yield average(
            "plan, width of interval", design, goal.at(n, known), found.conf_high - found.conf_low
        )


def _design(n: int, difference: float) -> str:
    return f"{n} topics for a difference of {difference:g}"


def of_reliability() -> Iterator[Cell]:
    """Means over n topics: systems by new topics, and errors about their means over all topics.

    E rho^2 is the covariance of the means over two sets of topics, over systems, divided by their
    variance; Phi divides by the variance about the mean of all topics.
    """
    sds = np.square(SDS)
    for kind, reliability in ((Generalizability, 0.8), (Dependability, 0.8)):
        error = sds[2] + (sds[1] if kind is Dependability else 0.0)
        n = int(np.ceil(reliability / (1 - reliability) * error / sds[0]))
        nominal = sds[0] / (sds[0] + error / n)
        products = []
        for rng in generators(f"reliability {n}", TRIALS // 4):
            systems = SDS[0] * rng.normal(size=200)
            means = [
                systems
                + SDS[1] * rng.normal() / np.sqrt(n)
                + SDS[2] * rng.normal(size=200) / np.sqrt(n)
                for _ in range(2)
            ]
            if kind is Dependability:  # the means of all topics and systems are 0
                square = (means[0] @ means[0] + means[1] @ means[1]) / 2
                products.append((means[0] @ means[1], square))
            else:
                covariance = np.cov(*means)
                products.append((covariance[0, 1], np.trace(covariance) / 2))
        name = "generalizability" if kind is Generalizability else "dependability"
        yield ratio(f"plan, {name}", f"{n} topics for 0.8", nominal, np.array(products))


def of_checks() -> Iterator[Cell]:
    """The check by resampling, beside the formula with the variances of the same pilot."""
    for topics in (20, 100):
        found: dict[str, list[float]] = {"paired_t": [], "interval": [], "two_way": []}
        for k, rng in enumerate(generators(f"pilot {topics}", PILOTS)):
            y = SDS[1] * rng.normal(size=(topics, 1)) + SDS[2] * rng.normal(size=(topics, SYSTEMS))
            own = Pilot.of([y])
            for name, goal in (
                ("paired_t", PairedT(1.0)),
                ("interval", Interval(1.0)),
                ("two_way", TwoWay(1.0)),
            ):
                check = check_by_resampling(goal, own, 20, 100, seed=k)
                found[name].append(check.value / check.formula - 1)
        for name, values in found.items():
            yield average(
                f"plan, check of {name} against formula",
                f"pilots of {topics} topics, 20 topics in a resample",
                0.0,
                values,
            )


def of_monte_carlo() -> Iterator[Cell]:
    """Squared differences of two p values by other draws, beside their standard errors."""
    for name in ("permutation", "bootstrap_shift", "bootstrap_studentized", "permutation_unpaired"):
        test = significance_tests.load(name)
        squares = []
        for k, rng in enumerate(generators(f"monte carlo {name}", REPEATED)):
            x, y = rng.normal(size=(2, 25))
            a, b = (test(x, y, B=199, seed=2 * k + i) for i in range(2))
            expected = a.p_value_stderr**2 + b.p_value_stderr**2
            squares.append(((a.p_value - b.p_value) ** 2, expected))
        yield ratio(f"{name}, squared error of p", "25 topics, B = 199", 1.0, np.array(squares))


def of_diagnosis() -> Iterator[Cell]:
    """P values of a true distribution, fitted and known; and the band of the PIT histogram."""
    draws = Draws(99, 99, 5)
    laws = {
        "normal": lambda rng, n: rng.normal(0.4, 0.1, n),
        "exponential": lambda rng, n: rng.exponential(0.1, n),
        "beta": lambda rng, n: rng.beta(2, 4, n),
    }
    for name, law in laws.items():
        for n, step in ((5, 1e-6), (10, 1e-6), (30, 1e-6), (30, 0.05)):
            if name == "beta" and step == 0.05:
                continue  # a score of 0 has no fit
            p = []
            for k, rng in enumerate(generators(f"fit {name} {n}", TOPICS)):
                sample = np.sort(np.round(law(rng, n) / step) * step)
                if sample[0] == sample[-1]:
                    continue
                fitted = parse_scheme(name).fit(sample[np.newaxis])
                p.append(bootstrap(fitted, sample, Resolution(step, "found"), draws, str(k)).p)
            for place, statistic in enumerate(STATISTICS):
                values = np.array(p)[:, place]
                design = f"{name}, {n} scores, " + (
                    f"multiples of {step:g}" if step > 1e-3 else "continuous"
                )
                yield proportion(
                    f"diagnose, p of {statistic}", design, 0.05, values <= 0.05, np.isnan(values)
                )


def of_pit_band() -> Iterator[Cell]:
    """The first and the middle bin of pooled PIT, known and left-one-out."""
    for n in (10, 50):
        topics = 1_000 // n
        low, high = sampling_band(topics * n, 10)
        for known in (True, False):
            hits = []
            for rng in generators(f"pit {n}", TOPICS):
                x = rng.normal(size=(topics, n))
                if known:
                    u = ndtr(x)
                else:
                    others = (x.sum(axis=1, keepdims=True) - x) / (n - 1)
                    squares = ((x**2).sum(axis=1, keepdims=True) - x**2) - (n - 1) * others**2
                    u = ndtr((x - others) / np.sqrt(squares / (n - 2)))
                share = pit_histogram(u.ravel(), u.ravel(), 10) / u.size
                hits.append((low <= share) & (share <= high))
            inside = np.array(hits)
            design = f"{topics} topics of {n} normal scores, " + (
                "known" if known else "fitted to the others"
            )
            yield proportion("diagnose, band of an end bin", design, 0.95, inside[:, 0])
            yield proportion("diagnose, band of a middle bin", design, 0.95, inside[:, 5])


def of_ranking() -> Iterator[Cell]:
    """Intervals of the CRPS above that of the best of schemes with the same expectation.

    The scheme is the last one, unless it is the best.
    """
    for schemes in (2, 5, 10):
        low, high = [], []
        for rng in generators(f"ranking {schemes}", REPEATED):
            crps = rng.normal(size=(30, 1)) + rng.normal(size=(30, schemes))
            found = ranking(pd.DataFrame(crps, columns=[f"s{i}" for i in range(schemes)]), 0.05)
            *_, last = (own for own in found.values() if own["crps_rank"] > 1)
            low.append(last["crps_above_low"])
            high.append(last["crps_above_high"])
        design = f"30 topics, {schemes} equal schemes"
        yield covered("diagnose, CRPS above the best", design, 0.95, low, high, 0.0)


def of_percentiles() -> Iterator[Cell]:
    """Intervals of a percentile of the rates of random partitions."""
    for partitions, percent in ((100, 50), (100, 97.5), (1000, 97.5)):
        rates = sampled(f"rates {partitions}", PILOTS * 5, lambda rng, k=partitions: rng.random(k))
        intervals = np.array([percentile_interval(each, percent) for each in rates])
        design = f"{partitions} partitions, percentile {percent:g}"
        low, high = intervals.T
        yield covered("reproduce, interval of a percentile", design, 0.95, low, high, percent / 100)
