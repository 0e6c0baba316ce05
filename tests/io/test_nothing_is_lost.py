"""What a file has is read, or said, or refused: no system, topic or column vanishes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cdfscore import as_scores, read_scores
from cdfscore.errors import ScoresError
from cdfscore.io.scores.dataframes import notes_of

Read = Callable[..., pd.DataFrame]
LONG = "runid\tqid\tscore\nbm25\t301\t0.5\nbm25\t302\t0.25\nlsa\t301\t0.4\nlsa\t302\t0.3\n"
SCORES = {"bm25": [0.5, 0.25], "lsa": [0.4, 0.3]}
MEASURES = (
    "topic,system,measure,score\n1,bm25,map,0.5\n2,bm25,map,0.25\n1,lsa,map,0.4\n2,lsa,map,0.3\n"
    "1,neural,MAP,0.9\n2,neural,MAP,0.8\n"
)
RUN = "map\t1\t0.5\nmap\t2\t0.25\nrunid\tall\tA\nmap\tall\t0.375\n"


@pytest.mark.parametrize("separator", ["\t", ","])
@pytest.mark.parametrize("wide", [False, True])
def test_runid_may_head_the_systems(read: Read, separator: str, wide: bool) -> None:
    text = "runid\t301\t302\nbm25\t0.5\t0.25\nlsa\t0.4\t0.3\n" if wide else LONG
    found = read(text.replace("\t", separator), "s.tsv")
    assert found.to_dict("list") == SCORES
    assert found.index.tolist() == ["301", "302"]
    one = "".join(line for line in text.splitlines(keepends=True) if "lsa" not in line)
    assert read(one.replace("\t", separator), "s.tsv").columns.tolist() == ["bm25"]


def test_a_run_may_begin_with_its_name(read: Read) -> None:
    lines = RUN.splitlines(keepends=True)
    assert read("".join([lines[0], lines[1], *lines[2:]])).columns.tolist() == ["A"]
    text = "relstring\t1\t'00'\n" + RUN
    assert read(text).columns.tolist() == ["A"]


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


def test_systems_without_topics_are_refused(read: Read) -> None:
    text = "topic,system,score\n1,a,0.5\n2,a,0.25\nall,b,0.6\n"
    with pytest.raises(ScoresError, match=r"system 'b' has only the topic 'all', .*a row for each"):
        read(text)
    assert read(text, drop_systems=["b"]).to_dict("list") == {"a": [0.5, 0.25]}


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


def test_two_rows_of_all_are_refused(read: Read) -> None:
    text = "topic,system,score\n1,a,0.5\n2,a,0.25\nall,a,0.375\nall,a,0.375\n"
    with pytest.raises(ScoresError, match=r"line 5, topic 'all', .*given before, in line 4"):
        read(text)


@pytest.mark.parametrize(
    ("name", "system"),
    [
        ("qwen2.5.eval", "qwen2.5"),
        ("bm25_k1.2_b0.75.eval.txt", "bm25_k1.2_b0.75"),
        ("Llama3.1.EVAL", "Llama3.1"),
        ("input.bm25", "input.bm25"),
        ("x.res.csv", "x"),
        (".eval", ".eval"),
        ("v1.0", "v1.0"),
    ],
)
def test_only_endings_of_files_are_no_part_of_a_name(read: Read, name: str, system: str) -> None:
    text = RUN.replace("runid\tall\tA\n", "")
    assert read(text, name).columns.tolist() == [system]


MARKED = ["0.5*", "\N{MINUS SIGN}0.3", "0.4\N{DAGGER}", "**0.5**", "0.5 (2)", "~.5", "0,5", "5*"]


@pytest.mark.parametrize("mark", MARKED)
@pytest.mark.parametrize("every", [True, False])
def test_marked_numbers_are_no_words(read: Read, mark: str, every: bool) -> None:
    cells = [mark, mark, mark] if every else [mark, "0.25", "0.75"]
    rows = [f'm{i},0.{i}5,"{cell}",0.{i}25\n' for i, cell in enumerate(cells)]
    with pytest.raises(ScoresError, match=r"line 2, column 'b': .* (not a number|comma);"):
        read("model,a,b,c\n" + "".join(rows))
    frame = pd.DataFrame({"model": list("xyz"), "a": [0.5, 0.25, 0.1], "b": cells})
    with pytest.raises(ScoresError, match=r"system 'x'.* is not a number|'x'"):
        as_scores(frame)


def test_sizes_and_dates_are_words(read: Read) -> None:
    text = "model,size,date,a,b\nx,7B,2024-05-01,0.5,0.25\ny,1.5B,2024-06,0.4,0.75\nz,~8x7B,,1,0\n"
    found = read(text, drop_topics=[])
    assert found.index.tolist() == ["a", "b"]
    assert "the columns 'size', 'date' have words and no scores" in " ".join(notes_of(found))


def test_what_is_left_out_may_hold_anything(read: Read) -> None:
    text = "topic,system,score\n1,a,0.5\n2,a,0.25\n1,b,crashed\n1,b,crashed\n2,b,0.3\nall,b,9\n"
    with pytest.raises(ScoresError, match="'crashed' is not a number"):
        read(text)
    assert read(text, drop_systems=["b"]).to_dict("list") == {"a": [0.5, 0.25]}
    text = text.replace("all,b,9\n", "")
    assert read(text, drop_topics=["1"]).to_dict("list") == {"a": [0.25], "b": [0.3]}
    with pytest.raises(ScoresError, match="all scores are left out"):
        read(text, drop_systems=["a", "b"])


def test_a_topic_that_is_left_out_is_part_of_the_mean(read: Read) -> None:
    text = "topic,system,score\n1,a,0.5\n2,a,0.25\nall,a,0.375\n"
    assert read(text, drop_topics=["1"]).to_dict("list") == {"a": [0.25]}
    with pytest.raises(ScoresError, match="is not the mean of the 2 topics"):
        read(text.replace("0.375", "0.25"), drop_topics=["1"])


def test_an_all_of_missing_scores_is_not_compared(read: Read) -> None:
    text = "topic,system,score\n1,a,0.5\n2,a,0.25\n1,b,NA\n2,b,NA\nall,b,0.3\n"
    found = read(text)
    assert np.isnan(found["b"]).all()


def test_a_file_whose_systems_are_left_out_is_as_good_as_none(tmp_path: Path) -> None:
    (tmp_path / "a.eval").write_text(RUN)
    (tmp_path / "b.eval").write_text(RUN.replace("\tA\n", "\tB\n").replace("2\t0.25", "2\tx"))
    (tmp_path / "c.csv").write_text("topic,c\n9,0.5\n")
    paths = [tmp_path / name for name in ("b.eval", "a.eval", "c.csv")]
    found = read_scores(paths, drop_systems=["B", "c"])
    assert found.to_dict("list") == {"A": [0.5, 0.25]}
    with pytest.raises(ScoresError, match="all scores are left out"):
        read_scores(paths, drop_systems=["A", "B", "c"])
    (tmp_path / "c.csv").write_text("model,9\nc,0.5\n")
    for others in (paths, [paths[0], paths[2], paths[1]]):
        notes = notes_of(read_scores(others, drop_systems=["B", "c"]))
        assert any("c.csv: rows are taken as systems" in note for note in notes)
