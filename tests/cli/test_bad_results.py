"""Output of trec_eval and its kin, long tables and leaderboards that are refused, in a sentence."""

import json

import pytest

from tests.cli.conftest import Files, Sentence

TREC = "map\t1\t0.2000\nmap\t2\t0.4000\nmap\tall\t0.3000\n"
TWO = "map\t1\t0.2\nP_5\t1\t0.4\nmap\t2\t0.3\nP_5\t2\t0.1\n"
IR = "1\tAP\t0.2\n2\tAP\t0.4\n"
LONG = "topic,system,score\n1,a,0.1\n1,b,0.2\n2,a,0.3\n2,b,0.4\n"
BOARD = "model,t1,t2,t3\nm1,0.1,0.2,0.4\nm2,0.4,0.3,0.1\nm3,0.2,0.9,0.6\n"
JSON = json.dumps({"1": {"map": 0.5, "P_5": 0.2}, "2": {"map": 0.25, "P_5": 0.4}})


def blocks(*names: str) -> str:
    return "".join(TREC.replace("map\tall", f"runid\tall\t{n}\nmap\tall") for n in names)


def board(header: str, *cells: str) -> str:
    lines = BOARD.splitlines()
    return "".join(f"{a},{b}\n" for a, b in zip(lines, [header, *cells], strict=True))


MAKES = "compute the scores of runs by 'cdfscore measure RUN --qrels QRELS --measure AP', or"


def row(name: str, content: str | bytes, *fragments: str, extra: str = ""):
    return pytest.param(content, extra.split("|") if extra else [], fragments, id=name)


