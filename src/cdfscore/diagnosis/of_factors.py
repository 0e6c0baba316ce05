"""Diagnosis of factors: how well distributions fit the scores of new systems."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.diagnosis.assembling import Task, assembled
from cdfscore.diagnosis.draws import Draws
from cdfscore.diagnosis.resolution import resolution_of
from cdfscore.diagnosis.settings import Settings, distributions
from cdfscore.diagnosis.topic import examine_known, not_fitted
from cdfscore.errors import FactorsError
from cdfscore.io.text import listed
from cdfscore.numerics.moments import count
from cdfscore.numerics.types import BoolArray
from cdfscore.schemes.zero_inflated import ZeroInflated
from cdfscore.standardization.factors import ExtraTopics, Factors, check_extra
from cdfscore.standardization.matrix import ScoreMatrix

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame

    from cdfscore.diagnosis.resolution import Resolution
    from cdfscore.diagnosis.result import Diagnosis
    from cdfscore.standardization.standardized import Standardized


def diagnose_factors(
    scores: IntoFrame,
    factors: Factors,
    *,
    extra_topics: ExtraTopics = "refuse",
    resolution: float | None = None,
    alpha: float = 0.05,
    bootstrap: int = 999,
    most: int | None = None,
    seed: int = 1,
    bins: int = 10,
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Diagnosis:
    """Diagnose how well published distributions fit the scores of other systems.

    The distribution F_t of each topic is used as it was fitted. The null hypothesis is that the
    scores of the new systems come from F_t. It is simple, since no parameter is estimated:
    each score is predicted by F_t, resamples are not fitted again, and AIC and BIC are -2 log L.

    Parameters
    ----------
    scores
        Topics x systems. The factors must have been fitted to other scores.
    factors
        A distribution for each topic, with its policies.
    extra_topics
        What to do with topics that have no factors: "refuse" (an error) or "drop".
    resolution, alpha, bootstrap, most, seed, bins, jobs, progress
        As `diagnose` takes them.

    Raises
    ------
    SchemeError
        If the scheme of the factors is not a distribution, or a setting is out of range.
    FactorsError
        If the factors were fitted to these scores, in any order, or a topic has no factors, or
        `zero_inflated` factors of steps or lines do not state n.
    CdfscoreError
        For scores that `Factors.standardize` refuses.

    Notes
    -----
    The tests treat F_t as exact, although it was fitted to a sample of reference systems. The
    type I error is therefore above alpha. It increases with the number of new systems and
    decreases with the number of reference systems. Empirical and kernel are not tested, because
    they follow the reference scores.

    `fits` has a reason instead of numbers for topics that are constant in the reference, topics
    with one score or none, and unfitted topics. Cautions are those of `Factors.standardize` and
    `diagnose`, and one on systems that have the name of a reference system.

    Examples
    --------
    >>> from cdfscore import Standardizer, datasets
    >>> scores = datasets.load_cranfield("ap").iloc[:20]
    >>> factors = Standardizer("normal").fit(scores.iloc[:, ::2])
    >>> found = diagnose_factors(scores.iloc[:, 1::2], factors, bootstrap=99)
    >>> found.summary[["scheme", "topics", "fitted", "tested"]]
       scheme  topics  fitted  tested
    0  normal      20      20      20
    """
    check_extra(extra_topics)
    scheme = factors.fitted.scheme
    distributions([scheme])
    if factors.n is None and isinstance(scheme, ZeroInflated) and scheme.degree_between in (0, 1):
        raise FactorsError(
            f"{factors!r} do not say how many reference scores each topic has, which decides the "
            "PIT of steps and lines; expected factors with n"
        )
    settings = Settings.of(
        alpha=alpha, bootstrap=bootstrap, most=most, seed=seed, bins=bins, jobs=jobs
    )
    found = factors.standardize_matrix(ScoreMatrix.of(scores), extra_topics=extra_topics)
    if found.fitted_to == "these scores":
        raise FactorsError(
            f"{factors!r} were fitted to these scores, so that every test would be too "
            "favorable; expected scores of other systems, or diagnose with the scheme"
        )
    matrix = found.used
    written = resolution_of(matrix.values, resolution)
    topics = len(matrix.topics)
    draws = Draws.of(settings.bootstrap, settings.seed, topics, settings.alpha, settings.most)
    return assembled(
        _tasks(found, written, draws),
        [scheme],
        matrix,
        written,
        draws,
        settings,
        factors.missing,
        told=[*_seen_before(found), *found.cautions],
        notes=[
            f"{scheme} is used as it was fitted{_fitted_to(found)}, and treated as exact; with few "
            "reference scores, it may be rejected because of its sampling error",
            *(note for note in found.notes if note not in found.cautions),
        ],
        progress=progress,
    )


def _common_systems(found: Standardized) -> list[str]:
    """Return the systems that have the name of a reference system."""
    reference = set(found.factors.systems or ())
    return [system for system in found.given.systems if system in reference]


def _seen_before(found: Standardized) -> list[str]:
    """Return the caution on scores that the factors may have been fitted to."""
    common = _common_systems(found)
    if not common:
        return []
    number = f"{len(common)} of {len(found.given.systems)} systems"
    return [
        f"{number} ({listed(common)}) {'has' if len(common) == 1 else 'have'} the name of a "
        "reference system: if the factors were fitted to these scores, every test is too favorable"
    ]


def _fitted_to(found: Standardized) -> str:
    """Return to which scores the factors were fitted, if those are not partly the same."""
    return "" if _common_systems(found) else f" to {found.fitted_to}"


def _tasks(found: Standardized, written: Resolution, draws: Draws) -> list[Task]:
    """Return the task of each topic."""
    factors, matrix = found.factors, found.used
    scheme = factors.fitted.scheme
    place = {topic: row for row, topic in enumerate(factors.topics)}
    constant = set(factors.constant_topics)
    counts = np.count_nonzero(~np.isnan(matrix.values), axis=1).tolist()
    rough = _are_rough(factors)
    tasks: list[Task] = []
    for row, (topic, n) in enumerate(zip(matrix.topics, counts, strict=True)):
        if topic in factors.unfitted_topics:
            reason = factors.unfitted_topics[topic]
        elif topic in constant:
            reason = "all its reference scores are equal"
        elif n < 2:
            reason = "there is only one score" if n else "there is no score"
        else:
            scores = matrix.values[row][~np.isnan(matrix.values[row])]
            fitted = factors.fitted.take(np.array([place[topic]]))
            examined = partial(
                examine_known,
                rough=bool(rough[place[topic]]),
                known=None if factors.n is None else int(factors.n[place[topic]]),
            )
            tasks.append((examined, (fitted, scores, written, draws, topic)))
            continue
        tasks.append((not_fitted, (scheme, topic, n, reason, topic in constant or n < 2)))
    return tasks


def _are_rough(factors: Factors) -> BoolArray:
    """Tell for which topics the parameters contain the reference scores; shape (topics,).

    This holds for empirical and kernel, and for zero_inflated with either. It is known from the
    fit alone, since the scheme may be one that cannot be fitted to the new scores.
    """
    scheme, rough = factors.fitted.scheme, np.zeros(len(factors.topics), np.bool_)
    if scheme.free_parameters is not None:
        return rough
    if "sample" in (scheme.component or scheme).parameter_names():
        return ~rough
    if factors.n is not None:  # of a scheme that has another name for them
        for values in factors.fitted.parameters.values():
            rough |= (count(values)[:, 0] == factors.n) & (factors.n > 1)
    return rough
