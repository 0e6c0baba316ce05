"""The R package: it is made from the twins of today, and its numbers are those of Python."""

import copy
import functools
import io
import itertools
import json
import math
import os
import re
import subprocess
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer, __version__, compare, datasets, load_factors, save_factors
from cdfscore.cli.methods import settings_of_scheme
from cdfscore.comparison.comparison import Comparison
from cdfscore.comparison.pairs import in_compare, needs_baseline
from cdfscore.errors import CdfscoreError
from cdfscore.r.analysis import DrawsFile
from cdfscore.r.script import RSCRIPT
from cdfscore.standardization.policies import MissingPolicy
from cdfscore.stats.schemes.base import parse_scheme, schemes
from cdfscore.stats.schemes.from_scipy import LAWS, SEARCHED
from cdfscore.stats.significance.contract import (
    ChosenTest,
    SignificanceTest,
    significance_tests,
)
from tests.significance.in_r import by_sizes
from validation import r_package
from validation.parity.matrices import Matrix, read_matrices

#: R's own messages are in this language where tests look whether any is passed on.
GERMAN = "de"
_NUMBERS = ("estimate", "conf_low", "conf_high", "statistic", "parameter", "p_value", "p_adjusted")
_EFFECTS = ("effect_size", "effect_low", "effect_high")
_TESTS = [
    each for each in map(significance_tests.load, significance_tests.names()) if in_compare(each)
]
#: How the parameters that a law of SciPy needs are held, for scores from 0 to 1.
_HELD = {
    ("floc",): ",floc=-0.01",
    ("floc", "fscale"): ",floc=-0.01,fscale=1.02",
    ("f0", "f1", "floc"): ",f0=2,f1=10,floc=-0.01",
}

#: What `compare_systems` may differ by: of a number, or near 0.
_RELATIVE, _ABSOLUTE = 1e-9, 1e-12


@dataclass(frozen=True)
class Job:
    """A comparison in both languages."""

    chosen: ChosenTest
    scores: pd.DataFrame
    scheme: str = "raw"

    @property
    def baselines(self) -> list[str]:
        return list(self.scores.columns[-1:]) if needs_baseline(self.chosen.test) else []

    def in_python(self) -> pd.DataFrame:
        options = {"scheme": Standardizer(self.scheme, unfitted="drop_topic")}
        return compare(self.scores, self.chosen, baselines=self.baselines, **options).table

    def in_r(self, number: int, folder: Path) -> str:
        """Return R code that writes the table of this job, whose scores and draws are files."""
        self.scores.rename_axis("topic").to_csv(folder / f"{number}.csv")
        given = settings_in_r(self.chosen.settings)
        test, n = self.chosen.test, len(self.scores)
        if test.drawn is not None:
            size = np.array([n])
            sizes = test.sizes(size, size, self.scores.shape)
            draws = DrawsFile(by_sizes(test.random_draws(self.chosen.settings, sizes)))
            draws.write(folder / f"{number}.draws")
            code = draws.code(draws.draws).replace("(draws,", f'("{number}.draws",')
            given += f", draws = {code}"
        return (
            f'show(compare_systems(read_matrix("{number}.csv"), "{test.name}", '
            f'scheme = "{self.scheme}", how = list(unfitted = "drop_topic"), '
            f"baselines = {r_package.literal(self.baselines)}{given})$table)\n"
        )


_SHOW = """show <- function(table) {
  exact <- vapply(table, is.double, NA)
  table[exact] <- lapply(table[exact], sprintf, fmt = "%.17g")
  write.csv(table, row.names = FALSE)
  cat("----\\n")
}
"""


