"""What files are, whole, damaged or of another kind: the numbers, or a refusal that says why."""

import csv
import gzip
import io
import json
import re
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cdfscore import as_scores, load_factors, read_scores
from cdfscore.common.files import SIGNATURES, with_one_line_end, without_marks
from cdfscore.errors import CdfscoreError, ScoresError
from cdfscore.models.formula import read_components
from cdfscore.models.replicates import read_replicates
from cdfscore.retrieval import read_qrels, read_run
from cdfscore.retrieval.merging.sources import read_selection
from cdfscore.scores.dataframes import notes_of
from cdfscore.standardization.streaming import standardize_parquet

READERS: dict[str, Callable[[Path], object]] = {
    "run": read_run,
    "qrels": read_qrels,
    "weights": read_selection,
    "scores": read_scores,
    "components": read_components,
    "replicates": lambda path: read_replicates(path, "shard"),
    "factors": load_factors,
}
#: Readers that decompress.
OPEN = ("run", "qrels", "weights", "scores", "replicates")


def tar() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        member = tarfile.TarInfo("qrels.txt")
        member.size = 11
        archive.addfile(member, io.BytesIO(b"301 0 d1 1\n"))
    return buffer.getvalue()


LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
FILES = [
    (LFS, "a pointer of Git LFS", "git lfs pull"),
    (b'<!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN">\n<html>', "an HTML page", "download"),
    (b"\n  <html lang='en'>\n<head>", "an HTML page", "download"),
    (b"<!doctype html><title>Sign in</title>", "an HTML page", "download"),
    (b"404: Not Found", "an answer of a web server", "download"),
    (b"<?xml version='1.0'?><Error><Code>AccessDenied</Code>", "an answer of a web", "download"),
    (b"\x04\x22\x4d\x18\x64\x40\xa7\x0c", "compressed by lz4", "lz4 -d"),
    (b"BZh91AY&SY", "compressed by bzip2", "bunzip2"),
    (b"\xfd7zXZ\0\0", "compressed by xz", "unxz"),
    (tar(), "a tar archive", "tar -xf"),
    (b"7z\xbc\xaf\x27\x1c\0", "a 7z archive", "7z x"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1", "an old Excel workbook", "CSV"),
    (b"sep=;\r\ntopic;a\r\n1;0,5\r\n", "a CSV file of Excel whose first line", "sed 1d"),
    (b'"SEP=,"\ntopic,a\n1,0.5\n', "a CSV file of Excel whose first line", "sed 1d"),
    (b"PAR1\x15\x04", "a Parquet file", ".parquet"),
    ("a b".encode("utf-16"), "text in UTF-16", "iconv"),
    (b"\x80\x04\x95\x10", "a pickle of Python", "in Python"),
    (b"\x93NUMPY\x01\0", "an array of NumPy", "in Python"),
    (b"X\n\0\0\0\x03", "an R data file", "write.csv"),
    (
        b"\nQueryid (Num):\t1\nTotal number of documents over all queries\n",
        "trec_eval 7",
        "-q with",
    ),
    (b"Queryid (Num):        5\n    Retrieved:    423\n", "the report of trec_eval -o", "-q with"),
]


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(("content", "what", "remedy"), FILES, ids=range(len(FILES)))
def test_other_files_are_called_what_they_are(
    reader: str, content: bytes, what: str, remedy: str, tmp_path: Path
) -> None:
    path = tmp_path / "x.dat"
    for packed in (content, gzip.compress(content)) if reader in OPEN else (content,):
        path.write_bytes(packed)
        with pytest.raises(CdfscoreError) as caught:
            READERS[reader](path)
        message = str(caught.value)
        assert f"x.dat is {what}" in message or what in message
        assert remedy in message
        assert "\n" not in message


def test_each_signature_is_tried() -> None:
    names = {each.what for each in SIGNATURES}
    there = {each for each in names if any(what in each for _, what, _ in FILES)}
    # Read by some of the readers, or tried beside them.
    assert names - there == {
        "compressed by gzip",
        "compressed by zstd",
        "an Excel workbook or a zip archive",
    }


@pytest.mark.parametrize("ending", ["parquet", "xlsx", "json", "jsonl", "csv", "eval", "gz", "zst"])
@pytest.mark.parametrize(("content", "what", "remedy"), FILES, ids=range(len(FILES)))
def test_content_comes_before_the_ending(
    content: bytes, what: str, remedy: str, ending: str, tmp_path: Path
) -> None:
    (tmp_path / f"x.{ending}").write_bytes(content)
    readers = [read_scores, READERS["replicates"]]
    if ending == "parquet":
        if content.startswith(b"PAR1"):
            return
        readers.append(lambda path: standardize_parquet(path, tmp_path / "y.parquet", "z"))
    for read in readers:
        with pytest.raises(CdfscoreError, match=f"(?s)x.{ending} is .*{re.escape(what)}.*{remedy}"):
            read(tmp_path / f"x.{ending}")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"\xef\xbb\xbfa\n\xef\xbb\xbfb", b"a\nb"),
        (b"a\r\xef\xbb\xbfb\r\n\xef\xbb\xbf", b"a\nb\n"),
        (b"a\xef\xbb\xbfb\n", b"a\xef\xbb\xbfb\n"),
        (b"a\r\rb\n\r", b"a\n\nb\n\n"),
        (b"", b""),
    ],
)
def test_marks_and_line_ends(content: bytes, expected: bytes) -> None:
    assert with_one_line_end(without_marks(content)) == expected


