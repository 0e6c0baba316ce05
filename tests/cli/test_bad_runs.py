"""Runs and qrels that are refused, each with what the message must say about it."""

import gzip
from typing import Any

import pytest

from tests.cli.conftest import Files, Sentence, cases

RUN = "301 Q0 d1 1 2.5 bm25\n301 Q0 d2 2 1.5 bm25\n302 Q0 d1 1 9 bm25\n"
QRELS = "301 0 d1 1\n301 0 d2 0\n302 0 d1 2\n"
COLUMNS = "expected 6 in a line of a run: topic, Q0, document, rank, score, run id"
OF_QRELS = "expected 4 in a line of qrels: topic, iteration, document, relevance"
WHOLE = "expected a whole number such as 0 or 1, at most 10,000"


def line(text: str) -> str:
    """Put a line after the third of a run."""
    return f"{RUN}{text}\n"


def score(text: str) -> str:
    return line(f"302 Q0 d2 2 {text} bm25")


def judgment(text: str) -> str:
    return f"{QRELS}302 0 d2 {text}\n"


def row(name: str, run: str | bytes | None, *fragments: str) -> Any:
    return pytest.param({"a.run": run, "q": QRELS}, ("a.run", *fragments), id=name)


def qrels_row(name: str, qrels: str | bytes | None, *fragments: str) -> Any:
    return pytest.param({"a.run": RUN, "q": qrels}, fragments, id=f"qrels: {name}")


@pytest.mark.parametrize(
    ("files", "fragments"),
    [
        row("a folder", None, "cannot be read", "directory"),
        row("empty", "", "is empty", "such as '301 Q0 FR940202"),
        row("only a BOM", "\ufeff", "is empty"),
        row("only blank lines", "\n \n\t\n", "is empty"),
        row("only a comment", "# bm25\n", "is empty"),
        row("five columns", line("302 Q0 d2 2 1.5"), "line 4 has 5 columns;", COLUMNS),
        row("one column", line("302"), "line 4 has 1 column;", COLUMNS),
        row("qrels", QRELS, "line 1 has 4 columns, as qrels have;", COLUMNS),
        row(
            "scores",
            "topic,bm25\n301,0.5\n",
            "line 1 has 1 column, with commas or semicolons in it;",
            COLUMNS,
        ),
        row("JSON", '{"301": {"d1": 2.5}}', "a.run is JSON; expected lines of a run, such as '301"),
        qrels_row("JSON", '{"301": {"d1": 1, "d2": 0}}', "q is JSON; expected lines of qrels"),
        row(
            "a document with a space",
            line("302 Q0 d 2 2 1.5 bm25"),
            "line 4 has 7 columns (spaces within",
        ),
        row(
            "documents with spaces and words",
            "301 Q0 d one 1 2.5 bm25\n301 Q0 d two 2 1.5 bm25\n",
            "line 1 has 7 columns (spaces within a column? Tabs between all columns keep them)",
        ),
        row("a word", score("high"), "line 4: the score 'high' is not a finite number; expected"),
        row("no score", line("302 Q0 d2 2  bm25"), "line 4 has 5 columns"),
        row("decimal comma", score("1,5"), "line 4: the score '1,5' is not a finite number"),
        row("underscore", score("1_000"), "line 4: the score '1_000' is not a finite number"),
        row("Arabic digits", score("٤"), "line 4: the score '٤' is not a finite number"),
        row("long word", score("x" * 999), "line 4: the score 'xxxxx", "is not a finite number"),
        row("nan", score("nan"), "line 4: the score 'nan' is not a finite number"),
        row("inf", score("-inf"), "line 4: the score '-inf' is not a finite number"),
        row("too large", score("1e999"), "line 4: the score '1e999' is not a finite number"),
        row(
            "document twice",
            line("301 Q0 d2 3 0.5 bm25"),
            "line 4: topic '301' has document 'd2' already in line 2; expected each document once",
        ),
        row(
            "two run ids",
            line("302 Q0 d2 2 1.5 ql"),
            "has the run ids 'bm25' in line 1 and 'ql' in line 4; expected the same in all lines",
        ),
        row("Latin-1", RUN.encode() + b"302 Q0 d\xe9 2 1 bm25\n", "line 4: byte 0xe9 is not UTF-8"),
        row("UTF-16", RUN.encode("utf-16"), "is text in UTF-16: iconv"),
        row("NUL", line("302 Q0 d\0 2 1 bm25"), "line 4 has a NUL character"),
        row("cut gzip", gzip.compress(RUN.encode())[:-4], "is damaged", "decompressed by gzip"),
        row("empty gzip", gzip.compress(b""), "is empty"),
        row(
            "bzip2",
            b"BZh91AY&SY",
            "is compressed by bzip2: bunzip2",
            "expected text in UTF-8, plain or",
        ),
        row("zip", b"PK\x03\x04\x14", "is an Excel workbook or a zip archive:"),
        row("Parquet", b"PAR1\x15\x04", "is a Parquet file:"),
        row(
            "no judged topic",
            RUN.replace("30", "q30"),
            "has none of the 2 judged topics, such as '301', but has others, such as 'q301'",
        ),
        row(
            "a judged topic missing",
            RUN.partition("302")[0],
            "lacks 1 of 2 judged topics, such as '302'; say --missing-topics zero for scores of 0",
            "or --missing-topics omit for missing scores",
        ),
        qrels_row("a folder", None, "q cannot be read", "directory"),
        qrels_row("empty", "\n", "q is empty; expected lines of qrels"),
        qrels_row("a run", RUN, "q, line 1 has 6 columns, as a run has;", OF_QRELS),
        qrels_row("three columns", "301 d1 1\n", "q, line 1 has 3 columns;", OF_QRELS),
        qrels_row(
            "five columns", QRELS + "302 0 d2 1 x\n", "q, line 4 has 5 columns (spaces", OF_QRELS
        ),
        qrels_row("a word", judgment("yes"), "q, line 4: the relevance is 'yes';", WHOLE),
        qrels_row("a fraction", judgment("0.5"), "q, line 4: the relevance is '0.5';", WHOLE),
        qrels_row("a decimal point", judgment("1.0"), "q, line 4: the relevance is '1.0';"),
        qrels_row("too large", judgment("10001"), "q, line 4: the relevance is '10001';"),
        qrels_row("far too large", judgment("9" * 30), "q, line 4: the relevance is '999"),
        qrels_row(
            "document twice",
            QRELS + "301 1 d1 1\n",
            "q, line 4: topic '301' has document 'd1' already in line 1",
        ),
        qrels_row("Latin-1", b"301 0 d\xe9 1\n", "q, line 1: byte 0xe9 is not UTF-8"),
        qrels_row("cut gzip", gzip.compress(QRELS.encode())[:-4], "q is damaged"),
        qrels_row(
            "not judged",
            "301 0 d1 -1\n302 0 d1 -2\n",
            "q: the relevance of every document is below 0, which means not",
        ),
    ],
)
def test_file_is_refused(sentence: Sentence, files: Files, fragments: tuple[str, ...]) -> None:
    message = sentence(
        files, ["measure", "a.run", "--qrels", "q", "--measure", "AP", "-o", "OUT.csv"]
    )
    for fragment in fragments:
        assert fragment in message


