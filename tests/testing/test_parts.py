"""Kernels and bandwidth rules: ours keep the contract, and mistakes of one's own are named."""

import math
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtr, stdtr

from cdfscore import parse_scheme
from cdfscore.errors import FitError, SchemeError, VerificationError
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes import Kernel, bandwidth_rule, smoothing_kernel
from cdfscore.stats.schemes.bandwidths import RULES
from cdfscore.stats.schemes.kernel import BOUNDARIES, KERNELS
from cdfscore.testing import ContractError, check_bandwidth, check_kernel

Function = Callable[[Array], Array]


@pytest.mark.clause("check_kernel.1")
@pytest.mark.parametrize("kernel", KERNELS)
def test_each_kernel_keeps_the_contract(kernel: str) -> None:
    check_kernel(kernel)


@pytest.mark.clause("check_bandwidth.1")
@pytest.mark.parametrize("rule", RULES)
def test_each_rule_keeps_the_contract(rule: str) -> None:
    check_bandwidth(rule)


def epanechnikov(u: Array) -> Array:
    u = np.clip(u, -1.0, 1.0)
    return (2 + 3 * u - u**3) / 4


def biweight(u: Array) -> Array:
    u = np.clip(u, -1.0, 1.0)
    return (8 + 15 * u - 10 * u**3 + 3 * u**5) / 16


def rectangular(u: Array) -> Array:
    return (np.clip(u, -1.0, 1.0) + 1) / 2


def logistic(u: Array) -> Array:
    return np.exp(-np.logaddexp(0.0, -u))


OURS: dict[str, tuple[Function, float, bool]] = {
    "gaussian": (ndtr, 1.0, False),
    "logistic": (logistic, math.pi / math.sqrt(3), False),
    "epanechnikov": (epanechnikov, 1 / math.sqrt(5), True),
    "biweight": (biweight, 1 / math.sqrt(7), True),
    "rectangular": (rectangular, 1 / math.sqrt(3), True),
}


@pytest.mark.clause("kernel.6")
@pytest.mark.parametrize("boundary", [name for name in BOUNDARIES if name != "beta"])
@pytest.mark.parametrize("h", [1e-3, 0.1, 1.0])
@pytest.mark.parametrize("kernel", OURS)
def test_a_kernel_of_ones_own_is_as_exact_as_ours(kernel: str, h: float, boundary: str) -> None:
    function, sd, compact = OURS[kernel]

    @smoothing_kernel(sd=sd, compact=compact)
    def again(u: Array) -> Array:
        return function(u)

    scores = np.random.default_rng(5).beta(0.8, 2.0, (4, 60))
    x = np.linspace(-0.1, 1.1, 97)[np.newaxis].repeat(4, axis=0)
    ours = parse_scheme(f"kernel:kernel={kernel},bandwidth={h},boundary={boundary}")
    own = parse_scheme(f"kernel:kernel=again,bandwidth={h},boundary={boundary}")
    assert np.abs(own.fit(scores)(x) - ours.fit(scores)(x)).max() <= 2.0**-49


@pytest.mark.parametrize("h", [0.005, 0.03, 0.2, 1.0])
def test_heavy_tails_are_folded_back_to_the_last_fold(h: float) -> None:
    @smoothing_kernel(sd=math.sqrt(5 / 3))
    def heavy(u: Array) -> Array:
        return stdtr(5.0, u)

    scores = np.array([0.0, 0.0, 0.0, 0.2, 1.0, 1.0])
    x = np.array([0.0, 0.01, 0.2, 0.5, 0.99, 1.0])
    y = Kernel(h, "heavy", "reflection").fit(scores)(x)
    k = 2.0 * np.arange(-4_000, 4_001)[:, np.newaxis, np.newaxis]
    d = x[:, np.newaxis] - scores, -x[:, np.newaxis] - scores
    right, left = (stdtr(5.0, (k + each) / h * math.sqrt(5 / 3)) for each in d)
    assert y == pytest.approx((right - left).sum(axis=0).mean(axis=1), abs=2e-14)
    assert (y[0], y[-1]) == (0, 1)


