"""Recovery on fewer topics than ``make validate`` has, of families that are quickly fitted."""

from __future__ import annotations

import pytest

from validation.diagnosis.laws import FAMILIES, LAWS, Law
from validation.diagnosis.page import text
from validation.diagnosis.recovery import recover

QUICK = [family for family in FAMILIES if family.partition(":")[0] not in ("mixture", "johnson_su")]
# The last setting of each: the families that no other imitates win there.
SETTINGS = {law.scheme: law for law in LAWS if law.scheme in QUICK}
APART = ("truncated_normal", "exponential", "zero_inflated", "beta_binomial")


@pytest.mark.parametrize("law", SETTINGS.values(), ids=SETTINGS.keys())
def test_true_families_are_found_and_not_rejected_too_often(law: Law) -> None:
    found = recover(law, QUICK, topics=6, systems=50, resamples=39)
    assert found.fitted[law.scheme] > 0.8
    assert found.near >= 0.5
    assert (found.rejected[law.scheme] <= 0.5).all()  # 4 of 6, once in 10,000 times
    if law.scheme in APART:
        assert found.picks.loc["aic", law.scheme] >= 0.5


def test_calibration_of_the_normal() -> None:
    found = recover(LAWS[0], ["normal"], topics=200, systems=50)
    assert found.calibrated
    assert found.tested["normal"] == 200


def test_the_page_has_a_row_for_each_family() -> None:
    found = [recover(law, ["normal", "exponential"], topics=3, systems=20) for law in LAWS[:2]]
    page = text(found, found, claims={})
    assert page.count("\n| normal |") == 8
    assert "\n## 20 systems\n" in page
