"""The kernel and the bandwidth rule keep their contracts, and R computes the same."""

from __future__ import annotations

from cdfscore import Standardizer, datasets, verify
from cdfscore.testing import check_bandwidth, check_kernel


def test_kernel() -> None:
    check_kernel("student")


def test_bandwidth() -> None:
    check_bandwidth("diffusion")


def test_cdfscore_knows_both_by_their_names() -> None:
    scheme = "kernel:bandwidth=diffusion,kernel=student,boundary=reflection"
    result = Standardizer(scheme).standardize(datasets.load_cranfield("ap").iloc[:10])
    assert verify(result).agrees.all()
