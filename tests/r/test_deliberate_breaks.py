"""Deliberate breaks of either side: `verify` is not talked into agreeing by any of them."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cdfscore.r import script
from cdfscore.r.verify import WAYS
from cdfscore.standardization.standardized import Standardized
from cdfscore.stats.effect_size import d_z
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes import Normal, Parameters
from cdfscore.stats.significance import paired_t
from tests.cli.conftest import Run

pytestmark = [pytest.mark.usefixtures("rinterface"), pytest.mark.clause("verify.2", "verify.4")]

VERIFY = ("verify", "s.csv", "--scheme", "normal", "--test", "paired_t")
_SCHEME = "standardize <- function(x, scores) {{ {} }}\n"
_TEST = """significance_test <- function(x, y, alternative, null_value, conf_level) {{
  t <- t.test(x, y, paired = TRUE)
  found <- list(statistic = t$statistic, parameter = t$parameter, p_value = t$p.value,
                conf_low = t$conf.int[1], conf_high = t$conf.int[2], estimate = t$estimate,
                stderr = t$stderr)
  {}
  found
}}
"""
#: A twin of another formula, within no tolerance.
_OTHER = "pnorm(x, median(scores), sd(scores))"
_RIGHT = "pnorm(x, mean(scores), sd(scores))"
_LARGE = {"10^15 ulp": Tolerance(10**15, "far", floor=1.0), "NaN": Tolerance(np.nan, "none")}


@pytest.fixture(autouse=True)
def _scores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    values = np.random.default_rng(4).integers(1, 999, (12, 4)) / 1000
    topics = pd.Index([f"t{k}" for k in range(12)], name="topic")
    pd.DataFrame(values, topics, list("abcd")).to_csv("s.csv")


def scheme_is(code: str, tolerance: object = None) -> Callable[[pytest.MonkeyPatch], None]:
    def change(monkeypatch: pytest.MonkeyPatch) -> None:
        path = Path("own_normal.R").absolute()
        path.write_text(_SCHEME.format(code))
        monkeypatch.setattr(Normal, "twin", staticmethod(lambda: path))
        if tolerance is not None:
            monkeypatch.setattr(Normal, "tolerance", tolerance)

    return change


def test_is(code: str, **tolerances: Tolerance) -> Callable[[pytest.MonkeyPatch], None]:
    def change(monkeypatch: pytest.MonkeyPatch) -> None:
        path = Path("own_t.R").absolute()
        path.write_text(_TEST.format(code))
        monkeypatch.setattr(paired_t, "twin", lambda: path)
        monkeypatch.setattr(paired_t, "tolerances", {**paired_t.tolerances, **tolerances})

    return change


test_is.__test__ = False  # type: ignore[attr-defined]  # for pytest, by its name


def python_has(change: Callable[[Standardized], Any], name: str) -> Callable[..., None]:
    """Return a change of a number of Python before it is compared."""

    def apply(monkeypatch: pytest.MonkeyPatch) -> None:
        right = getattr(Standardized, name)
        monkeypatch.setattr(Standardized, name, property(lambda self: change(right.__get__(self))))

    return apply


def another_mean(means: pd.DataFrame) -> pd.DataFrame:
    return means.assign(mean=means["mean"] * (1 + 1e-9))


def a_nan(scores: pd.DataFrame) -> pd.DataFrame:
    return scores.mask(np.arange(scores.size).reshape(scores.shape) == 7)


_NEAR = Tolerance(Tolerance.MOST, "as far as is accepted", floor=1.0)
BREAKS = {
    "a twin of another formula": (scheme_is(_OTHER), 1, "tolerance: standardized score"),
    "a constant twin": (scheme_is("rep(0.5, length(x))"), 2, "R stops: the data are constant"),
    **{
        f"a tolerance of {name}": (scheme_is(_OTHER, tolerance), 2, "normal: the tolerance: ")
        for name, tolerance in _LARGE.items()
    },
    "a tolerance that is a number": (scheme_is(_OTHER, 64), 2, "tolerance is 64"),
    "a twin that stops": (scheme_is("stop('no luck')"), 2, "topic t0: no luck"),
    "a twin that warns": (scheme_is("as.numeric('x')"), 2, "NAs introduced by coercion"),
    "a twin that quits": (scheme_is("quit(status = 0)"), 2, ""),
    "a twin that prints": (scheme_is(f"print(1); {_RIGHT}"), 2, "such as output of a twin"),
    "a twin with too few numbers": (scheme_is("x[-1]"), 2, "3 values of type double; expected 4"),
    "an infinite score": (
        scheme_is(f"replace({_RIGHT}, 1, Inf)"),
        1,
        "tolerance: standardized score",
    ),
    "another p value": (
        test_is("found$p_value <- found$p_value + 2e-6", p_value=_NEAR, p_adjusted=_NEAR),
        1,
        "by more than 1e-06: p value, p adjusted",
    ),
    "a constant p value": (test_is("found$p_value <- 0.5"), 1, "in a decision at 0.05: p value"),
    "a decision": (test_is("found$p_value <- 0"), 1, "in a decision at 0.05: p value, p adj"),
    "a p value that is missing": (
        test_is("found$p_value <- NA"),
        1,
        "R's test fails on 'a - b' (6 times): it has no p value",
    ),
    "a dropped pair": (
        test_is("if (x[1] < y[1]) stop('this pair is not tested')"),
        1,
        "times): this pair is not tested",
    ),
    "no pair": (test_is("stop('no pair is tested')"), 2, "R stops: no pair is tested"),
    "a statistic left out": (test_is("found$statistic <- NULL"), 1, "tolerance: statistic"),
    "two statistics": (test_is("found$statistic <- 1:2"), 2, "R stops"),
    "an infinite interval": (test_is("found$conf_low <- -Inf"), 1, "tolerance: conf low"),
    "the sign of an estimate": (test_is("found$estimate <- -found$estimate"), 1, "estimate"),
    "a mean of Python": (python_has(another_mean, "means"), 1, "tolerance: system mean"),
    "a NaN of Python": (python_has(a_nan, "scores"), 1, "tolerance: standardized score"),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("via", WAYS)
@pytest.mark.parametrize("name", BREAKS)
def test_every_break_is_caught(
    cdfscore: Run, monkeypatch: pytest.MonkeyPatch, name: str, via: str
) -> None:
    change, status, said = BREAKS[name]
    change(monkeypatch)
    done = cdfscore(*VERIFY, "--via", via)
    assert done.status == status, done.out + done.err
    assert said in done.out + done.err
    assert "agrees with R" not in done.out
    if status == 2:
        assert done.out == ""


def changed_twin(of: Any, before: str, after: str) -> Callable[[pytest.MonkeyPatch], None]:
    def change(monkeypatch: pytest.MonkeyPatch) -> None:
        path, text = Path("own_twin.R").absolute(), of.twin().read_text(encoding="utf-8")
        assert before in text
        path.write_text(text.replace(before, after, 1), encoding="utf-8")
        monkeypatch.setattr(of, "twin", lambda: path)

    return change


_WARNS = "warning('an odd sample'); "
SAID = {
    "a test": (test_is(_WARNS), ("--test", "paired_t"), "R's test warns (6 times): an odd sample"),
    "an effect size": (
        changed_twin(d_z, "n <- length(d)", f"{_WARNS}n <- length(d)"),
        ("--test", "paired_t"),
        "R warns (6 times): an odd sample",
    ),
    "second scores": (
        scheme_is(f"if (scores[1] == 0.5) stop('no fit'); {_RIGHT}"),
        ("--correlate", "other.csv", "--unfitted", "drop_topic"),
        "R stops on topic 't3': no fit",
    ),
    "a diagnosis": (
        scheme_is(f"if (length(scores) < 4) {{ {_WARNS}}}; {_RIGHT}"),
        ("--diagnose",),
        "times): an odd sample",
    ),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("via", WAYS)
@pytest.mark.parametrize("name", SAID)
def test_what_r_warns_of_is_a_note(
    cdfscore: Run, monkeypatch: pytest.MonkeyPatch, name: str, via: str
) -> None:
    other = pd.read_csv("s.csv", index_col="topic")
    other.loc["t3", "a"] = 0.5
    other.to_csv("other.csv")
    change, options, said = SAID[name]
    change(monkeypatch)
    done = cdfscore("verify", "s.csv", "--scheme", "normal", *options, "--via", via)
    assert said in " ".join(done.err.split())


@pytest.mark.parametrize("via", WAYS)
def test_a_decision_next_to_alpha_is_caught_within_the_tolerance(
    cdfscore: Run, monkeypatch: pytest.MonkeyPatch, via: str
) -> None:
    scores = pd.read_csv("s.csv", index_col="topic")
    y = Normal().fit(scores.to_numpy())(scores.to_numpy())
    alpha = float(paired_t(y[:, 0], y[:, 1]).p_value) + 1e-7
    test_is("found$p_value <- found$p_value + 2e-7", p_value=_NEAR, p_adjusted=_NEAR)(monkeypatch)
    options = (*VERIFY, "--adjust", "none", "--via", via)
    assert cdfscore(*options).status == 0
    done = cdfscore(*options, "--alpha", repr(alpha))
    assert done.status == 1
    assert f"in a decision at {alpha!r}: p value, p adjusted" in done.out


@pytest.mark.parametrize("via", WAYS)
def test_edited_factors_are_caught(
    cdfscore: Run, monkeypatch: pytest.MonkeyPatch, via: str
) -> None:
    """By their digest, and by their numbers if the digest is that of the edited numbers."""
    fit = ("standardize", "s.csv", "--scheme", "normal", "-o", "y.csv", "--save-factors", "f.json")
    verify = ("verify", "s.csv", "--factors", "f.json", "--via", via)
    with monkeypatch.context() as patched:
        right = Normal.estimate

        def estimate(self: Normal, scores: Array) -> Parameters:
            found = right(self, scores)
            return {**found, "mean": found["mean"] + 1e-6}

        patched.setattr(Normal, "estimate", estimate)
        assert cdfscore(*fit).status == 0
    done = cdfscore(*verify)
    assert done.status == 1
    assert "by more than the tolerance: standardized score, system mean" in done.out
    found = json.loads(Path("f.json").read_text())
    found["topics"]["t3"]["mean"] += 1e-6
    Path("f.json").write_text(json.dumps(found))
    done = cdfscore(*verify)
    assert (done.status, done.out) == (2, "")
    assert "f.json" in done.err


def test_what_a_twin_defines_for_all_changes_no_function_of_ours(
    cdfscore: Run, monkeypatch: pytest.MonkeyPatch, rinterface: ModuleType
) -> None:
    names = ("colMeans", "p.adjust")
    redefined = "; ".join(f"assign('{name}', function(...) 0, globalenv())" for name in names)
    scheme_is(f"{redefined}; {_RIGHT}")(monkeypatch)
    try:
        assert cdfscore(*VERIFY).status == 0
        assert cdfscore(*VERIFY, "--via", "rscript").status in (1, 2)
    finally:
        rinterface.baseenv["rm"](*names, envir=rinterface.globalenv)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda lines: lines[:-1], "R has other systems than Python for the effect high"),
        (lambda lines: lines[:20], "cannot be read"),
        (lambda lines: [*lines, lines[-1]], "cannot be read"),
        (lambda lines: [each for each in lines if "p value" not in each], "R has the quantities"),
        (lambda lines: [each for each in lines if '"t3"' not in each], "R has other topics"),
        (lambda lines: [each for each in lines if '"d"' not in each], "R has other systems"),
        (lambda lines: [each.replace('"a - b"', '"a - x"') for each in lines], "other systems"),
        (lambda lines: [each.rpartition(",")[0] + ",x" for each in lines], "cannot be read"),
        (lambda lines: lines[:1], "cannot be read"),
        (lambda lines: [], "cannot be read"),
        (lambda lines: [*lines, 'extra,"","a",1'], "R has the quantities"),
        (lambda lines: [lines[0], *lines[:0:-1]], "R has the quantities"),
    ],
)
def test_other_output_of_the_script_is_an_error(
    cdfscore: Run,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[list[str]], list[str]],
    said: str,
) -> None:
    run = subprocess.run

    def changed(*args: Any, **options: Any) -> Any:
        done = run(*args, **options)
        done.stdout = "\n".join(change(done.stdout.decode().splitlines())).encode()
        return done

    monkeypatch.setattr(script.subprocess, "run", changed)
    done = cdfscore(*VERIFY, "--via", "rscript")
    assert (done.status, done.out) == (2, "")
    assert said in done.err


@pytest.mark.one_in(4)
@pytest.mark.parametrize("via", WAYS)
@pytest.mark.parametrize("settings", [False, True])
def test_no_profile_changes_r(cdfscore: Run, tmp_path: Path, via: str, settings: bool) -> None:
    """Neither files of the folder, nor those that variables name."""
    profile = "t.test <- function(...) stop('redefined')\nsd <- function(...) 1\n"
    names = ("R_PROFILE", "R_PROFILE_USER", "R_ENVIRON", "R_ENVIRON_USER")
    environment = dict(os.environ)
    if settings:
        Path("own.R").write_text(profile)
        Path("own.env").write_text("R_DEFAULT_PACKAGES=NULL\n")
        files = {name: "own.R" if "PROFILE" in name else "own.env" for name in names}
        environment |= {name: str(tmp_path / file) for name, file in files.items()}
    else:
        Path(".Rprofile").write_text(profile)
        Path(".Renviron").write_text("R_DEFAULT_PACKAGES=NULL\n")
    if via == "rscript":  # in this process, as R is in another
        with pytest.MonkeyPatch.context() as patch:
            for name in names if settings else ():
                patch.setenv(name, environment[name])
            ran = cdfscore(*VERIFY, "--via", via)
        assert (ran.status, "agrees with R version" in ran.out) == (0, True), ran.err
        return
    command = [sys.executable, "-c", "import cdfscore.cli as c; c.main()", *VERIFY]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "agrees with R version" in done.stdout
