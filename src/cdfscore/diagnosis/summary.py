"""Summary of the diagnosis over all topics: one row for each scheme."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cdfscore.diagnosis.attainable import judged
from cdfscore.diagnosis.draws import Draws
from cdfscore.diagnosis.goodness_of_fit import STATISTICS
from cdfscore.diagnosis.ranking import RANKING, ranking

if TYPE_CHECKING:
    import pandas as pd

#: Criteria by which schemes win topics, and whether the highest value wins.
CRITERIA = {"crps": False, "log_score": True, "aic": False, "bic": False}
#: Largest difference from the best AIC that is no evidence: Burnham and Anderson (2002), 2.6.
NEAR = 2.0


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
