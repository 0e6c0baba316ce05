"""``cdfscore report``: the files that it reads, their digests, and the names in them."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from html import unescape
from pathlib import Path
from threading import Thread

import pytest

from cdfscore import Standardizer, datasets, write_scores
from cdfscore.standardization.formats import save_factors
from cdfscore.stats.schemes.normal import Normal
from tests.cli.test_report import CRANFIELD, SMALL, Run, page, text, write_script


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    write_scores(CRANFIELD, tmp_path / "s.csv")
    return tmp_path


@pytest.mark.long
def test_the_command_of_the_r_script_has_its_files_and_no_others(
    scores: Path, cdfscore: Run, rinterface: object
) -> None:
    everything = datasets.load_cranfield("ap").iloc[:60, :12]
    own = scores / "my scores;x.csv"
    (scores / "s.csv").rename(own)
    write_scores(everything, scores / "ref.csv")
    typed = ["--reference", "ref.csv", "--scheme", "normal"]
    done = cdfscore("report", own.name, *typed, *SMALL)
    assert done.status == 0, done.err
    command = unescape(re.findall(r"<code>(Rscript .*?)</code>", page(scores))[0])
    assert command == "Rscript --vanilla analysis.R 'my scores;x.csv' ref.csv"
    write_script(scores)
    run = subprocess.run(command, shell=True, cwd=scores, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


@pytest.mark.long
def test_digests_are_of_the_bytes_that_were_read(
    scores: Path, cdfscore: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = (scores / "s.csv").read_bytes()
    digest = f"SHA-256 {hashlib.sha256(given).hexdigest()}"
    for typed in ("s.csv", "-"):
        done = cdfscore("report", typed, *SMALL, stdin=given)
        assert done.status == 0, done.err
        assert digest in " ".join(text(scores).split()), typed
    os.mkfifo(scores / "pipe")  # read once; a second reading would wait forever
    writer = Thread(target=(scores / "pipe").write_bytes, args=(given,), daemon=True)
    writer.start()
    done = cdfscore("report", "pipe", *SMALL)
    assert done.status == 0, done.err
    assert digest in " ".join(text(scores).split())


@pytest.mark.parametrize("name", ["s.csv", "s.parquet", "f.json"])
def test_a_file_that_changes_has_the_digest_of_what_was_analysed(
    scores: Path, cdfscore: Run, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    write_scores(CRANFIELD, scores / "s.parquet")
    save_factors(Standardizer("normal").fit(CRANFIELD), scores / "f.json")
    content = (scores / name).read_bytes()

    def overwritten(path: Path) -> bytes:
        found = read_bytes(path)
        if path.name == name:
            path.write_bytes(b"other")
        return found

    read_bytes = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", overwritten)
    words = ["s.csv", "--factors", name] if name == "f.json" else [name]
    done = cdfscore("report", *words, *SMALL)
    assert done.status == 0, done.err
    assert (scores / name).read_bytes() == b"other"
    assert hashlib.sha256(content).hexdigest() in text(scores)


def test_what_has_no_twin_is_judged_by_statsmodels_alone(
    scores: Path, cdfscore: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Normal, "twin", classmethod(lambda _: scores / "normal.R"))
    done = cdfscore("report", "s.csv", "--scheme", "normal", *SMALL[1:])
    assert done.status == 0, done.err
    assert "there is no R script, and R was not asked: normal has no R twin" in done.err
    assert "R did not" not in text(scores)


def test_names_that_a_page_cannot_tell_apart_are_refused(scores: Path, cdfscore: Run) -> None:
    first, second = CRANFIELD.columns[:2]
    write_scores(CRANFIELD.rename(columns={first: "a\nb", second: r"a\nb"}), scores / "s.csv")
    done = cdfscore("report", "s.csv", *SMALL)
    assert done.status == 2
    assert r"s.csv: the systems 'a\nb' and 'a\\nb' look the same on a page, a\nb" in done.err
    assert not (scores / "r.html").exists()
    write_scores(CRANFIELD.rename(columns={first: "a\nb"}), scores / "s.csv")
    assert cdfscore("report", "s.csv", *SMALL).status == 0
