"""``--factors FILE`` in place of a scheme and a reference, in every command that has one."""

import tarfile
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from cdfscore import Standardizer, datasets, load_factors, save_factors
from cdfscore.scores.writing import write_scores
from tests.cli.conftest import cases
from tests.commands import commands
from tests.moments import write_moments


@pytest.fixture
def files(tmp_path: Path) -> Path:
    scores = datasets.load_cranfield("ap").iloc[:30]
    scores.attrs.clear()  # of no measure that is named
    write_scores(scores.iloc[:, ::4], tmp_path / "reference.csv")
    write_scores(scores.iloc[:, 1:9:2], tmp_path / "s.csv")
    write_scores(scores.iloc[10:, 1:9:2], tmp_path / "few.csv")
    save_factors(Standardizer("normal").fit(scores.iloc[:, ::4]), tmp_path / "f.json")
    return tmp_path


def test_compare_is_as_by_the_reference(cdfscore, files) -> None:
    command = ("compare", "s.csv", "--test", "paired_t")
    by_factors = cdfscore(*command, "--factors", "f.json")
    by_reference = cdfscore(*command, "--scheme", "normal", "--reference", "reference.csv")
    assert by_factors.status == by_reference.status == 0
    assert by_factors.out == by_reference.out
    digest = by_reference.err.partition("sha256:")[2].partition(".")[0]
    assert "scores standardized by N-std" in by_factors.err
    assert f"f.json, 17 systems, sha256:{digest}" in by_factors.err


@pytest.mark.clause("digest.2")
def test_verify_knows_the_reference_in_any_order(cdfscore, files, tmp_path: Path) -> None:
    frame = pd.read_csv(tmp_path / "reference.csv", index_col=0, dtype={"topic": str})
    frame.iloc[::-1, ::-1].to_csv(tmp_path / "reversed.csv")
    for test in ((), ("--test", "paired_t")):
        command = ("verify", "s.csv", "--factors", "f.json", "--reference", "reversed.csv", *test)
        found = cdfscore(*command)
        assert found.status == 0, found.err
        assert "agree" in found.out
    frame.iloc[0, 0] += 0.25
    frame.to_csv(tmp_path / "reversed.csv")
    assert "R fits the scheme again, and needs the scores that" in cdfscore(*command).err


def test_policies_are_those_of_the_factors_unless_typed(cdfscore, files) -> None:
    scores = pd.read_csv(files / "s.csv", dtype={"topic": str})
    scores.iloc[3, 2] = None
    scores.to_csv(files / "gap.csv", index=False)
    command = ("compare", "gap.csv", "--test", "paired_t", "--factors", "f.json")
    refused = cdfscore(*command)
    assert refused.status == 2
    assert "missing" in refused.err
    done = cdfscore(*command, "--missing", "omit")
    assert done.status == 0, done.err
    assert "n = 29 to 30" in done.err


@pytest.mark.parametrize(
    ("words", "said"),
    cases(
        """
        compare s.csv --test sign --scheme raw | --factors and --scheme exclude
        compare s.csv --test sign --reference few.csv | --reference exclude
        compare s.csv --test sign --lower-is-better 1 | --lower-is-better excl
        compare s.csv --test sign --all-lower-is-better | --all-lower-is-better e
        correlate s.csv few.csv --scheme normal | --scheme exclude each other
        diagnose s.csv --scheme normal | --scheme exclude each other
        diagnose reference.csv | were fitted to these scores
        verify s.csv --scheme normal | --scheme exclude each other
        """
    ),
)
def test_what_factors_have_settled_is_not_said_again(
    cdfscore, files, words: str, said: list[str]
) -> None:
    found = cdfscore(*words.split(), "--factors", "f.json")
    assert found.status == 2
    assert said[0] in found.err


@pytest.mark.parametrize(
    ("words", "said"),
    cases(
        """
        compare s.csv --test sign --factors none.json | none.json
        compare s.csv --test sign --factors s.csv | s.csv has scores or me
        compare s.csv --test sign --factors - | expected the name of a file
        verify s.csv | or --factors FILE, --formula
        diagnose s.csv --extra-topics drop | needs --factors FILE
        correlate s.csv few.csv --extra-topics drop | needs --factors FILE
        compare s.csv --sds sds.csv | --sds needs one --factors FILE
        correlate s.csv few.csv --sds sds.csv | --sds needs one --factors FILE
        diagnose s.csv --sds sds.csv | --sds needs one --factors FILE
        plan s.csv --goal ci_width:width=1 --track T7 | --track needs one --factors FILE
        compare s.csv --factors f.json --track T7 | f.json does not end in .tar.gz, and only such
            archives have tracks
        """
    ),
)
def test_bad_factors_are_refused(cdfscore, files, words: str, said: list[str]) -> None:
    found = cdfscore(*words.split())
    assert found.status == 2
    assert said[0] in " ".join(found.err.split())


