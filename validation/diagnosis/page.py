"""Recovery in tables, a row for each family that scores were simulated from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pandas as pd
from scipy import stats

from cdfscore.diagnosis.goodness_of_fit import STATISTICS
from cdfscore.diagnosis.summary import CRITERIA, NEAR
from validation.diagnosis.recovery import ERROR, LEVEL, Recovery

INTRODUCTION = """# Does the diagnosis find the family?

Written by `python -m validation.diagnosis --page`; `make validate` runs the same. Scores of
topics are simulated from each family, without cdfscore, and diagnosed by all of them. A right
diagnosis finds the family that the scores came from where another cannot imitate it, and does
not reject it more often than it says.

Three things to know when reading the tables. beta, kumaraswamy, gamma and logit_normal imitate
each other on a hundred scores, so that which of them is best is often chance. truncated_normal
takes in the normal distribution, and with the likeliest standard deviation, where normal has the
one of n - 1: on normal scores its AIC is better by 1/(2n), so that normal is hardly ever best,
however near. exponential ends at the smallest score and gives a smaller one
no probability, which ends its chances by left-out scores.

What stands behind a cell: every topic of a row's settings where a family can be fitted to all of
them. beta, gamma, logit_normal and kumaraswamy take no scores of 0, and beta, logit_normal and
kumaraswamy none of 1 or beyond, nor does zero_inflated, whose family is beta: fewer topics remain
for them. Rejections are of the tested topics, pooled over the settings; a cell of fewer than 20
is a dash. logspline and kernel have no row and no column, because nothing is simulated from them.
"""
#: Rejections are shown for as many tested topics.
LEAST = 20
TITLES = {
    "log_score": "Best predictions of left-out scores",
    "aic": "Best AIC",
    "bic": "Best BIC",
}


def page(found: Sequence[Recovery], alone: Sequence[Recovery]) -> Iterator[str]:
    """Yield the lines of the page: all families on all laws, and more topics for each alone."""
    yield INTRODUCTION
    yield "| family | settings |\n| --- | --- |"
    laws = {
        each.law.scheme: dict.fromkeys(
            r.law.setting for r in found if r.law.scheme == each.law.scheme
        )
        for each in found
    }
    for scheme, settings in laws.items():
        yield f"| {scheme} | {'; '.join(settings)} |"
    yield (
        f"\n{found[0].topics} topics of each setting and size, and {alone[0].topics} for the "
        "rejections of a true family. Scores are rounded to 0.0001, those of beta_binomial to 0.1."
    )
    for systems in dict.fromkeys(each.systems for each in found):
        own = [each for each in found if each.systems == systems]
        yield f"\n## {systems} systems\n"
        for criterion in CRITERIA:
            yield f"### {TITLES[criterion]}\n\nPer cent of the topics of a row, by column.\n"
            yield from _matrix(own, lambda r, c=criterion: r.picks.loc[c])
        yield (
            f"### True family within {NEAR:g} of the best AIC\n\nA difference so small is no "
            "evidence against a family.\n"
        )
        yield "| true family | per cent of topics |\n| --- | --: |"
        for scheme, pooled in _by_family(own):
            yield f"| {scheme} | {100 * np.mean([r.near for r in pooled]):.0f} |"
        yield (
            "\n### Rejected though true\n\nPer cent of tested topics with p <= "
            f"{LEVEL:g} by each statistic, and bounds that a right test leaves once in "
            f"{1 / ERROR:,.0f} times.\n"
        )
        yield f"| family | {' | '.join(STATISTICS)} | tested | bounds |"
        yield f"| --- | {' | '.join('--:' for _ in STATISTICS)} | --: | --- |"
        for rate in rates([each for each in alone if each.systems == systems]):
            cells = " | ".join(f"{100 * share:.1f}" for share in rate.found)
            low, high = rate.bounds
            yield (
                f"| {rate.family} | {cells} | {rate.tested} | {100 * low:.1f} to {100 * high:.1f} |"
            )
        yield (
            "\n### Rejected by Anderson-Darling\n\nPer cent of tested topics with p <= "
            f"{LEVEL:g}: rows are the true families, columns those tested.\n"
        )
        yield from _table(own, _rejected)


class Rate:
    """How often a true family is rejected, pooled over its settings."""

    def __init__(self, family: str, pooled: Sequence[Recovery]) -> None:
        tested = np.array([r.tested[family] for r in pooled])
        shares = np.array([r.rejected[family][list(STATISTICS)] for r in pooled])
        self.family, self.tested = family, int(tested.sum())
        self.found = (shares * tested[:, np.newaxis]).sum(axis=0) / self.tested
        low, high = stats.binom.interval(1 - ERROR, self.tested, LEVEL)
        self.bounds = low / self.tested, high / self.tested

    @property
    def too_often(self) -> bool:
        return bool((self.found > self.bounds[1]).any())


def rates(found: Sequence[Recovery]) -> Iterator[Rate]:
    """Yield the rejection rate of each family where it is true."""
    for family, pooled in _by_family(found):
        if sum(r.tested[family] for r in pooled):
            yield Rate(family, pooled)


def _by_family(found: Sequence[Recovery]) -> Iterator[tuple[str, list[Recovery]]]:
    for family in dict.fromkeys(each.law.scheme for each in found):
        yield family, [each for each in found if each.law.scheme == family]


def _rejected(pooled: Sequence[Recovery]) -> pd.Series:
    """Return the share of tested topics that AD rejects, by family; NaN of too few topics."""
    tested = pd.concat([r.tested for r in pooled], axis=1)
    counts = pd.concat([r.rejected.loc["ad"] * r.tested for r in pooled], axis=1)
    total = tested.sum(axis=1)
    return (counts.sum(axis=1) / total).where(total >= LEAST)


def _matrix(found: Sequence[Recovery], row: Callable[[Recovery], pd.Series]) -> Iterator[str]:
    yield from _table(found, lambda pooled: pd.concat(list(map(row, pooled)), axis=1).mean(axis=1))


def _table(
    found: Sequence[Recovery], row: Callable[[Sequence[Recovery]], pd.Series]
) -> Iterator[str]:
    families = list(found[0].fitted.index)
    yield f"| true | {' | '.join(families)} |"
    yield f"| --- | {' | '.join('--:' for _ in families)} |"
    for family, pooled in _by_family(found):
        shares = row(pooled)[families]
        cells = ["-" if np.isnan(share) else f"{100 * share:.0f}" for share in shares]
        cells[families.index(family)] = f"**{cells[families.index(family)]}**"
        yield f"| {family} | {' | '.join(cells)} |"
    yield ""
