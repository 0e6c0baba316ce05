"""Nothing is lost at the door: a line is one record, or it is refused, or a note counts it."""

import ast
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cdfscore import read_scores
from cdfscore.errors import CdfscoreError, RunError
from cdfscore.retrieval import measure, read_qrels, read_run
from cdfscore.retrieval.merging import merge
from cdfscore.standardization.formats import read_trec_eval_factors

#: {topic: {label: number}}, what a file of records says.
Content = dict[str, dict[str, float]]


def of_run(path: Path) -> Content:
    run = read_run(path, "x")
    documents, scores = run.documents.to_pylist(), run.scores.tolist()
    pairs = list(zip(documents, scores, strict=True))
    starts = run.starts.tolist()
    return {
        topic: dict(pairs[a:b])
        for topic, a, b in zip(run.topics, starts[:-1], starts[1:], strict=True)
    }


def of_qrels(path: Path) -> Content:
    found: Content = {}
    qrels = read_qrels(path)
    for code, document, level in zip(
        qrels.codes.tolist(), qrels.documents.to_pylist(), qrels.relevance.tolist(), strict=True
    ):
        found.setdefault(qrels.topics[code], {})[document] = level
    return found


def of_scores(path: Path) -> Content:
    found = read_scores(path, measure="map", systems_as_rows=None)
    return {topic: {"x": score} for topic, score in found.iloc[:, 0].items()}


def of_factors(path: Path) -> Content:
    factors = read_trec_eval_factors(path)["map"]
    means = factors.fitted.parameters["mean"].ravel().tolist()
    return {topic: {"x": mean} for topic, mean in zip(factors.topics, means, strict=True)}


class Reader(NamedTuple):
    """A reader of lines, how it writes a record, and the number of columns."""

    read: Callable[[Path], Content]
    line: str
    columns: int
    only_tabs: bool = False


READERS = {
    "run": Reader(of_run, "{t}\tQ0\t{d}\t1\t{n}\tx", 6),
    "qrels": Reader(of_qrels, "{t}\t0\t{d}\t{n}", 4),
    "trec_eval": Reader(of_scores, "map\t{t}\t{n}", 3, only_tabs=True),
    "ir_measures": Reader(of_scores, "{t}\tmap\t{n}", 3, only_tabs=True),
    "factors": Reader(of_factors, "{t}\tmap\t{n}\t0.5", 4),
}


@st.composite
def records(draw: st.DrawFn, several: bool) -> list[tuple[str, str, int]]:
    """Draw topics with a document, or `several`, each with a whole number."""
    keys = draw(
        st.lists(
            st.tuples(st.integers(1, 4), st.integers(1, 3) if several else st.just(1)),
            min_size=1,
            max_size=6,
            unique=True,
        )
    )
    return [(f"q{topic}", f"d{document}", draw(st.integers(0, 9))) for topic, document in keys]


@pytest.mark.clause("trec_run.1")
@pytest.mark.clause("trec_qrels.1")
@pytest.mark.parametrize("name", READERS)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_lines_are_read_whole_or_refused(name: str, data: st.DataObject, tmp_path: Path) -> None:
    """However lines end and columns are apart, all records are there; a joined line is refused."""
    reader = READERS[name]
    rows = data.draw(records(several=name in ("run", "qrels")))
    expected: Content = {}
    for topic, document, number in rows:
        expected.setdefault(topic, {})[document if name in ("run", "qrels") else "x"] = number
    ends = st.sampled_from(["\n", "\r\n", "\r", "\n\n", "\n\ufeff", "\r\r"])
    spaces = st.sampled_from(["\t"] if reader.only_tabs else ["\t", " ", "  ", " \t "])
    lines = [reader.line.format(t=t, d=d, n=n) for t, d, n in rows]
    lines = [line.replace("\t", data.draw(spaces)) for line in lines]
    joined = data.draw(st.integers(0, len(lines) - 1)) if len(lines) > 1 else 0
    text = lines[0]
    for i, line in enumerate(lines[1:], start=1):
        between = data.draw(st.sampled_from(["", " ", "\t"])) if i == joined else data.draw(ends)
        text += between + line
    path = tmp_path / "x"
    path.write_bytes((data.draw(st.sampled_from(["", "\ufeff"])) + text).encode())
    if not joined:
        assert reader.read(path) == expected
        return
    with pytest.raises(CdfscoreError):
        reader.read(path)