def run_in_r(code: str, folder: Path, loading: str, language: str = "en") -> list[pd.DataFrame]:
    """Return the tables that R code shows, where R speaks a language."""
    (folder / "run.R").write_text(loading + _SHOW + code)
    env = {**os.environ, "LC_ALL": "C.UTF-8", "LANGUAGE": language}
    done = subprocess.run([*RSCRIPT, "run.R"], cwd=folder, capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    parts = done.stdout.split("----\n")[:-1]
    return [
        pd.read_csv(io.StringIO(part), keep_default_na=True, na_values=["NA"]) for part in parts
    ]


def sourced() -> str:
    """Return R code that reads the files of the package."""
    return "".join(f'source("{file}")\n' for file in sorted((r_package.PACKAGE / "R").glob("*.R")))


def settings_in_r(settings: dict[str, Any]) -> str:
    """Return further arguments of a call in R."""
    return "".join(f", {key} = {r_package.literal(value)}" for key, value in settings.items())


def distances(python: pd.DataFrame, r: pd.DataFrame) -> Iterator[float]:
    """Yield the difference of each number that both have, relative to it where it is not near 0."""
    assert list(python["system_a"]) == list(r["system_a"].astype(str))
    tested = python["p_value"].notna().to_numpy()
    for name in (*_NUMBERS, *_EFFECTS):
        a, b = python[name].to_numpy(float)[tested], r[name].to_numpy(float)[tested]
        np.testing.assert_array_equal(np.isnan(a), np.isnan(b), err_msg=name)
        there = np.isfinite(a)
        np.testing.assert_array_equal(a[~there], b[~there], err_msg=name)
        floor = _ABSOLUTE / _RELATIVE if not name.startswith("p_") else 1e-290
        yield from np.abs(a[there] - b[there]) / np.maximum(np.abs(a[there]), floor)


def largest(jobs: list[Job], folder: Path, loading: str) -> tuple[int, float]:
    """Return how many numbers are compared, and their largest relative difference."""
    code = "".join(job.in_r(k, folder) for k, job in enumerate(jobs))
    tables = run_in_r(code, folder, loading)
    found = [
        distance
        for job, table in zip(jobs, tables, strict=True)
        for distance in distances(job.in_python(), table)
    ]
    return len(found), max(found)


@pytest.fixture(scope="session")
def installed(rinterface: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return R code that loads the package, which is installed in a folder."""
    library = tmp_path_factory.mktemp("library")
    command = ["R", "CMD", "INSTALL", "--no-docs", f"--library={library}", r_package.PACKAGE]
    subprocess.run(command, check=True, capture_output=True)
    return f'library(cdfscore, lib.loc = "{library}")\n'


def of_bundled() -> list[Job]:
    """Return a job for each test, on raw and standardized scores of ten bundled systems."""
    scores = datasets.load_cranfield("ap").iloc[:, ::7]
    chosen = [
        test.chosen({**test.example, **({"B": 500} if test.draws else {})}) for test in _TESTS
    ]
    return [Job(each, scores, scheme) for each in chosen for scheme in ("raw", "normal")]


def test_the_package_is_made_from_the_source_of_today() -> None:
    """`make tables` renews it; and there are no other help pages of schemes and tests."""
    files = r_package.files()
    for path, text in files.items():
        assert path.read_text(encoding="utf-8") == text, path
    made = {
        path for path in (r_package.PACKAGE / "man").iterdir() if "% Generated" in path.read_text()
    }
    assert made == {path for path in files if path.parent.name == "man"}
    assert f"\nVersion: {__version__}\n" in (r_package.PACKAGE / "DESCRIPTION").read_text()


@pytest.mark.parametrize("tests", [("paired_t",), pytest.param(None, marks=pytest.mark.long)])
def test_recorded_numbers_are_those_of_today(tests: tuple[str, ...] | None) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        recorded = r_package.recorded(tests)
    path = r_package.RECORDED / "recorded.csv"
    now, then = (pd.read_csv(each) for each in (io.StringIO(recorded[path]), path))
    if tests is not None:
        then = then[~then["name"].isin(set(significance_tests.names()) - set(tests))]
    pd.testing.assert_frame_equal(now, then.reset_index(drop=True), rtol=1e-9)
    scores = datasets.load_cranfield("ap").iloc[:3, :30]
    for scheme in r_package.FACTORS:
        factors = load_factors(r_package.RECORDED / f"factors_{scheme.split(':')[0]}.json")
        expected = Standardizer(scheme).standardize(scores).scores
        pd.testing.assert_frame_equal(factors.transform(scores), expected, rtol=1e-12)


@pytest.mark.clause("compare.7")
def test_compare_systems_has_the_numbers_of_compare(rinterface: ModuleType, tmp_path: Path) -> None:
    """Of some tests here; of all below. Mann-Whitney's has ties by compare.7."""
    names = ("paired_t", "mann_whitney", "tukey_hsd", "friedman")
    scores = datasets.load_cranfield("ap").iloc[:40, :4]
    jobs = [Job(significance_tests.load(each).chosen({}), scores, "z") for each in names]
    _, distance = largest(jobs, tmp_path, sourced())
    assert distance < _RELATIVE


@pytest.mark.long
def test_the_page_for_r_users_prints_what_it_says(installed: str, tmp_path: Path) -> None:
    page = (r_package.ROOT / "docs" / "for_r_users.md").read_text(encoding="utf-8")
    [(code, said)] = re.findall(
        r"^```r\nlibrary\(cdfscore\)\n(.*?)^```\n\n```\n(.*?)^```", page, re.M | re.S
    )
    (tmp_path / "page.R").write_text(installed + code)
    done = subprocess.run([*RSCRIPT, "page.R"], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == said


@pytest.mark.long
def test_every_test_has_the_numbers_of_compare(installed: str, tmp_path: Path) -> None:
    count, distance = largest(of_bundled(), tmp_path, installed)
    print(f"{count:,} numbers of the bundled matrix, largest difference {distance:.1e}")
    assert distance < _RELATIVE


@pytest.mark.long
def test_comparisons_of_real_matrices(installed: str, tmp_path: Path, shared_data: Path) -> None:
    jobs = [job for matrix in read_matrices(shared_data) for job in _of_matrix(matrix)]
    count, distance = largest(jobs, tmp_path, installed)
    print(f"{count:,} numbers of {len(jobs):,} comparisons, largest difference {distance:.1e}")
    assert distance < _RELATIVE


def _of_matrix(matrix: Matrix) -> list[Job]:
    """Return a job of all pairs, and three of other tests on five systems."""
    frame = pd.DataFrame(matrix.scores, matrix.topics, matrix.systems)
    few = frame.iloc[:, :: -(-frame.shape[1] // 5)]
    of = {
        name: significance_tests.load(name).chosen({})
        for name in ("wilcoxon_signed_rank", "mann_whitney", "tukey_hsd")
    }
    return [
        Job(significance_tests.load("paired_t").chosen({}), frame, "empirical"),
        *(Job(chosen, few, "normal") for chosen in of.values()),
    ]


def _odd_matrices() -> dict[str, pd.DataFrame]:
    """Return matrices on which tests have no p value, or for some pairs."""
    draws = np.random.default_rng(5)

    def drawn(topics: int, systems: int = 3) -> pd.DataFrame:
        values = draws.integers(1, 999, (topics, systems)) / 1000
        labels = [f"t{k}" for k in range(topics)], [f"s{k}" for k in range(systems)]
        return pd.DataFrame(values, *labels)

    def gap(of: pd.DataFrame, topics: slice, system: int) -> pd.DataFrame:
        found = of.copy()
        found.iloc[topics, system] = np.nan
        return found

    whole = drawn(8)
    return {
        **{f"{n} topics": drawn(n) for n in (1, 2, 3)},
        "one system": drawn(8, 1),
        "two systems": drawn(8, 2),
        "an identical pair": whole.assign(s1=whole["s0"]),
        "identical systems": whole.assign(s1=whole["s0"], s2=whole["s0"]),
        "two identical systems": whole.assign(s1=whole["s0"])[["s0", "s1"]],
        "a constant difference": whole.assign(s1=whole["s0"] + 0.125),
        "constant scores": whole * 0 + 0.5,
        "a constant system": whole.assign(s1=0.5),
        "a constant topic": whole.T.assign(t3=0.5).T,
        "a missing score": gap(whole, slice(2, 3), 1),
        "a missing topic": whole.T.assign(t3=np.nan).T,
        "a missing system": gap(whole, slice(None), 1),
        "a missing system of two": gap(whole, slice(None), 1)[["s0", "s1"]],
        "a single score": gap(whole, slice(1, None), 0),
        "no common topic": gap(gap(whole, slice(4), 0), slice(4, None), 1),
        "no score": whole * np.nan,
    }


#: Sentences of the package and of the twins, and none of R, whose language is that of the user.
_REASONS = (
    r"|\d (pairs?|scores? of [xy]|topics?), but at least \d (is|are) needed|it has no p value"
    r"|(the|all) (data|differences|scores|residuals) .*(constant|0|equal|rounding)"
    r"|each sample has only one score|the (scores of one sample|systems) .*(all equal|all topics)"
)


@pytest.mark.clause("compare.7")
def test_odd_matrices_have_the_p_values_or_the_error_of_compare(
    rinterface: ModuleType, tmp_path: Path, *, long: bool
) -> None:
    """By every test. Without a p value both say why; with one all other numbers are equal."""
    cases: list[tuple[str, SignificanceTest[Any], pd.DataFrame | str]] = []
    code = ""
    for number, (name, scores) in enumerate(_odd_matrices().items()):
        scores.rename_axis("topic").to_csv(tmp_path / f"{number}.csv")
        for test in _TESTS if long else _TESTS[number % 3 :: 3]:
            settings = {**test.example, **({"B": 99} if test.draws else {})}
            baselines = list(scores.columns[-1:]) if needs_baseline(test) else []
            try:
                found = _compared(scores, test, settings, baselines, missing="omit").table
            except CdfscoreError as error:
                found = str(error)
            cases.append((f"{test.name} of {name}", test, found))
            code += (
                f'show(tryCatch(compare_systems(read_matrix("{number}.csv"), "{test.name}", '
                f'how = list(missing = "omit"), baselines = {r_package.literal(baselines)}'
                f"{settings_in_r(settings)})$table, error = function(e) data.frame(said = "
                "conditionMessage(e))))\n"
            )
    tables = run_in_r(code, tmp_path, sourced(), GERMAN)
    for (name, test, found), table in zip(cases, tables, strict=True):
        if isinstance(found, str):
            [said] = table["said"]
            words = re.split(r"[;,:]", found.replace("'", ""))
            assert any(part.strip() in said for part in words), (name, found, said)
            continue
        assert "said" not in table, (name, table)
        untested = found["p_value"].isna().to_numpy()
        np.testing.assert_array_equal(table["p_value"].isna(), untested, err_msg=name)
        np.testing.assert_array_equal(table["n"], found["n"], err_msg=name)
        reasons = table["reason"].astype(object).fillna("").astype(str)
        np.testing.assert_array_equal(reasons != "", untested, err_msg=name)
        assert all(re.fullmatch(_REASONS, reason) for reason in reasons), (name, {*reasons})
        if not test.draws and not untested.all():
            assert max(distances(found, table)) < _RELATIVE, name


#: What is put in the place of an entry; `...` stands for no entry.
_ODD: tuple[Any, ...] = (..., None, True, -1.5, "odd", [], {}, [1], [0.5, 0.4], ["a"], {"a": 1})


def damaged(text: str) -> Iterator[tuple[str, str]]:
    """Yield texts of damaged files of factors, each with what was done."""
    whole = json.loads(text)
    whole["content_digest"] = None
    topic = next(iter(whole["topics"]))
    for path in (
        *((name,) for name in whole if name not in ("cdfscore", "content_digest")),
        *(("settings", name) for name in whole["settings"]),
        *(("topics", topic, name) for name in whole["topics"][topic]),
    ):
        for odd in (*_ODD, math.nan):
            found = copy.deepcopy(whole)
            at = functools.reduce(dict.__getitem__, path[:-1], found)
            if odd is ...:
                del at[path[-1]]
            else:
                at[path[-1]] = odd
            yield f"{'.'.join(path)} = {odd}", json.dumps(found)
    for what, path, odd in (
        ("an unknown parameter", ("topics", topic, "nope"), 1.5),
        ("a topic without a name", ("topics", ""), whole["topics"][topic]),
        ("a dropped topic", ("dropped",), [topic]),
        ("an unfitted topic", ("unfitted_topics",), {topic: "reason"}),
        ("systems of a name", ("systems",), [whole["systems"][0]] * 2),
        ("a system without a name", ("systems",), ["", "a"]),
        ("a measure without a name", ("measure",), " "),
    ):
        found = copy.deepcopy(whole)
        functools.reduce(dict.__getitem__, path[:-1], found)[path[-1]] = odd
        yield what, json.dumps({**found, "positions": None, "unfitted": "nan"})
    for name, values in whole["topics"][topic].items():
        if isinstance(values, list):
            for of, odd in {
                "shorter": values[:-1],
                "falling": values[::-1],
                "null": [None, *values[1:]],
                "nested": [values[:1], *values[1:]],
            }.items():
                found = copy.deepcopy(whole)
                found["topics"][topic][name] = odd
                yield f"{name} {of}", json.dumps(found)
    plain = json.dumps(whole)
    for at in (1, 10, len(plain) // 3, len(plain) // 2, len(plain) - 1):
        yield f"the first {at} characters", plain[:at]
    for before, after in {
        f'"{topic}": {{"n"': f'"{topic}": {{}}, "{topic}": {{"n"',
        '"missing"': '"constant"',
        '"n": ': '"n": 0',
        '"n": 3': '"n": +3',
        '"AP"': '"A\\qP"',
        '"measure"': "'measure'",
        "{": "// factors\n{",
        '"version": 3': '"version": 4',
    }.items():
        assert before in plain
        yield f"{after} for {before}", plain.replace(before, after, 1)
    yield "a comma at the end", plain[:-1] + ",}"
    yield "two documents", plain + plain


@pytest.mark.clause("factors_json.1", "factors_json.4")
def test_damaged_factors_are_refused_in_one_sentence_by_both(
    rinterface: ModuleType, tmp_path: Path, *, long: bool
) -> None:
    cases, code = [], ""
    step = 1 if long else 4  # another quarter of the damages for each scheme
    scores = datasets.load_cranfield("ap").iloc[:3, :30].clip(0.01, 0.99).round(1)
    for shift, scheme in enumerate([*r_package.FACTORS, *schemes.names()]):
        file = r_package.RECORDED / f"factors_{scheme.split(':')[0]}.json"
        if scheme in schemes.names():  # of these the parameters alone
            file = tmp_path / "whole.json"
            save_factors(Standardizer(scheme, unfitted="nan").fit(scores, measure="AP"), file)
        whole = damaged(file.read_text(encoding="utf-8"))
        every = [each for each in whole if ":" in scheme or "topics." in each[0] or " " in each[0]]
        for what, text in itertools.islice(every, shift % step, None, step):
            path = tmp_path / f"{len(cases)}.json"
            path.write_text(text, encoding="utf-8")
            cases.append((f"{scheme}: {what}", refused(partial(load_factors, path))))
            code += (
                f"show(data.frame(said = tryCatch({{\nread_factors('{path.name}')\n''\n}}, "
                "error = conditionMessage)))\n"
            )
    assert sum(wrong for _, wrong in cases) > 1000 // step
    for number, ((what, wrong), table) in enumerate(
        zip(cases, run_in_r(code, tmp_path, sourced()), strict=True)
    ):
        said = table["said"].astype(object).fillna("")[0]
        assert (said != "") == wrong, (what, said)
        if said:
            assert re.match(rf"{number}\.json\b[^\n]+$", said), (what, said)


#: Values that few settings accept.
_WRONG = (None, math.nan, math.inf, -7.5, True, "", "nope", "or", "more", "1", [0.5, 0.6], [])
#: Settings that are accepted alone, and not together.
_APART: list[tuple[str, dict[str, Any]]] = [
    ("truncated_normal", {"low": 1}),
    ("logspline", {"low": 2, "high": 1}),
    ("kernel", {"boundary": "beta", "kernel": "cosine"}),
    ("kernel", {"boundary": "beta", "bandwidth": 1e-9}),
    ("kernel", {"boundary": "reflection", "bandwidth": 5}),
    *(
        ("zero_inflated", {"family": family})
        for family in (
            *("z", "zero_inflated", "gamma(a=1)", "kernel(1)", "kernel(bandwidth", "N-std"),
            *(
                "kernel(bandwidth=0)",
                "from_scipy(dist=gamma)",
                "uniform(A=1;A=2)",
                "uniform(A=True)",
            ),
        )
    ),
    *(("from_scipy", {"dist": dist}) for dist, row in LAWS.items() if row.needs),
    ("from_scipy", {"f1": 2}),
    ("from_scipy", {"dist": "t", "f0": 0.5}),
    ("from_scipy", {"dist": "t", "fscale": 1}),
    ("from_scipy", {"dist": "beta", "floc": 0, "fscale": 1, "f0": 2}),
    ("from_scipy", {"dist": "gamma", "floc": 0, "f0": 0}),
]


def refused(use: Callable[[], object]) -> bool:
    try:
        use()
    except CdfscoreError:
        return True
    return False


def test_settings_that_python_refuses_are_refused_in_one_sentence(
    rinterface: ModuleType, tmp_path: Path, *, long: bool
) -> None:
    """Each setting of every scheme and test by itself, and some of them together.

    Without --long, a third of the values of each setting.
    """
    scores = datasets.load_cranfield("ap").iloc[20:24, :12].clip(0.01, 0.99)
    scores.to_csv(tmp_path / "scores.csv")
    cases = []
    step = 1 if long else 3
    for number, name in enumerate(schemes.names()):
        own = schemes.load(name)
        alone = [{key: value} for key in settings_of_scheme(own) for value in _WRONG]
        alone = [*alone[number % step :: step], {"nope": 1}]
        given = [*alone, *(together for of, together in _APART if of == name)]
        for settings in given:
            call = f'standardize(scores, "{name}", unfitted = "nan"{settings_in_r(settings)})'
            wrong = "nope" in settings or refused(partial(own, **settings))
            cases.append((name, settings, wrong, call))
    for number, test in enumerate(_TESTS):
        baselines = list(scores.columns[-1:]) if needs_baseline(test) else []
        few = {"B": 9} if test.draws else {}
        values = [(key, value) for key in test.setting_names for value in _WRONG]
        for key, value in [*values[number % step :: step], ("nope", 1)]:
            settings = {**test.example, **few, key: value}
            call = (
                f'compare_systems(scores, "{test.name}", '
                f"baselines = {r_package.literal(baselines)}{settings_in_r(settings)})"
            )
            by_python = partial(_compared, scores, test, settings, baselines)
            cases.append((test.name, {key: value}, refused(by_python), call))
    code = 'scores <- read_matrix("scores.csv")\n' + "".join(
        f"show(data.frame(said = tryCatch({{\n{call}\n'accepted'\n}}, error = conditionMessage)))\n"
        for *_, call in cases
    )
    assert sum(wrong for *_, wrong, _ in cases) > 1000 // step
    tables = run_in_r(code, tmp_path, sourced())
    for (name, settings, wrong, call), table in zip(cases, tables, strict=True):
        [said] = table["said"]
        assert (said != "accepted") == wrong, (call, said)
        if wrong:
            assert re.match(rf"{name}\b.*(expected|needs|twice|below|itself)", said), (call, said)
            needed = {"dist": "f"} if len(settings) == 1 and "dist" in settings else settings
            assert any(key in said for key in [*settings, *needed.values()]), (call, said)
            assert "\n" not in said


def _compared(
    scores: pd.DataFrame,
    test: SignificanceTest[Any],
    settings: dict[str, Any],
    baselines: list[str],
    missing: MissingPolicy = "raise",
) -> Comparison:
    scheme = Standardizer("raw", missing=missing)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compare(scores, test.chosen(settings), scheme=scheme, baselines=baselines)


@pytest.mark.clause("factors_json.1", "factors_json.2")
@pytest.mark.parametrize(
    "spelled",
    [
        ("normal", "kernel"),
        pytest.param(
            [
                *schemes.names(),
                *r_package.FACTORS,
                "logspline:penalty=2,high=1",
                "zero_inflated:family=beta(method=moments),at=0.25",
                "zero_inflated:family=logspline(low=0)",
                *(
                    f"from_scipy:dist={dist}{_HELD.get(row.needs, '')}"
                    for dist, row in LAWS.items()
                ),
            ],
            marks=pytest.mark.long,
        ),
    ],
)
def test_factors_go_from_each_language_to_the_other(
    rinterface: ModuleType, tmp_path: Path, spelled: list[str]
) -> None:
    scores = datasets.load_cranfield("ap").iloc[:5, :20].clip(0.01, 0.99)
    scores.iloc[2] = 0.25  # a constant topic
    code = ""
    for k, scheme in enumerate(map(parse_scheme, spelled)):
        own = (scores * 10).round() / 10 if scheme.name == "beta_binomial" else scores.copy()
        if scheme.name == "zero_inflated":
            own = own.where(own > 0.2, 0.25)
            own.iloc[3] = scheme.settings()["at"]
        own.to_csv(tmp_path / f"{k}.csv")
        fitted = Standardizer(scheme, unfitted="nan").fit(own, measure="AP")
        save_factors(fitted, tmp_path / f"{k}.json")
        given = settings_in_r(scheme.settings())
        code += (
            f'scores <- read_matrix("{k}.csv")\n'
            f'fitted <- fit_factors(scores, "{scheme.name}"{given}, unfitted = "nan")\n'
            f'write_factors(fitted, "{k}_r.json")\n'
            f'show(as.data.frame(apply_factors(read_factors("{k}.json"), scores)))\n'
        )
    tables = run_in_r(code, tmp_path, sourced())
    for k, (scheme, table) in enumerate(zip(spelled, tables, strict=True)):
        own = pd.read_csv(tmp_path / f"{k}.csv", index_col="topic", dtype={"topic": str})
        expected = load_factors(tmp_path / f"{k}.json").transform(own).to_numpy()
        assert np.isfinite(expected).mean() > 0.6, scheme
        by_python = load_factors(tmp_path / f"{k}_r.json").transform(own).to_numpy()
        np.testing.assert_allclose(table.to_numpy(float), expected, rtol=1e-7, err_msg=scheme)
        atol = 5e-7 if parse_scheme(scheme).tolerance is SEARCHED else 0
        np.testing.assert_allclose(by_python, expected, rtol=1e-7, atol=atol, err_msg=scheme)


def test_what_factors_say_of_their_scores_goes_through_r(
    rinterface: ModuleType, tmp_path: Path
) -> None:
    scores = datasets.load_cranfield("ap").iloc[:6, :20]
    scores = pd.DataFrame(scores.to_numpy(), [f"t{i}" for i in range(6)], [*scores.columns])
    scores.index.name = "task"
    parts = [Standardizer("normal").fit(part) for part in (scores[:3], scores[3:])]
    own = replace(parts[0].joined(parts[1]), doubts=("One model is odd",))
    assert own.units == ("model", "task")
    save_factors(own, tmp_path / "own.json")
    run_in_r('write_factors(read_factors("own.json"), "r.json")', tmp_path, sourced())
    found = load_factors(tmp_path / "r.json")
    assert (found.units, found.doubts) == (own.units, own.doubts)
    of_sets = [[(each.topics, each.systems) for each in part.sets] for part in (own, found)]
    assert of_sets[0] == of_sets[1]


#: Each argument of the exported functions gets each odd value; the table has what is said of it.
#: Settings of schemes and tests are in the test of settings.
_ODD_ARGUMENTS = """
scores <- read_matrix("scores.csv")
given <- alist(scores = scores, x = scores[, 1], y = scores[, 2], baselines = "s1", margin = 0.05,
               factors = fit_factors(scores, "normal"), file = "scores.csv", path = "scores.csv",
               sets = list("8" = list(offset = 0)), B = 9)
odd <- alist(NULL, NA, NA_character_, "", "no/where", c("a", "b"), list(), list(1), list("omit"),
             list(scheme = "z"), list(missing = "omit", missing = "omit"), c(missing = "no/where"),
             -1, 1.5, Inf, c(1, 2), mean, quote(x), TRUE, c(TRUE, FALSE), factor("z"),
             matrix("no/where"), matrix(0, 0, 0), data.frame())
pdf(NULL)
rows <- list()
for (name in c(EXPORTED, "print.compare_systems", "plot.compare_systems")) {
  arguments <- formals(get(name))
  needed <- vapply(arguments, function(each) identical(each, quote(expr = )), NA)
  few <- intersect(names(arguments), "B"[grepl("_test$", name)])
  call <- given[names(given) %in% c(names(arguments)[needed], few)]
  if (all(c("x", "scores") %in% names(arguments))) call$scores <- call$x
  if (grepl("[.]compare_systems$", name)) call$x <- compare_systems(scores)
  if (name == "read_factors") call$file <- "f.json"
  if (name == "write_factors") call$file <- "g.json"
  own <- intersect(names(arguments), c("scores", "x", "y", "baselines", "draws"))
  if (!grepl("^p[a-z_0-9]+$|_test$", name)) own <- setdiff(names(arguments), "...")
  if (grepl("[.]compare_systems$", name)) own <- setdiff(own, "x")
  for (argument in own) for (value in odd) {
    asked <- call
    asked[argument] <- list(value)
    said <- tryCatch({
      suppressWarnings(capture.output(eval(as.call(c(as.name(name), asked)))))
      "accepted"
    }, error = conditionMessage)
    rows[[length(rows) + 1]] <- data.frame(of = name, argument, said,
                                           value = paste("=", deparse(value)[1]))
  }
}
show(do.call(rbind, rows))
"""

#: Values that an argument accepts, in some functions at least, as R spells them.
_ACCEPTED = {
    "lower_is_better": ("TRUE",),
    "measure": ("NULL", '"no/where"', 'c(missing = "no/where")'),
    "scores": ("-1", "1.5", "c(1, 2)"),
    "systems_as_rows": ("TRUE",),
    "x": ("NA", "-1", "1.5", "Inf", "c(1, 2)"),
    "y": ("-1", "1.5", "c(1, 2)"),
    "how": ("list()", "data.frame()"),
    "effect": ("NULL", '""'),
    "digits": ("NULL",),
    "rows": ("Inf",),
    **dict.fromkeys(("adjust", "baselines", "draws", "reference"), ("NULL",)),
}


def test_every_argument_is_refused_in_one_sentence_that_names_it(
    rinterface: ModuleType, tmp_path: Path
) -> None:
    """The sentence is that of the package, whatever language R speaks."""
    scores = datasets.load_cranfield("ap").iloc[20:32, :4].clip(0.01, 0.99)
    scores.set_axis(["s1", "s2", "s3", "s4"], axis=1).to_csv(tmp_path / "scores.csv")
    save_factors(Standardizer("normal").fit(scores, measure="AP"), tmp_path / "f.json")
    namespace = (r_package.PACKAGE / "NAMESPACE").read_text(encoding="utf-8")
    exported = re.findall(r"^export\((.+)\)$", namespace, re.M)
    code = _ODD_ARGUMENTS.replace("EXPORTED", r_package.literal(exported))
    [english], [german] = (run_in_r(code, tmp_path, sourced(), each) for each in ("en", GERMAN))
    assert len(english) > 3000
    for row, in_german in zip(english.itertuples(), german["said"], strict=True):
        assert row.said == in_german, row
        if row.said == "accepted":
            lists = row.argument == "sets" and row.value.startswith(("= list", "= data.frame"))
            assert lists or row.value[2:] in _ACCEPTED[row.argument], row
        else:
            named = row.argument.removesuffix("s")
            assert re.search(rf"\b{named}|score is|on \[0, 1\]$", row.said.replace("\n", "?")), row
            assert "\n" not in row.said, row