Row = tuple[str, str, Any, dict[str, Any], Any, str]
BOM = "\ufeff"


def numbers_of(what: str, content: Any, folder: Path, settings: dict[str, Any]) -> tuple[Any, str]:
    """Return all numbers by labels, and the notes."""
    ending = settings.pop("ending", ".eval")
    path = folder / f"a{ending}"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    if what == "scores":
        frame = read_scores(path, **settings)
        return frame.to_dict(), " ".join(notes_of(frame))
    if what == "qrels":
        qrels = read_qrels(path)
        return qrels.as_dict(), " ".join(qrels.notes)
    run = read_run(path, "a")
    of_topics = np.searchsorted(run.starts, np.arange(len(run.scores)), side="right") - 1
    by_topic: dict[str, dict[str, float]] = {}
    for place, document, score in zip(of_topics, run.documents, run.scores.tolist(), strict=True):
        by_topic.setdefault(run.topics[place], {})[str(document)] = score
    return by_topic, " ".join(run.notes)


def lines(*records: str, end: str = "\n") -> str:
    return "".join(record + end for record in records)


def msmarco() -> list[Row]:
    kind, is_rank = "MS MARCO run", "as of MS MARCO, and no score: it is minus the rank"
    two = {"1": {"d7": -1.0, "d2": -2.0}}
    return [
        (kind, "run", "1\td7\t1\n1\td2\t2\n", {}, two, is_rank),
        (kind, "run", "1 d7 1\n1 d2 2\n", {}, two, is_rank),
        (kind, "run", "1\td7\t1\r\n1\td2\t2\r\n", {}, two, is_rank),
        (kind, "run", "1\td7\t1\n\n1\td2\t2", {}, two, is_rank),
        (kind, "run", "1\td7\t1\n2\td7\t1\n", {}, {"1": {"d7": -1.0}, "2": {"d7": -1.0}}, is_rank),
        (kind, "run", "1 d7 1 9.5\n1 d2 2 8.5\n", {}, {"1": {"d7": 9.5, "d2": 8.5}}, "neither Q0"),
        (kind, "run", "1\td7\t1\n1\td2\t1\n", {}, "rank", ""),
        (kind, "run", "1\td7\t1\n1 Q0 d2 2 0.5 x\n", {}, "lines of 3 and of 6 columns", ""),
        (kind, "run", "1\td7\t1\n1\td7\t2\n", {}, "d7", ""),
        (kind, "scores", "1\td7\t1\n1\td2\t2\n", {}, "'cdfscore measure'", ""),
    ]


