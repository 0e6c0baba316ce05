"""What README.md claims."""

from __future__ import annotations

import csv
import inspect
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cdfscore import Standardizer, compare, datasets, parse_scheme
from cdfscore.papers.urbano2019 import run as urbano2019
from cdfscore.schemes.base import schemes
from cdfscore.significance.contract import significance_tests
from tests.claims import claim
from validation.campaign.truth import truth_of

ROOT = Path(__file__).parents[2]


def _own(catalogue: Any) -> list[str]:
    """Return the names of the package, without plug-ins that are installed beside it."""
    return [
        name
        for name in catalogue.names()
        if catalogue.load(name).__module__.startswith("cdfscore.")
    ]


NAMES = _own(schemes)
TESTS = _own(significance_tests)


@claim("README.md", "lists all 22 schemes with formula, settings and source")
def test_number_of_schemes() -> None:
    assert len(NAMES) == 22


@claim("README.md", "Every scheme has an R twin, a file of base R")
@claim(
    "README.md", "Every scheme and every test has a reference implementation in base R, its twin"
)
@pytest.mark.parametrize(("catalogue", "names"), [(schemes, NAMES), (significance_tests, TESTS)])
def test_twins_are_of_base_r(catalogue: Any, names: list[str]) -> None:
    for name in names:
        member = catalogue.load(name)
        twin = Path(inspect.getfile(getattr(member, "function", member))).with_suffix(".R")
        code = re.sub("#.*", "", twin.read_text(encoding="utf-8"))
        assert re.findall(r"\b(?:library|require\w*)\(|\b(?!stats\b)\w+::", code) == []


@claim("README.md", "67 retrieval systems on the 225 topics of the Cranfield collection")
def test_size_of_the_bundled_scores() -> None:
    assert datasets.load_cranfield("ap").shape == (225, 67)


@claim("README.md", "You need Linux, macOS or Windows with Python 3.11 or later")
def test_lowest_version_of_python() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["requires-python"] == ">=3.11"


@claim(
    "README.md",
    "It gives each difference with an effect size, and with an interval where the test has one",
)
def test_which_tests_have_no_interval() -> None:
    scores = datasets.load_cranfield("ap").iloc[:12, :3]
    without = []
    for name in significance_tests.names():
        test = significance_tests.load(name)
        if test.samples == "one sample" or not test.effect:
            continue
        baseline = scores.columns[:1] if name in ("dunnett", "max_t_baseline") else ()
        settings = {"equivalence_t": ":margin=0.02"}.get(name, "")
        table = compare(scores, name + settings, baselines=baseline).table
        assert table["effect_size"].notna().all(), name
        if table["conf_low"].isna().all():
            without.append(name)
    assert {"paired_t", "tukey_hsd", "dunnett", "max_t_baseline"}.isdisjoint(without)
    assert {"permutation", "max_t", "randomized_tukey_hsd", "nemenyi", "conover"} <= {*without}


@claim(
    "README.md",
    "also compares all 22 schemes with results at 50 digits, five of them on a part of the inputs",
)
def test_schemes_at_50_digits() -> None:
    given = {"from_scipy": "from_scipy:dist=norm"}
    known = [truth_of(parse_scheme(given.get(name, name))) for name in NAMES]
    assert len(known) == 22
    assert sum(truth is not None for truth in known) == 22
    assert sum(truth is not None and truth.every > 1 for truth in known) == 5


@claim("README.md", "`make validate` compares each scheme with R on 100,000 random inputs")
@claim("docs/evidence.md", "every scheme against R and against 50 digits")
def test_recorded_schemes_at_50_digits() -> None:
    folder = ROOT / "validation" / "results"
    counts = [
        json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))["counts"]
        for name in NAMES
    ]
    assert all("argument: same" in found for found in counts)
    assert all(found["inputs"] >= 100_000 for found in counts)


