"""`verify` at the ends of the range of doubles: R's numbers are those of ordinary scores."""

import numpy as np
import pandas as pd
import pytest

from cdfscore.stats.effect_size.effects import effect_sizes
from cdfscore.stats.significance.contract import significance_tests
from tests.verified import verify

pytestmark = [pytest.mark.usefixtures("rinterface"), pytest.mark.clause("test.13")]

#: Settings in the unit of the scores, 1 where they are ordinary.
GIVEN = {
    "equivalence_t": "margin={}",
    "wilcoxon_signed_rank": "conf_int=true",
    "mann_whitney": "conf_int=true,null_value={}",
    "paired_t": "null_value={}",
    "sign": "null_value={}",
    "permutation": "null_value={}",
}
#: Powers of 2 by which whole numbers below 64 become scores up to 2^1020, or down to 2^-1066.
POWERS = [1014, -1066]
#: One of each kind: by rows, by ranks, of one sample, and of a matrix.
IN_THE_PROGRAM = ["welch_t", "wilcoxon_signed_rank", "one_sample_t", "tukey_hsd"]


def verified(test: str, power: int, effect: str | None = None, via: str = "rpy2") -> pd.DataFrame:
    whole = np.random.default_rng(3).permutation(64)[:32].reshape(8, 4).astype(float)
    whole[3] = whole[2]  # ties
    scores = pd.DataFrame(np.ldexp(whole, power), columns=list("abcd"))
    spelled = f"{test}:{GIVEN[test].format(np.ldexp(1.0, power))}" if test in GIVEN else test
    one = {"baselines": "a"} if test in ("dunnett", "max_t_baseline") else {}
    return verify(scores, "raw", test=spelled, effect=effect, via=via, **one).set_index("quantity")


@pytest.mark.one_in(6)
@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("test", significance_tests.names())
def test_every_test_agrees(test: str, power: int) -> None:
    found, ordinary = verified(test, power), verified(test, 0)
    assert found["agrees"].all()
    # A number that R does not have is not counted.
    assert found["count"].to_dict() == ordinary["count"].to_dict()
    assert found.loc["p value", "r"] == pytest.approx(found.loc["p value", "python"])


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("effect", effect_sizes.names())
def test_every_effect_size_agrees(effect: str, power: int) -> None:
    test = "paired_t" if effect_sizes.load(effect).paired else "welch_t"
    found, ordinary = verified(test, power, effect), verified(test, 0, effect)
    assert found["agrees"].all()
    assert found["count"].to_dict() == ordinary["count"].to_dict()


@pytest.mark.one_in(4)
@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("test", IN_THE_PROGRAM)
def test_the_script_agrees_too(test: str, power: int) -> None:
    found, ordinary = verified(test, power, via="rscript"), verified(test, 0)
    assert found["agrees"].all()
    assert found["count"].to_dict() == ordinary["count"].to_dict()


@pytest.mark.clause("ties_at.2")
@pytest.mark.parametrize("test", ["sign", "wilcoxon_signed_rank", "mann_whitney"])
def test_decimals_are_those_of_the_scores_as_given(test: str) -> None:
    """Scores beside a large one, that moves the unit of all, tie at one decimal."""
    rng = np.random.default_rng(8)
    scores = pd.DataFrame(rng.random((12, 3)).round(2), columns=list("abc"))
    scores.iloc[:2] = np.ldexp(rng.random((2, 3)), [[160], [900]])
    found = {
        decimals: verify(scores, "raw", test=f"{test}:ties_at={decimals}").set_index("quantity")
        for decimals in (1, 12)
    }
    assert all(each["agrees"].all() for each in found.values())
    assert found[1].loc["p value", "python"] != found[12].loc["p value", "python"]