def beir() -> list[Row]:
    kind, head, one = "BEIR qrels", "query-id\tcorpus-id\tscore\n", {"q1": {"d1": 1, "d2": 0}}
    body = "q1\td1\t1\nq1\td2\t0\n"
    return [
        (kind, "qrels", head + body, {}, one, ""),
        (kind, "qrels", head.replace("-", "_") + body, {}, one, ""),
        (kind, "qrels", (head + body).replace("\n", "\r\n"), {}, one, ""),
        (kind, "qrels", (head + body).replace("\n", "\r"), {}, one, ""),
        (kind, "qrels", BOM + head + body, {}, one, ""),
        (kind, "qrels", (head + body).replace("\t", ","), {"ending": ".csv"}, one, ""),
        (kind, "qrels", "score\tcorpus-id\tquery-id\n1\td1\tq1\n0\td2\tq1\n", {}, one, ""),
        (kind, "qrels", head + "q1\td1\tyes\n", {}, "yes", ""),
        (kind, "qrels", head + body + "q1\td1\t1\n", {}, "d1", ""),
        (kind, "scores", head + body, {"ending": ".tsv"}, "a run or a file of qrels", ""),
    ]


def composite() -> list[Row]:
    kind, both = "composite names", {"system_column": "model,config"}
    head, csv = "model,config,t1,t2\n", {"ending": ".csv"}
    rows = "m,a,0.5,0.25\nm,b,1,0.75\n"
    two = {"m / a": {"t1": 0.5, "t2": 0.25}, "m / b": {"t1": 1.0, "t2": 0.75}}
    long = "task,model,config,score\nt1,m,a,0.5\nt2,m,a,0.25\nt1,m,b,1\nt2,m,b,0.75\n"
    bare = "m,a,0.5,0.25\nm,,1,0.75\n"
    without = {"m / a": two["m / a"], "m": two["m / b"]}
    as_list = {"system_column": ["model", "config"]}
    topics = "d,fold,x,y\nt,1,0.5,0.25\nt,2,1,0.75\n"
    of_topics = {"x": {"t / 1": 0.5, "t / 2": 1.0}, "y": {"t / 1": 0.25, "t / 2": 0.75}}
    return [
        (kind, "scores", head + rows, {**csv, **both}, two, ""),
        (kind, "scores", head + rows, {**csv, **as_list}, two, ""),
        (kind, "scores", (head + rows).replace(",", "\t"), {**both, "ending": ".tsv"}, two, ""),
        (kind, "scores", (head + rows).replace(",", ";"), {**csv, **both}, two, ""),
        (kind, "scores", (head + rows).replace("\n", "\r"), {**csv, **both}, two, ""),
        (kind, "scores", head + bare, {**csv, **both}, without, ""),
        (kind, "scores", long, {**csv, **both}, two, ""),
        (kind, "scores", topics, {**csv, "topic_column": "d,fold"}, of_topics, ""),
        (kind, "scores", head + rows, {**csv, "system_column": "model,size"}, "'size'", ""),
        (kind, "scores", head + rows, csv, "'m' is twice in the column 'model'", ""),
    ]


