"""Runs and qrels that are read: what they have, by both ways; their forms are in test_lines.py."""

import gzip
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cdfscore.errors import RunError
from cdfscore.retrieval import Qrels, Run, read_qrels, read_run
from cdfscore.retrieval import runs as of_run
from cdfscore.retrieval.runs import RunFile, has_duplicates, runs_given

RUN = "301 Q0 d1 1 2.5 bm25\n302 Q0 d1 1 9 bm25\n301 Q0 d2 2 1.5 bm25\n"
QRELS = "301 0 d1 1\n302 0 d1 2\n301 0 d2 -1\n"


def by_topic(run: Run) -> dict[str, list[tuple[str, float, float]]]:
    """Return document, score and rank of the documents of each topic."""
    documents = run.documents.to_pylist()
    rows = list(zip(documents, run.scores.tolist(), run.ranks.tolist(), strict=True))
    starts = run.starts.tolist()
    return {
        topic: rows[a:b] for topic, a, b in zip(run.topics, starts[:-1], starts[1:], strict=True)
    }


EXPECTED = {"301": [("d1", 2.5, 1.0), ("d2", 1.5, 2.0)], "302": [("d1", 9.0, 1.0)]}


def zstd(*parts: str) -> bytes:
    zstandard = import_module("zstandard")
    return b"".join(zstandard.ZstdCompressor().compress(each.encode()) for each in parts)


@pytest.mark.clause("trec_run.1")
@pytest.mark.parametrize(
    "data",
    [
        RUN,
        RUN.replace(" 2.5", " +2.50e0").replace(" Q0", " 0"),
        gzip.compress(RUN.encode()),
        gzip.compress(RUN[:20].encode()) + gzip.compress(RUN[20:].encode()),
        gzip.compress(("\ufeff" + RUN).encode()),
    ],
    ids=range(5),
)
def test_a_run_is_read_compressed_or_not(tmp_path: Path, data: str | bytes) -> None:
    path = tmp_path / "a.run"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    run = read_run(path)
    assert (run.system, run.topics) == ("bm25", ("301", "302"))
    assert by_topic(run) == EXPECTED
    assert repr(run) == "<Run 'bm25': 2 topics, 3 documents>"
    assert read_run(path, "mine").system == "mine"