@claim(
    "README.md",
    "E-std, U-std and z are equal to R bit for bit, unless R's `sd` overflows or underflows",
)
@pytest.mark.parametrize("name", ["empirical", "uniform", "z"])
def test_bits_of_r(name: str) -> None:
    """What make validate has recorded; tests/r compares them anew."""
    path = ROOT / "validation" / "results" / f"{name}.json"
    found = json.loads(path.read_text(encoding="utf-8"))
    assert found["counts"]["inputs"] >= 100_000
    assert found["counts"]["failed"] == 0
    assert found["tolerance"]["ulp"] == 0
    assert found["worst"]["from R"]["ulp"] == 0
    extreme = {"all magnitudes", "around 1e-300", "around 1e300", "subnormal"}
    assert found["R is off by kind"].keys() <= extreme
    if name != "empirical":
        sample = np.array([1e200, 3e200])  # the variance overflows
        assert np.isfinite(parse_scheme(name).fit(sample)([1e200])).all()


@claim(
    "README.md",
    "Tolerances are in units in the last place, "
    "[stated with a reason](docs/parity.md#tolerances) by each scheme and test",
)
def test_tolerances_have_a_reason() -> None:
    for name in NAMES:
        given = {"from_scipy": "from_scipy:dist=norm"}
        assert parse_scheme(given.get(name, name)).tolerance.reason, name
    for name in significance_tests.names():
        for quantity, tolerance in significance_tests.load(name).tolerances.items():
            assert tolerance.reason, (name, quantity)


@claim(
    "README.md",
    "The 2019 experiments give all 600,000 published trial statistics "
    "and 570 rates of average precision, byte by byte",
)
@claim("docs/reproduction.md", "The eighteen files of AP are reproduced byte by byte")
def test_how_many_numbers_are_published(shared_data: Path) -> None:
    """That they are the same is for python -m validation.papers."""
    files = list((shared_data / "urbano2019" / "published").rglob("*.csv"))
    statistics = rates = 0
    for path in files:
        with path.open(encoding="utf-8") as file:
            columns = len(next(csv.reader(file)))
            lines = sum(1 for _ in file)
        if path.stem in ("tau", "tauAP", "r"):
            statistics += columns * lines
        else:
            rates += (columns - 1) * lines
    assert (len(files), statistics, rates) == (18, 600_000, 570)


@claim(
    "README.md",
    "of nDCG, the tests compare the coefficients of 50 trials of each experiment with R, and "
    "`make validate` those of all 10,000",
)
def test_trials_of_ndcg_beside_r() -> None:
    """The comparison itself is test_coefficients_beside_r, in this file."""
    path = ROOT / "validation" / "papers" / "test_reproduce_urbano2019.py"
    source = path.read_text(encoding="utf-8")
    assert "\nFEW = 50 " in source
    assert 'urbano2019.TRIALS if long and cell.measure == "ndcg" else FEW' in source
    assert urbano2019.TRIALS == 10_000
    assert len(urbano2019.cells(measures=["ndcg"])) == 4


@claim("docs/reproduction.md", "1.2 billion t tests on the right side of each of 19 levels")
def test_number_of_t_tests() -> None:
    """Within collections all pairs, between them each system of one with each of the other."""
    tests = sum(
        urbano2019.TRIALS * len(urbano2019.SCHEMES) * (n * (n - 1) // 2 + n * n) for n in (110, 61)
    )
    assert round(tests / 1e9, 1) == 1.2


@claim(
    "README.md",
    "Policies for constant topics, missing scores and topics that a scheme cannot be fitted to are "
    "arguments: `constant=`, `missing=` and `unfitted=`. The argument `lower_is_better=` names the "
    "topics on which lower is better",
)
def test_policies_are_arguments() -> None:
    arguments = inspect.signature(Standardizer).parameters
    assert {"constant", "missing", "unfitted", "lower_is_better"} <= arguments.keys()


@claim("README.md", "only corrections for many tests come from [statsmodels](docs/statsmodels.md)")
def test_what_comes_from_statsmodels() -> None:
    imports = {
        (path.name, line.strip())
        for path in (ROOT / "src").rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.match(r"\s*(import|from) statsmodels", line)
    }
    assert imports == {
        ("adjustment.py", "from statsmodels.stats.multitest import multipletests"),
    }


@claim(
    "README.md",
    "Property-based tests draw random inputs and check what holds for all scores",
)
def test_there_are_property_based_tests() -> None:
    files = [
        path
        for path in (ROOT / "tests").rglob("test_*.py")
        if "\n@given(" in path.read_text(encoding="utf-8")
    ]
    assert len(files) > 20
