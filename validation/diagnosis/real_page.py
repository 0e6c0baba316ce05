"""docs/what_fits.md, from what was found of the matrices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from validation import pages
from validation.diagnosis.real_claims import page_claims
from validation.diagnosis.real_rows import (
    Row,
    best_first,
    by_crps,
    changes,
    near_best,
    of_normal,
    of_uniform,
    tested_by,
)

if TYPE_CHECKING:
    from validation.diagnosis.real import Result


def text(results: Sequence[Result]) -> str:
    """Return the page."""
    agreement = [
        row | {"collection": each.collection.name}
        for each in results
        for row in each.changes.agreement.to_dict("records")
    ]
    return pages.rendered(
        "diagnosis/real.md.jinja",
        page_claims(results),
        results=results,
        normal=of_normal(results),
        uniform=of_uniform(results),
        raw=_taus(row for row in agreement if row["scheme_a"] == "raw"),
        among=_taus(row for row in agreement if row["scheme_a"] != "raw"),
        reversed=sum(row["reversed"] for row in _from_raw(results)),
        most=max(_from_raw(results), key=lambda r: (r["gained"] + r["lost"]) / r["significant_a"]),
        best_first=best_first,
        by_crps=by_crps,
        near_best=near_best,
        tested_by=tested_by,
        changes=changes,
    )


def _from_raw(results: Sequence[Result]) -> list[Row]:
    return [
        row | {"collection": each.collection.name}
        for each in results
        for row in each.changes.conclusions.to_dict("records")
        if row["scheme_a"] == "raw"
    ]


def _taus(agreement: Iterable[Row]) -> Row:
    rows = sorted(agreement, key=lambda row: (row["tau_b"], row["collection"], row["scheme_b"]))
    return {"low": rows[0], "high": rows[-1], "mean": sum(r["tau_b"] for r in rows) / len(rows)}