def marks() -> list[Row]:
    kind, told = "byte order mark inside", "byte order mark inside the file"
    run = {"1": {"d": 2.0}, "2": {"d": 1.0}}
    first, second = "1 Q0 d 1 2 x\n", "2 Q0 d 1 1 x\n"
    table = "topic,x,y\n301,0.5,0.25\n"
    both = {"x": {"301": 0.5, "302": 1.0}, "y": {"301": 0.25, "302": 0.0}}
    output = {"a": {"301": 0.5, "302": 1.0}}
    csv = {"ending": ".csv"}
    return [
        (kind, "run", first + BOM + second, {}, run, told),
        (kind, "run", BOM + first + BOM + second, {}, run, told),
        (kind, "run", (first + BOM + second).replace("\n", "\r"), {}, run, told),
        (kind, "run", (first + BOM + second).replace("\n", "\r\n"), {}, run, told),
        (kind, "qrels", "1 0 d 1\n" + BOM + "2 0 d 0\n", {}, {"1": {"d": 1}, "2": {"d": 0}}, told),
        (kind, "scores", table + BOM + "302,1,0\n", csv, both, told),
        (kind, "scores", BOM + table + BOM + "302,1,0\n", csv, both, told),
        (kind, "scores", f"map\t301\t0.5\n{BOM}map\t302\t1\n", {}, output, told),
        (kind, "scores", f"301\tAP\t0.5\n{BOM}302\tAP\t1\n", {}, output, told),
        (kind, "scores", table + BOM + table, csv, "names of the columns are there again", ""),
    ]


def carriage_returns() -> list[Row]:
    kind, csv = "carriage returns alone", {"ending": ".csv"}
    run = {"1": {"d": 2.0, "e": 1.0}}
    both = {"x": {"301": 0.5, "302": 1.0}, "y": {"301": 0.25, "302": 0.0}}
    output = {"a": {"301": 0.5, "302": 1.0}}
    records = [{"topic": "301", "x": 0.5, "y": 0.25}, {"topic": "302", "x": 1, "y": 0}]
    each = lines(*map(json.dumps, records), end="\r")
    return [
        (kind, "run", lines("1 Q0 d 1 2 x", "1 Q0 e 2 1 x", end="\r"), {}, run, ""),
        (kind, "run", "1 Q0 d 1 2 x\r1 Q0 e 2 1 x", {}, run, ""),
        (kind, "run", "1 Q0 d 1 2 x\r1 Q0 e 2 1 x\n", {}, run, ""),
        (kind, "qrels", lines("1 0 d 1", "1 0 e 0", end="\r"), {}, {"1": {"d": 1, "e": 0}}, ""),
        (kind, "scores", lines("topic,x,y", "301,0.5,0.25", "302,1,0", end="\r"), csv, both, ""),
        (kind, "scores", lines("map\t301\t0.5", "map\t302\t1", end="\r"), {}, output, ""),
        (kind, "scores", lines("301\tAP\t0.5", "302\tAP\t1", end="\r"), {}, output, ""),
        (kind, "scores", lines("topic,score", "301,0.5", "302,1", end="\r"), csv, output, ""),
        (kind, "scores", each, {"ending": ".json"}, both, ""),
        (kind, "run", "1 Q0 d 1 2 x\r1 Q0 e 2 1 x 7\r", {}, "line 2", ""),
    ]


def hashes() -> list[Row]:
    kind, left = "lines that begin with #", "left out as no record"
    own = {"#a": {"d": 2.0}, "1": {"d": 1.0}}
    return [
        (kind, "run", "#a Q0 d 1 2 x\n1 Q0 d 1 1 x\n", {}, own, ""),
        (kind, "run", "1 Q0 d 1 1 x\n#a Q0 d 1 2 x\n", {}, own, ""),
        (kind, "run", "# made by x\n1 Q0 d 1 1 x\n", {}, {"1": {"d": 1.0}}, left),
        (kind, "run", "#made\n1 Q0 d 1 1 x\n# and more\n", {}, {"1": {"d": 1.0}}, left),
        (kind, "run", "#a Q0 d 1 2 x\n1 Q0 d 1 1 x\n# end\n", {}, own, left),
        (kind, "run", "#a Q0 d 1 2 x\n#b Q0 d 1\n", {}, "line 2", ""),
        (kind, "qrels", "#a 0 d 1\n1 0 d 0\n", {}, {"#a": {"d": 1}, "1": {"d": 0}}, ""),
        (kind, "qrels", "# topics\n1 0 d 0\n", {}, {"1": {"d": 0}}, left),
        (kind, "qrels", "#\n1 0 d 0\n#\n", {}, {"1": {"d": 0}}, left),
        (kind, "scores", "map\t#a\t0.5\nmap\t302\t1\n", {}, {"a": {"#a": 0.5, "302": 1.0}}, ""),
    ]


