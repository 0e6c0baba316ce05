"""Published tables: what is wrong in one is found by ``verify --published`` and by the R script."""

import io
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer, compare
from cdfscore.r.published import Published, read_published
from cdfscore.r.verify import Verification
from cdfscore.report.comparison import encode_letters
from cdfscore.report.writing import encode
from cdfscore.scores.writing import encode_scores, write_scores
from tests.cli.conftest import Run, Write

HOW = ("--scheme", "normal", "--test", "paired_t", "--adjust", "BH", "--alpha", "0.1")


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    rng = np.random.default_rng(11)
    values = np.round(rng.beta(2, 3, (12, 1)) + rng.normal([0, 0.1, 0.3, 0.5], 0.2, (12, 4)), 4)
    topics = pd.Index([f"t{k}" for k in range(12)], name="topic")
    return pd.DataFrame(values, index=topics, columns=["bm25", "lsa", "-ql", "=tf"])


@pytest.fixture(scope="module")
def texts(scores: pd.DataFrame) -> dict[str, bytes]:
    """The files that commands write about the scores, and two tables as papers have them."""
    found = compare(scores, "paired_t", scheme="normal", adjust="BH", alpha=0.1)
    normal = Standardizer("normal").fit(scores)
    texts = {
        "scores.csv": encode_scores(scores, Path("scores.csv")),
        "letters.csv": encode_letters(found, Path("letters.csv")),
        "standardized.csv": encode_scores(normal.transform(scores), Path("s.csv")),
    }
    for name in ("pairs.csv", "pairs.tsv", "pairs.json", "pairs.md", "pairs.tex"):
        texts[name] = encode(found, Path(name))
    ends = found.mean_intervals["normal"]
    hand = [  # as in a paper, with marks, and with the pairs of "=tf" in the opposite order
        "A,B,mean difference,p (two-sided),adjusted p,significant,comment",
        *(
            f"{b},{a},{-d:.3f},{_p(p)},{_p(q)}{'*' if q <= 0.1 else ''},{_word(q)},ok"
            if b == "=tf"
            else f"{a},{b},{d:.3f},{_p(p)},{_p(q)}{'*' if q <= 0.1 else ''},{_word(q)},ok"
            for a, b, d, p, q in found.table[
                ["system_a", "system_b", "estimate", "p_value", "p_adjusted"]
            ].itertuples(index=False)
        ),
    ]
    texts["paper.csv"] = "\n".join([*hand, ""]).encode()
    systems = [
        "system;mean;95% CI;n;letters".replace(";", "\t"),
        *(
            f"{system}\t{100 * mean:.1f} %\t[{low:.2f}, {high:.2f}]\t{n}\t{letters.upper()}"
            for (system, mean), letters, (n, low, high) in zip(
                found.means["normal"].items(),
                (found.letters()[system] for system in scores),
                ends.itertuples(index=False),
                strict=True,
            )
        ),
    ]
    texts["systems.tsv"] = "\n".join([*systems, ""]).encode()
    return texts


@pytest.fixture
def made(texts: dict[str, bytes], tmp_path: Path) -> Path:
    """A folder with these files."""
    for name, content in texts.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


def _p(p: float) -> str:
    return "< .001" if p < 0.001 else f"{p:.3f}"


def _word(p: float) -> str:
    return "yes" if p <= 0.1 else "no"


ALL = [
    "pairs.csv",
    "pairs.tsv",
    "pairs.json",
    "pairs.md",
    "pairs.tex",
    "letters.csv",
    "standardized.csv",
    "paper.csv",
    "systems.tsv",
]
OF_R = [name for name in ALL if name.endswith(("csv", "tsv"))]


