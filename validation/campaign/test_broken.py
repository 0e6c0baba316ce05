"""Schemes that are wrong: the campaign must say so, at most inputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cdfscore.r.session import RSession
from cdfscore.stats.numerics.moments import count
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes import Empirical, Normal
from cdfscore.stats.schemes.base import Parameters, Scheme
from validation.broken import DividesByN
from validation.campaign.run import some_inputs


@pytest.fixture(scope="module")
def r(rinterface: Any) -> RSession:
    return RSession()


class OneMore(Empirical):
    """A count that is off by one."""

    def evaluate(self, x: Array, sample: Array) -> Array:
        n = count(sample)
        return np.minimum(np.rint(super().evaluate(x, sample) * n) + 1, n) / n


class WithoutTheLargest(Empirical):
    """A sample that is not the one given: a true cdf, of something else."""

    def estimate(self, scores: Array) -> Parameters:
        sample = super().estimate(scores)["sample"]
        return {"sample": sample[..., : max(1, int(count(scores)[0]) - 1)]}


class LastPlaces(Normal):
    """A cdf that is 20 ulp too large."""

    def evaluate(self, x: Array, mean: Array, sd: Array) -> Array:
        y = super().evaluate(x, mean, sd)
        return y + 20 * np.spacing(y)


@pytest.mark.parametrize(
    ("broken", "true"),
    [
        (OneMore, Empirical),
        (WithoutTheLargest, Empirical),
        (DividesByN, Normal),  # exact at its own argument
        (LastPlaces, Normal),
    ],
)
def test_a_broken_scheme_fails(
    broken: type[Scheme], true: type[Scheme], r: RSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broken, "name", true.name)
    monkeypatch.setattr(broken, "twin", classmethod(lambda cls: twin_of(true)))
    found = some_inputs(broken(), r, inputs=1000)
    assert found.counts["failed"] > 100
    healthy = some_inputs(true(), r, inputs=1000)
    assert healthy.counts["failed"] == 0


def twin_of(scheme: type[Scheme]) -> Path:
    return scheme.twin()


def test_a_scheme_without_a_truth_is_laid_beside_r_alone(r: RSession) -> None:
    class Other(Empirical):
        @classmethod
        def twin(cls) -> Path:
            return Empirical.twin()

    found = some_inputs(Other(), r, inputs=100).data()
    assert found["limit"] is None
    assert found["counts"]["failed"] == 0
    assert set(found["worst"]) == {"from R"}
