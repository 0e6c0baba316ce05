"""Commands on output of trec_eval and its kin, on long tables and on several files."""

from __future__ import annotations

import io
import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.cli.conftest import Files, Outcome
from tests.cli.test_bad_results import BOARD, IR, LONG, TREC, blocks


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
def two(write: Callable[[Files], None]) -> np.ndarray:
    rng = np.random.default_rng(3)
    scores = rng.beta(2, 4, (2, 30)).round(4)
    write(
        {f"{n}.eval": evaluation(own, n) for n, own in zip(("bm25", "neural"), scores, strict=True)}
    )
    return scores


UNSAID = "name,a,b,c\nq1,.1,.2,.3\nq2,.5,.3,.1\nq3,.2,.9,.4\n"
SYSTEMS = "model,q1,q2,q3\nm1,.1,.2,.3\nm2,.5,.3,.1\nm3,.2,.9,.4\n"
SAID = "topic,m1,m2,m3\nq1,.1,.5,.2\nq2,.2,.3,.9\nq3,.3,.1,.4\n"
ROWS = "system,q1,q2,q3\na,.1,.5,.2\nb,.2,.3,.9\nc,.3,.1,.4\n"


@pytest.mark.one_in(2)
@pytest.mark.parametrize("reference", [SYSTEMS, SAID])
@pytest.mark.parametrize("scores", [UNSAID, ROWS.replace("system", "name")])
def test_an_answer_is_for_the_file_that_asks(
    cdfscore: Callable[..., Outcome], write: Callable[[Files], None], scores: str, reference: str
) -> None:
    write({"s.csv": scores, "r.csv": reference, "as_rows.csv": ROWS})
    answer = "--topics-as-rows" if scores == UNSAID else "--systems-as-rows"
    by = ("--reference", "r.csv", "--scheme", "normal")
    asked = cdfscore("standardize", "s.csv", *by)
    assert asked.status == 2
    assert "s.csv: the header 'name' of the row labels" in asked.err
    done = cdfscore("standardize", "s.csv", *by, answer)
    assert done.status == 0
    assert done.out == cdfscore("standardize", "as_rows.csv", *by).out
    assert cdfscore("verify", "s.csv", *by, answer, "--via", "rscript").status == 0


def test_an_answer_against_all_headers(
    cdfscore: Callable[..., Outcome], write: Callable[[Files], None]
) -> None:
    write({"s.csv": ROWS, "r.csv": SYSTEMS})
    by = ("standardize", "s.csv", "--reference", "r.csv", "--scheme", "normal")
    assert cdfscore(*by, "--systems-as-rows").out == cdfscore(*by).out != ""
    refused = cdfscore(*by, "--topics-as-rows")
    assert (refused.status, refused.out) == (2, "")
    assert "the headers of s.csv and r.csv say the opposite" in refused.err


def test_the_walk_of_two_files(
    cdfscore: Callable[..., Outcome], two: np.ndarray, tmp_path: Path
) -> None:
    done = cdfscore("compare", "bm25.eval", "neural.eval", "--measure", "map", "-o", "t.tex")
    assert done.status == 0
    assert "n = 30." in done.err
    assert "31" not in done.err
    sentence = (
        "bm25.eval and neural.eval: the topic 'all' has the mean of the 30 topics and is left out"
    )
    assert sentence in done.err
    table = (tmp_path / "t.tex").read_text()
    assert "\\toprule" in table
    assert "n = 30." in table
    found = cdfscore("compare", "bm25.eval", "neural.eval", "--measure", "map", "-o", "-")
    estimate = pd.read_csv(io.StringIO(found.out))["estimate"][0]
    assert estimate == pytest.approx(two[0].mean() - two[1].mean(), abs=1e-12)


def test_many_files_are_told_in_few_words(
    cdfscore: Callable[..., Outcome], write: Callable[[Files], None], tmp_path: Path
) -> None:
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


def test_every_command_reads_two_files(
    cdfscore: Callable[..., Outcome], two: np.ndarray, write: Callable[[Files], None]
) -> None:
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


def test_factors_have_the_measure_of_the_file(
    cdfscore: Callable[..., Outcome], two: np.ndarray, tmp_path: Path
) -> None:
    own = ("standardize", "bm25.eval", "neural.eval", "--scheme", "normal", "-o", "o.csv")
    assert cdfscore(*own, "--measure", "P_10", "--save-factors", "f.json").status == 0
    assert json.loads((tmp_path / "f.json").read_text())["measure"] == "P_10"
    other = cdfscore("apply", "f.json", "bm25.eval", "--measure", "map", "-o", "o.csv")
    assert (other.status, "measure P_10, not map" in other.err) == (2, True)


