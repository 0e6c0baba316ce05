"""Files with a row a score, and several files: what they say is read, to the bit, in every form."""

import inspect
import itertools
import json
import math
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
import pytrec_eval
from hypothesis import example, given
from hypothesis import strategies as st
from ranx.meta.evaluate import metric_switch

from cdfscore import Standardizer, as_scores, read_scores, write_scores
from cdfscore.errors import ScoresError
from cdfscore.retrieval.measuring import SUMS
from cdfscore.scores.cautions import What, error_of_rounding, error_of_sums, last_decimals
from cdfscore.scores.dataframes import measure_of, notes_of, remember
from cdfscore.scores.results.names import is_measure, is_same_measure, no_mean
from tests import a_tenth

LABELS = (
    st.text("abcxyz-_.0123456789", min_size=1, max_size=6)
    .map(lambda text: f"r{text}")
    .filter(lambda label: not is_measure(label))  # r_5 may be recall at 5, and is asked about
)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def matrices(draw: st.DrawFn, systems: int = 3) -> pd.DataFrame:
    topics = draw(st.lists(LABELS, min_size=1, max_size=4, unique=True))
    names = draw(st.lists(LABELS, min_size=1, max_size=systems, unique=True))
    size = len(topics) * len(names)
    cells = draw(st.lists(NUMBERS, min_size=size, max_size=size))
    values = np.array(cells).reshape(len(topics), len(names))
    return pd.DataFrame(values, pd.Index(topics, name="topic"), pd.Index(names))


def trec_eval(
    scores: pd.DataFrame, *measures: str, padded: bool = True, all_lines: bool = True
) -> str:
    """Return what trec_eval -q prints, but with all digits, for one run after another."""
    lines = []
    for system in scores:
        for measure in measures:
            name = f"{measure:22}" if padded else measure
            lines += [f"{name}\t{topic}\t{value!r}" for topic, value in scores[system].items()]
        if all_lines:
            lines.append(f"{'runid':22}\tall\t{system}" if padded else f"runid\tall\t{system}")
    return "\n".join([*lines, ""])


def long(scores: pd.DataFrame) -> pd.DataFrame:
    return scores.rename_axis(columns="system").stack().rename("score").reset_index()


def csv(scores: pd.DataFrame, separator: str = ",") -> str:
    return long(scores)[["score", "system", "topic"]].to_csv(sep=separator, index=False)


def jsonl(scores: pd.DataFrame) -> str:
    rows = long(scores).to_dict("records")
    return "".join(json.dumps(row) + "\n" for row in rows)


FORMS: dict[str, Callable[[pd.DataFrame], str]] = {
    "padded trec_eval": lambda scores: trec_eval(scores, "map"),
    "trec_eval of two measures": lambda scores: trec_eval(scores, "map", "P_5"),
    "trec_eval without its spaces": lambda scores: trec_eval(scores, "map", padded=False),
    "CSV": csv,
    "TSV": lambda scores: csv(scores, "\t"),
    "records in lines": jsonl,
    "records": lambda scores: json.dumps(long(scores).to_dict("records"), indent=1),
    "rows are topics": lambda scores: scores.to_csv(),
    "rows are systems": lambda scores: scores.T.rename_axis("model").to_csv(),
}
#: Of one system, which the name of the file names.
FORMS_OF_ONE: dict[str, Callable[[pd.Series], str]] = {
    "trec_eval": lambda one: trec_eval(one.to_frame(), "map", all_lines=False),
    "trec_eval by spaces": lambda one: "".join(f"map  {t}   {x!r}\n" for t, x in one.items()),
    "ir_measures": lambda one: "".join(f"{t}\tAP@100\t{x!r}\n" for t, x in one.items()),
    "ir_measures in JSON": lambda one: "".join(
        json.dumps({"query_id": t, "measure": "AP", "value": x}) + "\n" for t, x in one.items()
    ),
    "pytrec_eval": lambda one: json.dumps({t: {"map": x} for t, x in one.items()}),
    "ranx": lambda one: json.dumps({"ndcg@10": one.to_dict()}),
    "CSV": lambda one: one.rename("value").rename_axis("qid").to_csv(),
}


def bits(scores: pd.DataFrame) -> list[int]:
    return np.ascontiguousarray(scores.to_numpy()).view(np.int64).ravel().tolist()


LARGEST = float(np.finfo(float).max)
FAR_APART = pd.DataFrame([[0.0, LARGEST, -LARGEST / 2]], pd.Index(["q"], name="topic"), list("abc"))


def written(content: str, name: str, **options: object) -> pd.DataFrame:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text(content)
        return read_scores(path, **options)  # type: ignore[arg-type]


@pytest.mark.clause("read_scores.1")
@pytest.mark.parametrize("form", FORMS)
@a_tenth
@given(scores=matrices())
@example(scores=FAR_APART)
def test_every_form_is_read_back_to_the_bit(form: str, scores: pd.DataFrame) -> None:
    kept = {"keep_topics": list(scores.index), "keep_systems": list(scores.columns)}
    measure = {"measure": "map"} if "two" in form else {}
    back = written(FORMS[form](scores), "s.txt", **kept, **measure)
    assert (list(back.index), list(back.columns)) == (list(scores.index), list(scores.columns))
    assert bits(back) == bits(scores)


