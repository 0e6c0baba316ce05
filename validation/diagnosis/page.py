"""Recovery in tables, a row for each family that scores were simulated from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from cdfscore.diagnosis.criteria import STATISTICS
from cdfscore.diagnosis.diagnosis import CRITERIA, NEAR
from validation import pages
from validation.diagnosis.recovery import ERROR, LEVEL, Recovery

#: Rejections are shown for as many tested topics.
LEAST = 20
TITLES = {
    "crps": "Lowest CRPS of left-out scores",
    "log_score": "Best log score of left-out scores",
    "aic": "Best AIC",
    "bic": "Best BIC",
}


#: These have similar shapes: another of them is best in at least this share of topics.
ALIKE, OFTEN = ("beta", "kumaraswamy", "gamma", "logit_normal"), 0.2
#: A family that is hardly ever best is best in at most this share of topics.
HARDLY_EVER = 0.1


def text(found: Sequence[Recovery], alone: Sequence[Recovery], claims: pages.Claims) -> str:
    """Return the page: all families on all laws, and more topics for each alone."""
    laws: dict[str, dict[str, None]] = {}
    for each in found:
        laws.setdefault(each.law.scheme, {})[each.law.setting] = None
    return pages.rendered(
        "diagnosis/page.md.jinja",
        claims,
        families=list(found[0].fitted.index),
        laws=laws,
        topics=found[0].topics,
        topics_alone=alone[0].topics,
        sizes=[_size(own, alone) for own in _by_size(found)],
        statistics=STATISTICS,
        near=NEAR,
        level=LEVEL,
        error=ERROR,
        least=LEAST,
    )


def page_claims(found: Sequence[Recovery]) -> dict[str, bool]:
    """Return what the page says in words of all families, and whether it is so."""
    aic, log_score = (
        [shares for size in _by_size(found) for shares in _best(size, criterion).items()]
        for criterion in ("aic", "log_score")
    )
    return {
        "which of them is best is often chance": all(
            row[[other for other in ALIKE if other != family]].sum() >= OFTEN
            for family, row in aic
            if family in ALIKE
        ),
        "normal is hardly ever best": all(row["normal"] <= HARDLY_EVER for _, row in aic),
        "exponential is hardly ever best by log score": all(
            row["exponential"] <= HARDLY_EVER for _, row in log_score
        ),
    }


def _size(own: Sequence[Recovery], alone: Sequence[Recovery]) -> dict[str, Any]:
    """Return the tables of topics with so many systems."""
    systems = own[0].systems
    return {
        "systems": systems,
        "best": {TITLES[criterion]: _best(own, criterion) for criterion in CRITERIA},
        "near": {family: np.mean([r.near for r in pooled]) for family, pooled in _by_family(own)},
        "rates": list(rates([each for each in alone if each.systems == systems])),
        "rejected": {family: _rejected(pooled) for family, pooled in _by_family(own)},
    }


def _best(found: Sequence[Recovery], criterion: str) -> dict[str, pd.Series]:
    """Return in what share of the topics of a true family each family is best."""
    return {
        family: pd.concat([r.picks.loc[criterion] for r in pooled], axis=1).mean(axis=1)
        for family, pooled in _by_family(found)
    }


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


def _by_size(found: Sequence[Recovery]) -> Iterator[list[Recovery]]:
    for systems in dict.fromkeys(each.systems for each in found):
        yield [each for each in found if each.systems == systems]


def _by_family(found: Sequence[Recovery]) -> Iterator[tuple[str, list[Recovery]]]:
    for family in dict.fromkeys(each.law.scheme for each in found):
        yield family, [each for each in found if each.law.scheme == family]


def _rejected(pooled: Sequence[Recovery]) -> pd.Series:
    """Return the share of tested topics that AD rejects, by family; NaN of too few topics."""
    tested = pd.concat([r.tested for r in pooled], axis=1)
    counts = pd.concat([r.rejected.loc["ad"] * r.tested for r in pooled], axis=1)
    total = tested.sum(axis=1)
    return (counts.sum(axis=1) / total).where(total >= LEAST)
