"""Generalizability: variance of systems, topics and interaction, and reliability of means."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from cdfscore.errors import ModelError
from cdfscore.io.scores.kinds import both_as_pandas
from cdfscore.models.absorbed import absorb
from cdfscore.models.crossed import Factor, columns_of
from cdfscore.numerics.numbers import between_0_and_1, whole_number_from
from cdfscore.numerics.types import Array
from cdfscore.standardization.factors import ExtraTopics
from cdfscore.standardization.standardizer import How, standardize

if TYPE_CHECKING:
    import pandas as pd
    from narwhals.typing import IntoFrame

SYSTEMS, TOPICS, INTERACTION = "system", "topic", "system:topic"


@dataclass(frozen=True, eq=False)
class GStudy:
    """Result of `g_study`: components of the variance of scores in a design topics x systems.

    `components` has a row for each of system, topic and system:topic, which is the residual too:
    ``df``, ``mean_square``, ``variance``, and ``proportion`` of the sum of variances. A negative
    estimate of a variance is 0, with a note. `scores` is the number of scores.
    """

    components: pd.DataFrame
    topics: int
    systems: int
    scores: int
    notes: list[str] = field(default_factory=list)

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
    of S systems on T topics, and sums of squares of each factor after the other (Henderson's
    method 3, 1953):

        var_residual = SS_residual / df_residual
        var_system = (SS(system | topic) - (S - 1) var_residual) / (N - T)
        var_topic = (SS(topic | system) - (T - 1) var_residual) / (N - S)

    Without missing scores these are (MS_system - MS_residual) / T and (MS_topic - MS_residual) / S
    (Brennan, 2001, Generalizability Theory, Table 3.2).

    Raises `ModelError` for fewer than two systems or topics, and where missing scores leave some
    systems on topics without any other.
    """
    frame, fitted_on = both_as_pandas(scores, reference)
    found = standardize(frame, scheme, fitted_on, extra_topics)
    return study_of(found.frame.to_numpy(), list(found.notes))


def study_of(values: Array, notes: list[str]) -> GStudy:
    """Return the G-study of scores (topics, systems), NaN where missing, with notes before its own.

    Raises what `g_study` raises of scores.
    """
    import pandas as pd

    values = values[~np.isnan(values).all(axis=1)]
    topics, systems = values.shape
    if topics < 2 or systems < 2:
        raise ModelError(
            f"there are {systems} systems on {topics} topics; expected at least two of each, to "
            "estimate their variances"
        )
    n = int(np.count_nonzero(~np.isnan(values)))
    squares, df = _complete(values) if n == values.size else _with_missing(values)
    error = squares[2] / df[2]
    estimates = [
        (squares[0] - df[0] * error) / (n - topics),
        (squares[1] - df[1] * error) / (n - systems),
        error,
    ]
    names = [SYSTEMS, TOPICS, INTERACTION]
    notes = [
        *notes,
        *(
            f"the estimated variance of {name} is {value:.6g}, below 0, and is set to 0"
            for name, value in zip(names, estimates, strict=True)
            if value < 0
        ),
    ]
    variances = np.maximum(estimates, 0.0)
    table = pd.DataFrame(
        {
            "df": df,
            "mean_square": np.divide(squares, df),
            "variance": variances,
            "proportion": variances / variances.sum(),
        },
        index=pd.Index(names, name="component"),
    )
    return GStudy(table, topics, systems, n, notes)


def _complete(values: Array) -> tuple[list[float], list[int]]:
    """Return the sums of squares of systems, topics and residuals, and their degrees of freedom."""
    topics, systems = values.shape
    centred = values - values.mean()
    of_systems, of_topics = centred.mean(axis=0), centred.mean(axis=1)
    residuals = centred - of_systems - of_topics[:, np.newaxis]
    squares = [
        topics * float(of_systems @ of_systems),
        systems * float(of_topics @ of_topics),
        float(np.vdot(residuals, residuals)),
    ]
    return squares, [systems - 1, topics - 1, (systems - 1) * (topics - 1)]