@pytest.mark.clause("published.1", "published.2")
@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize("via", ["rpy2", "rscript"])
def test_what_we_write_agrees(made: Path, cdfscore: Run, via: str) -> None:
    """By the command; the other files are in the tests of `BREAKS`."""
    status, out, err = cdfscore("verify", "scores.csv", "--published", "pairs.json", "--via", via)
    assert (status, err) == (0, "".join(f"cdfscore: {note}\n" for note in NOTES)), out
    assert out.endswith(
        """\
pairs.json, table 1: 72 cells compared, agrees
  columns that are not compared: method
pairs.json, table 2: 4 cells compared, agrees
pairs.json, what it states: 8 cells compared, agrees
  stated, but not compared: caption, notes, outcomes
"""
        + out.splitlines()[-1]
        + "\n"
    )
    assert out.splitlines()[-1].startswith("agrees with R version")


@pytest.mark.clause("published.1", "published.2")
@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize("ending", ["md", "tex"])
def test_tables_of_models_by_several_schemes_agree(
    ending: str, scores: pd.DataFrame, cdfscore: Run, tmp_path: Path
) -> None:
    """Tables call schemes as people do, and systems models where the header does."""
    scores.T.rename_axis("model").to_csv(tmp_path / "board.csv")
    schemes = ("--scheme", "raw", "--scheme", "empirical:convention=mid")
    test = ("board.csv", "--test", "wilcoxon_signed_rank")
    table = f"pairs.{ending}"
    assert cdfscore("compare", *test, *schemes, "-o", table).status == 0
    assert "E-std (convention mid) " in (tmp_path / table).read_text()
    for scheme in schemes[1::2]:
        status, out, err = cdfscore("verify", *test, "--scheme", scheme, "--published", table)
        assert status == 0, err
        assert "columns that are not compared: won, undecided, lost\n" in out
        for i in (1, 2):
            assert re.search(rf"{table}, table {i}: \d+ cells compared, agrees", out)


NOTES = ("with 4 reference systems, fewer than 10, results depend on which systems they are",)


def _run(folder: Path, *tables: str) -> subprocess.CompletedProcess[bytes]:
    command = ["Rscript", "--vanilla", "check.R", "scores.csv", *tables]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False)


def _cell(name: str, row: int, column: str, new: str) -> Callable[[str], str]:
    """An edit of the cell of a row (0 is the first below the names), by the name of the column."""

    def edit(text: str) -> str:
        separator = "\t" if name.endswith(".tsv") else ","
        frame = [_split(line, separator) for line in text.splitlines()]
        at = frame[0].index(column)
        assert frame[row + 1][at] != new
        frame[row + 1][at] = new
        return "\n".join(separator.join(line) for line in frame) + "\n"

    return edit


def _split(line: str, separator: str) -> list[str]:
    return re.split(separator + r"(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)", line)


def _last_digit(name: str, row: int, column: str) -> Callable[[str], str]:
    """An edit of the tenth digit of a number."""

    def edit(text: str) -> str:
        separator = "\t" if name.endswith(".tsv") else ","
        lines = [_split(line, separator) for line in text.splitlines()]
        at = lines[0].index(column)
        digits = lines[row + 1][at]
        place = digits.index(".") + 8
        changed = digits[:place] + str((int(digits[place]) + 5) % 10) + digits[place + 1 :]
        return _cell(name, row, column, changed)(text)

    return edit


def _without_line(number: int) -> Callable[[str], str]:
    return lambda text: "".join(
        line for i, line in enumerate(text.splitlines(keepends=True)) if i != number
    )