ROWS: list[Row] = [
    row
    for kind in (*(msmarco, beir, composite, marks, carriage_returns, hashes),)
    for row in kind()
]


@pytest.mark.parametrize(
    "row", [pytest.param(row, id=f"{row[0]} {i % 10}") for i, row in enumerate(ROWS)]
)
def test_siblings(row: Row, tmp_path: Path) -> None:
    _, what, content, settings, outcome, note = row
    if isinstance(outcome, str):
        with pytest.raises(CdfscoreError) as error:
            numbers_of(what, content, tmp_path, dict(settings))
        assert outcome in str(error.value)
        return
    found, notes = numbers_of(what, content, tmp_path, dict(settings))
    assert found == outcome
    assert note in notes


WHOLE = {
    "trec_eval": "map   \t1\t0.2\nP_5  \t1\t0.4\nmap\t2\t0.4\nrunid\tall\tx\nmap\tall\t0.3\n",
    "two runs": "map\t1\t0.2\nrunid\tall\tx\nmap\tall\t0.2\nmap\t1\t0.5\nrunid\tall\ty\n",
    "spaces": "map   1   0.2000\nmap   all 0.2000\n",
    "ir_measures": "1\tAP\t0.2\n2\tAP\t0.4\nall\tAP\t0.3\n",
    "long": 'topic,system,score\n1,a,0.1\n1,"b",0.2\n2,a,NA\n2,b,0.4\n',
    "long with measures": "qid\tmodel\tmetric\tvalue\n1\ta\tAP\t0.1\n1\tb\tAP\t0.25\n",
    "JSON": '{"1": {"map": 0.5, "P_5": 0.2}, "2": {"map": 0.25}}',
    "records": '[{"qid": 1, "measure": "AP", "value": 0.5}]',
    "lines": '{"qid": "1", "system": "a", "value": 0.5}\n{"qid": "2", "system": "a", "value": 1}\n',
    "leaderboard": "model,Avg,size,License,t1,t2\nm1,0.3,-1,Open,0.2,0.4\nm2,0.5,2,MIT,0.5,0.5\n",
    "wide": "topic,a,b\n1,0.5,0.25\n2,0.75,\n",
}
PIECES = st.sampled_from(
    [
        *("\t", ",", "\n", "\r\n", '"', " ", "{", "}", "[", "]", ":", ".", "-", "0", "e9", "1e999"),
        *(
            "nan",
            "inf",
            "all",
            "map",
            "runid",
            "topic",
            "system",
            "model",
            "score",
            "\0",
            "é",
            "\ufeff",
        ),
    ]
)


@st.composite
def damaged(draw: st.DrawFn, name: str) -> bytes:
    text = WHOLE[name]
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 8)))
        text = text[:start] + draw(st.one_of(st.just(""), PIECES)) + text[end:]
    return text.encode() + draw(st.sampled_from([b"", b"\xff", b"\n\n"]))


@pytest.mark.parametrize("name", WHOLE)
@settings(max_examples=30)
@given(data=st.data(), measure=st.sampled_from([None, "map", "AP"]), drop=st.booleans())
def test_a_damaged_file_is_read_or_refused(
    name: str, data: st.DataObject, measure: str | None, drop: bool
) -> None:
    content = data.draw(damaged(name))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.txt"
        path.write_bytes(content)
        said = "s.txt"
        try:
            scores = read_scores(path, measure=measure, drop_topics=["size"] if drop else [])
        except CdfscoreError as error:
            said = str(error)
        else:
            assert scores.size
            assert scores.index.is_unique
            assert scores.columns.is_unique
    assert "s.txt" in said
    assert len(said.splitlines()) == 1


