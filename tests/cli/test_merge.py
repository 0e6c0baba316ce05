"""``cdfscore merge``: what it writes and says, and what it refuses."""

import gzip
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cdfscore.retrieval import read_run
from cdfscore.retrieval.merging import (
    Samples,
    TermStatistics,
    cori,
    merge,
    round_robin,
    rrf,
    safe,
    selection_weights,
)
from cdfscore.retrieval.merging.sources import read_selection
from tests.cli.conftest import Files, Outcome, Run, Sentence, Write, cases, replaced

A = "1 Q0 a1 1 4.0 a\n1 Q0 a2 2 3.0 a\n1 Q0 a3 3 0.0 a\n2 Q0 a4 1 2.0 a\n2 Q0 a1 2 1.0 a\n"
B = "1 Q0 b1 1 0.5 b\n1 Q0 b2 2 0.25 b\n1 Q0 b3 3 0.0 b\n2 Q0 b3 1 7.0 b\n2 Q0 b1 2 6.0 b\n"
BROKER = "".join(
    f"{t} Q0 {d} 1 {5 - i} s\n" for t in "12" for i, d in enumerate(("a1", "b1", "a2"))
)
FILES: Files = {
    "a.run": A,
    "b.run": B,
    "w.csv": "topic,source,score\n1,a,0.5\n1,b,1\n2,a,1\n2,b,0.25\n",
    "stat.csv": "source,term,df,words\na,wing,30,20000\na,flow,100,20000\nb,flow,50,10000\n",
    "q.csv": "topic,text\n1,wing flow\n2,flow\n",
    "qrels": "1 0 a1 1\n2 0 b3 1\n",
    "broker.run": BROKER,
    "samples.csv": "source,document\na,a1\na,a2\nb,b1\n",
    "sizes.csv": "source,size\na,40\nb,30\n",
}
CORI = "--weights cori --statistics stat.csv --queries q.csv"
SAFE = "--method safe --sample-run broker.run --samples samples.csv --sizes sizes.csv"


@pytest.fixture
def merged(cdfscore: Run, write: Write) -> Callable[..., Outcome]:
    """Merge the two runs."""

    def run(*arguments: str, stdin: bytes = b"", runs: tuple[str, ...] = ("a.run", "b.run")) -> Any:
        write(FILES)
        out = cdfscore("merge", *runs, *arguments, stdin=stdin)
        assert out.status == 0, out.err
        return out

    return run


def test_a_merged_run(merged: Run, tmp_path: Path) -> None:
    found = merged()
    assert found.out == (
        "1 Q0 b1 1 1.0 merged\n1 Q0 a1 2 1.0 merged\n1 Q0 a2 3 0.75 merged\n"
        "1 Q0 b2 4 0.5 merged\n1 Q0 b3 5 0.0 merged\n1 Q0 a3 6 0.0 merged\n"
        "2 Q0 b3 1 1.0 merged\n2 Q0 a4 2 1.0 merged\n2 Q0 b1 3 0.0 merged\n2 Q0 a1 4 0.0 merged\n"
    )
    assert found.err == (
        "cdfscore: 8 of 10 documents have the same score as another document of their topic, and "
        "are ordered by descending document id, as in trec_eval: most of the order is "
        "arbitrary\ncdfscore: in 2 of 2 topics several documents (up to 2) share the highest "
        "score: they are ordered by their ids, which affects measures of the first ranks, such as "
        "P@10\n"
    )
    merged("-o", "out.run", "--run-id", "mine")
    assert (tmp_path / "out.run").read_text() == found.out.replace("merged", "mine")
    assert read_run(tmp_path / "out.run").system == "mine"


