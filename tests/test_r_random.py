"""R's random numbers: beside a running R, and against numbers recorded from R 4.2.2."""

from collections.abc import Callable, Iterator
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cdfscore.errors import CdfscoreError
from cdfscore.stats.r_random import RRandom, RRandomError, samples

# Calls of sample(1:n, size); n = 0 stands for runif(size). R's numbers come as doubles.
Calls = list[tuple[int, int]]
InR = Callable[[int, Calls], np.ndarray]

DRAWS = """
function(seed, n, size) {
  suppressWarnings(set.seed(seed, "Mersenne-Twister", "Inversion", "Rejection"))
  draw <- function(n, size) if (n == 0) runif(size) else sample(1:n, size)
  as.double(unlist(Map(draw, n, size)))
}
"""
KEEP = """
function() {
  if (!exists(".Random.seed", globalenv())) set.seed(NULL)
  list(RNGkind(), get(".Random.seed", globalenv()))
}
"""
RESTORE = """
function(kept) {
  suppressWarnings(RNGkind(kept[[1]][1], kept[[1]][2], kept[[1]][3]))
  assign(".Random.seed", kept[[2]], globalenv())
}
"""


@pytest.fixture(scope="module")
def in_r(rinterface: ModuleType) -> Iterator[InR]:
    """Return what draws in R; after the tests R goes on as if none had drawn."""
    kept = rinterface.evalr(KEEP)()
    function = rinterface.evalr(DRAWS)

    def draws(seed: int, calls: Calls) -> np.ndarray:
        n = rinterface.FloatSexpVector([float(n) for n, _ in calls])
        size = rinterface.FloatSexpVector([float(size) for _, size in calls])
        integer = rinterface.IntSexpVector([seed])
        return np.array(function(integer, n, size))

    yield draws
    rinterface.evalr(RESTORE)(kept)


def drawn(seed: int, calls: Calls) -> np.ndarray:
    r = RRandom(seed)
    return np.concatenate([r.sample(n, size) if n else r.runif(size) for n, size in calls])


seeds_of_r = st.integers(-(2**31 - 1), 2**31 - 1)
near_powers = st.builds(lambda bits, step: 2**bits + step, st.integers(2, 22), st.integers(-1, 1))
laid_out = st.one_of(st.integers(1, 200), st.integers(1, 5000), near_powers)


any_call = st.one_of(st.just(0), laid_out).flatmap(
    lambda n: st.tuples(st.just(n), st.integers(0, min(n or 900, 900)))
)


@pytest.mark.clause("r_random.1", "r_random.2")
@settings(max_examples=100)
@given(seed=seeds_of_r, calls=st.lists(any_call, min_size=1, max_size=6))
def test_calls_after_a_seed_are_those_of_r(in_r: InR, seed: int, calls: Calls) -> None:
    np.testing.assert_array_equal(drawn(seed, calls), in_r(seed, calls))


@pytest.mark.long
@given(first=seeds_of_r, n=laid_out, data=st.data())
def test_a_row_is_the_sample_of_its_seed_in_r(
    in_r: InR, first: int, n: int, data: st.DataObject
) -> None:
    size = data.draw(st.integers(0, min(n, 900)))
    seeds = [first, 501, -first]
    expected = [in_r(seed, [(n, size)]) for seed in seeds]
    np.testing.assert_array_equal(samples(seeds, n, size), expected)


@pytest.mark.clause("r_random.1")
@pytest.mark.parametrize("seed", [0, 1, -1, 2**31 - 1, -(2**31 - 1)])
def test_two_thousand_random_numbers_are_those_of_r(in_r: InR, seed: int) -> None:
    # the twister makes 624 numbers at a time
    expected = in_r(seed, [(0, 2000)])
    np.testing.assert_array_equal(drawn(seed, [(0, 2000)]), expected)
    np.testing.assert_array_equal(drawn(seed, [(0, 623), (0, 2), (0, 1375)]), expected)


@pytest.mark.clause("r_random.2")
@pytest.mark.parametrize(("n", "size"), [(10_000_000, 20_000), (1, 1), (2, 2)])
def test_the_largest_and_the_smallest_n(in_r: InR, n: int, size: int) -> None:
    calls = [(n, size), (0, 1)]
    expected = in_r(501, calls)
    np.testing.assert_array_equal(drawn(501, calls), expected)
    np.testing.assert_array_equal(samples([501], n, size)[0], expected[:-1])


