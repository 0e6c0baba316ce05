"""Parquet files and archives that are refused, and files of another kind under their names."""

import datetime
import io
import tarfile
from typing import Any

import pandas as pd
import pytest

from tests.cli.conftest import Sentence

SCORES = "topic,a,b\n301,0.1,0.2\n302,0.3,0.5\n"
MEANS = "topic,ap,p10\n301,0.1,0.2\n302,0.3,0.4\n"
DAY = datetime.date(2004, 11, 16)


LAST = pd.DataFrame({"a": [0.1, 0.2], "query": ["q1", "q2"]}).to_parquet()


def parquet(**columns: Any) -> bytes:
    frame = pd.DataFrame({"topic": ["301", "302"], "a": [0.1, 0.2], "b": [0.3, 0.4], **columns})
    return frame.to_parquet()


def archive(**texts: str) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as tar:
        for name, text in texts.items():
            member = tarfile.TarInfo(f"{name}.csv")
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text.encode()))
    return content.getvalue()


def row(name: str, content: bytes, *fragments: str, file: str = "s.parquet", extra: str = ""):
    return pytest.param(content, file, extra.split(), fragments, id=name)


@pytest.mark.parametrize(
    ("content", "file", "extra", "fragments"),
    [
        row("empty", b"", "s.parquet is not a Parquet file"),
        row("cut", parquet()[:-30], "s.parquet is not a Parquet file"),
        row("damaged", parquet().replace(b"301", b"\xff\xff\xff"), "s.parquet is "),
        row("word", parquet(a=["0.1", "x"]), "topic '302'", "'a'", "'x' is not a number"),
        row("boolean", parquet(a=[True, False]), "system 'a'", "bool", "expected numbers"),
        row("days", parquet(a=[DAY, DAY]), "topic '301'", "system 'a'", "not a number"),
        row("lists", parquet(a=[[1.0], [2.0]]), "column 'a' has lists", "expected a number"),
        row("infinite", parquet(a=[0.1, float("-inf")]), "topic '302'", "'a'", "not finite"),
        row("topic twice", parquet(topic=["301", "301"]), "'301' appears twice", "in row 2"),
        row("topic without a label", parquet(topic=["301", None]), "row 2: the topic has no name"),
        row("missing", parquet(b=[None, 0.1]), "topic '301'", "system 'b'", "1 missing"),
        row("no such column", parquet(), "no column 'query'", extra="--topic-column query"),
        row("rows are topics", parquet(), "'topic'", "--systems", extra="--systems-as-rows"),
        row("topics not first", LAST, "column 'query'", "--topic-column"),
        row("no topics", pd.DataFrame({"topic": [], "a": []}).to_parquet(), "(0, 1)"),
        row(
            "Excel",
            b"PK\x03\x04\x14\0",
            "s.csv is an Excel workbook",
            "the whole file",
            file="s.csv",
        ),
        row("gzip", b"\x1f\x8b\x08\0", "s.csv is damaged", "by gzip", file="s.csv"),
        row("R, gzip", b"\x1f\x8b\x08\0", "s.rds is an R data file", "write.csv", file="s.rds"),
        row("R, xz", b"\xfd7zXZ\0\0", "s.RData is an R data file", "write.csv", file="s.RData"),
        row("R, plain", b"X\n\0\0\0\x03", "s.csv is an R data file", "write.csv", file="s.csv"),
        row("Parquet as CSV", parquet(), "s.csv is a Parquet file", ".parquet", file="s.csv"),
        row("PNG", b"\x89PNG\r\n", "s.csv, line 1: byte 0x89", file="s.csv"),
    ],
)
def test_scores_are_refused(
    sentence: Sentence, content: bytes, file: str, extra: list[str], fragments: tuple[str, ...]
) -> None:
    arguments = ["standardize", file, "--scheme", "normal", "-o", "OUT.csv", *extra]
    message = sentence({file: content}, [*arguments, "--save-factors", "F.json"])
    assert file in message
    for fragment in fragments:
        assert fragment in message


@pytest.mark.parametrize(
    ("content", "fragments"),
    [
        (b"", ["not a tar.gz file"]),
        (b"text", ["not a tar.gz file"]),
        (archive(means=MEANS, sds=MEANS)[:100], ["is damaged", "by gzip", "end-of-stream marker"]),
        (archive(means=MEANS), ["0 files of standard deviations; expected one"]),
        (archive(means=MEANS, mean=MEANS, sds=MEANS), ["2 files of means; expected one"]),
        (archive(notes=MEANS), ["no file of means", "that end in means.csv and sds.csv"]),
        (
            archive(T7_means=MEANS, T7_sds=MEANS, T8_means=MEANS, T8_sds=MEANS),
            ["track 'T7', track 'T8'", "no track was named; expected one by --track"],
        ),
        (archive(a_means=MEANS, sds=MEANS), ["track 'a', track ''", "no track was named"]),
        (archive(means=MEANS, sds=MEANS), ["ap, p10", "no measure was named"]),
        (archive(means=MEANS, sds=MEANS.replace("302", "303")), ["differ in their topics"]),
        (archive(means=MEANS, sds=MEANS.replace("p10", "p20")), ["differ", "measures"]),
        (archive(means=MEANS, sds=MEANS.replace("0.3", "x")), ["sds.csv, line 3", "'x'"]),
        (archive(means=MEANS, sds=MEANS.replace("0.3", "NA")), ["sds.csv, line 3", "missing"]),
        (archive(means=MEANS, sds=MEANS.replace("0.3", "-1")), ["'302'", "'ap'", "-1", "negative"]),
        (archive(means=MEANS * 2, sds=MEANS), ["means.csv, line 4", "'ap'"]),
    ],
    # An archive has the second in it in which it was made, and the processes of a run make it anew.
    ids=lambda value: "archive" if isinstance(value, bytes) else value[-1],
)
def test_archive_of_factors_is_refused(
    sentence: Sentence, content: bytes, fragments: list[str]
) -> None:
    files = {"f.tar.gz": content, "s.csv": SCORES}
    message = sentence(files, ["apply", "f.tar.gz", "s.csv", "-o", "OUT.csv"])
    assert "f.tar.gz" in message
    for fragment in fragments:
        assert fragment in message
