"""Compiled code and plain Python, by ``NUMBA_DISABLE_JIT=1``, give the same bits."""

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cdfscore.comparison.comparison import compare
from cdfscore.diagnosis.criteria import statistics
from cdfscore.errors import CdfscoreError, CdfscoreWarning
from cdfscore.experiments import Between, Within, run_trials, standardized
from cdfscore.stats.numerics import compiled as blocks
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.r_random import RRandom
from cdfscore.stats.schemes.bandwidths import RULES
from cdfscore.stats.schemes.base import Distribution, parse_scheme, schemes
from cdfscore.stats.schemes.kernel import BOUNDARIES, KERNELS
from cdfscore.stats.significance.contract import significance_tests

SCHEMES = [
    *(name for name in schemes.names() if name not in ("beta_binomial", "from_scipy", "kernel")),
    "beta_binomial:size=20",
    "kumaraswamy:ends=shrink",
    "logspline:low=0,high=1",
    *(f"zero_inflated:family={family}" for family in ("beta", "gamma", "truncated_normal")),
    *(f"kernel:bandwidth={rule}" for rule in RULES),
    *(f"kernel:kernel={kernel}" for kernel in KERNELS),
    *(f"kernel:boundary={boundary}" for boundary in BOUNDARIES),
]
TESTS = [
    f"{name}:margin=0.05" if name == "equivalence_t" else name
    for name in significance_tests.names()
    if name != "one_sample_t"
]
OTHERS = ["within", "between", "distances", "random numbers"]
MEMBERS = [*SCHEMES, *TESTS, *OTHERS]


def topics(times: int) -> Iterator[Array]:
    """Yield random, tied, tiny and extreme topics, each kind once or twice."""
    random = np.random.default_rng(44)
    for k in range(times):
        n = int(random.integers(10, 20))
        uniform = random.uniform(size=n)
        yield uniform
        yield random.beta(2, 5, n).round(1 + k % 2)
        yield random.lognormal(0, 3, n) / 1e3
        yield uniform * 10.0 ** random.integers(-308, 300)
        yield 10.0 ** -random.uniform(1, 320, n)
        yield 1 - 10.0 ** -random.uniform(1, 17, n)
        yield random.uniform(0.3, 0.3001, n)
        yield np.append(np.full(n, 0.5), np.nextafter(0.5, 1 - k))
        yield np.append(0.1 + uniform / 10, [1e-12, 0.999999, 1 - 1e-15])


def found(member: str, times: int) -> Iterator[object]:
    """Yield arrays, whose bits count, and texts, what went wrong among them."""
    if member in SCHEMES:
        scheme = parse_scheme(member)
        for topic in topics(times):
            if scheme.grid is not None:
                topic = (topic / scheme.grid).round() * scheme.grid
            ends = [0.0, 1.0, 1e-300, 1e300, -1e300, np.nan]
            at = np.concatenate([topic, np.linspace(topic.min(), 1.5 * topic.max(), 5), ends])
            try:
                fitted = scheme.fit(topic)
                yield from fitted.parameters.values()
                yield fitted(at)
                if isinstance(scheme, Distribution):
                    yield fitted.quantile(np.array([1e-12, 0.01, 0.3, 0.5, 0.9, 0.999999]))
                    yield fitted.crps(topic)
            except (CdfscoreError, ArithmeticError, ValueError) as error:
                yield str(error)
        return

    random = np.random.default_rng(4)
    scores = pd.DataFrame(random.beta(2, 3, (12, 4)).round(2), columns=list("abcd"))
    if member in TESTS:
        resampled = "B" in significance_tests.load(member.partition(":")[0]).setting_names
        for given in ({}, {"baselines": "a"}):
            try:
                yield repr(compare(scores, member + ":B=99" * resampled, **given))
            except (CdfscoreError, ArithmeticError, ValueError) as error:
                yield str(error)
    elif member in ("within", "between"):
        experiment = Within if member == "within" else Between
        both = standardized(scores, {"raw": "raw", "E-std": "empirical"})
        yield repr(run_trials(experiment(both, size=5), 3))
    elif member == "distances":
        center = np.sort(random.uniform(size=(500, 9)))
        yield statistics(np.clip(center - 0.1, 0, 1), np.clip(center + 0.1, 0, 1))
    else:
        yield RRandom(3).runif(20)


def bits(member: str, times: int) -> str:
    digest = sha256()
    with pytest.MonkeyPatch.context() as context, warnings.catch_warnings():
        warnings.simplefilter("ignore", CdfscoreWarning)
        context.setattr(blocks, "_so_far", 1 << 60)  # nothing by NumPy because it is small
        for each in found(member, times):
            digest.update(each.tobytes() if isinstance(each, np.ndarray) else repr(each).encode())
    return digest.hexdigest()


@pytest.fixture(scope="module")
def times(*, long: bool) -> int:
    return 2 if long else 1


@pytest.fixture(scope="module")
def plain(times: int) -> dict[str, str]:
    """Bits of all members without compiled code."""
    done = subprocess.run(
        [sys.executable, "-m", __name__, str(times)],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("member", MEMBERS)
def test_same_bits(member: str, times: int, plain: dict[str, str]) -> None:
    assert bits(member, times) == plain[member]


if __name__ == "__main__":
    print(json.dumps({member: bits(member, int(sys.argv[1])) for member in MEMBERS}))
