"""`check_twin` finds a scheme that computes something else than its R twin."""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from cdfscore_plug_in import Laplace

from cdfscore.errors import VerificationError
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes import Minmax, Raw
from cdfscore.stats.schemes.base import Scheme
from cdfscore.testing import ContractError, check_distribution, check_twin
from validation.broken import BROKEN

pytestmark = pytest.mark.usefixtures("rinterface")


@dataclass(frozen=True)
class OtherMissing(Laplace):
    """Agrees but where a reference score is missing."""

    def estimate(self, scores: Array):
        return super().estimate(np.nan_to_num(scores))

    twin = Laplace.twin


@dataclass(frozen=True)
class OtherLimit(Minmax):
    """Agrees but on a constant topic, which goes to 1."""

    def evaluate(self, x: Array, min: Array, max: Array) -> Array:
        y = super().evaluate(x, min, max)
        return np.where((x == min) & (min == max), 1.0, y)

    twin = Minmax.twin


@pytest.mark.clause("scheme.10", "check_twin.1")
@pytest.mark.parametrize("broken", BROKEN, ids=lambda scheme: scheme.name)
@pytest.mark.parametrize("seed", [2019, 7])
def test_broken_family_is_caught(broken: Scheme, seed: int) -> None:
    with pytest.raises(ContractError) as caught:
        check_twin(broken, seed=seed)
    sentence = str(caught.value)
    assert re.match(rf"{broken.name}.*: all scores: at x = .* y is .* and in R ", sentence)
    assert f"ulp apart; expected at most {broken.tolerance.ulp:g} (" in sentence
    assert "\n" not in sentence


def test_broken_count_is_caught_without_r() -> None:
    """An n for n - 1 is a distribution too, and the contract alone has nothing to say."""
    count, spread = BROKEN
    with pytest.raises(ContractError):
        check_distribution(count)
    check_distribution(spread)


@pytest.mark.clause("check_twin.1")
@pytest.mark.parametrize(
    ("scheme", "case"),
    [(OtherMissing(), "with missing scores"), (OtherLimit(), "with a constant topic")],
)
def test_every_case_can_fail(scheme: Scheme, case: str) -> None:
    with pytest.raises(ContractError, match=case):
        check_twin(scheme)


def test_scheme_of_the_users_own() -> None:
    check_twin(Laplace())
    check_twin(Laplace(), within=(-3.0, -1.0), seed=5)


@pytest.mark.clause("scheme.10")
def test_an_error_of_the_twin_is_a_failure(tmp_path: Path) -> None:
    file = tmp_path / "minmax.R"
    file.write_text('standardize <- function(x, scores) stop("no minimum\\nand no maximum")\n')

    @dataclass(frozen=True)
    class Stops(Minmax):
        """Has a twin that stops."""

        @classmethod
        def twin(cls) -> Path:
            return file

    with pytest.raises(ContractError, match=r"all scores: R stops: .*no minimum and no maximum"):
        check_twin(Stops())


@pytest.mark.clause("check_twin.1")
def test_r_that_stops_is_a_failure() -> None:
    class Sum(Raw):
        """Linear, and beside no twin."""

    with pytest.raises(VerificationError, match="sum has no R twin"):
        check_twin(Sum())