def test_zstd_is_read_in_one_frame_or_more(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    for data in (zstd(RUN), zstd(RUN[:20], RUN[20:])):
        path.write_bytes(data)
        assert by_topic(read_run(path)) == EXPECTED
        for damaged in (data[:-3], data + b"junk", data[:4]):
            path.write_bytes(damaged)
            with pytest.raises(RunError, match="is damaged, and cannot be decompressed by zstd"):
                read_run(path)


@pytest.mark.clause("trec_run.1")
def test_a_run_of_several_ids_needs_a_name(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text(RUN + "302 Q0 d2 2 1 ql\n")
    with pytest.raises(RunError, match="run ids 'bm25' in line 1 and 'ql' in line 4"):
        read_run(path)
    assert read_run(path, "both").system == "both"


@pytest.mark.clause("trec_run.1")
def test_run_ids_that_begin_with_the_same_word(tmp_path: Path) -> None:
    """trec_eval skips what follows the word; the same in every line, it is part of the name."""
    path = tmp_path / "a.run"
    lines = ["1\tQ0\ta\t1\t2\tql {}", "1\tQ0\tb\t2\t1\tql {}"]
    path.write_text("\n".join(lines).format("first", "second"))
    run = read_run(path)
    assert run.system == "ql"
    assert f"{path}: text after the run id 'ql' is not read" in run.notes
    path.write_text("\n".join(lines).format("again", "again"))
    assert read_run(path).system == "ql again"
    path.write_text("\n".join(lines).replace("ql {}", "{}").format("\u00a0", "b"))
    with pytest.raises(RunError, match="has the run ids"):
        read_run(path)


def test_ranks_that_are_no_numbers_are_none(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text(RUN.replace(" 1 ", " - "))
    assert np.isnan(read_run(path).ranks).all()


@pytest.mark.clause("trec_qrels.1")
@pytest.mark.parametrize(
    "data",
    [
        QRELS,
        QRELS.replace(" 1\n", " +1\n"),
    ],
    ids=range(2),
)
def test_qrels_are_read_compressed_or_not(tmp_path: Path, data: str) -> None:
    path = tmp_path / "qrels"
    for content_ in (data.encode(), gzip.compress(data.encode()), zstd(data)):
        path.write_bytes(content_)
        qrels = read_qrels(path)
        assert qrels.as_dict() == {"301": {"d1": 1, "d2": -1}, "302": {"d1": 2}}
        assert qrels.topics == qrels.judged == ("301", "302")
        counts = [qrels.relevant(level).tolist() for level in (0, 1, 2, 3)]
        assert counts == [[1, 1], [1, 1], [0, 1], [0, 0]]
        assert repr(qrels) == "<Qrels: 2 topics, 3 judgments>"


def test_equal_qrels_have_the_same_digest(tmp_path: Path) -> None:
    def read(text: str) -> Qrels:
        (tmp_path / "q").write_text(text)
        return read_qrels(tmp_path / "q")

    first, same = read(QRELS), read(QRELS.replace(" ", "\t"))
    assert first == same
    assert hash(first) == hash(same)
    others = [QRELS + "301 0 d3 0\n", QRELS.replace("d1 1", "d1 0"), QRELS.replace("d1 1", "d3 1")]
    assert all(read(other) != first for other in others)


FIELDS = st.tuples(
    st.sampled_from(["301", "302", "é", "#1", ""]),
    st.sampled_from(["d1", "d2", "d3", "ü", '"', "#", "d 1", ""]),
    st.sampled_from(["1", "2", "-", "1e0"]),
    st.sampled_from(["1", "0.5", "-3e-2", "1.", ".5", "1e9", "nan", "x", "1e999", "0x1"]),
    st.sampled_from(["r", "r", "r", "r", "s", "r 2", "", "r 301 Q0 d9 1 0.5 r"]),
)
BEGINNINGS = st.sampled_from(["", "", "", "", " ", "\t"])
SPACES = st.sampled_from([" ", " ", " ", "\t", "  "])
ENDS = st.sampled_from(["\n", "\n", "\n", " \n", "\n\n", " more\n", "\tmore\n", ""])


@pytest.mark.clause("trec_run.1")
@given(st.lists(st.tuples(FIELDS, BEGINNINGS, SPACES, ENDS), max_size=6))
@example([(("301", "d7", "1", "2.5", ""), "", " ", "\n")])
@example([(("", "d7", "1", "2.5", "r"), "", "\t", "\n")])
@example([(("301", "", "1", "2.5", "r"), "", " ", "\n")])
@example([(("1", "a", "2", "3", "4"), " ", " ", "\n")])
def test_fast_and_exact_reading_agree(lines: list[Any]) -> None:
    text = "".join(
        beginning + space.join((topic, "Q0", document, rank, score, run)) + end
        for (topic, document, rank, score, run), beginning, space, end in lines
    )
    assert len(set(read_both_ways(lambda: read_run("a.run"), text))) == 1


def read_both_ways(read: Callable[[], Run | Qrels], text: str) -> Iterator[object]:
    """Yield what was read, as text where a rank may be NaN, or the message of the error."""
    for tidy in (of_run._tidy, lambda *_: None):
        with (
            patch.object(of_run, "lines_in", lambda *_: (text.encode(), [])),
            patch.object(of_run, "_tidy", tidy),
        ):
            try:
                found = read()
            except RunError as error:
                yield str(error)
            else:
                yield found if isinstance(found, Qrels) else (found.system, repr(by_topic(found)))


@pytest.mark.clause("trec_qrels.1")
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["1", "2", ""]),
            st.sampled_from(["d1", "d2", "d3", ""]),
            st.sampled_from(["0", "1", "-1", "+2", "1.0", "x", "10001", "007"]),
            BEGINNINGS,
            SPACES,
            st.sampled_from(["", "", "", " "]),
        ),
        max_size=5,
    )
)
@example([("", "d1", "1", "", " ", "")])
@example([("1", "d1", "", "", " ", "")])
@example([("1", "d1", "0", " ", "\t", "")])
def test_fast_and_exact_reading_of_qrels_agree(lines: list[Any]) -> None:
    text = "".join(f"{b}{t}{s}0{s}{d}{s}{r}{e}\n" for t, d, r, b, s, e in lines)
    assert len(set(read_both_ways(lambda: read_qrels("q"), text))) == 1


def test_a_name_that_is_given_comes_before_that_of_the_file() -> None:
    file = RunFile(Path("input.bm25"), "bm25")
    assert runs_given({"lsa ": file}).runs == [(file.path, "lsa")]
    assert runs_given(file).runs == [(file.path, "bm25")]


@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize("documents", [5, 5000])
def test_a_topic_has_a_document_twice(documents: int, twice: bool) -> None:
    """Of 5,000 topics and documents: the many pairs are not counted one by one."""
    rng = np.random.default_rng(documents)
    pairs = rng.choice(5000 * documents, 5000, replace=False)
    topics, codes = np.divmod(np.append(pairs, pairs[7] if twice else []).astype(int), documents)
    names = pa.array([f"d{i}" for i in range(documents)])
    of_each = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), names)
    assert has_duplicates(topics, of_each) == twice