R = ["301 Q0 d2 1 9 x", "301 Q0 d3 2 8 x", "301 Q0 d1 3 7 x", "302 Q0 d4 1 9 x"]
Q = ["301 0 d1 1", "301 0 d2 0", "301 0 d3 1", "302 0 d1 0", "302 0 d4 1"]
TABS = [line.replace(" ", "\t") for line in R]
SPACED = [line.replace("x", "my own run").replace("d", "d ") for line in TABS]
PRECISION = {"301": (1 / 2 + 2 / 3) / 2, "302": 1.0}


MARKS = "byte order marks inside the file, as of joined files, are left out"


def file(path: Path, lines: list[str] | str | bytes) -> Path:
    text = lines if isinstance(lines, str | bytes) else "\n".join(lines) + "\n"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.clause("trec_run.1")
@pytest.mark.parametrize(
    ("run", "qrels", "notes"),
    [
        # A carriage return ends a line, in any mix.
        ("\r".join(R), Q, []),
        ("\r".join(R) + "\r", "\r".join(Q), []),
        ("\r\n".join(R), "\r\n".join(Q) + "\r\n", []),
        (f"{R[0]}\r{R[1]}\n{R[2]}\r\n{R[3]}", Q, []),
        ("\r\r".join(R), "\n\r".join(Q), []),
        ("\r".join(TABS), "\r".join(Q).replace(" ", "\t"), []),
        # Spaces within columns between tabs.
        (SPACED, [line.replace(" ", "\t").replace("d", "d ") for line in Q], []),
        ("\r".join(SPACED), [line.replace(" ", " \t").replace("d", "d ") for line in Q], []),
        # Tabs and spaces.
        ([*TABS[:2], *R[2:]], [Q[0].replace(" ", "\t"), *Q[1:]], []),
        ([line.replace(" ", "\v\f ") for line in R], [f"\t{line} " for line in Q], []),
        # Marks of joined files.
        (
            [R[0], *("\ufeff" + line for line in R[1:])],
            ["\ufeff" + line for line in Q],
            [f"x.run: {len(R) - 1} {MARKS}", f"q: {len(Q) - 1} {MARKS}", "first in line 2"],
        ),
        ("\ufeff" + "\r\ufeff".join(R), "\ufeff" + "\r\n\ufeff".join(Q), ["q: ", "x.run: "]),
        (["\ufeff" + R[0], *R[1:]], ["\ufeff" + Q[0], *Q[1:]], []),
        ([*R[:-1], "\ufeff" + R[-1]], Q, ["1 byte order mark inside the file, as of"]),
        # Comments are counted.
        (["# of 2026", *R], Q, ["1 line that begins with # is left out as no record, line 1"]),
        (R, [Q[0], "#", "# two words", *Q[1:]], ["2 lines that begin with # are left out"]),
        (R, [*Q, "#judged by us"], ["q: 1 line that begins with #", "line 6"]),
        (["  # a b c d 5 f"[:0] + " # x Q0 d 1 2.5 x", *R], Q, ["x.run: 1 line", "line 1"]),
        # Tables with a header, in any order of the columns.
        (
            R,
            ["query-id corpus-id score", *("{} {} {}".format(*q.split()[::2], q[-1]) for q in Q)],
            [],
        ),
        (R, ["query-id\tcorpus-id\tscore", *("{0}\t{2}\t{3}".format(*q.split()) for q in Q)], []),
        (R, ["relevance,doc_id,query_id", *("{3},{2},{0}".format(*q.split()) for q in Q)], []),
        (R, ["qid\tQ0\tdocno\tlabel", *(q.replace(" ", "\t") for q in Q)], []),
        (R, "\r\n".join(["qid,docid,rel", *("{0},{2},{3}".format(*q.split()) for q in Q)]), []),
        (["qid Q0 docno rank score run", *R], Q, []),
        (
            ["query_id,doc_id,score", *("{0},{2},{4}".format(*r.split()) for r in R)],
            Q,
            ["from the"],
        ),
        # Runs of MS MARCO.
        (
            ["{0}\t{2}\t{3}".format(*r.split()) for r in R],
            Q,
            ["it is minus the rank", "the file: x"],
        ),
        ("\r\n".join("{0} {2} {3}".format(*r.split()) for r in R), Q, ["minus the rank"]),
        (["# ours", *("{0} {2} {3}".format(*r.split()) for r in R)], Q, ["minus", "begins with #"]),
        # With the score, and without Q0 and the run id.
        (["{0}\t{2}\t{3}\t{4}".format(*r.split()) for r in R], Q, ["rank and score", "file: x"]),
        ([" {0} {2}  {3} {4} ".format(*r.split()) for r in R], Q, ["neither Q0 nor a run id"]),
        ("\r".join("{0} {2} {3} -{3}.5e0".format(*r.split()) for r in R), Q, ["rank and score"]),
    ],
    ids=range(31),
)
def test_every_form_gives_the_same_scores(
    run: Any, qrels: Any, notes: list[str], tmp_path: Path
) -> None:
    paths = file(tmp_path / "x.run", run), file(tmp_path / "q", qrels)
    spaced = "d 2" in paths[0].read_text()
    if spaced != ("d 2" in paths[1].read_text()):
        raise AssertionError("runs and qrels have other documents")
    measured = measure(paths[0], paths[1], "AP")
    assert measured["AP"].iloc[:, 0].to_dict() == pytest.approx(PRECISION, abs=1e-15)
    said = " ".join(measured.notes)
    assert all(note in said for note in notes)
    assert bool(notes) == bool(measured.notes)
    assert (
        merge(paths[0], name="y").notes[: len(read_run(paths[0]).notes)] == read_run(paths[0]).notes
    )


