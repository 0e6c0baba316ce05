"""A short campaign, and the recorded one: R, and 4 ulp of the true value."""

from __future__ import annotations

from typing import Any

import pytest

from cdfscore.r.session import RSession
from cdfscore.stats.schemes.base import schemes
from validation.campaign import page, results
from validation.campaign.run import some_inputs
from validation.campaign.tally import Tally
from validation.parity.strategies import is_solved
from validation.parity.variants import variants

RECORDED = results.read_all()


@pytest.fixture(scope="module")
def r(rinterface: Any) -> RSession:
    return RSession()


@pytest.mark.parametrize("spelling", variants())
def test_every_input_is_fine_or_r_is_off(spelling: str, r: RSession) -> None:
    scheme = schemes.parse(spelling)
    inputs = 120 if is_solved(scheme) else 500  # of solvers, 50 digits and R take long
    found = some_inputs(scheme, r, inputs=inputs).data()
    assert_in_order(found)


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda data: data["spelling"])
def test_recorded_inputs_are_fine_or_r_is_off(recorded: dict[str, Any]) -> None:
    now = Tally(schemes.parse(recorded["spelling"])).data()
    for key in ("scheme", "tolerance", "limit"):
        assert recorded[key] == now[key]  # else the campaign must be run again
    assert recorded["counts"]["inputs"] > 0
    assert_in_order(recorded)


def test_every_catalogue_member_that_is_recorded_has_its_inputs() -> None:
    members = {data["spelling"]: data for data in RECORDED if data["spelling"] in schemes.names()}
    assert members
    for data in members.values():
        assert data["counts"]["inputs"] >= 100_000


def test_page_says_what_is_recorded() -> None:
    assert page.PAGE.read_text(encoding="utf-8") == page.text(RECORDED)


def test_page_names_the_schemes_for_which_r_has_no_figure() -> None:
    said = page.text(RECORDED).partition("may differ in the last bits:\n  ")[2].partition(".\n")[0]
    assert {"`from_scipy`", "`mixture`"} <= set(said.split(", "))
    assert "`normal`" not in said
    alone = [data | {"shared argument": data["spelling"] != "normal"} for data in RECORDED]
    assert "may differ in the last bits:\n  `normal`.\n" in page.text(alone)


def assert_in_order(found: dict[str, Any]) -> None:
    """Neither a failure, nor a cdf farther from its true value than the limit."""
    counts, worst = found["counts"], found["worst"]
    assert counts["failed"] == 0, worst["failed"]
    assert float(worst["from R"]["ulp"]) <= found["tolerance"]["ulp"]
    if found["limit"] is not None:
        assert float(worst["ours, argument"]["ulp"]) <= found["limit"], worst["ours, argument"]
