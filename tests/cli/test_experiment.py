"""``cdfscore experiment``: the tables of the library, whole or not at all."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from cdfscore import __version__
from cdfscore.common import files
from cdfscore.errors import OutputError
from cdfscore.experiments import Between, Halves, Within, pooled, run_trials, standardized
from cdfscore.experiments.designs import ReferenceSize
from cdfscore.experiments.matrices import refitted
from cdfscore.scores.reading import read_scores
from tests.cli.conftest import Run, cases, replaced
from tests.noted import without_cautions

VALUES = np.random.default_rng(8).integers(1, 999, (14, 12)) / 1000
SCORES = pd.DataFrame(
    VALUES, index=[str(k) for k in range(301, 315)], columns=[f"s{i}" for i in range(12)]
)
FILES = {
    "s.csv": SCORES.to_csv(index_label="topic"),
    "part.csv": SCORES.iloc[:, :7].to_csv(index_label="topic"),
    "hole.csv": SCORES.mask(SCORES.eq(SCORES.iloc[2, 3])).to_csv(index_label="topic"),
    "equal.csv": (SCORES * [0, *[1] * 11] + 0).round(0).to_csv(index_label="topic"),
    "same.csv": (SCORES * 0).to_csv(index_label="topic"),
    "one.csv": SCORES.iloc[:, :1].to_csv(index_label="topic"),
    "d.csv": (SCORES.iloc[:9, ::-1] ** 2).rename(index="d{}".format).to_csv(index_label="topic"),
    "d_ref.csv": SCORES.iloc[:9, :5].rename(index="d{}".format).to_csv(index_label="topic"),
    "fewer.csv": SCORES.iloc[1:, :5].to_csv(index_label="topic"),
    "few.csv": SCORES.iloc[:3].to_csv(index_label="topic"),
    "single.csv": SCORES.iloc[:1].to_csv(index_label="topic"),
    "file": "no folder",
}
SCHEMES = {"raw": "raw", "uniform:A=0.2": "uniform:A=0.2", "E-std": "empirical"}
GIVEN = "--scheme raw --scheme uniform:A=0.2 --scheme E-std=empirical"
NAMES = {
    "within": {"tau", "tauAP", "r", "power"},
    "between": {"tau", "tauAP", "r", "drmse", "swap_rate", "power", "type1"},
    "reference-size": {*("tau", "tauAP", "power_paired", "power_unpaired", "type1", "constant")},
    "halves": {"tau", "tauAP", "r", "drmse", "swap_rate", "false_positives", "summary"},
}
ALPHAS = (0.01, 0.05, 0.2)


def subject(command: str, folder: Path, **settings):
    """Return the experiment that the commands of these tests run."""
    scores = read_scores(folder / "s.csv")
    if command == "reference-size":
        schemes = refitted(scores, SCHEMES, ties="rounded")
        return ReferenceSize(schemes, (2, 5, 8), 4, 6, ALPHAS, seed=7)
    if command == "halves":
        return Halves(standardized(scores, SCHEMES, ties="rounded"), "student_t", 0.2, 7)
    kind = {"within": Within, "between": Between}[command]
    return kind(standardized(scores, SCHEMES, ties="rounded"), 6, ALPHAS, seed=7)


def arguments(command: str, *more: str) -> list[str]:
    text = f"experiment {command} s.csv {GIVEN} --seed 7 --ties rounded --out out --jobs 1"
    if command == "halves":
        return replaced([*text.split(), "--alpha", "0.2"], more)
    text += " --size 6 --alpha 0.01 --alpha 0.05 --alpha 0.2"
    if command == "reference-size":
        text += " --systems 2 --systems 5 --systems 8 --held-out 4"
    return replaced(text.split(), more)


def read_like(table: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Read a table to the last digit."""
    return pd.read_csv(path, dtype=str).astype(table.dtypes)


@pytest.mark.parametrize("command", NAMES)
def test_tables_are_those_of_the_library(cdfscore: Run, write, tmp_path: Path, command) -> None:
    write(FILES)
    status, out, err = cdfscore(*arguments(command, "--trials", "12"))
    assert (status, out) == (0, "")
    found = {path.stem: path for path in (tmp_path / "out").iterdir()}
    assert found.keys() == NAMES[command] | {"experiment"}
    experiment = subject(command, tmp_path)
    for name, table in experiment.tables(run_trials(experiment, 12)).items():
        assert_frame_equal(read_like(table, found[name]), table, check_exact=True)
        assert b"\r" not in found[name].read_bytes()
    assert f"12 trials, {len(found)} files in out" in err
    assert "set.seed(7 + k): sample(1:14, " in err


