"""Siblings of kinds of files of the public reports: the numbers, or a refusal that says why.

A row has the kind, what reads it, the content, the settings, the outcome, and a part of the notes.
The outcome is a part of the message of a refusal, or all numbers.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cdfscore import read_scores
from cdfscore.errors import CdfscoreError
from cdfscore.retrieval import read_qrels, read_run
from cdfscore.scores.dataframes import notes_of

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
