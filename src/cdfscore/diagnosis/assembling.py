"""Assembling of a diagnosis from the tasks of its topics."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore.cautions import warn_of
from cdfscore.comparison.adjustment import adjust
from cdfscore.diagnosis.draws import Draws
from cdfscore.diagnosis.goodness_of_fit import LEAST, STATISTICS, statistics
from cdfscore.diagnosis.histogram import histogram_table, pit_moments
from cdfscore.diagnosis.reliability import topic_reliability
from cdfscore.diagnosis.resolution import Resolution
from cdfscore.diagnosis.result import Diagnosis
from cdfscore.diagnosis.settings import Settings
from cdfscore.diagnosis.topic import Examined, examine, not_fitted
from cdfscore.io.text import capitalized, written
from cdfscore.numerics.moments import mean_and_sd
from cdfscore.numerics.normal_cdf import normal_cdf
from cdfscore.numerics.types import Array
from cdfscore.schemes._extremes import extremes
from cdfscore.schemes.base import Scheme
from cdfscore.significance.paired_t import paired_t
from cdfscore.spelling import as_here
from cdfscore.standardization.policies.unfitted import fit_where_possible
from cdfscore.standardization.reference_systems import FEW_SYSTEMS
from cdfscore.threads import alone

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.standardization.matrix import ScoreMatrix

_NAMES = {
    "crps": "has the lowest CRPS",
    "log_score": "has the best log score",
    "aic": "has the best AIC",
    "bic": "has the best BIC",
}
_AS_WRITTEN = {
    "given": "are treated as rounded to {:g}, as requested",
    "found": "are treated as rounded to {:g}, because all are multiples of it",
    "assumed": "are treated as exact; a density becomes a probability over a width of {:.3g}",
}
# Proportion of unfitted resamples above which the verdict mentions them.
_MANY = 0.1
#: Criteria by which schemes win topics, and whether the highest value wins.
CRITERIA = {"crps": False, "log_score": True, "aic": False, "bic": False}
#: Largest difference from the best AIC that is no evidence: Burnham and Anderson (2002), 2.6.
NEAR = 2.0
# Proportion of the CRPS below which there is no note on a coarse grid.
_SMALL = 1e-3

#: Columns of `Diagnosis.summary` by which schemes are ranked.
RANKING = ("crps_rank", "crps_common", "crps_above", "crps_above_low", "crps_above_high")
# Reasons why a topic of few scores has no spread.
_UNVARIED = {0: "there is no score", 1: "there is only one score"}

Task = tuple[Callable[..., Examined], tuple[Any, ...]]
# Samples of each distribution, in `detected`; their error is below 0.003 at a level of 0.05.
_SAMPLES = 20_000
_AD = list(STATISTICS).index("ad")


def tasks_of(
    scheme: Scheme, values: Array, topics: list[str], written: Resolution, draws: Draws
) -> list[Task]:
    """Return the task of each topic, in their order."""
    counts = (~np.isnan(values)).sum(axis=1).tolist()
    low, high = extremes(values)
    varied = np.flatnonzero(low < high)
    fitted, kept, unfitted = fit_where_possible(scheme, values[varied])
    position = {int(varied[row]): i for i, row in enumerate(kept)}
    reasons = {int(varied[row]): reason for row, reason in unfitted.items()}
    tasks: list[Task] = []
    for row, (topic, n) in enumerate(zip(topics, counts, strict=True)):
        if row in position:
            sample = values[row][~np.isnan(values[row])]
            one = fitted.take(np.array([position[row]]))
            tasks.append((examine, (one, sample, written, draws, topic)))
        else:
            constant = row not in reasons
            reason = reasons.get(row, _UNVARIED.get(n, "all scores are equal"))
            tasks.append((not_fitted, (scheme, topic, n, reason, constant)))
    return tasks


def results(work: list[Task], jobs: int | None) -> Iterator[Examined]:
    """Yield the results in order; an interrupted run waits only for the topics in progress."""
    if jobs is None:
        for function, arguments in work:
            yield function(*arguments)
        return
    pool = ThreadPoolExecutor(jobs, "cdfscore-diagnosis", initializer=as_here())
    try:
        futures = [pool.submit(alone, function, *arguments) for function, arguments in work]
        for future in futures:
            yield future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def assembled(
    work: list[Task],
    chosen: Sequence[Scheme],
    matrix: ScoreMatrix,
    written: Resolution,
    draws: Draws,
    settings: Settings,
    missing: str,
    told: Sequence[str],
    notes: Sequence[str],
    progress: Callable[[int, int], None] | None,
) -> Diagnosis:
    """Do the tasks, and return the diagnosis of the schemes on a matrix after the policies.

    Sentences that are `told` are cautions, which come before the numbers and are warned of;
    `notes` say what the policies did.
    """
    import pandas as pd

    examined = []
    for found in results(work, settings.jobs):
        examined.append(found)
        if progress:
            progress(len(examined), len(work))
    fits = pd.DataFrame([found.row for found in examined])
    reliable = dict(zip(matrix.topics, topic_reliability(matrix.values).tolist(), strict=True))
    after = list(fits).index("parameters") + 1
    fits.insert(after, "reliability", fits["topic"].map(reliable))
    for name in STATISTICS:
        fits[f"{name}_p_holm"] = fits.groupby("scheme", sort=False)[f"{name}_p"].transform(
            lambda p: adjust(p.to_numpy(), "holm")
        )
    names = tuple(map(str, chosen))
    predicted = {name: _predicted(examined, name) for name in names}
    moments = {name: pit_moments(*ends) for name, ends in predicted.items()}
    steps = frozenset(str(scheme) for scheme in chosen if scheme.degree_between == 0)
    follow = frozenset(each.row["scheme"] for each in examined if each.follows)
    summary = summarize(fits, moments, draws, settings.alpha, steps)
    first = (*told, *cautions(fits, draws, settings.alpha))
    warn_of(first)
    first += grid_notes(summary, price_of_smoothness(matrix.values, written), steps)
    return Diagnosis(
        fits,
        histogram_table(predicted, settings.bins, follow),
        summary,
        verdict(fits, summary, first, written, draws, settings.alpha, steps),
        names,
        topics=len(matrix.topics),
        systems=len(matrix.systems),
        resolution=written,
        draws=draws,
        alpha=settings.alpha,
        missing=missing,
        notes=(*first, *notes),
    )


def _predicted(examined: list[Examined], scheme: str) -> tuple[Array, Array]:
    """Return the predicted cdf at the ends of the cells of all left-out scores."""
    own = [each for each in examined if each.row["scheme"] == scheme]
    lower, upper = (np.concatenate([getattr(e, end) for e in own]) for end in ("lower", "upper"))
    return lower, upper


def verdict(
    fits: pd.DataFrame,
    summary: pd.DataFrame,
    cautions: tuple[str, ...],
    unit: Resolution,
    draws: Draws,
    alpha: float,
    steps: frozenset[str],
) -> tuple[str, ...]:
    """Describe the results of a diagnosis, in a sentence or two for each aspect.

    The `cautions` come first. `steps` are the names of the schemes that are step functions.
    """
    first = f"The scores of {_count(summary['topics'].iloc[0], 'topic')} "
    first += _AS_WRITTEN[unit.source].format(unit.width) + "."
    constant = fits.loc[fits["constant"] & (fits["scheme"] == summary["scheme"].iloc[0]), "reason"]
    for reason, number in constant.value_counts(sort=False).items():
        verb = "is" if number == 1 else "are"
        first += f" {_count(number, 'topic')} {verb} uninformative: {reason}."
    first += _on_reliability(fits[fits["scheme"] == summary["scheme"].iloc[0]])
    sentences = [f"{capitalized(each)}." for each in cautions]
    sentences.append(first)
    for _, row in summary.iterrows():
        own = fits[fits["scheme"] == row["scheme"]]
        said = "; ".join(_of_scheme(row, own, row["scheme"] in steps))
        if said:
            sentences.append(f"{row['scheme']}: {said}.")
    sentences += ranked(summary, alpha)
    for criterion in CRITERIA:
        sentences += _winner(summary, compared(fits, criterion, steps), criterion)
    if summary["tested"].any():
        sentences.append(
            f"Rejections are at alpha = {written(alpha)} after Holm's correction over the topics "
            f"of a scheme, by parametric bootstrap ({draws.resamples} resamples per topic, "
            f"{draws.most} where p is small or topics share them). A distribution that is not "
            "rejected may still be wrong."
        )
    return tuple(sentences)


def _on_reliability(topics: pd.DataFrame) -> str:
    """Return a sentence on the reliability of the topics, if it is defined on any."""
    found = topics.set_index("topic")["reliability"].dropna()
    if found.empty:
        return ""
    return (
        " The reliability of topics (their correlation with the means of the systems over the "
        f"others) has the median {found.median():.3f} and is lowest on {found.idxmin()} "
        f"({found.min():.3f})."
    )


def _of_scheme(row: pd.Series[float], own: pd.DataFrame, steps: bool) -> Iterator[str]:
    unfitted = own[~own["fitted"] & ~own["constant"]]
    if len(unfitted):
        yield (
            f"cannot be fitted to {_of(len(unfitted), row['topics'])}, such as "
            f"{unfitted['topic'].iloc[0]} ({unfitted['reason'].iloc[0]})"
        )
    if row["tested"]:
        ad, ks, cvm = (_dash(row[f"{name}_rejected"]) for name in ("ad", "ks", "cvm"))
        tested = _count(row["tested"], "topic")
        if ad == ks == cvm == "-":
            yield f"tested in {tested}, with too little data or too few resamples to reject it"
        else:
            yield (
                f"rejected in {ad} of {tested} by Anderson-Darling ({ks} by Kolmogorov-Smirnov, "
                f"{cvm} by Cramer-von Mises)"
            )
    drawn = own["resamples"] + own["resamples_unfitted"]
    many = int((own["ad_p"].notna() & (own["resamples_unfitted"] > _MANY * drawn)).sum())
    if many:
        yield (
            f"p is based on fewer resamples in {_count(many, 'topic')}, because more than "
            f"{_MANY:.0%} of them could not be fitted"
        )
    untested = own[own["fitted"] & own["ad_p"].isna()]
    if len(untested):
        reason = untested["reason"].iloc[0].removeprefix("not tested: ")
        where = "" if len(untested) == row["fitted"] else f" in {_count(len(untested), 'topic')}"
        yield f"not tested{where} ({reason})"
    beyond = own[(own["censored_at_0"] > 0) | (own["censored_at_1"] > 0)]
    if len(beyond):
        low, high = (int(beyond[f"censored_at_{end}"].sum()) for end in (0, 1))
        yield (
            f"censors {low} of {int(own['n'].sum())} scores at 0 and {high} at 1, beyond its ends, "
            f"in {_count(len(beyond), 'topic')}"
        )
    predicted = int((own["n"] * own["log_score"].notna()).sum())
    floored = int(own.loc[own["log_score"].notna(), "floored_left_out"].sum())
    if steps and predicted:
        yield (
            "not compared by log score: its steps give probability 0 to a score that no other "
            f"system has ({floored} of {predicted} scores here), and each of these would count as "
            f"log 2^-53 = {math.log(LEAST):.1f}"
        )
    elif floored:
        yield (
            f"gives a probability below 2^-53 to {floored} of {predicted} scores that were not "
            "used in the fit"
        )


def _winner(summary: pd.DataFrame, table: pd.DataFrame, criterion: str) -> Iterator[str]:
    """Name the scheme that wins most topics by a criterion, if two or more have it."""
    counts = summary.set_index("scheme")
    table = table.dropna(axis=1, how="all")
    have = table.columns
    if len(have) < 2:
        return
    won = _most_first(counts.loc[have, f"{criterion}_wins"].fillna(0))
    if not won.iloc[0]:
        return
    table = contested(table)
    topics, equal = len(table), int(undecided(table).sum())
    none = f"; in {equal} all are equal" if equal else ""
    yield (
        f"Of {len(have)} distributions {won.index[0]} {_NAMES[criterion]} in "
        f"{_of(won.iloc[0], topics)}{_others(won.iloc[1:])}{none}."
    )
    if criterion == "aic":
        near = _most_first(counts.loc[have, "aic_near"].fillna(0))
        yield (
            f"AIC is at most {NEAR:g} above the best, which is no evidence against a "
            f"distribution: {near.index[0]} in "
            f"{_of(near.iloc[0], topics)}{_others(near.iloc[1:])}."
        )


def _most_first(counts: pd.Series[int]) -> pd.Series[int]:
    """Return counts of schemes, the highest first; equal ones stay in their order."""
    return counts.loc[sorted(counts.index, key=counts.to_dict().__getitem__, reverse=True)]


def _others(counts: pd.Series[int]) -> str:
    return "".join(f", {scheme} in {count}" for scheme, count in counts.items() if count)


def _dash(number: object) -> str:
    """Return a count, or - where there is none."""
    import pandas as pd

    return "-" if number is pd.NA else str(number)


def _of(part: float, whole: float) -> str:
    return f"{part:.0f} of {_count(whole, 'topic')}"


def _count(number: float, what: str) -> str:
    return f"{number:.0f} {what}{'' if number == 1 else 's'}"


def summarize(
    fits: pd.DataFrame,
    moments: dict[str, tuple[float, float]],
    draws: Draws,
    alpha: float,
    steps: frozenset[str] = frozenset(),
) -> pd.DataFrame:
    """Return `Diagnosis.summary` from `Diagnosis.fits` and the moments of the transform.

    `steps` are the names of the step functions, whose log score is not compared.
    """
    import pandas as pd

    tables = {criterion: compared(fits, criterion, steps) for criterion in CRITERIA}
    won = {criterion: wins(table, criterion) for criterion, table in tables.items()}
    near = _near(tables["aic"])
    logs, crps = (tables[name].dropna(axis=1, how="all").dropna() for name in ("log_score", "crps"))
    places = ranking(crps, alpha)
    rows: list[dict[str, Any]] = []
    for scheme, own in fits.groupby("scheme", sort=False):
        tested = own[own["ad_p"].notna()]
        rejected = {name: int((own[f"{name}_p_holm"] <= alpha).sum()) for name in STATISTICS}
        rows.append(
            {
                "scheme": scheme,
                "topics": len(own),
                "fitted": int(own["fitted"].sum()),
                "unfitted": int((~own["fitted"] & ~own["constant"]).sum()),
                "constant": int(own["constant"].sum()),
                "tested": len(tested),
                **{
                    f"{name}_rejected": number if judged(tested, number, draws, alpha) else None
                    for name, number in rejected.items()
                },
                **{f"{criterion}_wins": won[criterion].get(str(scheme)) for criterion in CRITERIA},
                "aic_near": near.get(str(scheme)),
                "crps": own["crps"].mean(),
                **places.get(str(scheme), dict.fromkeys(RANKING)),
                "crps_topics": len(crps) if len(crps.columns) else 0,
                "log_score": float("nan") if scheme in steps else own["log_score"].mean(),
                "log_score_common": logs[scheme].mean() if scheme in logs else float("nan"),
                "common_topics": len(logs) if len(logs.columns) else 0,
                "pit_mean": moments[str(scheme)][0],
                "pit_sd": moments[str(scheme)][1],
            }
        )
    counts = [f"{name}_rejected" for name in STATISTICS]
    counts += [*(f"{criterion}_wins" for criterion in CRITERIA), "aic_near", "crps_rank"]
    return pd.DataFrame(rows).astype(
        dict.fromkeys(counts, "Int64") | dict.fromkeys(RANKING[1:], "float64")
    )


def wins(table: pd.DataFrame, criterion: str) -> dict[str, int]:
    """Count the topics in which no scheme is better, of those where two or more have a number.

    If several schemes are best, all of them win. None wins if all are equal, for example if every
    scheme gives less than 2^-53 to the scores of a topic. Schemes that are never compared are not
    in the result. `table` is one of `compared`.
    """
    table = contested(table)
    decided = table[~undecided(table)]
    best = decided.max(axis=1) if CRITERIA[criterion] else decided.min(axis=1)
    return _counted(table, decided.eq(best, axis=0))


def _near(aic: pd.DataFrame) -> dict[str, int]:
    table = contested(aic)
    return _counted(table, table.le(table.min(axis=1) + NEAR, axis=0))


def _counted(contest: pd.DataFrame, true: pd.DataFrame) -> dict[str, int]:
    """Return the sums of the columns of `true`, for schemes that have a number in a contest."""
    present = contest.notna().any()
    return {str(scheme): int(true[scheme].sum()) for scheme in present.index[present]}


def compared(fits: pd.DataFrame, criterion: str, steps: frozenset[str]) -> pd.DataFrame:
    """Return a criterion as topics x schemes, of the schemes that may be compared by it.

    Steps and densities are not compared by log score: see `Diagnosis`.
    """
    table = by_scheme(fits, criterion)
    out = [scheme for scheme in table if scheme in steps] if criterion == "log_score" else []
    return table.drop(columns=out)


def contested(table: pd.DataFrame) -> pd.DataFrame:
    """Return the topics of a table of `by_scheme` in which two or more schemes have a number."""
    return table[table.notna().sum(axis=1) >= 2]


def undecided(table: pd.DataFrame) -> pd.Series[bool]:
    """Tell in which topics of a table of `by_scheme` all numbers are equal."""
    return table.min(axis=1) == table.max(axis=1)


def by_scheme(fits: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return one column of `Diagnosis.fits` as topics x schemes, in their order."""
    import pandas as pd

    columns = {
        scheme: own[column].set_axis(own["topic"])
        for scheme, own in fits.groupby("scheme", sort=False)
    }
    return pd.DataFrame(columns)