# Seeds whose first, second, third and fourth word is 0: found among all of them.
ZEROS = [-1891743248, -1099933013, -1620399278, 626601877]


@pytest.mark.parametrize("seed", ZEROS)
def test_a_word_of_zero_is_the_one_of_r(in_r: InR, seed: int) -> None:
    calls = [(0, 5), (2**20, 5)]
    np.testing.assert_array_equal(drawn(seed, calls), in_r(seed, calls))


def test_recorded_numbers() -> None:
    r = RRandom(-2147483647)
    assert r.runif(2).tolist() == [0.56201667874120176, 0.57561779324896634]
    assert r.sample(5).tolist() == [1, 2, 5, 3, 4]
    r = RRandom(1)
    assert r.sample(10, 3).tolist() == [9, 4, 7]


@pytest.mark.clause("r_random.1")
def test_the_twister_is_the_one_of_numpy() -> None:
    numbers = RRandom(501).runif(200_000)
    twister = np.random.MT19937()
    key, value = [], 501
    for _ in range(51 + 624):
        value = (69069 * value + 1) % 2**32
        key.append(value)
    twister.state = {"bit_generator": "MT19937", "state": {"key": key[51:], "pos": 624}}
    np.testing.assert_array_equal(numbers, twister.random_raw(200_000) / 2**32)


WHOLE = "expected a whole number from"
SEED = "expected a whole number from -2147483647 to 2147483647"
ONE_DIMENSION = "expected whole numbers in one dimension"


@pytest.mark.parametrize(
    ("call", "fragments"),
    [
        (lambda: RRandom(2**31), ["seed=2147483648", SEED]),
        (lambda: RRandom(-(2**31)), ["seed=-2147483648", SEED]),
        (lambda: RRandom(1.0), ["seed=1.0", SEED]),
        (lambda: RRandom(float("nan")), ["seed=nan", SEED]),
        (lambda: RRandom(True), ["seed=True", SEED]),
        (lambda: RRandom(np.True_), ["seed=np.True_", SEED]),
        (lambda: RRandom("1"), ["seed='1'", SEED]),
        (lambda: RRandom(None), ["seed=None", SEED]),
        (lambda: RRandom(1).runif(-1), ["n=-1", "expected a whole number of 0 or more"]),
        (lambda: RRandom(1).runif(2.0), ["n=2.0", "expected a whole number of 0 or more"]),
        (lambda: RRandom(1).sample(0), ["n=0", WHOLE, "1 to 10000000"]),
        (lambda: RRandom(1).sample(4 * 10**18, 2), ["n=4000000000000000000", WHOLE]),
        (lambda: RRandom(1).sample(10_000_001, 2), ["n=10000001", WHOLE]),
        (lambda: RRandom(1).sample(5.0), ["n=5.0", WHOLE]),
        (lambda: RRandom(1).sample(np.int64(5), np.int64(6)), ["size=6", f"{WHOLE} 0 to 5"]),
        (lambda: RRandom(1).sample(5, -1), ["size=-1", f"{WHOLE} 0 to 5"]),
        (lambda: samples([1], 5, None), ["size=None", WHOLE]),
        (lambda: samples([1], 5, 6), ["size=6", WHOLE]),
        (lambda: samples([1], 0, 0), ["n=0", WHOLE]),
        (lambda: samples([1.0], 5, 2), ["shape (1,) and type float64", ONE_DIMENSION]),
        (lambda: samples([], 5, 2), ["shape (0,) and type float64", ONE_DIMENSION]),
        (lambda: samples([True], 5, 2), ["type bool", ONE_DIMENSION]),
        (lambda: samples([[1]], 5, 2), ["shape (1, 1)", ONE_DIMENSION]),
        (lambda: samples(1, 5, 2), ["shape ()", ONE_DIMENSION]),
        (lambda: samples([0, 2**31], 5, 2), ["seeds[1]=2147483648", SEED]),
        (lambda: samples([-(2**31), 1], 5, 2), ["seeds[0]=-2147483648", SEED]),
        (lambda: samples(np.array([2**64 - 1], np.uint64), 5, 2), ["seeds[0]=1844674407370955"]),
    ],
)
def test_bad_input(call: Callable[[], object], fragments: list[str]) -> None:
    with pytest.raises(RRandomError) as refused:
        call()
    assert isinstance(refused.value, CdfscoreError)
    assert "\n" not in str(refused.value)
    for fragment in fragments:
        assert fragment in str(refused.value)
