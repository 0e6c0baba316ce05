"""Compilation ahead of what the tests would compile: ``python -m tests.compiled_ahead``."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.errors import CdfscoreError, CdfscoreWarning
from cdfscore.stats.numerics.types import Array

if TYPE_CHECKING:
    import pandas as pd

# Topics and systems that are enough for everything to be called.
_TOPICS, _SYSTEMS = 12, 8
# The dearest first: two processes then end at about the same time.
_PARTS: dict[str, Callable[[], None]] = {}


def main() -> None:
    """Call every scheme, every test and an experiment once, in two processes."""
    with ProcessPoolExecutor(2) as pool:
        list(pool.map(_run, _PARTS))


def _run(part: str) -> None:
    from cdfscore.stats.numerics import compiled as blocks

    blocks._so_far = 1 << 60  # also what few scores do without
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CdfscoreWarning)  # of numbers that no one sees
        _PARTS[part]()


def _part(function: Callable[[], None]) -> Callable[[], None]:
    _PARTS[function.__name__] = function
    return function


@_part
def _logspline() -> None:
    _fit("logspline")


@_part
def _schemes() -> None:
    from cdfscore.stats.schemes.base import schemes

    needed = {"from_scipy": "from_scipy:dist=gumbel_r", "beta_binomial": "beta_binomial:size=20"}
    for name in schemes.names():
        if name != "logspline":
            _fit(needed.get(name, name))


@_part
def _kernels() -> None:
    from scipy.special import ndtr

    from cdfscore.stats.schemes.bandwidths import RULES
    from cdfscore.stats.schemes.kernel import BOUNDARIES, KERNELS, smoothing_kernel

    for rule in RULES:
        _fit(f"kernel:bandwidth={rule}")

    @smoothing_kernel(sd=1.0)
    def own(u: Array) -> Array:
        return np.asarray(ndtr(u))

    for kernel, boundary in product(KERNELS, BOUNDARIES):
        _fit(f"kernel:kernel={kernel},boundary={boundary}")


@_part
def _many_scores() -> None:
    """Call what is compiled for many scores alone."""
    from cdfscore.stats.numerics.compiled import MANY
    from cdfscore.stats.numerics.eighty_bits.rows import RunningSums
    from cdfscore.stats.numerics.moments import (
        mean,
        mean_and_sd,
        mean_of_two_doubles,
        single_pass_mean,
        total,
    )
    from cdfscore.stats.schemes import Empirical, Normal

    scores = np.arange(MANY + 1.0).reshape(1, -1)
    # Halves between two doubles, so that R's additions are repeated one by one.
    halves = np.tile([2.0**53, 1.0, -(2.0**53), 2.0**-60], MANY // 4 + 1).reshape(1, -1)
    for each in _twice(scores):
        for function in (total, single_pass_mean, mean, mean_of_two_doubles):
            function(each)
        for scheme in (Normal(), Empirical()):
            scheme.fit(each)(each)
    for each in _twice(halves):
        for function in (total, single_pass_mean, mean):
            function(each)
        mean_and_sd(each)
    RunningSums(1).add(scores.T)


@_part
def _tests() -> None:
    from cdfscore.comparison.comparison import compare
    from cdfscore.comparison.correlation import correlate
    from cdfscore.stats.significance.contract import significance_tests

    scores = _scores().iloc[:, :_SYSTEMS]
    correlate(scores, scores[::2], scheme="empirical")
    for name in significance_tests.names():
        with suppress(CdfscoreError):  # a test with a setting that has no default, or of one sample
            compare(scores, name, baselines=scores.columns[0])
        with suppress(CdfscoreError):  # or of all pairs
            compare(scores, name)
    compare(scores.round(1), "mann_whitney:exact=True")  # with ties


@_part
def _diagnosis_and_trials() -> None:
    from cdfscore.diagnosis import diagnose
    from cdfscore.experiments import Between, Within, run_trials, standardized

    scores = _scores()
    diagnose(scores.iloc[:, :_SYSTEMS], ["normal"], bootstrap=19)
    for experiment in (Within, Between):
        run_trials(experiment(standardized(scores, {"E-std": "empirical"}), size=5), 1)


def _fit(spelling: str) -> None:
    """Fit a scheme, and call what it has; a setting may be refused for another, or these scores."""
    from cdfscore.stats.schemes.base import Distribution, parse_scheme

    with suppress(CdfscoreError):
        scheme = parse_scheme(spelling)
        scores = 0.05 + 0.9 * _scores().to_numpy()
        if scheme.grid is not None:
            scores = (scores / scheme.grid).round() * scheme.grid
        for each in _twice(scores):
            fitted = scheme.fit(each)
            y = fitted(each)
            if isinstance(scheme, Distribution):
                fitted.crps(each)
                fitted.quantile(y[:, :2].clip(0.1, 0.9))


def _twice(scores: Array) -> tuple[Array, Array]:
    """Return the scores as arrays that may be written to, and read only: two types to numba.

    pandas gives the second.
    """
    fixed = scores.copy()
    fixed.setflags(write=False)
    return scores.copy(), fixed


def _scores() -> pd.DataFrame:
    from cdfscore.datasets import load_cranfield

    return load_cranfield("ap")[:_TOPICS]


if __name__ == "__main__":
    main()
