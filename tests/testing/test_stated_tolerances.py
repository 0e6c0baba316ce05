"""A scheme or a test of the user's own that is far from R says so, and passes."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cdfscore.r.verify import WAYS
from cdfscore.stats.numerics.moments import mean
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array, BoolArray
from cdfscore.stats.schemes import Distribution, Parameters
from cdfscore.stats.significance.contract import Rows, SignificanceTest, one_sample
from cdfscore.testing import ContractError, check_distribution, check_twin
from tests.verified import verify

pytestmark = pytest.mark.usefixtures("rinterface")


@dataclass(frozen=True)
class Weibull(Distribution):
    """The Weibull distribution of shape 2: y = 1 - exp(-(x / scale)^2)."""

    formula = "y = 1 - exp(-(x / scale)^2)"
    source = "maximum likelihood at shape 2, scale^2 = mean(x_i^2)"
    domain = (0.0, np.inf)

    def estimate(self, scores: Array) -> Parameters:
        low, high = (end.reduce(scores, axis=-1, keepdims=True) for end in (np.fmin, np.fmax))
        return {"square": mean(scores * scores), "all_at": np.where(low == high, low, -1.0)}

    def evaluate(self, x: Array, square: Array, all_at: Array) -> Array:
        y = -np.expm1(-(np.maximum(x, 0.0) ** 2) / square)
        step = np.where(np.isnan(x), x, np.where(x == all_at, 0.5, x > all_at))
        return np.where(all_at < 0, y, step)

    def support(self, square: Array, all_at: Array) -> tuple[Array, Array]:
        spread = all_at < 0
        return np.where(spread, 0.0, all_at), np.where(spread, np.inf, all_at)

    def constant(self, square: Array, all_at: Array) -> BoolArray:
        return np.greater_equal(all_at, 0)


@dataclass(frozen=True)
class FarWeibull(Weibull):
    """The same, which states that R is some 9 ulp away."""

    tolerance = Tolerance(16, "R adds 9 ulp to every y")


# 9 ulp more wherever y is above 0 and below 1.
WEIBULL_IN_R = """
standardize <- function(x, scores) {
  scores <- scores[!is.na(scores)]
  if (all(scores == scores[1])) return(ifelse(x == scores[1], 0.5, ifelse(x > scores[1], 1, 0)))
  y <- -expm1(-pmax(x, 0)^2 / mean(scores^2))
  ifelse(is.na(y) | y == 0 | y == 1, y, y + 9 * 2^(floor(log2(y)) - 52))
}
"""


def share(x: Array) -> Rows:
    """Return the mean for a statistic, and its half for a p value."""
    found = mean(x)[:, 0]
    return Rows(statistic=found, p_value=found / 2)


SHARE_IN_R = """
significance_test <- function(x) list(statistic = mean(x), p_value = mean(x) / 2 * (1 + 2e-10))
"""


@pytest.fixture
def _twin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "weibull.R"
    path.write_text(WEIBULL_IN_R, encoding="utf-8")
    monkeypatch.setattr(Weibull, "twin", staticmethod(lambda: path))


@pytest.fixture
def scores() -> pd.DataFrame:
    values = np.random.default_rng(2).integers(1, 999, (6, 5)) / 1000
    return pd.DataFrame(values, index=pd.Index(list("uvwxyz"), name="topic"), columns=list("abcde"))


@pytest.mark.usefixtures("_twin")
def test_check_twin_says_what_is_usual() -> None:
    check_distribution(Weibull())
    expected = (
        r"^weibull: all scores: at x = \S+ y is \S+ and in R \S+, (9|10) ulp apart; expected at "
        r"most 8 \(the default for a scheme that states no tolerance\), for the reference"
    )
    with pytest.raises(ContractError, match=expected):
        check_twin(Weibull())


@pytest.mark.clause("scheme.11")
@pytest.mark.usefixtures("_twin")
def test_check_twin_passes_what_is_stated() -> None:
    check_distribution(FarWeibull())
    check_twin(FarWeibull())


@pytest.mark.usefixtures("_twin")
@pytest.mark.parametrize("via", WAYS)
def test_verify_judges_by_what_is_stated(scores: pd.DataFrame, via: str) -> None:
    for scheme, allowed in ((Weibull(), 8), (FarWeibull(), 16)):
        row = verify(scores, scheme, via=via).set_index("quantity").loc["standardized score"]
        assert 9 <= row["max_ulp"] <= 10
        assert (row["allowed_ulp"], row["agrees"]) == (allowed, allowed == 16)


@pytest.mark.usefixtures("_twin")
def test_check_twin_asks_for_a_reason() -> None:
    @dataclass(frozen=True)
    class Silent(Weibull):
        """The same, which does not say why."""

        tolerance = Tolerance(16, "")

    with pytest.raises(ContractError, match=r"^silent: tolerance has a reason: .* has no reason"):
        check_twin(Silent())


@pytest.mark.parametrize("via", WAYS)
def test_verify_judges_a_test_by_what_it_states(
    scores: pd.DataFrame, via: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "share.R"
    path.write_text(SHARE_IN_R, encoding="utf-8")
    stated = Tolerance(2e6, "R is 2e-10 of the number away")
    usual: SignificanceTest = one_sample(source="none", effect="")(share)
    far = one_sample(source="none", effect="", tolerances={"p_value": stated, "p_adjusted": stated})
    for test, agrees in ((usual, False), (far(share), True)):
        monkeypatch.setattr(test, "twin", lambda: path)
        table = verify(scores, "raw", test=test, adjust="none", via=via).set_index("quantity")
        assert table["agrees"]["statistic"]
        assert table["agrees"]["p value"] == table["agrees"]["p adjusted"] == agrees
