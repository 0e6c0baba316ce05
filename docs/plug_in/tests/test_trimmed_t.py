"""Yuen's test keeps the contract of a test, and R computes the same."""

from __future__ import annotations

import pytest
from cdfscore import compare, datasets, parse_test
from cdfscore.errors import SignificanceError
from cdfscore.testing import check_test

from cdfscore_plug_in import trimmed_t


@pytest.mark.parametrize("spelled", ["trimmed_t", "trimmed_t:trim=0.1,alternative=less"])
def test_contract(spelled: str) -> None:
    check_test(parse_test(spelled), in_r=True)


def test_known_value() -> None:
    # 1 and 100 are left out of x, and the winsorized differences are -1, -1, 0, 1, 1.
    found = trimmed_t([1.0, 2.0, 3.0, 4.0, 100.0], [3.0, 3.0, 3.0, 3.0, 3.0])
    assert (found.estimate, found.parameter) == (0, 2)
    assert float(found.stderr) == pytest.approx((4 / 6) ** 0.5, rel=1e-15)


def test_tables_have_trimmed_means() -> None:
    found = compare(datasets.load_cranfield("ap").iloc[:, :3], "trimmed_t:trim=0.1")
    a, b = (found.means.loc[name, "raw"] for name in found.means.index[:2])
    assert found.table["estimate"][0] == pytest.approx(a - b, rel=1e-12)


def test_bad_setting() -> None:
    with pytest.raises(SignificanceError, match="^trimmed_t: trim=0.5 is not accepted; expected"):
        trimmed_t([1.0, 2.0], [3.0, 3.0], trim=0.5)
