"""``cdfscore compare`` and ``cdfscore tests``."""

import csv
import io
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run, Sentence, Write

SCORES = (
    "topic,bm25,lsa,ql\n301,0.21,0.1,0.55\n302,0.3,0.15,0.61\n303,0.15,0.1,0.4\n"
    "304,0.4,0.2,0.7\n305,0.31,0.22,0.52\n"
)
REFERENCE = "topic,r1,r2,r3\n301,0,1,1\n302,0,1,2\n303,0,0,1\n304,0,1,3\n305,1,2,3\n"


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_a_row_a_pair_on_standard_output(cdfscore: Run, write: Write) -> None:
    write({"s.csv": SCORES})
    status, out, err = cdfscore("compare", "s.csv", "--test", "paired_t")
    assert status == 0
    found = rows(out)
    assert [(r["system_a"], r["system_b"]) for r in found] == [
        ("bm25", "lsa"),
        ("bm25", "ql"),
        ("lsa", "ql"),
    ]
    assert float(found[0]["estimate"]) == pytest.approx(0.12)
    for said in ("paired_t", "all pairs of 3 systems, 3 hypotheses", "holm", "5 topics"):
        assert said in err


def test_schemes_baselines_and_corrections(cdfscore: Run, write: Write) -> None:
    write({"s.csv": SCORES, "r.csv": REFERENCE})
    schemes = ("--scheme", "raw", "--scheme", "empirical", "--reference", "r.csv")
    family = ("--baseline", "lsa", "--adjust", "BH", "--effect", "d_av")
    status, out, err = cdfscore(
        "compare", "s.csv", "--test", "sign:alternative=greater", *schemes, *family
    )
    assert status == 0
    assert [(r["scheme"], r["system_a"], r["system_b"]) for r in rows(out)] == [
        (scheme, system, "lsa")
        for scheme in ("raw", "empirical:convention=weak")
        for system in ("bm25", "ql")
    ]
    for said in ("the baseline lsa, 2 hypotheses", "BH", "d_av", "greater"):
        assert said in err


@pytest.mark.one_in(2)
@pytest.mark.parametrize("suffix", ["csv", "tsv", "json", "tex", "md", "html"])
def test_every_format_with_letters_and_diagram(
    cdfscore: Run, write: Write, tmp_path: Path, suffix: str
) -> None:
    write({"s.csv": SCORES})
    outputs = ("-o", f"out.{suffix}", "--letters", "letters.csv", "--diagram", "diagram.svg")
    status, out, _ = cdfscore("compare", "s.csv", "--test", "tukey_hsd", *outputs)
    assert (status, out) == (0, "")
    text = (tmp_path / f"out.{suffix}").read_text()
    assert "bm25" in text
    if suffix == "json":
        assert len(json.loads(text)["rows"]) == 3
    letters = rows((tmp_path / "letters.csv").read_text())
    assert [r["system"] for r in letters] == ["ql", "bm25", "lsa"]
    assert [r["letters"] for r in letters] == ["a", "b", "c"]
    assert b"<svg" in (tmp_path / "diagram.svg").read_bytes()


@pytest.mark.parametrize("baseline", [[], ["--baseline", "s7"]])
def test_a_latex_file_without_pairs_is_told(
    cdfscore: Run, write: Write, tmp_path: Path, baseline: list[str]
) -> None:
    head = "topic," + ",".join(f"s{i}" for i in range(33))
    lines = [f"{t}," + ",".join(f"{(t * i * 7) % 97 / 100}" for i in range(33)) for t in range(9)]
    write({"s.csv": "\n".join([head, *lines])})
    status, _, _ = cdfscore("compare", "s.csv", "-o", "pairs.tex", *baseline)
    assert status == 0
    text = (tmp_path / "pairs.tex").read_text()
    assert ("The 528 pairs are not listed here" in text) is not bool(baseline)
    assert ("s32 & s7" in text) is bool(baseline)


@pytest.mark.parametrize(
    ("arguments", "fragments"),
    [
        ("--test ttest", ["there is no significance test 'ttest', which may mean paired_t"]),
        ("--test pared-t", ["did you mean 'paired_t'?"]),
        ("--test paired_t:tail=2", ["paired_t has no setting 'tail'", "alternative"]),
        ("--test paired_t:alternative=two", ["alternative=two is not accepted", "'two-sided'"]),
        ("--test paired_t:conf_level=95", ["conf_level=95", "between 0 and 1"]),
        ("--test permutation:B=0", ["B=0 is not accepted"]),
        ("--test permutation:seed=x", ["seed=x is not accepted", "a whole number"]),
        ("--test friedman --letters l.csv", ["friedman is a test of all systems", "tukey_hsd"]),
        ("--test friedman --diagram d.svg", ["friedman is a test of all systems", "tukey_hsd"]),
        ("--test dunnett:B=99 --baseline lsa", ["dunnett has no setting 'B'"]),
        ("--test paired_t --baseline bm52", ["'bm52' is not a system", "did you mean 'bm25'?"]),
        ("--test paired_t --adjust bonferonni", ["bonferonni", "did you mean 'bonferroni'?"]),
        ("--test paired_t --effect d", ["there is no effect size 'd'", "d_z"]),
        ("--test paired_t --baseline lsa --letters l.csv", ["need all pairs", "lsa"]),
        ("--test paired_t -o s.csv", ["--out would overwrite SCORES"]),
    ],
)
def test_refused_in_one_sentence(refused: Sentence, arguments: str, fragments: list[str]) -> None:
    message = refused({"s.csv": SCORES}, ["compare", "s.csv", *arguments.split()])
    for fragment in fragments:
        assert fragment in message