@pytest.mark.parametrize("command", ["compare more.csv", "correlate s.csv more.csv"])
def test_the_message_on_an_extra_topic_names_an_option(cdfscore, files, command: str) -> None:
    scores = pd.read_csv(files / "s.csv", dtype={"topic": str})
    scores.loc[len(scores)] = ["x", 0.1, 0.2, 0.3, 0.4]
    scores.to_csv(files / "more.csv", index=False)
    by_factors = (*command.split(), "--factors", "f.json")
    refused = cdfscore(*by_factors)
    assert refused.status == 2
    assert "say --extra-topics drop to omit such topics" in refused.err
    done = cdfscore(*by_factors, "--extra-topics", "drop", "-o", "o.csv")
    assert done.status == 0, done.err
    assert "topic x has no factors and is dropped" in done.err


def by(command: str, factors: str, *options: str) -> list[str]:
    """Return the words of a command with a file of factors."""
    words = command.replace("FACTORS", factors).split()
    return [*words, *([] if "FACTORS" in command else ["--factors", factors]), *options]


@pytest.fixture
def published(files: Path) -> Path:
    """Means and standard deviations of two measures, in each format."""
    ap = load_factors(files / "f.json")
    both = [replace(ap, measure="map"), replace(ap, measure="P_10")]
    write_moments(both, files / "means.csv", files / "sds.csv")
    write_moments(both, files / "both.tar.gz")
    return files


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "command",
    [
        "plot per_topic s.csv -o o.svg",
        "report s.csv -o o.html",
        "model s.csv --formula score~topic+system -o o.csv",
        "mixed-model s.csv --formula score~system -o o.csv",
        "plan s.csv --goal generalizability:reliability=0.5",
    ],
)
def test_every_other_command_takes_them_too(cdfscore, published, command: str) -> None:
    both = ("--sds", "sds.csv", "--measure", "map")
    done = cdfscore(*command.split(), "--factors", "means.csv", *both)
    assert done.status == 0, done.err
    with tarfile.open(published / "all.tar.gz", "w:gz") as tar:
        for track in ("T7", "T8"):
            for moment, ending in (("means", "mean.csv"), ("sds", "stdev.csv")):
                tar.add(published / f"{moment}.csv", f"tracks/{track}.adh.{ending}")
    own = ("--factors", "all.tar.gz", "--measure", "map")
    assert cdfscore(*command.split(), *own, "--track", "t7").status == 0
    refused = cdfscore(*command.split(), *own, "--track", "adh")
    assert refused.status == 2
    assert "several of them match --track adh" in refused.err


def test_all_commands_but_verify_have_the_same_options_for_factors() -> None:
    for name, command in commands():
        options = {option for each in command.params for option in each.opts}
        if "--factors" in options and name != "verify":
            assert {"--sds", "--track", "--extra-topics", "--measure"} <= options, name


def test_verify_needs_factors_that_were_fitted(cdfscore, published, write) -> None:
    """Of published moments this is said at once, before a measure or a track is asked for."""
    with tarfile.open(published / "tracks.tar.gz", "w:gz") as tar:
        for name in ("T7.mean.csv", "T7.stdev.csv", "T8.mean.csv", "T8.stdev.csv"):
            tar.add(published / "means.csv", name)
    write({"z.txt": "301 map 0.2 0.1\n301 P_10 0.5 0.1\n", "s.tsv": "topic\ta\n301\t1\n"})
    message = "published means and standard deviations have no scores to fit"
    for file in ("means.csv", "both.tar.gz", "tracks.tar.gz", "z.txt", "s.tsv", "reference.csv"):
        for more in ((), ("--measure", "map", "--reference", "reference.csv")):
            found = cdfscore(*by("verify s.csv", file, *more))
            assert found.status == 2
            assert f"cdfscore: {file} has no factors that cdfscore saved" in found.err, found.err
            assert message in found.err
            assert "--scheme with the scores to fit by --reference" in found.err
    absent = cdfscore(*by("verify s.csv", "absent.tar.gz"))
    assert (absent.status, "absent.tar.gz cannot be read: No such" in absent.err) == (2, True), (
        absent.err
    )


def test_factors_of_trec_eval_serve_its_output(cdfscore, write, shared_data: Path) -> None:
    for name in ("out.test.aq", "zscores_file"):
        write({name: (shared_data / "trec_eval" / name).read_bytes()})
    measure = ("--measure", "map")
    run = ("out.test.aq", "x=out.test.aq", "--factors", "zscores_file", *measure, "-o", "-")
    applied = cdfscore("apply", "zscores_file", "out.test.aq", *measure)
    compared = cdfscore("compare", *run)
    assert compared.status == 0, compared.err
    assert "the factors are of the measure map" in compared.err
    assert "scores standardized by z" in compared.err
    assert applied.status == 0
    alone = cdfscore("correlate", *run[:1], *run[:1], *run[2:])
    assert "there is only system" in alone.err  # both files were read and standardized


def test_factors_of_standardize_are_those_of_apply(cdfscore) -> None:
    found = cdfscore("standardize", "s.csv", "--scheme", "normal", "--factors", "f.json")
    assert found.status == 2
    assert "'cdfscore apply' standardizes by the factors of a file" in " ".join(found.err.split())