Read = Callable[..., pd.DataFrame]
SCORES = {"bm25": [0.5, 0.25], "lsa": [0.4, 0.3]}
MEASURES = (
    "topic,system,measure,score\n1,bm25,map,0.5\n2,bm25,map,0.25\n1,lsa,map,0.4\n2,lsa,map,0.3\n"
    "1,neural,MAP,0.9\n2,neural,MAP,0.8\n"
)
RUN = "map\t1\t0.5\nmap\t2\t0.25\nrunid\tall\tA\nmap\tall\t0.375\n"


@pytest.mark.clause("read_scores.3")
def test_systems_without_the_measure_are_refused(read: Read) -> None:
    with pytest.raises(ScoresError, match=r"system 'neural' has no scores of map \(it has MAP\)"):
        read(MEASURES, measure="map")
    two = MEASURES + "1,x,MAP,0.9\n"
    with pytest.raises(
        ScoresError, match=r"systems 'neural', 'x' have .*drop_systems=\['neural', "
    ):
        read(two, measure="map")
    found = read(two, measure="map", drop_systems=["neural", "x"])
    assert found.to_dict("list") == SCORES
    # Its measure is none of the file then.
    assert read(two, drop_systems=["neural", "x"]).to_dict("list") == SCORES
    assert read(two, measure="MAP", drop_systems=["neural", "x"]).to_dict("list") == SCORES
    with pytest.raises(ScoresError, match="has no measure 'P_5'"):
        read(two, measure="P_5", drop_systems=["neural", "x"])


NESTED: dict[str, Any] = {
    "bm25": {"301": {"map": 0.5}, "302": {"map": 0.25}},
    "lsa": {"301": {"map": 0.4}, "302": {"map": 0.3}},
    "neural": {"301": {"MAP": 0.9}, "302": {"MAP": 0.8}},
}
LEVELS: dict[str, Any] = {"levels": ("system", "topic", "measure"), "measure": "map"}


def test_dictionaries_lose_no_system_and_tell_of_topics() -> None:
    with pytest.raises(ScoresError, match=r"system 'neural' has no scores of map \(it has MAP\)"):
        as_scores(NESTED, **LEVELS)
    found = as_scores(NESTED, **LEVELS, drop_systems=["neural"])
    assert found.to_dict("list") == SCORES
    assert notes_of(found) == ["scores: system neural is left out, as asked"]
    more = {name: own | {"303": {"MAP": 0.1}} for name, own in NESTED.items() if name != "neural"}
    found = as_scores(more, **LEVELS)
    assert found.to_dict("list") == SCORES
    said = "scores: topic 303 has other measures and no map, and is left out"
    assert notes_of(found) == [said]


@pytest.mark.parametrize(
    ("second", "fragments"),
    [
        # trec_eval without -q, of another run: other measures, or a mean that is the same.
        ("runid\tall\tB\nP_5\tall\t0.2\n", ("line 5: the lines of run 'B'", "line 3")),
        ("runid\tall\tB\nmap\tall\t0.375\n", ("line 5: the lines of run 'B'", "line 3")),
        ("map\tall\t0.375\n", ("line 5: the lines of a run", "map of 'all'", "s.csv, line 4")),
    ],
)
def test_a_run_without_topics_names_no_other(
    read: Read, second: str, fragments: tuple[str, ...]
) -> None:
    with pytest.raises(ScoresError) as error:
        read(RUN + second, measure="map")
    assert all(fragment in str(error.value) for fragment in fragments), error.value
    if "runid" in second:
        with pytest.raises(ScoresError, match=r"no measure|system 'B' has only the topic 'all'"):
            read(second + RUN, measure="map")


