"""Each scheme is fitted once and evaluated once, however much is asked of its scores."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer, compare, sensitivity
from cdfscore.stats.schemes.base import Distribution, refuse_rows
from tests.noted import not_of_few_systems
from tests.verified import verify

FITS: Counter[str] = Counter()
EVALUATIONS: Counter[str] = Counter()
TWIN = """standardize <- function(x, scores, power) {
  if (any(scores == 0, na.rm = TRUE)) stop("a score is 0")
  pmin(pmax(x / max(scores, na.rm = TRUE), 0), 1)^power
}
"""


def of_the_scheme(notes: Iterable[str]) -> list[str]:
    """Leave out that the scheme is of this module, and that there are few systems."""
    return [each for each in not_of_few_systems(notes) if "not of cdfscore" not in each]


@dataclass(frozen=True)
class Counted(Distribution):
    """A power of the uniform distribution from 0 to the largest score; it counts its calls."""

    power: float = 1.0

    formula = "y = (x / max)^power"
    source = "the test"

    def estimate(self, scores):
        zeros = (scores == 0).any(axis=-1)
        refuse_rows(zeros, "a score is 0")
        FITS[str(self)] += 1
        return {"max": np.nanmax(scores, axis=-1, keepdims=True)}

    def evaluate(self, x, max):
        EVALUATIONS[str(self)] += 1
        return np.clip(x / max, 0, 1) ** self.power

    def support(self, max):
        return np.zeros_like(max), max


ONE, TWO = Counted(), Counted(power=2.0)


@pytest.fixture(autouse=True)
def _from_zero() -> Iterator[None]:
    FITS.clear()
    EVALUATIONS.clear()
    yield
    assert FITS == EVALUATIONS


@pytest.fixture
def scores() -> pd.DataFrame:
    values = np.random.default_rng(11).integers(1, 1000, (12, 6)) / 1000
    return pd.DataFrame(values, index=[f"t{i}" for i in range(12)], columns=list("abcdef"))


@pytest.fixture
def twin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "counted.R"
    path.write_text(TWIN)
    monkeypatch.setattr(Counted, "twin", classmethod(lambda _: path))


def once(*schemes: Counted) -> None:
    """Each of these schemes, and no other, was fitted once and evaluated once."""
    assert Counter(map(str, schemes)) == FITS == EVALUATIONS


@pytest.mark.parametrize("test", ["paired_t", "tukey_hsd", "welch_t", "mann_whitney"])
def test_compare(scores: pd.DataFrame, test: str) -> None:
    found = compare(scores, test, scheme=[ONE, "raw", TWO])
    found.letters()
    assert of_the_scheme(each for each in found.notes if each not in found.cautions) == []
    once(ONE, TWO)


def test_factors_are_not_fitted_again(scores: pd.DataFrame) -> None:
    factors = [Standardizer(scheme).fit(scores) for scheme in (ONE, TWO)]
    compare(scores, "paired_t", scheme=factors)
    once(ONE, TWO)


def test_sensitivity_that_leaves_out_a_scheme(scores: pd.DataFrame) -> None:
    seldom = replace(TWO, power=3.0)
    scores.iloc[:7, 1] = 0.0
    schemes = [Standardizer(s, unfitted="drop_topic") for s in ("raw", "minmax", seldom)]
    found = sensitivity(scores, schemes)
    assert found.comparison.schemes == ["raw", "minmax"]
    once(seldom)


@pytest.mark.usefixtures("rinterface", "twin")
@pytest.mark.one_in(2)
@pytest.mark.parametrize("via", ["rpy2", "rscript"])
@pytest.mark.parametrize("test", [None, "paired_t"])
def test_verify(scores: pd.DataFrame, via: str, test: str | None) -> None:
    scores.iloc[2, 1] = 0.0
    table = verify(scores, Standardizer(TWO, unfitted="nan"), test=test, via=via)
    assert table["count"].iloc[0] == 66
    once(TWO)
