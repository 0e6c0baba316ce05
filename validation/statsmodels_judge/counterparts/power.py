"""Power of t and F, and the number of topics, the difference, or the level for a power."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from mpmath import mp, mpf
from statsmodels.stats.power import TTestIndPower, TTestPower

from cdfscore.errors import SignificanceError
from cdfscore.models.goals import OneWay, Pilot, TwoWay
from cdfscore.stats.judge.models import GOALS
from cdfscore.stats.power import power_t
from validation.statsmodels_judge.counterpart import GOAL, Counterpart, Given, Numbers
from validation.statsmodels_judge.data import Source
from validation.statsmodels_judge.distributions import (
    f_point,
    noncentral_f_lower,
    noncentral_t_lower,
    root,
    t_point,
)

TYPES = ("one_sample", "two_sample")
SIDES = {"two-sided": "two-sided", "one-sided": "larger"}
#: What is solved for, by our name and that of statsmodels.
UNKNOWN = {"n": "nobs", "delta": "effect_size", "sig_level": "alpha"}


def _designs(source: Source) -> Iterator[tuple[str, Given]]:
    rng = np.random.default_rng(source.seed)
    for number in range(source.count):
        n = int(rng.choice([2, 3, 5, 10, 25, 50, 100, 250]))
        for alternative in SIDES:
            yield (
                f"n {n}",
                {
                    "n": float(n),
                    # in standard errors from next to nothing to what is always found
                    "delta": float(rng.uniform(0.05, 6) / np.sqrt(n)),
                    "sig_level": float(rng.choice([0.001, 0.01, 0.05, 0.1])),
                    "type": TYPES[number % 2],
                    "alternative": alternative,
                },
            )


def _power_by_us(**given: Any) -> Numbers:
    return {"power": power_t(sd=1.0, strict=True, **given).power}


def _test(type: str) -> Any:
    return TTestIndPower() if type == "two_sample" else TTestPower()


def _power_by_statsmodels(
    n: float, delta: float, sig_level: float, type: str, alternative: str
) -> Numbers:
    found = _test(type).power(delta, n, sig_level, alternative=SIDES[alternative])
    return {"power": found}


def true_power(n: mpf, delta: mpf, sig_level: mpf, type: str, alternative: str) -> mpf:
    """Return the power of a t test; of two sides, that in both tails."""
    samples, sides = 2 if type == "two_sample" else 1, 2 if alternative == "two-sided" else 1
    df, c = (n - 1) * samples, mp.sqrt(n / samples) * delta
    q = t_point(sig_level / sides, df)
    upper = noncentral_t_lower(-q, df, -c)
    return upper + noncentral_t_lower(-q, df, c) if sides == 2 else upper


def _power_truth(n: float, delta: float, sig_level: float, **kind: str) -> Numbers:
    return {"power": true_power(mpf(n), mpf(delta), mpf(sig_level), **kind)}


def _problems(source: Source) -> Iterator[tuple[str, Given]]:
    """Yield designs of known power, with one quantity unknown."""
    for number, (name, given) in enumerate(_designs(source)):
        power = power_t(sd=1.0, strict=True, **given).power
        # next to 1, or to the level, a power does not tell what it is of
        if given["sig_level"] * 1.1 < power < 0.999:
            unknown = list(UNKNOWN)[number % 3]
            yield f"{unknown}, {name}", {"unknown": unknown, **given, "power": power}


def _solved_by_us(unknown: str, **given: Any) -> Numbers:
    try:
        found = power_t(sd=1.0, strict=True, **{**given, unknown: None})
    except SignificanceError:
        return {"solution": np.nan}
    return {"solution": getattr(found, unknown)}


def _solved_by_statsmodels(unknown: str, type: str, alternative: str, **given: Any) -> Numbers:
    named = {UNKNOWN.get(name, name): value for name, value in given.items()}
    named[UNKNOWN[unknown]] = None
    if type == "two_sample":
        named["nobs1"] = named.pop("nobs")
        named["ratio"] = 1.0
    found = _test(type).solve_power(**named, alternative=SIDES[alternative])
    return {"solution": np.ravel(found)[0]}


def _solved_truth(unknown: str, power: float, **given: Any) -> Numbers:
    def miss(value: mpf) -> mpf:
        kind = {name: given[name] for name in ("type", "alternative")}
        numbers = {name: mpf(given[name]) for name in UNKNOWN}
        return true_power(**{**numbers, unknown: value}, **kind) - mpf(power)

    # The power was computed in doubles from this value, and so it is near.
    return {"solution": root(miss, mpf(given[unknown]))}


def _layouts(source: Source) -> Iterator[tuple[str, Given]]:
    rng = np.random.default_rng(source.seed)
    for number in range(source.count):
        systems, topics = int(rng.choice([2, 3, 10, 50])), int(rng.choice([2, 5, 25, 100]))
        variance = float(rng.choice([0.01, 0.05, 3.0]))
        yield (
            f"{systems} systems, {topics} topics",
            {
                "topics": topics,
                "systems": systems,
                "variance": variance,
                "difference": float(rng.uniform(0.1, 8) * np.sqrt(variance / topics)),
                "alpha": float(rng.choice([0.01, 0.05, 0.1])),
                "two_way": number % 2 == 1,
            },
        )


def _of_f_by_us(
    topics: int, systems: int, variance: float, difference: float, alpha: float, two_way: bool
) -> Numbers:
    pilot = Pilot((np.zeros((2, systems)),), variance, variance, variance, np.full(1, variance))
    goal = (TwoWay if two_way else OneWay)(difference=difference, alpha=alpha, systems=systems)
    return {"power": goal.at(topics, pilot)}


def _of_f_by_statsmodels(
    *, topics: int, variance: float, two_way: bool, **settings: Any
) -> Numbers:
    goal = "two_way" if two_way else "one_way"
    return {"power": GOALS(goal, topics, np.array([variance]), settings)}


def _of_f_truth(
    topics: int, systems: int, variance: float, difference: float, alpha: float, two_way: bool
) -> Numbers:
    df1 = mpf(systems - 1)
    df2 = df1 * (topics - 1) if two_way else mpf(systems) * (topics - 1)
    noncentrality = topics * mpf(difference) ** 2 / (2 * mpf(variance))
    q = f_point(mpf(alpha), df1, df2)
    return {"power": 1 - noncentral_f_lower(q, df1, df2, noncentrality)}


COUNTERPARTS = (
    Counterpart(
        "power_t(strict=True)",
        "TTestPower, TTestIndPower: power",
        _designs,
        _power_by_us,
        _power_by_statsmodels,
        "power_t",
        _power_truth,
        covers=("power_t",),
    ),
    Counterpart(
        "power_t(strict=True), solved",
        "TTestPower, TTestIndPower: solve_power",
        _problems,
        _solved_by_us,
        _solved_by_statsmodels,
        "solved",
        _solved_truth,
        covers=("power_t",),
    ),
    Counterpart(
        "goals OneWay, TwoWay",
        "FTestPower",
        _layouts,
        _of_f_by_us,
        _of_f_by_statsmodels,
        "power_of_f",
        _of_f_truth,
        covers=(f"one_way{GOAL}", f"two_way{GOAL}"),
    ),
)
