"""Diagnosis of how well distributions fit the scores of topics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from cdfscore.diagnosis.assembling import assembled, tasks_of
from cdfscore.diagnosis.draws import Draws
from cdfscore.diagnosis.resolution import resolution_of
from cdfscore.diagnosis.settings import USUAL, Settings, distributions
from cdfscore.io.scores.cautions import sentences
from cdfscore.schemes.base import Scheme
from cdfscore.standardization.matrix import ScoreMatrix
from cdfscore.standardization.notes import dropped_notes, missing_notes
from cdfscore.standardization.policies import direction
from cdfscore.standardization.policies import missing as missing_scores
from cdfscore.standardization.policies.direction import AnyLowerIsBetter
from cdfscore.standardization.policies.missing import MissingPolicy
from cdfscore.standardization.scale import mixed_scales

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame

    from cdfscore.diagnosis.result import Diagnosis


def diagnose(
    scores: IntoFrame,
    schemes: Sequence[str | Scheme] = USUAL,
    *,
    resolution: float | None = None,
    alpha: float = 0.05,
    bootstrap: int = 999,
    most: int | None = None,
    seed: int = 1,
    bins: int = 10,
    missing: MissingPolicy = "raise",
    lower_is_better: AnyLowerIsBetter = (),
    reflect_at: float = 0.0,
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Diagnosis:
    """Diagnose how well distributions fit the scores of each topic.

    A score x with resolution d represents a true score in (x - d/2, x + d/2], and has probability
    F(x + d/2) - F(x - d/2). So the same likelihood, computed from the cdf, compares densities and
    distributions with point masses; see `cdfscore.diagnosis.resolution`.

    Parameters
    ----------
    scores
        Topics x systems, in a data frame of any kind; the tables of the result are of pandas.
    schemes
        Distributions, or their spellings. If not given, normal, uniform and empirical (N-std,
        U-std, E-std), and kernel, a smooth form of E-std. All of these can be fitted to scores of
        any range.
    resolution
        Number that all scores are multiples of; found from the scores if not given.
    alpha
        The level of the tests, and of the conclusions in `summary` and `verdict`.
    bootstrap
        Resamples for each topic, B; 0 for no tests. B is not an upper limit: if p is near the
        smallest possible value, about 2 topics / alpha resamples are drawn, so that p can stay
        below alpha after Holm's correction; see `cdfscore.diagnosis.draws.Draws`. About 20,000
        resamples of normal are fitted in a second. If a distribution is wrong on all of 249
        topics, 9,999 resamples of each are drawn: about 2 minutes for normal, 6 for beta, 20 to
        30 for mixture and logspline.
    most
        Maximum number of resamples of a topic, at least B; None for as many as Holm's
        correction needs.
        No p value is less than 1 / (most + 1), so that with few resamples and many topics none
        can be rejected after correction. The notes then say how many resamples are needed.
    seed
        Seed of the resamples. Their uniform numbers depend on it and the topic's label alone;
        their number depends on the number of topics and on alpha.
    bins
        Bins of the histogram.
    missing
        "raise", "omit", "zero" or "drop_topic"; see
        `cdfscore.standardization.policies.missing.check_policy`.
    lower_is_better, reflect_at
        Topics on which lower is better, or True for all, and the number that their scores are
        reflected at, if not 0, for negated scores; as `Standardizer` takes them. Distributions
        are fitted to the reversed scores.
    jobs
        Threads; None is the calling one. The numbers do not depend on it.
    progress
        Function called after each topic with the number of topics done and the total, over
        all schemes.

    Raises
    ------
    SchemeError
        If there is no scheme, or a scheme is unknown, given twice or not a distribution; if
        alpha, bootstrap, most, seed, bins or jobs is out of range; if negated scores are
        outside of the domain of a distribution.
    ScoresError
        If the scores are not a score matrix, or are not multiples of the resolution, or if no
        topic has a label of `lower_is_better`.
    MissingScoreError
        If a score is missing and missing="raise".

    Notes
    -----
    A topic whose scores are all equal is uninformative and is not diagnosed; so is one with a
    single score or, after missing="omit", none. All these are counted as constant. For an
    unfitted topic, `fits` has the reason in place of numbers.

    Warns by `CdfscoreWarning`, as `notes` do, if the tests of fit cannot reject with so few
    resamples, or have little power with fewer than 10 scores on a topic; of scores on another
    scale than the rest; and of a topic or system that may be a summary of the others.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> scores = datasets.load_cranfield("ap").iloc[:5]
    >>> found = diagnose(scores, ["normal", "exponential"], bootstrap=99)
    >>> found.summary[["scheme", "fitted", "crps_wins", "crps_rank"]]
            scheme  fitted  crps_wins  crps_rank
    0       normal       5          5          1
    1  exponential       5          0          2
    """
    chosen = distributions(schemes)
    settings = Settings.of(
        alpha=alpha, bootstrap=bootstrap, most=most, seed=seed, bins=bins, jobs=jobs
    )
    missing_scores.check_policy(missing)
    lower, at = direction.check_policy(lower_is_better, reflect_at, *chosen)
    given = ScoreMatrix.of(scores)
    direction.check_labels(lower, given.topics, given.systems)
    matrix = direction.settled(given, "scores", missing, lower, at)
    doubts = given.doubts(direction.reversed_topics(lower, given.topics), reference=True)
    values, topics = matrix.values, list(matrix.topics)
    written = resolution_of(values, resolution)
    draws = Draws.of(settings.bootstrap, settings.seed, len(topics), settings.alpha, settings.most)
    return assembled(
        [task for scheme in chosen for task in tasks_of(scheme, values, topics, written, draws)],
        chosen,
        matrix,
        written,
        draws,
        settings,
        missing,
        told=[*sentences(doubts), *mixed_scales(given, lower)],
        notes=[
            *given.notes(),
            *direction.notes(lower, at, matrix.topics),
            *_notes(given, matrix, missing),
        ],
        progress=progress,
    )


def _notes(given: ScoreMatrix, kept: ScoreMatrix, missing: MissingPolicy) -> tuple[str, ...]:
    """Describe what the policy did to missing scores."""
    topics = set(kept.topics)
    dropped = [topic for topic in given.topics if topic not in topics]
    absent = 0 if missing == "drop_topic" else given.missing()
    return (*dropped_notes(dropped), *missing_notes(absent, missing))
