"""Scores of the ways to merge, topic by topic, and the tests of their differences."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from cdfscore import CdfscoreWarning, as_scores, compare
from cdfscore.retrieval import Run, measure
from validation.merging.methods import BASELINE, METHODS, Asked, Qrels

MEASURES = ("AP", "P@10")
DEPTHS = (10, 100, None)
#: The row of one index of all documents, which has no lists to cut.
CENTRAL = "one index"
DECIMALS = 6
#: The tables of the slides, all pairs of which are compared.
FAMILIES: Mapping[str, Sequence[str]] = {
    "linear": (BASELINE, "Z-Score", "Sum"),
    "selection": (BASELINE, "CORI (0.4)", "CORI (cv)", "CORI (inf)", "CORI (0.4), samples", "SAFE"),
}
#: Whose depths are compared.
OF_DEPTH = (BASELINE, "Z-Score", "Sum", "CORI (0.4)", "SAFE")


@dataclass(frozen=True)
class Scored:
    """Topics x ways to merge for each depth and measure, and how many lists each left out."""

    matrices: Mapping[tuple[int | None, str], pd.DataFrame]
    left_out: Mapping[tuple[int | None, str], int]


def scored(
    asked: Asked,
    central: Run,
    names: Iterable[str] = METHODS,
    depths: Iterable[int | None] = DEPTHS,
) -> Scored:
    """Merge at each depth, and measure."""
    matrices: dict[tuple[int | None, str], pd.DataFrame] = {}
    left_out: dict[tuple[int | None, str], int] = {}
    names = list(names)
    lists = sum(len(run.topics) for run in asked.runs)
    for depth in depths:
        runs = [central.named(CENTRAL)]
        for name in names:
            with warnings.catch_warnings():  # ties of ranks, constant lists, and raw scores
                warnings.simplefilter("ignore", CdfscoreWarning)
                merged = METHODS[name](asked, depth)
            left_out[depth, name] = lists - len(np.unique(merged.pool.lists))
            runs.append(merged.run.named(name))
        for word, matrix in measured(runs, asked.qrels).items():
            matrices[depth, word] = matrix
    return Scored(matrices, left_out)


def measured(runs: Sequence[Run], qrels: Qrels) -> dict[str, pd.DataFrame]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CdfscoreWarning)
        found = measure(runs, qrels, MEASURES, missing_topics="zero")
    return {word: found[word] for word in MEASURES}


def means(found: Scored) -> pd.DataFrame:
    """Return a row for each depth and way to merge, with tests against the baseline.

    The tests are paired t tests, corrected by Holm over the ways to merge of a depth and measure.
    """
    rows: list[dict[str, Any]] = []
    for depth in dict.fromkeys(depth for depth, _ in found.matrices):
        tests = {word: _against_baseline(found.matrices[depth, word]) for word in MEASURES}
        for name in found.matrices[depth, "AP"].columns:
            row = {
                "depth": shown_depth(depth),
                "method": name,
                "lists_left_out": found.left_out.get((depth, name), 0),
            }
            for word in MEASURES:
                row[word] = found.matrices[depth, word][name].mean()
                row |= {f"{word} {what}": v for what, v in tests[word].get(name, {}).items()}
            rows.append(row)
    return pd.DataFrame(rows)


def pairs(found: Scored) -> pd.DataFrame:
    """Return the differences in AP that the page speaks of, each family corrected by Holm."""
    rows = []
    depths = list(dict.fromkeys(depth for depth, _ in found.matrices))
    for depth in depths:
        for family, names in FAMILIES.items():
            table = _compared(found.matrices[depth, "AP"][list(names)])
            rows += _pair_rows(table, family=family, depth=shown_depth(depth))
    for name in OF_DEPTH:
        columns = {shown_depth(depth): found.matrices[depth, "AP"][name] for depth in depths}
        rows += _pair_rows(_compared(pd.DataFrame(columns)), family="depth", depth=name)
    return pd.DataFrame(rows)


def shown_depth(depth: int | None) -> str:
    return "all" if depth is None else str(depth)


def _against_baseline(matrix: pd.DataFrame) -> dict[str, dict[str, float]]:
    """Return difference, its interval and p of each way to merge against the baseline."""
    table = _compared(matrix, baselines=[BASELINE])
    return {row["system_a"]: _difference(row) for _, row in table.iterrows()}


def _compared(matrix: pd.DataFrame, **settings: Any) -> pd.DataFrame:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CdfscoreWarning)
        # Sum and all are ways to merge here, not summaries of systems.
        kept = as_scores(matrix, keep_systems=[name for name in ("Sum", "all") if name in matrix])
        return compare(kept, "paired_t", adjust="holm", **settings).table


def _pair_rows(table: pd.DataFrame, family: str, depth: str) -> list[dict[str, Any]]:
    return [
        {"family": family, "of": depth, "a": row["system_a"], "b": row["system_b"]}
        | _difference(row)
        for _, row in table.iterrows()
    ]


def _difference(row: pd.Series) -> dict[str, float]:
    return {
        "difference": row["estimate"],
        "low": row["conf_low"],
        "high": row["conf_high"],
        "p": row["p_adjusted"],
    }
