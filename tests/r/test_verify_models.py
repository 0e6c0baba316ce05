"""`verify` of models and goals: every number of R agrees, and a wrong one does not."""

import itertools
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer
from cdfscore.errors import CdfscoreError, ModelError
from cdfscore.models import anova, d_study, g_study, plan
from cdfscore.models import in_r as modelled
from cdfscore.models.anova import SumsType
from cdfscore.models.goals import Interval, PairedT, Pilot, goals
from tests.cli.conftest import Run, Write
from tests.models.designs import COMPONENTS, FORMULAS, scores
from tests.models.pilots import GOALS, pilot_scores
from tests.verified import verify, verify_result

FRAMES = {"complete": scores(), "holes": scores(missing=0.1, systems=23)}
RAW = Standardizer("raw", missing="omit")
OF_TABLE = [
    "sum of squares",
    "degrees of freedom",
    "F",
    "p value of F",
    "partial eta squared",
    "partial omega squared",
]
GOALS_R = Path(modelled.__file__).with_name("goals.R")

pytestmark = [
    pytest.mark.one_in(2),
    pytest.mark.usefixtures("rinterface"),
]


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("place", "formula"), list(enumerate(FORMULAS)), ids=str)
def test_every_number_of_a_model_agrees(place: int, formula: str, long: bool) -> None:
    """Each formula with a type and a frame of its own; with --long with all."""
    every: list[tuple[str, SumsType]] = list(itertools.product(FRAMES, ("I", "II", "III")))
    for name, kind in every if long else [every[(5 * place + 2) % 6]]:
        _check_numbers(FRAMES[name], formula, kind)


def _check_numbers(frame: pd.DataFrame, formula: str, kind: SumsType) -> None:
    table = verify(frame, RAW, formula=formula, components=COMPONENTS, sums_of_squares=kind)
    assert table["agrees"].all(), table.loc[~table["agrees"]].T
    named = list(table["quantity"])
    assert named[2:8] == OF_TABLE
    found = table.set_index("quantity")["count"]
    terms = found["F"]
    assert found["sum of squares"] == found["degrees of freedom"] == terms + 1


@pytest.mark.long
def test_means_and_differences_are_those_of_terms_without_topic() -> None:
    table = verify(FRAMES["complete"], "raw", formula=FORMULAS[1], components=COMPONENTS)
    found = table.set_index("quantity")["count"]
    counts = {"stemmer": 3, "model": 4, "stoplist": 2, "stemmer:model": 12}
    assert [name for name in found.index if name.endswith(": mean")] == [
        f"{term}: mean" for term in counts
    ]
    for term, levels in counts.items():
        assert found[f"{term}: mean"] == levels
        for name in ("difference", "stderr of difference", "t", "p value of t", "p by tukey"):
            assert found[f"{term}: {name}"] == levels * (levels - 1) // 2
    assert not any(name.startswith("topic") for name in found.index)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("scheme", ["empirical", "normal", "kernel"])
def test_standardized_scores_are_those_of_r_too(scheme: str) -> None:
    frame = FRAMES["complete"]
    table = verify(frame, scheme, formula=FORMULAS[3], components=COMPONENTS)
    assert table["agrees"].all(), table.loc[~table["agrees"]].T


def test_a_wrong_number_of_a_model_is_found() -> None:
    found = anova(FRAMES["complete"], FORMULAS[0], COMPONENTS)
    found.table.loc[1, "sum_of_squares"] *= 1 + 1e-9
    table = verify_result(found)
    apart = table[~table["agrees"]]
    assert list(apart["quantity"]) == ["sum of squares"]
    assert apart["system"].item() == "system"


@pytest.mark.long
def test_an_f_of_rounding_agrees() -> None:
    """Its p value is 1 less the root of the rounding; as of x:y in these tied scores."""
    y = np.random.default_rng(96).integers(0, 5, (6, 4)) / 10
    frame = pd.DataFrame(y, index=[f"t{i}" for i in range(6)], columns=list("abcd"))
    cells = {"system": list("abcd"), "x": list("1122"), "y": list("1212")}
    table = verify(frame, "raw", formula="score ~ topic + x * y", components=pd.DataFrame(cells))
    assert table["agrees"].all(), table.loc[~table["agrees"]].T


