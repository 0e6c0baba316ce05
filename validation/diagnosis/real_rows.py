"""The rows of docs/what_fits.md: families and changes of one matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cdfscore.report.writing import records

if TYPE_CHECKING:
    from validation.diagnosis.real import Result

Row = dict[str, Any]


def name(row: Row) -> str:
    """Return the name of the scheme of a row, without its settings."""
    return row["scheme"].partition(":")[0]


def rows_of(each: Result, family: str) -> list[Row]:
    """Return the rows of a family, whatever its settings."""
    return [row for row in best_first(each) if name(row) == family]


def best_first(each: Result) -> list[Row]:
    """Return a row a family, the best predictor by log score first, those without one last."""
    return records(each.all.summary.sort_values("log_score_wins", ascending=False, kind="stable"))


def by_crps(each: Result) -> list[Row]:
    """Return a row a family, the one of the lowest mean CRPS first."""
    return records(each.all.summary.sort_values("crps_rank", kind="stable"))


def near_best(each: Result) -> dict[str, int]:
    """Count the topics where a family's AIC is at most 2 above the best."""
    aic = each.all.fits.dropna(subset=["aic"])
    gap = aic["aic"] - aic.groupby("topic")["aic"].transform("min")
    return aic[gap <= 2].groupby("scheme").size().to_dict()


def tested_by(each: Result) -> dict[str, str]:
    """Return how many of the tested topics a family is rejected in."""
    rows = each.tested.summary.to_dict("records")
    return {row["scheme"]: f"{row['ad_rejected']} of {row['tested']}" for row in rows}


def changes(each: Result) -> list[Row]:
    """Return what changes from raw scores, and from N-std, to each of the other schemes."""
    found = each.changes
    rows = found.agreement.merge(found.conclusions, on=["scheme_a", "scheme_b"])
    rows = rows[(rows["scheme_a"] == "raw") | (rows["scheme_a"].str.startswith("normal"))]
    moves = found.moves.groupby(["scheme_a", "scheme_b"])["places"].agg(lambda p: p.abs().max())
    return [
        row | {"move": moves.get((row["scheme_a"], row["scheme_b"]), 0)}
        for row in rows.to_dict("records")
    ]


def of_normal(results: Sequence[Result]) -> dict[str, int]:
    """Count in how many topics the normal is rejected and predicts best, over all matrices."""
    tested = [row for each in results for row in each.tested.summary.to_dict("records")]
    return {
        "rejected": sum(row["ad_rejected"] for row in tested if name(row) == "normal"),
        "tested": sum(row["tested"] for row in tested if name(row) == "normal"),
        "best": sum(row["log_score_wins"] for each in results for row in rows_of(each, "normal")),
        "topics": sum(each.all.topics for each in results),
    }


def of_uniform(results: Sequence[Result]) -> list[float]:
    """Return the sd of the PIT of U-std, matrix by matrix."""
    return [row["pit_sd"] for each in results for row in rows_of(each, "uniform")]
