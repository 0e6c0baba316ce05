"""Grids of schemes and tests, and of schemes by schemes: the numbers are those of the tables."""

import pytest

from cdfscore import compare, datasets, sensitivity
from cdfscore.comparison.sensitivity import ConclusionGrid
from cdfscore.plots import plot_schemes, plot_sensitivity

AP = datasets.load_cranfield("ap").iloc[:40, :12]
SCHEMES = ["raw", "empirical:convention=strict", "normal"]


@pytest.mark.clause("plot_sensitivity.1")
def test_a_cell_for_each_scheme_and_test() -> None:
    tests = ["paired_t", "sign", "tukey_hsd"]
    found = [compare(AP, test, scheme=SCHEMES, alpha=0.01) for test in tests]
    axes = plot_sensitivity(ConclusionGrid(found))
    at = {(text.get_position()): text.get_text() for text in axes.texts}
    for column, each in enumerate(found):
        for row, scheme in enumerate(SCHEMES):
            rows = each.table[each.table["scheme"] == scheme]
            assert at[column, row] == str((rows["p_adjusted"] <= 0.01).sum())
    assert len(set(at.values())) > 3
    (image,) = axes.images
    assert image.get_array()[1, 2] == int(at[2, 1]) / 66  # type: ignore[index]
    rows, columns = axes.get_yticklabels(), axes.get_xticklabels()
    assert [label.get_text() for label in rows] == [
        "raw scores",
        "E-std (convention\nstrict)",
        "N-std",
    ]
    assert [label.get_text() for label in columns] == [
        "paired t test, Holm's\ncorrection",
        "sign test, Holm's\ncorrection",
        "Tukey's HSD test",
    ]
    assert {label.get_rotation() for label in columns} == {90}
    of_two = plot_sensitivity(ConclusionGrid(found[:2]))
    assert {label.get_rotation() for label in of_two.get_xticklabels()} == {0}
    assert "Pairs that differ significantly, of 66" in axes.get_title()
    assert "alpha 0.01, 40 topics" in axes.get_title()


@pytest.mark.clause("plot_schemes.1")
def test_schemes_by_schemes_leave_the_diagonal_pale() -> None:
    found = sensitivity(AP, SCHEMES)
    axes = plot_schemes(found)
    (image,) = axes.images
    assert image.get_array().mask.diagonal().all()  # type: ignore[union-attr]
    styles = {text.get_position(): text.get_fontstyle() for text in axes.texts}
    assert {place for place, style in styles.items() if style == "italic"} == {
        (0, 0),
        (1, 1),
        (2, 2),
    }
    assert axes.get_title().endswith(
        "\npaired t test with Holm's correction\nalpha 0.05, 40 topics"
    )