# The edit of a file, and the row and column of the difference that is found.
BREAKS: dict[str, tuple[str, Callable[[str], str], str, str]] = {
    "an estimate": ("pairs.csv", _last_digit("pairs.csv", 1, "estimate"), "bm25 - -ql", "estimate"),
    "the end of an interval": (
        "pairs.csv",
        _last_digit("pairs.csv", 2, "conf_low"),
        "bm25 - =tf",
        "conf_low",
    ),
    "a p value": ("pairs.csv", _cell("pairs.csv", 0, "p_value", "0.04"), "bm25 - lsa", "p_value"),
    "an adjusted p": (
        "pairs.tsv",
        _last_digit("pairs.tsv", 0, "p_adjusted"),
        "bm25 - lsa",
        "p_adjusted",
    ),
    "a sign": ("pairs.csv", lambda text: text.replace(",-", ",", 1), "bm25 - lsa", "estimate"),
    "an effect": (
        "pairs.csv",
        _last_digit("pairs.csv", 3, "effect_high"),
        "lsa - -ql",
        "effect_high",
    ),
    "a count": ("pairs.csv", _cell("pairs.csv", 4, "n", "13"), "lsa - =tf", "n"),
    "a NaN": ("pairs.csv", _cell("pairs.csv", 5, "statistic", "NaN"), "-ql - =tf", "statistic"),
    "a typing error": (
        "pairs.csv",
        _cell("pairs.csv", 5, "parameter", "l1"),
        "-ql - =tf",
        "parameter",
    ),
    "a dropped pair": ("pairs.csv", _without_line(3), "bm25 - =tf", ""),
    "a pair twice": (
        "pairs.csv",
        lambda text: text + text.splitlines()[1] + "\n",
        "bm25 - lsa",
        "",
    ),
    "another system": (
        "paper.csv",
        lambda text: text.replace("bm25,lsa", "bm25,lsi"),
        "bm25 - lsi",
        "",
    ),
    "a letter": (
        "letters.csv",
        lambda text: re.sub(r",a,2", ",ab,2", text, count=1),
        "",
        "letters",
    ),
    "a mean": ("letters.csv", _last_digit("letters.csv", 2, "mean"), "lsa", "mean"),
    "the interval of a mean": (
        "systems.tsv",
        lambda text: re.sub(
            r"\[(0\.\d)(\d)", lambda m: f"[{m[1]}{(int(m[2]) + 1) % 10}", text, count=1
        ),
        "bm25",
        "95% CI",
    ),
    "a percentage": (
        "systems.tsv",
        lambda text: re.sub(r"\.(\d) %", lambda m: f".{(int(m[1]) + 1) % 10} %", text, count=1),
        "bm25",
        "mean",
    ),
    "a star": ("paper.csv", lambda text: text.replace("*", "", 1), "bm25 - -ql", "adjusted p"),
    "a star more": (
        "paper.csv",
        lambda text: text.replace(",no,", "*,no,").replace(",*", "*,"),
        "bm25 - lsa",
        "adjusted p",
    ),
    "a decision": (
        "paper.csv",
        lambda text: text.replace(",no,", ",yes,", 1),
        "bm25 - lsa",
        "significant",
    ),
    "a bound": (
        "paper.csv",
        _cell("paper.csv", 0, "adjusted p", "< .001"),
        "bm25 - lsa",
        "adjusted p",
    ),
    "a score": ("standardized.csv", _last_digit("standardized.csv", 4, "lsa"), "t4", "lsa"),
    "a dropped topic": ("standardized.csv", _without_line(7), "t6", ""),
    "a dropped system": (
        "standardized.csv",
        lambda text: "".join(line.rpartition(",")[0] + "\n" for line in text.splitlines()),
        "=tf",
        "",
    ),
    "a number of JSON": (
        "pairs.json",
        lambda text: re.sub(r'("statistic": -?\d\.\d\d)[^5]', r"\g<1>5", text, count=1),
        "bm25 - lsa",
        "statistic",
    ),
    "a mean of JSON": (
        "pairs.json",
        lambda text: text.replace('"lsa": 0.', '"lsa": 0.9', 1),
        "lsa",
        "mean",
    ),
    "a number of Markdown": (
        "pairs.md",
        lambda text: text.replace(r"\[-0.", r"\[-1.", 1),
        "bm25 - lsa",
        "interval",
    ),
    "a letter of LaTeX": (
        "pairs.tex",
        lambda text: re.sub(r"& a &", r"& ab &", text, count=1),
        "",
        "letters",
    ),
}


