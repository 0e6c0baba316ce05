"""Tables and runs that `merge` refuses, and scores that every command refuses."""

import pytest

from tests.cli.conftest import Sentence

A = "301 Q0 d1 1 2.5 a\n301 Q0 d2 2 1.5 a\n302 Q0 d1 1 9 a\n"
B = "301 Q0 d7 1 0.5 b\n301 Q0 d9 2 0.25 b\n302 Q0 d3 1 0.75 b\n"
WEIGHTS = "topic,source,score\n301,a,0.5\n301,b,1\n302,a,1\n302,b,1\n"
STATISTICS = "source,term,df,words\na,shock,3,100\nb,drag,2,50\n"
QUERIES = "topic,text\n301,shock waves\n302,drag\n"
SCORES = "topic,x,y,z\n1,0.1,0.2,0.4\n2,0.4,0.5,0.1\n3,0.3,0.9,0.2\n"
CORI = "--weights cori --statistics T --queries Q"
SAFE = "--method safe --sample-run s.run --samples S --sizes Z"


def row(name: str, options: str, file: str, content: str | bytes, *fragments: str):
    return pytest.param(options, file, content, fragments, id=name)


@pytest.mark.parametrize(
    ("options", "file", "content", "fragments"),
    [
        row("empty weights", "--weights W", "W", "", "W has nothing", "columns topic, source"),
        row("no score", "--weights W", "W", "topic,source\n1,a\n", "no column 'score'", "expected"),
        row("word", "--weights W", "W", WEIGHTS.replace("0.5", "x"), "line 2: score 'x'", "as 0.5"),
        row("short line", "--weights W", "W", WEIGHTS + "301\n", "line 6 has 1 field,", "has 3"),
        row("open quote", "--weights W", "W", WEIGHTS + '"3', "begins in line 6", "quote"),
        row("not UTF-8", "--weights W", "W", b"topic,source,score\n\xff,a,1\n", "byte 0xff"),
        row("NUL", "--weights W", "W", WEIGHTS + "3\x00,a,1\n", "line 6 has a NUL character"),
        row("negative", "--weights W", "W", WEIGHTS.replace("0.5", "-1"), "'301' is -1"),
        row("a pair lacks", "--weights W", "W", WEIGHTS[:-8], "'b'", "'302' is missing", "least 0"),
        row("JSON", "--weights W", "W", '{"301": {"a": 1}}', "W has no rows", "topic, source"),
        row("gzip", "--weights W", "W", b"\x1f\x8b\x08\0", "W is damaged", "by gzip"),
        row("no such file", "--weights none", "W", WEIGHTS, "none cannot be read", "No such file"),
        row("no term", CORI, "T", "source,df,words\na,1,2\n", "T has no column 'term'"),
        row("no text", CORI, "Q", "topic\n301\n", "Q has no column 'text'"),
        row("no query of 302", CORI, "Q", "topic,text\n301,shock\n", "302"),
        row(
            "size of a word", SAFE, "Z", "source,size\na,many\nb,2\n", "size 'many' is not a finite"
        ),
        row("negative size", SAFE, "Z", "source,size\na,-1\nb,2\n", "'a'", "-1"),
        row("qrels as a run", "", "a.run", "301 0 d1 1\n", "a.run, line 1 has 4 columns, as qrels"),
        row("empty run", "", "a.run", "", "a.run is empty"),
        row("score of a word", "", "a.run", A.replace("2.5", "x"), "line 1: the score 'x' is not"),
        row("document twice", "", "a.run", A.replace("d2", "d1"), "already in line 1"),
        row("of both", "", "a.run", A.replace("d1", "d7"), "'d7'", "--duplicates"),
        row("damaged", "", "a.run", b"\x28\xb5\x2f\xfd\x24", "a.run is damaged", "by zstd"),
    ],
)
def test_merge_refuses(
    sentence: Sentence, options: str, file: str, content: str | bytes, fragments: tuple[str, ...]
) -> None:
    files = {
        "a.run": A,
        "b.run": B,
        "W": WEIGHTS,
        "T": STATISTICS,
        "Q": QUERIES,
        "s.run": A,
        "S": "source,document\na,d1\n",
        "Z": "source,size\na,100\nb,200\n",
        file: content,
    }
    message = sentence(files, ["merge", "a.run", "b.run", *options.split(), "-o", "m.run"])
    for fragment in fragments:
        assert fragment in message


@pytest.mark.parametrize(
    "command",
    [
        "report FILE -o r.html",
        "plot scores FILE -o p.svg",
        "plot pairs FILE --test paired_t -o p.svg",
        "plan FILE --goal interval:width=0.1",
        "model FILE --formula score~topic+system",
        "mixed-model FILE --formula score~system",
        "correlate FILE FILE",
        "compare FILE --test paired_t",
        "diagnose FILE",
        "verify FILE --scheme normal",
        "experiment within FILE --scheme raw --out out",
        "experiment between FILE --scheme raw --out out",
        "experiment reference-size FILE --scheme normal --out out",
        "apply f.txt FILE",
    ],
)
@pytest.mark.parametrize(
    ("name", "content", "fragment"),
    [
        ("s.csv", SCORES.replace("0.5", "half"), "line 3, column 'y': 'half' is not a number"),
        ("s.csv", SCORES + "3,1,1,1\n", "topic '3' appears twice, in line 4 and in line 5"),
        ("s.csv", SCORES + "4,1\n", "line 5 has 2 fields, and the header has 4"),
        ("s.csv", b"\x89PNG\r\n\x1a\n", "line 1: byte 0x89 is not UTF-8"),
        ("s.json", '{"a": ' * 2000, "s.json"),
        ("s.parquet", b"PAR1", "is not a Parquet file"),
    ],
    ids=["word", "twice", "short", "PNG", "brackets", "Parquet"],
)
def test_every_command_that_reads_scores_refuses(
    sentence: Sentence, command: str, name: str, content: str | bytes, fragment: str
) -> None:
    factors = "1 map 0.2 0.1\n2 map 0.3 0.1\n3 map 0.4 0.1\n"
    words = [name if word == "FILE" else word for word in command.split()]
    assert fragment in sentence({name: content, "f.txt": factors}, words)
