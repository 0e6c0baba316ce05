"""Score files that are refused, each with what the message must say about it."""

import pytest

from tests.cli.conftest import Sentence

HEAD = "topic,bm25,lsa\n"
GOOD = HEAD + "301,0.1,0.2\n302,0.3,0.4\n"
NOT_A_NUMBER = ("s.csv", "line 3", "'lsa'", "is not a number", "expected a score", "NA where")
NOT_FINITE = ("s.csv", "line 3", "'lsa'", "is not finite", "expected a score", "NA where")


def cell(text: str) -> str:
    """Put a cell in the third line of a file of scores."""
    return f'{HEAD}301,0.1,0.2\n302,0.3,"{text}"\n'


def row(name: str, content: str | bytes | None, *fragments: str, extra: str = ""):
    return pytest.param(content, extra.split(), fragments, id=name)


@pytest.mark.clause("errors.2")
@pytest.mark.parametrize(
    ("content", "extra", "fragments"),
    [
        row("a folder", None, "s.csv cannot be read", "directory"),
        row("empty file", "", "s.csv is empty", "expected a line of system names"),
        row("only a BOM", "\ufeff", "s.csv is empty", "expected a line of system names"),
        row("only blank lines", "\n\r\n \n", "s.csv is empty", "expected a line of sys"),
        row("only a header", HEAD, "s.csv has no topics", "a line of scores for each topic"),
        row(
            "header without systems",
            "topic\n301\n",
            "s.csv",
            "a column of topics and no scores",
            "commas or",
        ),
        row("blank first line", "\n" + GOOD, "s.csv, line 1 is empty", "names of the systems"),
        row("comment first", "# AP\n" + GOOD, "line 2 has 3 fields", "remove a title or a comment"),
        row("title first", "AP,,\n" + GOOD, "line 1 has no names for 2 columns", "remove a title"),
        row(
            "no header", "0.1,0.2\n0.3,0.4\n", "s.csv, line 1 has numbers ('0.2')", "line of names"
        ),
        row("no header, NA in it", "0.1,NA,0.2\n0.3,1,2\n", "line 1 has numbers ('NA', '0.2')"),
        row("no header, topic numbers", "301,0.1\n302,0.3\n", "line 1 has numbers ('0.1')"),
        row(
            "no header and said to have no topics",
            "1,0.2\n3,0.4\n",
            "s.csv, line 1 has numbers ('1', '0.2')",
            extra="--no-topic-column",
        ),
        row("system twice", "topic,a,b,a\n301,1,2,3\n", "system 'a' appears twice", "in column 4"),
        row("topic twice", GOOD + "301,1,1\n", "topic '301' appears twice", "line 2", "line 4"),
        row("system without a name", "topic,a,,c\n1,1,2,3\n", "s.csv, column 3: the system has no"),
        row("topic without a name", GOOD + " ,1,1\n", "s.csv, line 4: the topic has no name"),
        row("line of commas", GOOD + ",,\n", "s.csv, line 4: the topic has no name"),
        row("word", cell("x"), "'x'", *NOT_A_NUMBER),
        row("very long word", cell("x" * 9999), "'xxxxx", *NOT_A_NUMBER),
        row("decimal comma", cell("0,4"), "line 3", "'lsa'", "'0,4' has a comma", "such as 0.2731"),
        row("thousands", cell("1,000.5"), "line 3", "'1,000.5'", "expected a score"),
        row("underscore", cell("1_000"), "'1_000'", *NOT_A_NUMBER),
        row("hexadecimal", cell("0x1F"), "'0x1F'", *NOT_A_NUMBER),
        row("hexadecimal float", cell("0x1p-1"), "'0x1p-1'", *NOT_A_NUMBER),
        row("Arabic digits", cell("٠٫٤"), "'٠٫٤'", *NOT_A_NUMBER),
        row("full-width digits", cell("\uff10.\uff14"), *NOT_A_NUMBER),
        row("percent", cell("40%"), "'40%' has a percent sign; expected a score such as"),
        row("dash for missing", cell("-"), "'-'", *NOT_A_NUMBER),
        row("control character", cell("\x1b[1m"), r"'\x1b[1m'", *NOT_A_NUMBER),
        row("NAN", cell("NAN"), "'NAN'", *NOT_FINITE),
        row("+nan", cell("+nan"), "'+nan'", *NOT_FINITE),
        row("inf", cell("inf"), "'inf'", *NOT_FINITE),
        row("-Infinity", cell("-Infinity"), "'-Infinity'", *NOT_FINITE),
        row("too large", cell("1e400"), "'1e400'", *NOT_FINITE),
        row("cell in several lines", cell("0.\n4"), r"'0.\n4'", "line 4", "is not a number"),
        row("word in a column of scores", "run1,run2\n0.1,1\nx,2\n", "line 3", "'run1'", "'x'"),
        row("short line", GOOD + "303,0.5\n", "line 4 has 2 fields, and the header has 3; expe"),
        row("long first line", HEAD + "1,1,2,3\n2,1,2\n", "line 2 has 4 fields, and the header"),
        row(
            "short line after row names without a header",
            "bm25,lsa\n301,0.1,0.2\n302,0.3\n",
            "line 3 has 2 fields, and the header has 2 and no field for the row names",
            "expected 3",
        ),
        row(
            "comma at the end of each line", "a,b\n1,2,\n3,4,\n", "every line but the first ends in"
        ),
        row("comma at the end of all", "topic,a,\n1,2,\n3,4,\n", "s.csv: the last column has no"),
        row("comma at the end, topics", HEAD + "301,1,2,\n", "line 2 has 4 fields, and the"),
        row("blank line inside", GOOD + "\n303,1,1\n", "s.csv, line 4 is empty, and", "expected 3"),
        row(
            "semicolons, a comma and a point",
            "topic;a;b\n1;0,5;0.5\n2;0,25;1\n",
            "s.csv has semicolons",
            "2 numbers with a decimal comma and 1 with a decimal point; expected one of them",
        ),
        row("semicolons, thousands", "topic;a\n1;1.014,5\n2;0,5\n", "'1.014,5' has a comma"),
        row("R's write.table", '"topic" "a"\n"x" 0.5\n', "s.csv has spaces", "R's write.csv"),
        row("row names of R", '"topic"\t"a"\n"1"\t"x"\t0.5\n', "line 2 has 3", "row.names"),
        row("bars, a decimal comma", "topic|a\n1|0,5\n2|0,25\n", "s.csv has vertical bars between"),
        row("spaces, a decimal comma", "topic a\n1 0,5\n2 0,25\n", "s.csv has spaces between its"),
        row(
            "pipes",
            GOOD.replace(",", "|"),
            "a column of topics and no scores",
            "separated by commas or tabs",
        ),
        row(
            "spaces",
            GOOD.replace(",", " "),
            "a column of topics and no scores",
            "separated by commas or tabs",
        ),
        row("UTF-16", GOOD.encode("utf-16"), "s.csv is text in UTF-16: iconv", "UTF-8"),
        row("UTF-16 without BOM", GOOD.encode("utf-16-le"), "s.csv, line 1 has a NUL", "in UTF-8"),
        row("Latin-1", cell("é").encode("latin-1"), "s.csv, line 3: byte 0xe9 is not UTF-8"),
        row("Latin-1, old Mac", cell("é").replace("\n", "\r").encode("latin-1"), "line 3: byte"),
        row("NUL", cell("\0"), "s.csv, line 3 has a NUL character"),
        row("quote not closed", GOOD + '"303,1,1\n304,1,1\n', "begins in line 4", "not closed?"),
        row("quote not closed in the header", '"' + GOOD, "begins in line 1", "not closed?"),
        row("text after a quote", GOOD + '"303"x,1,1\n', "begins in line 4", "',' expected after"),
        row("giant field", cell("9" * 140_000), "begins in line 3", "131072", "not closed?"),
        row("whole numbers first", "id,a\n301,1\n302,2\n", "'id'", "301 to 302", "--topic-column"),
        row("large whole numbers", "id,a\n1234567,1\n1234568,2\n", "from 1234567 to 1234568"),
        row("topics last", "a,topic\n0.1,301\n", "the column 'topic'", "--topic-column"),
        row(
            "row names and topics",
            '"","topic","a"\n"1",301,1\n',
            "column 'topic'",
            "row.names = FALSE",
        ),
        row("rows are topics", "topic,a\nq1,1\n", "'topic'", "only", extra="--systems-as-rows"),
        row("systems have no names", "a,b\n0.1,1\n", "no column of sy", extra="--systems-as-rows"),
        row("system numbers", "id,301\n1,1\n2,2\n", "system numbers", extra="--systems-as-rows"),
        row("no such topic column", GOOD, "no column 'query'", "lsa", extra="--topic-column query"),
        row("topic column twice", "t,t,a\n1,2,3\n", "twice", "'t'", extra="--topic-column t"),
        row(
            "missing",
            cell("NA"),
            "s.csv",
            "topic '302'",
            "system 'lsa'",
            "1 missing",
            "--missing omit, zero or drop_topic",
        ),
        row("missing by an empty cell", cell(""), "topic '302'", "system 'lsa'", "drop_topic"),
        row(
            "missing in each topic",
            HEAD + "1,NA,1\n2,1,NA\n",
            "s.csv",
            "every topic has a missing score",
            "leaves none",
            extra="--missing drop_topic",
        ),
        row(
            "one score left",
            HEAD + "1,NA,1\n",
            "s.csv: topic '1'",
            "normal needs at least 2",
            "there is 1",
            extra="--missing omit",
        ),
        row(
            "constant topic",
            HEAD + "301,1,2\n302,0.5,0.5\n",
            "s.csv: topic '302'",
            "are equal",
            "'limit'",
            extra="--constant raise",
        ),
    ],
)
def test_score_file_is_refused(
    sentence: Sentence, content: str | bytes | None, extra: list[str], fragments: tuple[str, ...]
) -> None:
    arguments = ["standardize", "s.csv", "--scheme", "normal", "-o", "OUT.csv"]
    message = sentence({"s.csv": content}, [*arguments, "--save-factors", "F.json", *extra])
    for fragment in fragments:
        assert fragment in message


def test_score_file_below_a_file_is_refused(sentence: Sentence) -> None:
    message = sentence({"s.csv": GOOD}, ["standardize", "s.csv/t.csv", "--scheme", "normal"])
    assert "s.csv/t.csv cannot be read: Not a directory" in message
