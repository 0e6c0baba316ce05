"""`verify` of the part of the reference systems in the uncertainty: R fits each resample anew."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore import Standardizer, compare, datasets
from cdfscore.comparison import in_r as uncertain
from cdfscore.comparison.pairs import Family
from cdfscore.comparison.reference_uncertainty import (
    PARTS,
    Refits,
    variances_of,
)
from cdfscore.errors import CdfscoreError
from cdfscore.r.verify import WAYS
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance import bootstrap
from tests import a_tenth
from tests.uncertain import reference_uncertainty
from tests.verified import verify

pytestmark = [
    pytest.mark.usefixtures("rinterface"),
    pytest.mark.filterwarnings("ignore::cdfscore.CdfscoreWarning"),
]

AP = datasets.load_cranfield("ap").iloc[:12, ::3].rename_axis("topic")
NEW, OTHERS = AP.iloc[:, :3], AP.iloc[:, 8:18]
NAMES = [name.replace("_", " ") for name in PARTS]
ROWS = [
    *(f"mean: {name}" for name in NAMES),
    "difference",
    *(f"difference: {name}" for name in NAMES),
]


def checked(scores: pd.DataFrame, how: Any, **options: Any) -> pd.DataFrame:
    arguments = {"test": "paired_t", "reference_uncertainty": 200, "seed": 5, **options}
    table = verify(scores, how, **arguments)
    assert list(table["quantity"])[-len(ROWS) :] == ROWS
    assert table.attrs["further"][-len(ROWS) :] == ROWS
    return table.set_index("quantity")


@pytest.mark.one_in(6)
@pytest.mark.parametrize("via", WAYS)
@pytest.mark.parametrize("scheme", ["normal", "empirical", "uniform"])
def test_every_number_agrees(scheme: str, via: str) -> None:
    for reference in (OTHERS, OTHERS.iloc[:, :5], AP.iloc[:, :12], None):
        scores = NEW if reference is not None else AP.iloc[:, :9]
        table = checked(scores, scheme, reference=reference, via=via)
        assert table["agrees"].all(), table.to_string()
        systems = scores.shape[1]
        assert table["count"]["mean: stderr both"] == systems
        assert table["count"]["difference: both df"] == systems * (systems - 1) // 2
        # Hardly a digit is lost where nothing cancels, so that no large bound is at work.
        of_variances = [row for row in ROWS if "stderr" in row or "share" in row or "df" in row]
        assert (table.loc[of_variances, "max_rel"] < 1e-13).all(), table.to_string()
        resamples = "all 5^5" if reference is not None and reference.shape[1] == 5 else "B = 200"
        assert resamples in table.attrs["notes"][-1]


def test_the_numbers_are_those_of_compare() -> None:
    table = checked(NEW, "normal", reference=OTHERS, test="paired_t:conf_level=0.9")
    found = compare(
        *(NEW, "paired_t:conf_level=0.9"),
        scheme="normal",
        reference=OTHERS,
        reference_uncertainty=200,
        seed=5,
    ).uncertainty
    assert found is not None
    labels = [f"{a} - {b}" for a, b in zip(found.pairs.system_a, found.pairs.system_b, strict=True)]
    for of, own, names in (
        ("mean", found.means, list(found.means["system"])),
        ("difference", found.pairs, labels),
    ):
        for part in PARTS:
            row = table.loc[f"{of}: {part.replace('_', ' ')}"]
            assert row["python"] == own[part].to_numpy()[names.index(str(row["system"]))]


@pytest.mark.one_in(8)
@pytest.mark.parametrize(
    "how",
    [
        Standardizer("normal", constant="nan", missing="omit", unfitted="nan"),
        Standardizer("normal", constant="matters", missing="omit", unfitted="drop_topic"),
        Standardizer("empirical", constant="half", missing="omit", unfitted="nan"),
        Standardizer("uniform", missing="zero"),
        Standardizer("minmax", missing="drop_topic"),
        Standardizer("normal", missing="drop_topic", lower_is_better=True, reflect_at=1.0),
        Standardizer("kernel:bandwidth=sj", missing="omit", unfitted="nan"),
        Standardizer("kernel:bandwidth=sj", missing="omit", unfitted="drop_topic"),
        Standardizer("centered", missing="omit", unfitted="nan"),
        Standardizer("zero_inflated:family=gamma", missing="omit", unfitted="nan"),
    ],
    ids=lambda how: f"{how.scheme.name}-{how.constant}-{how.missing}-{how.unfitted}",
)
@pytest.mark.parametrize("own", [True, False])
def test_policies_hold_in_each_resample(how: Standardizer, own: bool) -> None:
    values = np.random.default_rng(1).integers(0, 6, (12, 10)) / 5
    values[3], values[4, :8] = 0.4, 0.2  # t4 has no bandwidth sj, and has one in some resamples
    values[0, 0] = values[5, 6] = values[5, 1] = np.nan
    scores = pd.DataFrame(
        values, index=[f"t{k}" for k in range(12)], columns=[f"s{k}" for k in range(10)]
    )
    reference = scores if own else scores.iloc[:, 1:]
    others = None if own else reference
    table = checked(scores, how, reference=others, baselines=["s4", "s1"])
    assert table["agrees"].all(), table.to_string()
    assert table["count"]["difference: stderr both"] == 17
    if "sj" in str(how.scheme):
        assert list(how.fit(reference).unfitted_topics) == ["t4"]
        said = "R stops in resamples of the reference systems ("
        assert any(note.startswith(said) for note in table.attrs["notes"]), table.attrs["notes"]


def test_the_bound_of_rounding_is_that_of_the_sums() -> None:
    """Each of 200 resamples adds 2^-53 or so; a bound far above it would hide an error."""
    found = Standardizer("normal").standardize(NEW, OTHERS)
    drawn = bootstrap.resamples(OTHERS.shape[1], 200, 5)
    family = Family.of(list(NEW.columns))
    variances = variances_of(found, Refits.of(found), family, drawn).means
    of_reference, within = variances.rounding(False, 200)
    numbers = variances.columns(False, 0.95)
    assert (of_reference < 1e-12 * numbers["stderr_reference"]).all()
    assert (within < 1e-13 * numbers["stderr_topics"]).all()
    assert (of_reference > 200 * 2.0**-53 * numbers["stderr_reference"]).all()


@pytest.mark.long
@a_tenth
@given(st.integers(0, 10**6), st.sampled_from(["normal", "z", "minmax", "empirical"]))
def test_scores_of_any_size_agree(seed: int, scheme: str) -> None:
    """Topics of other scales, and few systems that make the resamples vary widely."""
    rng = np.random.default_rng(seed)
    size = 10.0 ** rng.integers(-6, 6, (6, 1))
    values = pd.DataFrame(
        size * rng.normal(rng.normal(), 1, (6, 12)), columns=[f"s{k}" for k in range(12)]
    )
    table = checked(values.iloc[:, :2], scheme, reference=values.iloc[:, 3:], seed=seed)
    assert table["agrees"].all(), table.to_string()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("part", PARTS)
def test_a_wrong_number_is_found(monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    def wrong(*arguments: Any) -> Any:
        found = variances_of(*arguments)
        columns = found.pairs.columns

        def off(exact: bool, conf_level: float) -> dict[str, Array]:
            numbers = columns(exact, conf_level)
            return {**numbers, part: numbers[part] * np.array([1, 1 + 1e-9, 1])}

        monkeypatch.setattr(found.pairs, "columns", off)
        return found

    monkeypatch.setattr(uncertain, "variances_of", wrong)
    table = checked(NEW, "normal", reference=OTHERS)
    apart = table[~table["agrees"]]
    assert list(apart.index) == [f"difference: {part.replace('_', ' ')}"]
    assert apart["system"].item() == f"{NEW.columns[0]} - {NEW.columns[2]}"


@pytest.mark.parametrize(
    ("how", "options", "message"),
    [
        ("normal", {"reference_uncertainty": 0}, "seed=5 is for resamples of the reference"),
        ("normal", {"reference_uncertainty": 199}, "reference_uncertainty=199 is not accepted"),
        ("normal", {"reference_uncertainty": True}, "reference_uncertainty=True is not accepted"),
        ("normal", {"seed": -1}, "seed=-1 is not accepted"),
        ("normal", {"test": "friedman"}, "is for differences between two systems"),
        ("normal", {"test": "welch_t"}, "welch_t is a test of unpaired scores"),
        ("raw", {}, "nothing is fitted to reference systems for raw"),
        (Standardizer("normal").fit(OTHERS), {"reference": OTHERS}, "do not have the scores of"),
        ("normal", {"reference": OTHERS.iloc[:, :2]}, "there are 2 reference systems to resample"),
        (
            "normal",
            {"reference_uncertainty": 99_999},
            r"R would fit normal to 12 topics of 99,999 resamples, which takes about \d+ "
            r"minutes, and the limit is 2; expected reference_uncertainty=\d+ or less",
        ),
        (
            "logspline",
            {"reference": AP},
            "expected fewer topics, or a scheme that R fits faster",
        ),
    ],
)
def test_bad_input_is_refused(how: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(CdfscoreError, match=message):
        checked(NEW, how, **{"reference": OTHERS, **options})


@pytest.mark.long
def test_the_command_and_its_script(
    cdfscore: Callable[..., tuple[int, str, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    NEW.to_csv("new.csv")
    OTHERS.to_csv("old.csv")
    start = ("verify", "new.csv", "--reference", "old.csv", "--scheme", "uniform")
    asked = ("--test", "paired_t", "--reference-uncertainty", "200", "--seed", "5")
    status, out, err = cdfscore(*start, *asked)
    assert status == 0
    assert "difference: stderr reference" in out
    assert "10 reference systems are drawn with replacement, B = 200, seed 5" in err
    status, _, err = cdfscore(*start, *asked, "--script", "check.R")
    assert status == 0
    assert "check.draws has the random draws of the reference systems, 2,000 bytes" in err
    assert "run the script as: Rscript --vanilla check.R new.csv old.csv check.draws" in err

    def run(*files: str) -> tuple[int, str, str]:
        command = ["Rscript", "check.R", *files]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    status, out, err = run("new.csv", "old.csv", "check.draws")
    assert status == 0, err
    found = reference_uncertainty(NEW, "uniform", reference=OTHERS, resamples=200, seed=5).pairs
    theirs = [
        float(line.rpartition(",")[2])
        for line in out.splitlines()
        if line.startswith("difference: stderr both,")
    ]
    np.testing.assert_allclose(theirs, found["stderr_both"], rtol=1e-12)
    assert "none.draws does not exist; expected the draws of the reference systems" in " ".join(
        run("new.csv", "old.csv", "none.draws")[2].split()
    )
    # All resamples of 5 systems are found by R, and there are no draws.
    OTHERS.iloc[:, :5].to_csv("old.csv")
    status, _, err = cdfscore(*start, *asked, "--script", "all.R")
    assert status == 0
    assert "run the script as: Rscript --vanilla all.R new.csv old.csv\n" in err
    assert not Path("all.draws").exists()
    status, out, err = cdfscore(*start, "--reference-uncertainty", "200")
    assert (status, out) == (2, "")
    assert "--reference-uncertainty needs --test" in err
