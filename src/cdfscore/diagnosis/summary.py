"""Summary of the diagnosis over all topics: one row for each scheme."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cdfscore.diagnosis.goodness_of_fit import STATISTICS

if TYPE_CHECKING:
    import pandas as pd

#: Criteria by which schemes win topics, and whether the highest value wins.
CRITERIA = {"log_score": True, "aic": False, "bic": False}
#: Largest difference from the best AIC that is no evidence: Burnham and Anderson (2002), 2.6.
NEAR = 2.0


def summarize(
    fits: pd.DataFrame, moments: dict[str, tuple[float, float]], alpha: float
) -> pd.DataFrame:
    """Return `Diagnosis.summary` from `Diagnosis.fits` and the moments of the transform."""
    import pandas as pd

    won = {criterion: wins(fits, criterion) for criterion in CRITERIA}
    near = _near(by_scheme(fits, "aic"))
    scores = by_scheme(fits, "log_score").dropna(axis=1, how="all")
    common = scores.dropna()
    rows: list[dict[str, Any]] = []
    for scheme, own in fits.groupby("scheme", sort=False):
        rows.append(
            {
                "scheme": scheme,
                "topics": len(own),
                "fitted": int(own["fitted"].sum()),
                "unfitted": int((~own["fitted"] & ~own["constant"]).sum()),
                "constant": int(own["constant"].sum()),
                "tested": int(own["ad_p"].notna().sum()),
                **{
                    f"{name}_rejected": int((own[f"{name}_p_holm"] <= alpha).sum())
                    for name in STATISTICS
                },
                **{f"{criterion}_wins": int(won[criterion][scheme]) for criterion in CRITERIA},
                "aic_near": int(near[scheme]),
                "log_score": own["log_score"].mean(),
                "log_score_common": common[scheme].mean() if scheme in common else float("nan"),
                "common_topics": len(common) if len(common.columns) else 0,
                "pit_mean": moments[str(scheme)][0],
                "pit_sd": moments[str(scheme)][1],
            }
        )
    return pd.DataFrame(rows)


def wins(fits: pd.DataFrame, criterion: str) -> pd.Series[int]:
    """Count the topics in which no scheme is better, of those where two or more have a number.

    If several are best, all of them win, but none wins where all are equal, as where every
    scheme gives less than 2^-53 to a topic's scores.
    """
    table = contested(by_scheme(fits, criterion))
    table = table[~undecided(table)]
    best = table.max(axis=1) if CRITERIA[criterion] else table.min(axis=1)
    return table.eq(best, axis=0).sum()


def _near(aic: pd.DataFrame) -> pd.Series[int]:
    table = contested(aic)
    return table.le(table.min(axis=1) + NEAR, axis=0).sum()


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
