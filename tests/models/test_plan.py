"""plan: answers, curves, checks by resampling, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from cdfscore import CdfscoreError, Standardizer, datasets
from cdfscore.errors import ModelError
from cdfscore.models import plan
from tests.models.pilots import GOALS, pilot_scores

FRAME = pilot_scores()
T = "paired_t:difference=0.3"


@pytest.mark.clause("plan.1")
def test_the_answer_is_a_sentence_with_its_assumptions() -> None:
    found = plan(datasets.load_cranfield("ap").iloc[:50, :20], "paired_t:difference=0.05")
    variance = f"{found.pilot.differences:.3g}"
    assert found.answer == (
        f"With {found.topics} topics the paired t test detects a difference of 0.05 with power 0.8 "
        "at alpha 0.05, if differences are normal and have the variance of the pilot, "
        f"{variance} (20 systems, 50 topics)"
    )
    assert repr(found) == f"<{found.answer}>"
    assert "190 pairs" in found.notes[-1]


@pytest.mark.clause("pilot.2")
def test_other_pilots_are_standardized_by_themselves_and_pooled() -> None:
    other = pilot_scores(30, 8, seed=5) * 3
    found = plan(FRAME, T, scheme="normal", others=[other])
    single = [plan(each, T, scheme="normal").pilot.residual for each in (FRAME, other)]
    assert found.pilot.residual == pytest.approx((59 * single[0] + 29 * single[1]) / 88)


@pytest.mark.clause("plan.2")
@pytest.mark.parametrize("goal", [*GOALS[:4], "two_way:difference=0.3,systems=3"])
def test_resamples_of_normal_scores_agree_with_the_formula(goal: str) -> None:
    frame = pilot_scores(400)
    check = plan(frame, goal, check=700, seed=3).check
    assert check is not None
    assert check.value == pytest.approx(check.formula, abs=3.5 * check.stderr)
    assert check.stderr < 0.02


@pytest.mark.clause("plan.2", "goal_two_way.1")
def test_resamples_that_miss_the_goal_say_so() -> None:
    """F has fewer degrees of freedom than its formula where many systems are near variants."""
    found = plan(datasets.load_cranfield("ap"), "two_way:difference=0.1", check=200)
    assert found.check is not None
    assert found.check.value < 0.7
    assert found.check.formula > 0.8
    assert found.notes[-1].endswith("the resamples do not reach 0.8, so use more topics")


def test_tables_and_figures() -> None:
    found = plan(FRAME, T, check=100)
    assert found.answer in found.to_markdown()
    assert "topics & power" in found.to_latex()
    for each in (found, plan(FRAME, "interval:width=0.3")):
        (axes,) = each.plot().axes
        assert (axes.get_xlabel(), axes.get_ylabel()) == (
            "Number of topics",
            each.goal.quantity.capitalize(),
        )


@pytest.mark.clause("plot_plan.1")
def test_a_figure_has_the_curve_the_goal_the_answer_and_the_check() -> None:
    found = plan(FRAME, T, check=100)
    assert found.check is not None
    (axes,) = found.plot().axes
    lines = [np.asarray(line.get_xydata()).tolist() for line in axes.lines]
    assert found.curve[["topics", "power"]].to_numpy(float).tolist() in lines
    assert [[found.topics, found.value]] in lines
    assert [[found.check.topics, found.check.value]] in lines
    (dashed,) = (line for line in axes.lines if line.get_linestyle() == "--")
    assert set(dashed.get_ydata()) == {0.8}
    (bar,) = axes.collections
    ends = np.asarray(bar.get_paths()[0].vertices)[:, 1]
    assert ends == pytest.approx(found.check.value + np.array([-2, 2]) * found.check.stderr)


SAME = pd.DataFrame(np.add.outer([0.25, 0.5, 0.125], [0.1, 0.2]), columns=["a", "b"])
HOLE = FRAME.copy()
HOLE.iloc[0, 0] = np.nan

BAD: list[tuple[dict[str, Any], str]] = [
    ({"goal": "paired_t"}, "paired_t needs a value of difference; expected such as 'paired_t:diff"),
    ({"goal": "interval"}, "expected such as 'interval:width=0.1'"),
    ({"goal": "anova:difference=1"}, "no goal 'anova', which may mean one_way or two_way"),
    ({"goal": "paired_t:diff=1"}, "paired_t has no setting 'diff'; its settings are difference"),
    ({"goal": "paired_t:difference=0"}, "paired_t: difference=0.0 is not accepted; expected a fin"),
    ({"goal": "two_way:difference=-1"}, "two_way: difference=-1.0 is not accepted"),
    ({"goal": "interval:width=0"}, "interval: width=0.0 is not accepted"),
    ({"goal": "paired_t:difference=1,power=1"}, "power=1.0 is not accepted; expected a number b"),
    ({"goal": "one_way:difference=1,alpha=0"}, "alpha=0.0 is not accepted; expected a number betw"),
    ({"goal": "interval:width=1,alpha=95"}, "alpha=95.0 is not accepted"),
    ({"goal": "dependability:reliability=1"}, "reliability=1.0 is not accepted"),
    ({"goal": "one_way:difference=1,systems=1"}, "systems=1 is not accepted; expected a whole num"),
    ({"goal": 0.05}, "goal=0.05 is not accepted; expected a goal such as"),
    ({"goal": "paired_t:difference=1e-6"}, "a power of 0.8 needs more than 10,000,000 topics"),
    ({"goal": "one_way:difference=1e-6"}, "one_way: a power of 0.8 needs more than 10,000,000"),
    ({"goal": "two_way:difference=1e-6"}, "two_way: a power of 0.8 needs more than 10,000,000"),
    ({"goal": "interval:width=1e-9"}, "a width of 1e-09 needs more than 10,000,000 topics; expect"),
    ({"goal": "dependability:reliability=0.99999999"}, "a reliability of 0.99999999 needs more"),
    ({"goal": "dependability:reliability=0.99999999"}, "expected a lower reliability, or a pilot"),
    ({"pilot": FRAME.iloc[:1]}, "the pilot has 8 systems on 1 topics; expected at least two of"),
    ({"pilot": FRAME.iloc[:, :1]}, "the pilot has 1 systems on 60 topics; expected at least two"),
    ({"pilot": SAME}, "the same differences between systems on all topics, so they have no"),
    ({"pilot": SAME * 0}, "the same differences between systems"),
    ({"pilot": HOLE}, "missing"),
    (
        {"pilot": HOLE, "scheme": Standardizer("raw", missing="omit")},
        "the pilot lacks 1 of 480 scores; expected a score of every system on every topic, for",
    ),
    (
        {"pilot": SAME, "scheme": "z", "reference": SAME.mul([0, 1, 1], axis=0)},
        "the pilot has infinite scores; expected finite scores, for example by another policy",
    ),
    ({"pilot": FRAME * 2e120}, "whose squares are near the ends of the doubles; expected a unit i"),
    ({"pilot": FRAME * 1e-121}, "in which it is from 1e-120 to 1e+120"),
    ({"others": [FRAME.iloc[:1]]}, "pilot 2 has 8 systems on 1 topics"),
    ({"others": [FRAME], "goal": GOALS[-1]}, "needs one pilot, and there are 2"),
    (
        {"others": [FRAME.iloc[:, :3]], "goal": GOALS[1]},
        "one_way: the pilots have different numbers of systems; expected the number of systems",
    ),
    ({"goal": GOALS[-1], "check": 100}, "there is no check of dependability by resampling"),
    ({"check": 99}, "check=99 is not accepted; expected a whole number from 100 to 1000000000, or"),
    ({"check": 100.5}, "check=100.5 is not accepted"),
    ({"seed": -1}, "seed=-1 is not accepted"),
    ({"topics": [1]}, "topics=1 is not accepted; expected a whole number from 2 to 10000000"),
]


@pytest.mark.clause("pilot.1", "goal.1")
@pytest.mark.parametrize(("changes", "fragment"), BAD)
def test_bad_input_is_refused_in_one_sentence(changes: dict[str, Any], fragment: str) -> None:
    given: dict[str, Any] = {"pilot": FRAME, "goal": T} | changes
    with pytest.raises(CdfscoreError) as caught:
        plan(given.pop("pilot"), given.pop("goal"), **given)
    assert fragment in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "fragment"),
    [
        ({"others": [FRAME]}, "a check needs one pilot, and there are 2"),
        ({"goal": f"{GOALS[1]},systems=9"}, "9 systems cannot be drawn from the 8 of the pilot"),
    ],
)
def test_a_plan_that_cannot_be_checked_says_so(changes: dict[str, Any], fragment: str) -> None:
    given: dict[str, Any] = {"pilot": FRAME, "goal": T} | changes
    expected, found = plan(**given), plan(**given, check=100)
    assert (found.check, found.answer) == (None, expected.answer)
    assert found.notes[:-1] == expected.notes
    assert found.notes[-1].startswith("not checked by resampling: ")
    assert fragment in found.notes[-1]


@pytest.mark.clause("d_study.2", "goal_generalizability.1", "goal_dependability.1")
@pytest.mark.parametrize("goal", ["generalizability", "dependability"])
@pytest.mark.parametrize("reliability", [1e-9, 0.5, 0.9])
@pytest.mark.parametrize("offset", [0.0, 4.0])
def test_no_number_of_topics_is_enough_if_systems_do_not_differ(
    goal: str, reliability: float, offset: float
) -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(30, 1)) + rng.normal(size=(30, 3))
    values -= values.mean(axis=0) - offset
    frame = pd.DataFrame(values, columns=list("abc"))
    with pytest.raises(
        ModelError,
        match=f"{goal}: no number of topics reaches a reliability of {reliability!r}, because the "
        "estimated variance of systems is 0",
    ):
        plan(frame, f"{goal}:reliability={reliability}")