@pytest.fixture
def edited(made: Path) -> dict[str, tuple[str, str]]:
    """The row and column of the difference in each edited file, which are written too."""
    found = {}
    for what, (name, edit, row, column) in BREAKS.items():
        text = (made / name).read_text()
        assert edit(text) != text, what
        own = f"{what.replace(' ', '_')}.{name.partition('.')[2]}"
        (made / own).write_text(edit(text))
        found[own] = (row, column)
    return found


@pytest.mark.clause("published.1", "published.2", "published.3")
@pytest.mark.usefixtures("rinterface")
def test_what_we_write_agrees_and_what_is_edited_is_found(
    made: Path, scores: pd.DataFrame, edited: dict[str, tuple[str, str]]
) -> None:
    """All files in one analysis, as `verify` has for one."""
    tables = {}
    for name in (*ALL, *edited):
        tables |= read_published(made / name).tables
    found = compare(scores, "paired_t", scheme="normal", adjust="BH", alpha=0.1)
    verification = Verification.of(found)
    table = verification.through_rpy2(Published("all", tables, {}))
    counts = table.set_index("quantity")["count"].filter(like="published ")
    assert len(counts) == len(tables)
    assert (counts > 0).all()
    differences = table.attrs["published"]
    files = differences["table"].str.removeprefix(f"{made}/").str.partition(",")[0]
    assert set(files) == set(edited)
    for own, found in differences.groupby(files):
        _check(found.iloc[0]["row"], found.iloc[0]["column"], len(found), *edited[own])


def _check(found: str, at: str, count: int, row: str, column: str) -> None:
    assert found.lstrip("'") == row or not row
    assert at == column, row
    assert count <= 2 + 4 * (not row), row


@pytest.mark.clause("published.1", "published.2", "published.3")
def test_the_script_alone_finds_what_is_edited(
    made: Path, cdfscore: Run, edited: dict[str, tuple[str, str]]
) -> None:
    """The numbers that the script writes are a published table too."""
    how = (*HOW, "--published", "pairs.csv")
    status, _, err = cdfscore("verify", "scores.csv", *how, "--script", "check.R")
    said = "cdfscore: run the script as: Rscript --vanilla check.R scores.csv pairs.csv\n"
    assert (status, err.partition(said)[1]) == (0, said)
    (made / "numbers.csv").write_bytes(_run(made).stdout)
    of_r = [own for own in edited if own.endswith(("csv", "tsv"))]
    done = _run(made, *OF_R, "numbers.csv", *of_r)
    assert done.returncode == 1
    said = done.stderr.decode()
    counts = dict(re.findall(r"(\S+): (\d+) cells compared, 0 differences", said))
    assert counts == {
        "pairs.csv": "72",
        "pairs.tsv": "72",
        "letters.csv": "10",
        "standardized.csv": "48",
        "paper.csv": "18",
        "systems.tsv": "18",
        "numbers.csv": counts["numbers.csv"],
    }
    assert "paper.csv: pairs in the opposite order" in said
    assert "paper.csv: columns that are not compared: p (two-sided), comment" in said
    frame = pd.read_csv(io.BytesIO(done.stdout), dtype=str, keep_default_na=False)
    assert list(frame["file"].unique()) == of_r
    for own, found in frame.groupby("file"):
        _check(found.iloc[0]["row"], found.iloc[0]["column"], len(found), *edited[own])


@pytest.mark.usefixtures("rinterface")
def test_a_difference_is_shown_and_written(made: Path, cdfscore: Run) -> None:
    text = (made / "pairs.csv").read_text()
    (made / "own.csv").write_text(_cell("pairs.csv", 0, "p_value", "0.04")(text))
    options = ("--published", "own.csv", "-o", "differences.csv")
    status, out, _ = cdfscore("verify", "scores.csv", *HOW, *options)
    assert (status, "own.csv: 72 cells compared, 1 difference\n" in out) == (1, True)
    assert "differs from R" in out
    (found,) = pd.read_csv(made / "differences.csv", dtype=str).itertuples(index=False)
    assert tuple(found)[:4] == ("own.csv", "bm25 - lsa", "p_value", "0.04")


