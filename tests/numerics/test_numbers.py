"""Whole numbers and numbers are accepted, or refused, by all functions alike."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from cdfscore.comparison.pairs import check_alpha
from cdfscore.diagnosis.diagnosis import Settings
from cdfscore.errors import CdfscoreError
from cdfscore.experiments import Halves, SchemeMatrices
from cdfscore.experiments.rates import check_seed, check_size
from cdfscore.stats.power import power_t
from cdfscore.stats.r_random import RRandom
from cdfscore.stats.schemes import BetaBinomial, Mixture, Uniform
from cdfscore.stats.schemes.empirical import dkw_band
from cdfscore.stats.significance import equivalence_t, paired_t, permutation, wilcoxon_signed_rank

X, Y = np.array([0.1, 0.3, 0.2, 0.7]), np.array([0.2, 0.2, 0.4, 0.3])
ONE = np.eye(4)[np.newaxis]


def _settings(**given: object) -> Settings:
    others = {"alpha": 0.05, "bootstrap": 9, "most": None, "seed": 1, "jobs": None}
    return Settings.of(**{**others, **given})


WHOLE: dict[str, Callable[[Any], object]] = {
    "seed of permutation": lambda v: permutation(X, Y, seed=v),
    "B of permutation": lambda v: permutation(X, Y, B=v),
    "ties_at of wilcoxon": lambda v: wilcoxon_signed_rank(X, Y, ties_at=v),
    "seed of mixture": lambda v: Mixture(seed=v),
    "size of beta_binomial": lambda v: BetaBinomial(size=v),
    "seed of R": RRandom,
    "seed of experiments": check_seed,
    "size of experiments": lambda v: check_size(v, 9),
    "seed of a diagnosis": lambda v: _settings(seed=v),
}
NUMBERS: dict[str, Callable[[Any], object]] = {
    "A of uniform": lambda v: Uniform(A=v),
    "alpha of a diagnosis": lambda v: _settings(alpha=v),
    "alpha of a comparison": check_alpha,
    "conf_level of paired_t": lambda v: paired_t(X, Y, conf_level=v),
    "null_value of paired_t": lambda v: paired_t(X, Y, null_value=v),
    "margin of equivalence_t": lambda v: equivalence_t(X, Y, margin=v),
    "alpha of halves": lambda v: Halves(SchemeMatrices(("m",), ONE[0], ONE, ONE), alpha=v),
    "conf_level of dkw_band": lambda v: dkw_band(X, Y, conf_level=v),
    "sd of power_t": lambda v: power_t(n=9, delta=0.1, sd=v),
}
LEVELS = {name: use for name, use in NUMBERS.items() if name.split()[0] in ("alpha", "conf_level")}
IN_WORDS = (
    r"=.* is not accepted; expected a whole number (of \d+ or more|from -?\d+ to \d+)"
    r"(, or (None|'resolution' or 'all_digits'|a numpy\.random\.Generator))?$"
)
NEITHER = [True, np.True_, "1", b"1", [1], np.array(1), np.array([1, 2]), Fraction(1, 2), 1j]


@pytest.mark.parametrize("value", [3, np.int8(3), np.uint64(3)], ids=repr)
@pytest.mark.parametrize("use", WHOLE.values(), ids=WHOLE)
def test_integers_are_whole_numbers(use: Callable[[Any], object], value: object) -> None:
    use(value)


@pytest.mark.parametrize("value", [*NEITHER, 3.0, np.float64(3), np.nan], ids=repr)
@pytest.mark.parametrize("use", WHOLE.values(), ids=WHOLE)
def test_others_are_no_whole_numbers(use: Callable[[Any], object], value: object) -> None:
    with pytest.raises(CdfscoreError, match=IN_WORDS) as caught:
        use(value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", [float, np.float16, np.float32, np.longdouble])
@pytest.mark.parametrize("use", NUMBERS.values(), ids=NUMBERS)
def test_floats_are_numbers(use: Callable[[Any], object], kind: Callable[[float], object]) -> None:
    use(kind(0.5))


@pytest.mark.parametrize("value", [*NEITHER, Decimal(1) / 2, np.nan, np.inf, 10**400], ids=repr)
@pytest.mark.parametrize("use", NUMBERS.values(), ids=NUMBERS)
def test_others_are_no_numbers(use: Callable[[Any], object], value: object) -> None:
    with pytest.raises(CdfscoreError, match="is not accepted; expected") as caught:
        use(value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("value", [0, 1, 0.0, 1.0, -0.5, 95, "0.05", None], ids=repr)
@pytest.mark.parametrize("use", LEVELS.values(), ids=LEVELS)
def test_a_level_is_between_0_and_1(use: Callable[[Any], object], value: object) -> None:
    message = rf"\w={value!r} is not accepted; expected a number between 0 and 1$"
    with pytest.raises(CdfscoreError, match=message):
        use(value)
