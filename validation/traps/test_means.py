"""Trap: means, sums and variances in double precision."""

from __future__ import annotations

import numpy as np
import pytest

from cdfscore import datasets
from cdfscore.stats.numerics.moments import mean, mean_and_sd, single_pass_mean, total
from cdfscore.stats.numerics.types import Array
from validation.traps.r_functions import RFunctions

CRANFIELD = np.ascontiguousarray(datasets.load_cranfield("ap").to_numpy())
FOUR_DECIMALS = np.random.default_rng(4).integers(0, 10**4, (400, 50)) / 10**4
SAMPLES = pytest.mark.parametrize("rows", [CRANFIELD, FOUR_DECIMALS], ids=["cranfield", "decimals"])


def by_r(r: RFunctions, name: str, rows: Array) -> Array:
    return np.array([r.numbers(name, row).item() for row in rows])


@SAMPLES
def test_cdfscore_has_rs_bits(rows: Array, r: RFunctions) -> None:
    means, sds = mean_and_sd(rows)
    assert mean(rows)[:, 0].tolist() == means[:, 0].tolist() == by_r(r, "mean", rows).tolist()
    assert sds[:, 0].tolist() == by_r(r, "sd", rows).tolist()
    assert total(rows)[:, 0].tolist() == by_r(r, "sum", rows).tolist()
    assert single_pass_mean(rows)[:, 0].tolist() == by_r(r, "single_column_mean", rows).tolist()


@SAMPLES
def test_numpys_differ_in_the_last_bit(rows: Array, r: RFunctions) -> None:
    means, variances = by_r(r, "mean", rows), by_r(r, "var", rows)
    assert rows.mean(axis=1) == pytest.approx(means, rel=1e-14)
    assert rows.var(axis=1, ddof=1) == pytest.approx(variances, rel=1e-13)
    # 55 and 40 % of the means, 56 and 45 % of the variances, with NumPy 2.4 on x86.
    assert np.mean(rows.mean(axis=1) != means) == pytest.approx(0.48, abs=0.12)
    assert np.mean(rows.var(axis=1, ddof=1) != variances) == pytest.approx(0.50, abs=0.12)


def test_numpys_means_depend_on_the_order_in_memory() -> None:
    by_columns = np.asfortranarray(CRANFIELD)
    off = by_columns.mean(axis=1) != mean(CRANFIELD)[:, 0]
    assert np.mean(off) == pytest.approx(0.76, abs=0.1)
    assert mean(by_columns).tolist() == mean(CRANFIELD).tolist()


def test_one_pass_and_two_differ_for_few_samples(r: RFunctions) -> None:
    rows = np.random.default_rng(1).standard_normal((4000, 100))
    differ = np.flatnonzero(mean(rows) != single_pass_mean(rows))
    assert 0 < len(differ) < 80
    for row in rows[differ]:
        assert r.numbers("mean", row).item() == mean(row).item()
        assert r.numbers("single_column_mean", row).item() == single_pass_mean(row).item()


def test_tied_systems_may_be_untied_by_numpy() -> None:
    x = np.array([0.1, 0.7, 0.3, 0.9, 0.2, 0.4, 0.6, 0.8, 0.55])
    orders = [np.random.default_rng(seed).permutation(x) for seed in range(50)]
    assert len({order.mean() for order in orders}) > 1
    assert len({mean(order).item() for order in orders}) == 1
