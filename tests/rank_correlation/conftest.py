"""Pairs of rankings, from no ties to nearly all tied, and R."""

from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from cdfscore.r.session import RSession
from cdfscore.stats import rank_correlation
from cdfscore.stats.numerics.types import Array

FOLDER = Path(rank_correlation.__file__).parent
#: How many values there are to choose from; None for no ties.
LEVELS = (None, 2, 3, 6)


def tied(values: Array, levels: int | None) -> Array:
    if levels is None:
        return values
    return np.floor((values - values.min()) / np.ptp(values) * levels * 0.999) / levels


@pytest.fixture(scope="session")
def pairs() -> Callable[..., Iterator[tuple[Array, Array]]]:
    """Return a function that yields pairs of n = 2 up to `longest` values."""

    def draw(
        count: int, seed: int, *, longest: int = 25, ties_in_x: bool = True
    ) -> Iterator[tuple[Array, Array]]:
        random = np.random.default_rng(seed)
        for i in range(count):
            n = int(random.integers(2, longest + 1))
            x = random.normal(size=n)
            y = random.choice([-1, 0, 1]) * x + random.choice([0.1, 3]) * random.normal(size=n)
            scale = 10.0 ** random.integers(-8, 8)
            yield tied(x, LEVELS[i % 4] if ties_in_x else None) * scale, tied(y, LEVELS[i // 4 % 4])

    return draw


@pytest.fixture(scope="session")
def in_r(rinterface: ModuleType) -> Callable[..., float]:
    """Return a function that calls one of an R twin, as in_r("ap", "tau_ap", x, y, True)."""
    session = RSession()

    def call(file: str, name: str, x: Array, y: Array, *settings: bool) -> float:
        function = session.function(name, FOLDER / f"{file}.R")
        logical = (rinterface.BoolSexpVector([setting]) for setting in settings)
        return float(function(session.vector(x), session.vector(y), *logical)[0])

    return call
