"""The checks can fail: what is altered by the least amount is reported, with its place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from cdfscore.r.session import RSession
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes.base import Scheme
from validation.parity.variants import variants
from validation.references import checks
from validation.references.reference import RENEW, Reference, encode, path_of, read
from validation.references.subjects import NUMERICS, names, subject

Alter = Callable[[Array, Array], None]


def altered(name: str, folder: Path, output: str, alter: Alter) -> tuple[Reference, str, float]:
    """Copy a reference, one number of which is altered; return it and the number's place."""
    reference = read(name)
    kinds = ("all bits", "tenths inside")  # the second for a scheme on a grid
    cases = [c for c in reference.cases if output in c.outputs]
    case = next(c for kind in kinds for c in cases if kind in c.label)
    points = next((v for k, v in case.inputs.items() if k != "scores"), np.zeros(1))
    found = subject(name).by_python(case.inputs)[output]
    i = np.abs(found - 0.5)[~np.isnan(points)].argmin()
    alter(case.outputs[output][i : i + 1], found[i : i + 1])
    path_of(name, folder).write_bytes(encode(reference))
    return read(name, folder), case.label, float(points[i])


def moved(by: float, tolerance: Tolerance) -> Alter:
    """Put a recorded number `by` ulp below Python's, in the tolerance's way of counting."""

    def alter(recorded: Array, found: Array) -> None:
        assert found.item() > 0
        if found.item() <= tolerance.floor:
            recorded[:] = found - by * np.spacing(tolerance.floor)
        else:
            recorded[:] = (found.view(np.int64) - int(by)).view(np.float64)

    return alter


def to(value: float) -> Alter:
    def alter(recorded: Array, found: Array) -> None:
        recorded[:] = value

    return alter


@pytest.mark.parametrize("spelling", variants())
def test_one_ulp_beyond_the_tolerance_is_reported(spelling: str, tmp_path: Path) -> None:
    tolerance = subject(spelling).tolerance
    alter = moved(tolerance.ulp + 1, tolerance)
    reference, topic, x = altered(spelling, tmp_path, "y", alter)
    (problem,) = checks.python_problems(reference)
    assert problem.startswith(f"{spelling}: {topic} at x = {x!r}: y = ")


@pytest.mark.parametrize("spelling", variants())
def test_the_tolerance_itself_is_not_reported(spelling: str, tmp_path: Path) -> None:
    tolerance = subject(spelling).tolerance
    reference, _, _ = altered(spelling, tmp_path, "y", moved(tolerance.ulp, tolerance))
    assert checks.python_problems(reference) == []


@pytest.mark.parametrize("expression", subject(NUMERICS).call()["expressions"])
def test_one_ulp_of_the_numerics_is_reported(expression: str, tmp_path: Path) -> None:
    alter = moved(1, subject(NUMERICS).tolerance)
    reference, sample, p = altered(NUMERICS, tmp_path, expression, alter)
    (problem,) = checks.python_problems(reference)
    place = f" at p = {p!r}" if "p" in expression.split(", ") else ""
    assert problem.startswith(f"numerics: {sample}{place}: {expression} = ")


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("spelling", ["empirical", "from_scipy"])
def test_what_is_no_number_is_reported(spelling: str, value: float, tmp_path: Path) -> None:
    reference, topic, x = altered(spelling, tmp_path, "y", to(value))
    (problem,) = checks.python_problems(reference)
    assert problem.startswith(f"{spelling}: {topic} at x = {x!r}: y = ")


def test_an_output_too_few_or_too_short_is_reported() -> None:
    reference = read("z")
    reference.cases[0].outputs["y"].resize(2)
    reference.cases[1].outputs["v"] = reference.cases[1].outputs.pop("y")
    short, renamed = checks.python_problems(reference)
    assert "y has shape (15,), recorded (2,)" in short
    assert "there are ['y'], and ['v'] are recorded" in renamed


class AlmostR:
    """Says what is recorded of raw, x itself, but for one last bit or the sign of zero."""

    def __init__(self, to: float) -> None:
        self.to = to

    def standardize(self, scheme: Scheme, x: Array, scores: Array) -> Array:
        return np.where(x == 0, self.to, x)


@pytest.mark.parametrize(("to", "reported"), [(0.0, False), (-0.0, True), (5e-324, True)])
def test_another_bit_of_r_is_reported(to: float, reported: bool) -> None:
    problems = checks.r_problems(read("raw"), cast(RSession, AlmostR(to)))
    assert bool(problems) == reported
    assert all(" at x = 0.0: y = " in each for each in problems)


def test_stale_and_missing_files_are_named_with_the_command(tmp_path: Path) -> None:
    for name in names():
        path_of(name, tmp_path).write_bytes(path_of(name).read_bytes())
    assert checks.folder_problems(tmp_path) == []
    path_of("uniform:A=0.3,B=0.4", tmp_path).rename(path_of("uniform:A=2", tmp_path))
    assert checks.folder_problems(tmp_path) == [
        f"uniform,A=2.json belongs to no variant; {RENEW}",
    ]
    with pytest.raises(FileNotFoundError, match=r"python -m validation\.references"):
        read("uniform:A=0.3,B=0.4", tmp_path)


def test_another_input_case_or_twin_is_named_with_the_command() -> None:
    reference = read("normal")
    reference.cases[3].inputs["x"][0] += 1
    (digest,) = checks.record_problems(reference)
    assert digest.startswith("normal: its inputs have the digest sha256:")
    (twin,) = checks.record_problems(
        replace(read("normal"), call=read("normal").call | {"twin_sha256": "0"})
    )
    assert twin.startswith("normal: twin_sha256 is ")
    fewer = read("normal").cases[1:]
    assert len(checks.record_problems(replace(read("normal"), cases=fewer))) == 2
    assert digest.endswith(RENEW)
    assert twin.endswith(RENEW)


def test_nan_without_quotes_is_no_json(tmp_path: Path) -> None:
    text = path_of("raw").read_text(encoding="utf-8")
    path_of("raw", tmp_path).write_text(text.replace('"NaN"', "NaN", 1), encoding="utf-8")
    with pytest.raises(ValueError, match="NaN stands outside quotes"):
        read("raw", tmp_path)
