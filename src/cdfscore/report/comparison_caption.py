"""What was done in a comparison, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.comparison import Comparison


def caption(comparison: Comparison) -> str:
    """Say what was tested and how: test, family, correction, level, n, intervals, policies.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.comparison import compare
    >>> scores = datasets.load_cranfield("ap").iloc[:, :3]
    >>> print(caption(compare(scores, "paired_t", effect="")))  # doctest: +ELLIPSIS
    Differences between systems, A minus B, in raw scores of ... topics. Test: paired_t, ...
    """
    return " ".join(f"{sentence}." for sentence in _sentences(comparison))


def _sentences(comparison: Comparison) -> list[str]:
    settings, table = comparison.chosen.settings, comparison.table
    schemes = comparison.schemes
    each = f", for each of {len(schemes)} schemes" if len(schemes) > 1 else ""
    alternative = f", {settings['alternative']}" if "alternative" in settings else ""
    corrected = "adjusted " if comparison.adjust != "none" else ""
    sentences = [
        f"Differences between systems, A minus B, in {' and '.join(schemes)} scores of "
        f"{comparison.topics} topics",
        f"Test: {comparison.test}{alternative}; n = {_counts(table)}",
        f"Family: {comparison.family}{each}",
        f"{_correction(comparison)}; * marks {corrected}p values of at most {comparison.alpha:g}",
    ]
    if "B" in settings:
        sentences.append(
            f"Resamples, where p is not exact: {settings['B']}, seed {settings['seed']}"
        )
    if table["conf_low"].notna().any() and "conf_level" in settings:
        kind = "simultaneous" if comparison.simultaneous else "of each difference alone"
        sentences.append(f"Confidence intervals: {100 * settings['conf_level']:g} %, {kind}")
    if comparison.effect:
        sentences.append(f"Effect size: {comparison.effect}")
    sentences.append(f"Policy for missing scores: {comparison.missing}")
    return [*sentences, *comparison.notes]


def _correction(comparison: Comparison) -> str:
    if comparison.simultaneous:
        return "The p values hold for the whole family"
    if comparison.adjust == "none":
        return "The p values are not corrected for the number of tests"
    return f"Correction for the number of tests: {comparison.adjust}"


def _counts(table: pd.DataFrame) -> str:
    """Return how many scores of A the tests used, and of B where they may be others."""
    ranges = [
        f"{table[name].min()}" + (f" to {table[name].max()}" if table[name].nunique() > 1 else "")
        for name in ("n", "n_b")
    ]
    same = (table["n"] == table["n_b"]).all()
    return ranges[0] if same else f"{ranges[0]} of A and {ranges[1]} of B"
