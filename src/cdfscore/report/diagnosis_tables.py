"""Tables of a diagnosis and its sensitivity for a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from cdfscore.io.text import printable
from cdfscore.report.json_values import records

if TYPE_CHECKING:
    from cdfscore.comparison.sensitivity import Sensitivity
    from cdfscore.diagnosis import Diagnosis

# Columns of `Diagnosis.summary`, and their headers.
_SUMMARY = {
    "fitted": "fitted",
    "unfitted": "unfitted",
    "ks_rejected": "KS",
    "ad_rejected": "AD",
    "cvm_rejected": "CvM",
    "crps_wins": "CRPS",
    "log_score_wins": "log score",
    "aic_wins": "AIC",
    "bic_wins": "BIC",
    "crps_common": "mean CRPS",
    "log_score_common": "mean log score",
    "pit_sd": "PIT sd",
}
_CONCLUSIONS = ("pairs", "kept", "gained", "lost", "reversed")


def summary_table(diagnosis: Diagnosis) -> Table:
    """Lay out `Diagnosis.summary`: numbers of topics fitted, rejected after Holm, and won.

    The scheme of the lowest mean CRPS comes first. A dash is a number that could not be another,
    as the wins of a scheme that is not compared.
    """
    title = (
        f"{diagnosis.topics} topics: rejected by KS, AD, CvM at {diagnosis.alpha:g}; won by CRPS, "
        "log score, AIC, BIC; lowest mean CRPS first; - is not tested or not compared"
    )
    ranked = diagnosis.summary.sort_values("crps_rank", kind="stable")
    rows = [[row["scheme"], *(_cell(row[name]) for name in _SUMMARY)] for row in records(ranked)]
    return _table(title, ["scheme"], _SUMMARY.values(), rows)


def sensitivity_table(sensitivity: Sensitivity) -> Table:
    """Lay out the agreement of rankings, and the numbers of pairs of systems that differ."""
    found = sensitivity.comparison
    title = (
        f"{found.topics} topics: agreement of rankings, and pairs that differ by {found.test} "
        f"({found.adjust}, {found.alpha:g})"
    )
    rows = [
        [
            agreement["scheme_a"],
            agreement["scheme_b"],
            _cell(agreement["tau_b"]),
            _cell(agreement["tau_ap_b"]),
            *(_cell(conclusions[name]) for name in _CONCLUSIONS),
        ]
        for agreement, conclusions in zip(
            sensitivity.agreement.to_dict("records"),
            sensitivity.conclusions.to_dict("records"),
            strict=True,
        )
    ]
    return _table(title, ["from", "to"], ["tau_b", "tau_ap_b", *_CONCLUSIONS], rows)


def moves_table(sensitivity: Sensitivity) -> Table:
    """Lay out the systems that move most from one ranking to the other."""
    rows = [
        [
            row["scheme_a"],
            row["scheme_b"],
            row["system"],
            f"{row['rank_a']:g}",
            f"{row['rank_b']:g}",
            f"{row['places']:+g}",
        ]
        for row in sensitivity.moves.to_dict("records")
    ]
    return _table(
        "systems that move most; places above 0 are moves towards the top",
        ["from", "to", "system"],
        ["rank from", "rank to", "places"],
        rows,
    )


def _table(
    title: str, labels: Iterable[str], numbers: Iterable[str], rows: list[list[str]]
) -> Table:
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for name in labels:
        table.add_column(name, no_wrap=True)
    for name in numbers:
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    return table


def _cell(value: float | None) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    return f"{value:.4f}" if isinstance(value, float) else str(value)
