"""Numbers printed in the paper outside its tables, computed from the scores."""

from __future__ import annotations

import math

from cdfscore.numerics.quantile_r import quantile_r
from cdfscore.papers.webber2008.coefficients import (
    better_rates,
    correlation,
    mean_pair_error,
    pair_error,
)
from cdfscore.papers.webber2008.collections import SCHEME, TOPICS, Collections
from cdfscore.papers.webber2008.printed_numbers import Printed
from cdfscore.papers.webber2008.section2 import section2
from cdfscore.standardization.standardizer import Standardizer


def is_randomized(number: Printed) -> bool:
    """Return whether a number comes from random halves of the topics, or samples of systems."""
    places = ("Figure 5", "Section 5, random halves", "Figure 6")
    return number.place in places or number.row.startswith("samples of ")


def computed(collections: Collections, number: Printed) -> float:
    """Return the computed value of a printed number of the text; NaN if it cannot be computed."""
    match number.place, number.row, number.column:
        case "Section 1", _, _:
            raw, standardized = (
                mean_pair_error(collections, TOPICS, "AP", by) for by in (None, "originals")
            )
            return 100 * (1 - standardized / raw)
        case "Section 2", _, _:
            return section2(collections, number)
        case ("Section 3", _, _) | ("Figure 3", _, _):
            return _scores_of_t8(collections, number)
        case "Section 4", "AP of T03.rob and T04.rob", _:
            means = (collections.means(name, "AP", None) for name in ("T03.rob", "T04.rob"))
            return correlation(number.column, *means)
        case "Section 4", "AP and sAP of T03.rob", _:
            means = (collections.means("T03.rob", "AP", by) for by in (None, "originals"))
            return correlation(number.column, *means)
        case "Section 5", "false positive rate of sAP over pairs of collections", _:
            rates = better_rates(collections, TOPICS, standardized=True)
            return 100 * (max(rates) if "largest" in number.column else sum(rates) / len(rates))
        case "Section 5", "AP of T7.adh and T8.adh", _:
            return pair_error(collections, "T7.adh", "T8.adh", "AP", None)
        case "Section 5", _, "mean dRMSE over pairs of collections":
            return mean_pair_error(collections, TOPICS, "AP", None)
        case _:
            assert number.needs, number  # of what is not public
            return math.nan


def _scores_of_t8(collections: Collections, number: Printed) -> float:
    """Return a number of Figure 3, or of Section 3 on it and on standardized scores."""
    scores = collections.originals("T8.adh", "AP")
    factors = Standardizer(SCHEME).fit(scores)
    match number.column:
        case "runs":
            return float(scores.size)
        case "runs below 0.2, %":
            return 100 * float((scores.to_numpy() < 0.2).mean())
        case "one sd above the mean" | "one sd below the mean":
            mean, sd = (factors.fitted.parameters[name] for name in ("mean", "sd"))
            away = mean + sd if "above" in number.column else mean - sd
            apart = scores.iloc[:, :1].copy()
            apart[:] = away
            return float(factors.transform(apart).to_numpy().mean())
    y = factors.transform(scores).to_numpy()
    return float(quantile_r(y.ravel(), int(number.column.partition("th ")[0]) / 100)[0])