def test_errors_are_reversed_by_another_command(cdfscore: Run, write) -> None:
    tasks = ",".join(f"task {t} WER" for t in range(8))
    rows = "".join(f"m{i}{''.join(f',{i + t}.5' for t in range(8))}\n" for i in range(3, 9))
    write({"errors.csv": f"model,{tasks}\n{rows}"})
    err = cdfscore(
        *["experiment", "halves", "errors.csv", "--scheme", "normal", "--trials", "1", "--out", "x"]
    )[2]
    assert "use cdfscore standardize --scheme raw --lower-is-better all if" in err
    assert "lower_is_better" not in err


def test_the_note_says_what_is_drawn(cdfscore: Run, write) -> None:
    write(FILES)
    notes = [cdfscore(*arguments(c, "--trials", "1", "--out", c))[2] for c in NAMES]
    assert "sample(1:14, 6)\n" in notes[0]
    assert "sample(1:14, 12), the first 6 as one" in notes[1]
    assert "sample(1:14, 12), the first 6 as one half, and sample(1:12), the last 4 as" in notes[2]
    assert "sample(1:14, 7) as one half, and the others as the other\n" in notes[3]
    given = f"experiment reference-size s.csv {GIVEN} --reference part.csv --trials 1 --out one"
    assert "k): sample(1:7)\n" in cdfscore(*given.split())[2]
    size = ("--size", "3", "--out", "two")
    expected = "sample(1:14, 6), the first 3 as one half, and sample(1:7)\n"
    assert expected in cdfscore(*replaced(given.split(), size))[2]


def tables_in(folder: Path, experiment, trials: int) -> None:
    """Compare all tables of a folder with those of the library."""
    found = {path.stem: path for path in folder.glob("*.csv")}
    tables = experiment.tables(run_trials(experiment, trials))
    assert found.keys() == tables.keys()
    for name, table in tables.items():
        assert_frame_equal(read_like(table, found[name]), table, check_exact=True)


def test_halves_of_two_collections(cdfscore: Run, write, tmp_path: Path) -> None:
    """Each is standardized by its own reference, and the figure has both names."""
    write(FILES)
    given = "halves s.csv --with d.csv --reference part.csv --with-reference d_ref.csv --figures"
    given += " --scheme raw --scheme E=empirical --test welch_t --seed 3 --trials 9 --out out"
    status, _, err = cdfscore("experiment", *given.split())
    assert status == 0
    assert "sample(1:23, 14) as the first collection, and the others as the other" in err
    own, other, reference, other_reference = (
        read_scores(tmp_path / f"{name}.csv") for name in ("s", "d", "part", "d_ref")
    )
    schemes = {"raw": "raw", "E": "empirical"}
    matrices = pooled(
        standardized(own, schemes, reference=reference),
        standardized(other, schemes, reference=other_reference),
    )
    tables_in(tmp_path / "out", Halves(matrices, "welch_t", seed=3), 9)
    drawn = (tmp_path / "out" / "halves.svg").read_text()
    assert "s.csv and d.csv" in drawn
    record = json.loads((tmp_path / "out" / "experiment.json").read_text())
    assert (record["options"]["other"], record["options"]["test"]) == ("d.csv", "welch_t")


def test_schemes_are_fitted_to_the_reference(cdfscore: Run, write, tmp_path: Path) -> None:
    write(FILES)
    given = "within s.csv --scheme empirical --size 6 --trials 5 --out out --reference part.csv"
    assert cdfscore("experiment", *given.split())[0] == 0
    matrices = standardized(
        read_scores(tmp_path / "s.csv"),
        {"empirical": "empirical"},
        reference=read_scores(tmp_path / "part.csv"),
    )
    experiment = Within(matrices, 6)
    expected = experiment.tables(run_trials(experiment, 5))["tau"]
    found = read_like(expected, tmp_path / "out" / "tau.csv")
    assert_frame_equal(found, expected, check_exact=True)


def test_missing_and_constant_scores_follow_their_policies(
    cdfscore: Run, write, tmp_path: Path
) -> None:
    write(FILES)
    given = "reference-size hole.csv --scheme empirical --missing drop_topic --trials 2 --out out"
    status, _, err = cdfscore("experiment", *given.split())
    assert (status, "sample(1:13, 12)" in err) == (0, True)
    given = "reference-size equal.csv --scheme normal --constant half --trials 9 --out half"
    assert cdfscore("experiment", *given.split())[0] == 0
    constant = pd.read_csv(tmp_path / "half" / "constant.csv")
    assert constant["constant"].iloc[0] > 0


