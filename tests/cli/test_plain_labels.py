"""Labels that a spreadsheet would run, in what commands write, and the option to leave them."""

import csv
import io
import shlex
from pathlib import Path

import pytest

from cdfscore.common.text import number
from tests.cli.conftest import Files, Run, Write
from tests.commands import commands

#: Two systems and a topic that a spreadsheet would run.
SCORES = (
    "topic,=1+1,@b,c\n-t1,0.1,0.2,0.4\n2,0.4,0.5,0.1\n3,0.3,0.9,0.2\n4,0.5,0.1,0.3\n5,0.2,0.7,0.6\n"
)
FILES: Files = {
    "s.csv": SCORES,
    "c.csv": "system,+f\n=1+1,-x\n@b,-y\nc,-x\n",
    "a.run": "-t1 Q0 d1 1 2.5 =a\n2 Q0 d2 1 1.5 =a\n",
    "q.txt": "-t1 0 d1 1\n2 0 d2 1\n",
}
MODEL = "model s.csv --formula 'score ~ topic + `+f`' --components c.csv"
COMMANDS = (
    "standardize s.csv --scheme normal -o o.csv",
    "standardize s.csv --scheme normal -o o.tsv",
    "compare s.csv --test tukey_hsd --letters o.csv -o p.csv",
    "compare s.csv --test paired_t -o o.csv",
    "diagnose s.csv --scheme normal --bootstrap 0 -o o.csv",
    f"{MODEL} -o o.csv",
    f"{MODEL} --means `+f` --contrasts o.csv",
    "measure a.run --qrels q.txt --measure AP -o o.csv",
    "measure a.run --qrels q.txt --measure AP --measure P@5 -o o.csv",
)


def texts(path: Path) -> list[str]:
    rows = csv.reader(
        io.StringIO(path.read_text(), newline=""), delimiter=",\t"[path.suffix == ".tsv"]
    )
    return [cell for row in rows for cell in row if number(cell) is None]


@pytest.mark.parametrize("typed", COMMANDS)
def test_no_label_is_run_and_the_option_leaves_it_as_it_is(
    cdfscore: Run, write: Write, tmp_path: Path, typed: str
) -> None:
    write(FILES)
    words = shlex.split(typed)
    out = tmp_path / ("o.tsv" if "o.tsv" in words else "o.csv")
    assert cdfscore(*words).status == 0
    guarded = texts(out)
    assert [cell for cell in guarded if cell.startswith(("=", "+", "-", "@"))] == []
    assert cdfscore(*words, "--plain-labels").status == 0
    plain = texts(out)
    assert [cell for cell in plain if cell.startswith(("=", "+", "-", "@"))]
    assert [cell.removeprefix("'") for cell in guarded] == plain


def test_all_commands_that_write_tables_have_the_option() -> None:
    """All with an output as .csv, and the experiments; those of papers have files as published."""
    writing = {
        name
        for name, command in commands()
        for own in command.params
        if name.startswith("experiment ")
        or (own.name in ("out", "letters", "contrasts") and ".csv" in (own.help or ""))
    }
    having = {
        name for name, command in commands() for own in command.params if own.name == "plain_labels"
    }
    assert having == writing
