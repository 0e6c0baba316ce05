"""Good files of every kind that people have."""

import io
import sys
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from cdfscore import read_scores
from cdfscore.errors import ScoresError

PLAIN = "topic,bm25,lsa\n301,0.25,0.5\n302,0.75,1\n"
R_QUOTED = PLAIN.replace("bm25", '"bm25"').replace("lsa", '"lsa"').replace("301", '"301"')
LAYOUTS = {
    "plain": PLAIN,
    "TSV": PLAIN.replace(",", "\t"),
    "CRLF": PLAIN.replace("\n", "\r\n"),
    "old Mac": PLAIN.replace("\n", "\r"),
    "BOM": "\ufeff" + PLAIN,
    "BOM and TSV": "\ufeff" + PLAIN.replace(",", "\t"),
    "no newline at the end": PLAIN[:-1],
    "blank lines at the end": PLAIN + "\n\r\n  \n",
    "spaces around fields": PLAIN.replace(",", " , "),
    "R's write.csv": R_QUOTED.replace("topic", '""'),
    "R's write.table": R_QUOTED.replace("topic,", ""),
    "R's write.table by tabs": R_QUOTED.replace("topic,", "").replace(",", "\t"),
    "index column of pandas": PLAIN.replace("topic", ""),
    "its name when read": PLAIN.replace("topic", "Unnamed: 0"),
    "quoted header": PLAIN.replace("topic", '"topic"'),
    "header in capitals": PLAIN.replace("topic", "TOPIC"),
    "other header": PLAIN.replace("topic", "query_id"),
    "exponents": PLAIN.replace("0.25", "2.5e-1").replace("0.5", "+5E-01").replace("0.75", ".75"),
}


@pytest.mark.clause("read_scores.1")
@pytest.mark.parametrize("text", LAYOUTS.values(), ids=LAYOUTS)
def test_layouts_of_the_same_scores(read: Callable, text: str) -> None:
    scores = read(text)
    expected = pd.DataFrame(
        {"bm25": [0.25, 0.75], "lsa": [0.5, 1.0]}, index=pd.Index(["301", "302"], name="topic")
    )
    pd.testing.assert_frame_equal(scores, expected, check_exact=True)


def test_standard_input(monkeypatch: pytest.MonkeyPatch, read: Callable) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PLAIN.encode())))
    pd.testing.assert_frame_equal(read_scores("-"), read(PLAIN))


@pytest.mark.clause("read_scores.3")
@pytest.mark.parametrize("cell", ["", " ", "NA", " NA ", "NaN", "nan", '""', '"NA"'])
def test_missing_scores(read: Callable, cell: str) -> None:
    scores = read(f"topic,a,b\n301,{cell},1\n302,1,{cell}\n")
    np.testing.assert_array_equal(scores.to_numpy(), [[np.nan, 1], [1, np.nan]])


def test_very_many_topics(read: Callable) -> None:
    topics, systems = 100_000, 3
    header = "topic," + ",".join(f"s{j}" for j in range(systems))
    cells = [",".join(f"0.{(i * 31 + j * 7) % 1000:03}" for j in range(systems)) for i in range(97)]
    rows = [f"{i},{cells[i % 97]}" for i in range(topics)]
    scores = read("\n".join([header, *rows]))
    assert scores.shape == (topics, systems)
    assert scores.index[-1] == "99999"
    last = 99_999 % 97
    assert scores.loc["99999", "s2"] == ((last * 31 + 2 * 7) % 1000) / 1000


def test_what_is_no_file_is_refused() -> None:
    with pytest.raises(ScoresError, match="the file is an int; expected the name of a file, a li"):
        read_scores(3)  # type: ignore[arg-type]


def test_a_label_longer_than_csv_takes_is_refused(read: Callable) -> None:
    with pytest.raises(ScoresError, match="field larger than field limit"):
        read(f"topic,a\n{'x' * 200_000},0.5\n302,0.5\n")