#: Edits of what a comparison in JSON states, and the difference.
STATED: dict[str, tuple[str, str, tuple[str, str, str] | None]] = {
    "nothing": ("", "", None),
    "topics": ('"topics": 12', '"topics": 11', ("topics", "11", "12")),
    "topics of a scheme": (
        '"topics_by_scheme": {\n  "normal": 12',
        '"topics_by_scheme": {\n  "normal": 11',
        ("topics_by_scheme", "11", "12"),
    ),
    "family": (
        'y": "all pairs of 4',
        'y": "all pairs of 3',
        ("family", "all pairs of 3", "all pairs of 4"),
    ),
    "systems": ('"bm25",\n  "lsa"', '"lsa",\n  "bm25"', ("systems", '["lsa", "b', '["bm25", "l')),
    "settings": (
        '"conf_level": 0.95',
        '"conf_level": 0.9',
        ("settings", '{"alternative": "two-sided", "null_value": "0.0", "conf_level": "0.9"', "{"),
    ),
    "reversals": (
        '"reversals": {\n  "normal": ""',
        '"reversals": {\n  "normal": "negated"',
        ("reversals", "negated", ""),
    ),
    "fitted to": ('to": "these', 'to": "other', ("fitted_to", "other scores", "these scores")),
    "reference": ('"4 systems, sha', '"5 systems, sha', ("reference", "5 systems", "4 systems")),
}


@pytest.mark.clause("published.3")
def test_what_json_states_is_compared(made: Path, scores: pd.DataFrame) -> None:
    found = compare(scores, "paired_t", scheme="normal", adjust="BH", alpha=0.1)
    facts = Verification.of(found).facts
    text = (made / "pairs.json").read_text()
    for what, (old, new, difference) in STATED.items():
        assert old in text, what
        (made / "own.json").write_text(text.replace(old, new, 1))
        found = read_published(made / "own.json").compared_facts(facts, "normal")
        apart = ["stated, but not compared: caption, notes, outcomes"]
        assert (found.count, found.notes) == (8, apart)
        assert len(found.differences) == (difference is not None), what
        for row, *own in found.differences:
            assert row == ""
            assert all(a.startswith(b) for a, b in zip(own, difference or (), strict=True)), own


@pytest.mark.parametrize(
    ("options", "fragment"),
    [
        (("--test", "welch_t"), "--test welch_t is given, and pairs.json states paired_t"),
        (("--alpha", "0.05"), "--alpha 0.05 is given, and pairs.json states 0.1"),
        (("--adjust", "holm"), "--adjust holm is given, and pairs.json states BH"),
        (("--baseline", "lsa"), "expected the same, or no --baseline"),
        (("--scheme", "uniform"), "pairs.json, table 1: the table is of the scheme normal"),
        (("--missing", "omit"), "--missing omit is given, and pairs.json states raise"),
        (("--baseline", "lsa"), "and pairs.json states none; expected the same, or no --baseline"),
        (
            ("--formula", "score ~ topic + system"),
            "--formula is given, and pairs.json is of the test paired_t; expected no --formula",
        ),
        (
            ("--test", "paired_t", "--formula", "score ~ system", "--random", "topic"),
            "--formula and --random are given, and pairs.json is of the test paired_t; expected "
            "no --formula and no --random",
        ),
        (("--goal", "paired_t:difference=0.1"), "--goal is given, and pairs.json is of the test"),
        (("--diagnose",), "--diagnose is given, and pairs.json is of the test paired_t"),
        (("--correlate", "scores.csv"), "--correlate is given, and pairs.json is of the test"),
    ],
)
@pytest.mark.clause("published.3")
@pytest.mark.usefixtures("rinterface")
def test_another_analysis_is_refused(
    made: Path, cdfscore: Run, options: tuple[str, ...], fragment: str
) -> None:
    status, _, err = cdfscore("verify", "scores.csv", "--published", "pairs.json", *options)
    assert (status, fragment in err) == (2, True), err


