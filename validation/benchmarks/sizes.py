"""How standardization grows with the scores, beside passes of NumPy.

``python -m validation.benchmarks --sizes`` prints this table alone. Both take turns in one process,
and the fastest turn of each counts. Peak memory is that of all arrays of our own, the scores
included, as a multiple of the scores.
"""

from __future__ import annotations

import json
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator

import numpy as np
from scipy.special import ndtr

from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes import Empirical, Normal, Uniform
from cdfscore.stats.schemes.base import Scheme
from validation.benchmarks.growth import process_lines

TITLE = "Fit and transform of scores of any number, 100 systems, both cores"
HEADINGS = ("", "scores", "ms", "ns per score", "NumPy ms", "ratio", "goal", "peak memory")
SIZES = (10**5, 10**6, 10**7, 10**8)
SYSTEMS = 100
# Seconds that the turns of a size take, about.
_SECONDS = 3.0


def numpy_normal(scores: Array) -> Array:
    mean = scores.mean(axis=1, keepdims=True)
    sd = scores.std(axis=1, ddof=1, keepdims=True)
    return np.asarray(ndtr((scores - mean) / sd))


#: What is timed, and beside what, with the ratio that is aimed at.
JOBS: dict[str, tuple[Scheme, Callable[[Array], Array], float]] = {
    "E-std beside numpy.sort(axis=1)": (Empirical(), lambda x: np.sort(x, axis=1), 5),
    "N-std beside NumPy and scipy.special.ndtr": (Normal(), numpy_normal, 1),
    "U-std beside numpy.mean(axis=1)": (Uniform(), lambda x: np.mean(x, axis=1), 3),
}


def rows() -> Iterator[tuple[str, ...]]:
    """Yield a row a scheme and size, as it is measured."""
    for label, (_, _, goal) in JOBS.items():
        for size in SIZES:
            ours, theirs = _of_process("times", label, size)
            (peak,) = _of_process("peak", label, size)
            yield (
                label,
                f"{size:,}",
                f"{1e3 * ours:.2f}",
                f"{1e9 * ours / size:.1f}",
                f"{1e3 * theirs:.2f}",
                f"{ours / theirs:.2f}",
                f"{goal:g}",
                f"{peak:.2f}",
            )


def _of_process(what: str, label: str, size: int) -> list[float]:
    *_, last = process_lines([sys.executable, "-m", __name__, what, label, str(size)])
    found: list[float] = json.loads(last)
    return found


def _times(label: str, scores: Array) -> list[float]:
    scheme, beside, _ = JOBS[label]
    both = (lambda: scheme.fit(scores)(scores), lambda: beside(scores))
    seconds = [[_seconds(run)] for run in both]  # loads libraries
    start = time.perf_counter()
    while time.perf_counter() - start < _SECONDS or len(seconds[0]) < 4:
        for run, own in zip(both, seconds, strict=True):
            own.append(_seconds(run))
    return [min(own) for own in seconds]


def _seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def _peak(label: str, size: int) -> list[float]:
    scheme = JOBS[label][0]
    few = _scores(10**5)
    scheme.fit(few)(few)  # loads libraries
    tracemalloc.start()  # NumPy reports its arrays
    scores = _scores(size)
    scheme.fit(scores)(scores)
    return [tracemalloc.get_traced_memory()[1] / scores.nbytes]


def _scores(size: int) -> Array:
    """Draw scores of four decimals, a part at a time, so that no copy of them counts."""
    rng = np.random.default_rng(size)
    scores = np.empty((size // SYSTEMS, SYSTEMS))
    for start in range(0, len(scores), 1000):
        part = scores[start : start + 1000]
        part[:] = rng.beta(0.8, 2.5, part.shape).round(4)
    return scores


if __name__ == "__main__":
    _what, _label, _size = sys.argv[1:]
    print(
        json.dumps(
            _peak(_label, int(_size)) if _what == "peak" else _times(_label, _scores(int(_size)))
        )
    )
