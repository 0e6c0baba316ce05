"""Goals: R's numbers, 50 digits, and the smallest number of topics."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

import cdfscore.models.goals
from cdfscore.models import anova, d_study, g_study, plan
from cdfscore.models.goals import (
    MOST,
    Goal,
    Interval,
    OneWay,
    PairedT,
    Pilot,
    TwoWay,
    goals,
    parse_goal,
)
from cdfscore.r.session import RSession
from tests.models.pilots import GOALS, pilot_scores, with_variance

FOLDER = Path(str(cdfscore.models.goals.__file__)).parent
PILOT = Pilot.of([pilot_scores().to_numpy()])
SETTINGS = [
    (n, variance, difference, alpha, systems)
    for n in (2, 3, 10, 57, 1000)
    for variance, difference in ((0.05, 0.1), (0.02, 0.02), (3.0, 0.5))
    for alpha, systems in ((0.05, 2), (0.01, 10), (0.1, 110))
]


def in_r(r: RSession, name: str, *values: float) -> float:
    numbers = [r.rinterface.FloatSexpVector([value]) for value in values]
    return float(r.function_of(FOLDER / "goals.R", name)(*numbers)[0])


@pytest.mark.clause("goal.1")
def test_every_goal_is_listed() -> None:
    assert set(goals.names()) == {each.partition(":")[0] for each in GOALS}
    for spelling in GOALS:
        goal = parse_goal(spelling)
        assert f"{goal.name}:{next(iter(vars(goal)))}={goal.wanted}".startswith(goal.name)


@pytest.mark.clause("goal_paired_t.1", "goal_one_way.1", "goal_two_way.1", "goal_interval.1")
@pytest.mark.parametrize("setting", SETTINGS)
def test_parity_with_r(r: RSession, setting: tuple[int, float, float, float, int]) -> None:
    n, variance, difference, alpha, systems = setting
    pilot = with_variance(variance, systems)
    own: Any = {"difference": difference, "alpha": alpha}
    found: dict[str, tuple[Goal, tuple[float, ...]]] = {
        "paired_t": (PairedT(**own), (difference, alpha)),
        "one_way": (OneWay(**own, systems=systems), (difference, alpha, systems)),
        "two_way": (TwoWay(**own), (difference, alpha, systems)),
        "interval": (Interval(width=0.1, alpha=alpha), (alpha,)),
    }
    for name, (goal, values) in found.items():
        theirs = in_r(r, name, n, variance, *values)
        # R adds a noncentral F up to an error of 1e-9; 50 digits are with us, see below.
        near: Any = {"abs": 1e-9} if name.endswith("way") else {"rel": 1e-10}
        assert goal.at(n, pilot) == pytest.approx(theirs, **near)


@pytest.mark.clause("goal_one_way.1")
@pytest.mark.parametrize("setting", [each for each in SETTINGS if each[0] * each[4] < 100_000])
def test_the_twin_of_one_way_is_power_anova_test(
    r: RSession, setting: tuple[int, float, float, float, int]
) -> None:
    """But for more than 400,000 degrees of freedom, where R's qf takes them for infinitely many."""
    n, variance, difference, alpha, systems = setting
    between = difference**2 / (2 * (systems - 1))
    theirs = r.rinterface.globalenv.find("power.anova.test")(systems, n, between, variance, alpha)
    power = dict(zip(theirs.do_slot("names"), theirs, strict=True))["power"][0]
    own = in_r(r, "one_way", n, variance, difference, alpha, systems)
    assert own == pytest.approx(power, rel=1e-12)


@pytest.mark.clause("goal_one_way.1", "goal_two_way.1")
@pytest.mark.parametrize("kind", [OneWay, TwoWay])
@pytest.mark.parametrize(("n", "systems"), [(2, 2), (10, 110), (300, 10)])
def test_the_power_of_f_has_the_digits_of_the_true_value(
    kind: type[OneWay | TwoWay], n: int, systems: int
) -> None:
    goal = kind(difference=0.05)
    found = goal.at(n, with_variance(0.03, systems))
    df1, df2 = systems - 1, goal.df(n, systems)
    half = mp.mpf(n * 0.05**2 / (2 * 0.03)) / 2
    with mp.workdps(50):
        q = special.fdtri(df1, df2, 0.95)
        x = df1 * mp.mpf(q) / (df1 * mp.mpf(q) + df2)
        terms = [
            mp.exp(-half)
            * half**j
            / mp.factorial(j)
            * mp.betainc(mp.mpf(df1) / 2 + j, mp.mpf(df2) / 2, 0, x, regularized=True)
            for j in range(60)
        ]
        assert found == pytest.approx(float(1 - mp.fsum(terms)), rel=1e-13)


