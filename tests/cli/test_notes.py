"""What a command says on stderr: each topic and score that a policy touched."""

import pytest

from tests.cli.conftest import Run, Write
from tests.noted import without_cautions

CONSTANT = "topic,a,b\n301,0.5,0.5\n302,0.1,0.2\n303,0,0\n"
MISSING = "topic,a,b,c\n301,NA,1,2\n302,1,2,3\n303,1,NA,NA\n"


@pytest.mark.parametrize(
    ("scores", "options", "notes"),
    [
        ("topic,a\n301,1\n", "raw", ["1 topic x 1 system of raw scores"]),
        (
            CONSTANT,
            "uniform:A=0.3",
            [
                "3 topics x 2 systems standardized by U-std (A 0.3)",
                "2 topics (301, 303) are constant in the reference: under the policy "
                "limit, U-std (A 0.3) gives 0 below their common score, 1/2 at it and 1 above it; "
                "the policy drop_topic leaves them out",
            ],
        ),
        (
            CONSTANT,
            "uniform --constant drop_topic",
            [
                "1 topic x 2 systems standardized by U-std",
                "2 topics (301, 303) are constant in the reference and dropped",
            ],
        ),
        (
            CONSTANT,
            "raw --constant drop_topic",
            [
                "1 topic x 2 systems of raw scores",
                "2 topics (301, 303) are constant in the reference and dropped",
            ],
        ),
        (
            CONSTANT,
            "normal --constant nan",
            [
                "3 topics x 2 systems standardized by N-std",
                "2 topics (301, 303) are constant in the reference: under the policy nan, N-std "
                "gives no score",
                "4 cells have no standardized score",
            ],
        ),
        (
            MISSING,
            "z --missing drop_topic",
            [
                "1 topic x 3 systems standardized by z-std",
                "2 topics (301, 303) are dropped for missing scores",
            ],
        ),
        (
            MISSING,
            "empirical --missing omit",
            [
                "3 topics x 3 systems standardized by E-std",
                "topic 303 is constant in the reference: E-std gives 0 below their common "
                "score and 1 at and above it; empirical:convention=mid gives 1/2 at it, and "
                "the policy drop_topic leaves it out",
                "3 missing scores are omitted",
                "3 cells have no standardized score",
            ],
        ),
        (
            MISSING,
            "minmax --missing zero",
            ["3 topics x 3 systems standardized by minmax", "3 missing scores are taken as 0"],
        ),
        (
            "topic,a,b\n" + "".join(f"{i},1,1\n" for i in range(301, 308)),
            "kernel",
            [
                "7 topics x 2 systems standardized by kernel",
                "7 topics (301, 302, 303, 304, 305, 306, 307) are constant in the reference: under "
                "the policy limit, kernel gives 0 below their common score, 1/2 at it and 1 above "
                "it; the policy drop_topic leaves them out",
            ],
        ),
    ],
)
def test_notes_on_a_matrix(cdfscore: Run, scores: str, options: str, notes: list[str]) -> None:
    arguments = ["standardize", "-", "--scheme", *options.split()]
    status, _, err = cdfscore(*arguments, stdin=scores.encode())
    assert status == 0
    assert without_cautions(err) == "".join(f"cdfscore: {note}\n" for note in notes)


@pytest.mark.parametrize(
    ("missing", "notes"),
    [
        (
            "zero",
            [
                "2 topics x 1 system standardized by z-std",
                "topic 301 is constant in the reference: under the policy limit, z-std gives "
                "-infinity below their common score, 0 at it and infinity above it; the policy "
                "drop_topic leaves it out",
                "1 missing reference score is taken as 0",
                "1 missing score is taken as 0",
                "1 standardized score is infinite",
            ],
        ),
        (
            "omit",
            [
                "2 topics x 1 system standardized by z-std",
                "topic 301 is constant in the reference: under the policy limit, z-std gives "
                "-infinity below their common score, 0 at it and infinity above it; the policy "
                "drop_topic leaves it out",
                "1 missing reference score is omitted",
                "1 missing score is omitted",
                "1 cell has no standardized score",
                "1 standardized score is infinite",
            ],
        ),
        (
            "drop_topic",
            ["1 topic x 1 system standardized by z-std", "topic 302 is dropped for missing scores"],
        ),
    ],
)
def test_notes_with_a_reference(
    cdfscore: Run, write: Write, missing: str, notes: list[str]
) -> None:
    reference = {
        "zero": "topic,r,s,t\n301,0,0,\n302,1,2,3\n",
        "omit": "topic,r,s,t\n301,0,0,\n302,1,2,3\n",
        "drop_topic": "topic,r,s,t\n301,0,0,1\n302,1,2,3\n303,1,2,\n",
    }
    write({"r.csv": reference[missing], "s.csv": "topic,new\n301,1\n302,NA\n"})
    arguments = ["standardize", "s.csv", "--scheme", "z", "--reference", "r.csv"]
    status, _, err = cdfscore(*arguments, "--missing", missing)
    assert status == 0
    assert without_cautions(err) == "".join(f"cdfscore: {note}\n" for note in notes)


