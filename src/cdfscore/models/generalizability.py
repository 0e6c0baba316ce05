"""Generalizability: variance of systems, topics and interaction, and reliability of means."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

import numpy as np
import pandas as pd
from scipy import special

from cdfscore.errors import ModelError
from cdfscore.models.formula import Parts, absorb, beyond_doubles, doubly_centred
from cdfscore.scores.dataframes import IntoFrame, both_as_pandas
from cdfscore.standardization.standardized import ExtraTopics, Standardized
from cdfscore.standardization.standardizer import How, standardize
from cdfscore.stats.numerics.numbers import between_0_and_1, whole_number_from
from cdfscore.stats.numerics.types import Array

SYSTEMS, TOPICS, INTERACTION = "system", "topic", "system:topic"
#: The part of a number that is as good as the whole: 6.000000000000001 topics are 6.
REACHED = 1 - 1e-12


@dataclass(frozen=True, eq=False)
class GStudy:
    """Result of `g_study`: components of the variance of scores in a design topics x systems.

    Attributes
    ----------
    components
        One row for each of system, topic and system:topic, which is also the residual: ``df``,
        ``mean_square``, ``variance``, and ``proportion`` of the sum of the variances. A negative
        estimate of a variance is set to 0, and a note states it.
    topics, systems, scores
        The numbers of topics, systems and scores.
    notes
        Sentences on the results.
    mean_squares, variances
        Those of the components, of scores that are divided by a power of two, so that the largest
        is below 1. They are numbers in any unit of the scores.
    standardized
        The scores, for `cdfscore.verify`; none in the study of a plan.
    """

    components: pd.DataFrame
    topics: int
    systems: int
    scores: int
    notes: list[str] = field(default_factory=list)
    mean_squares: tuple[float, ...] = ()
    variances: tuple[float, ...] = ()
    standardized: tuple[Standardized, ...] = ()

    @property
    def complete(self) -> bool:
        """True if no score is missing."""
        return self.scores == self.topics * self.systems


def g_study(
    scores: IntoFrame,
    scheme: How = "raw",
    *,
    reference: IntoFrame | None = None,
    extra_topics: ExtraTopics = "refuse",
) -> GStudy:
    """Estimate the components of variance of scores: systems, topics, and their interaction.

    The model is x_ts = mu + system_s + topic_t + residual_ts with all effects random. With N scores
    of S systems on T topics, and with the sum of squares of each factor given the other
    (Henderson's method 3, 1953):

        var_residual = SS_residual / df_residual
        var_system = (SS(system | topic) - (S - 1) var_residual) / (N - T)
        var_topic = (SS(topic | system) - (T - 1) var_residual) / (N - S)

    Without missing scores these are (MS_system - MS_residual) / T and (MS_topic - MS_residual) / S
    (Brennan, 2001, Generalizability Theory, Table 3.2).

    Parameters
    ----------
    scores
        Topics x systems, in a data frame of any kind.
    scheme
        The scheme of the scores; "raw" analyzes the scores as they are.
    reference, extra_topics
        As for `cdfscore.compare`.

    Raises
    ------
    ModelError
        For fewer than two systems or topics, and if because of missing scores not all systems or
        not all topics can be compared with each other; for scores that are sums of effects of
        topics and systems.
    CdfscoreError
        For input that `compare` refuses.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.models import g_study
    >>> study = g_study(datasets.load_cranfield_grid("ap"))
    >>> study.components[["df", "variance", "proportion"]].round(4)
                     df  variance  proportion
    component
    system           71    0.0028      0.0388
    topic           224    0.0595      0.8115
    system:topic  15904    0.0110      0.1497
    """
    frame, fitted_on = both_as_pandas(scores, reference)
    found = standardize(frame, scheme, fitted_on, extra_topics)
    return replace(study_of(found.frame.to_numpy(), list(found.notes)), standardized=(found,))


def study_of(values: Array, notes: list[str]) -> GStudy:
    """Return the G-study of scores (topics, systems), NaN where missing."""
    values = values[~np.isnan(values).all(axis=1)]
    topics, systems = values.shape
    if topics < 2 or systems < 2:
        raise ModelError(
            f"there are {systems} systems on {topics} topics; expected at least two of each, to "
            "estimate their variances"
        )
    parts = Parts.of(values)
    n = int(parts.present.sum())
    squares, df = _complete(values, parts) if n == values.size else _with_missing(values)
    if squares[2] <= parts.rounding:
        raise ModelError(
            "the scores are the sum of effects of topics and of systems, except for rounding "
            "errors, so the variance of their interaction is 0; expected scores whose differences "
            "between systems are not the same on all topics"
        )
    error = squares[2] / df[2]
    estimates = np.array(
        [
            (squares[0] - df[0] * error) / (n - topics),
            (squares[1] - df[1] * error) / (n - systems),
            error,
        ]
    )
    names = [SYSTEMS, TOPICS, INTERACTION]
    mean_squares = np.divide(squares, df)
    variances = np.maximum(estimates, 0.0)
    notes = [
        *notes,
        *(
            f"the estimated variance of {name} is {_in_digits(value, own, parts.exponent)}, below "
            "0, and is set to 0"
            for name, value, own in zip(names, parts.squares(estimates), estimates, strict=True)
            if own < 0
        ),
    ]
    table = pd.DataFrame(
        {
            "df": df,
            "mean_square": parts.squares(mean_squares),
            "variance": parts.squares(variances),
            "proportion": variances / variances.sum(),
        },
        index=pd.Index(names, name="component"),
    )
    notes += beyond_doubles("the scores", table["mean_square"].to_numpy())
    return GStudy(table, topics, systems, n, notes, tuple(mean_squares), tuple(variances))


def _in_digits(square: float, own: float, exponent: int) -> str:
    """Return a square, `own` times 4^exponent, to 6 digits, also where it is no normal double."""
    if np.finfo(np.float64).tiny <= abs(square) < np.inf:
        return f"{square:.6g}"
    return f"{Decimal(float(own)) * Decimal(4) ** exponent:.6g}"


def _complete(values: Array, parts: Parts) -> tuple[list[float], list[int]]:
    """Return the sums of squares of systems, topics and residuals, and their degrees of freedom."""
    topics, systems = values.shape
    residuals = doubly_centred(np.ldexp(values, -parts.exponent))
    of_systems = parts.within.mean(axis=0)
    squares = [
        topics * float(of_systems @ of_systems),
        systems * float(parts.of_topics @ parts.of_topics),
        float(np.vdot(residuals, residuals)),
    ]
    return squares, [systems - 1, topics - 1, (systems - 1) * (topics - 1)]


def _with_missing(values: Array) -> tuple[list[float], list[int]]:
    """Return the same of each factor after the other, by least squares."""
    topics, systems = values.shape
    squares, df, residuals = [], [], []
    for matrix in (values, values.T):  # systems given topics, and topics given systems
        levels = matrix.shape[1]
        columns = np.vstack([np.eye(levels - 1), -np.ones((1, levels - 1))])
        ones = np.ones((levels, 1))
        within = absorb(Parts.of(matrix), columns, ones, topics=True)
        every = np.arange(columns.shape[1])
        added, rank = within.added(every, every[:0])
        squares.append(added)
        df.append(rank)
        residuals.append(within.residual(every))
    residual, df_residual = residuals[0]  # without topics, whose effects are larger
    if df != [systems - 1, topics - 1] or df_residual < 1:
        raise ModelError(
            "because of missing scores, not all systems or not all topics can be compared; "
            "expected systems that share topics"
        )
    return [*squares, residual], [*df, df_residual]


@dataclass(frozen=True, eq=False)
class DStudy:
    """Result of `d_study`: reliabilities, and numbers of topics that reach a reliability.

    Attributes
    ----------
    reliability
        One row for each number of topics: ``topics``, ``relative`` (E rho^2) and ``absolute``
        (Phi), each with the ends ``_low`` and ``_high`` of its interval.
    topics_needed
        One row for each reliability: ``reliability``, and the numbers of topics ``relative`` and
        ``absolute``, each with ``_low`` and ``_high``; infinite if no number of topics is enough.
    confidence
        The confidence of the intervals.
    study
        The G-study.
    notes
        Sentences on the results, with those of the G-study.
    """

    reliability: pd.DataFrame
    topics_needed: pd.DataFrame
    confidence: float
    study: GStudy
    notes: list[str] = field(default_factory=list)


def d_study(
    study: GStudy,
    topics: Sequence[int] | None = None,
    reliabilities: Sequence[float] = (0.95,),
    *,
    confidence: float = 0.95,
) -> DStudy:
    """Estimate the reliability of means over n' topics, and the topics for a reliability.

        E rho^2 = var_system / (var_system + var_residual / n')
        Phi = var_system / (var_system + (var_topic + var_residual) / n')

    E rho^2, the generalizability coefficient, is the reliability of the order of systems. Phi, the
    index of dependability, is the reliability of their scores (Brennan, 2001, Eq. 1.8 and 1.9). The
    interval of E rho^2 is by Feldt (1965, Psychometrika 30). The interval of Phi is by Arteaga,
    Jeyaratnam and Franklin (1982, Communications in Statistics 11). Both are two-sided and assume
    normal effects. With missing scores they are not defined: they are NaN, and a note states it.

    Parameters
    ----------
    study
        The result of `g_study`.
    topics
        Numbers of topics n', 1 or more; the number of topics of the study if not given.
    reliabilities
        Reliabilities between 0 and 1 for which the number of topics is computed.
    confidence
        The confidence of the intervals, between 0 and 1.

    Raises
    ------
    ModelError
        For no number of topics or one below 1, for no reliability, and for one or a confidence that
        is not between 0 and 1.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.models import d_study, g_study
    >>> study = g_study(datasets.load_cranfield_grid("ap"))
    >>> d_study(study, topics=[25, 50]).reliability[["topics", "relative", "absolute"]].round(3)
       topics  relative  absolute
    0      25     0.866     0.502
    1      50     0.928     0.669
    """
    level = between_0_and_1("confidence", confidence, ModelError)
    sizes = [study.topics] if topics is None else list(topics)
    for name, given in (("topics", sizes), ("reliabilities", reliabilities)):
        if not len(given):
            raise ModelError(f"{name} is empty; expected one number or more")
    for size in sizes:
        whole_number_from("topics", size, 1, None, ModelError)
    for each in reliabilities:
        between_0_and_1("reliabilities", each, ModelError)
    variance = dict(zip(study.components.index, study.variances, strict=True))
    errors = {
        "relative": variance[INTERACTION],
        "absolute": variance[TOPICS] + variance[INTERACTION],
    }
    notes = list(study.notes)
    if not study.complete:
        notes.append("there are no intervals, because they are not defined with missing scores")
    # Ratios var_system / error of one topic: estimate, low, high.
    ratios = {}
    for kind, error in errors.items():
        ends = _ends(kind, study, level) if study.complete else (math.nan, math.nan)
        ratios[kind] = (variance[SYSTEMS] / error, *ends)
    names = {"": 0, "_low": 1, "_high": 2}
    reliability = [
        {"topics": size}
        | {
            f"{kind}{name}": size * own[i] / (1 + size * own[i])
            for kind, own in ratios.items()
            for name, i in names.items()
        }
        for size in sizes
    ]
    # A larger ratio needs fewer topics.
    needed = [
        {"reliability": each}
        | {
            f"{kind}{name}": _topics_for(each, own[(0, 2, 1)[i]])
            for kind, own in ratios.items()
            for name, i in names.items()
        }
        for each in reliabilities
    ]
    return DStudy(pd.DataFrame(reliability), pd.DataFrame(needed), level, study, notes)


def _topics_for(reliability: float, ratio: float) -> float:
    if math.isnan(ratio):
        return math.nan
    enough = reliability / ((1 - reliability) * ratio) if ratio > 0 else math.inf
    return math.ceil(enough * REACHED) if math.isfinite(enough) else enough


def _ends(kind: str, study: GStudy, confidence: float) -> tuple[float, float]:
    tail = (1 - confidence) / 2
    ms_s, ms_t, ms_e = study.mean_squares
    df_s, df_t, df_e = study.components["df"]
    n, k = study.topics, study.systems
    ends = []
    for p in (1 - tail, tail):
        f_e = special.fdtri(df_s, df_e, p)
        if ms_s <= ms_e * f_e:  # where `above` has another root, far below, and rises again
            ratio = 0.0
        elif kind == "relative":  # Feldt: MS_s / MS_e is (1 + n ratio) F(df_s, df_e)
            ratio = (ms_s / (ms_e * f_e) - 1) / n
        else:
            f_inf = special.chdtri(df_s, 1 - p) / df_s
            f_t = special.fdtri(df_s, df_t, p)
            above = ms_s * ms_s - f_inf * ms_s * ms_e + (f_inf - f_e) * f_e * (ms_e * ms_e)
            ratio = k / n * above / ((k - 1) * f_inf * ms_s * ms_e + f_t * ms_s * ms_t)
        ends.append(float(ratio))
    return ends[0], ends[1]
