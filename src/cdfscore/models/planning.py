"""How many topics: the smallest number that reaches a goal, from pilot data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.cautions import each_once, warn_of
from cdfscore.errors import ModelError
from cdfscore.io.scores.kinds import both_as_pandas
from cdfscore.io.text import written
from cdfscore.models.goals import MOST, Goal, Pilot, as_goal
from cdfscore.numerics.numbers import MOST_RESAMPLES, whole_number_from
from cdfscore.showing import Shown
from cdfscore.standardization.standardized import ExtraTopics, Standardized
from cdfscore.standardization.standardizer import How, name_of, standardize

if TYPE_CHECKING:
    import pandas as pd
    from narwhals.typing import IntoFrame

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

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.models import plan
    >>> plan(datasets.load_cranfield("ap").iloc[:50], "interval:width=0.1").topics
    57
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
    import pandas as pd

    wanted = as_goal(goal)
    sizes = [] if topics is None else list(topics)
    check_settings(wanted, sizes, check, seed)
    with each_once():
        found = [_standardized(each, scheme, reference, extra_topics) for each in (pilot, *others)]
    data = Pilot.of([each.frame.to_numpy() for each in found])
    if (refusal := wanted.refusal(data)) is not None:
        raise ModelError(refusal)
    own, in_unit = wanted.in_unit(data)
    number = own.topics(in_unit)
    curve = pd.DataFrame({"topics": sizes or _sizes(wanted.fewest, number)})
    exponent = data.exponent if wanted.quantity == "width" else 0
    curve[wanted.quantity] = np.ldexp(own.curve(curve["topics"].tolist(), in_unit), exponent)
    value = math.ldexp(own.at(number, in_unit), exponent)
    unchecked = _no_check(wanted, data) if check else None
    resampled = None
    if check and unchecked is None:
        resampled = check_by_resampling(own, in_unit, number, check, seed)
    if resampled is not None:
        resampled = resampled.scaled(exponent)
    few = _few(data)
    warn_of(few)
    name = name_of(scheme)
    told = data.told if name == "raw" else f"{data.told}, scores by {name}"
    scaled = f"{wanted.on_the_scale} is in units of scores by {name}, and not of other schemes"
    notes = [note for each in found for note in each.notes]
    notes += [scaled] if wanted.on_the_scale and name != "raw" else []
    notes += [*few, *wanted.notes(number, data), *([resampled.told(wanted)] if resampled else [])]
    notes += [f"not checked by resampling: {unchecked}"] if unchecked else []
    return Plan(
        wanted,
        name,
        data,
        number,
        value,
        curve,
        f"{wanted.sentence(number, data)} ({told})",
        resampled,
        list(dict.fromkeys(notes)),
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


def _standardized(
    scores: IntoFrame, scheme: How, reference: IntoFrame | None, extra_topics: ExtraTopics
) -> Standardized:
    frame, fitted_on = both_as_pandas(scores, reference)
    return standardize(frame, scheme, fitted_on, extra_topics)


def _no_check(goal: Goal, pilot: Pilot) -> str | None:
    if len(pilot.matrices) == 1:
        return goal.resampling_refusal(pilot)
    return f"a check needs one pilot, and there are {len(pilot.matrices)}"


def _sizes(fewest: int, topics: int) -> list[int]:
    """Return numbers of topics up to twice the answer, which is one of them."""
    found = np.linspace(fewest, max(2 * topics, fewest + _POINTS), _POINTS).round().astype(int)
    return sorted({*found.tolist(), topics})


def _few(pilot: Pilot) -> list[str]:
    """Return a caution if all pilots together have few topics."""
    topics = sum(map(len, pilot.matrices))
    if topics >= FEW:
        return []
    return [
        f"with a pilot of {topics} topics the variance is uncertain, and so is the number of "
        f"topics; at least {FEW} topics are advised (Sakai and Shang, 2016)"
    ]


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

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.models import plan
    >>> found = plan(datasets.load_cranfield("ap").iloc[:50], "interval:width=0.1", check=100)
    >>> found.check.topics, found.check.resamples, f"{found.check.formula:.4f}"
    (57, 100, '0.0996')
    """

    topics: int
    value: float
    stderr: float
    formula: float
    resamples: int
    seed: int

    def scaled(self, exponent: int) -> Check:
        """Return the check with values times 2^exponent."""
        value, stderr, formula = (
            math.ldexp(each, exponent) for each in (self.value, self.stderr, self.formula)
        )
        return replace(self, value=value, stderr=stderr, formula=formula)

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
    """Return the quantity of a goal in resamples of topics, drawn with replacement.

    The systems have equal means before a difference is added to one of two, and their variances are
    those of the formula (`Pilot.centred`). So only the shape of the distribution and the variances
    of pairs differ from the formula. Resample k depends on the seed and k only.
    """
    centred = pilot.centred(within_topics=goal.within_topics)
    values = np.array(
        [
            goal.resampled(centred, topics, np.random.default_rng([seed, k]))
            for k in range(resamples)
        ]
    )
    stderr = float(values.std(ddof=1)) / math.sqrt(resamples)
    return Check(topics, float(values.mean()), stderr, goal.at(topics, pilot), resamples, seed)
