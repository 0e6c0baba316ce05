"""Scores far from 0: R's numbers are ours, though parameters have fewer digits there."""

import numpy as np
import pandas as pd
import pytest

from tests.verified import verify

pytestmark = pytest.mark.usefixtures("rinterface")


@pytest.mark.parametrize("power", [10, 20, 40])
@pytest.mark.parametrize(
    "scheme",
    [
        "from_scipy",
        "from_scipy:dist=t",
        "johnson_su",
        "kernel",
        "logspline",
        "mixture",
        "normal",
        "uniform",
        "z",
    ],
)
def test_every_scheme_agrees(scheme: str, power: int, *, long: bool) -> None:
    steps = np.random.default_rng(7).permutation(1024)[:80].reshape(8, 10) / 1024
    signs = np.where(np.arange(8) % 2, 1.0, -1.0)[:, np.newaxis]
    scores = pd.DataFrame(steps + signs * 2.0**power, columns=list("abcdefghij"))
    topics = 8 if long else 2  # one on each side of 0
    assert verify(scores[:topics], scheme)["agrees"].all()
