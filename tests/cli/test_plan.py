"""cdfscore plan: files, and what is refused."""

import json
from pathlib import Path

import pytest

from cdfscore import write_scores
from cdfscore.models import plan
from tests.cli.conftest import Run, Sentence
from tests.models.pilots import pilot_scores

FRAME = pilot_scores(40, 5)
GOAL = "paired_t:difference=0.3"
SMALL = "topic,a,b,c\n1,0.1,0.3,0.2\n2,0.4,0.5,0.1\n3,0.3,0.1,0.6\n"


@pytest.fixture
def scores(tmp_path: Path) -> None:
    write_scores(FRAME, tmp_path / "s.csv")
    write_scores(FRAME.iloc[:30] * 2, tmp_path / "p.csv")


@pytest.mark.usefixtures("scores")
def test_the_curve_is_written_and_the_answer_is_told(cdfscore: Run, tmp_path: Path) -> None:
    found = plan(FRAME, GOAL, check=100, seed=2)
    status, out, err = cdfscore(
        *f"plan s.csv --goal {GOAL} --check 100 --seed 2 -o c.json --plot c.svg".split()
    )
    assert (status, out) == (0, "")
    assert err.splitlines() == [f"cdfscore: {each}" for each in (found.answer, *found.notes)]
    content = json.loads((tmp_path / "c.json").read_text())
    assert content["answer"] == found.answer
    assert content["goal"] == {"name": "paired_t", "difference": 0.3, "power": 0.8, "alpha": 0.05}
    assert content["pilots"] == [{"systems": 5, "topics": 40}]
    assert (content["topics"], content["power"]) == (found.topics, found.value)
    assert content["check"]["resamples"] == 100
    assert content["rows"] == found.curve.to_dict("records")
    assert (tmp_path / "c.svg").read_bytes().startswith(b"<?xml")


@pytest.mark.usefixtures("scores")
def test_options_are_those_of_python(cdfscore: Run) -> None:
    options = "--goal interval:width=0.5 --scheme normal --pilot p.csv --topics 9 --topics 4"
    _, out, err = cdfscore("plan", "s.csv", *options.split())
    found = plan(
        FRAME, "interval:width=0.5", scheme="normal", others=[FRAME.iloc[:30] * 2], topics=[9, 4]
    )
    first, second = found.curve["width"]
    assert out == f"topics,width\n9,{first!r}\n4,{second!r}\n"
    assert found.answer in err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--goal paired_t", "paired_t needs a value of difference; expected such as"),
        ("--goal paired", "there is no goal 'paired' (did you mean 'paired_t'?); expected depend"),
        (f"--goal {GOAL},power=2", "paired_t: power=2.0 is not accepted"),
        (f"--goal {GOAL} --check 9", "--check 9 is not accepted; expected a whole number from 100"),
        (f"--goal {GOAL} --seed -1", "--seed -1 is not accepted"),
        (f"--goal {GOAL} --topics 1", "--topics 1 is not accepted"),
        (f"--goal {GOAL} --plot c.txt", "--plot"),
        (f"--goal {GOAL} -o c.xlsx", "--out"),
        (f"--goal {GOAL} -o s.csv", "--out would overwrite SCORES, s.csv"),
        (f"--goal {GOAL} --pilot none.csv", "none.csv cannot be read"),
        (f"--goal {GOAL} --extra-topics drop", "needs --reference FILE or --factors FILE"),
        (f"--goal {GOAL} --drop-system b --drop-system c", "s.csv: the pilot has 1 systems on 3"),
        ("--goal paired_t:difference=1e-7", "s.csv: paired_t: a power of 0.8 needs more than 10"),
    ],
)
def test_what_is_refused(refused: Sentence, options: str, said: str) -> None:
    message = refused({"s.csv": SMALL}, ["plan", "s.csv", *options.split()])
    assert said in message
    assert "Traceback" not in message


def test_missing_scores_are_refused_under_omit(sentence: Sentence) -> None:
    holes = SMALL.replace("0.5", "")
    message = sentence({"s.csv": holes}, ["plan", "s.csv", "--goal", GOAL, "--missing", "omit"])
    assert message == (
        "cdfscore: s.csv: the pilot lacks 1 of 9 scores; expected a score of every system on every "
        "topic, for example by --missing zero or drop_topic\n"
    )


def test_pilots_of_two_measures_are_not_pooled(refused: Sentence) -> None:
    rows = [f"{s},{t},{m},0.{t}{len(s)}" for m in ("ap", "rr") for s in ("a", "bb") for t in (1, 2)]
    files = {
        f"{name}.csv": "\n".join(["system,topic,measure,score", *(r for r in rows if name in r)])
        for name in ("ap", "rr")
    }
    message = refused(files, ["plan", "ap.csv", "--goal", GOAL, "--pilot", "rr.csv"])
    assert "ap" in message
    assert "rr" in message
    assert "measure" in message