@pytest.mark.clause("read_scores.1", "read_scores.3")
@pytest.mark.parametrize(
    ("content", "extra", "fragments"),
    [
        # trec_eval
        row("several measures", TWO, "s.eval has scores of 2 measures: map, P_5", "--measure map"),
        row(
            "no such measure", TWO, "no measure 'mpa' (did you mean 'map'?)", extra="--measure|mpa"
        ),
        row(
            "a measure of all",
            blocks("x") + "num_q\tall\t2\n",
            "one number for all topics as num",
            extra="--measure|num_q",
        ),
        row(
            "without -q",
            "runid\tall\tx\nmap\tall\t0.3\n",
            "only the topic 'all'",
            "trec_eval with -q",
        ),
        row(
            "another mean",
            TREC.replace("0.3000", "0.3500"),
            "s.eval, line 3",
            "not the mean of the 2",
            "which is 0.3",
            "off by 0.05",
        ),
        row(
            "another sum",
            "num_ret\t1\t5\nnum_ret\t2\t6\nnum_ret\tall\t12\n",
            "not the sum of the 2",
        ),
        row(
            "not a number",
            TREC.replace("0.4000", "0,4"),
            "s.eval, line 2, topic '2'",
            "'0,4' is not",
        ),
        row("nan", TREC.replace("0.4000", "nan"), "s.eval, line 2", "'nan' is not finite"),
        row("underscore", TREC.replace("0.4000", "0_4"), "s.eval, line 2", "'0_4' is not a number"),
        row(
            "two fields",
            TREC + "map\t3\n",
            "s.eval, line 4 has 2 fields; expected 3: measure, topic",
        ),
        row(
            "a score twice",
            "map\t1\t0.1\n" + TREC,
            "s.eval, line 2, topic '1', measure 'map'",
            "given before, in line 1",
        ),
        row("no topic", "map\t1\t0.1\nmap\t \t0.1\n", "s.eval, line 2: the topic has no name"),
        row("no measure", "map\t1\t0.1\n\t2\t0.1\n", "s.eval, line 2: the measure has no name"),
        row(
            "a run twice",
            blocks("x", "x"),
            "s.eval, line 5, topic '1', system 'x', measure 'map': this score was given before",
            "in line 1",
        ),
        row(
            "runs without names",
            TREC + TREC,
            "lines of 2 runs without their names",
            "runid all NAME",
        ),
        row(
            "a run without a name",
            blocks("x") + TREC,
            "line 5: the lines of a run begin",
            "one file for each",
        ),
        row(
            "not UTF-8", b"map\t1\t0.1\nmap\t2\t0.\xff\n", "s.eval, line 2: byte 0xff is not UTF-8"
        ),
        row("one system left out", blocks("x"), "all scores are", extra="--drop-system|x"),
        row(
            "unknown topic left out",
            blocks("x"),
            "has no topic '9', which is to be left out",
            "--drop-topic (1, 2, all)",
            extra="--drop-topic|9",
        ),
        row(
            "no known measure",
            "x\t1\t0.5\nx\t2\t0.6\n",
            "s.eval, line 1 does not say whether 'x' or '1' is a measure",
            "--measure x or --measure 1, or, if it is a header, name",
        ),
        # ir_measures
        row(
            "ir_measures without -q",
            "AP\t0.3\nP@5\t0.2\n",
            "one number for each measure",
            "as with -q",
        ),
        row(
            "ir_measures, all alone",
            "all\tAP\t0.3\n",
            "only the topic 'all'",
            "ir_measures with -q",
        ),
        row(
            "ir_measures, a word", IR.replace("0.4", "x"), "s.eval, line 2, topic '2'", "'x' is not"
        ),
        row("ir_measures, another mean", IR + "all\tAP\t0.5\n", "line 3", "not the mean", "0.3"),
        # long tables
        row(
            "long, a word",
            LONG.replace("0.3", "x"),
            "s.eval, line 4, topic '2', system 'a': 'x'",
            "or NA where it is missing",
        ),
        row("long, inf", LONG.replace("0.3", "inf"), "line 4", "'inf' is not finite"),
        row(
            "long, twice", LONG + "2,a,0.3\n", "line 6, topic '2', system 'a'", "before, in line 4"
        ),
        row("long, short line", LONG + "3,a\n", "line 6 has 2 fields, and the header has 3"),
        row("long, no system", LONG + "3,,0.1\n", "s.eval, line 6: the system has no name"),
        row("long, no topic", LONG + ",a,0.1\n", "s.eval, line 6: the topic has no name"),
        row("long, header alone", "topic,system,score\n", "s.eval has no scores"),
        row("long, another column", "topic,system,score,k\n1,a,0.1,5\n", "also the column 'k'"),
        row(
            "long, two of topics",
            "topic,qid,system,score\n1,1,a,0.1\n",
            "2 columns of topics",
            "'topic', 'qid'",
            "--topic-column",
        ),
        row(
            "long, several measures",
            "topic,system,measure,score\n1,a,x,1\n1,a,y,1\n",
            "scores of 2 measures: x, y",
            "--measure x",
        ),
        # JSON
        row("JSON, not whole", JSON[:-1], "s.eval, line 1, column", "expected JSON"),
        row("JSON, several measures", JSON, "scores of 2 measures: map, P_5"),
        row(
            "JSON of words",
            JSON.replace("0.25", '"x"'),
            "'2', 'map': \"x\" is not a number",
            extra="--measure|map",
        ),
        row("JSON of NaN", JSON.replace("0.25", "NaN"), "NaN is not finite", extra="--measure|map"),
        row(
            "JSON, too large",
            JSON.replace("0.25", "1e999"),
            "'inf' is not finite",
            extra="--measure|map",
        ),
        row("JSON of a list", "[1, 2]", "s.eval has JSON of another form; expected {"),
        row(
            "JSON of a list with a number", '[{"qid": "1", "score": 1}, 2]', "record 2 is not like"
        ),
        row(
            "factors", '{"format": "cdfscore factors", "topics": {}}', "s.eval is a file of factors"
        ),
        row("JSON, flat", '{"map": 0.5}', "JSON of another form", "expected {"),
        row("JSON, empty", "{}", "JSON of another form"),
        row("JSON, a key twice", '{"1": {"map": 1, "map": 2}}', "the key 'map' is there twice"),
        row(
            "JSON, unknown names",
            '{"1": {"x": 1}}',
            "does not say what '1' and 'x' are: no name is known as a measure, or every name is",
            "say --topics-as-rows if they are a topic and a system or --measure x if",
        ),
        row(
            "JSON, names everywhere", '{"P_5": {"map": 1}}', "does not say what 'P_5' and 'map' are"
        ),
        row(
            "JSON lines, a hole",
            '{"qid": "1", "score": 1}\n{"qid": "2"}\n',
            "line 2 is not like the",
        ),
        row("JSON lines, no topic", '{"qid": null, "score": 1}\n', "line 1: the topic has no name"),
        row(
            "JSON, measures as rows",
            JSON,
            "has measures such as 'map' as inner keys, of one system; expected --systems-as-rows",
            'only for {"system": {"topic": score}}',
            extra="--systems-as-rows",
        ),
        row(
            "JSON by system and topic",
            '{"bm25": {"301": 1}, "lsa": {"301": 2}}',
            "say --systems-as-rows if they are a system and a topic or --measure bm25 if they are",
        ),
        row(
            "JSON in three levels",
            '{"bm25": {"301": {"map": 1, "P_5": 0.2}}}',
            "s.eval has dictionaries in three levels, as at 'bm25' and '301'; expected two",
            'for one system or one measure: {"topic": {"measure": score}}, ',
        ),
        row(
            "runs of whole numbers beside measures",
            "topic,run,ap,ndcg\n1,1,.1,.2\n1,2,.3,.2\n2,1,.1,.2\n2,2,.3,.2\n",
            "s.eval has the column 'run' of whole numbers, which are labels of systems in a table",
            "expected names with a letter",
        ),
        row(
            "JSON of words alone",
            '{"x": {"y": 1}}',
            "--systems-as-rows if they are a system and a topic, --topics-as-rows if they are a",
            "--measure x if they are a measure and a topic or --measure y if they are a topic and",
        ),
        # runs and qrels
        *(
            row(f"{what} by {name}", lines.replace(" ", by), f"s.eval is {is_what} (topic, ", MAKES)
            for name, by in (("spaces", " "), ("tabs", "\t"))
            for what, lines, is_what in (
                ("a run", "301 Q0 d7 1 2.5 bm25\n301 Q0 d2 2 1.5 bm25\n", "a run"),
                ("a run of numbers", "1 Q0 51 1 2.5 7\n1 Q0 2 2 1.5 7\n", "a run"),
                ("a run with more", "301 Q0 d7 1 2.5 bm25 x\n", "a run"),
                ("qrels", "301 0 d2 1\n301 0 d7 0\n", "a file of qrels"),
                ("qrels of numbers", "1 0 51 -1\n1 0 7 0\n", "a file of qrels"),
                ("four columns", "301 d2 1 9.5\n301 d1 2 8\n", "a run"),
                ("four columns of numbers", "1 51 1 9\n1 7 2 8\n", "a run"),
            )
        ),
        row("commas", "301,Q0,d2,1,9,x\n", "s.eval is a run (topic, Q0, document, rank, sc", MAKES),
        row("BEIR", "query-id\tcorpus-id\tscore\n1\td\t1\n", "qrels (query-id, corpus-id", MAKES),
        row("pyterrier", "qid,docno,rank,score,run\n1,d,1,2,x\n", "a run or a file of", MAKES),
        # measures in columns
        row(
            "several columns of scores",
            "topic,system,ap,ndcg\n1,a,.1,.2\n1,b,.3,.2\n",
            "s.eval has scores of 2 measures: ap, ndcg; choose one by --measure, as in --m",
        ),
        row(
            "two columns of a measure",
            "topic,system,ap,ap\n1,a,.1,.2\n1,b,.3,.2\n",
            "s.eval: measure 'ap' appears twice, in column 3 and in column 4; expected every",
        ),
        row(
            "no such column",
            "topic,system,ap\n1,a,.1\n1,b,.3\n",
            "s.eval has no measure 'app' (did you mean 'ap'?); it has ap",
            extra="--measure|app",
        ),
        row(
            "a word in the column",
            "topic,system,ap,ndcg\n1,a,.1,.2\n1,b,x,.2\n",
            "s.eval, line 3, topic '1', system 'b', measure 'ap': 'x' is not a number",
            extra="--measure|ap",
        ),
        # rows under a header that says nothing of them
        *(
            row(
                f"rows headed {header}",
                BOARD.replace("model", header),
                "s.eval: the header ",
                "say --topics-as-rows if they are topics",
                "or --systems-as-rows if they are systems",
            )
            for header in ("name", "Entry", "Participant", "entrant")
        ),
        row(
            "rows of an unknown header beside words",
            board("License", "MIT", "x", "y").replace("model", "name"),
            "the header 'name' of the row labels does not say whether they are topics or systems",
        ),
        # leaderboards
        row(
            "no tasks",
            board("RTFx,Model size", "-1,2", "3,4", "5,6"),
            "columns 'RTFx' (-1 may mean unknown, all others are at least 0) and 'Model size' (by",
            "by --drop-topic RTFx --drop-topic 'Model size'",
            "by --keep-topic RTFx --keep-topic 'Model size'",
        ),
        row(
            "a rank",
            board("rank", "1", "2", "3"),
            "column 'rank' (by its name, rank) may not be a task;",
        ),
        row(
            "no average",
            board("Average", "0.9", "0.9", "0.1"),
            "the column 'Average' has the name of a",
            "not the mean of the other 3 columns for 3 of 3 models",
            "--drop-topic Average",
            "--keep-topic Average",
        ),
        row(
            "a percent sign",
            board("acc", "1%", "2%", "3%"),
            "line 2, column 'acc': '1%' has a perc",
        ),
        row(
            "words to keep",
            board("note", "x", "y", "z"),
            "column 'note': 'x' is not a number",
            extra="--keep-topic|note",
        ),
        row("one word", board("acc", "1", "x", "3"), "line 3, column 'acc': 'x' is not a number"),
        row(
            "a model twice",
            BOARD + "m1,1,1,1\n",
            "model 'm1' appears twice, in line 2 and in line 5",
        ),
        row(
            "models in the second column",
            "rank,model,t1\n1,m1,0.5\n2,m2,0.25\n",
            "the column 'model' would be read as scores, not as labels of systems",
            "--topic-column",
        ),
        row(
            "kept and left out",
            BOARD,
            "--keep-topic t1 and --drop-topic t1 exclude each other",
            extra="--keep-topic|t1|--drop-topic|t1",
        ),
        row("no task left", "model,Average\nm1,1\nm2,2\n", "only columns with names of summaries"),
    ],
)
def test_a_file_is_refused(
    sentence: Sentence, content: str | bytes, extra: list[str], fragments: tuple[str, ...]
) -> None:
    arguments = ["standardize", "s.eval", "--scheme", "normal", "-o", "OUT.csv"]
    message = sentence({"s.eval": content}, [*arguments, *extra])
    for fragment in fragments:
        assert fragment in message, message


