"""The one writer of CSV and TSV: bytes as Python's own, and labels that come back."""

import csv
import io
import math
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cdfscore import as_scores, read_scores, write_scores
from cdfscore.errors import OutputError
from cdfscore.scores.delimited import parse_delimited
from cdfscore.scores.how import How
from cdfscore.scores.tables import encode_table, guarded, spelled

BITS = st.integers(0, 2**64 - 1).map(lambda bits: np.uint64(bits).view(np.float64).item())
#: Where spellings change: 1.0, 1e-05, 1e16; and the ends of the doubles.
EDGES = [0.0, -0.0, 1.0, -1.0, 100.0, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-10, 1e9, 1e10, 1e15, 1e16]
EDGES += [9007199254740993.0, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 1e22, 1e23]
EDGES += [math.inf, -math.inf, math.nan]
NEAR = st.builds(
    math.nextafter,
    st.sampled_from([edge for edge in EDGES if math.isfinite(edge)]),
    st.sampled_from([-math.inf, 0.0, math.inf]),
)
DECIMALS = st.builds(
    lambda d, e: float(f"{d}e{e}"), st.integers(-(10**6), 10**6), st.integers(-20, 20)
)
NUMBERS = st.one_of(BITS, NEAR, DECIMALS, st.floats(), st.sampled_from(EDGES))
TEXT = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
LABELS = st.text(st.sampled_from(",\"\t\r\n;' ab=+-@1\ufeff") | TEXT, min_size=1, max_size=6)
UNIQUE = st.lists(LABELS.map(str.strip).filter(bool), min_size=1, max_size=4, unique=True)


@pytest.mark.clause("write_scores.1")
@settings(max_examples=200)
@given(numbers=st.lists(NUMBERS, max_size=20))
@example(numbers=EDGES)
def test_numbers_are_spelled_as_python_does(numbers: list[float]) -> None:
    words = spelled(np.array(numbers, dtype=np.float64), "NA").to_pylist()
    assert words == ["NA" if math.isnan(x) else repr(x) for x in numbers]


def test_many_numbers_are_spelled_as_python_does() -> None:
    rng = np.random.default_rng(5)
    numbers = np.concatenate(
        [
            rng.integers(0, 2**64, 20_000, dtype=np.uint64).view(np.float64),
            10.0 ** rng.uniform(-25, 25, 20_000),
            rng.random(20_000),
            rng.integers(0, 1000, 20_000) / 1000,
        ]
    )
    words = spelled(numbers, "NA").to_pylist()
    assert words == ["NA" if math.isnan(x) else repr(x) for x in numbers.tolist()]


@pytest.mark.parametrize("delimiter", [",", "\t"])
@settings(max_examples=100)
@given(topics=UNIQUE, systems=UNIQUE, numbers=st.lists(NUMBERS, min_size=16, max_size=16))
@example(topics=["a\rb", "1"], systems=["s"], numbers=[0.5] * 16)
@example(topics=["1"], systems=["a\tb", "s"], numbers=[0.5] * 16)
def test_bytes_are_those_of_csv(
    delimiter: str, topics: list[str], systems: list[str], numbers: list[float]
) -> None:
    cells = numbers[: len(topics) * len(systems)]
    values = np.array(cells).reshape(len(topics), len(systems))
    written = encode_table(["topic", *systems], [topics, values], delimiter)
    rows = [["topic", *guarded(systems)]]
    for topic, row in zip(guarded(topics), values.tolist(), strict=True):
        rows.append([topic, *("NA" if math.isnan(x) else repr(x) for x in row)])
    text = written.decode()
    assert list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)) == rows
    # csv quotes \r and tabs by version: both are replaced by \n, which is always quoted.
    seen_as = str.maketrans(dict.fromkeys("\r\t".replace(delimiter, ""), "\n"))
    expected = io.StringIO(newline="")
    writer = csv.writer(expected, delimiter=delimiter, lineterminator="\n")
    writer.writerows([cell.translate(seen_as) for cell in row] for row in rows)
    assert text.translate(seen_as) == expected.getvalue()


@pytest.mark.parametrize("ending", [".csv", ".tsv"])
@settings(max_examples=30)
@given(topics=UNIQUE, systems=UNIQUE)
@example(topics=["1"], systems=["a\rb"])
@example(topics=["1"], systems=["a\tb"])
@example(topics=["a\nb", "a\r\nb", '"', '""'], systems=["a\n\tb", 'a"\tb'])
@example(topics=["\ufeffa"], systems=["\ufeff"])
def test_labels_of_any_text_come_back(ending: str, topics: list[str], systems: list[str]) -> None:
    values = np.arange(len(topics) * len(systems)).reshape(len(topics), -1) / 7
    kept = {"keep_topics": topics, "keep_systems": systems}  # "mean" is a text, too
    scores = as_scores(pd.DataFrame(values, topics, systems).rename_axis("topic"), **kept)
    with tempfile.TemporaryDirectory() as folder:
        write_scores(scores, Path(folder) / f"s{ending}")
        back = read_scores(Path(folder) / f"s{ending}", **kept)
    pd.testing.assert_frame_equal(back, scores, check_exact=True)


@pytest.mark.parametrize("label", ["a\0b", "a\ud800"])
def test_what_no_text_file_holds_is_refused(label: str) -> None:
    for header, topic in ((label, "301"), ("topic", label)):
        with pytest.raises(OutputError, match="has a character that no CSV or TSV file can hold"):
            encode_table([header, "a"], [[topic], np.array([[0.5]])])


@pytest.mark.clause("read_scores.2")
@settings(max_examples=80)
@given(digits=st.integers(0, 10**25), exponent=st.integers(-345, 280), nudge=st.integers(-1, 1))
@example(digits=2**53 + 1, exponent=0, nudge=0)  # half-way between two doubles
@example(digits=9007199254740993000000000, exponent=-9, nudge=1)  # just above half-way
@example(digits=24703282292062327208, exponent=-343, nudge=0)  # half the least double
@example(digits=22250738585072011, exponent=-324, nudge=0)  # the largest subnormal, nearly
def test_hard_decimals_are_read_to_the_nearest_double(
    digits: int, exponent: int, nudge: int
) -> None:
    text = f"{max(0, digits + nudge)}e{exponent}"
    table = parse_delimited("s.csv", f"topic,a\n301,{text}\n".encode(), How())
    assert table.values[0, 0].hex() == float(text).hex()