def test_sizes_and_dates_are_words(read: Read) -> None:
    text = "model,size,date,a,b\nx,7B,2024-05-01,0.5,0.25\ny,1.5B,2024-06,0.4,0.75\nz,~8x7B,,1,0\n"
    found = read(text, drop_topics=[])
    assert found.index.tolist() == ["a", "b"]
    assert "the columns 'size', 'date' have words and no scores" in " ".join(notes_of(found))


def test_a_topic_that_is_left_out_is_part_of_the_mean(read: Read) -> None:
    text = "topic,system,score\n1,a,0.5\n2,a,0.25\nall,a,0.375\n"
    assert read(text, drop_topics=["1"]).to_dict("list") == {"a": [0.25]}
    with pytest.raises(ScoresError, match="is not the mean of the 2 topics"):
        read(text.replace("0.375", "0.25"), drop_topics=["1"])


def test_an_all_of_missing_scores_is_not_compared(read: Read) -> None:
    text = "topic,system,score\n1,a,0.5\n2,a,0.25\n1,b,NA\n2,b,NA\nall,b,0.3\n"
    found = read(text)
    assert np.isnan(found["b"]).all()


SHAPES = {
    "urbano2019/data/robust2004_{ap,ndcg}": (99, 110),
    "urbano2019/data/terabyte2006_{ap,ndcg}": (149, 61),
    "robust2004/robust2004_{ap,p10}": (249, 110),
    "adhoc/adhoc5_{ap,p10,rr}": (50, 61),
    "adhoc/adhoc6_{ap,p10,rr}": (50, 74),
    "adhoc/adhoc7_{ap,p10,rr}": (50, 103),
    "adhoc/adhoc8_{ap,p10,rr}": (50, 129),
    "web/web2010_{ap,p10,p20,rr,ndcg20,err20}": (48, 88),
    "web/web2011_{ap,p10,p20,rr,ndcg20,err20}": (50, 62),
    "web/web2012_{ap,p10,p20,rr,ndcg20,err20}": (50, 48),
}
MATRICES = {
    f"{stem}{measure}.csv": shape
    for pattern, shape in SHAPES.items()
    for stem, measures in [pattern.rstrip("}").split("{")]
    for measure in measures.split(",")
}
LABELLED = "robust2004/"


@pytest.mark.parametrize("name", MATRICES)
def test_matrix_is_read(shared_data: Path, name: str) -> None:
    scores = read_scores(shared_data / name)
    assert scores.shape == MATRICES[name]
    assert scores.index.name == "topic"
    assert scores.notna().all(axis=None)
    assert scores.to_numpy().min() >= 0
    assert scores.to_numpy().max() <= 1
    with (shared_data / name).open(newline="") as stream:
        header, *rows = csv.reader(stream)
    if name.startswith(LABELLED):
        assert scores.index.tolist() == [row[0] for row in rows]
        assert {"301", "450", "601", "700"} <= set(scores.index)
        assert header == ["topic", *scores.columns]
    else:
        assert scores.index.tolist() == list(range(1, len(rows) + 1))
        assert header == scores.columns.tolist()
    assert scores.iloc[-1, -1] == float(rows[-1][-1])


def test_all_matrices_are_listed(shared_data: Path) -> None:
    folders = ("urbano2019/data", "robust2004", "adhoc", "web")
    found = {
        str(p.relative_to(shared_data))
        for folder in folders
        for p in (shared_data / folder).glob("*.csv")
    }
    assert found == set(MATRICES)


@pytest.mark.parametrize(("name", "shape"), [("adhoc3", (50, 40)), ("synthetic4", (12, 10))])
def test_scores_of_generalizability_theory_are_read(
    shared_data: Path, name: str, shape: tuple[int, int]
) -> None:
    assert read_scores(shared_data / "gt4ireval" / f"{name}.csv").shape == shape