@pytest.mark.parametrize("form", FORMS_OF_ONE)
@a_tenth
@given(scores=matrices(systems=1))
def test_a_file_of_one_system_is_named_as_the_file(form: str, scores: pd.DataFrame) -> None:
    kept = {"keep_topics": list(scores.index), "keep_systems": ["bm25"]}
    back = written(FORMS_OF_ONE[form](scores.iloc[:, 0]), "bm25.eval.txt", **kept)
    assert (list(back.index), list(back.columns)) == (list(scores.index), ["bm25"])
    assert bits(back) == bits(scores)
    assert "no system is named, and its name is taken from the file: bm25" in notes_of(back)[0]


def of_lines(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("\t")] for line in text.splitlines()]


@pytest.mark.clause("read_scores.1")
@pytest.mark.parametrize("name", ["aq", "aqc", "aqZ"])
def test_output_of_trec_eval_comes_back_as_printed(shared_data: Path, name: str) -> None:
    path = shared_data / "trec_eval" / f"out.test.{name}"
    rows = of_lines(path.read_text())
    measures = dict.fromkeys(m for m, topic, _ in rows if topic != "all" and "relstring" not in m)
    assert len(measures) == 95
    for measure in measures:
        scores = read_scores(path, measure=measure)
        assert list(scores.columns) == ["STANDARD"]
        assert measure_of(scores) == measure
        what = "sum" if "num_" in measure else "mean"
        assert notes_of(scores) == [
            f"{path}: the topic 'all' has the {what} of the 3 topics and is left out"
        ]
        printed = {topic: value for m, topic, value in rows if m == measure and topic != "all"}
        found = scores["STANDARD"].items()
        decimals = {t: len(value.partition(".")[2]) for t, value in printed.items()}
        assert {topic: f"{x:.{decimals[str(topic)]}f}" for topic, x in found} == printed


@pytest.mark.clause("summary.4")
def test_topics_that_trec_eval_counted_as_0_are_said(tmp_path: Path) -> None:
    text = "map\t1\t0.5000\nmap\t2\t0.3000\nrunid\tall\tx\nnum_q\tall\t4\nmap\tall\t0.2000\n"
    (tmp_path / "s.eval").write_text(text)
    scores = read_scores(tmp_path / "s.eval", measure="map")
    assert scores["x"].tolist() == [0.5, 0.3]
    said = notes_of(scores)[1]
    assert said.endswith(
        "trec_eval -c averaged the scores over 4 topics, 2 of which are not in the file and count "
        "as 0 there, but not here"
    )
    two = text + "map\t1\t0.4\nmap\t2\t0.2\nrunid\tall\ty\nnum_q\tall\t2\nmap\tall\t0.3\n"
    (tmp_path / "two.eval").write_text(two)
    assert (
        "averaged the scores of x over 4 topics"
        in notes_of(read_scores(tmp_path / "two.eval", measure="map"))[1]
    )
    for i in range(12):
        (tmp_path / f"{i}.eval").write_text(text.replace("all\tx", f"all\tx{i}"))
    of_all = read_scores([tmp_path / f"{i}.eval" for i in range(12)], measure="map")
    assert len(notes_of(of_all)) == 2
    (tmp_path / "s.eval").write_text(text.replace("0.2000", "0.2100"))
    with pytest.raises(ScoresError, match=r"0.21 is not the mean of the 2 topics, which is 0.4"):
        read_scores(tmp_path / "s.eval", measure="map")


@pytest.mark.clause("summary.4")
@pytest.mark.parametrize(
    ("of_all", "agrees"),
    [("0.4000", True), ("0.4001", True), ("0.4002", False), ("0.5", False), ("0.4", True)],
)
def test_all_is_compared_to_its_last_decimal(tmp_path: Path, of_all: str, agrees: bool) -> None:
    path = tmp_path / "s.eval"
    path.write_text(f"map\t1\t0.5001\nmap\t2\t0.3000\nmap\tall\t{of_all}\n")
    if agrees:
        assert read_scores(path).shape == (2, 1)
    else:
        with pytest.raises(ScoresError, match="is not the mean of the 2 topics, which is 0"):
            read_scores(path)