@pytest.mark.clause("summary.5", "read_scores.5")
@pytest.mark.parametrize(
    ("files", "words", "fragments"),
    [
        (
            {"a.eval": TREC, "b": TREC},
            "a.eval a.eval",
            ["a.eval is given twice; expected each file"],
        ),
        (
            {"a.eval": blocks("x"), "b.eval": blocks("x")},
            "a.eval b.eval",
            ["system 'x' is in a.eval and in b.eval", "NAME=FILE on the command line"],
        ),
        ({"a.eval": TREC}, "=a.eval a.eval", ["'=a.eval' is not accepted", "NAME=FILE"]),
        ({"a.eval": TREC}, "x= a.eval", ["'x=' is not accepted"]),
        ({"a.csv": LONG}, "x=a.csv", ["a.csv has 2 systems, and 'x' is to be the name of one"]),
        ({"a.eval": TREC}, "x=none.eval", ["none.eval cannot be read: No such file"]),
        (
            {"a.eval": TREC},
            "runs/k=5/none.eval",
            ["runs/k=5/none.eval cannot be read: No such file"],
        ),
        (
            {"a.eval": TREC, "k=5": None},
            "k=5/none.eval",
            [" k=5/none.eval cannot be read: No such "],
        ),
        (
            {"a.eval": TREC, "b.eval": TREC.replace("map", "P_5")},
            "a.eval b.eval",
            ["a.eval has scores of map and b.eval of P_5; expected one measure of all"],
        ),
        (
            {"a.eval": TREC, "b.eval": TREC.replace("map", "P_5")},
            "a.eval --reference b.eval",
            ["a.eval has scores of map and b.eval of P_5"],
        ),
        (
            {"a.csv": "a\n0.1\n0.2\n", "b.eval": TREC},
            "a.csv b.eval --no-topic-column",
            ["a.csv has 2 topics without labels and b.eval has labels of topics"],
        ),
        (
            {"a.csv": "a,b\n0.1,0.2\n0.2,0.1\n", "b.csv": "c,d\n0.1,0.5\n"},
            "a.csv b.csv",
            ["a.csv has 2 topics without labels and b.csv has 1 topic without labels"],
        ),
        ({"a.eval": TREC}, "- a.eval -", ["SCORES, file 1 and SCORES, file 3 are both standard"]),
        ({"a.eval": TREC, "b.eval": TREC}, "a.eval b.eval -o b.eval", ["overwrite SCORES, file 2"]),
        ({}, "-", ["standard input does not name its system", "NAME=-"]),
        (
            {"a.csv": LONG, "b.csv": "topic,c\n1,0.5\n3,0.5\n"},
            "a.csv b.csv",
            ["a.csv and b.csv: ", "topic '2', system 'c': the score is missing", "--missing omit"],
        ),
        *(
            (
                {"a.csv": "topic,a,b\n1,0.5,0.2\n", "b.csv": "topic,c\n1,0.5\n"},
                f"a.csv b.csv {option}",
                [f"{option} is given, and a.csv, b.csv have a column for each system; expected it"],
            )
            for option in ("--replicate fold", "--score-column y", "--system-column s")
        ),
        *(
            (
                {"a.eval": TREC, "b.eval": TREC},
                f"a.eval b.eval {option}",
                [f"{option} is given, and a.eval, b.eval have a row for each score, as of trec_e"],
            )
            for option in ("--system-column s", "--replicate fold")
        ),
    ],
)
def test_several_files_are_refused(
    sentence: Sentence, files: Files, words: str, fragments: list[str]
) -> None:
    stdin = TREC.encode()
    message = sentence(files, ["standardize", "--scheme", "z", *words.split()], stdin=stdin)
    for fragment in fragments:
        assert fragment in message, message
