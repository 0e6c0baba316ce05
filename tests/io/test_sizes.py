"""Small files that ask for much memory are refused, and nothing leaves an archive."""

import gzip
import io
import json
import tarfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import zstandard
from pyarrow import parquet

from cdfscore import Standardizer, read_scores
from cdfscore.common import files
from cdfscore.errors import CdfscoreError, FactorsError, RunError, ScoresError
from cdfscore.retrieval import read_qrels, read_run
from cdfscore.retrieval.merging.sources import read_selection
from cdfscore.standardization.formats import encode_factors, load_factors, read_webber_moffat

MEANS = "topic,ap\n301,0.1\n302,0.3\n"


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lower the bounds, so that no test has to make large files."""
    monkeypatch.setattr(files, "BYTES", 1 << 16)
    monkeypatch.setattr(files, "CELLS", 1 << 12)


def zeros(size: int) -> bytes:
    return b"0" * size


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress])
def test_what_grows_too_much_is_refused(tmp_path: Path, compress) -> None:
    path = tmp_path / "a.run"
    path.write_bytes(compress(zeros(1 << 17)))
    for read in (read_run, read_qrels):
        with pytest.raises(RunError, match=r"bytes, and more than 65,536 when it is decompressed"):
            read(path)


def test_a_bomb_is_refused_before_it_is_decompressed(tmp_path: Path) -> None:
    """1 kB of zstd that stands for 8 GiB."""
    writer = zstandard.ZstdCompressor(level=1).compressobj(size=1 << 33)
    piece = bytes(1 << 20)
    content = b"".join([*(writer.compress(piece) for _ in range(300)), writer.flush(1)])
    path = tmp_path / "a.run"
    path.write_bytes(content)
    with pytest.raises(RunError, match="more than 268,435,456 when it is decompressed"):
        read_run(path)


def test_several_frames_and_repetitive_runs_are_read(tmp_path: Path) -> None:
    rows = [f"301 Q0 d{i} {i} {10_000 - i} bm25\n" for i in range(10_000)]
    text = "".join(rows).encode()
    for compress in (gzip.compress, zstandard.compress):
        (tmp_path / "a.run").write_bytes(compress(text[:1000]) + compress(text[1000:]))
        assert len(read_run(tmp_path / "a.run").scores) == 10_000
    damaged = zstandard.compress(text)
    (tmp_path / "a.run").write_bytes(damaged[:-10])
    with pytest.raises(RunError, match="Truncated"):
        read_run(tmp_path / "a.run")


@pytest.mark.usefixtures("small")
def test_a_parquet_file_of_few_bytes_and_many_rows_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.parquet"
    frame = pd.DataFrame({"a": np.zeros(1_000_000), "b": np.zeros(1_000_000)})
    frame.to_parquet(path)
    with pytest.raises(ScoresError, match=r"for 1,000,000 rows and 2 columns; expected at most"):
        read_scores(path)


def test_lists_in_a_parquet_file_are_refused_before_they_are_read(tmp_path: Path) -> None:
    """Nothing but reading tells how long they are."""
    path = tmp_path / "s.parquet"
    parquet.write_table(pa.table({"topic": ["1"], "a": [np.zeros(400_000)]}), path)
    with pytest.raises(ScoresError, match="the column 'a' has lists; expected a number, or text"):
        read_scores(path)


@pytest.mark.clause("matrix.5")
@pytest.mark.usefixtures("small")
def test_a_sparse_matrix_is_refused(tmp_path: Path) -> None:
    rows = "".join(f"t{i},s{i},0.5\n" for i in range(200))
    (tmp_path / "s.csv").write_text(f"topic,system,score\n{rows}")
    with pytest.raises(ScoresError, match="has 200 scores, of 200 systems on 200 topics"):
        read_scores(tmp_path / "s.csv")
    (tmp_path / "s.csv").write_text(f"topic,source,score\n{rows}")
    with pytest.raises(RunError, match="has 200 scores, of 200 sources for 200 topics"):
        read_selection(tmp_path / "s.csv")


@pytest.mark.usefixtures("small")
def test_factors_with_one_long_list_are_refused(tmp_path: Path) -> None:
    scores = pd.DataFrame(0.5, map(str, range(200)), ["a"])
    document = json.loads(encode_factors(Standardizer("empirical").fit(scores)))
    document["topics"]["7"] = {"n": 4000, "sample": [0.5] * 4000}
    (tmp_path / "f.json").write_text(json.dumps(document))
    with pytest.raises(FactorsError, match=r"'sample' has 4,000 numbers on one topic, and 4,199"):
        load_factors(tmp_path / "f.json")


def packed(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as tar:
        for member, text in members:
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text))
    return content.getvalue()


def named(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, link
    return member


@pytest.mark.parametrize("folder", ["../../", "/", "C:\\"])
def test_members_of_an_archive_stay_in_it(tmp_path: Path, folder: str) -> None:
    """They are read where they are: no name is that of a file to write."""
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    members = [(named(f"{folder}{name}.csv"), MEANS.encode()) for name in ("means", "sds")]
    (inner / "f.tar.gz").write_bytes(packed(*members))
    assert list(read_webber_moffat(inner / "f.tar.gz")) == ["ap"]
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["f.tar.gz"]


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE])
def test_links_in_an_archive_are_not_followed(tmp_path: Path, kind: bytes) -> None:
    (tmp_path / "sds.csv").write_text(MEANS)
    link = named("sds.csv", kind, str(tmp_path / "sds.csv"))
    (tmp_path / "f.tar.gz").write_bytes(packed((named("means.csv"), MEANS.encode()), (link, b"")))
    with pytest.raises(FactorsError, match=r"has 0 files of standard deviations"):
        read_webber_moffat(tmp_path / "f.tar.gz")


def test_a_sparse_member_is_not_filled_with_zeros(tmp_path: Path) -> None:
    """GNU tar has 8 GB of holes in 3 blocks."""
    member = tarfile.TarInfo("means.csv")
    member.type = tarfile.GNUTYPE_SPARSE
    header = bytearray(member.tobuf(tarfile.GNU_FORMAT))
    header[386:410] = b"00000000000\x0000000000000\x00"  # of the first part: at 0, of 0 bytes
    header[483:495] = b"77777777777\x00"  # the size with the holes
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    sds = packed((named("sds.csv"), MEANS.encode()))
    content = bytes(header) + gzip.decompress(sds)
    (tmp_path / "f.tar.gz").write_bytes(gzip.compress(content))
    with pytest.raises(FactorsError, match=r"is damaged: means\.csv would be larger than the arch"):
        read_webber_moffat(tmp_path / "f.tar.gz")


def test_a_damaged_archive_is_refused_wherever_the_damage_is(tmp_path: Path) -> None:
    text = "topic,ap\n" + "".join(f"{i},0.{i**7}\n" for i in range(300))
    whole = packed(*((named(f"{name}.csv"), text.encode()) for name in ("means", "sds")))
    path = tmp_path / "f.tar.gz"
    for place in range(20, len(whole), 40):  # after the header
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 64]) + whole[place + 1 :])
        with pytest.raises(FactorsError, match="is damaged"):
            read_webber_moffat(path)


def test_no_reader_takes_a_pickle(tmp_path: Path) -> None:
    """A pickle that would make a file, under the name of each kind of file."""
    import os
    import pickle

    class Trap:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return os.mkdir, (str(tmp_path / "trap"),)

    for name, read in {
        "f.json": load_factors,
        "f.tar.gz": load_factors,
        "f.txt": load_factors,
        "s.csv": read_scores,
        "s.parquet": read_scores,
        "a.run": read_run,
    }.items():
        (tmp_path / name).write_bytes(pickle.dumps(Trap()))
        with pytest.raises(CdfscoreError):
            read(tmp_path / name)
    assert not (tmp_path / "trap").exists()
