"""All systems of a matrix: F of systems and topics, Tukey's test, and the studentized range."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pandas as pd
from mpmath import mp, mpf
from statsmodels.stats.anova import AnovaRM
from statsmodels.stats.libqsturng import psturng, qsturng
from statsmodels.stats.multicomp import pairwise_tukeyhsd

from cdfscore import Standardizer
from cdfscore.models import anova
from cdfscore.stats.judge.tests import TESTS
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance import anova_two_way, studentized_range
from validation.campaign.truth.base import exact
from validation.statsmodels_judge import data
from validation.statsmodels_judge.counterpart import Counterpart, Given, Numbers
from validation.statsmodels_judge.counterparts.means import numbers_of
from validation.statsmodels_judge.data import Source
from validation.statsmodels_judge.distributions import (
    f_upper,
    root,
    studentized_range_upper,
)

#: The most scores of `AnovaRM`, whose design has a column for each topic and system.
_MOST_CELLS = 1500
RAW = Standardizer("raw", missing="omit")


def as_frame(scores: Array) -> pd.DataFrame:
    """Return scores with names of topics and systems."""
    return pd.DataFrame(
        scores,
        index=pd.Index([f"t{i:03}" for i in range(len(scores))], name="topic"),
        columns=[f"s{i:03}" for i in range(scores.shape[1])],
    )


def in_long_form(scores: Array) -> pd.DataFrame:
    """Return a row for each score that is not missing."""
    wide = as_frame(scores).reset_index()
    return wide.melt("topic", var_name="system", value_name="score").dropna()


def _matrices(source: Source) -> Iterator[tuple[str, Given]]:
    for name, scores in data.score_matrices(source):
        if scores.std(axis=1).any() and scores.shape[1] > 1:
            yield name, {"scores": scores}


def _two_way_by_us(scores: Array) -> Numbers:
    return numbers_of(anova_two_way(scores[np.newaxis]))


def _two_way_by_statsmodels(scores: Array) -> Numbers:
    if scores.size > _MOST_CELLS:
        return {}
    f, df, _, p = (
        AnovaRM(in_long_form(scores), "score", "topic", ["system"]).fit().anova_table.iloc[0]
    )
    # Below this F is a rounding error, and p, which falls as its root, has few digits.
    return {"statistic": f, "parameter": df, "p_value": p if f > 1e-9 else np.nan}


def _two_way_truth(scores: Array) -> Numbers:
    rows = [exact(row) for row in scores]
    n, m = scores.shape
    mean = mp.fsum(map(mp.fsum, rows)) / (n * m)
    of_topics = [mp.fsum(row) / m for row in rows]
    of_systems = [mp.fsum(row[j] for row in rows) / n for j in range(m)]
    between = n * mp.fsum((each - mean) ** 2 for each in of_systems) / (m - 1)
    residuals = mp.fsum(
        (value - of_topics[i] - of_systems[j] + mean) ** 2
        for i, row in enumerate(rows)
        for j, value in enumerate(row)
    )
    f = between / (residuals / ((n - 1) * (m - 1)))
    return {
        "statistic": f,
        "parameter": mpf(m - 1),
        "p_value": f_upper(f, m - 1, (n - 1) * (m - 1)),
    }


def unequal_groups(source: Source) -> Iterator[tuple[str, Given]]:
    """Yield matrices with two scores or more of each system, and some missing."""
    rng = np.random.default_rng([source.seed, 3])
    for name, scores in data.score_matrices(source):
        holes = np.where(rng.random(scores.shape) < 0.2, np.nan, scores)
        holes[:2], holes[:, 0] = scores[:2], scores[:, 0]
        within = holes - np.nanmean(holes, axis=0)
        if np.nansum(within**2) > 1e-20 * np.nansum(holes**2):
            yield name, {"scores": holes}


def _tukey(source: Source) -> Iterator[tuple[str, Given]]:
    for name, given in unequal_groups(source):
        yield name, {**given, "conf_level": 0.95}


def _tukey_by_us(scores: Array, conf_level: float) -> Numbers:
    found = anova(as_frame(scores), "score ~ system", schemes=[RAW]).contrasts("system", "tukey")
    # statsmodels and R take the earlier system from the later one
    return {
        "estimate": -found["estimate"].to_numpy(),
        "stderr": found["stderr"].to_numpy(),
        "p_adjusted": found["p_adjusted"].to_numpy(),
    }


def _tukey_by_statsmodels(scores: Array, conf_level: float) -> Numbers:
    long = in_long_form(scores)
    found = pairwise_tukeyhsd(long["score"], long["system"], alpha=1 - conf_level)
    return {"estimate": found.meandiffs, "p_adjusted": found.pvalues}


def _tukey_truth(scores: Array, conf_level: float) -> Numbers:
    groups = [exact(column) for column in scores.T]
    means = [mp.fsum(group) / len(group) for group in groups]
    within = mp.fsum(
        (v - mean) ** 2 for group, mean in zip(groups, means, strict=True) for v in group
    )
    df = sum(map(len, groups)) - len(groups)
    pairs = list(combinations(range(len(groups)), 2))
    estimate = [means[j] - means[i] for i, j in pairs]
    stderr = [
        mp.sqrt(within / df * (mpf(1) / len(groups[i]) + mpf(1) / len(groups[j]))) for i, j in pairs
    ]
    # Each is a double integral: it is computed when it is asked for.
    return {
        "estimate": estimate,
        "stderr": stderr,
        "p_adjusted": lambda pair: studentized_range_upper(
            abs(estimate[pair]) / stderr[pair] * mp.sqrt(2), len(groups), df
        ),
    }


def _ranges(source: Source) -> Iterator[tuple[str, Given]]:
    rng = np.random.default_rng(source.seed)
    for _ in range(source.count):
        systems = int(rng.integers(2, 60))
        df = float(rng.choice([2, 5, 12, 40, 120, 1000, np.inf]))
        # psturng knows tails from 0.1 % to 90 %
        tail = float(rng.uniform(0.002, 0.5))
        q = float(studentized_range.upper_quantile(tail, systems, df))
        yield f"{systems} systems, {df:g} df", {"q": q, "systems": systems, "df": df}


def _range_by_us(q: float, systems: int, df: float) -> Numbers:
    return {"p_value": studentized_range.upper_tail(q, systems, df)}


def _psturng(q: float, systems: int, df: float) -> Numbers:
    return {"p_value": psturng(q, systems, df)}


def _range_truth(q: float, systems: int, df: float) -> Numbers:
    return {"p_value": studentized_range_upper(mpf(q), systems, df)}


def _points(source: Source) -> Iterator[tuple[str, Given]]:
    for name, given in _ranges(source):
        tail = float(studentized_range.upper_tail(given.pop("q"), **_renamed(given)))
        yield name, {"tail": tail, **given}


def _renamed(given: Given) -> Given:
    return {"groups": given["systems"], "df": given["df"]}


def _point_by_us(tail: float, systems: int, df: float) -> Numbers:
    return {"point": studentized_range.upper_quantile(tail, systems, df)}


def _qsturng(tail: float, systems: int, df: float) -> Numbers:
    return {"point": qsturng(1 - tail, systems, df)}


def _point_truth(tail: float, systems: int, df: float) -> Numbers:
    near = mpf(float(studentized_range.upper_quantile(tail, systems, df)))
    return {"point": root(lambda q: studentized_range_upper(q, systems, df) - mpf(tail), near)}


COUNTERPARTS = (
    Counterpart(
        "anova_two_way, verify",
        TESTS["anova_two_way"].by,
        _matrices,
        _two_way_by_us,
        TESTS["anova_two_way"],
        "two_way",
        _two_way_truth,
        covers=("anova_two_way",),
    ),
    Counterpart(
        "anova_two_way",
        "AnovaRM",
        _matrices,
        _two_way_by_us,
        _two_way_by_statsmodels,
        "two_way",
        _two_way_truth,
    ),
    Counterpart(
        'Anova.contrasts("system", "tukey")',
        "pairwise_tukeyhsd",
        _tukey,
        _tukey_by_us,
        _tukey_by_statsmodels,
        "tukey_one_way",
        _tukey_truth,
        covers=("anova", "Anova.contrasts"),
        slow=15,
    ),
    Counterpart(
        "studentized_range.upper_tail",
        "libqsturng.psturng",
        _ranges,
        _range_by_us,
        _psturng,
        "studentized_range",
        _range_truth,
        covers=(),
        slow=6,
    ),
    Counterpart(
        "studentized_range.upper_quantile",
        "libqsturng.qsturng",
        _points,
        _point_by_us,
        _qsturng,
        "studentized_point",
        _point_truth,
        covers=(),
        slow=6,
    ),
)
