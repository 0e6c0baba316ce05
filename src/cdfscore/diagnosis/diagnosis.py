"""Diagnosis of schemes on every topic, and of factors: tasks, summary, ranking and cautions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore.cautions import warn_of
from cdfscore.comparison.adjustment import adjust
from cdfscore.diagnosis.goodness_of_fit import LEAST, STATISTICS, statistics
from cdfscore.diagnosis.histogram import histogram_table, pit_moments
from cdfscore.diagnosis.reliability import topic_reliability
from cdfscore.diagnosis.resolution import Resolution, resolution_of
from cdfscore.diagnosis.settings import USUAL, Draws, Settings, distributions
from cdfscore.diagnosis.topic import Examined, examine, examine_known, not_fitted
from cdfscore.errors import FactorsError
from cdfscore.io.scores.cautions import sentences
from cdfscore.io.text import capitalized, counted, listed, written
from cdfscore.numerics.moments import count, mean_and_sd
from cdfscore.numerics.normal_cdf import normal_cdf
from cdfscore.numerics.types import Array, BoolArray
from cdfscore.schemes._extremes import extremes
from cdfscore.schemes.base import Scheme
from cdfscore.schemes.zero_inflated import ZeroInflated
from cdfscore.showing import Shown
from cdfscore.significance.paired_t import paired_t
from cdfscore.spelling import as_here
from cdfscore.standardization.factors import ExtraTopics, Factors, check_extra
from cdfscore.standardization.matrix import ScoreMatrix
from cdfscore.standardization.notes import dropped_notes, missing_notes
from cdfscore.standardization.policies import direction
from cdfscore.standardization.policies import missing as missing_scores
from cdfscore.standardization.policies.direction import AnyLowerIsBetter
from cdfscore.standardization.policies.missing import MissingPolicy
from cdfscore.standardization.policies.unfitted import fit_where_possible
from cdfscore.standardization.reference_systems import FEW_SYSTEMS
from cdfscore.standardization.scale import mixed_scales
from cdfscore.standardization.standardizer import Standardizer
from cdfscore.threads import alone

if TYPE_CHECKING:
    import pandas as pd
    from narwhals.typing import IntoFrame

    from cdfscore.standardization.standardized import Standardized

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


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis(Shown):
    """Result of `diagnose`.

    `fits` has one row for each scheme and topic, in this order, with the columns

    - topic, scheme, n (scores that are not missing), fitted, constant (all scores are equal, or
      there are fewer than two, so that nothing is fitted), reason (why it was not fitted, or why
      a number is missing), parameters (written ``mean=0.25,sd=0.1``);
    - reliability: the correlation of the topic's scores with the means of the systems over the
      other topics, the same for all schemes; see `cdfscore.diagnosis.topic_reliability`;
    - censored_at_0, censored_at_1: numbers of scores below and above the fitted distribution, as
      those of U-std beyond the ends;
    - for each statistic ks, ad, cvm: itself; its p value ``ks_p`` by parametric bootstrap, and
      the p value's Monte Carlo standard error ``ks_p_stderr``; ``ks_p_holm``, corrected over
      the topics of the scheme;
    - log_likelihood, aic, bic: of the scores as written, NaN for aic and bic where the
      parameters of a scheme are not counted; log_score: the mean log probability of each score
      under the fit to the others, higher is better; all in nats;
    - crps: the mean continuous ranked probability score of each score under the fit to the
      others, lower is better; in the unit of the scores; see `cdfscore.diagnosis.crps.crps`;
    - floored and floored_left_out: numbers of scores whose probability is below 2^-53 and was
      replaced by 2^-53, in log_likelihood and in log_score; resamples, resamples_unfitted:
      bootstrap samples that were fitted, and that could not be fitted.

    `histogram` is the probability integral transform of the left-out scores of all topics. It
    has one row for each scheme and bin: the ends low and high; count (not whole, since a score on
    a grid is spread over bins); proportion; expected, the proportion under a perfect fit; and
    band_low and band_high, the limits of 95 % of proportions of a bin under a perfect fit with
    independent scores; see `cdfscore.diagnosis.histogram.sampling_band`.

    `summary` has one row for each scheme. A count is missing (NA) if it is not defined: rejections
    of a scheme that was not tested or could not have been rejected, and wins of a scheme that was
    not compared. The columns are

    - topics, fitted, unfitted (but not constant), constant, tested: numbers of topics;
    - ks_rejected, ad_rejected, cvm_rejected: tested topics with a corrected p value of at most
      alpha; NA if no p value could be so small with so few resamples, or if nothing is rejected
      and all topics have fewer than 10 scores;
    - crps_wins, log_score_wins, aic_wins, bic_wins: topics in which no scheme is better, of the
      topics in which two or more schemes have the number; equal schemes all win, but none wins if
      all are equal; aic_near: topics in which AIC is at most 2 above the best, which is no
      evidence against a scheme;
    - crps: the mean over the topics of the scheme; crps_common: the mean over the crps_topics, in
      which all schemes that have a CRPS anywhere have one; crps_rank: the rank by crps_common, 1
      for the best; crps_above: the mean difference from the best over these topics, with the
      interval crps_above_low to crps_above_high of level 1 - alpha by the paired t test;
    - log_score and log_score_common, over the common_topics: as crps, for the log score. They
      are NaN, and log_score_wins is NA, for step functions such as empirical. These are not
      compared with densities by log score, since they give probability 0 to a score that no
      other system has;
    - pit_mean and pit_sd: mean and standard deviation of the transform, 1/2 and 0.2887 under a
      perfect fit.

    `verdict` states these results in sentences. The cautions come first, and are in `notes` too.
    `standardized` returns the scores by a single scheme, for `cdfscore.verify`; it is None for
    several schemes, and for factors.

    Raises nothing itself; `diagnose` lists the errors.

    Examples
    --------
    >>> from cdfscore import datasets, diagnose
    >>> found = diagnose(datasets.load_cranfield("ap").iloc[:5], ["normal", "gamma"], bootstrap=0)
    >>> found.schemes, found.topics, found.summary["crps_rank"].tolist()
    (('normal', 'gamma'), 5, [1, 2])
    >>> print(found.verdict[0].partition(". ")[0])
    The scores of 5 topics are treated as rounded to 1e-06, because all are multiples of it
    """

    fits: pd.DataFrame
    histogram: pd.DataFrame
    summary: pd.DataFrame
    verdict: tuple[str, ...]
    schemes: tuple[str, ...]
    topics: int
    systems: int
    resolution: Resolution
    draws: Draws
    alpha: float
    missing: str
    notes: tuple[str, ...]
    standardized: Callable[[], Standardized] | None = None

    def __repr__(self) -> str:
        ranked = self.summary.sort_values("crps_rank", kind="stable")
        found = ", ".join(
            f"{scheme} {crps:.4f}"
            for scheme, crps in zip(ranked["scheme"], ranked["crps_common"], strict=True)
        )
        return f"<diagnosis of {counted(self.topics, 'topic')}; mean CRPS, lowest first: {found}>"


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
        below alpha after Holm's correction; see `cdfscore.diagnosis.settings.Draws`. About 20,000
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
    found = assembled(
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
    if len(chosen) > 1:
        return found
    how = Standardizer(
        chosen[0], missing=missing, unfitted="nan", lower_is_better=lower, reflect_at=at
    )
    return replace(found, standardized=partial(how.standardize, given.frame))


def _notes(given: ScoreMatrix, kept: ScoreMatrix, missing: MissingPolicy) -> tuple[str, ...]:
    """Describe what the policy did to missing scores."""
    topics = set(kept.topics)
    dropped = [topic for topic in given.topics if topic not in topics]
    absent = 0 if missing == "drop_topic" else given.missing()
    return (*dropped_notes(dropped), *missing_notes(absent, missing))
