"""Counterparts of the significance tests.

A test of one sample or of two is a function of the sample or of both, of equal length where they
are paired, and a test of all systems one of the scores (topics, systems), with the places of the
first and the second systems of its pairs. Random draws come with the settings, as blocks of whole
numbers, None where all outcomes are enumerated: the judge counts the outcomes of the same draws.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import numpy as np
from scipy import stats
from statsmodels.stats.proportion import binom_test, proportion_confint
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW, ttost_paired

from cdfscore.stats.judge import Array, Counterpart, Numbers, distributions

#: Alternatives as statsmodels spells them.
WORDS = {"two-sided": "two-sided", "less": "smaller", "greater": "larger"}
#: Correlations this near to 1 are 1, and the statistics of two sides this near are equal.
_EQUAL = 1e-12
#: Sums of n terms that differ by less than n times this part of the terms' sizes are equal.
_TIED = 2.0**-48
#: Scores are scaled if the largest is not between 2 to the power of -100 and of 100.
_ORDINARY = 100
#: Standard errors below this part of a mean are those of equal differences, as R's t.test has it.
_CONSTANT = 10 * 2.0**-52
#: Of a spread below this part of a mean, the rounding of the mean in R is 2^-44 or more.
_FEW_DIGITS = 2.0**-30
#: Of a single score, the resolutions as 1 / size, and the most multiples of a resolution.
_RESOLUTIONS = np.array([*range(1, 2001), *(10.0**k for k in range(4, 13))])
_MOST_MULTIPLES = 1e12
#: Pairs of systems whose resamples are computed at once, so that they take little memory.
_PAIRS = 64
Blocks = Iterable[Array] | None
#: Numbers of a test or of an effect size, NaN where it has none.
QUANTITIES = ("p_value", "estimate", "conf_low", "conf_high")


def _interval(alternative: Any, low: Any, high: Any) -> Numbers:
    """Return the interval, with one end if the alternative has one side."""
    return {
        "conf_low": -np.inf if alternative == "less" else low,
        "conf_high": np.inf if alternative == "greater" else high,
    }


def _tail(alternative: Any, conf_level: float) -> float:
    return (1 - conf_level) / (2 if alternative == "two-sided" else 1)


def _p(alternative: Any, less: float, greater: float) -> float:
    both = min(1.0, 2 * min(less, greater))
    return {"less": less, "greater": greater}.get(alternative, both)


# --- Means ---


def in_common(*samples: Array) -> float:
    """Return a score that can be subtracted from all without rounding, as they are alike; or 0."""
    scores = np.concatenate(samples)
    ratios = scores / scores[0]
    return float(scores[0]) if ((ratios >= 0.5) & (ratios <= 2)).all() else 0.0


def one_sample_t(x: Array, alternative: Any, null_value: float, conf_level: float) -> Numbers:
    """Return the t test of a mean, and its interval."""
    start, word = in_common(x), WORDS[alternative]
    found = DescrStatsW(x - start)
    t, p, df = found.ttest_mean(null_value - start, alternative=word)
    low, high = found.tconfint_mean(1 - conf_level, alternative=word)
    own = {"estimate": start + found.mean, "parameter": df}
    if found.std_mean > _CONSTANT * abs(own["estimate"]):
        own |= {"conf_low": start + low, "conf_high": start + high}
    if found.std > _FEW_DIGITS * abs(own["estimate"]):
        own |= {"stderr": found.std_mean, "statistic": t, "p_value": p}
    return own


def two_means(
    x: Array, y: Array, alternative: Any, null_value: float, conf_level: float, kind: str
) -> Numbers:
    """Return the t test of two means with one variance ("pooled") or two ("unequal")."""
    word, first, second = WORDS[alternative], in_common(x), in_common(y)
    both, apart = CompareMeans(DescrStatsW(x - first), DescrStatsW(y - second)), first - second
    t, p, df = both.ttest_ind(alternative=word, usevar=kind, value=null_value - apart)
    low, high = both.tconfint_diff(1 - conf_level, alternative=word, usevar=kind)
    stderr = both.std_meandiff_pooledvar if kind == "pooled" else both.std_meandiff_separatevar
    estimate = both.d1.mean - both.d2.mean + apart
    size, own = max(abs(x.mean()), abs(y.mean())), {"estimate": estimate}
    if stderr > _CONSTANT * size:
        own |= {"conf_low": apart + low, "conf_high": apart + high}
    if stderr * math.sqrt(min(len(x), len(y))) > _FEW_DIGITS * size:
        own |= {"stderr": stderr, "statistic": t, "parameter": df, "p_value": p}
    return own


def equivalence_t(x: Array, y: Array, margin: float, centre: float, conf_level: float) -> Numbers:
    """Return the larger of two one-sided t tests, and the interval of the mean difference."""
    start = in_common(x - y)
    ends = centre - margin - start, centre + margin - start
    p, (above, _, df), (below, _, _) = ttost_paired(x - y, np.full(len(x), start), *ends)
    own = one_sample_t(x - y, "two-sided", 0.0, conf_level)
    if "p_value" not in own:
        return own
    t = above if above <= -below else below
    if abs(above + below) <= _EQUAL * abs(above - below):
        t = np.nan  # rounding decides which side it is of
    return {**own, "statistic": t, "p_value": p, "parameter": df}


def variance_ratio(
    x: Array, y: Array, alternative: Any, null_value: float, conf_level: float
) -> Numbers:
    """Return the F test of two variances."""
    n, m = len(x) - 1, len(y) - 1
    variances = [statistics.variance(each.tolist()) for each in (x, y)]
    if not any(variances):
        return {}
    ratio = np.divide(*variances)
    f, law, tail = ratio / null_value, stats.f(n, m), _tail(alternative, conf_level)
    return {
        "estimate": ratio,
        "statistic": f,
        "p_value": _p(alternative, law.cdf(f), law.sf(f)),
        "conf_low": 0.0 if alternative == "less" else ratio / law.isf(tail),
        "conf_high": np.inf if alternative == "greater" else ratio / law.ppf(tail),
    }


# --- Signs and ranks ---


def resolution(values: Array) -> float:
    """Return the whole q of which all values are k / q, k to 10^12, or NaN: what decides ties."""
    q, largest = 1, max(1.0, float(np.abs(values).max(initial=0.0)))
    while largest * q <= _MOST_MULTIPLES:
        apart = values[np.rint(values * q) / q != values]
        if not len(apart):
            return float(q)
        fits = _RESOLUTIONS[np.rint(apart[0] * _RESOLUTIONS) / _RESOLUTIONS == apart[0]]
        if not len(fits):
            break
        q = math.lcm(q, int(fits[0]))
    return math.nan


def differences(x: Array, y: Array, shift: float = 0.0, *, ranked: bool = False) -> Array:
    """Return x - y - shift, of whole multiples where possible; else sizes may tie at 12 digits."""
    q = resolution(np.concatenate([x, y, [shift]]))
    if q == q:
        return np.asarray((np.rint(x * q) - np.rint(y * q) - np.rint(shift * q)) / q)
    found = x - y - shift
    if not ranked:
        return found
    order = np.argsort(np.abs(found), kind="stable")
    size = np.abs(found)[order]
    apart = np.diff(size) > 2.0**-42 * size[1:]
    first = np.maximum.accumulate(np.append(0, np.where(apart, np.arange(1, len(size)), 0)))
    tied = np.empty_like(found)
    tied[order] = size[first]
    return np.copysign(tied, found)


def sign(
    x: Array, y: Array, alternative: Any, null_value: float, conf_level: float, ties_at: Any
) -> Numbers:
    """Return the binomial test of the signs of differences."""
    d = _at(ties_at, differences(x, y, null_value), x - y - null_value)
    above, below = int((d > 0).sum()), int((d < 0).sum())
    trials, word = above + below, WORDS[alternative]
    if not trials:
        return {"estimate": np.nan}
    # Its words for an interval are those of the end that is left out.
    other = {"less": "larger", "greater": "smaller"}.get(alternative, word)
    low, high = proportion_confint(above, trials, 1 - conf_level, method="beta", alternative=other)
    return {
        "statistic": above,
        "parameter": trials,
        "estimate": above / trials,
        "p_value": binom_test(above, trials, 0.5, alternative=word),
        "conf_low": low,
        "conf_high": high,
    }


def _at(ties_at: Any, near: Array, exact: Array) -> Array:
    """Return differences as they tie: but for rounding, by all digits, or at some decimals."""
    if ties_at == "all_digits":
        return exact
    return near if ties_at == "resolution" else np.round(exact, int(ties_at))


def wilcoxon_signed_rank(x: Array, y: Array, **how: Any) -> Numbers:
    """Return the signed-rank test of differences, and the interval of their center."""
    shift, exact, alternative = (how[name] for name in ("null_value", "exact", "alternative"))
    d = _at(how["ties_at"], differences(x, y, shift, ranked=True), x - y - shift)
    own = d[d != 0]
    n = len(own)
    if not n:
        return {}
    ties = np.unique(np.abs(own), return_counts=True)[1]
    by_count = (n == len(d) < 50 and len(ties) == n) if exact is None else exact
    test: Any = stats.wilcoxon
    v = test(own, alternative="greater", method="asymptotic").statistic
    if by_count and len(ties) < n:
        counts = _sums_of(tuple(2 * stats.rankdata(np.abs(own)))).sum(axis=0)
        shares, place = counts / 2.0**n, round(2 * v)
        p = _p(alternative, float(shares[: place + 1].sum()), float(shares[place:].sum()))
    else:
        kind: Any = "exact" if by_count else "asymptotic"
        p = test(own, alternative=alternative, method=kind, correction=how["correct"]).pvalue
    found = {"statistic": v, "p_value": p}
    if not how["conf_int"]:
        return found
    walsh = np.sort(((own[:, np.newaxis] + own) / 2)[np.triu_indices(n)])
    variance = n * (n + 1) * (2 * n + 1) / 24 - (ties**3 - ties).sum() / 48
    counts = _sums_of((*range(1, n + 1),)).sum(axis=0) if by_count else None
    return {**found, **_order_interval(walsh, counts, variance, how)}


@lru_cache(maxsize=8)
def _sums_of(ranks: tuple[float, ...]) -> Array:
    """Count the choices of each number of some whole numbers (rows) by their sum."""
    counts = np.zeros((len(ranks) + 1, round(sum(ranks)) + 1))
    counts[0, 0] = 1.0
    for rank in map(int, ranks):
        counts[1:, rank:] += counts[:-1, :-rank].copy()
    return counts


def _order_interval(
    ordered: Array, counts: Array | None, variance: float, how: Mapping[str, Any]
) -> Numbers:
    """Return the median of ordered differences, and the two whose ranks a quantile tells."""
    size, tail = len(ordered), _tail(how["alternative"], how["conf_level"])
    if counts is None:
        place = size / 2 - 0.5 * how["correct"] + stats.norm.ppf(tail) * math.sqrt(variance)
        cut = min(max(math.ceil(place), 1), size)
    else:
        below = np.cumsum(counts) / counts.sum()
        cut = max(1, int(np.searchsorted(below, tail - 1e-15)))
    ordered = how["null_value"] + ordered
    low, high = ordered[cut - 1], ordered[size - cut]
    if counts is None and ordered[0] == ordered[-1]:
        low = high = np.nan
    return {"estimate": np.median(ordered), **_interval(how["alternative"], low, high)}


def mann_whitney(x: Array, y: Array, **how: Any) -> Numbers:
    """Return the rank-sum test, and the interval of the shift."""
    n, m, exact, alternative = len(x), len(y), how["exact"], how["alternative"]
    scores, shifts = np.concatenate([x, y]), np.repeat([how["null_value"], 0.0], [n, m])
    pooled = _at(how["ties_at"], differences(scores, shifts), scores - shifts)
    first, second = pooled[:n], pooled[n:]
    ties = np.unique(pooled, return_counts=True)[1]
    if len(ties) == 1:
        return {}
    has_ties = ties.max() > 1
    by_count = (max(n, m) < 50 and not has_ties) if exact is None else exact
    kind: Any = "exact" if by_count and not has_ties else "asymptotic"
    test: Any = stats.mannwhitneyu(first, second, how["correct"], alternative, method=kind)
    p, u = test.pvalue, test.statistic
    if by_count and has_ties:
        counts = _sums_of(tuple(2 * stats.rankdata(pooled)))[n]
        distance = _toward(np.arange(len(counts)) - n * (n + 1) - n * m, alternative)
        p = counts[distance >= _toward(2 * u - n * m, alternative)].sum() / counts.sum()
    found = {"statistic": u, "p_value": p}
    if not how["conf_int"]:
        return found
    within = [np.unique(each, return_counts=True)[1] for each in (first, second)]
    tied = sum(float((each**3.0 - each).sum()) for each in within)
    variance = n * m / 12 * (n + m + 1 - tied / ((n + m) * (n + m - 1)))
    pairs = np.sort((first[:, np.newaxis] - second).ravel())
    counts = _sums_of((*range(1, n + m + 1),))[n, n * (n + 1) // 2 :] if by_count else None
    return {**found, **_order_interval(pairs, counts, variance, how)}


def kolmogorov_smirnov(x: Array, y: Array, alternative: Any, exact: bool | None) -> Numbers:
    """Return the largest distance of two empirical cdfs."""
    n, m = len(x), len(y)
    d = float(stats.ks_2samp(x, y, alternative=alternative, method="asymp").statistic)
    if n * m < 10_000 if exact is None else exact:
        return {"statistic": d, "p_value": _paths(x, y, round(d * n * m), alternative)}
    scale = math.sqrt(n * m / (n + m)) * d
    p = stats.kstwobign.sf(scale) if alternative == "two-sided" else math.exp(-2 * scale**2)
    return {"statistic": d, "p_value": p}


def _paths(x: Array, y: Array, reached: int, alternative: Any) -> float:
    """Return the proportion of orders of the pooled scores with this distance, in whole numbers."""
    n, m = len(x), len(y)
    ends = np.append(np.diff(np.sort(np.concatenate([x, y]))) > 0, True)
    inside = {0: 1}
    for step, is_end in enumerate(ends, start=1):
        after: dict[int, int] = {}
        for u, ways in inside.items():
            for taken in (u, u + 1):
                if taken <= n and step - taken <= m:
                    after[taken] = after.get(taken, 0) + ways
        if is_end:
            gaps = {u: _toward(u * m - (step - u) * n, alternative) for u in after}
            after = {u: ways for u, ways in after.items() if gaps[u] < reached}
        inside = after
    total = math.comb(n + m, n)
    return (total - inside.get(n, 0)) / total


def friedman(scores: Array) -> Numbers:
    """Return Friedman's test of mean ranks."""
    topics, systems = scores.shape
    ties = [np.unique(each, return_counts=True)[1] for each in scores]
    tied, most = sum(int((each**3 - each).sum()) for each in ties), topics * (systems**3 - systems)
    apart = stats.rankdata(scores, axis=1).sum(axis=0) - topics * (systems + 1) / 2
    q = 12 * (systems - 1) * (apart @ apart) / (most - tied)
    return {"statistic": q, "parameter": systems - 1, "p_value": stats.chi2.sf(q, systems - 1)}