@pytest.mark.parametrize(
    ("words", "said"),
    cases(
        """
        a.run a.run | a.run is given twice, both times as the run of the system 'bm25'
        x=a.run x=b.run | a.run and b.run have runs of the system 'x'
        =a.run | '=a.run' is not accepted; expected a file, or NAME=FILE for a system
        x= | 'x=' is not accepted; expected a file, or NAME=FILE for a system
        runs/k=5/none.run | runs/k=5/none.run cannot be read
        none.run | none.run cannot be read: No such file
        a.run --measure map | measure 'map' is not known | trec_eval's name for AP
        a.run --measure ndcg_cut_20 | is trec_eval's name for nDCG@20; expected a name
        a.run --measure ndcg | trec_eval's name for nDCG;
        a.run --measure Ap | 'Ap' is not known (did you mean 'AP'?); expected
        a.run --measure quality | measure 'quality' is not known
        a.run --measure P | measure 'P' has no cutoff; expected one, as in P@10
        a.run --measure P@0 | measure 'P@0': cutoff is 0; expected a whole number from 1
        a.run --measure SP@0 | SP: cutoff is 0; expected a whole number from 1 to
        a.run --measure P@x | measure 'P@x' is not a name with settings; expected
        a.run --measure P@1.5 | measure 'P@1.5': cutoff is 1.5; expected a whole
        a.run --measure AP(level=2) | has no setting 'level' | cutoff or rel or
        a.run --measure SP(p=0.5) | has no setting 'p'; expected cutoff or rel
        a.run --measure RBP(p=95) | RBP: p is 95; expected a number between 0 and 1
        a.run --measure nP | nP has no cutoff; expected nP@10
        a.run --measure AP) | measure 'AP)' is not a name with settings
        a.run --measure NRBP | measure 'NRBP' is a measure of diversity, which
        a.run --measure INST(max_rel=1) | cannot be measured | it needs cwl_eval
        a.run --measure P@True | cutoff is True; expected a whole number from 1 to
        a.run --measure AP(rel=0) | rel is 0; expected a whole number from 1 to 10,0
        a.run --measure IPrec@0.333 | recall is 0.333; expected | most 2 decimals
        a.run --measure AP --measure MAP | 'MAP' is the same as 'AP'
        a.run --missing-topics drop | --missing-topics drop is not accepted;
        a.run --jobs 0 | --jobs is 0; expected 1 or more
        a.run -o OUT.xlsx | --out: OUT.xlsx ends in '.xlsx'; expected .csv, .tsv
        a.run -o a.run | --out
        - - | RUN 1 and RUN 2 are both standard input
        """
    ),
)
def test_arguments_are_refused(sentence: Sentence, words: str, said: list[str]) -> None:
    arguments = words.split()
    arguments += [] if "--measure" in arguments else ["--measure", "AP"]
    arguments += [] if "-o" in arguments else ["-o", "OUT.csv"]
    files = {"a.run": RUN, "b.run": RUN, "q": QRELS}
    message = sentence(files, ["measure", *arguments, "--qrels", "q"])
    for each in said:
        assert each in message
