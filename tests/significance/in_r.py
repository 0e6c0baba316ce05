"""Results of a test in R on many samples in one call, and beside those of Python."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cdfscore.r.analysis import SIGNIFICANCE, DrawsFile
from cdfscore.r.session import ROWS, RSession, twin_of
from cdfscore.stats.numerics.types import Array, IntArray
from cdfscore.stats.significance.contract import (
    QUANTITIES,
    Draws,
    SignificanceTest,
    Sizes,
    TestResult,
)


@dataclass(frozen=True)
class InR:
    """The numbers of R by quantity, NaN if missing, and its error message or ""."""

    numbers: dict[str, Array]
    stopped: list[str]


def in_own_unit(session: RSession, function: Any, in_unit: tuple[str, ...]) -> Any:
    """Return a function of scores, whose settings and numbers in their unit have these names."""
    return session.function("in_own_unit", SIGNIFICANCE)(function, session.strings(in_unit))


def twin_in_r(session: RSession, test: SignificanceTest[Any]) -> Any:
    """Return the function of a test's twin, of scores in a unit that suits them."""
    twin = session.function_of(twin_of(test), "significance_test")
    return twin if test.in_unit is None else in_own_unit(session, twin, test.in_unit)


@contextmanager
def draws_in_r(
    session: RSession, test: SignificanceTest[Any], draws: Mapping[Sizes, Draws]
) -> Iterator[dict[str, Any]]:
    """Yield the argument ``draws`` for the twin of a test that draws, nothing for other tests."""
    if test.drawn is None:
        yield {}
        return
    with tempfile.TemporaryDirectory() as folder:
        file, path = DrawsFile(by_sizes(draws)), Path(folder, "draws")
        file.write(path)
        code = f"found <- {file.code(file.draws)}"
        session.function("draws_from", ROWS.with_name("draws.R"))
        given = {
            "draws": session.strings([str(path)]),
            "draws_from": session.function("draws_from"),
        }
        yield {"draws": session.evaluated(code, given)["found"]}


def by_sizes(draws: Mapping[Sizes, Draws]) -> dict[str, Draws]:
    """Return the draws of a test by the sizes of samples as R writes them, such as "249 x 110"."""
    return {" x ".join(map(str, sizes)): each for sizes, each in draws.items()}


def rows_in_r(
    session: RSession,
    test: SignificanceTest[Any],
    settings: dict[str, Any],
    x: Array,
    y: Array | None = None,
) -> InR:
    """Return R's results for each row of x, or of x and y."""
    n, n_y = _counts(test, x, x if y is None else y)
    draws = test.random_draws(settings, test.sizes(n, n_y, x.shape[::-1]))
    with draws_in_r(session, test, draws) as drawn:
        found = session.function("test_rows", SIGNIFICANCE)(
            twin_in_r(session, test),
            session.matrix(x),
            session.rinterface.NULL if y is None else session.matrix(y),
            session.as_list({**settings, **drawn}),
            session.strings(QUANTITIES),
        )
    return _in_r(session, found)


def matrix_in_r(
    session: RSession,
    test: SignificanceTest[Any],
    settings: dict[str, Any],
    scores: Array,
    first: IntArray | None = None,
    second: IntArray | None = None,
) -> InR:
    """Return R's results for a matrix (topics, systems), or for pairs of its columns."""
    null = session.rinterface.NULL
    none = np.array([], dtype=np.int64)
    draws = test.random_draws(settings, test.sizes(none, none, scores.shape))
    with draws_in_r(session, test, draws) as drawn:
        found = session.function("test_matrix", SIGNIFICANCE)(
            twin_in_r(session, test),
            session.matrix(scores),
            null if first is None else session.vector(np.asarray(first + 1, dtype=np.float64)),
            null if second is None else session.vector(np.asarray(second + 1, dtype=np.float64)),
            session.as_list({**settings, **drawn}),
            session.strings(QUANTITIES),
        )
    return _in_r(session, found)


def _counts(test: SignificanceTest[Any], x: Array, y: Array) -> tuple[IntArray, IntArray]:
    """Return the numbers of scores of x and of y in each row."""
    in_x, in_y = ~np.isnan(x), ~np.isnan(y)
    if test.samples == "paired":
        in_x = in_y = in_x & in_y
    return in_x.sum(axis=1), in_y.sum(axis=1)


def _in_r(session: RSession, found: Any) -> InR:
    numbers = np.atleast_2d(session.array(found))
    # NA of R is a signaling NaN, for which NumPy warns in every operation.
    numbers = np.where(np.isnan(numbers), np.nan, numbers)
    return InR(dict(zip(QUANTITIES, numbers.T, strict=True)), list(found.do_slot("stopped")))


def assert_as_in_r(
    test: SignificanceTest[Any],
    result: TestResult,
    found: InR,
    rows: Array | slice = slice(None),
    quantities: tuple[str, ...] = (),
) -> None:
    """Fail unless each number is within its tolerance of R's; NaN equals NaN."""
    for name in quantities or QUANTITIES:
        tolerance = test.tolerances[name]
        theirs = np.atleast_1d(found.numbers[name])
        ours, terms = (
            np.atleast_1d(values) for values in (getattr(result, name), result.terms(name))
        )
        assert ours.shape == theirs.shape, f"{test.name}.{name}: {ours.shape}, R {theirs.shape}"
        ours, terms = ours[rows], terms[rows]
        distance = tolerance.distance(ours, theirs[rows], terms)
        assert distance.size, f"{test.name}.{name}: nothing is compared"
        worst = int(distance.argmax())
        assert distance.max() <= tolerance.ulp, (
            f"{test.name}.{name}: {ours[worst]!r}, R {theirs[rows][worst]!r}, {distance[worst]} ulp"
        )
