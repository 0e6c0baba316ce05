"""The Laplace distribution keeps the contract of a scheme, and R computes the same."""

from __future__ import annotations

import math

import pytest
from cdfscore import Standardizer, datasets, parse_scheme, scheme_names
from cdfscore.errors import SchemeError
from cdfscore.testing import check_distribution, check_twin

from cdfscore_plug_in import Laplace


@pytest.mark.parametrize("scheme", [Laplace(), Laplace(centre="mean")])
def test_contract(scheme: Laplace) -> None:
    check_distribution(scheme)


@pytest.mark.parametrize("scheme", [Laplace(), Laplace(centre="mean")])
def test_twin(scheme: Laplace) -> None:
    check_twin(scheme)


def test_known_value() -> None:
    # The median of 1, 2, 6 is 2 and the mean distance to it 5/3.
    found = Laplace().fit([1.0, 2.0, 6.0])([2.0, 6.0, -3.0])
    expected = [0.5, 1 - math.exp(-2.4) / 2, math.exp(-3) / 2]
    assert found.tolist() == pytest.approx(expected, rel=1e-15)


def test_cdfscore_knows_it_by_its_name() -> None:
    assert "laplace" in scheme_names()
    assert parse_scheme("laplace:centre=mean") == Laplace(centre="mean")
    y = Standardizer("laplace").fit_transform(datasets.load_cranfield("ap"))
    assert y.to_numpy().min() > 0


def test_bad_setting() -> None:
    with pytest.raises(SchemeError, match="^laplace: centre=mode is not accepted; expected 'med"):
        Laplace(centre="mode")  # type: ignore[arg-type]
