"""The numbers of a page that its tables and charts share, as plain data for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore.io.text import printable
from cdfscore.numerics.types import Array
from cdfscore.plots.words import score_label
from cdfscore.report.page.labels import label
from cdfscore.report.page.systems import raw_means
from cdfscore.report.page.tested import differs, intervals, is_difference, is_of_means
from cdfscore.significance.contract.base import MEAN_RANKS

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.comparison.comparison import Comparison
    from cdfscore.report.page.analysis import Analysis

#: Columns of `Comparison.table` on the page, in their order, each with its header.
_PAIRS = {
    "n": "n",
    "estimate": "",  # what the test estimates
    "conf_low": "low",
    "conf_high": "high",
    "statistic": "statistic",
    "parameter": "df",
    "p_value": "p",
    "p_adjusted": "adjusted p",
    "effect_size": "",  # its name
    "effect_low": "effect low",
    "effect_high": "effect high",
}
# Significant digits: more than a reader sees, and few enough for the size of the page.
_DIGITS = 6


def page_data(analysis: Analysis) -> dict[str, Any]:
    """Return labels, scores, means and pairs; systems and topics are named by position."""
    found, comparison = analysis.standardized, analysis.comparison
    measure = comparison.measure
    data = {
        "systems": [printable(name) for name in found.frame.columns],
        "topics": [printable(topic) for topic in found.used.topics],
        "scores": _rows(found.frame.to_numpy()),
        "score": _of_raw(analysis) if analysis.is_raw else score_label(analysis.scheme, measure),
        "means": _numbers(found.frame_of_means["mean"].to_numpy()),
        "mean": _of_raw(analysis, mean=True)
        if analysis.is_raw
        else score_label(analysis.scheme, measure, mean=True),
        "pairs": {**_pairs(comparison), "estimated": _estimated(analysis)},
    }
    if not analysis.is_raw:
        data["raw"] = _rows(found.used.values)
        data["rawScore"] = _of_raw(analysis)
        data["rawMeans"] = _numbers(raw_means(analysis))
        data["rawMean"] = _of_raw(analysis, mean=True)
    if analysis.beside is not None:
        table = analysis.beside.table[["system", "mean_a", "mean_b"]].dropna()
        names = [printable(name) for name in table["system"]]
        numbers = (_numbers(table[name].to_numpy()) for name in ("mean_a", "mean_b"))
        data["both"] = [
            {"system": name, "raw": a, "mean": b}
            for name, a, b in zip(names, *numbers, strict=True)
        ]
    if analysis.diagnosis is not None and (bins := _histogram(analysis.diagnosis.histogram)):
        data["histogram"] = bins
    return data


def _of_raw(analysis: Analysis, *, mean: bool = False) -> str:
    """Return the label of an axis of scores before standardization, with their reversal."""
    label = score_label("raw", analysis.comparison.measure, mean=mean)
    reversal = analysis.standardized.reversal
    return f"{label}, {reversal}" if reversal else label


def _pairs(comparison: Comparison) -> dict[str, Any]:
    """Return the tests of pairs: headers, and for each pair its systems and numbers."""
    table, family = comparison.table, comparison.family
    names = {**_PAIRS, "estimate": comparison.chosen.test.estimates}
    names["effect_size"] = comparison.effect
    decides = "p_value" if comparison.adjust == "none" else "p_adjusted"
    if decides == "p_value":  # adjusted p values are the same then
        del names["p_adjusted"]
    # What decides is there even if no pair has a number.
    shown = [name for name in names if name == decides or table[name].notna().any()]
    best = str(comparison.best_first(comparison.schemes[0]).index[0])
    reasons = {str(row): printable(reason) for row, reason in enumerate(table["reason"]) if reason}
    return {
        "first": family.first.tolist(),
        "second": family.second.tolist(),
        "names": shown,
        "headers": [names[name] for name in shown],
        "columns": [_numbers(table[name].to_numpy(dtype=float)) for name in shown],
        "decides": decides,
        # Decided here, because the numbers of the page have fewer digits.
        "differs": differs(comparison).astype(int).tolist(),
        "interval": intervals(comparison),
        # The difference of B and A is then that of A and B with another sign.
        "isDifference": is_difference(comparison),
        "reasons": reasons,
        # The chart first shows the differences from the baseline, or from the best of the findings.
        "centre": family.systems.index((*family.baselines, best)[0]),
    }


def _estimated(analysis: Analysis) -> str:
    """Return the quantity whose differences the tests estimate."""
    comparison = analysis.comparison
    if is_of_means(comparison):
        return score_label(analysis.scheme, comparison.measure, mean=True)
    if comparison.chosen.test.estimates == MEAN_RANKS:
        return "Mean rank within topics: the lowest score of a topic has rank 1"
    return f"Differences as {comparison.chosen.test.name} estimates them, not differences of means"


def _histogram(histogram: pd.DataFrame) -> list[dict[str, Any]]:
    names = ["scheme", "low", "high", "proportion", "expected", "band_low", "band_high"]
    numbers = {name: _numbers(histogram[name].to_numpy()) for name in names[1:]}
    schemes = [printable(label(scheme)) for scheme in histogram["scheme"]]
    rows = zip(schemes, *numbers.values(), strict=True)
    found = [dict(zip(names, row, strict=True)) for row in rows]
    return [row for row in found if row["proportion"] is not None]


def _rows(values: Array) -> list[list[float | str | None]]:
    width = values.shape[1]
    flat = _numbers(values.ravel())
    return [flat[start : start + width] for start in range(0, len(flat), width)]


def _numbers(values: Array) -> list[float | str | None]:
    """Return numbers for JSON: null for NaN, "Infinity" for what is infinite."""
    numbers: list[float | str | None] = [
        float(text) for text in np.char.mod(f"%.{_DIGITS}g", values)
    ]
    for i in np.flatnonzero(~np.isfinite(values)):
        value = values[i]
        numbers[i] = None if np.isnan(value) else f"{'-' if value < 0 else ''}Infinity"
    return numbers