def test_a_kept_all_is_a_topic(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("topic,system,score\n1,a,0.25\nall,a,0.5\n")
    scores = read_scores(tmp_path / "s.csv", keep_topics=["all"])
    assert scores["a"].to_dict() == {"1": 0.25, "all": 0.5}


@pytest.mark.clause("read_scores.3")
def test_scores_that_a_long_table_lacks_are_missing(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("Query ID,Model,Value\n2,a,0.25\n1,b,0.5\n2,b,NA\n1,a,0.75\n")
    scores = read_scores(tmp_path / "s.csv")
    assert scores.index.tolist() == ["2", "1"]
    assert scores["a"].tolist() == [0.25, 0.75]
    assert scores["b"].isna().tolist() == [True, False]


def test_names_decide_what_json_is_by_and_the_measure_where_they_do_not(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    for by_measure in (False, True):
        inner = {"q1": {"own": 0.5, "other": 0.25}, "q2": {"own": 0.75, "other": 0.5}}
        turned = {m: {t: inner[t][m] for t in inner} for m in ("own", "other")}
        path.write_text(json.dumps(turned if by_measure else inner))
        with pytest.raises(ScoresError, match="does not say what"):
            read_scores(path)
        assert read_scores(path, measure="own")["a"].to_dict() == {"q1": 0.5, "q2": 0.75}


def test_names_decide_what_lines_are_by_and_the_measure_where_they_do_not(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    for text in ("own\tq1\t0.5\nown\tq2\t0.75\n", "q1\town\t0.5\nq2\town\t0.75\n"):
        path.write_text(text)
        with pytest.raises(
            ScoresError, match=r"line 1 does not say whether '(own|q1)' or '(own|q1)'"
        ):
            read_scores(path)
        assert read_scores(path, measure="own")["a"].to_dict() == {"q1": 0.5, "q2": 0.75}


def test_the_measure_and_the_notes_go_with_the_scores(tmp_path: Path) -> None:
    path = tmp_path / "s.eval"
    path.write_text(
        "".join(
            f"map\t{t}\t{x}\n"
            for own in ((0.1, 0.2, 0.3), (0.3, 0.5, 0.4), (0.2, 0.1, 0.6))
            for t, x in [*enumerate(own, start=1), ("all", round(sum(own) / 3, 4))]
        )
        .replace("map\tall", "runid\tall\tNAME\nmap\tall")
        .replace("NAME", "a", 1)
        .replace("NAME", "b", 1)
        .replace("NAME", "c", 1)
    )
    scores = read_scores(path)
    assert list(scores.columns) == ["a", "b", "c"]
    (note,) = notes_of(scores)
    assert Standardizer("normal").standardize(scores).notes[0] == note
    reference = Standardizer("normal").standardize(scores[["a"]], scores)
    assert reference.notes[0] == note
    assert reference.notes.count(note) == 1


@pytest.mark.clause("summary.4")
@pytest.mark.parametrize("measure", ["num_ret", "NumRet", "NumRel(rel=2)", "Znum_ret"])
def test_counts_are_added_up(tmp_path: Path, measure: str) -> None:
    path = tmp_path / "s.tsv"
    path.write_text(f"1\t{measure}\t5\n2\t{measure}\t6\nall\t{measure}\t11\n")
    assert read_scores(path)["s"].tolist() == [5.0, 6.0]
    path.write_text(path.read_text().replace("11", "10"))
    with pytest.raises(ScoresError, match="not the sum of the 2 topics"):
        read_scores(path)


def test_lines_may_end_as_on_any_machine_and_have_blank_ones_between(tmp_path: Path) -> None:
    text = "map\t1\t0.5\nmap\t2\t0.25\n\nmap\tall\t0.375\n"
    for end in ("\n", "\r\n", "\r"):
        (tmp_path / "s.eval").write_bytes(("\ufeff" + text).replace("\n", end).encode())
        assert read_scores(tmp_path / "s.eval")["s"].to_dict() == {"1": 0.5, "2": 0.25}
    (tmp_path / "s.eval").write_text(text.replace("0.25\n", "x\n"))
    with pytest.raises(ScoresError, match="line 2"):
        read_scores(tmp_path / "s.eval")


def test_ir_measures_is_read_as_it_writes(shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "trec_eval"
    files = (str(folder / "qrels.test"), str(folder / "results.test"))
    command = [sys.executable, "-m", "ir_measures", *files, "AP", "P@10", "NumRet", "-q"]
    for more in ([], ["-p", "-1"], ["-n"], ["-o", "jsonl"]):
        done = subprocess.run([*command, *more], check=True, capture_output=True)
        (tmp_path / "r.txt").write_bytes(done.stdout)
        scores = read_scores(tmp_path / "r.txt", measure="AP")["r"]
        assert scores.round(4).to_dict() == {"301": 0.0324, "302": 0.4175, "303": 0.0858}
        assert any("'all' has the mean of the 3 topics" in n for n in notes_of(scores)) == (
            more != ["-n"]
        )
        assert read_scores(tmp_path / "r.txt", measure="NumRet")["r"].tolist() == [500.0] * 3


def test_ranx_is_read_as_it_writes(tmp_path: Path) -> None:
    """What json.dump writes of the scores of a run, after ranx.evaluate of all these measures."""
    scores = {
        "ndcg@10": {"q1": 0.6131471927654584, "q2": 0.6309297535714575},
        "mrr": {"q1": 1.0, "q2": 0.5},
        "rbp.95": {"q1": 0.050000000000000044, "q2": 0.09500000000000008},
        "hit_rate@3": {"q1": 1.0, "q2": 1.0},
        "precision@5-l2": {"q1": 0.2, "q2": 0.2},
        "r-precision": {"q1": 0.5, "q2": 1.0},
    }
    (tmp_path / "bm25.json").write_text(json.dumps(scores))
    for measure, own in scores.items():
        found = read_scores(tmp_path / "bm25.json", measure=measure)
        assert found["bm25"].to_dict() == own


@pytest.mark.parametrize("given", [{"systems_as_rows": True}, {"topic_column": False}])
def test_settings_of_tables_are_refused_for_dictionaries(given: dict[str, object]) -> None:
    text = json.dumps({"1": {"map": 0.5}, "2": {"map": 0.25}})
    with pytest.raises(ScoresError, match=r"is given, and .* as keys;|of one system; expected"):
        written(text, "s.json", **given)
    by_system = json.dumps({"a": {"1": 0.5, "2": 0.25}, "b": {"1": 0.75, "2": 0.1}})
    assert written(by_system, "s.json", systems_as_rows=True).shape == (2, 2)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[" * 100_000 + "\n1", "too many brackets"),
        ('{"a": ' * 100_000 + "1" + "}" * 100_000 + '\n{"a": 1}\n', "too many brackets"),
        ('{"qid": "1", "score": 1},{"qid": "2", "score": 1}\n', "line 1, column 25: Extra data"),
        ('{"qid": "1", "score": 1}\n{"qid": "2",\n"score": 2}\n', "line 2, column 13"),
        (
            '{"qid": "1", "score": 1}\n{"qid": "2", "score": 1},{"qid": "3", "score": 1}\n',
            "line 2, column 25: Extra data",
        ),
        # As many records as lines, one of which goes over two.
        (
            '{"qid": "0", "score": 1}\n{"qid": "1", "score": 1},{"qid": "3", "score": 1}\n'
            '{"qid": "2", "score": [{"qid": 1}\n{"qid": 2}]}\n',
            "Extra data|; expected text, a number such as",
        ),
        ('{"map": {}, "ndcg": {}}', "s.json has no scores; expected"),
        ('{"map": {"301": 0.5, "302": 0.25, "301": 0.5}}', "the key '301' is there twice in one"),
        (f'{{"map": {{"301": 1{"0" * 400}}}}}', "is not finite"),
        ('{"qid": "1", "score": true}\n', "line 1: 'score' is true; expected"),
        ('{"qid": true, "score": 1}\n', "line 1: 'qid' is true; expected"),
        (
            '{"qid": "1", "score": 1}\n\n{"qid": "2", "score": "x"}\n',
            "line 3, topic '2': 'x' is not a number",
        ),
    ],
)
def test_json_that_is_refused_is_told_by_its_place(text: str, expected: str) -> None:
    with pytest.raises(ScoresError, match=expected):
        written(text, "s.json")


@pytest.mark.parametrize("turned", [False, True])
def test_measures_are_no_systems_of_topics(turned: bool) -> None:
    """What is by measures is of one system, and has no rows of topics to say it of."""
    by_measure = {"map": {"301": 0.5, "302": 0.25}}
    by_topic = {"301": {"map": 0.5}, "302": {"map": 0.25}}
    with pytest.raises(ScoresError, match="measures as keys; expected it only for tables with a h"):
        written(json.dumps(by_topic if turned else by_measure), "s.json", systems_as_rows=False)


def test_spaces_around_a_score_may_be_of_any_kind(tmp_path: Path) -> None:
    """Those that do not break a line are no part of a number for pyarrow."""
    path = tmp_path / "s.csv"
    path.write_text("topic,system,score\n1,a,0.25\u00a0\n1,b,\u00a01e-3\n2,a,NA\u00a0\n2,b,1\n")
    scores = read_scores(path)
    assert scores.loc["1"].tolist() == [0.25, 0.001]
    assert scores["a"].isna().tolist() == [False, True]
    assert scores.loc["2", "b"] == 1


@pytest.mark.parametrize("header", ["metric bm25 lsa", "measure topic score", "x bm25 lsa"])
def test_lines_below_a_header_are_not_output(header: str, tmp_path: Path) -> None:
    """A table of measures by systems would be read as topics 0.3 with the score 0.4."""
    (tmp_path / "s.txt").write_text(f"{header}\nmap 0.3 0.4\nndcg 0.5 0.25\n")
    with pytest.raises(ScoresError, match="separated by commas or tabs"):
        read_scores(tmp_path / "s.txt")


def output(scores: list[float], counted: int, extra: str = "") -> str:
    rows = [f"map\t{topic}\t{score:.4f}\n" for topic, score in enumerate(scores, start=1)]
    return "".join([*rows, extra, f"map\tall\t{sum(scores) / counted:.4f}\n"])


@pytest.mark.clause("summary.4")
@pytest.mark.parametrize(
    ("scores", "counted"),
    [
        ([0.5, 1.0, 0.5, 1.0], 5),
        ([1.0, 0.5, 1.0, 0.0], 5),
        ([0.5, 1.0], 3),
        ([0.5], 2),
        ([0.1234, 0.4321, 0.2222], 10),
        ([0.25] * 40, 43),
        ([0.8765, 0.4321, 0.9999, 0.1111, 0.5], 6),
        ([1.0] * 10, 12),
        ([0.3333, 0.6667], 4),
        ([0.9, 0.0, 0.0], 5),
    ],
)
def test_topics_that_trec_eval_counts_without_num_q(
    scores: list[float], counted: int, tmp_path: Path
) -> None:
    path = tmp_path / "s.eval"
    path.write_text(output(scores, counted))
    with pytest.raises(ScoresError) as caught:
        read_scores(path)
    more = counted - len(scores)
    assert f"but their sum divided by {counted}, as of trec_eval -c, where {more} topic" in str(
        caught.value
    )
    assert f"or drop_topics=['all']: both give the {len(scores)} topics" in str(caught.value)
    assert f"--missing-topics zero' gives all {counted}" in str(caught.value)
    assert "with -m num_q" in str(caught.value)
    counting = path.with_name("c.eval")
    counting.write_text(f"{path.read_text()}num_q\tall\t{counted}\n")
    assert len(read_scores(counting, measure="map")) == len(scores)
    left = read_scores(path, drop_topics=["all"])
    assert left["s"].tolist() == pytest.approx([round(x, 4) for x in scores])
    assert f"divided by {counted}: trec_eval -c may have counted {more} topic" in " ".join(
        notes_of(left)
    )


@pytest.mark.clause("summary.4")
@pytest.mark.parametrize(
    ("scores", "num_q", "mean", "answer"),
    [
        ([0.5, 0.25, 0.75], 3, "0.5000", None),
        ([0.5, 0.25, 0.75], 4, "0.3750", "averaged the scores over 4 topics, 1 of which is not"),
        ([0.0, 0.0, 0.0], 7, "0.0000", "averaged the scores over 7 topics, 4 of which are not"),
        ([0.5, 0.25, 0.75], 4, "0.5000", "0.5 is the mean of the 3 topics that are there, and num"),
        ([1.0, 1.0, 1.0], 5, "1.0000", "1 is the mean of the 3 topics that are there, and num_q"),
        ([0.5, 0.25, 0.75], 2, "0.5000", "and num_q says 2; expected the lines of all topics"),
        ([0.5, 0.25, 0.75], 2, "0.7500", "0.75 is not the mean of the 3 topics, which is 0.5"),
        ([0.5, 0.25, 0.75], 5, "0.3750", "0.375 is not the mean of the 3 topics, which is 0.5"),
    ],
)
def test_all_is_the_sum_over_num_q(
    scores: list[float], num_q: int, mean: str, answer: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "s.eval"
    rows = [f"map\t{i}\t{score:.4f}" for i, score in enumerate(scores)]
    path.write_text("\n".join([*rows, f"num_q\tall\t{num_q}", f"map\tall\t{mean}"]) + "\n")
    try:
        said = " ".join(notes_of(read_scores(path, measure="map")))
    except ScoresError as error:
        said = str(error)
        assert len(read_scores(path, measure="map", drop_topics=["all"])) == 3
    assert (answer or "has the mean of the 3 topics and is left out") in said


#: Values of topics whose mean is not the score of the system.
NO_MEAN = ["gm_map", "gm_bpref", "gm_ap", "num_q", "NumQ", "Zgm_map"]


@pytest.mark.clause("read_scores.4")
@pytest.mark.parametrize("name", NO_MEAN)
def test_values_whose_mean_is_no_score_are_refused_everywhere(name: str, tmp_path: Path) -> None:
    per_topic = {"1": {name: -0.69, "map": 0.5}, "2": {name: -1.39, "map": 0.25}}
    rows = [(topic, m, v) for topic, own in per_topic.items() for m, v in own.items()]
    files = {
        "s.json": json.dumps(per_topic),
        "r.json": json.dumps(
            [dict(zip(("query_id", "measure", "value"), r, strict=True)) for r in rows]
        ),
        "s.eval": "".join(f"{m}\t{t}\t{v}\n" for t, m, v in rows),
        "s.ir": "".join(f"{t}\t{m}\t{v}\n" for t, m, v in rows),
        "s.csv": "topic,system,measure,score\n" + "".join(f"{t},x,{m},{v}\n" for t, m, v in rows),
        "w.csv": f"topic,system,{name},map\n1,x,-0.69,0.5\n2,x,-1.39,0.25\n",
    }
    message = f"as {name}; expected a measure with scores of topics"
    for file, text in files.items():
        (tmp_path / file).write_text(text)
        with pytest.raises(ScoresError, match=message):
            read_scores(tmp_path / file, measure=name)
        assert read_scores(tmp_path / file).iloc[:, 0].tolist() == [0.5, 0.25], file
    with pytest.raises(ScoresError, match=message):
        as_scores(per_topic, measure=name, system="x")
    frame = pd.DataFrame(rows, columns=["topic", "measure", "score"])
    with pytest.raises(ScoresError, match=message):
        as_scores(frame, measure=name, system="x")


def harness(**more: Any) -> dict[str, Any]:
    tasks = {
        "arc": {"alias": "arc", "acc,none": 0.5, "acc_stderr,none": 0.01, "acc_norm,none": 0.6},
        "gsm8k": {"exact_match,strict-match": 0.25, "exact_match,flexible-extract": 0.75},
        "mmlu": {"acc,none": 0.3, "acc_stderr,none": 0.1, "alias": "mmlu"},
        " - law": {"acc,none": 0.2, "sample_len": 20, "acc_stderr,none": "N/A"},
        " - law2": {"acc,none": 0.4, "samples": 40},
    }
    groups = {"mmlu": [" - law", " - law2"], "arc": [], "gsm8k": []}
    return {"results": tasks, "group_subtasks": groups, "configs": {}, **more}


@pytest.mark.clause("read_scores.1")
def test_results_of_the_harness_are_tasks_of_a_model(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(harness(model_name="org/a"), indent=1))
    (tmp_path / "b.json").write_text(json.dumps(harness()))
    scores = read_scores([tmp_path / "a.json", tmp_path / "b.json"], measure="acc")
    assert list(scores.columns) == ["org/a", "b"]
    assert scores["org/a"].to_dict() == {"arc": 0.5, "- law": 0.2, "- law2": 0.4}
    notes = " ".join(notes_of(scores))
    assert "groups, which sum up other tasks, are left out: mmlu" in notes
    assert "topic gsm8k has other measures and no acc, and is left out" in notes
    strict = read_scores({"x": tmp_path / "a.json"}, measure="exact_match,strict-match")
    assert strict.to_dict() == {"x": {"gsm8k": 0.25}}
    with pytest.raises(
        ScoresError, match="has scores of 4 measures: acc, acc_norm, exact_match,st"
    ):
        read_scores(tmp_path / "a.json")


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (
            {"results": {"a": {"acc": 0.5, "acc_stderr": 0.1}}, "versions": {}, "config": {}},
            {"a": 0.5},
        ),
        (
            {
                "config_general": {"model_name": "m"},
                "results": {"a": {"acc": 0.5}, "b": {"acc": 1.0}, "all": {"acc": 0.75}},
            },
            {"a": 0.5, "b": 1.0},
        ),
        ({"results": {"a": {"em": 1, "note": "x"}}, "lm_eval_version": "0.4"}, {"a": 1.0}),
    ],
)
def test_results_of_older_harnesses(
    found: dict[str, Any], expected: dict[str, float], tmp_path: Path
) -> None:
    (tmp_path / "m.json").write_text(json.dumps(found))
    assert read_scores(tmp_path / "m.json")["m"].to_dict() == expected


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (
            {"mteb_version": "1.12", "task_name": "SciFact", "scores": {"test": [{}]}},
            "MTEB for one t",
        ),
        ({"mteb_dataset_name": "SciFact", "test": {"ndcg_at_10": 0.5}}, "main_score in its cells"),
        ({"results": {"a": {"alias": "a"}}, "configs": {}}, "has no scores of tasks; expected"),
        ({"results": {}, "configs": {}}, "other form|no scores|another form"),
        ({"results": [1], "configs": {}}, "another form"),
    ],
)
def test_results_that_are_no_table(found: dict[str, Any], message: str, tmp_path: Path) -> None:
    for indent in (None, 1):
        (tmp_path / "m.json").write_text(json.dumps(found, indent=indent))
        with pytest.raises(ScoresError, match=message):
            read_scores(tmp_path / "m.json")


SCORES = st.lists(st.floats(0, 1), min_size=1, max_size=60)


def summary(what: What, scores: list[float]) -> float:
    """Return a summary of positive scores, rounded once."""
    total = math.fsum(scores)
    return total if what == "sum" else total / len(scores)


@pytest.mark.parametrize("what", ["mean", "sum"])
@given(scores=SCORES, decimals=st.integers(1, 6))
def test_summaries_of_scores_before_and_after_rounding(
    what: What, scores: list[float], decimals: int
) -> None:
    printed = [round(score, decimals) for score in scores]
    own = round(summary(what, scores), decimals)
    unit = 10.0**-decimals
    margin = 0.5 * unit + error_of_rounding(what, len(scores), unit)
    margin += error_of_sums(what, np.array([printed]).T)[0]
    # The probable bound of a long sum is the smaller one.
    if what == "mean" or len(scores) <= 16:
        assert abs(own - summary(what, printed)) <= margin * (1 + 1e-9)


@pytest.mark.clause("summary.2")
@pytest.mark.parametrize(
    ("what", "scores", "units", "most"),
    [("mean", [0.1149] * 9 + [0.117], 0.9, 1.0), ("sum", [0.1149] * 10, 5.0, 5.5)],
)
def test_the_error_may_be_nearly_as_large_as_the_margin(
    what: What, scores: list[float], units: float, most: float
) -> None:
    """Scores that are rounded down, and a mean that is rounded up."""
    own = round(summary(what, scores), 2)
    level = summary(what, [round(score, 2) for score in scores])
    assert abs(own - level) == pytest.approx(units * 0.01)
    assert 0.005 + error_of_rounding(what, len(scores), 0.01) == pytest.approx(most * 0.01)


def test_last_decimals_of_rows_with_missing_scores() -> None:
    rows = np.array([[0.5, np.nan], [0.125, 0.25], [7.0, 3.0], [np.pi, 0.5], [np.nan, np.nan]])
    assert last_decimals(rows).tolist() == [0.1, 0.001, 1.0, 0.0, 1.0]


#: Each row has the names of one measure.
MEASURES = [
    ("map", "AP", "MAP", "average_precision", "nSP"),
    ("map_cut_10", "AP@10", "map@10"),
    ("gm_map", "gm_ap"),
    ("P_10", "P@10", "precision@10", "p10"),
    ("P_100", "P@100"),
    ("P(rel=2)@10",),
    ("recip_rank", "RR", "mrr"),
    ("ndcg", "nDCG", "nVDCG"),
    ("DCG", "DCG(b=2)"),
    ("nDCG(b=2)",),
    ("dcg", "VDCG"),
    ("RBP", "RBP.8", "RBP(p=0.8)"),
    ("RBP.95", "RBP(p=0.95)"),
    ("nRBP", "nRBP.8", "nRBP(p=0.8)"),
    ("nRBP.95@20", "nRBP(p=0.95)@20"),
    ("NRBP",),
    ("SP", "sp"),
    ("SP@100",),
    ("nP@10", "relative_P_10"),
    ("num_rel_ret", "NumRelRet", "NumRet(rel=1)"),
    ("set_relative_P", "SetRelP", "SetP(relative=True)"),
    ("alpha_nDCG@20", "α_nDCG@20"),
    ("AP_IA", "MAP_IA"),
    ("ndcg_cut_20", "nDCG@20", "ndcg@20", "nVDCG@20"),
    ("ndcg_burges@20",),
    ("Rprec", "r_precision", "r-precision", "RP"),
    ("nERR@8",),
    ("nERR8",),
    ("recall_100", "R@100", "recall@100"),
    ("success_1", "Success@1", "hit_rate@1"),
    ("iprec_at_recall_0.10", "IPrec@0.1"),
    ("set_F", "SetF"),
    ("Zmap",),
    ("WER",),
    ("measure of ours",),
]


@pytest.mark.clause("read_scores.4")
def test_names_of_one_measure_are_the_same_and_others_are_not() -> None:
    for here, there in itertools.product(MEASURES, repeat=2):
        for one, other in itertools.product(here, there):
            assert is_same_measure(one, other) == (here is there), (one, other)


def names_of_tools() -> dict[str, list[str]]:
    """The names of measures of each tool, each name once."""
    return {
        "ir_measures": [*ir_measures.measures.registry],
        "trec_eval": [
            name for name in pytrec_eval.supported_measures if name not in ("relstring", "runid")
        ],
        "ranx": re.findall(r'metric == "([^"]+)"', inspect.getsource(metric_switch)),
        "here": [*SUMS],
        "the page of factors": [
            *("AP", "SP", "nSP", "DCG", "nDCG", "VDCG", "nVDCG", "P@10", "RR"),
            *("RBP.8", "RBP.95", "nRBP.8", "nRBP.95", "RP", "nP@10"),
        ],
    }


@pytest.mark.clause("read_scores.4")
@pytest.mark.parametrize("tool", names_of_tools())
def test_every_name_of_a_tool_is_known_in_every_layout(tool: str, tmp_path: Path) -> None:
    names = names_of_tools()[tool]
    assert len(names) > 7
    for name in names:
        for each in (name, f"{name}@10", f"{name.swapcase()}(rel=2)@10"):
            assert is_measure(each), each
        (tmp_path / "0.txt").write_text(f"{name}\tq1\t0.5\n{name}\tq2\t0.25\n")
        (tmp_path / "1.txt").write_text(f"q1\t{name}\t0.5\nq2\t{name}\t0.25\n")
        for file in ("0.txt", "1.txt"):
            if no_mean(name):
                with pytest.raises(ScoresError, match=f" as {name}; expected a measure with"):
                    read_scores(tmp_path / file)
                continue
            assert read_scores(tmp_path / file).iloc[:, 0].tolist() == [0.5, 0.25], (name, file)


TREC = "map\t1\t0.2000\nmap\t2\t0.4000\nmap\tall\t0.3000\n"


@pytest.mark.clause("read_scores.5")
@a_tenth
@given(
    st.lists(st.sampled_from("abcdef"), min_size=1, max_size=6, unique=True),
    st.integers(1, 4),
    st.integers(0, 2**31),
)
def test_a_matrix_in_pieces_is_put_together(systems: list[str], pieces: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    topics = [f"q{i}" for i in range(5)]
    scores = pd.DataFrame(rng.random((5, len(systems))), topics, systems)
    cuts = np.array_split(np.arange(len(systems)), min(pieces, len(systems)))
    kept = {"keep_topics": topics, "keep_systems": systems}
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number, columns in enumerate(cuts):
            piece = scores.iloc[rng.permutation(5) if number else range(5), columns]
            ending = rng.choice(["csv", "tsv", "parquet"])
            paths.append(Path(folder) / f"{number}.{ending}")
            write_scores(piece.rename_axis("topic"), paths[-1])
        found = read_scores(paths, **kept)  # type: ignore[arg-type]
    assert (list(found.index), list(found.columns)) == (topics, systems)
    assert (found.to_numpy() == scores.to_numpy()).all()


@pytest.mark.clause("read_scores.5")
def test_topics_that_a_file_lacks_are_missing_and_said(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("topic,a\n1,0.5\n2,0.25\n")
    (tmp_path / "b.csv").write_text("topic,b\n2,0.5\n3,0.75\n4,0.125\n")
    scores = read_scores([tmp_path / "a.csv", tmp_path / "b.csv"])
    assert scores.index.tolist() == ["1", "2", "3", "4"]
    assert scores.isna().to_numpy().tolist() == [
        [False, True], [False, False], [True, False], [True, False]
    ]  # fmt: skip
    first, second = notes_of(scores)
    assert "a.csv: 2 topics (3, 4) of the other files are absent" in first
    assert "b.csv: topic 1 of the other files is absent" in second
    notes = Standardizer("raw", missing="omit").standardize(scores).notes
    assert notes[:2] == [first, second]
    assert "3 missing scores are omitted" in notes


@pytest.mark.clause("read_scores.5")
def test_topics_without_labels_are_matched_by_position(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a\n0.5\n0.25\n")
    (tmp_path / "b.csv").write_text("b\n0.75\n0.125\n")
    scores = read_scores([tmp_path / "a.csv", tmp_path / "b.csv"])
    assert isinstance(scores.index, pd.RangeIndex)
    assert scores.to_dict("list") == {"a": [0.5, 0.25], "b": [0.75, 0.125]}


def test_a_summary_of_the_whole_is_found(tmp_path: Path) -> None:
    """The mean of systems in another file."""
    rng = np.random.default_rng(2)
    scores = pd.DataFrame(rng.random((20, 4)), [f"q{i}" for i in range(20)], list("abcd"))
    write_scores(scores.rename_axis("topic"), tmp_path / "a.csv")
    write_scores(scores.mean(axis=1).to_frame("e").rename_axis("topic"), tmp_path / "b.csv")
    with pytest.raises(ScoresError, match="system 'e' has the mean of the scores of all other"):
        read_scores([tmp_path / "a.csv", tmp_path / "b.csv"])
    kept = read_scores([tmp_path / "a.csv", tmp_path / "b.csv"], drop_systems=["e", "a"])
    assert kept.shape == (20, 3)


def test_no_file_is_refused() -> None:
    for nothing in ([], {}):
        with pytest.raises(ScoresError, match="there is no file of scores"):
            read_scores(nothing)


def test_alike_notes_are_one(tmp_path: Path) -> None:
    for name in "abcdef":
        more = "map\t3\t0.3000\n" if name < "d" else ""
        (tmp_path / f"{name}.eval").write_text(more + TREC.partition("map\tall")[0])
    scores = read_scores(sorted(tmp_path.iterdir()))
    named, absent = notes_of(scores)
    assert named == (
        "6 files: no system is named, and the names are taken from the files: a, b, c, d, e, ..."
    )
    d, e, f = (str(tmp_path / f"{name}.eval") for name in "def")
    assert absent.startswith(f"{d}, {e} and {f}: topic 3 of the other files is absent")


def test_what_parquet_files_remember_is_kept(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    scores = pd.DataFrame(rng.random((20, 2)), [f"q{i}" for i in range(20)], ["a", "avg"])
    scores = as_scores(scores.rename_axis("topic"), keep_systems=["avg"])
    remember(scores, measure="ndcg")
    write_scores(scores, tmp_path / "a.parquet")
    other = scores[["a"]].set_axis(["b"], axis=1)
    write_scores(other, tmp_path / "b.csv")
    write_scores(other, tmp_path / "c.parquet")
    alone = read_scores(tmp_path / "a.parquet")
    assert measure_of(alone) == "ndcg"
    both = read_scores([tmp_path / "a.parquet", tmp_path / "b.csv"])
    assert both.columns.tolist() == ["a", "avg", "b"]
    assert measure_of(both) == "ndcg"
    assert [note for note in notes_of(both) if "named" in note] == [
        f"{tmp_path / 'b.csv'}: no measure is named, and scores are taken as those of ndcg"
    ]
    assert read_scores(tmp_path / "a.parquet", measure="ndcg").equals(alone)
    with pytest.raises(ScoresError, match=r"a.parquet has scores of ndcg and measure=... of map"):
        read_scores(tmp_path / "a.parquet", measure="map")
    lines = "".join(f"map\t{topic}\t0.5\n" for topic in scores.index)
    (tmp_path / "d.eval").write_text(lines)
    with pytest.raises(ScoresError, match=r"scores of ndcg and .*d.eval of map"):
        read_scores([tmp_path / "a.parquet", tmp_path / "d.eval"])


def test_a_system_that_is_renamed_may_be_left_out(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.eval").write_text(f"{TREC}runid\tall\t{name}\n")
    files = {"x": tmp_path / "a.eval", "y": tmp_path / "b.eval"}
    assert read_scores(files, drop_systems=["x"]).columns.tolist() == ["y"]
    assert read_scores(files, drop_systems=["a"]).columns.tolist() == ["y"]
    (tmp_path / "c.eval").write_text(TREC)
    with pytest.raises(ScoresError, match="all scores are left out"):
        read_scores(tmp_path / "c.eval", drop_systems=["c"])
