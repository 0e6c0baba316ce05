"""``cdfscore verify``: its table, its script, and its four exit statuses."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cdfscore.comparison import comparison
from cdfscore.r import script, session
from cdfscore.stats.schemes import Empirical, Normal, empirical, normal
from cdfscore.stats.schemes.empirical import count_below
from tests.cli.conftest import Run, Sentence, Write, cases
from tests.noted import without_cautions

SCORES = "topic,bm25,lsa,ql\n301,0.002877,1,0.5\n302,3,1,1\n303,1,1,1\n"
REFERENCE = "topic,r1,r2,r3\n303,0,1,1\n302,0,1,2\n301,0,0,1\n"


@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize("way", [(), ("--via", "rpy2"), ("--via", "rscript")])
def test_agreement_is_status_0(cdfscore: Run, write: Write, way: tuple[str, ...]) -> None:
    write({"s.csv": SCORES, "r.csv": REFERENCE})
    status, out, err = cdfscore(
        "verify", "s.csv", "--scheme", "empirical", "--reference", "r.csv", *way
    )
    assert (status, without_cautions(err)) == (0, "")
    header, scores, means, of_scores, of_means, verdict = out.splitlines()
    assert header.split()[:2] == ["quantity", "count"]
    assert scores.split() == ["standardized", "score", "9", "0", "0", "0", "0"]
    assert means.split()[:3] == ["system", "mean", "3"]
    assert of_scores == f"tolerance of standardized score: {Empirical.tolerance.reason}"
    assert of_means.startswith("tolerance of system mean: R adds rounded scores")
    assert verdict.startswith("agrees with R version ")


OF_TEST = ("--scheme", "normal", "--test", "paired_t", "--against", "statsmodels")


def test_statsmodels_agrees_with_status_0(cdfscore: Run, write: Write) -> None:
    write({"s.csv": SCORES})
    status, out, _ = cdfscore("verify", "s.csv", *OF_TEST)
    assert status == 0
    lines = out.splitlines()
    assert lines[0].split()[-3:] == ["Python", "statsmodels", "at"]
    assert "computed by statsmodels: multipletests: p adjusted" in lines
    assert lines[-2] == "no counterpart: standardized score, 3 numbers"  # of a constant topic
    assert re.fullmatch(
        r"60 numbers agree with statsmodels [\d.]+ and SciPy [\d.]+, in all decisions at 0.05 too; "
        "3 numbers without a counterpart",
        lines[-1],
    )


def test_statsmodels_finds_a_changed_number_with_status_1(
    cdfscore: Run, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write({"s.csv": SCORES})
    right = comparison.adjusted
    monkeypatch.setattr(comparison, "adjusted", lambda p, method: right(p, method) * (1 - 1e-9))
    status, out, _ = cdfscore("verify", "s.csv", *OF_TEST)
    assert status == 1
    assert re.search(
        r"^differs from statsmodels .* by more than the tolerance: p adjusted$", out, re.MULTILINE
    )


def test_statsmodels_without_a_counterpart_is_status_2(cdfscore: Run, write: Write) -> None:
    write({"s.csv": SCORES})
    words = ("--scheme", "normal", "--diagnose", "--against", "statsmodels")
    status, out, err = cdfscore("verify", "s.csv", *words)
    assert (status, out) == (2, "")
    assert "no number of the diagnosis of 2 topics has a counterpart in statsmodels" in err


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("--against foo", "--against foo is not accepted; expected r or statsmodels"),
        ("--against statsmodels --via rpy2", "--via is for R, and --against statsmodels is given"),
        ("--against statsmodels --published s.csv", "--published is for R, and --against"),
        ("--against statsmodels --script a.R", "--script writes R code, and --against statsmodels"),
    ],
)
def test_what_does_not_go_with_statsmodels_is_status_2(
    cdfscore: Run, write: Write, options: str, expected: str
) -> None:
    write({"s.csv": SCORES})
    status, out, err = cdfscore("verify", "s.csv", "--scheme", "z", *options.split())
    assert (status, out) == (2, "")
    assert expected in err


def count_one_less(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(empirical, "count_at_most", count_below)


def divide_by_n(monkeypatch: pytest.MonkeyPatch) -> None:
    def moments(scores):
        return scores.mean(-1, keepdims=True), np.std(scores, -1, ddof=0, keepdims=True)

    monkeypatch.setattr(normal, "mean_and_sd", moments)


@pytest.mark.clause("errors.4")
@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize("way", ["rpy2", "rscript"])
@pytest.mark.parametrize(
    ("scheme", "damage"), [("empirical", count_one_less), ("normal", divide_by_n)]
)
def test_disagreement_is_status_1_and_its_place(
    cdfscore: Run,
    write: Write,
    monkeypatch: pytest.MonkeyPatch,
    scheme: str,
    damage: Callable,
    way: str,
) -> None:
    write({"s.csv": SCORES})
    damage(monkeypatch)
    status, out, err = cdfscore("verify", "s.csv", "--scheme", scheme, "--via", way)
    assert status == 1
    [note] = without_cautions(err).splitlines()
    assert note.startswith("cdfscore: topic 303 is constant in the reference")
    _, scores, _, *reasons, verdict = out.splitlines()
    assert all(reason.startswith("tolerance of ") for reason in reasons)
    assert re.search(r"topic 30[123], system \w+$", scores.rstrip())
    assert re.fullmatch(
        r"differs from R version .* by more than the tolerance: standardized score, system mean",
        verdict,
    )


@pytest.mark.clause("errors.4")
def test_no_r_is_status_3(cdfscore: Run, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    write({"s.csv": SCORES})
    for module in (session, script):
        monkeypatch.setattr(module.shutil, "which", lambda _: None)
    monkeypatch.delenv("R_HOME", raising=False)
    for way in (("--against", "r"), ("--via", "rscript")):
        status, out, err = cdfscore("verify", "s.csv", "--scheme", "z", *way)
        assert (status, out, len(err.splitlines())) == (3, "", 1)
        assert re.search("R(script)? is not installed; install it .*r-base-core", err)


def test_no_rpy2_is_status_3(cdfscore: Run, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    write({"s.csv": SCORES})
    monkeypatch.setattr(session.shutil, "which", lambda _: "/usr/bin/R")
    for module in ("rpy2", "rpy2.rinterface"):  # which another test may have imported
        monkeypatch.setitem(sys.modules, module, None)
    status, out, err = cdfscore("verify", "s.csv", "--scheme", "z", "--via", "rpy2")
    assert (status, out, len(err.splitlines())) == (3, "", 1)
    assert "pip install 'cdfscore[validation]'" in err
    assert "--via rscript" in err


@pytest.mark.usefixtures("rinterface")
@pytest.mark.long
def test_without_rpy2_r_is_run_by_rscript(
    cdfscore: Run, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write({"s.csv": SCORES})
    monkeypatch.setitem(sys.modules, "rpy2", None)
    status, out, err = cdfscore("verify", "s.csv", "--scheme", "z")
    assert status == 0, err
    assert "rpy2 is not installed; R is run by Rscript" in err
    assert "agrees" in out


@pytest.mark.long
@pytest.mark.parametrize("broken", ["R_HOME", "rpy2"])
def test_with_a_broken_rpy2_r_is_run_by_rscript(write: Write, tmp_path: Path, broken: str) -> None:
    write({"s.csv": SCORES})
    environment = {**os.environ, "R_HOME": "/nowhere"} if broken == "R_HOME" else {**os.environ}
    if broken == "rpy2":
        write({"rpy2": None, "rpy2/__init__.py": "raise ImportError('it is broken')\n"})
        environment["PYTHONPATH"] = str(tmp_path)
    words = [sys.executable, "-m", "cdfscore", "verify", "s.csv", "--scheme", "z"]
    done = subprocess.run(
        words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "cdfscore: R cannot be started through rpy2 (" in done.stderr
    assert "); R is run by Rscript, as with --via rscript\n" in done.stderr
    assert "agrees" in done.stdout
    strict = subprocess.run(
        [*words, "--via", "rpy2"], cwd=tmp_path, env=environment, capture_output=True, check=False
    )
    assert strict.returncode == 3


def test_script_is_written_without_r(
    cdfscore: Run, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write({"s.csv": SCORES, "r.csv": REFERENCE})
    for module in (session, script):
        monkeypatch.setattr(module.shutil, "which", lambda _: None)
    monkeypatch.delenv("R_HOME", raising=False)
    status, out, err = cdfscore(
        *("verify", "s.csv", "--reference", "r.csv", "--scheme", "normal"),
        *("--script", "my check.R", "--constant", "half"),
    )
    assert (status, out) == (0, "")
    said = "cdfscore: run the script as: Rscript --vanilla 'my check.R' s.csv r.csv\n"
    assert err.startswith(said)
    assert "cdfscore: with 3 reference systems, fewer than 10, results depend on" in err
    text = (tmp_path / "my check.R").read_text()
    assert 'constant = "half"' in text
    assert str(tmp_path) not in text


@pytest.mark.usefixtures("rinterface")
def test_script_is_written_and_run(cdfscore: Run, write: Write, tmp_path: Path) -> None:
    write({"s.csv": SCORES})
    status, out, _ = cdfscore(
        *("verify", "s.csv", "--scheme", "minmax", "--script", "c.R", "--via", "rscript")
    )
    assert status == 0
    assert "agrees with R" in out
    rscript_path = shutil.which("Rscript")
    done = subprocess.run(
        [rscript_path, "c.R", "s.csv"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[1:4] == [
        'standardized score,"301","bm25",0',
        'standardized score,"302","bm25",1',
        'standardized score,"303","bm25",0.5',
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    cases(
        """
        s.csv --test sign | no scheme is given; expected --scheme | --scheme raw
        s.csv --scheme nromal | did you mean 'normal'?
        s.csv --scheme z --via reticulate | --via reticulate | rpy2 or rscript
        none.csv --scheme z | none.csv cannot be read: No such file
        gap.csv --scheme z | gap.csv | '301' | 'lsa' | --missing|missing=
        s.csv --scheme z --constant half | half is defined for a cdf, not for z
        s.csv --scheme z --constant raise | s.csv | topic '303'
        one.csv --scheme normal | one.csv | '301' | at least 2
        s.csv --scheme z --reference other.csv | '301' | no factors
        s.csv --scheme z --script s.csv | --script would overwrite SCORES
        s.csv --scheme z --reference r.csv --script r.csv | --reference
        p.parquet --scheme z --script OUT.R | not a Parquet file
        x=one.csv --scheme minmax --script OUT.R | the R script cannot rename the system of one.csv
        s.csv --scheme z --script none/c.R | none/c.R cannot be written
        s.csv --scheme z --script folder | folder is a folder
        - --reference - --scheme z | both standard input
        s.csv --scheme z --alpha 0.1 | --alpha needs --test; expected --test too
        s.csv --scheme z --seed 5 | --seed needs --test; expected --test too
        s.csv --scheme z --reference-uncertainty 200 | --reference-uncertainty needs --test;
            expected --test too
        s.csv --scheme z --test sign --diagnose | --test, --diagnose are given
        s.csv --formula score~system --test sign | --test, --formula are given
        s.csv --formula score~system --goal paired_t:difference=0.1 | --formula, --goal are given
        s.csv --correlate r.csv --formula score~system | --formula, --correlate are given
        s.csv --scheme z --correlate other.csv --reference r.csv | --reference and --correlate
            exclude each other
        s.csv --scheme z --random topic | --random needs --formula; expected --formula too
        s.csv --goal paired_t:difference=0.1 --sums-of-squares II | --sums-of-squares needs
        s.csv --formula score~system --method ML | --method needs --random; expected --random too
        s.csv --formula score~system --random topic --sums-of-squares I | --sums-of-squares I is for
            a model without random terms, and --random is given
        s.csv --formula score~system --random topic --method MAP | --method MAP is not accepted
        s.csv --formula score~system --sums-of-squares IV | --sums-of-squares IV is not accepted
        s.csv --scheme uniform --reference r.csv --diagnose | expected no reference and no factors
            of others
        """
    ),
)
def test_bad_input(sentence: Sentence, words: str, said: list[str]) -> None:
    files = {
        "s.csv": SCORES,
        "r.csv": REFERENCE,
        "gap.csv": "topic,bm25,lsa\n301,1,\n",
        "one.csv": "topic,bm25\n301,1\n",
        "other.csv": "topic,r1,r2\n302,0,1\n303,0,1\n",
        "p.parquet": SCORES,
        "folder": None,
    }
    message = sentence(files, ["verify", *words.split()])
    for each in said:
        assert re.search(each if "|" in each else re.escape(each), message)


@pytest.mark.usefixtures("rinterface")
def test_r_that_stops_is_status_2(
    cdfscore: Run, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    twin = tmp_path / "normal.R"
    twin.write_text("standardize <- function(x, scores) stop('no fit')\n")
    monkeypatch.setattr(Normal, "twin", classmethod(lambda _: twin))
    write({"s.csv": "topic,a,b,c,d\n301,0.1,0.2,0.4,0.7\n"})
    for way in ("rpy2", "rscript"):
        status, out, err = cdfscore("verify", "s.csv", "--scheme", "normal", "--via", way)
        assert (status, out, len(err.splitlines())) == (2, "", 1)
        assert "R stops: Error: topic 301: no fit" in err


@pytest.mark.parametrize(
    ("body", "fragment"),
    [
        ("echo junk", "begins with 'junk"),
        ("true", "begins with ''"),
        ("echo quantity,topic,system,value; echo a,b", "cannot be read"),
        ("printf '\\377' >&2; exit 3", "R stops"),
        ("exit 7", "R stops: exit status 7"),
    ],
)
def test_rscript_that_writes_something_else_is_status_2(
    cdfscore: Run,
    write: Write,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    body: str,
    fragment: str,
) -> None:
    write({"s.csv": SCORES, "Rscript": f"#!/bin/sh\n{body}\n"})
    (tmp_path / "Rscript").chmod(0o755)
    monkeypatch.setattr(script.shutil, "which", {"Rscript": str(tmp_path / "Rscript")}.get)
    status, out, err = cdfscore("verify", "s.csv", "--scheme", "z", "--via", "rscript")
    assert (status, out, len(err.splitlines())) == (2, "", 1)
    assert fragment in err


def test_rscript_that_cannot_be_run_is_status_3(
    cdfscore: Run, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write({"s.csv": SCORES, "Rscript": "#!/no/such/interpreter\n"})
    (tmp_path / "Rscript").chmod(0o755)
    monkeypatch.setattr(script.shutil, "which", {"Rscript": str(tmp_path / "Rscript")}.get)
    status, _, err = cdfscore("verify", "s.csv", "--scheme", "z", "--via", "rscript")
    assert (status, len(err.splitlines())) == (3, 1)


def test_unfitted_topics_are_told(cdfscore: Run, write: Write) -> None:
    write({"s.csv": "topic,a,b,c\n1,0.1,0.2,0.4\n2,0.0,0.3,0.5\n3,0.3,0.6,0.5\n"})
    done = cdfscore("verify", "s.csv", "--scheme", "gamma", "--unfitted", "nan")
    assert done.status == 0, done.err
    assert "R also stops on the unfitted topic: 2\n" in done.out


@pytest.mark.one_in(3)
@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize("break_", ["\r", "\r\n", "\n"])
def test_labels_with_line_breaks_are_the_same_in_r(
    cdfscore: Run, write: Write, break_: str
) -> None:
    label = f'"a{break_}b"'
    write({"s.csv": f"topic,{label},c,d\r\n{label},0.1,0.3,0.5\r\n302,0.2,0.6,0.3\r\n3,1,2,4\r\n"})
    given = ("--scheme", "normal", "--test", "paired_t", "--baseline", f"a{break_}b")
    for way in ("rscript", "rpy2"):
        done = cdfscore("verify", "s.csv", *given, "--via", way)
        assert (done.status, without_cautions(done.err)) == (0, ""), way
        assert "agrees with R version" in done.out
