"""What a file has is read, or said, or refused: no system, topic or column vanishes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cdfscore import as_scores
from cdfscore.errors import ScoresError
from cdfscore.scores.dataframes import notes_of

Read = Callable[..., pd.DataFrame]
SCORES = {"bm25": [0.5, 0.25], "lsa": [0.4, 0.3]}
MEASURES = (
    "topic,system,measure,score\n1,bm25,map,0.5\n2,bm25,map,0.25\n1,lsa,map,0.4\n2,lsa,map,0.3\n"
    "1,neural,MAP,0.9\n2,neural,MAP,0.8\n"
)
RUN = "map\t1\t0.5\nmap\t2\t0.25\nrunid\tall\tA\nmap\tall\t0.375\n"


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


def test_sizes_and_dates_are_words(read: Read) -> None:
    text = "model,size,date,a,b\nx,7B,2024-05-01,0.5,0.25\ny,1.5B,2024-06,0.4,0.75\nz,~8x7B,,1,0\n"
    found = read(text, drop_topics=[])
    assert found.index.tolist() == ["a", "b"]
    assert "the columns 'size', 'date' have words and no scores" in " ".join(notes_of(found))


def test_a_topic_that_is_left_out_is_part_of_the_mean(read: Read) -> None:
    text = "topic,system,score\n1,a,0.5\n2,a,0.25\nall,a,0.375\n"
    assert read(text, drop_topics=["1"]).to_dict("list") == {"a": [0.25]}
    with pytest.raises(ScoresError, match="is not the mean of the 2 topics"):
        read(text.replace("0.375", "0.25"), drop_topics=["1"])


def test_an_all_of_missing_scores_is_not_compared(read: Read) -> None:
    text = "topic,system,score\n1,a,0.5\n2,a,0.25\n1,b,NA\n2,b,NA\nall,b,0.3\n"
    found = read(text)
    assert np.isnan(found["b"]).all()