@pytest.mark.long
def test_topics_far_apart_are_no_excuse() -> None:
    """R has p = 6e-74; 1 agreed, as the sum of squares of all scores was allowed as an error."""
    rng = np.random.default_rng(0)
    base = rng.integers(0, 2**27, 400).astype(np.float64)
    apart = np.round(rng.normal(0.0045, 0.004, 400) * 2**20) / 2**20
    base[0] += 0.5  # whole numbers that differ could be labels of topics
    frame = pd.DataFrame({"u": base, "v": base + apart})
    formula = "score ~ topic + system"
    table = verify(frame, "raw", formula=formula)
    assert table["agrees"].all(), table.loc[~table["agrees"]].T

    found = anova(frame, formula)
    system = found.table["term"] == "system"
    found.table.loc[system, ["sum_of_squares", "mean_square", "statistic"]] = 0.0
    found.table.loc[system, "p_value"] = 1.0
    table = verify_result(found).set_index("quantity")
    assert not table.loc[["sum of squares", "F", "p value of F"], "agrees"].any()


@pytest.mark.parametrize("exponent", [-700, 700])
@pytest.mark.parametrize("random", [None, ["topic"]])
def test_squares_that_r_cannot_add_are_refused(exponent: int, random: list[str] | None) -> None:
    frame = FRAMES["complete"] * 2.0**exponent
    side = "small" if exponent < 0 else "large"
    formula = "score ~ system" if random else "score ~ topic + system"
    with pytest.raises(ModelError, match=f"and its square is too {side} for R, which adds squares"):
        verify(frame, "raw", formula=formula, random=random)
    with pytest.raises(ModelError, match=f"^raw: .* and its square is too {side} for R"):
        verify_result(d_study(g_study(frame)))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("kind", ["I", "II"])
def test_topics_of_one_mean_agree(kind: SumsType) -> None:
    frame = FRAMES["complete"].iloc[:5, :3]
    table = verify(frame, "z", formula="score ~ topic + system", sums_of_squares=kind)
    assert table["agrees"].all(), table.loc[~table["agrees"]].T


@pytest.mark.one_in(4)
@pytest.mark.parametrize("via", ["rpy2", "rscript"])
@pytest.mark.parametrize("goal", GOALS)
def test_every_number_of_a_plan_agrees(goal: str, via: Any) -> None:
    table = verify(pilot_scores(), "raw", goal=goal, via=via)
    assert table["agrees"].all(), table.T
    assert list(table["quantity"])[2:4] == ["variance", "topics"]
    row = table.set_index("quantity").loc["topics"]
    assert (row["count"], row["allowed_ulp"]) == (1, 0)


@pytest.mark.parametrize("via", ["rpy2", "rscript"])
@pytest.mark.parametrize("scheme", [RAW, Standardizer("normal", missing="omit")], ids=str)
@pytest.mark.parametrize("frame", FRAMES.values(), ids=list(FRAMES))
def test_every_number_of_a_study_agrees(
    frame: pd.DataFrame, scheme: Standardizer, via: Any
) -> None:
    study = g_study(frame, scheme)
    both = 18 if study.complete else 10  # without intervals where scores are missing
    for result, rows in ((study, 6), (d_study(study, [1, 50], [0.5, 0.95]), both)):
        table = verify_result(result, via=via)
        assert table["agrees"].all(), table.T
        assert len(table) == rows


@pytest.mark.parametrize("against", ["r", "statsmodels"])
@pytest.mark.parametrize("unit", [1, 1e-120, 1e120])
def test_whole_numbers_and_large_squares_of_a_study_agree(unit: float, against: Any) -> None:
    tiny = pd.DataFrame([[0.0, 3.0], [2.0, 3.0]], ["t", "u"], ["a", "b"]) * unit
    wanted = [0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 0.95]
    far = pilot_scores() + 3000 * np.random.default_rng(1).normal(size=(60, 1))
    for result in (
        d_study(g_study(tiny), [5], wanted),
        d_study(g_study(far * unit), [5], wanted),
    ):
        table = verify_result(result, against=against)
        assert table["agrees"].all(), table.T


def test_a_wrong_number_of_a_study_is_found() -> None:
    study = g_study(pilot_scores())
    decision = d_study(study, [9], [0.5])
    for result, name in (
        (study, "components"),
        (decision, "reliability"),
        (decision, "topics_needed"),
    ):
        for column in getattr(result, name).columns.difference(["topics", "reliability"]):
            wrong = getattr(result, name).copy()
            wrong[column] = wrong[column] * (1 + 1e-8)
            table = verify_result(replace(result, **{name: wrong}))
            assert (~table["agrees"]).sum() == 1, (name, column, table.T)


