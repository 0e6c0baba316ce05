"""Tests of all pairs of systems together, on the same topics: Tukey's and Nemenyi's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations

import numpy as np
import statsmodels.formula.api as smf
from mpmath import mp, mpf
from statsmodels.sandbox.stats.multicomp import tukeyhsd

from cdfscore.stats.judge.tests import TESTS
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance import nemenyi, studentized_range, tukey_hsd
from cdfscore.stats.significance.contract import QUANTITIES, TestResult
from validation.statsmodels_judge import data
from validation.statsmodels_judge.counterpart import Counterpart, Given, Numbers
from validation.statsmodels_judge.counterparts.components import has_residuals
from validation.statsmodels_judge.counterparts.ranges import in_long_form
from validation.statsmodels_judge.data import Source
from validation.statsmodels_judge.distributions import root, studentized_range_upper
from validation.statsmodels_judge.least_squares import sums_of_squares


def _complete(source: Source) -> Iterator[tuple[str, Given]]:
    """Yield scores of three topics and systems or more, none missing."""
    for name, scores in data.score_matrices(source):
        cut = scores[:8, :6].copy()
        if min(cut.shape) > 2 and has_residuals(cut):
            yield name, {"scores": cut}


def _tukey(source: Source) -> Iterator[tuple[str, Given]]:
    for name, given in _complete(source):
        yield name, {**given, "conf_level": 0.95}


def _tukey_by_us(scores: Array, conf_level: float) -> Numbers:
    return _of_pairs(tukey_hsd(scores, conf_level=conf_level), QUANTITIES)


def _of_pairs(found: TestResult, names: Sequence[str]) -> Numbers:
    """Return numbers of each pair, some of which are the same for all."""
    pairs = np.shape(found.estimate)
    return {name: np.broadcast_to(getattr(found, name), pairs) for name in names}


def _tukey_by_statsmodels(scores: Array, conf_level: float) -> Numbers:
    """Return the numbers of Tukey's test with the residuals of systems and topics."""
    topics, systems = scores.shape
    fit = smf.ols("score ~ C(topic) + C(system)", in_long_form(scores)).fit()
    # It multiplies the degrees of freedom by the number of means.
    found = tukeyhsd(
        scores.mean(axis=0), topics, fit.mse_resid, fit.df_resid / systems, alpha=1 - conf_level
    )
    _, _, differences, spread, interval, _, df, _, p = found
    # It takes the earlier system from the later one.
    return {
        "estimate": -differences,
        "stderr": np.sqrt(2) * spread,
        "statistic": np.abs(differences) / spread,
        "parameter": np.full(len(p), df),
        "p_value": p,
        "conf_low": -interval[:, 1],
        "conf_high": -interval[:, 0],
    }


def _tukey_truth(scores: Array, conf_level: float) -> Numbers:
    topics, systems = scores.shape
    squares, dfs = sums_of_squares(scores, "score ~ topic + system", "I")
    df = dfs[-1]
    stderr = mp.sqrt(2 * squares[-1] / df / topics)
    means = [mp.fsum(map(mpf, column)) / topics for column in scores.T.tolist()]
    estimate = [means[i] - means[j] for i, j in combinations(range(systems), 2)]
    q = [abs(each) * mp.sqrt(2) / stderr for each in estimate]

    def margin() -> mpf:
        return _point(1 - mpf(conf_level), systems, df) * stderr / mp.sqrt(2)

    return {
        "estimate": estimate,
        "stderr": stderr,
        "statistic": q,
        "parameter": mpf(df),
        # Double integrals: they are computed when they are asked for.
        "p_value": lambda pair: studentized_range_upper(q[pair], systems, df),
        "conf_low": lambda pair: estimate[pair] - margin(),
        "conf_high": lambda pair: estimate[pair] + margin(),
    }


@cache
def _point(tail: mpf, systems: int, df: int) -> mpf:
    near = float(studentized_range.upper_quantile(float(tail), systems, float(df)))
    return root(lambda q: studentized_range_upper(q, systems, df) - tail, mpf(near))


def _nemenyi_by_us(scores: Array) -> Numbers:
    return _of_pairs(nemenyi(scores), ("estimate", "stderr", "statistic", "p_value"))


def _nemenyi_by_scipy(scores: Array) -> Numbers:
    found: Numbers = TESTS["nemenyi"](scores, *np.triu_indices(scores.shape[1], 1))
    return {**found, "stderr": np.full(len(found["estimate"]), found["stderr"])}


def _tukey_by_scipy(scores: Array, conf_level: float) -> Numbers:
    first, second = np.triu_indices(scores.shape[1], 1)
    found = TESTS["tukey_hsd"](scores, first, second, conf_level=conf_level)
    return {name: np.broadcast_to(each, len(first)) for name, each in found.items()}


def _nemenyi_truth(scores: Array) -> Numbers:
    topics, systems = scores.shape
    rows = scores.tolist()
    # twice the rank: how many are below, and how many not above
    ranks = [
        mp.fsum(sum((v < row[s]) + (v <= row[s]) for v in row) + 1 for row in rows) / 2 / topics
        for s in range(systems)
    ]
    estimate = [ranks[i] - ranks[j] for i, j in combinations(range(systems), 2)]
    spread = mp.sqrt(mpf(systems * (systems + 1)) / 12 / topics)
    q = [abs(each) / spread for each in estimate]
    return {
        "estimate": estimate,
        "stderr": mp.sqrt(2) * spread,
        "statistic": q,
        "p_value": lambda pair: studentized_range_upper(q[pair], systems, np.inf),
    }


COUNTERPARTS = (
    Counterpart(
        "tukey_hsd, verify",
        TESTS["tukey_hsd"].judge("p_value"),
        _tukey,
        _tukey_by_us,
        _tukey_by_scipy,
        "tukey_blocked",
        _tukey_truth,
        covers=("tukey_hsd",),
        slow=15,
    ),
    Counterpart(
        "tukey_hsd",
        "multicomp.tukeyhsd, of the residuals of OLS",
        _tukey,
        _tukey_by_us,
        _tukey_by_statsmodels,
        "tukey_blocked",
        _tukey_truth,
        slow=15,
    ),
    Counterpart(
        "nemenyi",
        TESTS["nemenyi"].by,
        _complete,
        _nemenyi_by_us,
        _nemenyi_by_scipy,
        "nemenyi",
        _nemenyi_truth,
        slow=3,
    ),
)