@pytest.mark.clause("bandwidth.3")
def test_a_rule_gets_sorted_scores_without_missing_ones_on_the_smoothed_scale() -> None:
    seen: list[list[float]] = []

    @bandwidth_rule()
    def recorded(scores: Array) -> float:
        seen.append(scores.tolist())
        scores[:] = 0.0  # of no consequence: it is a copy
        if len(scores) == 3:
            raise FitError("three scores are too few")
        return 0.25

    scores = [[0.5, np.nan, 0.2, 0.2], [0.3, 0.3, 0.3, 0.3], [0.9, 0.1, 0.5, 0.2]]
    with pytest.raises(FitError, match=r"^row 0: bandwidth rule recorded: three scores are"):
        Kernel("recorded").fit(scores)
    assert seen == [[0.2, 0.2, 0.5], [0.1, 0.2, 0.5, 0.9]]
    h = Kernel("recorded", boundary="logit").fit(scores[1:]).parameters["bandwidth"]
    assert h.tolist() == [[0.0], [0.25]]
    assert seen[-1] == pytest.approx([math.log(p / (1 - p)) for p in (0.1, 0.2, 0.5, 0.9)])


def right_at_0(u: Array) -> Array:
    return np.where(u < 0, 0.5 * np.exp(-np.abs(u)), 1 - 0.25 * np.exp(-np.abs(u)))


def falling(u: Array) -> Array:
    return ndtr(u) + 0.01 * np.exp(-((u + 5) ** 2)) - 0.01 * np.exp(-((u - 5) ** 2))


def with_a_step(u: Array) -> Array:
    return np.where(u <= -1.01, 0.0, np.where(u < 1.01, 0.5, 1.0))


MISTAKES_OF_KERNELS = [
    (ndtr, 1.1, False, "the standard deviation is 1, and sd=1.1 is declared"),
    (right_at_0, 1.0, False, "as the density is symmetric"),
    (falling, 1.0, False, "K decreases from"),
    (ndtr, 1.0, True, "at -1.5, -1, 1 and 1.5; expected 0, 0, 1 and 1"),
    (
        with_a_step,
        1.0,
        False,
        "near u = -1.01 K is 0.3 off the nearest polynomials; expected at",
    ),
    (lambda u: stdtr(1.0, u), 1.0, False, "K is not 0 in doubles 4096 left of 0; expected lighter"),
    (lambda u: ndtr(-u), 1.0, False, "K(-1) is 0.841345; expected a number from 0 to 1/2"),
    (lambda u: ndtr(u)[:1], 1.0, False, "expected an array of doubles of the same shape"),
    (lambda u: u * np.nan, 1.0, False, "K(-1) is nan; expected a number from 0 to 1/2"),
    (lambda u: 0.5, 1.0, False, "gives 0.5 for u of shape"),
    (lambda u: np.ma.masked_array(ndtr(u)), 1.0, False, "gives masked_array("),
    (lambda u: 1 / 0, 1.0, False, "raises ZeroDivisionError: division by zero"),
    (lambda u: ndtr(u).astype(np.float32), 1.0, False, "gives float32 (1,) for u of shape (1,)"),
]


@pytest.mark.clause("kernel.6")
@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (right_at_0, r"K\(1\) is 0\.90803 and K\(-1\) is 0\.18394; expected a sum of 1"),
        (
            falling,
            r"K decreases from 0\.\d+ at u = -3\.\d+ to 0\.\d+ at u = -3\.\d+; expected the",
        ),
    ],
)
def test_what_is_no_integral_of_a_density_is_refused_at_its_first_use(
    function: Function, sentence: str
) -> None:
    @smoothing_kernel(sd=1.0)
    def mistaken(u: Array) -> Array:
        return function(u)

    with pytest.raises(SchemeError, match=f"^kernel mistaken: {sentence}"):
        Kernel(0.1, "mistaken").fit([0.1, 0.4])([0.2])


