"""Python beside what R was recorded to say, and R beside it where R is there."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

from cdfscore.r.session import RSession
from validation.references import checks
from validation.references.reference import RECORDED, Reference, encode, path_of, read
from validation.references.running_r import arithmetic
from validation.references.subjects import names


def recorded(name: str) -> Reference:
    """Read a reference; a new scheme has none until it is recorded, and is no failure."""
    try:
        return read(name)
    except FileNotFoundError as missing:
        pytest.skip(str(missing))


def test_every_file_belongs_to_a_variant() -> None:
    assert checks.folder_problems(RECORDED) == []


def test_what_must_not_be_lost_is_recorded() -> None:
    there = {name for name in names() if path_of(name).exists()}
    assert {"normal", "uniform", "empirical", "kernel", "z", "numerics"} <= there


@pytest.mark.parametrize("name", names())
def test_the_file_is_as_the_command_writes_it(name: str) -> None:
    assert encode(recorded(name)).decode() == path_of(name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", names())
def test_inputs_twin_and_cases_are_those_recorded(name: str) -> None:
    assert checks.record_problems(recorded(name)) == []


@pytest.mark.parametrize("name", names())
def test_python_is_as_near_to_the_recorded_r_as_the_table_says(name: str) -> None:
    reference = recorded(name)
    here, there = str(np.finfo(np.longdouble).nmant + 1), reference.made_by["long_double_digits"]
    if here != there:  # the R of this machine adds otherwise, and Python as it does
        pytest.skip(f"long double has {here} binary digits here, and {there} where recorded")
    assert checks.python_problems(reference) == []


def test_r_says_today_what_was_recorded(rinterface: Any) -> None:
    r = RSession()
    references = [read(name) for name in names() if path_of(name).exists()]
    running = arithmetic(r)
    for reference in references:
        other = {k: v for k, v in running.items() if v != reference.made_by[k]}
        if other:
            found = f"{reference.name} was recorded with another R than the running: {other}"
            if os.environ.get("CI"):
                pytest.fail(f"{found}; make references records it anew", pytrace=False)
            pytest.skip(found)
    assert [problem for each in references for problem in checks.r_problems(each, r)] == []
