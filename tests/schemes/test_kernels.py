"""Integrated kernels beside mpmath."""

import math
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes.kernel import KERNELS, smoothed
from validation.campaign.judge import LIMIT

pytestmark = pytest.mark.one_in(2)

MANY = 1000
COMPACT = [name for name in KERNELS if KERNELS[name].compact]


@pytest.fixture(autouse=True)
def _digits() -> Iterator[None]:
    """Beside a kernel's end, the textbooks' form loses four times the digits of the distance."""
    with mp.workdps(90):
        yield


def parabola(power: int) -> Callable[[mpf], mpf]:
    """Integrate (1 - u^2)^power term by term, divided by its whole integral."""

    def integral(u: mpf) -> mpf:
        square, sum_ = u * u, mpf(0)
        for k in range(power, -1, -1):
            sum_ = sum_ * square + mpf(math.comb(power, k) * (-1) ** k) / (2 * k + 1)
        return sum_ * u

    return lambda u: (1 + integral(u) / integral(mpf(1))) / 2


#: The integral of each kernel's usual form, written in the textbooks' way.
TRUE: dict[str, Callable[[mpf], mpf]] = {
    "gaussian": lambda u: mp.erfc(-u / mp.sqrt(2)) / 2,
    "epanechnikov": parabola(1),
    "biweight": parabola(2),
    "triweight": parabola(3),
    "triangular": lambda u: mpf(1) / 2 + u - u * abs(u) / 2,
    "rectangular": parabola(0),
    "cosine": lambda u: (1 + u + mp.sin(mp.pi * u) / mp.pi) / 2,
    "logistic": lambda u: 1 / (1 + mp.exp(-u)),
}


def true_kernel(name: str, u: float) -> mpf:
    if KERNELS[name].compact:
        return TRUE[name](mpf(max(-1.0, min(1.0, u))))
    return TRUE[name](mpf(u))


def arguments(name: str) -> Array:
    """u over the whole range, near its ends and near 0."""
    rng = np.random.default_rng(6)
    low, high = (-1.0, 1.0) if KERNELS[name].compact else (-38.0, 9.0)
    near = 10.0 ** rng.uniform(-14, -1, 60)
    return np.concatenate([rng.uniform(low, high, 300), low + near, high - near, near, -near])


def usual_form(name: str, x: Array, sample: Array, scale: float = 1.0) -> Array:
    """Average the integral of a kernel's usual form, with this scale, over one sample."""
    found = KERNELS[name]
    n = np.array([np.count_nonzero(~np.isnan(sample))])
    return found.sums(x[np.newaxis], sample[np.newaxis], n, np.array([scale]))[0] / n


def ulps(y: float, true: mpf) -> float:
    return float(abs(mpf(y) - true) / mpf(np.spacing(float(true))))


@pytest.mark.clause("kernel.2")
@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_is_within_the_limit_of_its_integral(name: str) -> None:
    u = arguments(name)
    y = usual_form(name, u, np.zeros(1))
    assert max(ulps(a, true_kernel(name, b)) for a, b in zip(y, u, strict=True)) <= LIMIT


@pytest.mark.clause("kernel.1")
@pytest.mark.parametrize("name", KERNELS)
def test_a_mean_of_kernels_is_within_the_limit(name: str) -> None:
    rng = np.random.default_rng(7)
    sample, scale = np.sort(rng.beta(0.7, 2, MANY)), 0.4
    x = np.array([-1.5, 0.1, 0.5, 1.2])
    for value, y in zip(x, usual_form(name, x, sample, scale), strict=True):
        u = ((value - sample) / scale).tolist()
        true = mp.fsum(true_kernel(name, v) for v in u) / len(sample)
        assert y == true if true in (0, 1) else ulps(y, true) <= LIMIT


# ---- many scores

KINDS: dict[str, Callable[[np.random.Generator, int], Array]] = {
    "normal": lambda rng, n: rng.standard_normal(n),
    "tied": lambda rng, n: rng.integers(0, 11, n) / 10,
    "far from 0": lambda rng, n: 1e6 + rng.random(n),
    "skewed": lambda rng, n: rng.beta(0.4, 4, n),
    "heavy tails": lambda rng, n: rng.standard_cauchy(n),
    "tiny": lambda rng, n: 1e-300 * rng.random(n),
    "two heaps": lambda rng, n: rng.choice([0.0, 5.0], n) + 0.01 * rng.random(n),
}


@given(
    name=st.sampled_from(COMPACT),
    kind=st.sampled_from(sorted(KINDS)),
    n=st.integers(MANY + 1, MANY + 300),
    share=st.floats(1e-3, 5),
    seed=st.integers(0, 2**32 - 1),
)
def test_sums_never_fall_and_lie_between_the_counts(
    name: str, kind: str, n: int, share: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    sample = np.sort(KINDS[kind](rng, n))
    scale = share * (np.ptp(sample) or 1.0)
    x = np.sort(np.concatenate([rng.choice(sample, 40), rng.choice(sample, 40) + scale / 3]))
    y = usual_form(name, x, sample, scale)
    assert (np.diff(y) >= -1e-15).all()
    counts = [np.searchsorted(sample, x + moved, "right") / n for moved in (-scale, scale)]
    assert (y >= counts[0] - 1e-2 / n).all()
    assert (y <= counts[1] + 1e-2 / n).all()


@pytest.mark.parametrize("name", KERNELS)
def test_a_row_has_the_same_bits_alone_and_padded(name: str) -> None:
    rng = np.random.default_rng(10)
    width = MANY + 500
    sample = np.full((4, width), np.nan)
    for row, n in enumerate((1, 110, MANY, width - 3)):
        sample[row, :n] = np.sort(rng.random(n))
    x, h = rng.uniform(-0.5, 1.5, (4, 50)), np.array([[0.2], [0.1], [0.05], [0.02]])
    y = smoothed(name, x, sample, h)
    for row in range(4):
        own = sample[row][~np.isnan(sample[row])][np.newaxis]
        assert np.array_equal(y[[row]], smoothed(name, x[[row]], own, h[[row]]))
        halves = [smoothed(name, part, own, h[[row]]) for part in np.split(x[[row]], 2, axis=1)]
        assert np.array_equal(y[[row]], np.concatenate(halves, axis=1))
