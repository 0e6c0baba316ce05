"""Damaged files of scores are read or refused in a sentence, and never stop a reader otherwise."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cdfscore import read_scores
from cdfscore.errors import CdfscoreError

FILES = {
    "trec_eval": "map   \t1\t0.2\nP_5  \t1\t0.4\nmap\t2\t0.4\nrunid\tall\tx\nmap\tall\t0.3\n",
    "two runs": "map\t1\t0.2\nrunid\tall\tx\nmap\tall\t0.2\nmap\t1\t0.5\nrunid\tall\ty\n",
    "spaces": "map   1   0.2000\nmap   all 0.2000\n",
    "ir_measures": "1\tAP\t0.2\n2\tAP\t0.4\nall\tAP\t0.3\n",
    "long": 'topic,system,score\n1,a,0.1\n1,"b",0.2\n2,a,NA\n2,b,0.4\n',
    "long with measures": "qid\tmodel\tmetric\tvalue\n1\ta\tAP\t0.1\n1\tb\tAP\t0.25\n",
    "JSON": '{"1": {"map": 0.5, "P_5": 0.2}, "2": {"map": 0.25}}',
    "records": '[{"qid": 1, "measure": "AP", "value": 0.5}]',
    "lines": '{"qid": "1", "system": "a", "value": 0.5}\n{"qid": "2", "system": "a", "value": 1}\n',
    "leaderboard": "model,Avg,size,License,t1,t2\nm1,0.3,-1,Open,0.2,0.4\nm2,0.5,2,MIT,0.5,0.5\n",
    "wide": "topic,a,b\n1,0.5,0.25\n2,0.75,\n",
}
PIECES = st.sampled_from(
    [
        *("\t", ",", "\n", "\r\n", '"', " ", "{", "}", "[", "]", ":", ".", "-", "0", "e9", "1e999"),
        *(
            "nan",
            "inf",
            "all",
            "map",
            "runid",
            "topic",
            "system",
            "model",
            "score",
            "\0",
            "é",
            "\ufeff",
        ),
    ]
)


@st.composite
def damaged(draw: st.DrawFn, name: str) -> bytes:
    text = FILES[name]
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 8)))
        text = text[:start] + draw(st.one_of(st.just(""), PIECES)) + text[end:]
    return text.encode() + draw(st.sampled_from([b"", b"\xff", b"\n\n"]))


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=30)
@given(data=st.data(), measure=st.sampled_from([None, "map", "AP"]), drop=st.booleans())
def test_a_damaged_file_is_read_or_refused(
    name: str, data: st.DataObject, measure: str | None, drop: bool
) -> None:
    content = data.draw(damaged(name))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.txt"
        path.write_bytes(content)
        said = "s.txt"
        try:
            scores = read_scores(path, measure=measure, drop_topics=["size"] if drop else [])
        except CdfscoreError as error:
            said = str(error)
        else:
            assert scores.size
            assert scores.index.is_unique
            assert scores.columns.is_unique
    assert "s.txt" in said
    assert len(said.splitlines()) == 1