# --- Correlations ---


def pearson(x: Array, y: Array, alternative: Any, conf_level: float) -> Numbers:
    """Return the correlation of whole numbers, its t, and Fisher's interval."""
    n, (u, v) = len(x), (_whole(each)[0] for each in (x, y))
    u, v = n * u - u.sum(), n * v - v.sum()
    product, squares = int((u * v).sum()), int((u * u).sum()) * int((v * v).sum())
    if not squares or n < 3:
        return {}
    r = math.sqrt(Fraction(product**2, squares)) * (1 if product > 0 else -1)
    own = {"estimate": r, "parameter": n - 2}
    left = Fraction(squares - product**2, squares)  # 1 - r^2
    if left < _EQUAL:  # what is left of it, which decides t, is rounding
        return own
    t, law = r * math.sqrt((n - 2) / left), stats.t(n - 2)
    own |= {"statistic": t, "p_value": _p(alternative, law.cdf(t), law.sf(t))}
    z = math.copysign(math.log((1 + abs(r)) / math.sqrt(left)), r)
    margin = stats.norm.isf(_tail(alternative, conf_level)) / math.sqrt(n - 3) if n > 3 else np.nan
    ends = _interval(alternative, z - margin, z + margin)
    return own | {end: math.tanh(value) for end, value in ends.items()}


