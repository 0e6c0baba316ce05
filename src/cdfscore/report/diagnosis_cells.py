"""Diagnosis and sensitivity as tables for readers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from cdfscore.io.text import counted, written
from cdfscore.report.captioned import NO_NUMBER, Captioned, Column, records
from cdfscore.report.number_cells import fixed

if TYPE_CHECKING:
    from cdfscore.comparison.comparison import Comparison
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


def summary(diagnosis: Diagnosis) -> Captioned:
    """Return `Diagnosis.summary`: numbers of topics fitted, rejected after Holm, and won.

    The scheme with the lowest mean CRPS comes first. A dash stands for a scheme that is not tested
    or not compared.
    """
    title = (
        f"{counted(diagnosis.topics, 'topic')}. KS, AD, CvM: topics in which the test rejects the "
        f"distribution at {written(diagnosis.alpha)}. CRPS, log score, AIC, BIC: topics in which "
        "the distribution is best. The lowest mean CRPS comes first. - means not tested or not "
        "compared."
    )
    ranked = diagnosis.summary.sort_values("crps_rank", kind="stable")
    rows = [[row["scheme"], *(_cell(row[name]) for name in _SUMMARY)] for row in records(ranked)]
    table = _table(title, ["scheme"], _SUMMARY.values(), rows)
    columns = [replace(each, minor=int(set(each.cells) == {"0"})) for each in table.columns]
    return replace(table, columns=columns)


def agreement(sensitivity: Sensitivity) -> Captioned:
    """Return the agreement of rankings, and the numbers of pairs of systems that differ."""
    found = sensitivity.comparison
    title = (
        f"{counted(found.topics, 'topic')}: agreement of rankings, and pairs that differ by "
        f"{found.test} ({_level(found)})"
    )
    rows = [
        [
            ranked["scheme_a"],
            ranked["scheme_b"],
            _cell(ranked["tau_b"]),
            _cell(ranked["tau_ap_b"]),
            *(_cell(conclusions[name]) for name in _CONCLUSIONS),
        ]
        for ranked, conclusions in zip(
            sensitivity.agreement.to_dict("records"),
            sensitivity.conclusions.to_dict("records"),
            strict=True,
        )
    ]
    return _table(title, ["from", "to"], ["tau_b", "tau_ap_b", *_CONCLUSIONS], rows)


def moves(sensitivity: Sensitivity) -> Captioned:
    """Return the systems whose ranks differ most between two schemes."""
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
        "Systems that change rank most; positive places are moves towards the top",
        ["from", "to", "system"],
        ["rank from", "rank to", "places"],
        rows,
    )


def _level(found: Comparison) -> str:
    """Return the correction and the level of tests, in words."""
    uncorrected = "simultaneous" if found.simultaneous else "uncorrected"
    return (
        f"{uncorrected if found.adjust == 'none' else found.adjust}, level {written(found.alpha)}"
    )


def _table(
    caption: str, labels: Iterable[str], numbers: Iterable[str], rows: list[list[str]]
) -> Captioned:
    headers = [(name, False) for name in labels] + [(name, True) for name in numbers]
    columns = [
        Column(header, numeric, [row[i] for row in rows])
        for i, (header, numeric) in enumerate(headers)
    ]
    return Captioned(caption, caption, columns)


def _cell(value: float | None) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return NO_NUMBER
    return fixed(value, 4) if isinstance(value, float) else str(value)
