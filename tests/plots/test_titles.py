"""Long titles, captions and labels of all figures are in lines, and none is cut off."""

import re
import warnings
from pathlib import Path

import pandas as pd
import pytest

from cdfscore import (
    Standardizer,
    compare,
    diagnose,
    load_factors,
    save_factors,
    sensitivity,
)
from cdfscore.comparison.comparison import Comparison
from cdfscore.comparison.sensitivity import ConclusionGrid, Sensitivity
from cdfscore.diagnosis import Diagnosis
from cdfscore.errors import PlotError
from cdfscore.plots import plot_dkw
from cdfscore.plots.canvas import Drawing
from cdfscore.plots.experiments import experiment_figure, halves_figure, reference_size_figure
from cdfscore.plots.kinds import KINDS, Kind, panels
from cdfscore.scores.dataframes import remember
from cdfscore.standardization.standardized import Standardized
from tests.plots.legibility import drawn_texts, problems
from tests.plots.test_every_kind import result_of, scores
from tests.plots.test_experiments import BETWEEN, WITHIN
from tests.plots.test_halves import tables as of_halves
from tests.plots.test_reference_size import TABLES

# Of the figures that are not of each test, and one with mean ranks.
TEST = {"means": "nemenyi", "critical_difference": "conover"}
KERNEL = "kernel:bandwidth=sj,kernel=epanechnikov,boundary=none"
WILCOXON = "wilcoxon_signed_rank:alternative=two-sided,exact=False"


@pytest.mark.one_in(6)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("case", ["two", "same", "large", "negative"])
def test_two_systems_and_scores_of_any_size(kind: Kind, case: str) -> None:
    two = scores(2, 12)
    frame = {
        "two": two,
        "same": two.assign(run1=two["run0"]),
        "large": 1e6 * two,
        "negative": -100 * two,
    }[case]
    test = "nemenyi" if kind.name == "means" else "paired_t"
    with warnings.catch_warnings(action="ignore"):
        if kind.of is Standardized:
            drawn = Standardizer("normal").standardize(frame), {}
        elif kind.of is Comparison:
            drawn = compare(frame, test), {}
        else:
            drawn = result_of(kind, frame, "normal")
    undefined = ("volcano", "pairs", "critical_difference", "dkw", "wins")
    if case == "same" and kind.name in undefined:
        with pytest.raises(PlotError, match="expected"):
            panels(kind, [drawn])
    else:
        assert problems(panels(kind, [drawn])) == []


@pytest.mark.one_in(7)
@pytest.mark.parametrize("scheme", [KERNEL, "normal"], ids=["kernel", "normal"])
@pytest.mark.parametrize("systems", [3, 6, 25])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_nothing_is_cut_off(kind: Kind, systems: int, scheme: str) -> None:
    """And models and tasks are called so in every figure."""
    frame = scores(systems, 20)
    remember(frame, measure="normalized_expected_reciprocal_rank@1000", header="model")
    how = Standardizer(scheme, lower_is_better=True)
    with warnings.catch_warnings(action="ignore"):
        if kind.of is Standardized:
            result: object = how.standardize(frame)
        elif kind.of is Diagnosis:
            result = diagnose(frame, [scheme], bootstrap=0, lower_is_better=True)
        elif kind.of is Sensitivity:
            result = sensitivity(frame, [Standardizer("raw", lower_is_better=True), how])
        elif kind.of is ConclusionGrid:
            result = ConclusionGrid(
                [compare(frame, each, scheme=how) for each in ("sign", WILCOXON)]
            )
        else:
            result = compare(frame, TEST.get(kind.name, WILCOXON), scheme=how)
    keywords = {"scheme": scheme} if kind.of is Diagnosis else {}
    figure = panels(kind, [(result, keywords)])
    assert problems(figure) == []
    words = " ".join(text.get_text() for text in drawn_texts(figure)).lower()
    assert "topic" not in words
    assert "system" not in words


EXPERIMENTS = {
    "within": (experiment_figure, WITHIN, set()),
    "between": (experiment_figure, BETWEEN, {"tasks"}),
    "halves": (halves_figure, of_halves(["raw", "N-std"], two=True), {"tasks"}),
    "reference_size": (reference_size_figure, TABLES, {"models", "tasks"}),
}


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_figures_of_experiments_are_of_models_and_tasks(name: str) -> None:
    """And the name of the file stays as it is."""
    draw, tables, expected = EXPERIMENTS[name]
    content = Drawing("f", draw, (tables, "topics.csv"), ("model", "task")).files()["f.svg"]
    words = re.findall(r">([^<]*)</text>", content.decode())
    assert any("topics.csv" in line for line in words)
    told = " ".join(words).replace("topics.csv", "")
    assert re.findall(r"(?i)\w*(?:topic|system)\w*", told) == []
    assert {word for word in ("models", "tasks") if word in told} == expected


@pytest.mark.parametrize("count", [5, 20])
def test_factors_keep_the_words_of_the_scores_they_were_fitted_to(
    count: int, tmp_path: Path
) -> None:
    frame = scores(12, count)
    assert Standardizer("normal").fit(frame).plot().axes[0].get_title().startswith(f"{count} topic")
    remember(frame, header="model")
    found = Standardizer("normal").fit(frame)
    save_factors(found, tmp_path / "factors.json")
    for own in (found, load_factors(tmp_path / "factors.json")):
        assert own.plot().axes[0].get_title().startswith(f"{count} task")
        assert f"for {count} tasks, fitted to 12 models" in own.to_markdown()


def test_a_task_with_the_name_of_a_topic_keeps_it() -> None:
    frame = scores(12, 3).set_axis(pd.Index(["a topic", "b", "c"], name="topic"))
    remember(frame, header="model")
    axes = plot_dkw(Standardizer("normal").standardize(frame), topic="a topic")
    assert axes.get_title().startswith("Task 'a topic'\n")
    named = frame.set_axis(["task 1", "task 2", "task 3"])
    again = plot_dkw(Standardizer("normal").standardize(named), topic="task 2")
    assert again.get_title().startswith("Task 2\n")
