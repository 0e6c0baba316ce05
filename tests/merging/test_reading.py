"""Tables for merging: headers that are known, and files that are refused."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cdfscore.errors import CdfscoreError
from cdfscore.retrieval.merging.sources import (
    read_queries,
    read_samples,
    read_selection,
    read_statistics,
)

SAMPLES, SIZES = "source,document\na,d1\na,d2\nb,d3\n", "source,size\na,20\nb,9.5\nc,3\n"


def samples(path: Path, sizes: str = SIZES) -> Any:
    other = path.with_name("sizes.csv")
    other.write_text(sizes)
    return read_samples(path, other)


def sizes(path: Path) -> Any:
    other = path.with_name("samples.csv")
    other.write_text(SAMPLES)
    return read_samples(other, path)


#: Readers, with a file that each accepts.
READERS: dict[str, tuple[Callable[[Path], Any], str]] = {
    "selection": (read_selection, "topic,source,score\n301,a,0.5\n301,b,1\n302,b,-1e-3\n"),
    "statistics": (read_statistics, "source,term,df,words\na,wing,30,900\na,flow,2,900\nb,x,1,7\n"),
    "queries": (read_queries, "topic,text\n301,wing flow\n302,heat\n"),
    "samples": (samples, SAMPLES),
    "sizes": (sizes, SIZES),
}


@pytest.mark.clause("merging_tables.1")
def test_tables_are_read(tmp_path: Path) -> None:
    def read(name: str) -> Any:
        reader, text = READERS[name]
        (tmp_path / "x.csv").write_text(text)
        return reader(tmp_path / "x.csv")

    frame = read("selection")
    assert frame.to_dict("list") == {
        "a": [0.5, pytest.approx(np.nan, nan_ok=True)],
        "b": [1, -1e-3],
    }
    assert list(frame.index) == ["301", "302"]
    found = read("statistics")
    assert (found.sources, found.terms) == (("a", "b"), ("wing", "flow", "x"))
    assert found.document_frequencies.toarray().tolist() == [[30, 0], [2, 0], [0, 1]]
    assert found.words.tolist() == [900, 7]
    assert repr(found) == "<TermStatistics: 3 terms, 2 sources>"
    assert read("queries") == {"301": "wing flow", "302": "heat"}
    for name in ("samples", "sizes"):
        found = read(name)
        assert found.documents == {"d1": 0, "d2": 0, "d3": 1}
        assert (found.sources, found.ratio.tolist()) == (("a", "b"), [10, 9.5])
        assert repr(found) == "<Samples: 3 documents of 2 sources>"


@pytest.mark.parametrize("name", READERS)
def test_separators_orders_quotes_and_compression(name: str, tmp_path: Path) -> None:
    reader, text = READERS[name]
    path = tmp_path / "x.csv"
    rows = [line.split(",") for line in text.splitlines()]
    ways: dict[str, bytes] = {
        "plain": text.encode(),
        "tabs": "\n".join("\t".join(row) for row in rows).encode(),
        "turned": "\n".join(",".join(row[::-1]) for row in rows).encode(),
        "quoted": "\r\n".join(",".join(f'"{cell}"' for cell in row) for row in rows).encode(),
        "more": "\n".join(",".join(["7", *row, "note"]) for row in rows).encode(),
        "mark and blank lines": b"\xef\xbb\xbf" + text.replace("\n", "\n\n").encode(),
        "spaces": text.replace(",", " , ").encode(),
        "upper case": (",".join(rows[0]).upper() + text[text.index("\n") :]).encode(),
        "gzip": gzip.compress(text.encode()),
    }
    found = {}
    for way, content in ways.items():
        path.write_bytes(content)
        found[way] = reader(path)
    for way, own in found.items():
        if name == "selection":
            assert own.equals(found["plain"]), way
        else:
            assert str(vars(own) if hasattr(own, "__dict__") else own) == str(
                vars(found["plain"]) if hasattr(own, "__dict__") else found["plain"]
            ), way


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("topic,text", {"1": "x"}),
        ("qid,query", {"1": "x"}),
        ("query_id,title", {"1": "x"}),
        ("topic,query", {"1": "x"}),
        ("query,text", {"1": "x"}),
        ("query,title", {"1": "x"}),
        ("Query_ID,Query", {"1": "x"}),
    ],
)
def test_a_header_that_may_be_a_topic_or_its_text(
    header: str, expected: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "q.csv").write_text(f"{header}\n1,x\n")
    assert read_queries(tmp_path / "q.csv") == expected
    (tmp_path / "q.csv").write_text(f"{','.join(header.split(',')[::-1])}\nx,1\n")
    assert read_queries(tmp_path / "q.csv") == expected


def rows(name: str, *bad: tuple[str, str]) -> list[Any]:
    return [pytest.param(name, content, part, id=f"{name}: {part[:40]}") for content, part in bad]


NO_NUMBER = ("1,5", "", "x", "nan", "NaN", "inf", "1e999", "0x1", "NA", "--1")

BAD = [
    *rows(
        "selection",
        ("topic,source\n1,a\n", "has no column 'score' among topic, source; expected the columns"),
        ("source,score\na,1\n", "has no column 'topic' among source, score"),
        ("topic,score\n1,1\n", "has no column 'source'"),
        (
            "topic,topic,source,score\n1,2,a,1\n",
            "has the columns 'topic' and 'topic', each a topic",
        ),
        (
            "topic,source,score,weight\n1,a,1,2\n",
            "has the columns 'score' and 'weight', each a sco",
        ),
        (
            "qid,query,source,w\n1,x,a,1\n",
            "has the columns 'qid' and 'query', each a topic; expecte",
        ),
        ("topic,source,score\n1,a,1\n1,b,2\n1,a,1\n", "line 4 has topic '1' and source 'a' again"),
        ("topic,source,score\n1,,1\n", "line 2: there is no source; expected its name"),
        ("topic,source,score\n1,a,1\n ,a,1\n", "line 3: there is no topic; expected its name"),
        ("topic,source,score\n1,a,1,2\n", "line 2 has 4 fields, and the header has 3; expected 3"),
        *(
            (
                f"topic\tsource\tscore\n1\ta\t1\n1\tb\t{bad}\n",
                f"line 3: score {bad!r} is not a finite",
            )
            for bad in NO_NUMBER
        ),
    ),
    *rows(
        "statistics",
        (
            "source,term,df,words\na,w,x,1\n",
            "line 2: df 'x' is not a finite number; expected a number such",
        ),
        ("source,term,df,words\na,w,1,x\n", "line 2: words 'x' is not a finite number"),
        (
            "source,term,df,words\na,w,-1,9\n",
            "term 'w' is in -1.0 documents of source 'a'; expecte",
        ),
        ("source,term,df,words\na,w,1,0\n", "source 'a' has 0.0 words; expected a number above 0"),
        (
            "source,term,df,words\na,w,1,9\na,v,1,8\n",
            "source 'a' has several numbers of words; expe",
        ),
        ("source,term,df,words\na,w,1,9\na,w,2,9\n", "line 3 has source 'a' and term 'w' again"),
        ("source,term,df,words\na,,1,9\n", "line 2: there is no term; expected its name"),
    ),
    *rows(
        "queries",
        ("topic\n1\n", "has no column 'text' among topic"),
        ("topic,text\n1,a\n1,b\n", "line 3 has topic '1' again; expected each once"),
        ("topic,text,title\n1,a,b\n", "has the columns 'text' and 'title', each a text; expect"),
    ),
    *rows(
        "samples",
        ("source,document\na,d1\nb,d1\n", "line 3 has document 'd1' again; expected each once"),
        ("source,document\na,\n", "line 2: there is no document; expected its name"),
        ("source,document\nz,d1\n", "sizes.csv: the size of source 'z' is not given; expected "),
    ),
    *rows(
        "sizes",
        ("source,size\na,20\na,20\n", "line 3 has source 'a' again; expected each once"),
        ("source,size\na,many\nb,2\n", "line 2: size 'many' is not a finite number"),
        (
            "source,size\na,1\nb,2\n",
            "source 'a' has 2 sampled documents and 1.0 documents; expecte",
        ),
        ("source,size,documents\na,1,2\n", "has the columns 'size' and 'documents', each a size"),
    ),
    *(
        each
        for name, (_, text) in READERS.items()
        for each in rows(
            name,
            ("", "has nothing; expected the columns"),
            (text.partition("\n")[0], "has no rows; expected the columns"),
            (text.replace("a,", "\xe9,").encode("latin-1"), "0xe9"),  # type: ignore[arg-type]
            (text.encode("utf-16"), "UTF-16"),  # type: ignore[arg-type]
            (b"PAR1\x15", "is a Parquet file"),  # type: ignore[arg-type]
            (text + '"a', "is a quote not closed"),
        )
        if not (name == "queries" and "0xe9" in str(each))
    ),
]


@pytest.mark.clause("merging_tables.1")
@pytest.mark.parametrize(("name", "content", "part"), BAD)
def test_a_table_is_refused(name: str, content: str | bytes, part: str, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(CdfscoreError) as error:
        READERS[name][0](path)
    message = str(error.value)
    assert part in message
    assert "table.csv" in message
    assert "\n" not in message