TWO = r"\(two records in one line\?\)"


@pytest.mark.clause("trec_run.1")
@pytest.mark.parametrize(
    ("run", "message"),
    [
        ([R[0], R[1] + R[2], R[3]], f"line 2 has 11 columns {TWO}; expected 6 in a line of a run"),
        ([R[0], f"{R[1]} {R[2]}", R[3]], f"line 2 has 12 columns {TWO}"),
        ([R[0], f"{R[1]}\ufeff{R[2]}"], f"line 2 has 11 columns {TWO}"),
        ([R[0], "".join(R[1:])], f"line 2 has 16 columns {TWO}"),
        ([TABS[0], TABS[1] + TABS[2]], f"line 2 has 11 columns {TWO}"),
        ([TABS[0] + TABS[1], *R[2:]], f"line 1 has 11 columns {TWO}"),
        ([SPACED[0], SPACED[1] + SPACED[2]], r"line \d has \d+ columns"),
        ([TABS[0], TABS[1] + R[2]], f"line 2 has the column 'x301 Q0 d1 3 7 x' {TWO}"),
        ([TABS[0], TABS[1] + "  " + R[2]], rf"line 2 has the column '.*' {TWO}"),
        ([R[0], R[1] + " more"], r"line 2 has 7 columns \(spaces within a column\? Tabs between"),
        ([R[0].replace("d2", "d 2")], "line 1 has 7 columns"),
        (["#1 Q0 d 1 2 x#1 Q0 e 2 1 x", "#1 Q0 f 3 0 x"], f"line 1 has 11 columns {TWO}"),
        (["#1 Q0 d 1 2 x", "#2 Q0 e 2"], "line 2 has 4 columns, as qrels have"),
        (["#1 Q0 d 1 2 x", "#2 Q0 e 2 high x"], "line 2: the score 'high' is not a finite number"),
        (["301 d1 1", "301 d2 3", "301 d3 2"], "the third is no rank on topic '301'"),
        (["301 d1 9", "301 d2 8"], "the third is no rank on topic '301': it does not begin with 1"),
        (["301 d1 3", "301 d2 2", "301 d3 1"], "the third is no rank on topic '301'"),
        (["301 d1 1", R[1].replace("d3", "d9")], "lines of 3 and of 6 columns"),
        (["301 d1 1 5", R[1].replace("d3", "d9")], "lines of 4 and of 6 columns"),
        (["301 d1 1", "301 d2 2 5"], "line 2 has 4 columns, as qrels have"),
        (["301 d1 1 5", "301 d2 2"], "line 2 has 3 columns; expected 6"),
        (["301 d1 1 5", "301 d2 1 4"], "lines of 4 columns, and the third is no rank on topic '30"),
        (["301 0 d1 1", "301 0 d2 0"], r"line 1 has 4 columns, as qrels have; .* run id$"),
        (["301 Q0 5 1"], r"line 1 has 4 columns, as qrels have; .* run id$"),
        (["301|Q0|d1|1|5|x"], "line 1 has 1 column; expected 6"),
        (["301 d1 1", "301 d2 2.5"], "line 2 has 3 columns; expected 6"),
        (["301 d1 0.5", "301 d2 0.25"], "line 1 has 3 columns; expected 6"),
        (["301 d1 1", "301 d1 2"], "line 2: topic '301' has document 'd1' already in line 1"),
        (["qid,docno,score", "1,a,2", "1,b"], "line 3 has 2 fields, and the header has 3"),
        (["qid,docno,score", "1,a,2", "1,b,high"], "line 3: the score 'high' is not a finite"),
        (["qid,docno,score", "1,a,2", "1,a,1"], "line 3: topic '1' has document 'a' already in li"),
        (["qid,docno,score,run", "1,a,2,x", "1,b,1,y"], "has the run ids 'x' and 'y'"),
        (["qid,docno,doc_id,score", "1,a,a,2"], "has 2 columns of documents"),
        (["query-id\tcorpus-id\tscore", "1\ta\t1"], "the columns of qrels of BEIR, query-id, corp"),
    ],
)
def test_lines_that_are_no_record_are_refused(run: list[str], message: str, tmp_path: Path) -> None:
    with pytest.raises(RunError, match=message):
        read_run(file(tmp_path / "x.run", run))


