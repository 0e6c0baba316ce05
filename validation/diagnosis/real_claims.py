"""What docs/what_fits.md says in words of its numbers, and whether it is so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from validation.diagnosis.real_rows import (
    best_first,
    name,
    near_best,
    of_normal,
    of_uniform,
    rows_of,
)

if TYPE_CHECKING:
    from validation.diagnosis.real import Result

TWO_PARAMETERS = (
    "normal",
    "truncated_normal",
    "beta",
    "kumaraswamy",
    "logit_normal",
    "exponential",
)
#: By how much `beta_binomial` is below the best kernel, at most, as the page says.
BELOW = 0.07


def page_claims(results: Sequence[Result]) -> dict[str, bool]:
    """Return what the page says in words, and whether it is so."""
    of = {
        "AP": [each for each in results if each.collection.name.endswith("AP")],
        "Web": [each for each in results if _is_web(each) and not each.collection.size],
    }
    normal = of_normal(results)
    return {
        "The normal distribution seldom holds": normal["rejected"] > normal["tested"] / 2
        and normal["best"] < normal["topics"] / 20,
        "`truncated_normal` corrects a part of this": all(
            _log_score(each, "truncated_normal") > _log_score(each, "normal") for each in results
        ),
        "so that y is in the middle of [0, 1]": max(of_uniform(results)) < 0.2,
        "On average precision, smooth estimates (`logspline`, `kernel` with `boundary=reflection`) "
        "predict best by log score": all(_best_two_are_smooth(each) for each in of["AP"]),
        "a family of two parameters wins in few topics": all(
            row["log_score_wins"] <= each.all.topics / 10
            for each in of["AP"]
            for row in best_first(each)
            if name(row) in TWO_PARAMETERS
        ),
        "Of the families with an AIC, `mixture` (two groups of systems) is the best": all(
            max(near_best(each).items(), key=lambda item: item[1])[0].startswith("mixture")
            for each in of["AP"]
        ),
        "`zero_inflated`, which has a point mass there, is the best": all(
            name(best_first(each)[0]) == "zero_inflated" for each in of["Web"]
        ),
        f"`beta_binomial`, a family on the grid with two parameters, is within {BELOW} of the best "
        "smoothed estimate": all(
            _log_score(each, "beta_binomial") >= _log_score(each, "kernel") - BELOW
            for each in results
            if each.collection.size
        ),
    }


def _log_score(each: Result, family: str) -> float:
    return float(np.nanmax([row["log_score_common"] for row in rows_of(each, family)]))


def _best_two_are_smooth(each: Result) -> bool:
    best = sorted(row["scheme"] for row in best_first(each)[:2])
    return "boundary=reflection" in best[0] and best[1] == "logspline"


def _is_web(each: Result) -> bool:
    return each.collection.name.startswith("Web")
