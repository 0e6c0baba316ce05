"""Ten siblings of each kind of file of the public reports: the numbers, or a refusal that says why.

A row has the kind, what reads it, the content, the settings, the outcome, and a part of the notes.
The outcome is a part of the message of a refusal, or all numbers.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cdfscore import as_scores, read_scores
from cdfscore.errors import CdfscoreError
from cdfscore.retrieval import read_qrels, read_run
from cdfscore.scores.dataframes import notes_of

Row = tuple[str, str, Any, dict[str, Any], Any, str]
BOM = "\ufeff"


def numbers_of(what: str, content: Any, folder: Path, settings: dict[str, Any]) -> tuple[Any, str]:
    """Return all numbers by labels, and the notes."""
    if what == "dict":
        frame = as_scores(content, **settings)
        return frame.to_dict(), " ".join(notes_of(frame))
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


def mteb() -> list[Row]:
    kind, says = "MTEB JSON", "the result of MTEB for one task and one model"
    result = {"dataset_revision": "x", "mteb_version": "1.2", "scores": {"test": [{"ndcg": 0.5}]}}
    old = {"mteb_dataset_name": "SciFact", "test": {"ndcg_at_10": 0.6}, "mteb_version": "1.0"}
    forms: list[Any] = [
        result,
        old,
        {**result, "task_name": "STS12", "evaluation_time": 3.5},
        {**result, "scores": {}},
        {"mteb_version": None, "scores": {"validation": []}},
        {**old, "validation": {"map_at_1": 0.5}},
        {"test": {"accuracy": 0.5}, "mteb_dataset_name": "Banking77"},
        {"mteb_version": "2.0", "test": {"en": {"accuracy": 0.5}, "de": {"accuracy": 0.4}}},
    ]
    rows: list[Row] = [(kind, "scores", json.dumps(own), {}, says, "") for own in forms]
    rows.append((kind, "scores", json.dumps(result, indent=2), {"measure": "ndcg"}, says, ""))
    rows.append((kind, "scores", BOM + json.dumps(old), {"ending": ".json"}, says, ""))
    return rows


def harness() -> list[Row]:
    kind, two = "lm-evaluation-harness JSON", {"arc": {"acc,none": 0.5}, "piqa": {"acc,none": 0.75}}
    both, old = {"arc": 0.5, "piqa": 0.75}, {"arc": {"acc": 0.5}, "piqa": {"acc": 0.75}}

    def file(results: Any, **more: Any) -> str:
        return json.dumps({"results": results, "config": {}, **more})

    errors = {task: {**own, "acc_stderr,none": 0.1} for task, own in two.items()}
    named = {task: {**own, "alias": f" - {task}"} for task, own in two.items()}
    group = {"all": {"acc,none": 0.6}, **two}
    norm = {task: {**own, "acc_norm,none": 0.1} for task, own in two.items()}
    strict = {task: {"exact_match,strict-match": 0.5} for task in two}
    return [
        (kind, "scores", file(two), {}, {"a": both}, ""),
        (kind, "scores", file(old), {}, {"a": both}, ""),
        (kind, "scores", file(two, model_name="m"), {}, {"m": both}, ""),
        (kind, "scores", file(errors), {}, {"a": both}, ""),
        (kind, "scores", file(named), {}, {"a": both}, ""),
        (
            *(kind, "scores", file(group, group_subtasks={"all": ["arc", "piqa"], "arc": []}), {}),
            *({"a": both}, "groups, which sum up other tasks, are left out: all"),
        ),
        (kind, "scores", file(norm), {"measure": "acc"}, {"a": both}, ""),
        (kind, "scores", file(norm), {}, "scores of 2 measures: acc, acc_norm", ""),
        (
            *(kind, "scores", file(strict), {"measure": "exact_match,strict-match"}),
            *({"a": {"arc": 0.5, "piqa": 0.5}}, ""),
        ),
        (kind, "scores", file({"arc": {"alias": "arc"}}), {}, "no scores of tasks", ""),
    ]


def old_report() -> list[Row]:
    kind, says = "report of trec_eval 7", "the report of trec_eval -o, or of trec_eval 7"
    head = "Queryid (Num):      50\nTotal number of documents over all queries\n    Retrieved: 9\n"
    each = "Queryid (Num):        1\nTotal number of documents over all queries\n    Relevant:  2\n"
    average = "Average precision (non-interpolated) over all rel docs\n                  0.2142\n"
    forms = [
        head + average,
        "\n" + head,
        "\n\n\n" + head + average,
        each + each.replace("1\n", "2\n") + head,
        (head + average).replace("\n", "\r\n"),
        "   " + head,
        head.replace("Queryid (Num):      50", "Queryid (Num):    all"),
        head.replace("Queryid (Num):      50", "Queryid (Num): 301"),
        (head + average).replace("\n", "\r"),
    ]
    rows: list[Row] = [(kind, "scores", own, {}, says, "") for own in forms]
    rows.append((kind, "scores", head, {"measure": "map"}, says, ""))
    return rows


def averaged_over_more() -> list[Row]:
    kind = "trec_eval -c without num_q"

    def output(scores: list[float], mean: str, name: str = "map", *more: str) -> str:
        topics = [f"{name}\t{i}\t{score:.4f}" for i, score in enumerate(scores, 301)]
        return lines(*topics, *more, f"{name}\tall\t{mean}")

    four, drop = [1.0, 0.5, 0.5, 1.0], {"drop_topics": ["all"]}
    of_four = {"a": {str(i): score for i, score in enumerate(four, 301)}}
    five = "their sum divided by 5, as of trec_eval -c, where 1 topic"
    may = "trec_eval -c may have counted 1 topic that is not in the file as 0"
    with_number = output(four, "0.6000", "map", "num_q\tall\t5")
    return [
        (kind, "scores", output(four, "0.6000"), {}, five, ""),
        (kind, "scores", output(four, "0.6000"), drop, of_four, may),
        (kind, "scores", output(four, "0.5000"), {}, "divided by 6, as of trec_eval -c", ""),
        (kind, "scores", output(four, "0.6000", "ndcg"), {}, five, ""),
        (kind, "scores", output(four, "0.6000").replace("\n", "\r\n"), {}, five, ""),
        (kind, "scores", output(four, "0.6000"), {"measure": "map"}, five, ""),
        (kind, "scores", with_number, {"measure": "map"}, of_four, "over 5 topics, 1 of which"),
        (kind, "scores", output(four, "0.7500"), {}, of_four, "the mean of the 4 topics"),
        (kind, "scores", output(four, "0.6100"), {}, "expected the file as it was written", ""),
        (kind, "scores", output(four, "0.8000"), {}, "expected the file as it was written", ""),
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


def no_means() -> list[Row]:
    kind, logs, ones = "gm_map and num_q", "logarithms", "1 for each topic, and no score"
    text = lines("gm_map\t301\t-1.2", "gm_map\t302\t-0.7", "gm_map\tall\t0.38")
    counts = lines("num_q\t301\t1", "num_q\t302\t1", "num_q\tall\t2")
    own = {"301": {"gm_map": -1.2, "map": 0.5}, "302": {"gm_map": -0.7, "map": 0.25}}
    one = {"system": "s"}
    turned = {"gm_map": {"301": -1.2, "302": -0.7}}
    csv = "topic,measure,score\n301,gm_map,-1.2\n302,gm_map,-0.7\n"
    maps = {"a": {"301": 0.5, "302": 0.25}}
    number = {"301": {"num_q": 1.0}, "302": {"num_q": 1.0}}
    return [
        (kind, "scores", text, {}, logs, ""),
        (kind, "scores", text, {"measure": "gm_map"}, logs, ""),
        (kind, "scores", counts, {"measure": "num_q"}, ones, ""),
        (kind, "scores", json.dumps(own), {"measure": "gm_map"}, logs, ""),
        (kind, "scores", json.dumps(turned), {}, logs, ""),
        (kind, "scores", json.dumps(own), {"measure": "map"}, maps, ""),
        (kind, "scores", csv, {"ending": ".csv"}, logs, ""),
        (kind, "dict", own, {**one, "measure": "gm_map"}, logs, ""),
        (kind, "dict", own, {**one, "measure": "map"}, {"s": maps["a"]}, ""),
        (kind, "dict", number, {**one, "measure": "num_q"}, ones, ""),
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
    for kind in (
        *(msmarco, beir, mteb, harness, old_report, averaged_over_more),
        *(composite, no_means, marks, carriage_returns, hashes),
    )
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


def test_each_kind_has_ten() -> None:
    assert set(Counter(row[0] for row in ROWS).values()) == {10}