def ranking(crps: pd.DataFrame, alpha: float) -> dict[str, dict[str, float]]:
    """Rank schemes by their mean over the common topics, and compare each with the first.

    `crps` is topics x schemes without NaN. `crps_above` is the mean difference from the first
    over topics, with the interval of the paired t test of level 1 - alpha; NaN for the first,
    and with fewer than two topics. The interval is NaN where all differences are equal.
    """
    if crps.empty:
        return {}
    means = crps.mean()
    best = str(means.idxmin())
    found = {}
    for scheme, rank in zip(map(str, crps), means.rank(method="min"), strict=True):
        above, interval = float("nan"), (float("nan"), float("nan"))
        if scheme != best and len(crps) > 1:
            # As a batch of one: without an interval where all differences are equal.
            pair = (crps[name].to_numpy()[np.newaxis] for name in (scheme, best))
            interval = tuple(paired_t(*pair, conf_level=1 - alpha).conf_int[0].tolist())
            above = float((crps[scheme] - crps[best]).mean())
        values = (int(rank), float(means[scheme]), above, *interval)
        found[scheme] = dict(zip(RANKING, values, strict=True))
    return found


def price_of_smoothness(scores: Array, written: Resolution) -> float:
    """Return about how much the CRPS of a smooth curve is higher because scores are on a grid.

    `scores` are (topics, systems). The distribution of scores that are rounded to multiples of d
    is a step function. A density f that is correct except for the rounding has a CRPS that is
    higher by the integral of (F - F rounded)^2, about d^2 / 12 times the integral of f^2. Here f
    is a normal density with the standard deviation of the topic, or d if that is larger; for it
    the difference is d^2 / (24 sqrt(pi) sd). The result is the mean over topics that are not
    constant, and 0 for scores of full precision.

    Examples
    --------
    >>> round(price_of_smoothness(np.array([[0.1, 0.3, 0.5]]), Resolution(0.1, "found")), 6)
    0.001175
    """
    low, high = extremes(scores)
    varied = scores[np.less(low, high)[:, 0]]
    if written.source == "assumed" or not len(varied):
        return 0.0
    sd = np.maximum(mean_and_sd(varied)[1], written.width)
    return float(np.mean(written.width**2 / (24 * math.sqrt(math.pi) * sd)))


