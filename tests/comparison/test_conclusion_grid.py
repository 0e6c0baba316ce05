"""Grids of conclusions: what is joined is of the same systems, schemes and level."""

import pytest

from cdfscore import compare, datasets
from cdfscore.comparison.sensitivity import ConclusionGrid
from cdfscore.errors import SignificanceError

AP = datasets.load_cranfield("ap").iloc[:30, :6]
FIRST = compare(AP, "paired_t", scheme=["raw", "normal"])


@pytest.mark.clause("conclusion_grid.1")
def test_counts_are_of_each_scheme_and_test() -> None:
    second = compare(AP, "sign", scheme=["raw", "normal"])
    grid = ConclusionGrid([FIRST, second])
    assert grid.pairs == 15
    assert grid.counts.shape == (2, 2)
    for each in (FIRST, second):
        for scheme in ("raw", "normal"):
            p = each.table.loc[each.table["scheme"] == scheme, "p_adjusted"]
            assert grid.counts.loc[scheme, each.test] == (p <= 0.05).sum()


def test_notes_of_one_test_name_it() -> None:
    few = AP.iloc[:4]
    found = [compare(few, test) for test in ("sign", "tukey_hsd")]
    notes = ConclusionGrid(found).notes
    assert any(note.startswith("sign: ") for note in notes)
    assert not set(notes) & set(found[0].cautions)


@pytest.mark.clause("conclusion_grid.1")
@pytest.mark.parametrize(
    ("second", "says"),
    [
        (FIRST, "two comparisons of the grid are by paired_t"),
        (compare(AP, "sign"), "has the schemes"),
        (compare(AP.iloc[:, :5], "sign", scheme=["raw", "normal"]), "has the systems"),
        (compare(AP, "sign", scheme=["raw", "normal"], alpha=0.1), "has the alpha 0.1"),
        (compare(AP, "sign", scheme=["raw", "normal"], baselines=AP.columns[0]), "need all pairs"),
    ],
)
def test_other_comparisons_are_refused(second: object, says: str) -> None:
    with pytest.raises(SignificanceError, match=says):
        ConclusionGrid([FIRST, second])  # type: ignore[list-item]


def test_an_empty_grid_is_refused() -> None:
    with pytest.raises(SignificanceError, match="no comparison in the grid"):
        ConclusionGrid([])
