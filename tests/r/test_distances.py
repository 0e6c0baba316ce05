"""How far apart two numbers are, and what is allowed."""

import numpy as np
import pytest

from cdfscore.errors import VerificationError
from cdfscore.r.analysis import Quantity, compared, on_scores_apart
from cdfscore.stats.numerics.tolerance import Tolerance

EPS = 2.0**-52


def quantity(*rows: list[float]) -> Quantity:
    values = np.array(rows)
    topics, systems = (list("abcdef")[:size] for size in values.shape)
    return Quantity("y", topics, systems, values)


@pytest.mark.clause("verify.2")
def test_row_measures_each_kind_of_difference_where_it_is_largest() -> None:
    ours = quantity([0.5, 1e-300, 7.0], [2.0, np.nan, np.inf])
    theirs = quantity([0.5, 1e-300 * (1 + 8 * EPS), 7.0 + 4 * EPS * 4], [2.0, np.nan, np.inf])
    row = compared(ours, theirs, Tolerance(7, "a test"))
    assert row["count"] == 5
    assert row["max_abs"] == 16 * EPS
    assert row["max_rel"] == pytest.approx(8 * EPS, rel=1e-9)
    assert 7 < row["max_ulp"] <= 16
    assert (row["topic"], row["system"], row["python"]) == ("a", "b", 1e-300)
    assert not row["agrees"]
    assert compared(ours, theirs, Tolerance(16, "a test"))["agrees"]


@pytest.mark.clause("verify.2")
@pytest.mark.parametrize(("a", "b"), [(np.nan, 0.5), (0.5, np.nan), (np.inf, -np.inf), (0.0, 1.0)])
@pytest.mark.parametrize("tolerance", [Tolerance(8, "a test"), Tolerance(8, "a test", floor=1.0)])
def test_missing_number_is_far_off(a: float, b: float, tolerance: Tolerance) -> None:
    row = compared(quantity([0.1, a]), quantity([0.1, b]), tolerance)
    assert not row["agrees"]
    assert row["max_ulp"] > 1e15
    assert row["max_abs"] >= 1
    assert row["system"] == "b"


def test_means_whose_terms_cancel_are_compared_in_the_ulp_of_the_terms() -> None:
    ours, theirs = quantity([1e-14]), quantity([1e-14 + 4 * EPS])
    tolerance = Tolerance(8, "a test")
    assert not compared(ours, theirs, tolerance)["agrees"]
    row = compared(ours, theirs, tolerance, terms=np.array([[1.0]]))
    assert (row["max_ulp"], row["agrees"]) == (4, True)
    assert not compared(ours, quantity([1e-14 + 9 * EPS]), tolerance, np.array([[1.0]]))["agrees"]


@pytest.mark.clause("verify.2")
@pytest.mark.parametrize("name", ["topics", "systems"])
def test_other_labels_are_refused(name: str) -> None:
    ours = quantity([0.1, 0.2], [0.3, 0.4])
    labels = {"topics": ours.topics, "systems": ours.systems}
    for other in (["a", "x"], ["b", "a"]):
        theirs = Quantity("y", *{**labels, name: other}.values(), ours.values)
        with pytest.raises(VerificationError, match=f"R has other {name} than Python for the y"):
            compared(ours, theirs, Tolerance(0, "a test"))


@pytest.mark.clause("verify.3")
@pytest.mark.parametrize(
    ("quantity", "ulp", "floor"),
    [
        ("estimate", 150, 1.0),
        ("statistic", 150, 1.0),
        ("effect_low", 150, 1.0),
        ("stderr", 150, 0.25),
        ("p_value", 1050, 0.25),
        ("p_adjusted", 1050, 0.25),
    ],
)
def test_scores_that_are_apart_pass_it_on(quantity: str, ulp: float, floor: float) -> None:
    stated = Tolerance(50, "a test", floor=0.25)
    assert on_scores_apart(stated, quantity, Tolerance(0, "the same")) == stated
    found = on_scores_apart(stated, quantity, Tolerance(1, "a last digit", floor=1.0, real=0.5))
    assert found == Tolerance(ulp, "a test; the scores may differ by 1 ulp", floor=floor)


@pytest.mark.clause("verify.4")
@pytest.mark.parametrize(
    ("p", "r", "differs"),
    [
        (0.0785, 0.24, "by more than 1e-06"),
        (0.04, 0.06, "in a decision at 0.05"),
        (0.05, 0.05 + 2**-57, "in a decision at 0.05"),  # its neighbor
        (0.05, 0.05, ""),
        (np.nan, 0.04, "in a decision at 0.05"),
        (np.nan, 0.5, "by more than the tolerance"),
        (0.5, 0.5 + 2e-6, "by more than 1e-06"),
        (0.5, 0.5 + 1e-7, ""),
        (1e-7, 1e-70, "by more than the tolerance"),
    ],
)
def test_p_values_differ_whatever_the_tolerance(p: float, r: float, differs: str) -> None:
    """A tolerance as of the largest terms, for which all numbers of the table agree."""
    terms = np.array([[1e9, 1.0]]) if r != 1e-70 else None
    tolerance = Tolerance(Tolerance.MOST, "a test")
    row = compared(quantity([p, 0.2]), quantity([r, 0.2]), tolerance, terms, 0.05)
    assert (row["differs"], row["agrees"], row["reason"]) == (differs, not differs, "a test")
    if differs:
        assert row["system"] == "a"
    elif p == p and terms is not None:
        assert compared(quantity([p, 0.2]), quantity([r, 0.2]), tolerance, terms)["agrees"]


@pytest.mark.clause("scheme.11")
@pytest.mark.parametrize("ulp", [10.0**15, np.inf, np.nan])
def test_no_tolerance_is_larger_than_the_cap(ulp: float) -> None:
    tolerance = Tolerance(ulp, "a test", floor=1.0)
    ours = quantity([0.5, 0.2])
    assert not compared(ours, quantity([0.5, 0.3]), tolerance)["agrees"]
    assert not compared(ours, quantity([np.nan, 0.2]), tolerance)["agrees"]
    assert not compared(ours, quantity([np.inf, 0.2]), tolerance)["agrees"]
    assert tolerance.fault


@pytest.mark.clause("tolerance.1")
def test_infinity_and_the_largest_double_do_not_agree() -> None:
    ours, theirs = quantity([1.7976931348623157e308]), quantity([np.inf])
    assert not compared(ours, theirs, Tolerance(8, "a test"))["agrees"]
    assert compared(theirs, theirs, Tolerance(0, "a test"))["agrees"]
