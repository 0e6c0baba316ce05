"""The public names have types: user code passes ``mypy --strict``."""

import ast
import doctest
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = (
    "README.md",
    "docs/score_matrices.md",
    "docs/input_files.md",
    "docs/data_frames.md",
    "docs/standardize.md",
    "docs/policies.md",
    "docs/lower_is_better.md",
    "docs/leave_one_out.md",
    "docs/factors.md",
    "docs/compare.md",
    "docs/notebooks.md",
    "docs/diagnose.md",
    "docs/verify.md",
    "docs/verify_tests.md",
    "docs/verify_models.md",
    "docs/significance.md",
    "docs/rank_correlation.md",
)
USER_CODE = '''
from typing import assert_type

import duckdb
import numpy as np
import pandas as pd
import polars as pl

import cdfscore
from cdfscore import Factors, Standardized, Standardizer, as_scores, compare, correlate, datasets
from cdfscore import leave_one_out, sensitivity, verify
from cdfscore.comparison.comparison import Comparison
from cdfscore.stats.effect_size import d_z
from cdfscore.stats.schemes import Distribution, Empirical, Fitted, FromScipy, Kernel, Normal, Raw
from cdfscore.stats.significance import kendall, paired_t, tukey_hsd
from cdfscore.stats.significance.contract import Alternative, Rows, TestResult, paired

scores = datasets.load_cranfield("ap")
assert_type(scores, pd.DataFrame)
assert_type(paired_t([0.1, 0.4], [0.2, 0.3]), TestResult)
assert_type(kendall([0.1, 0.4], [0.2, 0.3], alternative="less"), TestResult)
assert_type(tukey_hsd(scores.to_numpy(), [(0, 1)]), TestResult)
assert_type(Normal().fit([[0.1, 0.2]]), Fitted)
assert_type(Kernel(bandwidth="sj"), Kernel)
assert_type(FromScipy(dist="beta").name, str)
assert_type(Standardizer("normal", missing="omit").fit(scores), Factors)
assert_type(compare(scores, paired_t, scheme=[Normal(), Raw(), "empirical"]), Comparison)
assert_type(correlate(scores, scores, scheme=Standardizer("z", constant="nan")).table, pd.DataFrame)
own = Standardizer("normal", unfitted="nan").standardize(scores)
assert_type(verify(own, via="rscript"), pd.DataFrame)
assert_type(cdfscore.scheme_names(), list[str])
sensitivity(scores, ["raw", Standardizer("gamma", unfitted="drop_topic")]).agreement.round(3)
d_z([0.1, 0.4], [0.2, 0.3]).estimate

# The kind of data frame that comes in goes out.
table = pl.DataFrame({"topic": ["301", "302"], "bm25": [0.25, 0.5], "lsa": [0.75, 0.7]})
assert_type(Standardizer("normal").fit_transform(scores), pd.DataFrame)
assert_type(Standardizer("normal").fit_transform(table), pl.DataFrame)
assert_type(Standardizer("normal").fit(table).transform(scores), pd.DataFrame)
assert_type(Standardizer("normal").fit(scores).standardize(table).means, pl.DataFrame)
assert_type(leave_one_out(table, "z"), pl.DataFrame)
assert_type(Standardizer("z").standardize(table, scores).scores, pl.DataFrame)
assert_type(Standardizer("z").standardize(scores, table).means, pd.DataFrame)
done: Standardized = Standardizer("z").fit(table).standardize(scores)
Standardizer("z").fit_transform(duckdb.connect().table("scores"))
compare(table.lazy(), "paired_t", reference=table)
assert_type(as_scores(np.zeros((2, 2)), systems=["a", "b"], topics=range(2)), pd.DataFrame)
as_scores({"a": {"301": 0.5}}, levels=("system", "topic"))

# What is no data frame, policy, setting or name is found before the program runs.
Standardizer("normal").fit(3)  # type: ignore[arg-type]
as_scores({"a": {"301": 0.5}}, levels=("systems", "topic"))  # type: ignore[arg-type]
Standardizer("normal", missing="omits")  # type: ignore[arg-type]
Standardizer("normal", constant="halve")  # type: ignore[arg-type]
kendall([0.1], [0.2], alternative="above")  # type: ignore[arg-type]
Empirical(convention="middle")  # type: ignore[arg-type]
Kernel(boundary="reflected")  # type: ignore[arg-type]
cdfscore.standardise  # type: ignore[attr-defined]


@paired(source="my paper (2026)")
def mean_difference(
    x: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    y: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    *,
    alternative: Alternative = "two-sided",
) -> Rows:
    """Test nothing."""
    return Rows(statistic=(x - y).mean(axis=1), p_value=1.0)


assert_type(mean_difference([0.1], [0.2], alternative="less"), TestResult)
'''


@pytest.fixture(scope="module")
def complaints(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Return what mypy says of each page's examples, and of the code above; one run for all."""
    folder = tmp_path_factory.mktemp("user")
    code = {Path(page).stem.lower(): examples(ROOT / page) for page in PAGES} | {"user": USER_CODE}
    for name, text in code.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    done = subprocess.run(
        # With the cache of `make lint`, which is of these settings.
        [sys.executable, "-m", "mypy", "--no-error-summary", *map(str, code_files(folder))],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert done.stderr == ""
    found: dict[str, list[str]] = {name: [] for name in code}
    for line in done.stdout.splitlines():
        found[Path(line.partition(":")[0]).stem].append(line)
    return found


def examples(page: Path) -> str:
    """Return the Python examples of a page as a program."""
    found = doctest.DocTestParser().get_examples(page.read_text(encoding="utf-8"))
    return "".join(example.source for example in found)


def code_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.py"))


@pytest.mark.parametrize("name", ["user", *(Path(page).stem.lower() for page in PAGES)])
def test_user_code_passes_mypy_strict(name: str, complaints: dict[str, list[str]]) -> None:
    assert complaints[name] == []


def test_only_compiled_functions_have_no_annotations() -> None:
    """Those of which pyproject.toml asks for none."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]
    (modules,) = (
        each["module"] for each in settings["overrides"] if "disallow_untyped_defs" in each
    )
    for module in modules:
        path = (ROOT / "src").joinpath(*module.split(".")).with_suffix(".py")
        functions = [
            each
            for each in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(each, ast.FunctionDef) and each.returns is None
        ]
        assert functions, f"{module} needs no exception"
        decorators = {
            ast.unparse(own).partition("(")[0] for each in functions for own in each.decorator_list
        }
        assert decorators <= {"compiled", "njit"}
        assert all(each.decorator_list for each in functions), module
