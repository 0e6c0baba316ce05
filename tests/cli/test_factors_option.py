"""``--factors FILE`` in place of a scheme and a reference, in every command that has one."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from cdfscore import Standardizer, datasets, save_factors
from cdfscore.io.scores import write_scores


@pytest.fixture
def files(tmp_path: Path) -> Path:
    scores = datasets.load_cranfield("ap").iloc[:30]
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
    assert "scores standardized by normal" in by_factors.err
    assert f"f.json, 17 systems, sha256:{digest}" in by_factors.err


def test_correlate_is_as_by_python(cdfscore, files) -> None:
    found = cdfscore("correlate", "s.csv", "few.csv", "--factors", "f.json", "-o", "-")
    assert found.status == 0, found.err
    assert found.out != cdfscore("correlate", "s.csv", "few.csv", "-o", "-").out
    assert "20 topics" in found.err  # of 30; absent topics are named


def test_verify_fits_the_reference_anew(cdfscore, files) -> None:
    found = cdfscore("verify", "s.csv", "--factors", "f.json", "--reference", "reference.csv")
    assert found.status == 0, found.err
    assert "agree" in found.out
    found = cdfscore("verify", "reference.csv", "--factors", "f.json", "--test", "paired_t")
    assert found.status == 0, found.err
    refused = cdfscore("verify", "s.csv", "--factors", "f.json")
    assert refused.status == 2
    assert "expected the scores that they were fitted to, by --reference" in refused.err


def test_diagnose_takes_the_distributions_as_they_are(cdfscore, files) -> None:
    command = ("diagnose", "s.csv", "--factors", "f.json", "--bootstrap", "99")
    found = cdfscore(*command)
    assert found.status == 0, found.err
    assert "normal is taken as it was fitted to other scores, and" in found.err
    assert cdfscore(*command, "-o", "d.json").status == 0
    results = json.loads((files / "d.json").read_text())
    assert results["schemes"] == ["normal"]
    assert [row["scheme_a"] for row in results["sensitivity"]["conclusions"]] == ["raw"]


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
    ("arguments", "message"),
    [
        (
            ("compare", "s.csv", "--test", "sign", "--scheme", "raw"),
            "--factors and --scheme exclude",
        ),
        (("compare", "s.csv", "--test", "sign", "--reference", "few.csv"), "--reference exclude"),
        (
            ("compare", "s.csv", "--test", "sign", "--lower-is-better", "1"),
            "--lower-is-better excl",
        ),
        (
            ("compare", "s.csv", "--test", "sign", "--all-lower-is-better"),
            "--all-lower-is-better e",
        ),
        (("correlate", "s.csv", "few.csv", "--scheme", "normal"), "--scheme exclude each other"),
        (("diagnose", "s.csv", "--scheme", "normal"), "--scheme exclude each other"),
        (("diagnose", "reference.csv"), "were fitted to these very scores"),
        (("verify", "s.csv", "--scheme", "normal"), "--scheme exclude each other"),
    ],
)
def test_what_factors_have_settled_is_not_said_again(
    cdfscore, files, arguments: tuple[str, ...], message: str
) -> None:
    found = cdfscore(*arguments, "--factors", "f.json")
    assert found.status == 2
    assert message in found.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("compare", "s.csv", "--test", "sign", "--factors", "none.json"), "none.json"),
        *(
            (
                (*command, "--factors", "s.csv"),
                "s.csv is a table, as of scores, and no file of factors; expected one that "
                f"'cdfscore standardize --save-factors FILE' has written{where}",
            )
            for command, where in (
                (("compare", "s.csv", "--test", "sign"), "; scores go to --reference"),
                (("verify", "s.csv"), "; scores go to --reference"),
                (("diagnose", "s.csv"), ""),
                (("correlate", "s.csv", "s.csv"), ""),
            )
        ),
        (
            ("apply", "s.csv", "s.csv"),
            "s.csv is a CSV file, which has factors only if it has means",
        ),
        (("apply", "s.csv", "s.csv"), "standard deviations as well, by --sds, or a file of"),
        (("compare", "s.csv", "--test", "sign", "--factors", "-"), "expected the name of a file"),
        (("verify", "s.csv"), "expected --scheme SCHEME or --factors FILE"),
        (("diagnose", "s.csv", "--extra-topics", "drop"), "needs --factors FILE"),
    ],
)
def test_bad_factors_are_refused(cdfscore, files, arguments: tuple[str, ...], message: str) -> None:
    found = cdfscore(*arguments)
    assert found.status == 2
    assert message in " ".join(found.err.split())


def test_extra_topics_are_refused_or_dropped(cdfscore, files) -> None:
    scores = pd.read_csv(files / "s.csv", dtype={"topic": str})
    scores.loc[len(scores)] = ["x", 0.1, 0.2, 0.3, 0.4]
    scores.to_csv(files / "more.csv", index=False)
    command = ("compare", "more.csv", "--test", "paired_t", "--factors", "f.json")
    refused = cdfscore(*command)
    assert refused.status == 2
    assert "1 of 31 topics has no factors, such as 'x'" in refused.err
    done = cdfscore(*command, "--extra-topics", "drop")
    assert done.status == 0, done.err
    assert "topic x has no factors and is dropped" in done.err
