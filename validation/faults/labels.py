"""Hostile labels through every door: the same label comes back, and nothing is run."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from cdfscore import read_scores, write_scores
from cdfscore.scores.tables import unguarded
from validation.faults.commands import OUT, Command, Ended, emptied, run
from validation.faults.judge import Row, require

BACK = "the label comes back"
#: What a spreadsheet, a shell, R, LaTeX, a browser, a terminal or a reader of numbers would take
#: for something else.
LABELS = (
    *("=1+1", "=cmd|' /C calc'!A0", "+RM3", "-stem", "@SUM(1)", "'=1+1", "''+x", "'@", "=", "'"),
    *("`id`", "$(touch run)", "${HOME}", "; touch run", "a|b", "a&&b", "%PATH%", "*", "~", "../x"),
    *("quit()", 'x"); quit("no"); ("', "NULL", "TRUE", "Inf", "if", "a\\b", "\\\\", "%s", "{x}"),
    *("\\input{x}", "a_b^c", "$x$", "&amp;", "<script>run()</script>", "<b onclick=run()>", "-->"),
    *(
        "\x1b[31mred",
        "\x1b]0;title\x07",
        "\x7f",
        "a\x85x",
        "\u202eabc",
        "a\u200bb",
        "\ufeffx",
        "é",
        "e\u0301",
    ),
    *(
        "a,b",
        "a;b",
        'a"b',
        "a\tb",
        "a\nb",
        "a\r\nb",
        "#x",
        "1e5",
        "007",
        "1.0",
        "0x10",
        "a  b",
        "İ",
    ),
    *("system", "topic_id", "x" * 300, "日本", "\U0001f600"),
)
_OUTPUTS = {
    "csv": ("standardize", "l.csv", "--scheme", "normal", "-o", "out/y.csv"),
    "tsv": ("standardize", "l.csv", "--scheme", "normal", "-o", "out/y.tsv"),
    "parquet": ("standardize", "l.csv", "--scheme", "normal", "-o", "out/y.parquet"),
    "stream": ("standardize", "l.parquet", "--scheme", "normal", "--stream", "-o", "out/y.parquet"),
    "plain labels": ("standardize", "l.csv", "--scheme", "z", "--plain-labels", "-o", "out/y.csv"),
    "factors": ("standardize", "l.csv", "--scheme", "z", "-o", "-", "--save-factors", "out/f.json"),
}
_PAIRS = ("compare", "l.csv", "--test", "paired_t", "-o")
_SCHEME = ("--scheme", "normal", "--test", "paired_t")
_VERIFY = ("verify", "l.csv", *_SCHEME, "--via")


def doors(folder: Path) -> Iterator[Row]:
    """Send all labels through each door, as systems and as topics."""
    shape = len(LABELS), len(LABELS)
    values = np.random.default_rng(2).random(shape).round(4)
    frame = pd.DataFrame(values, index=pd.Index(LABELS, name="topic"), columns=list(LABELS))
    write_scores(frame, folder / "l.csv")
    write_scores(frame, folder / "l.parquet")
    for name, words in _OUTPUTS.items():
        yield _through(name, words, folder, _factors if name == "factors" else _scores)
    yield _through("compare, csv", (*_PAIRS, "out/p.csv"), folder, _cells)
    yield _through("compare, json", (*_PAIRS, "out/p.json"), folder, _json)
    yield _through("verify --via rscript", (*_VERIFY, "rscript"), folder, _everything)
    yield _through("verify --via rpy2", (*_VERIFY, "rpy2"), folder, _everything)
    yield _through("report", ("report", "l.csv", *_SCHEME, "-o", "out/r.html"), folder, _page)
    yield _through("plot", ("plot", "means", "l.csv", "-o", "out/m.svg"), folder, _page)
    yield _through("correlate", ("correlate", "l.csv", "l.parquet", "-o", "-"), folder, _everything)


def _through(
    name: str, words: tuple[str, ...], folder: Path, back: Callable[[Path, Ended], set[str]]
) -> Row:
    row = Row("hostile labels", name)
    out = emptied(folder) / OUT
    found = run(Command(name, words, ()), folder)
    came = back(out, found) if found.status == 0 else set[str]()
    for label in LABELS:
        with row.case(repr(label[:20])):
            require(found.status == 0, f"the status is {found.status}: {found.said[-300:]}")
            require(label in came, "another label comes back, or none")
            require(not (folder / "run").exists(), "it was run")
            telling = set(found.said).intersection("\x1b\x07\x7f\x85\u202e")
            require(not telling, f"{telling} are not escaped on standard error")
            row.outcomes[BACK] += 1
    return row


def _scores(out: Path, _: Ended) -> set[str]:
    (path,) = out.glob("y.*")
    read = read_scores(path)
    return set(read.index) & set(read.columns)


def _factors(out: Path, _: Ended) -> set[str]:
    document = json.loads((out / "f.json").read_text(encoding="utf-8"))
    return set(document["systems"]) & set(document["topics"])


def _cells(out: Path, _: Ended) -> set[str]:
    with (out / "p.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = {row[side] for row in rows for side in ("system_a", "system_b")}
    return set(unguarded(sorted(found)))


def _json(out: Path, _: Ended) -> set[str]:
    text = (out / "p.json").read_text(encoding="utf-8")
    require(not set(text).intersection("\x1b\x7f\x85\u202e"), "a character is not escaped")
    rows = json.loads(text)["rows"]
    return {row[side] for row in rows for side in ("system_a", "system_b")}


def _page(out: Path, _: Ended) -> set[str]:
    (path,) = out.iterdir()
    text = path.read_text(encoding="utf-8")
    run_by = ("<script>run()", "<b onclick=run()>", "\x1b", "\x7f", "\x85", "\u202e")
    return set() if any(each in text for each in run_by) else set(LABELS)


def _everything(_: Path, __: Ended) -> set[str]:
    return set(LABELS)
