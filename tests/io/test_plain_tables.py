"""The quick reader of plain tables gives what the line-exact one gives, or leaves it to that."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cdfscore.common.files import without_marks
from cdfscore.errors import ScoresError
from cdfscore.scores.delimited import Table, parse_delimited, parse_exactly, parse_plain
from cdfscore.scores.how import How

NUMBERS = st.floats(allow_nan=False, allow_infinity=False).map(repr)
#: What is a score for one of pyarrow, float() and people, and perhaps not for another.
DOUBTFUL = ["", "NA", "NaN", "nan", "NAN", "N/A", "null", "inf", "-inf", "Infinity", "nan(1)"]
DOUBTFUL += ["+.5", "5.", ".5", "-.5", ".", "-", "+-1", "1e", "1E5", "1e-400", "1e400", "-0"]
DOUBTFUL += ["007", "0x10", "1_000", "1d5", "1 000", "true", "١", "0.5\t", " NA ", "\x0b1"]
DOUBTFUL += [" 0.5", "\u20091", '"0.5"', '"NA"', '""', '"0.5', '0.5"', '"0"5', '"1,5"', '"1\n"']
DOUBTFUL += [' "1"', "1\0", "1;2"]
#: What both readers take.
PLAIN_CELLS = [
    "",
    "NA",
    "NaN",
    "nan",
    "1",
    "007",
    ".5",
    "5.",
    "1E-5",
    " 0.5",
    "0.5 ",
    '"0.5"',
    "-0",
    "Open",
    "7B",
]
PLAIN_LABELS = [
    "topic",
    "model",
    "a",
    "b",
    "301",
    "007",
    "NA",
    " a ",
    "a b",
    "é",
    '"a"',
    '"301"',
    '"a b"',
    "",
]
LABELS = ["301", "007", "q1", "topic", "query", "NA", "", " ", "a b", " a ", "é", "\ufeffx", "1e2"]
LABELS += ['"a"', '"a,b"', '"a\tb"', '"a""b"', '"a\nb"', '"a\rb"', '5"', '"a', 'a"b"', "a\tb"]


@st.composite
def files(draw: st.DrawFn) -> str:
    """Draw a table, most of them plain but for a cell, a field or a line."""
    separator = draw(st.sampled_from([",", "\t"]))
    width = draw(st.integers(1, 4))
    plain = draw(st.booleans())
    names, label = st.sampled_from(PLAIN_LABELS), st.sampled_from(PLAIN_LABELS)
    cell = NUMBERS | st.sampled_from(PLAIN_CELLS)
    if not plain:
        names, label = (known | st.sampled_from(LABELS) for known in (names, label))
        cell |= st.sampled_from(DOUBTFUL)
    rows = [draw(st.lists(names, min_size=width, max_size=width))]
    for _ in range(draw(st.integers(int(plain), 4))):
        rows.append([draw(label), *draw(st.lists(cell, min_size=width - 1, max_size=width - 1))])
    if (
        not plain and draw(st.integers(0, 2)) == 0
    ):  # a row that is longer or shorter, or R's first line
        row = draw(st.sampled_from(rows))
        row[:] = draw(st.sampled_from([row[1:], [*row, "0.5"], [*row, ""], []]))
    end = draw(st.sampled_from(["\n", "\r\n", "\n" if plain else "\r"]))
    lines = [separator.join(row) for row in rows]
    if not plain and draw(st.integers(0, 2)) == 0:
        lines.insert(draw(st.integers(0, len(lines))), draw(st.sampled_from(["", "  ", "\t", ","])))
    after = draw(st.sampled_from(["", end, end + end, end + "  " + end]))
    return draw(st.sampled_from(["", "\ufeff"])) + end.join(lines) + after


def outcome(table: Table) -> tuple[object, ...]:
    """Return all that a table has, with the bits of its scores."""
    bits = np.where(np.isnan(table.values), np.nan, table.values).view(np.uint64)
    kept = (table.header, table.label_column, table.labels, table.separator, table.unnamed_labels)
    return (*kept, list(table.lines), table.values.shape, bits.tolist(), table.words)


@settings(max_examples=80)
@given(
    text=files(),
    label_header=st.sampled_from([None, "topic", "a"]),
    systems_as_rows=st.sampled_from([None, True]),
)
@example(text="topic,a\n301,1e999\n", label_header=None, systems_as_rows=None)
@example(text="topic,a\n301,NAN\n", label_header=None, systems_as_rows=None)
@example(text='topic,a\n"301"x,0.5\n', label_header=None, systems_as_rows=None)
@example(text='topic,a\n301,0.5\n\n302,"0.5"\n', label_header=None, systems_as_rows=None)
@example(text='topic,"a\tb"\n301,0.5\n', label_header=None, systems_as_rows=None)
@example(text="a,b\n301,0.5,\n302,0.5,\n", label_header=None, systems_as_rows=None)
@example(text="model,a,b\n301,0.5,x\n302,0.5,\n", label_header=None, systems_as_rows=None)
@example(text="model,a,b\n301,0.5,x\n302,0.5,1*\n", label_header=None, systems_as_rows=None)
@example(text="model,a,a\n301,0.5,x\n302,0.5,y\n", label_header=None, systems_as_rows=None)
@example(text="topic,a,b\n301,0.5,x\n302,0.5,y\n", label_header=None, systems_as_rows=None)
@example(text="model,a\nx,0.5,1,y\nz,0.5\n", label_header=None, systems_as_rows=None)
def test_plain_tables_are_read_alike(
    text: str, label_header: str | None, systems_as_rows: bool | None
) -> None:
    how = How(label_header, systems_as_rows)
    text = without_marks(text.encode()).decode()
    for separator in (",", "\t"):
        quick = parse_plain("s.csv", text.encode(), separator, how)
        try:
            exact = parse_exactly("s.csv", text, separator, how)
        except ScoresError:
            assert quick is None
        else:
            assert quick is None or outcome(quick) == outcome(exact)


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
    table = parse_plain("s.csv", f"topic,a\n301,{text}\n".encode(), ",", How())
    assert table is not None
    assert table.values[0, 0].hex() == float(text).hex()


def test_a_label_longer_than_csv_takes_is_refused_by_both() -> None:
    text = f"topic,a\n{'x' * 200_000},0.5\n"
    assert parse_plain("s.csv", text.encode(), ",", How()) is None
    with pytest.raises(ScoresError, match="field larger than field limit"):
        parse_delimited("s.csv", text.encode(), How())
