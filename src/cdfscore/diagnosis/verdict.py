"""Verdict of the diagnosis, in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cdfscore.diagnosis.bootstrap import Draws
from cdfscore.diagnosis.resolution import Resolution
from cdfscore.diagnosis.summary import CRITERIA, NEAR, by_scheme, contested, undecided

if TYPE_CHECKING:
    import pandas as pd

_NAMES = {
    "log_score": "predicts left-out scores best",
    "aic": "has the best AIC",
    "bic": "has the best BIC",
}
_AS_WRITTEN = {
    "given": "are taken as rounded to {:g}, as given",
    "found": "are taken as rounded to {:g}, of which all are multiples",
    "assumed": "are of full precision; a density is made a probability over a width of {:.3g}",
}


# Proportion of resamples above which unfitted ones are mentioned.
_MANY = 0.1


def verdict(
    fits: pd.DataFrame, summary: pd.DataFrame, written: Resolution, draws: Draws, alpha: float
) -> tuple[str, ...]:
    """Describe the results of a diagnosis, in a sentence or two for each aspect."""
    first = f"The scores of {_count(summary['topics'].iloc[0], 'topic')} "
    first += _AS_WRITTEN[written.source].format(written.width) + "."
    constant = fits.loc[fits["constant"] & (fits["scheme"] == summary["scheme"].iloc[0]), "reason"]
    for reason, number in constant.value_counts(sort=False).items():
        verb = "is" if number == 1 else "are"
        first += f" {_count(number, 'topic')} {verb} uninformative: {reason}."
    sentences = [first]
    for _, row in summary.iterrows():
        said = "; ".join(_of_scheme(row, fits[fits["scheme"] == row["scheme"]]))
        if said:
            sentences.append(f"{row['scheme']}: {said}.")
    for criterion in CRITERIA:
        sentences += _winner(summary, fits, criterion)
    if summary["tested"].any():
        sentences.append(
            f"Rejections are at alpha = {alpha:g} after Holm's correction over the topics of a "
            f"scheme, by parametric bootstrap ({draws.resamples} resamples per "
            f"topic, {draws.most} where p is small). A distribution that is not rejected may "
            "still be wrong."
        )
    return tuple(sentences)


def _of_scheme(row: pd.Series[float], own: pd.DataFrame) -> Iterator[str]:
    unfitted = own[~own["fitted"] & ~own["constant"]]
    if len(unfitted):
        yield (
            f"cannot be fitted to {_of(len(unfitted), row['topics'])}, such as "
            f"{unfitted['topic'].iloc[0]} ({unfitted['reason'].iloc[0]})"
        )
    if row["tested"]:
        yield (
            f"rejected in {_of(row['ad_rejected'], row['tested'])} by Anderson-Darling "
            f"({row['ks_rejected']} by Kolmogorov-Smirnov, {row['cvm_rejected']} by Cramer-von "
            "Mises)"
        )
    drawn = own["resamples"] + own["resamples_unfitted"]
    many = int((own["ad_p"].notna() & (own["resamples_unfitted"] > _MANY * drawn)).sum())
    if many:
        yield (
            f"p is based on fewer resamples in {_count(many, 'topic')}, where more than "
            f"{_MANY:.0%} of them could not be fitted"
        )
    untested = own[own["fitted"] & own["ad_p"].isna()]
    if len(untested):
        reason = untested["reason"].iloc[0].removeprefix("not tested: ")
        where = "" if len(untested) == row["fitted"] else f" in {_count(len(untested), 'topic')}"
        yield f"not tested{where} ({reason})"
    predicted = int((own["n"] * own["log_score"].notna()).sum())
    floored = int(own.loc[own["log_score"].notna(), "floored_left_out"].sum())
    if floored:
        yield f"gives less than 2^-53 to {floored} of {predicted} left-out scores"


def _winner(summary: pd.DataFrame, fits: pd.DataFrame, criterion: str) -> Iterator[str]:
    """Name the scheme that wins most topics by a criterion, if two or more have it."""
    counts = summary.set_index("scheme")
    won = counts[f"{criterion}_wins"].sort_values(ascending=False, kind="stable")
    have = fits.loc[fits[criterion].notna(), "scheme"].unique()
    if len(have) < 2 or not won.iloc[0]:
        return
    table = contested(by_scheme(fits, criterion))
    topics, equal = len(table), int(undecided(table).sum())
    none = f"; in {equal} all are equal" if equal else ""
    yield (
        f"Of {len(have)} distributions {won.index[0]} {_NAMES[criterion]} in "
        f"{_of(won.iloc[0], topics)}{_others(won.iloc[1:])}{none}."
    )
    if criterion == "aic":
        near = counts.loc[have, "aic_near"].sort_values(ascending=False, kind="stable")
        yield (
            f"AIC is at most {NEAR:g} above the best, which is no evidence against a "
            f"distribution, for {near.index[0]} in "
            f"{_of(near.iloc[0], topics)}{_others(near.iloc[1:])}."
        )


def _others(counts: pd.Series[int]) -> str:
    return "".join(f", {scheme} in {count}" for scheme, count in counts.items() if count)


def _of(part: float, whole: float) -> str:
    return f"{part:.0f} of {_count(whole, 'topic')}"


def _count(number: float, what: str) -> str:
    return f"{number:.0f} {what}{'' if number == 1 else 's'}"