LINEAR = {"sums_of_squares": "III", "formula": "score ~ system"}
MIXED = {"random": ["topic"], "formula": "score ~ system", "method": "REML"}


@pytest.mark.parametrize(
    ("stated", "options", "fragment"),
    [
        (LINEAR, ("--test", "paired_t"), "--test is given, and t.json is of the linear model"),
        (LINEAR, ("--random", "topic"), "--random is given, and t.json is of the linear model"),
        (LINEAR, ("--adjust", "holm"), "linear model score ~ system; expected no --adjust"),
        (MIXED, ("--test", "paired_t"), "--test is given, and t.json is of the mixed model"),
        (MIXED, ("--sums-of-squares", "II"), "expected no --sums-of-squares"),
        (MIXED, ("--random", "topic:system"), "topic:system is given, and t.json states topic;"),
        (MIXED, ("--goal", "paired_t:difference=0.1"), "expected no --goal"),
    ],
)
@pytest.mark.clause("published.3")
def test_a_table_of_another_analysis_is_refused(
    write: Write, cdfscore: Run, stated: dict, options: tuple[str, ...], fragment: str
) -> None:
    write(
        {
            "s.csv": "topic,a,b\n1,0.1,0.2\n",
            "t.json": json.dumps(stated | {"rows": [{"term": "system", "F": 3}]}),
        }
    )
    status, _, err = cdfscore("verify", "s.csv", "--published", "t.json", *options)
    assert (status, fragment in err) == (2, True), err


@pytest.mark.parametrize(
    ("content", "fragment"),
    [
        ("", "has no table; expected a line of names"),
        ("system_a,system_b,p_value\n", "has no table"),
        ("a,b\n1\n", "row 1 of a table has 1 cell and the line of names 2"),
        ("A,B,comment\nbm25,lsa,x\n", "no column has numbers of this analysis"),
        ("term,F\ntopic,3\n", "this analysis has no numbers for a table with the columns term, F"),
        ("scheme,A,B,p\nuniform,bm25,lsa,.3\n", "expected --scheme|of the scheme uniform"),
        (None, "cannot be read"),
        ("A;B\n", "has no table|no column"),
        ("A,B,p\nbm25,lsa,.3\nlsa,lsa,.2\n", "pair of lsa with itself, as of two collections"),
        ("system_a\tsystem_b\tp\nlsa\tlsa\t1\n", "expected pairs of one collection"),
    ],
)
@pytest.mark.usefixtures("rinterface")
def test_what_is_no_table_of_the_analysis_is_refused(
    made: Path, cdfscore: Run, write: Write, content: str | None, fragment: str
) -> None:
    write({"own.csv": content})
    status, _, err = cdfscore("verify", "scores.csv", *HOW, "--published", "own.csv")
    last = err.splitlines()[-1]
    assert status == 2
    assert re.search(fragment, last), err
    assert last.startswith("cdfscore: own.csv"), err


@pytest.mark.clause("published.3")
@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "md", "tex"])
@pytest.mark.parametrize("common", [True, False])
@pytest.mark.usefixtures("rinterface")
def test_a_table_of_two_collections_is_refused(
    made: Path, cdfscore: Run, scores: pd.DataFrame, ending: str, common: bool
) -> None:
    """It has other numbers, and not because it was edited."""
    new = (0.5 * scores).rename(index="new {}".format)
    write_scores(new if common else new.add_prefix("new_"), made / "new.csv")
    how = ("--scheme", "normal", "--test", "welch_t")
    done = cdfscore("compare", "scores.csv", "--with", "new.csv", *how, "-o", f"own.{ending}")
    assert done[0] == 0, done
    status, out, err = cdfscore("verify", "scores.csv", *how, "--published", f"own.{ending}")
    expected = "two collections" if common or ending not in ("csv", "tsv") else "no column"
    assert (status, out) == (2, "")
    assert expected in err.splitlines()[-1], err


