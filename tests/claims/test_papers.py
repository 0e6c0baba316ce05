"""The tables of the papers name commands, clauses and tests that are there."""

from __future__ import annotations

import re
import shlex
import tarfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from cdfscore import Standardizer, datasets, save_factors
from cdfscore.standardization.formats import write_webber_moffat
from tests.claims import pages
from tests.cli.conftest import Outcome
from tests.cli.conftest import cdfscore as cdfscore
from validation.documentation.claims import is_there
from validation.documentation.clauses import clauses, object_of
from validation.documentation.marked import marked_tests

PAGE = "papers.md"
HEADINGS = re.findall(r"^## (.*)$", (pages.DOCS / PAGE).read_text(encoding="utf-8"), re.MULTILINE)
ROWS = [row for heading in HEADINGS for row in pages.table(PAGE, heading).values()]
COMMANDS = sorted({row["command"].strip("`") for row in ROWS})


@pytest.mark.parametrize("heading", HEADINGS)
def test_rows_are_different_and_complete(heading: str) -> None:
    lines = [line for line in pages.section(PAGE, heading).splitlines() if line.startswith("| ")]
    rows = pages.table(PAGE, heading)
    assert len(rows) == len(lines) - 2
    for said, row in rows.items():
        assert list(row)[1:] == ["command", "clause", "test"]
        assert all(row.values()), said


def test_clauses_are_there() -> None:
    named = {number for row in ROWS for number in re.findall(r"\[(.*?)\]", row["clause"])}
    assert len(named) > 60
    assert named <= {clause.number for clause in clauses()}
    assert all(re.fullmatch(r"\[[\w.]+\](, \[[\w.]+\])*", row["clause"]) for row in ROWS)


def test_a_clause_of_a_row_is_named_by_its_tests() -> None:
    """Tests in validation name no clause."""
    marked = marked_tests()
    for row in ROWS:
        tests = set(re.findall("`(.*?)`", row["test"]))
        named = {
            n for n in re.findall(r"\[(.*?)\]", row["clause"]) if tests & set(marked.get(n, []))
        }
        assert named or all(test.startswith("validation/") for test in tests), row


@pytest.mark.parametrize("test", sorted({each for row in ROWS for each in row["test"].split(", ")}))
def test_tests_are_there(test: str) -> None:
    assert "::" in test
    assert is_there(test.strip("`"))


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_are_there(command: str, cdfscore: Callable[..., Outcome]) -> None:
    """Each is read to the end: it then wants a file that is not in the empty folder."""
    name, *arguments = shlex.split(command)
    if name != "cdfscore":
        assert callable(object_of(command))
        return
    done = cdfscore(*arguments)
    if arguments == ["schemes"]:
        assert done.status == 0
        return
    assert done.status == 2
    said = "the published scores|that the authors published" if "reproduce" in command else ""
    assert re.search(said or "cannot be read: No such file", done.err), done.err


def run_of(name: str, documents: dict[int, str]) -> str:
    """Return a run with these documents of each topic, the best first."""
    return "".join(
        f"{topic} Q0 {document} {rank} {9 - 2 * rank} {name}\n"
        for topic, listed in documents.items()
        for rank, document in enumerate(listed.split(), 1)
    )


RUNS = {
    "a.run": run_of("a", {1: "a1 a2 a3", 2: "a4 a1 a2"}),
    "b.run": run_of("b", {1: "b1 b2 b3", 2: "b3 b1 b2"}),
    "samples.run": run_of("s", {1: "a1 b1 a2 b2 a4 b3", 2: "b3 a4 b1 a1 b2 a2"}),
    "qrels.txt": "1 0 a1 1\n1 0 b2 2\n2 0 b3 1\n2 0 b1 0\n",
    "weights.csv": "topic,source,score\n1,a,0.5\n1,b,1\n2,a,1\n2,b,0.25\n",
    "statistics.csv": "source,term,df,words\na,wing,30,20000\na,flow,100,20000\nb,flow,50,10000\n",
    "queries.csv": "topic,text\n1,wing flow\n2,flow\n",
    "samples.csv": "source,document\na,a1\na,a2\na,a4\nb,b1\nb,b2\nb,b3\n",
    "sizes.csv": "source,size\na,4\nb,3\n",
}


def write_files(folder: Path) -> None:
    """Write small files of the names in the commands."""
    for name, text in RUNS.items():
        (folder / name).write_text(text)
    (folder / "merged.run").write_text(RUNS["a.run"])
    ap = datasets.load_cranfield("ap").iloc[:, ::8]
    collections = {f"T{name}": ap.iloc[30 * i : 30 * i + 30] for i, name in enumerate("78")}
    collections |= {"T03": ap.iloc[60:90], "T04": ap.iloc[90:120], "scores": ap.iloc[:120]}
    by_z = {name: Standardizer("normal").fit_transform(collections[f"T{name}"]) for name in "78"}
    t8 = collections["T8"]
    same: dict[str, pd.DataFrame] = {
        **dict.fromkeys(("new", "original", "sp", "by_original", "b"), t8),
        **dict.fromkeys(("by_current", "y8"), by_z["8"]),
        **dict.fromkeys(("standardized", "y7"), by_z["7"]),
        "a": collections["T7"],
    }
    for name, scores in (collections | same).items():
        scores.to_csv(folder / f"{name}.csv", index_label="topic")
    for name, scores in [("f7", collections["T7"]), ("f8", t8), ("factors", t8)]:
        save_factors(Standardizer("normal").fit(scores, measure="AP"), folder / f"{name}.json")
    published = [Standardizer("normal").fit(t8, measure=measure) for measure in ("AP", "SP")]
    write_webber_moffat(published, folder / "means.csv", folder / "sds.csv")
    with tarfile.open(folder / "factors.tar.gz", "w:gz") as tar:
        for track in ("T7", "T8"):
            for name in ("means.csv", "sds.csv"):
                tar.add(folder / name, f"{track}.{name}")


@pytest.mark.long
@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize(
    "command",
    [each for each in COMMANDS if each.startswith("cdfscore ") and "reproduce" not in each],
)
def test_commands_run(command: str, cdfscore: Callable[..., Outcome], tmp_path: Path) -> None:
    write_files(tmp_path)
    done = cdfscore(*shlex.split(command)[1:])
    assert done.status == 0, done.err
