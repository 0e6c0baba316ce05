"""The error between mean scores of systems on two collections."""

from __future__ import annotations

from collections.abc import Iterator

from mpmath import mp

from cdfscore.stats.judge.models import CORRELATIONS
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.rank_correlation import rmse
from validation.campaign.truth.base import exact
from validation.statsmodels_judge import data
from validation.statsmodels_judge.counterpart import Counterpart, Given, Numbers
from validation.statsmodels_judge.data import Source


def _pairs(source: Source) -> Iterator[tuple[str, Given]]:
    for name, x, y in data.pairs(source):
        yield name, {"x": x, "y": y}


def _by_us(x: Array, y: Array) -> Numbers:
    return {"rmse": rmse(x, y)}


def _by_statsmodels(x: Array, y: Array) -> Numbers:
    return {"rmse": CORRELATIONS(x, y)["rmse"]}


def _truth(x: Array, y: Array) -> Numbers:
    pairs = zip(exact(x), exact(y), strict=True)
    return {"rmse": mp.sqrt(mp.fsum((a - b) ** 2 for a, b in pairs) / len(x))}


COUNTERPARTS = (
    Counterpart("rmse", "eval_measures.rmse", _pairs, _by_us, _by_statsmodels, "rmse", _truth),
)
