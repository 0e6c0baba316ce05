"""``cdfscore measure``: what it writes."""

import os
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from cdfscore import CdfscoreError, read_scores
from cdfscore.common.threads import process_pool
from tests.cli.conftest import Outcome, Run, Write

QRELS = "302 0 d1 1\n301 0 d1 1\n301 0 d2 0\n"
BM25 = "301 Q0 d2 1 2.5 bm25\n301 Q0 d1 2 1.5 bm25\n302 Q0 d1 1 9 bm25\n"
QL = "301 Q0 d1 1 2.5 ql\n301 Q0 d2 2 1.5 ql\n302 Q0 d3 1 9 ql\n"
MATRIX = "topic,bm25,ql\n302,1.0,0.0\n301,0.5,1.0\n"
UNNAMED = "cdfscore: the file does not name its measure, AP; with --long, it does\n"
FILES = {"bm25.run": BM25, "ql.run": QL, "q": QRELS}


@pytest.fixture
def measured(cdfscore: Run, write: Write) -> Callable[..., Outcome]:
    """Measure runs by AP, or by other measures."""

    def run(*arguments: str, stdin: bytes = b"") -> Outcome:
        write(FILES)
        given = [*arguments, *(() if "--measure" in arguments else ("--measure", "AP"))]
        out = cdfscore("measure", *given, "--qrels", "q", stdin=stdin)
        assert out.status == 0, out.err
        return out

    return run


def test_one_measure_is_a_matrix(measured: Run, tmp_path: Path) -> None:
    assert measured("bm25.run", "ql.run") == Outcome(0, MATRIX, UNNAMED)
    measured("bm25.run", "ql.run", "-o", "out.parquet")
    measured("bm25.run", "ql.run", "-o", "out.tsv")
    for name in ("out.parquet", "out.tsv"):
        assert read_scores(tmp_path / name)["ql"].to_dict() == {"302": 0.0, "301": 1.0}


def test_several_measures_are_in_long_form(measured: Run, tmp_path: Path) -> None:
    arguments = ("bm25.run", "--measure", "AP", "--measure", "P@5")
    assert measured(*arguments).out == (
        "topic,system,measure,score\n302,bm25,AP,1.0\n302,bm25,P@5,0.2\n301,bm25,AP,0.5\n"
        "301,bm25,P@5,0.2\n"
    )
    measured(*arguments, "-o", "out.tsv")
    assert (tmp_path / "out.tsv").read_text().splitlines()[1] == "302\tbm25\tAP\t1.0"
    measured(*arguments, "-o", "out.parquet")
    assert pd.read_parquet(tmp_path / "out.parquet")["score"].tolist() == [1.0, 0.2, 0.5, 0.2]


def test_processes_give_the_same(measured: Run) -> None:
    found = measured("bm25.run", "-", "--jobs", "2", stdin=QL.encode())
    assert (found.out, found.err) == (MATRIX, UNNAMED)


def test_policies_are_options(cdfscore: Run, write: Write) -> None:
    write({**FILES, "part.run": QL.partition("302")[0]})
    arguments = ["measure", "part.run", "bm25.run", "--qrels", "q", "--measure", "AP"]
    zero = cdfscore(*arguments, "--missing-topics", "zero")
    assert zero.out == "topic,ql,bm25\n302,0.0,1.0\n301,1.0,0.5\n"
    said = "cdfscore: scores are 0 on judged topics that 1 of 2 systems lacks: 'ql' (1)\n"
    assert zero.err == UNNAMED + said
    assert cdfscore(*arguments, "--missing-topics", "omit").out.splitlines()[1] == "302,NA,1.0"


def ended_process() -> None:
    with process_pool(2) as executor:
        assert executor is not None
        executor.submit(os._exit, 1).result()


def test_a_process_that_is_ended_is_told() -> None:
    with pytest.raises(CdfscoreError, match=r"was killed, .*; --jobs 1 needs less"):
        ended_process()