def test_a_script_for_r_needs_a_wide_file_and_says_how_to_write_one(
    cdfscore: Callable[..., Outcome], two: np.ndarray, tmp_path: Path
) -> None:
    own = ("bm25.eval", "x=neural.eval", "--measure", "map")
    found = cdfscore("verify", *own, "--scheme", "normal", "--script", "s.R")
    assert found.status == 2
    assert "expected one CSV or TSV file" in found.err
    command = found.err.partition("one: cdfscore ")[2].split()
    assert command == ["standardize", *own, "--scheme", "raw", "-o", "scores.csv"]
    assert cdfscore(*command).status == 0
    assert cdfscore("verify", "scores.csv", "--scheme", "normal", "--script", "s.R").status == 0
    assert list(pd.read_csv(tmp_path / "scores.csv")) == ["topic", "bm25", "x"]
    for one in ("bm25.eval", "y=scores.csv"):
        found = cdfscore("verify", one, "--measure", "map", "--scheme", "normal", "--script", "s.R")
        assert found.status == 2


def test_advice_on_files_for_r_can_be_followed(
    cdfscore: Callable[..., Outcome], write: Callable[[Files], None], tmp_path: Path
) -> None:
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


def test_standard_input_may_have_any_form(cdfscore: Callable[..., Outcome]) -> None:
    for text, name in (
        (TREC, "bm25=-"),
        (IR, "bm25=-"),
        (LONG, "-"),
        (BOARD, "-"),
        (blocks("x"), "-"),
    ):
        done = cdfscore("standardize", name, "--scheme", "raw", stdin=text.encode())
        assert done.status == 0, done.err
        assert done.out.startswith(f"topic,{name.partition('=')[0]}" if "=" in name else "topic,")


def test_a_file_whose_name_has_an_equals_sign(
    cdfscore: Callable[..., Outcome], write: Callable[[Files], None]
) -> None:
    write({"k=1.eval": TREC, "1.eval": blocks("other")})
    done = cdfscore("standardize", "k=1.eval", "--scheme", "raw")
    assert done.out.splitlines()[0] == "topic,k=1"


def test_rows_may_be_systems_by_their_header(
    cdfscore: Callable[..., Outcome], write: Callable[[Files], None]
) -> None:
    write({"s.csv": BOARD})
    turned = cdfscore("standardize", "s.csv", "--scheme", "z")
    asked = cdfscore("standardize", "s.csv", "--scheme", "z", "--systems-as-rows")
    assert turned.out == asked.out
    assert "s.csv: rows are taken as systems, because their header is 'model'" in turned.err
    assert "headed" not in asked.err


def test_topics_that_lack_the_measure_are_counted_and_named(
    cdfscore: Callable[..., Outcome], write: Callable[[Files], None]
) -> None:
    """Output of trec_eval -q that was cut, without the line of "all" that would tell."""
    lines = [
        line
        for topic in range(301, 311)
        for line in (f"num_ret\t{topic}\t9", f"map\t{topic}\t0.{topic}")
    ]
    write({f"{cut}.eval": "\n".join(lines[:cut]) for cut in (20, 19)})
    write(
        {"more.eval": "\n".join(line for line in lines if line[:7] not in ("map\t302", "map\t304"))}
    )
    for name, told in (
        ("20", ""),
        ("19", "topic 310 has other measures and no map, and is left out"),
        ("more", "2 topics (302, 304) have other measures and no map, and are left out"),
    ):
        done = cdfscore("standardize", f"{name}.eval", "--measure", "map", "--scheme", "raw")
        assert done.status == 0
        assert ("other measures" in done.err) == bool(told)
        assert not told or f"cdfscore: {name}.eval: {told}" in done.err
        own = cdfscore("standardize", f"{name}.eval", "--measure", "num_ret", "--scheme", "raw")
        assert "other measures" not in own.err
    dropped = ("--drop-topic", "302", "--drop-topic", "304")
    done = cdfscore("standardize", "more.eval", "--measure", "map", "--scheme", "raw", *dropped)
    assert (done.status, "other measures" in done.err) == (0, False)