def ranked(summary: pd.DataFrame, alpha: float) -> Iterator[str]:
    """Rank the schemes by mean CRPS, with the intervals of the differences from the first."""
    order = summary[summary["crps_rank"].notna()].sort_values("crps_rank", kind="stable")
    if len(order) < 2:
        return
    best = order.iloc[0]
    number = best["crps_topics"]
    others = ", ".join(
        f"{row['scheme']} by {row['crps_above']:.3g}"
        + (
            f" ({row['crps_above_low']:.3g} to {row['crps_above_high']:.3g})"
            if row["crps_above_low"] == row["crps_above_low"]
            else ""
        )
        for _, row in order.iloc[1:].iterrows()
    )
    yield (
        f"By CRPS, which compares step functions and densities, {best['scheme']} predicts left-out "
        f"scores best, {best['crps_common']:.4g} on average over {number} topic"
        f"{'' if number == 1 else 's'}; the others are higher: {others}. CRPS has the unit of the "
        "scores, so that topics with widely spread scores count most. The "
        f"{1 - alpha:.0%} intervals are paired by topic and do not allow for the selection of the "
        "best scheme."
    )


def grid_notes(summary: pd.DataFrame, price: float, steps: frozenset[str]) -> tuple[str, ...]:
    """Return the note on a coarse grid, if step functions and smooth curves are ranked by CRPS."""
    order = summary[summary["crps_rank"].notna()]
    apart = 0 < int(order["scheme"].isin(steps).sum()) < len(order)
    if not apart or price < _SMALL * order["crps_common"].min():
        return ()
    return (
        f"scores are on a coarse grid: the CRPS of a smooth curve is about {price:.2g} higher "
        "because it is smooth between the points of the grid, unlike a step function; a difference "
        "of this size between a step function and a curve, or a win by it, is not meaningful",
    )