@pytest.mark.parametrize("sign", [" ", "\t", ",", ";", " , "])
@pytest.mark.parametrize(
    ("records", "keep"),
    [
        (R, [0, 1, 2, 3, 4, 5]),
        (R, [0, 2, 3, 4, 5]),
        (R, [0, 2, 3, 4]),
        (R, [0, 2, 4]),
        (Q, [0, 1, 2, 3]),
        (Q, [0, 2, 3]),
    ],
)
def test_the_remedy_of_each_refused_form_reads_it(
    records: list[str], keep: list[int], sign: str, tmp_path: Path
) -> None:
    """Names of columns in a first line, as the message has them, give the same records."""
    read = of_run if records is R else of_qrels
    expected = read(file(tmp_path / "whole", records))
    lines = [sign.join(line.split()[i] for i in keep) for line in records]
    path = file(tmp_path / "x.dat", lines)
    with suppress(CdfscoreError):
        assert read(path) == expected
        return
    with pytest.raises(RunError, match=r"in a first line, such as '.*'$") as caught:
        read(path)
    names = str(caught.value).partition("in a first line, such as ")[2]
    assert read(file(path, [ast.literal_eval(names), *lines])) == expected


@pytest.mark.clause("trec_qrels.1")
@pytest.mark.parametrize(
    ("qrels", "message"),
    [
        ([Q[0] + Q[1], *Q[2:]], f"line 1 has 7 columns {TWO}; expected 4 in a line of qrels"),
        ([*Q[:4], f"{Q[4]} {Q[0]}"], f"line 5 has 8 columns {TWO}"),
        ([f"{Q[0]}\t{Q[1]}"], f"line 1 has 8 columns {TWO}"),
        ([Q[0].replace(" ", "\t") + " " + Q[1]], f"line 1 has the column '1 301 0 d2 0' {TWO}"),
        (["#1 0 d 1", "#1 0 e 0#2 0 f 1"], f"line 2 has 7 columns {TWO}"),
        (["#1 0 d 1", "#1 0 e"], "line 2 has 3 columns"),
        (["query-id\tcorpus-id\tscore", "1\ta\t1", "1\tb"], "line 3 has 2 fields, and the header"),
        (["query-id\tcorpus-id\tscore", "1\ta\t1", "1\tb\t0.5"], "line 3: the relevance is '0.5'"),
        (["query-id\tcorpus-id\tscore", "1\ta\t1", "1\ta\t0"], "line 3: topic '1' has document 'a"),
        (["query-id\tcorpus-id\tscore", "1\ta\t11000"], "line 2: the relevance is '11000'; expect"),
        (["query-id\tcorpus-id\tscore"], "has no rows"),
    ],
)
def test_judgments_that_are_no_record_are_refused(
    qrels: list[str], message: str, tmp_path: Path
) -> None:
    with pytest.raises(RunError, match=message):
        read_qrels(file(tmp_path / "q", qrels))


def test_notes_of_many_runs_are_one(tmp_path: Path) -> None:
    files = {f"s{i}": file(tmp_path / f"{i}.run", ["# a comment", *R]) for i in range(5)}
    notes = measure(files, file(tmp_path / "q", Q), "AP").notes
    assert notes == ("5 files: 1 line that begins with # is left out as no record, line 1",)


def test_a_run_from_standard_input_needs_a_name_if_it_has_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Standard:
        class buffer:
            read = staticmethod(lambda: b"301 d1 1\n")

    monkeypatch.setattr("sys.stdin", Standard)
    with pytest.raises(RunError, match="does not name its system; expected a name, as in NAME=-"):
        read_run("-")
    assert read_run("-", "x").scores.tolist() == [-1.0]