def test_json_by_system_and_topic_once_the_user_says_so(
    cdfscore: Callable[..., Outcome], write: Callable[[Files], None]
) -> None:
    scores = {"bm25": {"301": 0.25, "302": 0.5}, "lsa": {"301": 0.75, "302": 0.125}}
    turned = {t: {s: scores[s][t] for s in scores} for t in ("301", "302")}
    write({"s.json": json.dumps(scores), "t.json": json.dumps(turned)})
    for name, said in (("s.json", "--systems-as-rows"), ("t.json", "--topics-as-rows")):
        done = cdfscore("standardize", name, "--scheme", "raw", said)
        assert done.out == "topic,bm25,lsa\n301,0.25,0.75\n302,0.5,0.125\n"
        one = cdfscore("standardize", name, "--scheme", "raw", "--measure", "bm25")
        assert one.out == f"topic,{name[0]}\n301,0.25\n302,0.5\n"
        both = cdfscore("standardize", name, "--scheme", "raw", said, "--measure", "bm25")
        assert (both.status, "names no measure" in both.err) == (2, True)


def test_the_orientation_may_be_said_either_way(
    cdfscore: Callable[..., Outcome], write: Callable[[Files], None]
) -> None:
    write({"s.csv": BOARD.replace("model", "name"), "topics.csv": BOARD.replace("model", "topic")})
    as_topics = cdfscore("standardize", "s.csv", "--scheme", "raw", "--topics-as-rows")
    assert as_topics.out == cdfscore("standardize", "topics.csv", "--scheme", "raw").out
    as_systems = cdfscore("standardize", "s.csv", "--scheme", "raw", "--systems-as-rows")
    assert as_systems.out.startswith("topic,m1,m2,m3\nt1,")
    for said in ("--topics-as-rows", "--systems-as-rows"):
        script = cdfscore("verify", "s.csv", "--scheme", "raw", "--script", "v.R", said)
        assert script.status == 0


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


@pytest.mark.one_in(3)
@pytest.mark.clause("read_scores.6", "read_scores.7")
@pytest.mark.parametrize(
    "command",
    [
        "standardize {} --scheme normal -o -",
        "compare {} --test paired_t -o -",
        "diagnose {} -o -",
        "verify {} --scheme normal --test paired_t --via rscript -o -",
        "correlate {} {} -o -",
        "plan {} --goal paired_t:difference=0.5 -o -",
    ],
)
def test_a_table_with_replicates_in_commands(
    cdfscore: Callable[..., Outcome], write: Callable[[Files], None], command: str
) -> None:
    wide = (
        FOLDS.groupby(["game", "tool"])["elo"]
        .mean()
        .unstack()
        .rename(columns=lambda name: f"{name} / default")
    )
    write({"m.csv": wide.rename_axis("topic").to_csv(), "r.csv": FOLDS.to_csv(index=False)})
    by_hand = cdfscore(*command.format("m.csv", "m.csv").split())
    read = cdfscore(*command.format("r.csv", "r.csv").split(), *NAMED)
    assert (by_hand.status, read.status) == (0, 0), read.err
    assert read.out == by_hand.out.replace("m.csv", "r.csv")
    assert "r.csv: the column 'seconds' is not read" in read.err
    assert "each score is the mean of 4 replicates (fold), with the standard deviation" in read.err


@pytest.mark.parametrize(
    ("option", "value"),
    [("--na", "OOM,-"), ("--cells", "value%"), ("--sheet", "AP"), ("--replicate", "fold")],
)
def test_a_stream_has_no_options_of_text(
    cdfscore: Callable[..., Outcome], write: Callable[[Files], None], option: str, value: str
) -> None:
    write({"s.parquet": FOLDS.to_parquet()})
    told = cdfscore(
        "standardize", "s.parquet", "--scheme", "z", "--stream", "-o", "o.parquet", option, value
    )
    assert (told.status, option in told.err) == (2, True)
    assert "exclude each other" in told.err


@pytest.mark.clause("read_scores.8")
def test_texts_and_forms_on_the_command_line(
    cdfscore: Callable[..., Outcome], write: Callable[[Files], None]
) -> None:
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
    cdfscore: Callable[..., Outcome], write: Callable[[Files], None], tmp_path: Path
) -> None:
    write({"r.csv": FOLDS.to_csv(index=False)})
    told = cdfscore("verify", "r.csv", *NAMED, "--scheme", "normal", "--script", "s.R")
    command = shlex.split(told.err.rpartition("this command writes one: cdfscore ")[2])
    assert cdfscore(*command).status == 0
    assert cdfscore("verify", command[-1], "--scheme", "normal", "--script", "s.R").status == 0
