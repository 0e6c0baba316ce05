"""Assembling of a diagnosis from the tasks of its topics."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.cautions import warn_of
from cdfscore.comparison.adjustment import adjust
from cdfscore.diagnosis.attainable import cautions
from cdfscore.diagnosis.draws import Draws
from cdfscore.diagnosis.goodness_of_fit import LEAST, STATISTICS
from cdfscore.diagnosis.histogram import histogram_table, pit_moments
from cdfscore.diagnosis.ranking import grid_notes, price_of_smoothness, ranked
from cdfscore.diagnosis.reliability import topic_reliability
from cdfscore.diagnosis.resolution import Resolution
from cdfscore.diagnosis.result import Diagnosis
from cdfscore.diagnosis.settings import Settings
from cdfscore.diagnosis.summary import CRITERIA, NEAR, compared, contested, summarize, undecided
from cdfscore.diagnosis.topic import Examined
from cdfscore.diagnosis.work import Task, results
from cdfscore.io.text import capitalized, written
from cdfscore.numerics.types import Array
from cdfscore.schemes.base import Scheme

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
