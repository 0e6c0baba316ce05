"""Commands on output of trec_eval and its kin, on long tables and on several files."""

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.cli.conftest import Run, Write


def evaluation(scores: np.ndarray, name: str) -> str:
    """Return what trec_eval -q prints of a run, with two measures."""
    lines = []
    for measure, own in (("map", scores), ("P_10", scores.round(1))):
        values = [*enumerate(own, start=301), ("all", own.round(4).mean())]
        lines += [(measure, topic, f"{value:.4f}") for topic, value in values]
    lines = [line for line in lines if line[1] != "all"] + [
        ("runid", "all", name),
        ("num_q", "all", str(len(scores))),
        *(line for line in lines if line[1] == "all"),
    ]
    return "".join(f"{measure:<22}\t{topic}\t{value}\n" for measure, topic, value in lines)


@pytest.fixture
def two(write: Write) -> np.ndarray:
    rng = np.random.default_rng(3)
    scores = rng.beta(2, 4, (2, 30)).round(4)
    write(
        {f"{n}.eval": evaluation(own, n) for n, own in zip(("bm25", "neural"), scores, strict=True)}
    )
    return scores


SYSTEMS = "model,q1,q2,q3\nm1,.1,.2,.3\nm2,.5,.3,.1\nm3,.2,.9,.4\n"
ROWS = "system,q1,q2,q3\na,.1,.5,.2\nb,.2,.3,.9\nc,.3,.1,.4\n"


def test_an_answer_against_all_headers(cdfscore: Run, write: Write) -> None:
    write({"s.csv": ROWS, "r.csv": SYSTEMS})
    by = ("standardize", "s.csv", "--reference", "r.csv", "--scheme", "normal")
    assert cdfscore(*by, "--systems-as-rows").out == cdfscore(*by).out != ""
    refused = cdfscore(*by, "--topics-as-rows")
    assert (refused.status, refused.out) == (2, "")
    assert "the headers of s.csv and r.csv say the opposite" in refused.err


