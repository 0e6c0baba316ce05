"""``cdfscore standardize --stream``: what it writes, says and refuses."""

import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from tests.cli.conftest import Run
from tests.experiments.engine_subjects import ENVIRONMENT
from tests.standardization.streaming.subjects import matrix, rows_of


@pytest.mark.parametrize("options", [(), ("--missing", "omit")])
def test_a_stream_writes_and_says_the_same(
    options: tuple[str, ...], cdfscore: Run, tmp_path: Path
) -> None:
    matrix(missing=5 if "--missing" in options else 0).to_parquet(tmp_path / "x.parquet")
    command = ["standardize", "x.parquet", "--scheme", "normal"]
    expected = cdfscore(*command, *options, "-o", "expected.parquet")
    found = cdfscore(*command, *options, "--stream", "-o", "y.parquet")
    assert found == expected
    pd.testing.assert_frame_equal(
        *(pd.read_parquet(tmp_path / name) for name in ("y.parquet", "expected.parquet")),
        check_exact=True,
    )


def test_rows_with_a_score_stay_such_rows(cdfscore: Run, tmp_path: Path) -> None:
    rows = rows_of(matrix(), "any")
    rows.to_parquet(tmp_path / "x.parquet")
    status, out, err = cdfscore(
        *("standardize", "x.parquet", "--scheme", "empirical", "--stream", "-o", "y.parquet")
    )
    assert (status, out) == (0, "")
    assert "23 topics x 12 systems standardized by E-std\n" in err
    found = pd.read_parquet(tmp_path / "y.parquet")
    pd.testing.assert_frame_equal(found.drop(columns="score"), rows.drop(columns="score"))


@pytest.mark.parametrize(
    ("options", "fragments"),
    [
        ("x.parquet --stream --leave-one-out -o y.parquet", ["--stream and --leave-one-out excl"]),
        ("x.parquet --stream --reference x.parquet -o y.parquet", ["--stream and --reference"]),
        ("x.parquet --stream --save-factors f.json -o y.parquet", ["--stream and --save-factors"]),
        ("x.parquet --stream --drop-topic 2 -o y.parquet", ["--stream and --drop-topic"]),
        ("x.parquet --stream -o y.csv", ["--out: y.csv ends in '.csv'; expected .parquet"]),
        ("x.parquet --stream", ["standard output is not accepted", ".parquet"]),
        ("x.parquet --stream -o x.parquet", ["--out would overwrite SCORES, x.parquet"]),
        ("x.csv --stream -o y.parquet", ["--stream reads one .parquet file, but SCORES is x.csv"]),
        ("x.parquet z.parquet --stream -o y.parquet", ["x.parquet and z.parquet"]),
        ("a=x.parquet --stream -o y.parquet", ["--stream reads one .parquet file"]),
        ("none.parquet --stream -o y.parquet", ["none.parquet cannot be read: No such file"]),
        ("x.parquet --stream --constant raise -o y.parquet", ["x.parquet: topic '6': all its"]),
        ("x.parquet --stream --systems-as-rows -o y.parquet", ["row for each topic"]),
        ("x.parquet --stream --keep-topic no -o y.parquet", ["x.parquet has no topic 'no'"]),
    ],
)
def test_what_is_refused(options: str, fragments: list[str], cdfscore: Run, tmp_path: Path) -> None:
    matrix().to_parquet(tmp_path / "x.parquet")
    status, out, err = cdfscore("standardize", *options.split(), "--scheme", "normal")
    assert (status, out) == (2, "")
    assert all(fragment in " ".join(err.split()) for fragment in fragments), err
    assert "Traceback" not in err
    assert [path.name for path in tmp_path.iterdir()] == ["x.parquet"]


def two_of_each(rows: pd.DataFrame) -> pd.DataFrame:
    return pd.concat([rows.assign(run=1), rows.assign(run=2)])


@pytest.mark.parametrize(
    ("scores", "advised"),
    [
        (matrix().assign(avg=0.5), {"--drop-system", "--keep-system"}),
        (matrix().rename(index={"6": "all"}), {"--drop-topic", "--keep-topic"}),
        (rows_of(matrix(), "topic").replace("6", "all"), {"--drop-topic", "--keep-topic"}),
        (two_of_each(rows_of(matrix(), "topic")), {"--replicate"}),
        (rows_of(matrix(), "topic").assign(fold="x"), {"--replicate", "--score-column"}),
    ],
)
def test_a_message_advises_what_a_stream_takes(
    scores: pd.DataFrame, advised: set[str], cdfscore: Run, tmp_path: Path
) -> None:
    """Or says that a stream does not take it."""
    scores.to_parquet(tmp_path / "x.parquet")
    stream = ("standardize", "x.parquet", "--scheme", "z", "--stream", "-o", "y.parquet")
    status, _, err = cdfscore(*stream)
    own = err.partition("(")[0] + err.partition(")")[2]  # without other commands
    assert (status, set(re.findall("--[a-z-]+", own))) == (2, advised), err
    for option in advised:
        refused = f"--stream and {option} exclude each other" in cdfscore(*stream, option, "a")[2]
        assert refused == (option in err.partition("a stream takes no ")[2])


@pytest.mark.parametrize(
    "path", ["x.parquet", "./x.parquet", "../{folder}/x.parquet", "my x.parquet"]
)
@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (matrix().assign(a=float("inf")), "topic '1', system 'a': inf is not finite"),
        (matrix().assign(avg=0.5), "has a system 'avg', the name of a summary"),
        (matrix(missing=1), "1 missing in all"),
    ],
)
def test_an_error_names_the_file_once(
    path: str, scores: pd.DataFrame, message: str, cdfscore: Run, tmp_path: Path
) -> None:
    source = path.format(folder=tmp_path.name)
    scores.to_parquet(tmp_path / Path(source).name)
    command = ("standardize", source, "--scheme", "normal", "--stream", "-o", "y.parquet")
    status, _, err = cdfscore(*command)
    told = " ".join(err.split())
    assert (status, told.count("x.parquet")) == (2, 1), told
    assert message in told


_LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
from cdfscore.cli import main
sys.argv = "cdfscore standardize x.parquet --scheme empirical --stream -o y.parquet".split()
main()
"""


@pytest.mark.one_in(3)
@pytest.mark.skipif(sys.platform == "win32", reason="no limit of the size of files")
@pytest.mark.parametrize(
    ("order", "limit", "beside"),
    [("any", 1000, True), ("topic", 1000, True), ("wide", 1000, False)],
    ids=["rows in any order", "rows by topic", "the file"],
)
def test_a_full_disk_is_of_the_file_to_write(
    order: str, limit: int, beside: bool, tmp_path: Path
) -> None:
    """A copy of the rows has 16 bytes a row; the disk takes no more than 1000."""
    (matrix() if order == "wide" else rows_of(matrix(), order)).to_parquet(tmp_path / "x.parquet")
    done = subprocess.run(
        [sys.executable, "-c", _LIMITED, str(limit)],
        cwd=tmp_path,
        # What measures coverage would write to that disk too.
        env={name: value for name, value in ENVIRONMENT.items() if "COV" not in name},
        capture_output=True,
        check=False,
        text=True,
    )
    assert done.returncode == 2
    where = ", in copies of the rows beside it, which take up to 32 bytes a row" if beside else ""
    assert done.stderr == f"cdfscore: y.parquet cannot be written: File too large{where}\n"
    assert [path.name for path in tmp_path.iterdir()] == ["x.parquet"]