def _whole(scores: Array, q: float = math.nan) -> tuple[Any, int]:
    """Return scores as whole numbers k of Python, and the q of k / q: decimals, or all digits."""
    ratios = [each.as_integer_ratio() for each in scores.ravel().tolist()]
    by = int(q) if q == q else max(below for _, below in ratios)
    found = [(2 * above * by + below) // (2 * below) for above, below in ratios]
    return np.array(found, dtype=object).reshape(scores.shape), by


def kendall(x: Array, y: Array, alternative: Any, exact: bool | None, continuity: bool) -> Numbers:
    """Return tau_b, and its test by counts or by the normal distribution."""
    n = len(x)
    a, b = (np.sign(each[:, np.newaxis] - each) for each in (x, y))
    excess, concordant = float((a * b).sum() / 2), float(((a * b) > 0).sum() / 2)
    ties = [np.unique(each, return_counts=True)[1] for each in (x, y)]
    if min(map(len, ties)) == 1:
        return {}
    has_ties = max(len(each) < n for each in ties)
    by_count = (n < 50 and not has_ties) if exact is None else exact
    kind: Any = "exact" if by_count and not has_ties else "asymptotic"
    found: Any = stats.kendalltau(x, y, method=kind, alternative=alternative)
    if by_count:
        p = np.nan if has_ties else found.pvalue
        return {"estimate": found.statistic, "statistic": concordant, "p_value": p}
    # Its variance, with ties (Kendall 1945), for z.
    t, u = (each.astype(np.float64) for each in ties)
    plain = n * (n - 1) * (2 * n + 5) - sum((v * (v - 1) * (2 * v + 5)).sum() for v in (t, u))
    variance = plain / 18 + (t * (t - 1)).sum() * (u * (u - 1)).sum() / (2 * n * (n - 1))
    threes = [(v * (v - 1) * (v - 2)).sum() for v in (t, u)]
    variance += threes[0] * threes[1] / (9 * n * (n - 1) * (n - 2)) if n > 2 else 0.0
    z = (excess - np.sign(excess) * continuity) / math.sqrt(variance)
    p = _p(alternative, stats.norm.cdf(z), stats.norm.sf(z))
    return {"estimate": found.statistic, "statistic": z, "p_value": p}


def spearman(x: Array, y: Array, alternative: Any, exact: bool | None, continuity: bool) -> Numbers:
    """Return rho, and its test by all orders or by t."""
    n = len(x)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return {}
    found: Any = stats.spearmanr(x, y, alternative=alternative)
    rho = found.statistic
    own = {"estimate": rho, "statistic": (n**3 - n) / 6 * (1 - rho)}
    is_plain = len(np.unique(x)) == n == len(np.unique(y))
    if exact and n > 9:
        return own
    if (n <= 9 and is_plain) if exact is None else exact:
        u, v = (2 * stats.rankdata(each) - (n + 1) for each in (x, y))
        sums, seen = _pairings(tuple(u), tuple(v)), float(u @ v)
        less, more = np.mean(sums <= seen + 1e-9), np.mean(sums >= seen - 1e-9)
        both = np.mean(np.abs(sums) >= abs(seen) - 1e-9)
        return {**own, "p_value": {"less": less, "greater": more}.get(alternative, both)}
    if is_plain and exact is None and n <= 1290:
        reached = round((n**3 - n) / 6 * (1 - rho))
        against = (n**3 - n) // 3 - reached
        s = {"less": reached, "greater": against}.get(alternative, max(reached, against))
        tail = _best_and_roberts(s, n)
        return {**own, "p_value": min(1.0, 2 * tail) if alternative == "two-sided" else tail}
    return own if continuity else {**own, "p_value": found.pvalue}  # which is R's with it


def _best_and_roberts(s: int, n: int) -> float:
    """Return P(S >= s) by the series of Best and Roberts (1975), AS 89, as they print it."""
    b = 1 / n
    x = (6 * (s - 1) * b / (n * n - 1) - 1) * math.sqrt(1 / b - 1)
    y = x * x
    inner = 0.0072 - 0.0831 * b + y * b * (0.0131 - 4.6e-4 * y)
    inner = -0.0758 + b * (0.1033 + 0.3932 * b) - y * b * (0.0879 + 0.0151 * b - y * inner)
    u = x * b * (0.2274 + b * (0.2531 + 0.1745 * b) + y * inner)
    found = u / math.exp(y / 2) + stats.norm.sf(x)
    return 1.0 if s <= 0 else float(np.clip(found, 0, 1))


@lru_cache(maxsize=64)
def _pairings(u: tuple[float, ...], v: tuple[float, ...]) -> Array:
    orders = np.array(list(itertools.permutations(range(len(v)))))
    return np.asarray(np.array(v)[orders] @ np.array(u))


# --- All systems on the same topics ---


def mean_ranks(scores: Array) -> Array:
    """Return the mean rank of each system within topics, 1 for the highest score."""
    return np.asarray(stats.rankdata(-scores, axis=1).mean(axis=0))


def two_way(scores: Array) -> tuple[Any, int, Fraction, int]:
    """Return sums of systems in whole numbers, their unit's q, the residual mean square, and df.

    The mean square is 0 if it is rounding, of scores without the means of topics.
    """
    n, k = scores.shape
    own, q = _whole(scores, resolution(scores.ravel()))
    sums, df = own.sum(axis=0), (n - 1) * (k - 1)
    within = k * own - own.sum(axis=1, keepdims=True)
    left = n * within - within.sum(axis=0)
    squares, most = int((left**2).sum()), int((within**2).sum())
    is_rounding = Fraction(squares, n**2 * df) <= Fraction(_CONSTANT) ** 2 * Fraction(most, n * k)
    return sums, q, Fraction(0 if is_rounding else squares, (n * k * q) ** 2 * df), df


def anova_two_way(scores: Array) -> Numbers:
    """Return the F test of systems with topics as blocks."""
    topics, systems = scores.shape
    sums, q, error, df = two_way(scores)
    if not error:
        return {"parameter": systems - 1}
    between = Fraction(int(((systems * sums - sums.sum()) ** 2).sum()), systems**2 * q**2 * topics)
    f = float(between / (systems - 1) / error)
    p = stats.f.sf(f, systems - 1, df)
    return {"statistic": f, "parameter": systems - 1, "p_value": p}


def _of_pairs(sums: Any, q: int, variance: Any, topics: int, first: Any, second: Any) -> Any:
    estimate = ((sums[first] - sums[second]) / (topics * q)).astype(np.float64)
    if not variance:
        return {"estimate": estimate}
    stderr = math.sqrt(2 * variance / topics)
    return {"estimate": estimate, "stderr": stderr, "statistic": estimate / stderr}


def nemenyi(scores: Array, first: Any, second: Any) -> Numbers:
    """Return Tukey's test of mean ranks, whose variance is known."""
    topics, systems = scores.shape
    sums, unit, *_ = two_way(stats.rankdata(scores, axis=1))
    own = _of_pairs(sums, unit, systems * (systems + 1) / 12, topics, first, second)
    q = math.sqrt(2) * np.abs(own["statistic"])
    p = distributions.range_upper(q, systems, np.inf)
    return {**own, "statistic": q, "p_value": p}


def conover(scores: Array, first: Any, second: Any) -> Numbers:
    """Return t tests of ranks, with the residuals of systems and topics."""
    sums, unit, error, df = two_way(stats.rankdata(scores, axis=1))
    own = _of_pairs(sums, unit, error, len(scores), first, second)
    t = np.abs(own.get("statistic", np.nan))
    return {**own, "parameter": df, "p_value": 2 * stats.t.sf(t, df)}


def tukey_hsd(scores: Array, first: Any, second: Any, conf_level: float) -> Numbers:
    """Return Tukey's test with the residuals of systems and topics."""

    def upper(t: Array, df: int) -> Array:
        return distributions.range_upper(math.sqrt(2) * t, scores.shape[1], df)

    own = _by_maximum(scores, first, second, "two-sided", conf_level, upper)
    return {**own, "statistic": math.sqrt(2) * np.abs(own.get("statistic", np.nan))}


def dunnett(scores: Array, first: Any, second: Any, alternative: Any, conf_level: float) -> Numbers:
    """Return Dunnett's test with the residuals of systems and topics."""
    family = len(set(np.asarray(first).tolist()))
    upper = partial(distributions.dunnett_upper, systems=family, alternative=alternative)
    return _by_maximum(scores, first, second, alternative, conf_level, upper)


def _by_maximum(
    scores: Array, first: Any, second: Any, alternative: Any, conf_level: float, upper: Any
) -> Numbers:
    """Return t of pairs, by the upper tail of the largest of all on some degrees of freedom."""
    sums, unit, error, df = two_way(scores)
    own = _of_pairs(sums, unit, error, len(scores), first, second)
    if not error:
        return {**own, "parameter": df}
    margin = distributions.upper_point(partial(upper, df=df), 1 - conf_level) * own["stderr"]
    ends = _interval(alternative, own["estimate"] - margin, own["estimate"] + margin)
    p = upper(_toward(own["statistic"], alternative), df=df)
    return {**own, "parameter": df, "p_value": p, **ends}


# --- Resampling: the same draws, or all outcomes ---


def _signs(n: int, draws: Blocks) -> Iterator[Array]:
    """Yield blocks of signs (trials, n): those drawn, of which 1 is a change, or all 2^n."""
    if draws is not None:
        yield from (1.0 - 2.0 * block for block in draws)
        return
    for start in range(0, 1 << n, 1 << 14):
        numbers = np.arange(start, min(start + (1 << 14), 1 << n))
        yield np.asarray(1.0 - 2.0 * ((numbers[:, np.newaxis] >> np.arange(n)) & 1))


def _toward(statistic: Any, alternative: Any) -> Any:
    return {"two-sided": np.abs, "less": np.negative}.get(alternative, np.positive)(statistic)


def _rounding(terms: Array) -> Any:
    return len(terms) * _TIED * np.abs(terms).sum(axis=0)


def _proportion(extreme: Any, trials: int, draws: Blocks) -> Any:
    """Return the p value of a count: of all outcomes, or of drawn ones and the one observed."""
    return extreme / trials if draws is None else (extreme + 1) / (trials + 1)


def _differences(x: Array, y: Array, shift: float = 0.0) -> Array:
    """Return the differences of pairs (pairs, n) in columns."""
    return np.array([differences(*each, shift) for each in zip(x, y, strict=True)]).T


def _share(
    outcomes: Iterable[Array],
    terms: Array,
    seen: Array,
    alternative: Any,
    draws: Blocks,
    largest: Any = np.asarray,
) -> Any:
    """Return the p values of sums of terms (n, pairs), weighted by each row of the outcomes."""
    bound, extreme, trials = _toward(seen, alternative) - _rounding(terms), 0, 0
    for block in outcomes:
        extreme = extreme + (largest(_toward(block @ terms, alternative)) >= bound).sum(axis=0)
        trials += len(block)
    return _proportion(extreme, trials, draws)


def permutation(x: Array, y: Array, alternative: Any, null_value: float, draws: Blocks) -> Numbers:
    """Return the test by sign flips of differences."""
    d = _differences(x, y, null_value)
    p = _share(_signs(len(d), draws), d, d.sum(axis=0), alternative, draws)
    mean = DescrStatsW((x - y).T).mean
    return {"estimate": mean, "statistic": mean, "p_value": p}


def permutation_unpaired(
    x: Array, y: Array, alternative: Any, null_value: float, draws: Blocks
) -> Numbers:
    """Return the test by divisions of the pooled scores, without the upper median of y."""
    n, m = x.shape[1], y.shape[1]
    middle = np.sort(y)[:, [m // 2]]
    shared = np.repeat(middle, max(n, m), axis=1)
    pooled = np.vstack([_differences(x, shared[:, :n], null_value), _differences(y, shared[:, :m])])
    centred = pooled - pooled.mean(axis=0)
    p = _share(_divisions(n, m, draws), centred, centred[:n].sum(axis=0), alternative, draws)
    estimate = DescrStatsW((x - middle).T).mean - DescrStatsW((y - middle).T).mean
    return {"estimate": estimate, "statistic": estimate, "p_value": p}


def _divisions(n: int, m: int, draws: Blocks) -> Iterator[Array]:
    """Yield blocks of divisions (trials, n + m), 1 in the first group: those drawn, or all."""
    yield from draws or ()
    orders = itertools.combinations(range(n + m), n)
    while draws is None and (places := list(itertools.islice(orders, 1 << 14))):
        yield (np.array(places)[:, :, np.newaxis] == np.arange(n + m)).sum(axis=1) * 1.0


def _resamples(n: int, draws: Blocks) -> Array:
    """Return the counts of each topic: of drawn resamples, or of all n^n."""
    if draws is not None:
        (counts,) = draws
        return counts
    chosen = np.indices((n,) * n).reshape(n, -1)
    return np.array([(chosen == topic).sum(axis=0) for topic in range(n)], dtype=np.float64).T


def bootstrap_shift(
    x: Array, y: Array, alternative: Any, null_value: float, conf_level: float, draws: Blocks
) -> Numbers:
    """Return the test by shifted means of resamples, and the percentile interval."""
    d = _differences(x, y)
    found, n, counts = DescrStatsW(d), len(d), _resamples(len(d), draws)
    centred, tail = d - found.mean, _tail(alternative, conf_level)
    shifted = counts @ centred / n
    p = _share([counts], centred, n * (found.mean - null_value), alternative, draws)
    ends = found.mean + np.quantile(shifted, [tail, 1 - tail], 0, method="weibull")
    own = {"stderr": found.std / math.sqrt(n), "p_value": p, **_interval(alternative, *ends)}
    return {"estimate": found.mean, "statistic": found.mean, **_where_varied(found, own)}


def bootstrap_studentized(
    x: Array, y: Array, alternative: Any, null_value: float, conf_level: float, draws: Blocks
) -> Numbers:
    """Return the test by t of resamples, and the interval of their quantiles."""
    d = _differences(x, y)
    found = DescrStatsW(d)
    n, counts = len(d), _resamples(len(d), draws)
    centred = d - found.mean
    sums = counts @ centred
    squares = counts @ centred**2
    deviations = squares - sums**2 / n
    for k, pair in np.argwhere(deviations <= squares / 1024):  # where the difference loses digits
        own = centred[:, pair] - sums[k, pair] / n
        deviations[k, pair] = counts[k] @ own**2
    size = 1e-13 * np.abs(centred).sum(axis=0)
    resampled = sums / np.sqrt(deviations * n / (n - 1))
    limits = np.where(np.abs(sums) <= size, 0.0, np.sign(sums) * np.inf)
    resampled = np.where(deviations <= size**2, limits, resampled)
    t = (found.mean - null_value) / found.std_mean
    near = size / found.std_mean + _EQUAL * np.abs(t)
    reached = _toward(resampled, alternative) >= _toward(t, alternative) - near
    tail = _tail(alternative, conf_level)
    points = np.quantile(resampled, [1 - tail, tail], 0, method="weibull")
    ends = np.where(np.abs(points - t) <= near, null_value, found.mean - points * found.std_mean)
    p = _proportion(reached.sum(axis=0), len(counts), draws)
    own = {"statistic": t, "stderr": found.std_mean, "p_value": p}
    own |= _interval(alternative, *ends)
    return {"estimate": found.mean, **_where_varied(found, own)}


def _varies(differences: DescrStatsW) -> Any:
    return differences.std_mean > _CONSTANT * np.abs(differences.mean)


def _where_varied(differences: DescrStatsW, numbers: Numbers) -> Numbers:
    there = {"statistic": differences.std > _FEW_DIGITS * np.abs(differences.mean)}
    there["stderr"], varies = there["statistic"], _varies(differences)
    return {k: np.where(there.get(k, True) & varies, own, np.nan) for k, own in numbers.items()}


def _family_t(scores: Array, first: Any, second: Any) -> tuple[dict[str, Array], Array, Array]:
    """Return the t tests of pairs, their differences in units of all squares, and which vary."""
    x, y = scores.T[first], scores.T[second]
    d, rows = _differences(x, y), [one_sample_t(each, "two-sided", 0.0, 0.95) for each in x - y]
    names = ("estimate", "stderr", "statistic", "parameter")
    found = {name: np.array([row.get(name, np.nan) for row in rows]) for name in names}
    varies = _varies(DescrStatsW((x - y).T))
    return found, d / np.sqrt(len(d) * (d**2).sum(axis=0)), varies


def max_t(scores: Array, first: Any, second: Any, alternative: Any, draws: Blocks) -> Numbers:
    """Return the step-down test of all pairs by sign flips."""
    found, units, there = _family_t(scores, first, second)
    seen, p = units.sum(axis=0), np.full(len(there), np.nan)
    order = np.flatnonzero(there)[np.argsort(_toward(seen[there], alternative))]
    largest, outcomes = partial(np.maximum.accumulate, axis=1), _signs(len(scores), draws)
    share = _share(outcomes, units[:, order], seen[order], alternative, draws, largest)
    p[order] = np.maximum.accumulate(share[::-1])[::-1]
    return {**found, "p_value": p}


def max_t_baseline(
    scores: Array, first: Any, second: Any, alternative: Any, conf_level: float, draws: Blocks
) -> Numbers:
    """Return the test of systems against one baseline by the largest t of sign flips."""
    found, units, there = _family_t(scores, first, second)
    if not there.any():
        return {**found, "p_value": np.full(len(there), np.nan)}
    n = len(scores)
    observed, near = units.sum(axis=0), _rounding(units)
    parts = [
        _toward(signs @ units[:, there], alternative).max(axis=1) for signs in _signs(n, draws)
    ]
    largest = np.sort(np.concatenate(parts))
    seen = _toward(observed, alternative)
    extreme = len(largest) - np.searchsorted(largest, seen - near)
    place = max(1, math.ceil(conf_level * (len(largest) + (draws is not None)) * (1 - 1e-15)))
    r = largest[place - 1] if place <= len(largest) else np.inf
    t = r * math.sqrt((n - 1) / (1 - r * r)) if 1 - r * r > 1e-14 * n else math.copysign(np.inf, r)
    margin = np.where(
        np.abs(r - seen) <= near, _toward(found["estimate"], alternative), t * found["stderr"]
    )
    return {
        **found,
        "p_value": np.where(there, _proportion(extreme, len(largest), draws), np.nan),
        **_interval(alternative, found["estimate"] - margin, found["estimate"] + margin),
    }


def randomized_tukey_hsd(scores: Array, first: Any, second: Any, draws: Blocks) -> Numbers:
    """Return the test of all pairs by the range of means of shuffled topics."""
    topics, systems = scores.shape
    first_of_topics = np.repeat(scores[:, 0], systems)
    apart = differences(scores.ravel(), first_of_topics).reshape(scores.shape)
    if draws is None:
        places = np.array(list(itertools.permutations(range(systems))))
        sums = np.zeros((1, systems))
        for topic in apart:
            sums = (sums[:, np.newaxis] + topic[places]).reshape(-1, systems)
        ranges = np.ptp(sums, axis=1)
    else:
        rows = np.arange(topics)
        parts = []
        for block in draws:
            for some in np.array_split(block, 1 + block.size // (1 << 22)):
                orders = np.asarray(some, dtype=np.intp).reshape(len(some), systems, topics)
                parts.append(np.ptp(apart[rows, orders].sum(axis=2), axis=1))
        ranges = np.concatenate(parts)
    sums = apart.sum(axis=0)
    size = _rounding(np.ptp(apart, axis=1))
    bound = np.abs(sums[first] - sums[second]) - size
    extreme = len(ranges) - np.searchsorted(np.sort(ranges), bound)
    whole, q, *_ = two_way(scores)
    estimate = ((whole[first] - whole[second]) / (topics * q)).astype(np.float64)
    p = _proportion(extreme, len(ranges), draws)
    return {"estimate": estimate, "statistic": estimate, "p_value": p}


_FLIPS = "NumPy: the same sign flips, or all"
_RESAMPLED = "NumPy: the same resamples, or all"
_TAILS = dict.fromkeys(("p_value", "conf_low", "conf_high"), "NumPy: tails, as others lose digits")
_ORDERED = dict.fromkeys(("estimate", "conf_low", "conf_high"), "NumPy: order statistics")
TESTS: Mapping[str, Counterpart] = {
    "one_sample_t": Counterpart("statsmodels: DescrStatsW.ttest_mean, tconfint_mean", one_sample_t),
    "paired_t": Counterpart(
        "statsmodels: DescrStatsW of differences", lambda x, y, **own: one_sample_t(x - y, **own)
    ),
    "student_t": Counterpart(
        "statsmodels: CompareMeans, pooled", partial(two_means, kind="pooled")
    ),
    "welch_t": Counterpart(
        "statsmodels: CompareMeans, unequal", partial(two_means, kind="unequal")
    ),
    "equivalence_t": Counterpart("statsmodels: ttost_paired, DescrStatsW", equivalence_t),
    "variance_ratio": Counterpart("Python: statistics.variance; SciPy: stats.f", variance_ratio),
    "sign": Counterpart("statsmodels: binom_test, proportion_confint", sign),
    "wilcoxon_signed_rank": Counterpart("SciPy: stats.wilcoxon", wilcoxon_signed_rank, _ORDERED),
    "mann_whitney": Counterpart("SciPy: stats.mannwhitneyu", mann_whitney, _ORDERED),
    "kolmogorov_smirnov": Counterpart(
        "SciPy: ks_2samp; all orders, or kstwobign", kolmogorov_smirnov
    ),
    "friedman": Counterpart("SciPy: stats.rankdata, stats.chi2", friedman),
    "pearson": Counterpart("Python: fractions; SciPy: stats.t, stats.norm", pearson),
    "kendall": Counterpart("SciPy: stats.kendalltau; NumPy: signs of all pairs", kendall),
    "spearman": Counterpart("SciPy: stats.spearmanr, all orders, or the series AS 89", spearman),
    "anova_two_way": Counterpart("Python: fractions; SciPy: stats.f", anova_two_way),
    "tukey_hsd": Counterpart("Python: fractions", tukey_hsd, _TAILS),
    "nemenyi": Counterpart("SciPy: stats.rankdata", nemenyi, _TAILS),
    "conover": Counterpart("SciPy: stats.rankdata, stats.t", conover),
    "dunnett": Counterpart("Python: fractions", dunnett, _TAILS),
    "permutation": Counterpart(_FLIPS, permutation),
    "permutation_unpaired": Counterpart("NumPy: the same divisions, or all", permutation_unpaired),
    "bootstrap_shift": Counterpart(_RESAMPLED, bootstrap_shift),
    "bootstrap_studentized": Counterpart(_RESAMPLED, bootstrap_studentized),
    "max_t": Counterpart(f"statsmodels: DescrStatsW; {_FLIPS}", max_t),
    "max_t_baseline": Counterpart(f"statsmodels: DescrStatsW; {_FLIPS}", max_t_baseline),
    "randomized_tukey_hsd": Counterpart("NumPy: the same shuffles, or all", randomized_tukey_hsd),
}


def of_family(
    counterpart: Counterpart,
    samples: str,
    scores: Array,
    places: tuple[Any, Any],
    settings: Mapping[str, Any],
    draws: Mapping[str, Blocks],
    fewest: int = 1,
    in_unit: tuple[str, ...] | None = (),
) -> dict[str, Array]:
    """Return the numbers of each system, each pair of columns, or all at once.

    `samples` is what is compared, and `places` are the columns of the pairs. `draws` are random
    draws by the sizes of samples, such as "25 x 25". The numbers are NaN of fewer scores than
    `fewest`, and `in_unit` names the numbers and settings in the unit of the scores, None if there
    is no unit.
    """
    first, second = places
    given: list[tuple[Any, ...]] = [(scores, *(places if samples == "pairs" else ()))]
    if samples == "one sample":
        given = [(x[~np.isnan(x)],) for x in scores.T]
    elif samples in ("paired", "unpaired"):
        there = ~np.isnan(scores).T
        both = [there[first] & there[second]] * 2 if samples == "paired" else None
        of_x, of_y = both or (there[first], there[second])
        columns = (scores.T[first], of_x, scores.T[second], of_y)
        given = [(x[own], y[other]) for x, own, y, other in zip(*columns, strict=True)]
    own = {key: value for key, value in settings.items() if key not in ("B", "seed")}
    together = samples not in ("one sample", "paired", "unpaired")
    alike: dict[Any, list[int]] = {}
    for i, each in enumerate(given):
        sizes = each[0].shape + (each[1].shape if samples == "unpaired" else ())
        drawn = " x ".join(map(str, sizes)) if "B" in settings else ""
        if min(sizes[:1] if together else sizes) >= fewest:  # many have the same draws and unit
            block = i // _PAIRS if drawn in draws else i
            alike.setdefault((drawn, round(_exponent(each) / _ORDINARY), block), []).append(i)
    nowhere = np.full(len(first) if samples == "pairs" else len(given), np.nan)
    numbers = {name: nowhere.copy() for name in QUANTITIES}
    for (drawn, _, _), same in alike.items():
        each, more = given[same[0]], {"draws": draws.get(drawn)} if drawn else {}
        if drawn and not together:
            each = tuple(map(np.array, zip(*(given[i] for i in same), strict=True)))
        found = _scaled(counterpart, each, {**own, **more}, in_unit)
        if drawn:
            p, trials = found["p_value"], np.inf if draws.get(drawn) is None else settings["B"]
            found["p_value_stderr"] = np.sqrt(p * (1 - p) / (trials + 1))
        for name, values in found.items():
            numbers.setdefault(name, nowhere.copy())[slice(None) if together else same] = values
    return numbers


def _scaled(
    counterpart: Counterpart, given: Any, settings: dict[str, Any], in_unit: tuple[str, ...] | None
) -> dict[str, Any]:
    """Compute with scores in a unit that suits their squares: an exact power of 2."""
    power = _exponent(given)
    if in_unit is None or abs(power) <= _ORDINARY or isinstance(settings.get("ties_at"), int):
        return dict(counterpart(*given, **settings))
    scaled = [np.ldexp(each, -power) if each.dtype == np.float64 else each for each in given]
    units = {k: float(np.ldexp(settings[k], -power)) for k in in_unit if k in settings}
    found = counterpart(*scaled, **{**settings, **units})
    return {k: np.ldexp(v, power) if k in in_unit else v for k, v in found.items()}


def _exponent(samples: Iterable[Array]) -> int:
    scores = (each for each in samples if each.dtype == np.float64)
    return math.frexp(max(np.abs(each).max(initial=0.0) for each in scores))[1]