def _with_missing(values: Array) -> tuple[list[float], list[int]]:
    """Return the same of each factor after the other, by least squares."""
    topics, systems = values.shape
    squares, df = [], []
    for matrix in (values, values.T):  # systems given topics, and topics given systems
        columns = _dummies(matrix.shape[1])
        within = absorb(matrix, columns, np.ones((matrix.shape[1], 1)), topics=True)
        every = np.arange(columns.shape[1])
        added, rank = within.added(every, every[:0])
        squares.append(added)
        df.append(rank)
    residual, df_residual = within.residual(every)
    if df != [systems - 1, topics - 1] or df_residual < 1:
        raise ModelError(
            "because of missing scores, not all systems or not all topics can be compared; "
            "expected systems that share topics"
        )
    return [*squares, residual], [*df, df_residual]


def _dummies(levels: int) -> Array:
    factor = Factor("", tuple(map(str, range(levels))), np.arange(levels))
    return columns_of(("",), {"": factor})


@dataclass(frozen=True, eq=False)
class DStudy:
    """Result of `d_study`.

    `reliability` has a row for each number of topics: ``topics``, ``relative`` (E rho^2) and
    ``absolute`` (Phi), each with ``_low`` and ``_high``. `topics_needed` has one for each
    reliability: ``reliability``, and the numbers of topics ``relative`` and ``absolute``, each with
    ``_low`` and ``_high``; infinite where no number is enough.
    """

    reliability: pd.DataFrame
    topics_needed: pd.DataFrame
    confidence: float
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

    E rho^2, the generalizability coefficient, is that of the order of systems, and Phi, the index
    of dependability, that of their scores (Brennan, 2001, Eq. 1.8 and 1.9). The interval of E rho^2
    is of Feldt (1965, Psychometrika 30), and that of Phi of Arteaga, Jeyaratnam and Franklin (1982,
    Communications in Statistics 11), with `confidence` for both sides together. They assume normal
    effects, and are not defined with missing scores: NaN then, with a note.
    """
    import pandas as pd

    level = between_0_and_1("confidence", confidence, ModelError)
    sizes = [study.topics] if topics is None else list(topics)
    for size in sizes:
        whole_number_from("topics", size, 1, None, ModelError)
    for each in reliabilities:
        between_0_and_1("reliabilities", each, ModelError)
    variance = dict(study.components["variance"])
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
    return DStudy(pd.DataFrame(reliability), pd.DataFrame(needed), level, notes)


def _topics_for(reliability: float, ratio: float) -> float:
    if math.isnan(ratio):
        return math.nan
    return math.ceil(reliability / ((1 - reliability) * ratio)) if ratio > 0 else math.inf


def _ends(kind: str, study: GStudy, confidence: float) -> tuple[float, float]:
    """Return the interval of var_system / error of one topic."""
    tail = (1 - confidence) / 2
    ms_s, ms_t, ms_e = study.components["mean_square"]
    df_s, df_t, df_e = study.components["df"]
    n, k = study.topics, study.systems
    ends = []
    for p in (1 - tail, tail):
        f_e = special.fdtri(df_s, df_e, p)
        if kind == "relative":  # Feldt: MS_s / MS_e is (1 + n ratio) F(df_s, df_e)
            ratio = (ms_s / (ms_e * f_e) - 1) / n
        else:
            f_inf = special.chdtri(df_s, 1 - p) / df_s
            f_t = special.fdtri(df_s, df_t, p)
            above = ms_s**2 - f_inf * ms_s * ms_e + (f_inf - f_e) * f_e * ms_e**2
            ratio = k / n * above / ((k - 1) * f_inf * ms_s * ms_e + f_t * ms_s * ms_t)
        ends.append(max(float(ratio), 0.0))
    return ends[0], ends[1]