@pytest.mark.long
def test_figures_are_drawn_beside_the_tables(cdfscore: Run, write, tmp_path: Path) -> None:
    write(FILES)
    given = arguments("reference-size", "--trials", "2", "--scheme", "raw", "--figures")
    status, _, err = cdfscore(*given)
    assert (status, "2 trials, 9 files in out" in err) == (0, True)
    drawn = {path.name: path.read_bytes() for path in (tmp_path / "out").glob("reference_size.*")}
    assert drawn["reference_size.pdf"].startswith(b"%PDF")
    assert b"s.csv" in drawn["reference_size.svg"]
    status, _, err = cdfscore(*given[:-1])
    assert (status, "reference_size.svg of an earlier run is removed" in err) == (0, True)
    assert {p.name for p in (tmp_path / "out").glob("reference_size.*")}.isdisjoint(drawn)


def test_an_interrupted_run_is_resumed(
    cdfscore: Run, write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(FILES)
    given = arguments("between", "--trials", "260")
    cache = tmp_path / "out" / "cached-trials"

    def fail(contents: object) -> None:
        raise OutputError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(files, "write_whole", fail)
        status, _, err = cdfscore(*given)
        assert (status, without_cautions(err)) == (2, "cdfscore: the disk is full\n")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["cached-trials"]
    status, _, message = cdfscore(*given)
    assert status == 2
    assert "260 trials of this experiment are cached" in message
    assert "resume" in message
    assert cdfscore(*given, "--resume")[0] == 0
    assert not cache.exists()
    experiment = subject("between", tmp_path)
    expected = experiment.tables(run_trials(experiment, 260))["type1"]
    found = read_like(expected, tmp_path / "out" / "type1.csv")
    assert_frame_equal(found, expected, check_exact=True)


@pytest.mark.parametrize(
    ("words", "said"),
    cases(
        """
        within s.csv --scheme gumbel | cdfscore: there is no scheme 'gumbel'
        within s.csv --scheme a=gumbel | no scheme 'gumbel'
        within s.csv --scheme uniform:C=1 | no setting 'C'
        within s.csv --scheme a=z --scheme a=raw | 'a' is given twice
        within s.csv --scheme z --scheme z | 'z' is given twice
        within s.csv --scheme =z | '=z' | not empty
        within s.csv --scheme reference_systems=z | 'reference_systems' | column
        within s.csv --scheme z --size 15 | --size 15 is not accepted | 2 to 14
        between s.csv --scheme z --size 1 | --size 1 is not accepted | 2 to 7
        between s.csv --scheme z --trials 0 | trials is 0 | 1 or more
        between s.csv --scheme z --alpha 0 | --alpha 0.0 is | 1e-12 to 0.99
        between s.csv --scheme z --alpha 0.1 --alpha 0.05 | rising
        between s.csv --scheme z --ties some | --ties some | one of exact
        between s.csv --scheme z --seed 2147483648 | --seed 2147483648 | 2147483647
        within s.csv --scheme z --size 9 --seed 2147483645 --trials 9 | --trials 9
        between s.csv --scheme z --jobs 0 | jobs is 0
        between hole.csv --scheme z | hole.csv | topic '303' | 's3'
        between one.csv --scheme raw | one.csv | 1 system | 2 or more
        between no.csv --scheme z | no.csv cannot be read
        within s.csv --scheme z --reference r.csv | r.csv cannot be read
        between s.csv --scheme z --out file | --out file | a folder
        between s.csv --scheme z --out file/o | --out file/o
        between s.csv --scheme z --constant half | half | not for z
        within s.csv --scheme z --reference same.csv --size 9 | scheme z: | inf
        reference-size s.csv --scheme z --systems 5 --systems 3 | rising
        reference-size s.csv --scheme z --systems 1 | --systems 1 | from 2
        reference-size s.csv --scheme z --held-out 12 | whole number from 2 to 10
        reference-size s.csv --scheme z --size 8 | 2 to 7
        reference-size equal.csv --scheme z | z: topic '3 | 'urbano2019'
        reference-size equal.csv --scheme z --constant raise | all equal
        halves s.csv --scheme z --test paired_t | paired_t does not test
        halves s.csv --scheme z --test t | no significance test 't'
        halves s.csv --scheme z --alpha 0 | --alpha 0.0 is not accepted
        halves s.csv --scheme z --with no.csv | no.csv cannot be read
        halves s.csv --scheme z --with part.csv | s.csv and part.csv: the second collection has no
            system 's7' | expected the same systems
        halves part.csv --scheme z --with s.csv | part.csv and s.csv: the first collection has no
            system 's7'
        halves few.csv --scheme z | few.csv: there are 3 topics; expected 4
        between few.csv --scheme z | few.csv: there are 3 topics; expected 4
        within single.csv --scheme z | single.csv: there is 1 topic; expected 2
        reference-size few.csv --scheme z | few.csv: there are 3 topics; expected 4 or more, 2 in
            each of the two samples
        reference-size single.csv --scheme z --reference s.csv | single.csv, by the reference s.csv:
            there is 1 topic; expected 2 or more
        halves d.csv --scheme z --with single.csv | d.csv and single.csv: there is 1 topic in the
            second collection
        reference-size s.csv --scheme z --reference one.csv | one.csv: the reference has 1 system;
            expected 2
        halves s.csv --scheme z --with s.csv | 14 topics | in both
        halves one.csv --scheme raw | one.csv | 1 system | 2 or more
        halves s.csv --scheme z --with hole.csv | hole.csv | '303'
        reference-size s.csv --scheme z --reference fewer.csv | s.csv, by the reference fewer.csv |
            '301'
        reference-size s.csv --scheme z --reference d_ref.csv | s.csv, by the reference d_ref.csv
        reference-size s.csv --scheme z --reference part.csv --held-out 3 | --held-out 3 is not
            accepted with a reference
        reference-size s.csv --scheme z --reference part.csv --systems 8 | from 2 to 7
        reference-size s.csv --scheme z --reference hole.csv | hole.csv | 's3'
        within s.csv --scheme raw --reference part.csv | --reference part.csv has no effect on raw
            scores
        reference-size s.csv --scheme z --trials 0 | trials is 0
        """
    ),
)
def test_bad_input_is_refused_in_a_sentence(sentence, words: str, said: list[str]) -> None:
    given = words.split() + ([] if "--out" in words else ["--out", "out"])
    message = sentence(FILES, ["experiment", *given])
    for each in said:
        assert each in message


def test_a_late_failure_leaves_no_folder(sentence) -> None:
    # Trial 0 draws no sample of equal scores; a later one does.
    table = SCORES.copy()
    table.iloc[5, :2] = 0.5
    given = "reference-size s.csv --scheme z --systems 2 --held-out 9 --out new/out --trials 500"
    files = {"s.csv": table.to_csv(index_label="topic")}
    given = ["experiment", *given.split(), "--jobs", "1"]
    assert "of equal scores" in sentence(files, given)


def test_scores_are_not_overwritten(sentence) -> None:
    given = ["experiment", "within", "tau.csv", "--scheme", "raw", "--size", "3", "--out", "."]
    assert "would overwrite SCORES, tau.csv" in sentence({"tau.csv": FILES["s.csv"]}, given)


@pytest.mark.parametrize(
    ("words", "said"),
    cases(
        """
        within s.csv --out out | Missing option '--scheme'
        within --scheme z --out out | Missing argument 'SCORES'
        within s.csv --scheme z --out out --systems 3 | No such option: --systems
        halves s.csv --scheme z --out out --with-reference s.csv | needs --with OTHER
        halves s.csv --scheme z --out out --with d.csv --reference s.csv | need each other
        reference-size s.csv --scheme z --out out --extra-topics drop | --reference FILE
        across s.csv | No such command 'across'
        within s.csv --scheme z --out out --size x | valid integer
        """
    ),
)
def test_usage_is_explained(refused, words: str, said: list[str]) -> None:
    message = refused(FILES, ["experiment", *words.split()])
    assert said[0] in message
    assert "Traceback" not in message


def test_what_was_run_is_recorded(cdfscore: Run, write, tmp_path: Path) -> None:
    """Another kind of experiment does not go into the same folder; the same kind does."""
    write(FILES)
    assert cdfscore(*arguments("within", "--trials", "3"))[0] == 0
    record = json.loads((tmp_path / "out" / "experiment.json").read_text())
    assert record["experiment"] == "Within"
    assert record["draws"] == "trial k, from 0: set.seed(7 + k); sample(1:14, 6)"
    assert record["cdfscore"] == __version__
    expected = {"scores": "s.csv", "size": 6, "seed": 7, "trials": 3, "ties": "rounded"}
    assert expected.items() <= record["options"].items()
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    status, _, err = cdfscore(*arguments("between", "--trials", "3"))
    assert status == 2
    assert "--out out has the results of Within; expected another folder for Between" in err
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before
    assert cdfscore(*arguments("within", "--trials", "4"))[0] == 0