@pytest.mark.clause("check_kernel.1")
@pytest.mark.parametrize(("function", "sd", "compact", "sentence"), MISTAKES_OF_KERNELS)
def test_mistakes_of_a_kernel_are_named(
    function: Function, sd: float, compact: bool, sentence: str
) -> None:
    @smoothing_kernel(sd=sd, compact=compact)
    def mistaken(u: Array) -> Array:
        return function(u)

    with pytest.raises(ContractError) as raised:
        check_kernel(mistaken)
    assert str(raised.value).startswith("kernel mistaken: ")
    assert sentence in str(raised.value)


def raised(reason: str) -> float:
    raise FitError(reason)


_RANDOM = np.random.default_rng(1)
MISTAKES_OF_RULES: list[tuple[Callable[[Array], float], str]] = [
    (lambda x: 0.1, "h of 4 x + 0 is 0.1 for two scores; expected 0.4, 4 times that of x"),
    (lambda x: float(np.std(x) / np.mean(x)), "4 times that of x"),
    (lambda x: float(np.mean(np.abs(x))), "h of 1 x + 0.5 is 1.0 for two scores; expected 0.5"),
    (lambda x: float(np.std(x) + 0.1 * np.mean(x)), "h of 1 x + 0.5 is 0.35 for two scores"),
    (lambda x: float(_RANDOM.random()), "for two scores; expected the same"),
    (
        lambda x: -1.0,
        "the function mistaken of the module tests.testing.test_parts gives -1.0 for 2 scores from "
        "0.25 to 0.75; expected a number",
    ),
    (lambda x: math.nan, "gives nan for 2 scores"),
    (lambda x: np.array([0.1]), "gives array([0.1]) for 2 scores"),
    (lambda x: 1 / 0, "raises ZeroDivisionError: division by zero"),
    (lambda x: sys.exit(4), "raises SystemExit: 4"),
    (lambda x: raised("none"), "it refuses all samples; expected a bandwidth for one of them"),
]


@pytest.mark.clause("check_bandwidth.1")
@pytest.mark.parametrize(("function", "sentence"), MISTAKES_OF_RULES)
def test_mistakes_of_a_rule_are_named(function: Callable[[Array], float], sentence: str) -> None:
    @bandwidth_rule()
    def mistaken(scores: Array) -> float:
        return function(scores)

    with pytest.raises(ContractError) as error:
        check_bandwidth(mistaken)
    assert str(error.value).startswith("bandwidth rule mistaken: ")
    assert sentence in str(error.value)


def written(folder: Path, name: str, python: str, twin: str) -> None:
    (folder / f"{name}.py").write_text(python, encoding="utf-8")
    (folder / f"{name}.R").write_text(twin, encoding="utf-8")


KERNEL = """
from scipy.special import ndtr
from cdfscore.schemes import smoothing_kernel
@smoothing_kernel(sd=1.0)
def {name}(u):
    return ndtr(u)
"""
RULE = """
from cdfscore.schemes import bandwidth_rule
@bandwidth_rule()
def {name}(scores):
    return (scores[-1] - scores[0]) / 2
"""
TWINS = [
    (KERNEL, "smoothing_kernel <- function(d, h) pnorm(d / h)", check_kernel, ""),
    (KERNEL, "smoothing_kernel <- function(d, h) plogis(d / h)", check_kernel, "ulp apart"),
    (RULE, "bandwidth_rule <- function(x) diff(range(x)) / 2", check_bandwidth, ""),
    (RULE, "bandwidth_rule <- function(x) diff(range(x)) * 0.5000001", check_bandwidth, "and in R"),
    (RULE, "bandwidth_rule <- function(x) numeric()", check_bandwidth, "and in R"),
    (KERNEL, "smoothing_kernel <- function(d, h) stop('no')", check_kernel, "R stops: .*no"),
    (KERNEL, "smoothing_kernel <- function(d, h) 0.5", check_kernel, "R gives 1 values"),
    (RULE, "bandwidth_rule <- function(x) stop('no')", check_bandwidth, "R stops for two scores"),
]


