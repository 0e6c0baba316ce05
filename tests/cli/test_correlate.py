"""``cdfscore correlate``, and `cdfscore.comparison.correlation.correlate` beneath it."""

from __future__ import annotations

import json
from collections.abc import Callable
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

from cdfscore.comparison.correlation import correlate
from cdfscore.r.session import RSession
from tests.cli.conftest import Run, Write, cases

A = "topic,a,b,c,d\n301,0.1,0.2,0.3,0.5\n302,0.4,0.5,0.6,0.5\n"
B = "topic,d,c,b,a\n401,0.9,0.2,0.3,0.5\n402,0.4,0.5,0.6,0.1\n403,0.3,0.7,0.6,0.2\n"
FILES = {
    "a.csv": A,
    "b.csv": B,
    "gap.csv": "topic,a,b,c,d\n401,0.9,0.2,0.3,0.5\n402,NA,0.5,0.6,0.1\n",
    "fewer.csv": "topic,a,b,c\n401,0.9,0.2,0.3\n402,0.4,0.5,0.6\n",
    "other.csv": "topic,a,b,c,e\n401,0.9,0.2,0.3,0.1\n402,0.4,0.5,0.6,0.1\n",
    "one.csv": "topic,a\n401,0.9\n402,0.4\n",
    "none.csv": "topic,a,b,c,d\n401,0.9,0.2,0.3,NA\n402,0.2,0.5,0.6,NA\n",
    "constant.csv": "topic,a,b,c,d\n401,0.5,0.5,0.5,0.5\n402,0.1,0.2,0.3,0.4\n",
    "word.csv": "topic,a,b\n401,0.9,x\n",
}


@pytest.fixture
def frames() -> list[pd.DataFrame]:
    random = np.random.default_rng(1)
    a = pd.DataFrame(random.random((9, 12)), columns=[f"s{i}" for i in range(12)])
    b = (a.iloc[:7] + random.random((7, 12))).round(1)
    return [a, b[random.permutation(b.columns)]]


def values(found: pd.DataFrame) -> dict[str, float]:
    return dict(zip(found["measure"], found["value"], strict=True))


def test_r_gives_the_same(frames, rinterface: ModuleType) -> None:
    session = RSession()
    first, second = (session.column_means(each.to_numpy()) for each in frames)
    order = [list(frames[1].columns).index(system) for system in frames[0].columns]
    correlation = rinterface.globalenv.find("cor")
    x, y = session.vector(first), session.vector(second[order])
    found = values(correlate(*frames).table)
    assert found["pearson"] == pytest.approx(correlation(x, y)[0], rel=1e-13)
    kendall = rinterface.StrSexpVector(["kendall"])
    # Means of tenths tie where sums of whole numbers do; in R rounding breaks one of the ties.
    whole = session.column_means((10 * frames[1]).round().to_numpy())
    exact = correlation(x, session.vector(whole[order]), method=kendall)[0]
    assert found["tau_b"] == pytest.approx(exact, rel=1e-15)
    assert correlation(x, y, method=kendall)[0] != pytest.approx(exact, rel=1e-3)


@pytest.fixture
def run(cdfscore: Callable, write: Callable) -> Callable:
    write(FILES)
    return lambda *arguments, **rest: cdfscore("correlate", *arguments, **rest)


def test_numbers_of_any_size_can_be_read_in_the_table(cdfscore: Callable, write: Callable) -> None:
    tiny = "topic,a,b,c\n1,1e-300,2e-300,4e-300\n"
    write({"a.csv": tiny, "b.csv": tiny.replace("4e-300", "3e-300"), "c.csv": "a,b,c\n1,2,9e300\n"})
    shown = {}
    for other in ("b.csv", "c.csv"):
        out = cdfscore("correlate", "a.csv", other).out
        shown[other] = dict(line.split()[:2] for line in out.splitlines()[1:])["rmse"]
    assert shown == {"b.csv": "5.7735e-301", "c.csv": "5.19615e+300"}


def test_the_table_says_why_a_measure_is_undefined(run) -> None:
    status, out, _ = run("a.csv", "-", stdin=b"topic,a,b,c,d\n1,0.5,0.5,0.5,0.5\n")
    assert status == 0
    reasons = {line.split()[0]: line.split()[3:6] for line in out.splitlines()[1:]}
    assert reasons["tau_b"] == ["tau_b", "is", "undefined:"]
    assert reasons["rmse"] == []


def test_undefined_is_na_in_csv_and_null_in_json(run, tmp_path) -> None:
    tied = b"topic,a,b,c,d\n1,0.5,0.5,0.5,0.5\n"
    status, out, _ = run("a.csv", "-", "-o", "-", stdin=tied)
    assert status == 0
    assert '\ntau_b,NA,4,"tau_b is undefined' in out
    assert run("a.csv", "-", "-o", "OUT.json", stdin=tied).status == 0
    records = json.loads((tmp_path / "OUT.json").read_text())
    assert [record["value"] is None for record in records] == [
        False,
        True,
        True,
        True,
        False,
        False,
        True,
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    cases(
        """
        a.csv nix.csv | nix.csv | cannot be read
        a.csv word.csv | word.csv, line 2 | 'b' | is not a number
        a.csv fewer.csv | a.csv: 1 of 4 systems is not in fewer.csv: 'd' | expected the same systems
        fewer.csv a.csv | a.csv: 1 of 4 systems | fewer.csv: 'd'
        a.csv other.csv | a.csv: 1 of 4 systems | other.csv: 'd'
        one.csv one.csv | only system 'a' to rank | at least 2
        a.csv gap.csv | gap.csv: | topic '402', system 'a' | drop_topic
        a.csv none.csv --missing omit | none.csv: system 'd' has the mean nan; expected a finite
            mean
        a.csv b.csv --scheme foo | no scheme 'foo' | normal
        a.csv b.csv --missing foo | --missing foo | expected one of
        a.csv constant.csv --scheme z --constant raise | constant.csv: topic '401' | are equal
        - - | A and B are both standard input
        a.csv b.csv -o OUT.txt | OUT.txt ends in '.txt' | .json
        a.csv b.csv -o b.csv | --out would overwrite B, b.csv
        a.csv b.csv -o nix/OUT.csv | nix/OUT.csv cannot be written
        a.csv b.csv --topic-column q | no column 'q' | a.csv
        """
    ),
)
def test_refusals(sentence: Callable[..., str], words: str, said: list[str]) -> None:
    message = sentence(FILES, ["correlate", *words.split()])
    for each in said:
        assert each in message


def test_the_count_is_of_what_the_header_says(cdfscore: Run, write: Write) -> None:
    write({"a.csv": "model,t,u\na,1,2\nb,3,5\n", "b.csv": "model,v,w\na,2,2\nb,4,1\n"})
    head = cdfscore("correlate", "a.csv", "b.csv").out.splitlines()[0]
    assert head.split() == ["measure", "value", "models"]
