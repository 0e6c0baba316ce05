"""Table of a diagnosis."""

from __future__ import annotations

from dataclasses import replace

from cdfscore.common.text import counted, written
from cdfscore.diagnosis import Diagnosis
from cdfscore.report.writing import Captioned, as_sentence, cell_of, records, table_of, tables_of

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


def summary(diagnosis: Diagnosis) -> Captioned:
    """Return `Diagnosis.summary`: numbers of topics fitted, rejected after Holm, and won."""
    ranked = diagnosis.summary.sort_values("crps_rank", kind="stable")
    there = [name for name in _SUMMARY if ranked[name].notna().any()]
    rows = [[row["scheme"], *(cell_of(row[name]) for name in there)] for row in records(ranked)]
    told = [counted(diagnosis.topics, "topic")]
    for end, what in (
        ("_rejected", f"in which the test rejects the distribution at {written(diagnosis.alpha)}"),
        ("_wins", "in which the distribution is best"),
    ):
        if own := [_SUMMARY[name] for name in there if name.endswith(end)]:
            told.append(f"{', '.join(own)}: topics {what}")
    told.append("The lowest mean CRPS comes first. - means not tested or not compared.")
    if len(there) < len(_SUMMARY):
        told[-1] += " Columns without a number are left out."
    table = table_of(". ".join(told), ["scheme"], [_SUMMARY[name] for name in there], rows)
    columns = [replace(each, minor=int(set(each.cells) == {"0"})) for each in table.columns]
    return replace(table, columns=columns).in_words(diagnosis.units)


@tables_of.register
def _(result: Diagnosis) -> list[Captioned]:
    table = summary(result)
    said = " ".join(result.verdict).lower()
    others = [as_sentence(n, result.schemes) for n in result.notes if n.lower() not in said]
    return [table.with_caption("Fit of distributions", table.caption, *result.verdict, *others)]
