"""power_t: R's numbers, both ways round, and what is refused."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cdfscore.stats.power
from cdfscore.errors import SignificanceError
from cdfscore.r.session import RSession
from cdfscore.stats.power import power_t

TWIN = Path(cdfscore.stats.power.__file__).with_name("power_t.R")
NAMES = ("n", "delta", "sd", "sig_level", "power")
KINDS = list(
    product(["two_sample", "one_sample", "paired"], ["two-sided", "one-sided"], [False, True])
)


def in_r(r: RSession, settings: dict[str, Any]) -> dict[str, float]:
    found = r.function_of(TWIN, "power_test")(
        *(r.as_list(settings)[i] for i in range(len(settings)))
    )
    return {name: float(value[0]) for name, value in zip(NAMES, found, strict=True)}


@pytest.mark.clause("power_t.1", "power_t.2")
@pytest.mark.one_in(3)
@pytest.mark.parametrize(("type", "alternative", "strict"), KINDS)
@pytest.mark.parametrize("unknown", NAMES)
def test_parity_with_r(
    r: RSession, type: Any, alternative: Any, strict: bool, unknown: str
) -> None:
    for n, delta, sd, sig_level in [(10, 0.1, 0.12, 0.05), (50, 0.03, 0.2, 0.01), (249, 1, 7, 0.1)]:
        kind: Any = {"type": type, "alternative": alternative, "strict": strict}
        power = power_t(n, delta, sd, sig_level, **kind).power
        values: dict[str, Any] = dict(zip(NAMES, (n, delta, sd, sig_level, power), strict=True))
        true = values[unknown]
        values[unknown] = None
        ours = getattr(power_t(**values, **kind), unknown)
        assert ours == pytest.approx(true, rel=1e-9)
        theirs = in_r(r, {**values, **kind})[unknown]
        assert ours == pytest.approx(theirs, rel=1e-10 if unknown == "power" else 1e-8)


@pytest.mark.clause("power_t.2")
@pytest.mark.parametrize(
    ("settings", "rel"),
    [
        (
            {"n": 54, "delta": 0.87, "sd": 0.99, "power": 0.7266596, "alternative": "one-sided"},
            1e-6,
        ),
        # far below 1e-10: uniroot's tolerance of 1e-13 leaves R no digit but the size
        ({"n": 67, "delta": 0.85, "sd": 0.643, "power": 0.875, "strict": True}, 1.0),
    ],
)
def test_a_tiny_level(r: RSession, settings: dict[str, Any], rel: float) -> None:
    kind: Any = {"type": "paired", **settings}
    found = power_t(sig_level=None, **kind)
    power = power_t(**{**kind, "sig_level": found.sig_level, "power": None}).power
    assert power == pytest.approx(settings["power"], rel=1e-12)
    defaults = {"type": "paired", "alternative": "two-sided", "strict": False}
    values: dict[str, Any] = dict.fromkeys(NAMES) | defaults | settings
    assert found.sig_level == pytest.approx(in_r(r, values)["sig_level"], rel=rel, abs=0)


@pytest.mark.clause("power_t.1")
def test_the_sign_of_delta_matters_to_one_sided_tests_only() -> None:
    assert power_t(30, -0.5).power == power_t(30, 0.5).power
    one_sided: Any = {"alternative": "one-sided"}
    assert power_t(30, -0.5, **one_sided).power < 0.05 < power_t(30, 0.5, **one_sided).power


@pytest.mark.clause("power_t.2")
@pytest.mark.parametrize(
    ("settings", "fragment"),
    [
        ({}, "n, delta, power are None"),
        ({"n": 10, "delta": 1, "power": 0.5}, "no quantity is None"),
        ({"n": 1, "delta": 1}, "n=1 is not accepted; expected a number of 2 or more"),
        ({"n": 10, "delta": np.inf}, "delta=inf is not accepted"),
        ({"n": 10, "delta": 1, "sd": 0}, "sd=0 is not accepted"),
        ({"n": 10, "delta": 1, "sig_level": 1}, "sig_level=1 is not accepted"),
        ({"n": 10, "power": 1.5}, "power=1.5 is not accepted"),
        ({"n": "10", "delta": 1}, "n='10' is not accepted"),
        ({"n": 10, "delta": 1, "type": "two.sample"}, "one of two_sample, one_sample, paired"),
        ({"n": 10, "delta": 1, "alternative": "less"}, "one of two-sided, one-sided"),
        ({"delta": 0.0, "power": 0.8}, "no n from 2 to 1e\\+07 gives the power 0.8"),
        ({"delta": 100, "power": 0.1}, "no n from 2"),
        ({"n": 10, "sd": None, "delta": 0.0, "power": 0.8}, "the same power for every sd"),
    ],
)
def test_what_is_refused(settings: dict[str, Any], fragment: str) -> None:
    with pytest.raises(SignificanceError, match=fragment):
        power_t(**settings)


@pytest.mark.clause("power_t.1")
def test_power_is_how_often_a_test_rejects() -> None:
    from scipy import stats

    x, y = np.random.default_rng(4).normal([[[0.2]], [[0.0]]], 0.5, (2, 20_000, 25))
    error = 4 * 0.5 / 20_000**0.5
    for strict, greater in ((True, False), (False, True)):
        design: Any = {"n": 25, "delta": 0.2, "sd": 0.5, "strict": strict}
        for kind, found in (
            ("paired", stats.ttest_1samp(x, 0, axis=1)),
            ("two_sample", stats.ttest_ind(x, y, axis=1)),
        ):
            rejected = (found.pvalue <= 0.05) & ((found.statistic > 0) | (not greater))
            assert rejected.mean() == pytest.approx(power_t(**design, type=kind).power, abs=error)
