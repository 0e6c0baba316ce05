"""How far each number of a test may be from R, written down once."""

from __future__ import annotations

import re

import pytest

from cdfscore.effect_size.registry import effect_sizes
from cdfscore.errors import SignificanceError
from cdfscore.numerics.tolerance import Tolerance
from cdfscore.numerics.types import Array
from cdfscore.significance.contract import Rows, one_sample, paired
from cdfscore.significance.registry import significance_tests

# A number of every test, or that of one: ulp and floor.
RECORD: dict[str, tuple[float, float]] = {
    "estimate": (450, 2**-10),
    "stderr": (450, 0),
    "conf_low": (450_000, 2**-10),
    "conf_high": (450_000, 2**-10),
    "statistic": (450, 2**-10),
    "parameter": (450, 0),
    "p_value": (450_000, 1e-297),
    "p_adjusted": (450_000, 1e-297),
    "tukey_hsd.statistic": (4500, 0),
    "tukey_hsd.stderr": (4500, 0),
    "anova_two_way.statistic": (4500, 2**-10),
    "dunnett.conf_low": (2e7, 0),
    "dunnett.conf_high": (2e7, 0),
    "kendall.p_value": (450_000, 2**-10),
    "kendall.statistic": (450, 2**-6),
    "kolmogorov_smirnov.p_value": (450_000, 2**-10),
    "kolmogorov_smirnov.statistic": (450, 1),
    "pearson.statistic": (450, 2**-4),
    "spearman.statistic": (450, 2**16),
    "spearman.p_value": (450_000, 1e-12),
}
OF_EFFECTS = {"estimate": (4500, 0), "conf_low": (450_000, 0), "conf_high": (450_000, 0)}


@pytest.mark.parametrize("name", significance_tests.names())
def test_what_a_test_is_allowed_is_what_is_written_down(name: str) -> None:
    stated: dict[str, Tolerance] = significance_tests.load(name).tolerances
    assert stated.keys() == {number for number in RECORD if "." not in number}
    for number, found in stated.items():
        expected = RECORD.get(f"{name}.{number}", RECORD[number])
        assert (found.ulp, found.floor) == expected, number
        assert len(found.reason) > 10


def test_what_is_written_down_is_of_a_test() -> None:
    assert {key.split(".")[0] for key in RECORD if "." in key} <= set(significance_tests.names())


@pytest.mark.parametrize("name", effect_sizes.names())
def test_what_an_effect_size_is_allowed_is_what_is_written_down(name: str) -> None:
    stated: dict[str, Tolerance] = effect_sizes.load(name).tolerances
    assert {number: (t.ulp, t.floor) for number, t in stated.items()} == OF_EFFECTS


def mean_of(x: Array) -> Rows:
    return Rows(statistic=x.mean(axis=1), p_value=1.0)


def test_a_test_states_its_own() -> None:
    stated = Tolerance(2e6, "R subtracts from 1", floor=2**-10)
    test = one_sample(source="none", tolerances={"p_value": stated})(mean_of)
    assert test.tolerances["p_value"] is stated
    assert test.tolerances["statistic"].ulp == 450
    assert one_sample(source="none")(mean_of).tolerances["p_value"].ulp == 450_000


@pytest.mark.parametrize(
    ("stated", "sentence"),
    [
        (
            {"p": Tolerance(2e6, "R subtracts from 1")},
            "mean_of: a tolerance is stated for 'p'; expected one of estimate, stderr,",
        ),
        ({"p_value": Tolerance(2e6, "")}, "mean_of: the tolerance of p_value has no reason;"),
    ],
)
def test_a_tolerance_of_nothing_or_without_a_reason_is_refused(
    stated: dict[str, Tolerance], sentence: str
) -> None:
    with pytest.raises(SignificanceError, match=f"^{re.escape(sentence)}"):
        paired(source="none", tolerances=stated)(mean_of)  # type: ignore[arg-type]
