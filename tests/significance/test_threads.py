"""The same numbers with one thread and with two, in BLAS and in our own pool."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
import os
os.cpu_count = lambda: int(os.environ["OPENBLAS_NUM_THREADS"])
os.sched_getaffinity = lambda process: range(os.cpu_count())
import numpy as np
from cdfscore.stats.significance.contract import significance_tests
from cdfscore.stats.significance.contract import PairsTogether, TwoSamples
scores = np.random.default_rng(3).beta(1, 2, (120, 24)).round(4)
scores[:, 5] = scores[:, 4]
first, second = np.triu_indices(24, 1)
for name in significance_tests.names():
    test = significance_tests.load(name)
    if isinstance(test, TwoSamples | PairsTogether):
        one_baseline = isinstance(test, PairsTogether) and test.one_baseline
        settings = {**test.example, **({"B": 500} if test.draws else {})}
        pairs = (second[:23], first[:23]) if one_baseline else (first, second)
        found = test.over_pairs(scores, *pairs, **settings)
        numbers = (found.statistic, found.p_value, found.conf_low, found.conf_high)
        print(name, *(np.asarray(n).tobytes().hex() for n in numbers))
"""
THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "OMP_NUM_THREADS")


def run(threads: int) -> list[str]:
    environment = {**os.environ, **dict.fromkeys(THREADS, str(threads))}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


@pytest.mark.clause("test.3", "test.10")
def test_threads_change_no_number() -> None:
    one, two = run(1), run(2)
    assert len(one) > 15
    for alone, together in zip(one, two, strict=True):
        assert alone == together, alone.split()[0]