def test_every_option_is_that_of_python(merged: Run, tmp_path: Path) -> None:
    merged()
    paths = [tmp_path / "a.run", tmp_path / "b.run"]
    statistics = TermStatistics.of(
        {"a": {"wing": 30, "flow": 100}, "b": {"flow": 50}}, {"a": 20_000, "b": 10_000}
    )
    selection = cori(statistics, {"1": "wing flow", "2": "flow"})
    weights = read_selection(tmp_path / "w.csv")
    inf = float("inf")
    ways: dict[str, Any] = {
        "--normalize z --depth 2": merge(paths, "z", depth=2),
        "--normalize sum --keep 1": merge(paths, "sum", keep=1),
        "--normalize empirical --constant half --depth 1": merge(
            paths, "empirical", constant="half", depth=1
        ),
        "--weights w.csv": merge(paths, weights=weights),
        "--weights w.csv --lambda 0.7": merge(paths, weights=selection_weights(weights, 0.7)),
        "--weights w.csv --lambda inf": merge(paths, weights=selection_weights(weights, inf)),
        CORI: merge(paths, weights=selection_weights(selection, 0.4)),
        f"{CORI} --lambda 5": merge(paths, weights=selection_weights(selection, 5)),
        "--method round_robin --depth 2": round_robin(paths, depth=2),
        "--method rrf --k 1 --keep 3": rrf(paths, 1, keep=3),
    }
    for typed, expected in ways.items():
        assert merged(*typed.split()).out.encode() == b"".join(expected.encoded()), typed


def test_safe_from_files(cdfscore: Run, write: Write) -> None:
    documents = [f"a{i}" for i in range(1, 7)]
    run = {d: 9.0 - i for i, d in enumerate(documents)}
    broker = {"a1": 5.0, "a2": 3.0, "a4": 1.0}
    write(
        {
            "a.run": "".join(f"1 Q0 {d} 0 {s} a\n" for d, s in run.items()),
            "s.run": "".join(f"1 Q0 {d} 0 {s} s\n" for d, s in broker.items()),
            "samples.csv": "source,document\na,a1\na,a2\na,a4\n",
            "sizes.csv": "source,size\na,40\n",
        }
    )
    out = cdfscore("merge", "a.run", *replaced(SAFE.split(), ["--sample-run", "s.run"]))
    expected = safe({"a": {"1": run}}, {"1": broker}, Samples.of({"a": list(broker)}, {"a": 40}))
    assert (out.status, out.out.encode()) == (0, b"".join(expected.encoded()))


def test_lambda_is_chosen_by_judgments(merged: Run) -> None:
    own = ["--weights", "w.csv", "--lambda", "cv", "--qrels", "qrels", "--measure", "RR"]
    found = merged(*own)
    assert (
        "cdfscore: lambda is chosen for each topic by the mean over all other judged topics: "
        in found.err
    )
    assert merged(*own, runs=("-", "b.run"), stdin=A.encode()) == found
    compressed = gzip.compress(B.encode())
    assert merged(*own, runs=("a.run", "-"), stdin=compressed) == found


def test_names_of_sources(merged: Run) -> None:
    found = merged("--duplicates", "best", runs=("x=a.run", "y=a.run"))
    assert (
        "cdfscore: 5 documents in the lists of several sources: each is kept once, with"
        in found.err
    )
    assert merged(runs=("x=a.run", "b.run"), stdin=b"").out == merged().out