def can_pass(tested: int, draws: Draws, alpha: float) -> bool:
    """Tell whether a p value of `tested` topics can be at most alpha after Holm's correction.

    The least p value is 1 / (most + 1), and Holm's correction multiplies the smallest by the
    number of topics.
    """
    return tested / (draws.most + 1) <= alpha * (1 + 1e-12)


def resamples_to_pass(tested: int, alpha: float) -> int:
    """Return the least number of resamples with which a p value can pass: tested / alpha - 1.

    Examples
    --------
    >>> resamples_to_pass(50, 0.05)
    999
    """
    return math.ceil(tested / alpha * (1 - 1e-12)) - 1


def detected(n: int, level: float) -> float:
    """Return the power of the test of normal against n scores of an exponential distribution.

    The test is that of Anderson and Darling at a `level`. The power depends on neither the
    location nor the scale of the scores, and shows what tests with n scores can detect. It is
    simulated from a fixed seed.

    Examples
    --------
    >>> round(detected(5, 0.05), 2), round(detected(50, 0.05), 2)
    (0.17, 1.0)
    """
    rng = np.random.default_rng([n, _SAMPLES])
    null = _normal_distance(rng.standard_normal((_SAMPLES, n)))
    found = _normal_distance(rng.standard_exponential((_SAMPLES, n)))
    # Two scores always have the same distance except for rounding; those are ties.
    below = np.searchsorted(np.sort(null), found * (1 - 1e-9))
    p = (_SAMPLES - below + 1) / (_SAMPLES + 1)
    return float((p <= level).mean())


