"""Numbers that R does not judge are simulated, and what falls outside is said where it is met."""

from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

import cdfscore
from cdfscore.stats.effect_size.effects import effect_sizes
from cdfscore.stats.significance.contract import significance_tests
from validation.coverage import of_models, of_pairs, of_plans, of_references
from validation.coverage.cells import Cell, generators, proportion
from validation.coverage.page import PAGE, cells_of, text
from validation.coverage.quantities import GROUPS, QUANTITIES, WITHOUT
from validation.coverage.record import SIMULATIONS, recorded
from validation.coverage.remarks import REMARKS, without

DATA_SETS = (
    *("TRIALS", "DRAWN", "FAMILIES", "EXACT", "MIXED", "BALANCED", "PROFILES", "FEWER", "STUDIES"),
    *("LEFT_OUT", "UNCERTAIN", "TRUE", "BANDS", "PILOTS", "TOPICS", "REPEATED"),
)
SOURCE = Path(cdfscore.__file__).parent
RECORD = recorded()
EVERY = [cell for own in cells_of(RECORD).values() for cell in own]


def test_every_twin_is_in_a_table() -> None:
    """Those of this table have a number that R does not judge; all others do not, or say why."""
    own = {quantity.twin for quantity in QUANTITIES if quantity.twin}
    there = {str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*.R")}
    assert own <= there
    listed = {
        twin for twin in there if any(twin == name or twin.startswith(name) for name in WITHOUT)
    }
    assert there == own | listed
    for name in WITHOUT:
        assert any(twin.startswith(name) for twin in there), name
    assert not own & {name for name in WITHOUT if not name.endswith("/")}


def test_every_test_and_effect_size_is_in_a_table() -> None:
    names = {quantity.name for quantity in QUANTITIES}
    judged = {Path(name).stem for name in WITHOUT if name.startswith("stats/significance/")}
    own = {
        Path(each.twin).stem for each in QUANTITIES if each.twin.startswith("stats/significance/")
    }
    assert own | judged == set(significance_tests.names())
    assert own == {each.level for each in QUANTITIES if each.level} | {"kendall", "spearman"}
    assert {f"{name}, interval" for name in effect_sizes.names()} <= names


def test_every_quantity_is_simulated() -> None:
    assert set(RECORD) == set(SIMULATIONS)
    found = {cell.quantity for own in RECORD.values() for cell in own}
    expected = [name for quantity in QUANTITIES for name in quantity.cells]
    assert len(expected) == len(set(expected))
    assert found == set(expected)
    assert {quantity.group for quantity in QUANTITIES} == set(GROUPS)
    for quantity in QUANTITIES:
        assert quantity.cells or quantity.level
    assert min(cell.trials for cell in EVERY) >= 400


def test_what_falls_outside_is_said_on_the_page_and_where_it_is_met() -> None:
    assert without(EVERY) == []
    for remark in REMARKS:
        assert any(map(remark.holds, EVERY)), f"no number is outside any more: {remark.says}"
        assert remark.is_met(EVERY), f"{remark.met} does not say: {remark.spelled(EVERY)[1]}"


def test_a_sentence_without_a_design_is_about_all_designs() -> None:
    """Where only some of the designs of a quantity are outside, the sentence names them."""
    for remark in REMARKS:
        if "*" in remark.designs:
            of_these = [
                c for c in EVERY if any(fnmatchcase(c.quantity, q) for q in remark.quantities)
            ]
            assert all(map(remark.holds, of_these)), remark.says


def test_a_number_outside_without_a_sentence_is_found() -> None:
    """A new quantity, and one that is outside on the other side of the nominal number."""
    fair = Cell("d_z, interval", "20 topics, normal", 0.95, 0.952, 0.001, 10_000)
    assert not fair.outside
    broken = replace(fair, found=0.9)
    assert without([fair, broken]) == [broken]
    said = next(cell for cell in EVERY if cell.outside)
    assert without([said]) == []
    assert without([replace(said, found=2 * said.nominal - said.found)]) != []
    with pytest.raises(ValueError, match="no quantity has the cells"):
        cells_of(RECORD | {"new": [replace(fair, quantity="new")]})


def test_the_page_is_that_of_the_record() -> None:
    assert PAGE.read_text(encoding="utf-8") == text(RECORD)


def test_standard_errors_are_those_of_a_proportion() -> None:
    cell = proportion("a", "b", 0.95, [True] * 90 + [False] * 10, [False] * 97 + [True] * 3)
    assert (cell.found, cell.undefined, cell.none) == (0.9, 3, 0.03)
    assert cell.of_others == pytest.approx(90 / 97)
    assert cell.error == pytest.approx((0.95 * 0.05 / 100) ** 0.5, rel=1e-7)
    assert not cell.outside
    assert replace(cell, found=0.8).outside


def test_a_trial_depends_on_its_place_alone() -> None:
    few, more = ([rng.random() for rng in generators("these", trials)] for trials in (3, 5))
    assert few == more[:3]
    assert len({*more, *(rng.random() for rng in generators("those", 5))}) == 10


@pytest.mark.parametrize("name", SIMULATIONS)
def test_every_simulation_runs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first number of each, on a few data sets, is one of the record."""
    for module in (of_models, of_pairs, of_plans, of_references):
        for each in dir(module):
            if each in DATA_SETS:
                monkeypatch.setattr(module, each, 20)
    cell = next(iter(SIMULATIONS[name]()))
    alike = next(iter(RECORD[name]))
    assert (cell.quantity, cell.design, cell.nominal) == (
        alike.quantity,
        alike.design,
        alike.nominal,
    )
    assert abs(cell.found - alike.found) <= 6 * cell.error + 6 * alike.error


@pytest.mark.long
def test_the_record_is_what_is_simulated() -> None:
    for name in ("of_band", "of_goals"):
        assert list(SIMULATIONS[name]()) == RECORD[name]