@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize(("python", "twin", "check", "sentence"), TWINS)
def test_twins_are_compared(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    python: str,
    twin: str,
    check: Callable[[str], None],
    sentence: str,
) -> None:
    name = f"own_{TWINS.index((python, twin, check, sentence))}"
    written(tmp_path, name, python.format(name=name), twin)
    monkeypatch.syspath_prepend(tmp_path)
    import_module(name)
    if sentence:
        with pytest.raises(ContractError, match=sentence):
            check(name)
    else:
        check(name)
    del sys.modules[name]


@pytest.mark.clause("kernel.6")
def test_what_is_not_compact_is_told_at_its_first_use() -> None:
    @smoothing_kernel(sd=1.0, compact=True)
    def wide(u: Array) -> Array:
        return ndtr(u)

    with pytest.raises(SchemeError, match=r"^kernel wide: K\(-1\) is 0\.158655; expected 0, as it"):
        Kernel(0.1, "wide").fit([0.1, 0.4])([0.2])


@pytest.mark.clause("bandwidth.3")
def test_a_rule_chooses_no_more_than_a_number_may_be() -> None:
    @bandwidth_rule()
    def wide(scores: Array) -> float:
        return 2.0

    for boundary in ("none", "logit"):
        Kernel("wide", boundary=boundary).fit([0.1, 0.4])
    with pytest.raises(FitError, match=r"has the bandwidth 2; expected at most 1$"):
        Kernel("wide", boundary="reflection").fit([0.1, 0.4])


@pytest.mark.clause("kernel.6")
def test_half_of_a_kernel_is_left_of_its_middle() -> None:
    @smoothing_kernel(sd=math.sqrt(5 / 3))
    def own(u: Array) -> Array:
        return stdtr(5.0, u)

    assert Kernel(0.1, "own").fit([0.3])([0.3]).tolist() == [0.5]


def test_a_part_without_a_twin_is_no_broken_contract() -> None:
    @smoothing_kernel(sd=1.0)
    def without_a_twin(u: Array) -> Array:
        return ndtr(u)

    with pytest.raises(VerificationError, match="without_a_twin has no R twin"):
        check_kernel(without_a_twin)


def test_a_name_of_ours_is_refused() -> None:
    def gaussian(u: Array) -> Array:
        return ndtr(u)

    with pytest.raises(SchemeError, match=r"kernel named 'gaussian', which cdfscore.*expected"):
        smoothing_kernel(sd=1.0)(gaussian)
    with pytest.raises(SchemeError, match=r"sd=-1 is not accepted; expected a number above 0"):
        smoothing_kernel(sd=-1)
    with pytest.raises(SchemeError, match=r"name '<lambda>'; expected a function with def"):
        smoothing_kernel(sd=1)(lambda u: ndtr(u))
    with pytest.raises(SchemeError, match=r"tolerance=16 is not accepted; expected a Tolerance"):
        bandwidth_rule(tolerance=16)  # type: ignore[arg-type]
    assert KERNELS["gaussian"].function is None


def test_what_is_not_there_is_refused_with_the_names_that_are() -> None:
    @smoothing_kernel(sd=1.0)
    def mine(u: Array) -> Array:
        return ndtr(u)

    for spelled, names in (
        ("kernel=studdent", "logistic, mine"),
        ("bandwidth=no", "polansky_baker"),
    ):
        with pytest.raises(SchemeError, match=f"is not accepted.*; expected .*{names}$"):
            parse_scheme(f"kernel:{spelled}")