@pytest.mark.parametrize(
    ("words", "said"),
    cases(
        """
        --method fuse | --method fuse is not accepted; expected one of merge, safe, round
        --normalize no | there is no scheme 'no'
        --normalize z --constant half | --constant half is defined for a cdf, not fo
        --constant nan | --constant nan is not accepted; expected one of limit
        --unfitted nan | --unfitted nan is not accepted; expected one of raise
        --duplicates x | --duplicates x is not accepted; expected one of refuse, best, sum
        --depth 0 | --depth 0 is not accepted; expected a whole number of at least 1, or al
        --depth 2.5 | --depth 2.5 is not accepted
        --depth nan | --depth nan is not accepted
        --depth ten | --depth ten is not accepted
        --keep 0 | --keep 0 is not accepted; expected a whole number of at least 1
        --method rrf --k -1 | --k -1.0 is not accepted; expected a number of at least
        --method rrf --k nan | --k nan is not accepted
        --lambda 0.4 | --lambda 0.4 needs scores of resource selection; expected --weights FILE or
        --weights w.csv --lambda x | --lambda x is not accepted; expected a number o
        --weights w.csv --lambda -1 | --lambda -1.0 is not accepted; expected a numb
        --weights w.csv --lambda nan | --lambda nan is not accepted
        --weights w.csv --lambda cv | --lambda cv needs --qrels; expected --qrels with it
        --qrels qrels | --qrels is for --lambda cv; expected both, or neither
        --measure AP | --measure is for --lambda cv; expected both, or neither
        --weights cori | --weights cori needs --statistics; expected --statistics, --
        --queries q.csv | --queries is for --weights cori; expected both, or neither
        --weights cori --statistics stat.csv | --weights cori needs --queries; expected
            --statistics, --queries with
        --method safe | --method safe needs --sample-run; expected --sample-run, --sam
        --method safe --sample-run broker.run --samples samples.csv | --method safe needs --sizes;
            expected --sample-run, --samples, --sizes
        --samples samples.csv | --samples is not accepted with --method merge; expected --
        --method rrf --normalize z | --normalize is not accepted with --method rrf; e
        --method safe --sample-run broker.run --samples samples.csv --sizes sizes.csv --constant
            half | --constant is not accepted with --method safe; expected --
        --method safe --sample-run broker.run --samples samples.csv --sizes sizes.csv --weights
            w.csv | --weights is not accepted with --method safe
        --method round_robin --unfitted raise | expected --method merge or safe, or no
        --weights w.csv --lambda cv --qrels q --measure map | 'map' is not
        -o a.run | --out would overwrite RUN 1, a.run; expected different files
        --weights w.csv -o w.csv | --out would overwrite --weights, w.csv; expected d
        -o out.csv | --out: out.csv ends in '.csv'; expected
        -o no/out.run | no/out.run cannot be written: there is no
        --weights - | RUN 3 and --weights are both standard input; expected one at most
        - | RUN 3 and RUN 4 are both standard input; expected one at most
        =a.run | '=a.run' is not accepted; expected a file, or NAME=FILE
        """
    ),
)
def test_arguments_are_refused_before_a_file_is_read(
    sentence: Sentence, words: str, said: list[str]
) -> None:
    third = ["-"] if "-" in words.split() else []
    message = sentence({}, ["merge", "a.run", "b.run", *third, *words.split()])
    assert said[0] in message


DUPLICATE = A.replace("a2", "b1")


@pytest.mark.parametrize(
    ("files", "arguments", "fragment"),
    [
        ({}, "none.run", "none.run cannot be read: No such file"),
        ({"folder": None}, "folder", "folder cannot be read: Is a directory"),
        ({}, "a.run", "a.run is given twice, both times as the run of the source 'a'; expected a"),
        ({"c.run": A}, "c.run", "a.run and c.run have lists of the source 'a'; expected a diff"),
        (
            {"c.run": DUPLICATE.replace(" a\n", " c\n")},
            "c.run",
            "topic '1': document 'a1' is in the lists of the sources 'a', 'c'; expected each "
            "document in one list, or --duplicates best, sum or mnz",
        ),
        ({"c.run": "1 Q0 x 1 1 c\n"}, "c.run --normalize z", "source 'c', topic '1': z ne"),
        ({"c.run": "1 Q0 x 1 1 c\n"}, "c.run --constant raise", "source 'c', topic '1': al"),
        ({}, "--normalize beta", "source 'a', topic '1': a reference score is 4.0, and beta"),
        ({}, "--normalize z --weights w.csv", "--normalize z gives scores below 0, such"),
        ({}, "--run-id 'a b'", "the run id 'a b' is empty or has a space, which ends a column"),
        ({}, "--run-id ''", "the run id '' is empty or has a space"),
        ({}, "--run-id 'a b' -o OUT.run", "the run id 'a b' is empty or has a space"),
        ({"w.csv": "topic,source,score\n1,a,1\n"}, "--weights w.csv", "the weights lack sour"),
        ({"q.csv": "topic,text\n1,x\n"}, CORI, "no word of any query is a term of a source; expec"),
        (
            {"sizes.csv": "source,size\na,1\nb,9\n"},
            SAFE,
            "samples.csv with sizes.csv: source 'a' h",
        ),
        (
            {"samples.csv": "source,document\na,a1\nb,b3\n"},
            SAFE,
            "broker.run: document 'b1' is in no sam",
        ),
        (
            {},
            SAFE,
            "source 'a', topic '1': a line needs 3 sampled documents with ranks and there are",
        ),
        ({"qrels": "9 0 x 1\n"}, "--weights w.csv --lambda cv --qrels qrels", "qrels"),
    ],
)
def test_files_are_refused(sentence: Sentence, files: Files, arguments: str, fragment: str) -> None:
    assert fragment in sentence(
        {**FILES, **files}, ["merge", "a.run", "b.run", *shlex.split(arguments)]
    )
