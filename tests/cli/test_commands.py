"""What the commands write for good input, and what they say about it."""

import re
import shlex
from pathlib import Path

import pytest

from cdfscore import scheme_names
from tests.cli.conftest import Run, Write
from tests.commands import commands
from tests.noted import without_cautions

SCORES = "topic,bm25,lsa\n301,0,1\n302,3,1\n"


def test_standardized_scores_are_exact_and_keep_labels(
    cdfscore: Run, write: Write, tmp_path: Path
) -> None:
    write({"s.csv": 'topic,"b,m",lsa \n051,0,1\n"q ""2""",3,1\n'})
    status, out, err = cdfscore(
        "standardize", "s.csv", "--scheme", "empirical:convention=mid", "-o", "OUT.csv"
    )
    assert (status, out) == (0, "")
    expected = 'topic,"b,m",lsa\n051,0.25,0.75\n"q ""2""",0.75,0.25\n'
    assert (tmp_path / "OUT.csv").read_text() == expected
    done = "cdfscore: 2 topics x 2 systems standardized by E-std (convention mid)\n"
    assert without_cautions(err) == done


@pytest.mark.parametrize(
    ("scheme", "expected"),
    [
        ("raw", "301,0.0,1.0\n302,3.0,1.0\n"),
        ("minmax", "301,0.0,1.0\n302,1.0,0.0\n"),
        ("empirical", "301,0.5,1.0\n302,1.0,0.5\n"),
        ("sum", "301,0.0,1.0\n302,1.0,0.0\n"),
    ],
)
def test_standard_output(cdfscore: Run, write: Write, scheme: str, expected: str) -> None:
    write({"s.csv": SCORES})
    status, out, _ = cdfscore("standardize", "s.csv", "--scheme", scheme)
    assert (status, out) == (0, "topic,bm25,lsa\n" + expected)


def test_full_double_precision(cdfscore: Run, write: Write) -> None:
    write({"s.csv": "topic,a,b,c\n301,0.1,0.2,0.30000000000000004\n302,5e-324,1e308,2e-308\n"})
    _, out, _ = cdfscore("standardize", "s.csv", "--scheme", "raw")
    assert out.splitlines()[1:] == ["301,0.1,0.2,0.30000000000000004", "302,5e-324,1e+308,2e-308"]


@pytest.mark.parametrize(
    ("scores", "options"),
    [
        ("id,a,b\n1,0,1\n2,3,1\n", "--topic-column id"),
        ("a,id,b\n0,1,1\n3,2,1\n", "--topic-column id"),
        ("system,1,2\na,0,3\nb,1,1\n", "--systems-as-rows"),
        ("1,2,sys\n0,3,a\n1,1,b\n", "--systems-as-rows --topic-column sys"),
        ("a,b\n0,1\n3,1\n", "--no-topic-column"),
    ],
)
def test_ways_to_lay_out_scores(cdfscore: Run, scores: str, options: str) -> None:
    arguments = ["standardize", "-", "--scheme", "raw", *options.split()]
    status, out, _ = cdfscore(*arguments, stdin=scores.encode())
    assert (status, out) == (0, "topic,a,b\n1,0.0,1.0\n2,3.0,1.0\n")


@pytest.mark.one_in(6)
@pytest.mark.parametrize("scheme", [*scheme_names(), "from_scipy:dist=beta,floc=0,fscale=1"])
@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
def test_saved_factors_give_the_same_bytes(
    cdfscore: Run, write: Write, tmp_path: Path, scheme: str, ending: str
) -> None:
    systems = "abcdefghijklmnop"
    rows = {"301": "2453671346528437", "302": "1226133425142533", "303": "5" * 16}  # in tenths
    lines = [f"{topic},{','.join(f'.{k}' for k in row)}" for topic, row in rows.items()]
    write({"r.csv": "\n".join([f"topic,{','.join(systems)}", *lines, ""])})
    write({"s.csv": "topic,x,y\n303,0.6,0.5\n301,0.2,0.9\n302,0.05,0.3\n"})
    arguments = ["standardize", "s.csv", "--scheme", scheme, "--reference", "r.csv"]
    first, second = f"first.{ending}", f"second.{ending}"
    assert cdfscore(*arguments, "-o", first, "--save-factors", "F.json").status == 0
    assert cdfscore("apply", "F.json", "s.csv", "-o", second).status == 0
    assert (tmp_path / first).read_bytes() == (tmp_path / second).read_bytes()


def test_list_of_schemes(cdfscore: Run) -> None:
    status, out, err = cdfscore("schemes")
    assert (status, err) == (0, "")
    assert re.findall(r"^(\w+) \((?:.-std; )?(?:cdf|linear)\)$", out, flags=re.M) == scheme_names()
    assert "A: a number above 0 (default 0.15)" in out
    assert "y = #{i: x_i <= x} / n" in out
    assert "source: Webber, Moffat and Zobel (2008)" in out


@pytest.mark.parametrize("option", ["--help", "-h"])
@pytest.mark.parametrize("name", [name for name, _ in commands()])
def test_help_shows_examples_that_can_be_typed(cdfscore: Run, name: str, option: str) -> None:
    status, out, err = cdfscore(*name.split(), option)
    assert (status, err) == (0, "")
    examples = re.findall(rf"^  (?:Example: )?cdfscore ({name}\b.*)$", out, flags=re.M)
    assert len(examples) >= (1 if name == "verify" else 3)
    command = dict(commands())[name]
    for example in examples:
        words = shlex.split(example)[len(name.split()) :]
        assert command.make_context(name, words).params


def test_apply_may_take_another_policy_than_the_factors(
    cdfscore: Run, write: Write, tmp_path: Path
) -> None:
    write({"s.csv": "topic,a,b,c\n301,1,2,3\n302,5,5,5\n", "gap.csv": "topic,d\n301,\n302,5\n"})
    cdfscore(
        "standardize", "s.csv", "--scheme", "normal", "-o", "o.csv", "--save-factors", "f.json"
    )
    apply = ("apply", "f.json", "gap.csv", "-o", "OUT.csv")
    assert cdfscore(*apply)[0] == 2
    assert cdfscore(*apply, "--missing", "omit", "--constant", "nan")[0] == 0
    assert (tmp_path / "OUT.csv").read_text() == "topic,d\n301,NA\n302,NA\n"
    status, _, err = cdfscore(*apply, "--missing", "omit", "--constant", "raise")
    assert status == 2
    assert "topic '302': all its reference scores are equal" in err
