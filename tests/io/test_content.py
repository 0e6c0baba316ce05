"""What a file is that is none of scores, runs or judgments: each reader says the same."""

import gzip
import io
import re
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from cdfscore import load_factors, read_scores
from cdfscore.common.files import SIGNATURES, with_one_line_end, without_marks
from cdfscore.errors import CdfscoreError
from cdfscore.models.formula import read_components
from cdfscore.models.replicates import read_replicates
from cdfscore.retrieval import read_qrels, read_run
from cdfscore.retrieval.merging.sources import read_selection
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