def _normal_distance(samples: Array) -> Array:
    ordered = np.sort(samples, axis=-1)
    mean, sd = mean_and_sd(ordered)
    reached = normal_cdf((ordered - mean) / sd)
    distances: Array = statistics(reached, reached)[_AD]
    return distances


def judged(own: pd.DataFrame, rejected: int, draws: Draws, alpha: float) -> bool:
    """Tell whether a number of rejections says anything about a scheme.

    It says nothing where no p value can pass, nor where nothing is rejected in topics that
    all have fewer than `FEW_SYSTEMS` scores. `own` are the tested rows of `Diagnosis.fits`.
    """
    if not len(own) or not can_pass(len(own), draws, alpha):
        return False
    return rejected > 0 or bool((own["n"] >= FEW_SYSTEMS).any())


def cautions(fits: pd.DataFrame, draws: Draws, alpha: float) -> tuple[str, ...]:
    """Return the cautions on the rejections: sentences without a period."""
    tested = fits[fits["ad_p"].notna()].groupby("scheme", sort=False).size()
    found = []
    short = tested[[not can_pass(int(number), draws, alpha) for number in tested]]
    if len(short):
        most = int(short.max())
        whom = (
            "no distribution" if len(short) == len(tested) else "none of " + ", ".join(short.index)
        )
        least = 1 / (draws.most + 1)
        found.append(
            f"{whom} can be rejected, whatever the scores are: with at most {draws.most} "
            f"resamples per topic, the smallest possible p value is {least:.3g}, and "
            f"{min(most * least, 1):.3g} after Holm's correction over {_count(most, 'topic')}; "
            f"rejection at {written(alpha)} needs a maximum of {resamples_to_pass(most, alpha)} "
            "or more, or no maximum"
        )
    topics = fits[fits["fitted"]].drop_duplicates("topic")
    few = topics.loc[topics["n"] < FEW_SYSTEMS, "n"]
    if len(few):
        n = int(few.max())
        sentence = (
            f"{_count(len(few), 'topic')} of {len(topics)} {'has' if len(few) == 1 else 'have'} "
            f"{'' if few.min() == n else 'at most '}{_count(n, 'score')}, fewer than "
            f"{FEW_SYSTEMS}: so few scores can hardly distinguish one distribution from another"
        )
        if len(tested):
            most = int(tested.max())
            sentence += (
                f", and a distribution that is not rejected may be wrong; with {n} scores, the "
                "power of a test of normal against an exponential distribution is "
                f"{_share(detected(n, alpha))} at {written(alpha)}"
            )
            if most > 1:
                corrected = _share(detected(n, alpha / most))
                sentence += f", and {corrected} after Holm's correction over {most} topics"
        found.append(sentence)
    return tuple(found)


def _share(value: float) -> str:
    return "less than 0.01" if value < 0.01 else f"{value:.2f}"