HOSTILE = 'topic,"\x1b[31mred",b,c\n"3\n01",0.5,0.5,0.5\n302,0.1,0.2,0.4\n303,0.2,NA,0.7\n'
TELLING = {
    "standardize": "s.csv --scheme normal --missing omit",
    "standardize --leave-one-out": "s.csv --scheme normal --missing zero --constant raise",
    "apply": "F.json s.csv",
    "compare": "s.csv --scheme normal --test paired_t --missing omit --baseline \x1b[31mred",
    "diagnose": "s.csv --scheme gamma --bootstrap 0 --missing drop_topic",
    "verify": "s.csv --scheme normal --missing omit --script \x1b[31mred.R",
    "experiment within": "s.csv --scheme raw --size 2 --missing zero --trials 1 --out \x1b[31mred",
    "correlate": "s.csv s.csv --scheme normal --missing omit --constant raise",
}
REFUSED = ("standardize --leave-one-out", "correlate")  # an error is a line too


@pytest.mark.parametrize("command", TELLING)
def test_labels_cannot_write_to_the_terminal(cdfscore: Run, write: Write, command: str) -> None:
    write({"s.csv": HOSTILE})
    saved = cdfscore("standardize", *TELLING["standardize"].split(), "--save-factors", "F.json")
    assert saved.status == 0
    done = cdfscore(*command.split(), *TELLING[command].split(" "))
    assert done.status == (2 if command in REFUSED else 0), done.err
    assert "\x1b" not in done.err
    assert all(line.startswith("cdfscore: ") for line in done.err.splitlines())
    assert r"3\n01" in done.err or r"\x1b[31mred" in done.err, done.err
    if command in ("standardize", "apply", "compare"):
        assert r"opic 3\n01 is constant" in done.err
    if command in ("compare", "verify", "experiment within"):
        assert r"\x1b[31mred" in done.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("compare FILE", "line 2: task 'a topic', model 'system': the score is missing"),
        ("compare FILE --missing omit --baseline x", "the baseline 'x' is not a model of the"),
        ("standardize FILE --scheme z --missing omit --constant raise", "task 'b': all its ref"),
        (
            "apply factors.json FILE --missing omit",
            "3 of 3 tasks have no factors, such as 'a topic'",
        ),
        (
            "experiment between FILE --scheme raw --missing drop_topic --out out",
            "there are 2 tasks; expected 4 or more, 2 in each of the two samples",
        ),
    ],
)
def test_errors_say_models_and_tasks_where_the_header_of_the_scores_does(
    words: str, told: str, write: Write, cdfscore: Run
) -> None:
    """And systems and topics otherwise; names, options and files stay as they are."""
    table = "{},a topic,b,c\nsystem,,0.5,0.1\ny,0.3,0.5,0.2\nz,0.1,0.5,0.4\n"
    files = {"systems.csv": table.format("system"), "topics.csv": table.format("model")}
    write({**files, "f.csv": "topic,a,b\n301,1,2\n"})
    cdfscore("standardize", "f.csv", "--scheme", "z", "--save-factors", "factors.json")
    of_systems = told.replace("model", "system").replace("task", "topic")
    for name, expected in (("topics.csv", told), ("systems.csv", of_systems)):
        done = cdfscore(*words.replace("FILE", name).split())
        assert done.status == 2
        assert expected in done.err
    assert "topics.csv" in cdfscore("compare", "topics.csv").err