@pytest.mark.clause("goal_interval.1")
@pytest.mark.parametrize("n", [2, 3, 50, 1001, MOST])
def test_the_expected_width_has_the_digits_of_the_true_value(n: int) -> None:
    with mp.workdps(50):
        x = mp.mpf(n - 1) / 2
        s = mp.sqrt(mp.mpf(2) / (n - 1)) * mp.exp(mp.loggamma(x + 0.5) - mp.loggamma(x))
        width = Interval(width=1).at(n, with_variance(1))
        # The quantile of t is of SciPy on both sides; what is judged is the rest.
        q = width / 2 * mp.sqrt(n) / s
    expected = {2: 12.706204736174694, 3: 4.302652729749462, MOST: 1.9599642217656895}
    assert float(q) == pytest.approx(expected.get(n, special.stdtrit(n - 1, 0.975)), rel=2e-12)


@pytest.mark.clause("plan.1")
@pytest.mark.parametrize("text", GOALS)
def test_the_number_of_topics_is_the_first_that_is_enough(text: str) -> None:
    goal = parse_goal(text)
    n = goal.topics(PILOT)
    assert n > goal.fewest + 3
    *before, last = goal.curve(range(goal.fewest, n + 1), PILOT)
    assert goal.reached(last)
    assert not any(map(goal.reached, before))


@pytest.mark.clause("goal_one_way.1")
@given(st.lists(st.floats(-1, 1), min_size=2, max_size=9))
def test_the_configuration_is_the_hardest(means: list[float]) -> None:
    difference = max(means) - min(means)
    squares = float(((np.array(means) - np.mean(means)) ** 2).sum())
    assert squares >= difference**2 / 2 - 1e-12


@pytest.mark.clause("goal_generalizability.1", "goal_dependability.1")
@pytest.mark.parametrize(("kind", "topics"), [("generalizability", 29), ("dependability", 89)])
def test_topics_of_adhoc3_are_those_of_gt4ireval(shared_data: Path, kind: str, topics: int) -> None:
    from cdfscore import read_scores

    found = plan(read_scores(shared_data / "gt4ireval" / "adhoc3.csv"), f"{kind}:reliability=0.95")
    assert found.topics == topics


@pytest.mark.clause("goal_dependability.1")
def test_reliability_is_of_the_d_study() -> None:
    frame = pilot_scores()
    study = d_study(g_study(frame), [7])
    found = plan(frame, "dependability:reliability=0.9", topics=[7])
    assert found.curve["reliability"][0] == study.reliability["absolute"][0]


@pytest.mark.parametrize("kind", [PairedT, OneWay, TwoWay])
def test_tiny_levels_and_large_effects_have_a_power(kind: type[PairedT | OneWay | TwoWay]) -> None:
    pilot = with_variance(1.0, 500)
    assert kind(difference=1e6, alpha=1e-12).topics(pilot) <= 5
    strict, usual = (kind(difference=0.01, alpha=alpha).topics(pilot) for alpha in (1e-12, 0.05))
    assert usual < strict < 30 * usual
    assert kind(difference=0.01, alpha=0.9).topics(pilot) == 2


@pytest.mark.clause("plan.1")
def test_the_variance_of_pairs_is_told_unless_few_pairs_make_it() -> None:
    """One system of 50 is in 4 % of the pairs; without them, the mean is above all variances."""
    rng = np.random.default_rng(3)
    scores = 0.001 * rng.normal(size=(20, 50))
    scores[:, 7] += rng.normal(size=20)
    goal = Interval(width=0.1)
    assert goal.notes(20, Pilot.of([scores])) == []
    few = Pilot.of([scores[:, :30]])
    high = float(np.quantile(few.of_pairs, 0.95))
    (told,) = goal.notes(20, few)
    needed = goal.topics(replace(few, differences=high))
    assert told.startswith("the variance of the differences is the mean over 435 pairs, whose ")
    assert told.endswith(f"it is at most {high:.3g}, which needs {needed:,} topics instead of 20")
    assert goal.notes(20, Pilot.of([scores[:, 6:8]])) == []


@pytest.mark.clause("goal_dependability.1")
def test_a_reliability_rests_on_the_components_of_the_mean_squares() -> None:
    frame = pilot_scores(12, 5)
    squares = anova(frame, "score ~ topic + system").table.set_index("term")["mean_square"]
    residual = squares["residual"]
    found = parse_goal("dependability:reliability=0.9").variances(Pilot.of([frame.to_numpy()]))
    assert found == {
        "systems": pytest.approx((squares["system"] - residual) / 12),
        "topics": pytest.approx((squares["topic"] - residual) / 5),
        "residual": pytest.approx(residual),
    }
