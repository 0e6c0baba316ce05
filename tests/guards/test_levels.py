"""A test that rejects too often with so few topics says so, as simulations measured it."""

import re
import warnings
from typing import Any

import pandas as pd
import pytest

from cdfscore import CdfscoreWarning, compare
from cdfscore.errors import SignificanceError
from cdfscore.report.comparison import caption
from cdfscore.stats.significance import bootstrap_shift, equivalence_t
from cdfscore.stats.significance.contract import (
    CHECKED,
    MOST,
    Level,
    Rows,
    paired,
    significance_tests,
)
from validation.significance.levels import Cell, recorded
from validation.significance.levels_page import PAGE, is_held, most, text

RECORD = {(cell.test, cell.kind, cell.n): cell for cell in recorded()}


def cells(name: str, kind: str) -> list[Cell]:
    missing = f"run python -m validation.significance.levels --record --only {name}"
    assert (name, kind, CHECKED[0]) in RECORD, missing
    return [RECORD[name, kind, n] for n in CHECKED]


@pytest.mark.clause("test.15")
@pytest.mark.parametrize("name", significance_tests.names())
@pytest.mark.parametrize("kind", ["untied", "tied", "skewed"])
def test_every_test_declares_where_it_rejects_too_often(name: str, kind: str) -> None:
    """As the record has it, rounded to a tenth of a percent; of skewed scores, tests of means."""
    declared: Level = significance_tests.load(name).level
    above = {cell.n: round(cell.rate(), 3) for cell in cells(name, kind) if not is_held(cell)}
    of_mean = re.match("the mean .*", significance_tests.load(name).null)
    if kind != "skewed" or (of_mean and not declared.untied):
        assert dict(getattr(declared, kind)) == above


@pytest.mark.clause("bootstrap_shift.1", "bootstrap_studentized.1")
def test_the_rates_of_the_bootstraps_are_those_that_the_specification_states() -> None:
    """Percent of true null hypotheses that are rejected at 5 %."""
    rates = {n: 100 * RECORD["bootstrap_shift", "untied", n].rate() for n in (8, 20, 50)}
    assert rates == pytest.approx({8: 11, 20: 7, 50: 6}, abs=0.5)
    studentized = {
        kind: max(100 * cell.rate() for cell in cells("bootstrap_studentized", kind))
        for kind in ("untied", "tied", "skewed")
    }
    assert max(studentized["untied"], studentized["tied"]) <= 5.05
    assert studentized["skewed"] == pytest.approx(7.2, abs=0.05)


def test_the_page_is_that_of_the_record() -> None:
    assert PAGE.read_text(encoding="utf-8") == text(recorded())


@pytest.mark.long
def test_the_record_is_what_is_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first cell of a fast test, anew."""
    from validation.significance import levels

    monkeypatch.setattr(levels, "CHECKED", CHECKED[:2])
    for name in ("paired_t", "wilcoxon_signed_rank"):
        for cell in levels.cells(name):
            assert cell == RECORD[name, cell.kind, cell.n]


@pytest.mark.clause("test.15")
def test_bootstrap_shift_on_eight_topics_warns(robust: pd.DataFrame) -> None:
    few = robust.iloc[:8, :4]
    with pytest.warns(CdfscoreWarning, match="rejects too many true null") as caught:
        found = compare(few, "bootstrap_shift:B=999")
    said = (
        "the shift bootstrap test rejects too many true null hypotheses below 50 topics: 11.2 % at "
        "the level 5 % with 8 topics, in simulations of scores without ties; here there are 8 "
        "topics; the paired permutation test (permutation) keeps the level"
    )
    assert [str(each.message) for each in caught] == found.cautions == found.notes == [said]
    assert f"T{said[1:]}." in caption(found)


@pytest.mark.clause("level_caution.1")
@pytest.mark.parametrize(
    ("topics", "said"),
    [
        (6, "16.5 % at the level 5 % with 5 topics, in simulations"),
        (19, "9.7 % at the level 5 % with 10 topics, in simulations"),
        (49, "7.1 % at the level 5 % with 20 topics, in simulations"),
        (50, ""),
        (249, ""),
    ],
)
def test_the_number_of_topics_decides(robust: pd.DataFrame, topics: int, said: str) -> None:
    two = robust.iloc[:, [0, 40]]
    unlike = two[two.iloc[:, 0] != two.iloc[:, 1]] if topics < 100 else two
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        compare(unlike.iloc[:topics], "bootstrap_shift:B=999", effect="")
    told = [str(each.message) for each in caught if each.category is CdfscoreWarning]
    assert len(told) == bool(said)
    assert all(said in each and f"there are {topics} topics" in each for each in told)


def test_bold_at_one_percent_is_in_the_proportion_of_five() -> None:
    assert (most(0.05), most(0.01)) == (MOST, pytest.approx(0.011))
    cell = Cell("paired_t", "untied", 5, 10_000, (500, 141))
    assert is_held(cell)
    assert not is_held(Cell("paired_t", "untied", 5, 10_000, (500, 150)), 0.01)
    assert is_held(Cell("paired_t", "untied", 5, 10_000, (500, 140)), 0.01)


def test_a_margin_is_needed(robust: pd.DataFrame, cdfscore: Any, write: Any) -> None:
    said = "equivalence_t needs a value of margin, which has no default; expected margin=..."
    with pytest.raises(SignificanceError, match=said):
        equivalence_t([0.1, 0.2, 0.4], [0.1, 0.3, 0.2])  # type: ignore[call-arg]
    with pytest.raises(SignificanceError, match=said):
        compare(robust, "equivalence_t", scheme="z")
    write({"few.csv": robust.iloc[:9, :3].to_csv()})
    for command in ("compare", "verify"):
        scheme = ("--scheme", "raw")
        outcome = cdfscore(command, "few.csv", *scheme, "--test", "equivalence_t")
        assert outcome.status == 2
        message = " ".join(outcome.err.split())
        assert said in message
        assert "as in equivalence_t:margin=..." in message
        assert "on the command line" not in message
    done = cdfscore("compare", "few.csv", "--test", "equivalence_t:margin=0.1", "-o", "p.csv")
    assert done.status == 0
    assert "Test: equivalence t test (margin 0.1)" in " ".join(done.err.split())


def test_a_setting_without_a_default_needs_an_example() -> None:
    def own(x: Any, y: Any, *, width: float) -> Rows:
        """Test."""
        return Rows(0.0, 1.0)

    with pytest.raises(
        SignificanceError, match="a value for each setting without a default: width"
    ):
        paired(source="none")(own)
    with pytest.raises(SignificanceError, match="without a default: width"):
        paired(source="none", example={"width": 1.0, "depth": 2.0})(own)
    declared = paired(source="none", example={"width": 1.0})(own)
    assert str(declared.chosen_example()) == "own:width=1.0"
    assert bootstrap_shift.chosen_example().given == {}


@pytest.mark.clause("level_caution.1")
def test_of_scores_with_ties_the_larger_rate_is_told(robust: pd.DataFrame) -> None:
    """Even of a single tie, which cannot make a test keep a level that it does not keep."""
    grid = robust.iloc[:10, :3].round(1)
    single = robust.iloc[:10, :3].copy()
    single.iloc[0, 0] = single.iloc[0, 1]
    for tied in (grid, single):
        with pytest.warns(CdfscoreWarning, match=r"up to 9.7 % .* with or without ties"):
            compare(tied, "bootstrap_shift:B=999")