@pytest.mark.parametrize("topics", [4, 100_000, 123_456, 1_000_000])
def test_round_numbers_of_topics_and_odd_reliabilities_have_one_name(topics: int) -> None:
    """R writes 1e+05 and 0.3 for 100,000 and 0.30000000000000004; its lgamma loses digits there."""
    frame = pilot_scores()
    width = Interval(0.3).at(topics, Pilot.of([frame.to_numpy()])) * (1 + 1e-9)
    found = plan(frame, Interval(width))
    assert found.topics == topics
    for result in (found, d_study(g_study(frame), [topics], [0.1 + 0.2, 1e-5])):
        table = verify_result(result)
        assert table["agrees"].all(), table.T


@pytest.mark.parametrize("goal", ["two_way:difference=0.002", "one_way:difference=0.005"])
def test_many_degrees_of_freedom(goal: str) -> None:
    """R's qf takes more than 400,000 for infinitely many, and so would its numbers of topics."""
    table = verify(pilot_scores(systems=30), "raw", goal=goal)
    assert table["agrees"].all(), table.T


def test_every_goal_has_its_function_of_r() -> None:
    text = GOALS_R.read_text(encoding="utf-8")
    assert [name for name in goals.names() if f"\n{name} <- function(n, variance" not in text] == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"formula": "score ~ system", "sums_of_squares": "IV"}, "sums_of_squares='IV' is not acc"),
        ({"formula": "score ~ stemmer"}, "stemmer"),
        ({"goal": "paired_t"}, "paired_t needs a value of difference"),
        ({"goal": 3}, "goal=3 is not accepted"),
    ],
)
def test_what_cannot_be_verified_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(CdfscoreError, match=message):
        verify(FRAMES["complete"], "raw", **arguments)


def test_a_design_on_which_r_would_take_very_long_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A design of 900 topics and their interactions takes long to set up; the limit is lower."""
    monkeypatch.setattr(modelled, "_MOST", 1e6)
    with pytest.raises(
        ModelError, match=r"R or statsmodels would solve 7 designs of 216 scores and 38 columns"
    ):
        verify(
            FRAMES["complete"],
            "raw",
            formula="score ~ topic * model + stemmer",
            components=COMPONENTS,
        )


@pytest.mark.long
def test_the_command_verifies_models_and_plans(cdfscore: Run, write: Write, tmp_path: Path) -> None:
    write(
        {
            "s.csv": FRAMES["complete"].to_csv(index_label="topic"),
            "c.csv": COMPONENTS.to_csv(index=False),
        }
    )
    model = ("--components", "c.csv", "--formula", "score ~ topic + stemmer * stoplist")
    status, out, _ = cdfscore("verify", "s.csv", *model)
    assert status == 0
    assert "partial omega squared" in out
    assert "stemmer:stoplist: p by tukey" in out
    assert "agrees with R" in out
    status, out, _ = cdfscore("verify", "s.csv", "--scheme", "normal", "--goal", GOALS[0])
    assert status == 0
    assert " 17 topics" in out
    assert "system 17 topics" not in out
    status, _, err = cdfscore("verify", "s.csv", *model, "--script", "check.R")
    assert status == 0
    text = (tmp_path / "check.R").read_text()
    assert "analysis of variance, type III, score ~ topic + stemmer * stoplist" in text
    assert "run the script as: Rscript --vanilla check.R s.csv" in err
    done = subprocess.run(
        [shutil.which("Rscript") or "Rscript", "--vanilla", "check.R", "s.csv"],
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    assert b"stemmer:stoplist: p by tukey" in done.stdout
    status, _, err = cdfscore("verify", "s.csv", *model, "--goal", GOALS[0])
    assert status == 2
    assert "--formula, --goal are given; expected one of them" in err
    status, _, err = cdfscore("verify", "s.csv", "--components", "c.csv", "--scheme", "raw")
    assert status == 2
    assert "none is given by --formula" in err


class ForThirdParties(PairedT):
    """A goal that needs more than one pilot tells."""

    def refusal(self, pilot: Pilot) -> str | None:
        return f"of {pilot.told} it tells nothing"


def test_a_goal_may_refuse_the_scores() -> None:
    with pytest.raises(ModelError, match="of 5 systems, 12 topics it tells nothing"):
        plan(pilot_scores(12, 5), ForThirdParties(difference=0.1))