@pytest.mark.usefixtures("rinterface")
def test_a_page_is_refused(made: Path, cdfscore: Run, write: Write) -> None:
    write({"own.html": "<table></table>"})
    status, _, err = cdfscore("verify", "scores.csv", *HOW, "--published", "own.html")
    assert status == 2
    assert "own.html is not accepted; expected CSV, TSV, .json, .md or .tex" in err


# The command that writes a table, the options of verify, and an edit of a number in the table.
OTHERS: dict[str, tuple[list[str], list[str], str]] = {
    "model.json": (["model", "--formula", "score ~ topic + system"], [], "partial_eta_squared"),
    "mixed.json": (
        ["mixed-model", "--formula", "score ~ system", "--random", "topic"],
        [],
        "statistic",
    ),
    "correlated.json": (
        ["correlate", "standardized.csv", "--scheme", "uniform"],
        ["--correlate", "standardized.csv", "--scheme", "uniform"],
        "value",
    ),
}


@pytest.mark.clause("published.3")
@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize(
    ("name", "via"),
    [
        *((name, "rpy2") for name in OTHERS),
        *(pytest.param(name, "rscript", marks=pytest.mark.long) for name in OTHERS),
    ],
)
def test_tables_of_other_commands(made: Path, cdfscore: Run, name: str, via: str) -> None:
    (command, *rest), options, column = OTHERS[name]
    second = [rest.pop(0)] if command == "correlate" else []
    assert cdfscore(command, "scores.csv", *second, *rest, "-o", name).status == 0
    text = (made / name).read_text()
    (made / name).write_text(re.sub(rf'("{column}": -?)\d', r"\g<1>9", text, count=1))
    own = ("verify", "scores.csv", *options, "--published", name, "--via", via)
    status, out, err = cdfscore(*own)  # all other cells agree
    assert (status, out.count(", 1 difference\n"), "differences" in out) == (1, 1, False), out + err


@pytest.mark.long
@pytest.mark.usefixtures("rinterface")
def test_a_table_of_a_diagnosis(made: Path, cdfscore: Run) -> None:
    cdfscore("diagnose", "scores.csv", "--scheme", "normal", "--bootstrap", "0", "-o", "d.csv")
    text = (made / "d.csv").read_text()
    (made / "d.csv").write_text(_cell("d.csv", 3, "crps", "0.05")(text))
    own = ("verify", "scores.csv", "--scheme", "normal", "--diagnose", "--published", "d.csv")
    status, out, err = cdfscore(*own)
    assert (status, "d.csv: 96 cells compared, 1 difference\n" in out) == (1, True), out + err


@pytest.mark.clause("published.3")
def test_a_script_compares_tables_if_it_was_asked_to(made: Path, cdfscore: Run) -> None:
    for name, table in (("plain.R", None), ("check.R", "pairs.json")):
        how = () if table is None else ("--published", table)
        done = cdfscore("verify", "scores.csv", "--scheme", "normal", *how, "--script", name)
        assert done.status == 0
        assert ("show_published" in (made / name).read_text()) == (table is not None)
    assert "reads a table as CSV or TSV, here pairs.csv, which you write" in done.err
    assert "run the script as: Rscript --vanilla check.R scores.csv pairs.csv\n" in done.err
    (made / "check.R").write_bytes((made / "plain.R").read_bytes())
    refused = _run(made, "pairs.csv")
    assert (refused.returncode, refused.stdout) == (2, b"")
    assert refused.stderr.decode() == (
        "pairs.csv is one file too many, as this script compares no published table; 'cdfscore "
        "verify' with --script and --published writes a script that does\n"
    )


def test_a_script_alone_has_no_result_to_write(made: Path, cdfscore: Run) -> None:
    how = ("--scheme", "raw", "--script", "check.R", "-o", "out.csv")
    status, _, err = cdfscore("verify", "scores.csv", *how)
    assert (status, "--script compares nothing without --via" in err) == (2, True)
    assert not (made / "check.R").exists()