def test_many_files_are_told_in_few_words(cdfscore: Run, write: Write, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    names = [f"system-{i:02}.eval" for i in range(12)]
    runs = [evaluation(one, "x") for one in rng.beta(2, 4, (12, 30)).round(4)]
    texts = [
        "".join(line for line in run.splitlines(keepends=True) if "runid" not in line)
        for run in runs
    ]
    write(dict(zip(names, texts, strict=True)))
    done = cdfscore("compare", *names, "--measure", "map", "-o", "t.tex")
    assert done.status == 0
    assert "12 files: the topic 'all' has the mean of the 30 topics and is left out\n" in done.err
    said = "taken from the files: system-00, system-01, system-02, system-03, system-04, ...\n"
    assert f"12 files: no system is named, and the names are {said}" in done.err
    assert sum("system-" in line for line in done.err.splitlines()) == 1
    assert max(map(len, (tmp_path / "t.tex").read_text().splitlines())) < 1200
    write({names[3]: re.sub("map +\t303\t.*\n", "", re.sub("map +\tall.*\n", "", texts[3]))})
    done = cdfscore("standardize", *names, "--measure", "map", "--scheme", "normal")
    assert done.status == 2
    assert "cdfscore: 12 files (system-00.eval, system-01.eval, " in done.err
    assert "system-04.eval, ...): topic '303', system 'system-03': the score is m" in done.err
    assert len(done.err) < 400


def test_every_command_reads_two_files(cdfscore: Run, two: np.ndarray, write: Write) -> None:
    own = ("bm25.eval", "neural.eval", "--measure", "map")
    for number, matrix in enumerate((two, two / 2)):
        runs = [evaluation(one.round(4), name) for one, name in zip(matrix, "ab", strict=True)]
        write({f"both{number}.eval": "".join(runs)})
    for command in (
        ("standardize", *own, "--scheme", "normal", "-o", "o.csv"),
        ("standardize", *own, "--scheme", "normal", "-o", "o.csv", "--save-factors", "f.json"),
        ("apply", "f.json", *own, "-o", "o.csv"),
        ("diagnose", *own, "--scheme", "uniform", "--scheme", "normal", "--bootstrap", "0"),
        ("verify", *own, "--scheme", "raw", "--via", "rscript"),
        ("tests", "--advise", *own),
        ("correlate", "both0.eval", "both1.eval", "--measure", "map"),
    ):
        done = cdfscore(*command)
        assert done.status == 0, done.err
        assert "is left out" in done.err, command


def test_advice_on_files_for_r_can_be_followed(cdfscore: Run, write: Write, tmp_path: Path) -> None:
    """A long file of that name, and scores and reference that are both long."""
    rows = "".join(f"{i},{s},0.{i}{k}\n" for i in range(1, 6) for k, s in enumerate("abc", start=1))
    long_file = f"topic,system,score\n{rows}"
    write({"scores.csv": long_file, "pool.csv": long_file})
    given = ["scores.csv", "--reference", "pool.csv"]
    for place, written in ((0, "scores-2.csv"), (2, "scores-3.csv")):
        found = cdfscore("verify", *given, "--scheme", "normal", "--script", "s.R")
        assert found.status == 2
        command = found.err.partition("one: cdfscore ")[2].split()
        assert command[-1] == written
        assert cdfscore(*command).status == 0
        given[place] = written
    assert cdfscore("verify", *given, "--scheme", "normal", "--script", "s.R").status == 0
    assert (tmp_path / "scores.csv").read_text() == long_file


def test_json_by_system_and_topic_once_the_user_says_so(cdfscore: Run, write: Write) -> None:
    scores = {"bm25": {"301": 0.25, "302": 0.5}, "lsa": {"301": 0.75, "302": 0.125}}
    turned = {t: {s: scores[s][t] for s in scores} for t in ("301", "302")}
    write({"s.json": json.dumps(scores), "t.json": json.dumps(turned)})
    for name, said in (("s.json", "--systems-as-rows"), ("t.json", "--topics-as-rows")):
        done = cdfscore("standardize", name, "--scheme", "raw", said)
        assert done.out == "topic,bm25,lsa\n301,0.25,0.75\n302,0.5,0.125\n"
        one = cdfscore("standardize", name, "--scheme", "raw", "--measure", "bm25")
        assert one.out == f"topic,{name[0]}\n301,0.25\n302,0.5\n"
        both = cdfscore("standardize", name, "--scheme", "raw", said, "--measure", "bm25")
        assert (both.status, "names no measure, and its scores are" in both.err) == (0, True)


FOLDS = pd.DataFrame(
    {
        "game": np.repeat([f"g{i}" for i in range(10, 22)], 12),
        "tool": np.tile(np.repeat(["A", "B", "C"], 4), 12),
        "cfg": "default",
        "fold": np.tile([0, 1, 2, 3], 36),
        # Sums and means of four are exact.
        "elo": (np.random.default_rng(7).normal(size=144) * 64).round() / 64,
        "seconds": 1.5,
    }
)
NAMED = ["--topic-column", "game", "--system-column", "tool,cfg", "--score-column", "elo"]
NAMED += ["--replicate", "fold"]


@pytest.mark.parametrize(
    ("option", "value"),
    [("--na", "OOM,-"), ("--cells", "value%"), ("--sheet", "AP"), ("--replicate", "fold")],
)
def test_a_stream_has_no_options_of_text(
    cdfscore: Run, write: Write, option: str, value: str
) -> None:
    write({"s.parquet": FOLDS.to_parquet()})
    told = cdfscore(
        "standardize", "s.parquet", "--scheme", "z", "--stream", "-o", "o.parquet", option, value
    )
    assert (told.status, option in told.err) == (2, True)
    assert "exclude each other" in told.err


@pytest.mark.clause("read_scores.8")
def test_texts_and_forms_on_the_command_line(cdfscore: Run, write: Write) -> None:
    write({"s.csv": "topic,a,b\nq1,64% ± 1%,OOM\nq2,N/A,0.5\n"})
    refused = cdfscore("standardize", "s.csv", "--scheme", "raw", "-o", "-")
    assert "; --cells 'value±sd' --cells value% reads 0.64" in refused.err
    forms = ["--cells", "value±sd", "--cells", "value%"]
    refused = cdfscore("standardize", "s.csv", "--scheme", "raw", "-o", "-", *forms)
    assert "--na OOM says that the score is missing" in refused.err
    read = cdfscore(
        *("standardize", "s.csv", "--scheme", "raw", "--missing", "omit", "-o", "-"),
        *(*forms, "--na", "OOM,N/A"),
    )
    assert read.out == "topic,a,b\nq1,0.64,NA\nq2,NA,0.5\n"
    assert (
        "2 cells (N/A, OOM) without a score, as asked and 1 cell in the form value±sd" in read.err
    )


def test_the_script_for_r_is_of_a_file_that_the_command_writes(
    cdfscore: Run, write: Write, tmp_path: Path
) -> None:
    write({"r.csv": FOLDS.to_csv(index=False)})
    told = cdfscore("verify", "r.csv", *NAMED, "--scheme", "normal", "--script", "s.R")
    command = shlex.split(told.err.rpartition("this command writes one: cdfscore ")[2])
    assert cdfscore(*command).status == 0
    assert cdfscore("verify", command[-1], "--scheme", "normal", "--script", "s.R").status == 0
