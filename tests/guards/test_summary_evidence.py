"""Numbers are a summary if chance would hardly make them so, and no output is one."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from cdfscore import (
    CdfscoreWarning,
    Standardizer,
    as_scores,
    compare,
    correlate,
    datasets,
    diagnose,
    leave_one_out,
    read_scores,
    save_factors,
    sensitivity,
    verify,
    write_scores,
)
from cdfscore.errors import FitError, SchemeError, ScoresError
from cdfscore.standardization.matrix import ScoreMatrix
from tests.guards.conftest import Outcome
from tests.guards.summary_rows import SUMMARIES


def refused(scores: pd.DataFrame, row: pd.Series[float]) -> str:
    """Return what the error says of a row `x` that is added, "" if it is accepted."""
    try:
        as_scores(pd.concat([scores, row.to_frame("x").T]))
    except ScoresError as error:
        return str(error).partition("topic 'x' has the ")[2].partition(" of the scores")[0]
    return ""


@pytest.mark.parametrize("what", sorted(SUMMARIES))
@pytest.mark.parametrize("systems", [1, 2, 3, 4, 5])
def test_a_summary_with_all_digits_is_refused_for_few_systems(what: str, systems: int) -> None:
    """Of scores with all digits it is for one system, and of decimals for two."""
    scores = datasets.load_cranfield("ap").iloc[:50, 40 : 40 + systems]
    fine = scores * np.sqrt(0.5) + 0.01
    assert refused(fine, SUMMARIES[what](fine)) == what
    if systems > 1:
        assert refused(scores.round(4), SUMMARIES[what](scores.round(4))) == what


@pytest.mark.clause("summary.3")
@pytest.mark.parametrize("what", ["mean", "sum"])
@pytest.mark.parametrize("decimals", [4, None])
def test_a_summary_of_precision_at_10_is_refused(what: str, decimals: int | None) -> None:
    scores = datasets.load_cranfield("p10")
    found = {}
    for systems in (1, 2, 6, 8):
        own = scores.iloc[:, 40 : 40 + systems]
        row = SUMMARIES[what](own)
        found[systems] = refused(own, row if decimals is None else row.round(decimals))
    assert found == {1: "", 2: "", 6: what, 8: what}  # two numbers of tenths are weak evidence


@pytest.mark.clause("summary.3")
@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("measure", "what", "systems"),
    [("ap", "mean", 2), ("ap", "mean", 3), ("p10", "mean", 3), ("p10", "sum", 3)],
)
def test_a_summary_that_may_be_chance_has_a_caution(measure: str, what: str, systems: int) -> None:
    """It is accepted, and every result says so."""
    told = 0
    for first in range(20):
        own = list(range(first, 67, 22))[:systems]  # systems that are not alike
        scores = datasets.load_cranfield(measure).iloc[:50, own].round(4)
        own = pd.concat([scores, SUMMARIES[what](scores).round(4).to_frame("x").T])
        try:
            kept = as_scores(own)
        except ScoresError:
            told += 1  # the numbers of these systems are evidence enough
            continue
        sentence = f"topic 'x' has the {what} of the scores of all other topics, which may be"
        found = ScoreMatrix.of(kept).doubts()
        told += any(each.why.startswith(sentence) for each in found)
    assert told >= 16  # of 20


def doubted() -> pd.DataFrame:
    scores = datasets.load_cranfield("ap").iloc[:50, [3, 44]].round(4)
    return pd.concat([scores, scores.mean().round(4).to_frame("x").T])


def test_the_caution_is_in_every_result() -> None:
    scores = doubted()
    sentence = (
        "topic 'x' has the mean of the scores of all other topics, which may be chance: leave it "
        "out by drop_topics=['x'], or, if it is a topic, keep it by keep_topics=['x']"
    )
    with pytest.warns(CdfscoreWarning, match="which may be chance"):
        assert compare(scores, "paired_t").notes[0] == sentence
    with pytest.warns(CdfscoreWarning, match="which may be chance"):
        found = diagnose(scores, ["normal"], bootstrap=0)
    assert sentence in found.notes
    with pytest.warns(CdfscoreWarning, match="which may be chance"):
        leave_one_out(scores, "raw")
    with pytest.warns(CdfscoreWarning, match="which may be chance"):
        assert f"a: {sentence}" in correlate(scores, scores, names=("a", "b")).attrs["notes"]
    with pytest.warns(CdfscoreWarning) as caught:
        assert sentence in compare(scores, "sign", scheme=["raw", "normal", "z"]).notes
    assert [str(each.message) for each in caught].count(sentence) == 1
    with pytest.warns(CdfscoreWarning) as caught:
        assert sentence in sensitivity(scores, ["raw", "normal"], test="sign").notes
    assert [str(each.message) for each in caught].count(sentence) == 1
    with pytest.warns(CdfscoreWarning) as caught:
        assert sentence in verify(scores, "normal").attrs["notes"]
    assert ["which may be chance" in str(each.message) for each in caught].count(True) == 1
    with pytest.warns(CdfscoreWarning, match="which may be chance"):
        Standardizer("normal").fit(scores * 1.25).transform(scores)
    others = scores.drop(index="x") / 2 + 0.125
    with pytest.warns(CdfscoreWarning):
        own = Standardizer("raw").standardize(others.assign(y=0.5), scores, extra_topics="drop")
    assert f"in the reference, {sentence}" in own.notes


def test_every_command_says_the_caution(cdfscore: Callable[..., Outcome], tmp_path: Path) -> None:
    write_scores(doubted(), tmp_path / "s.csv")
    write_scores(doubted() / 2 + 0.125, tmp_path / "r.csv")
    save_factors(Standardizer("normal").fit(doubted() / 2 + 0.125), tmp_path / "f.json")
    for command in (
        ("standardize", "s.csv", "--scheme", "normal"),
        ("standardize", "s.csv", "--scheme", "empirical", "--leave-one-out"),
        ("apply", "f.json", "s.csv"),
        ("compare", "s.csv", "--test", "paired_t"),
        ("compare", "s.csv", "--test", "paired_t", "--factors", "f.json"),
        ("correlate", "s.csv", "r.csv"),
        ("diagnose", "s.csv", "--scheme", "normal", "--bootstrap", "0"),
        ("tests", "--advise", "s.csv"),
        ("verify", "s.csv", "--scheme", "normal"),
        ("verify", "s.csv", "--scheme", "normal", "--script", "v.R"),
    ):
        found = cdfscore(*command)
        assert found.status == 0, (command, found.err)
        said = "topic 'x' has the mean of the scores of all other topics, which may be chance"
        assert found.err.count(f"cdfscore: {said}") == (command[0] != "correlate"), command
        assert "--keep-topic x" in found.err, command


def test_the_caution_ends_with_the_topic_and_where_it_is_kept(tmp_path: Path) -> None:
    scores = as_scores(doubted())
    assert len(ScoreMatrix.of(scores).doubts()) == 1
    assert ScoreMatrix.of(scores.drop(index="x")).doubts() == []
    assert Standardizer("raw").standardize(scores).without(["x"]).given.doubts() == []
    kept = as_scores(scores, keep_topics=["x"])
    assert ScoreMatrix.of(kept).doubts() == []
    scores.to_parquet(tmp_path / "s.parquet")
    assert len(ScoreMatrix.of(read_scores(tmp_path / "s.parquet")).doubts()) == 1
    unlabelled = as_scores(scores.reset_index(drop=True))
    assert ScoreMatrix.of(unlabelled).doubts()[0].why.startswith("topic '51' has the mean")


def test_no_real_matrix_has_the_caution(shared_matrices: dict[Path, pd.DataFrame]) -> None:
    for path, scores in shared_matrices.items():
        if not {"published", "statistical2019"} & {*path.parts}:  # rates by alpha
            found = ScoreMatrix.of(scores).doubts(reference=True, raw=True)
            assert [each.why for each in found if not each.is_note] == [], path.name
    assert len(shared_matrices) > 50


def test_the_average_of_two_systems_is_refused() -> None:
    scores = datasets.load_cranfield("ap").iloc[:12, [3, 44]].round(4)
    with pytest.raises(ScoresError, match="system 'x' has the mean of the scores of all other"):
        as_scores(scores.assign(x=scores.mean(axis=1).round(4)))


@pytest.mark.parametrize("what", sorted(SUMMARIES))
@pytest.mark.parametrize("decimals", [2, 3, 4])
def test_the_order_of_topics_hides_no_summary(what: str, decimals: int) -> None:
    """Nor do topics on which all scores are 0, or the summary is, as it is printed."""
    scores = datasets.load_cranfield("ap").iloc[:60, ::2].round(4)
    scores.iloc[7] = 0.0
    row = SUMMARIES[what](scores.T).round(decimals)
    for order in (scores.index, row.sort_values().index, row.sort_values().index[::-1]):
        with pytest.raises(ScoresError, match=f"system 'zz' has the {what} of the scores"):
            as_scores(scores.assign(zz=row).loc[order])


@pytest.mark.clause("summary.2")
@pytest.mark.parametrize("mistakes", [1, 2, 5])
def test_a_few_numbers_that_are_off_hide_no_summary(mistakes: int) -> None:
    scores = datasets.load_cranfield("ap").iloc[:60, :20].round(4)
    own = scores.mean(axis=1).round(4)
    own.iloc[[0, 2, 30, 40, 59][:mistakes]] += 0.01
    message = f"has the mean in {60 - mistakes} of 60 cells, of the scores of all other systems"
    with pytest.raises(ScoresError, match=message):
        as_scores(scores.assign(zz=own))


def test_a_fine_row_is_found_among_coarse_ones_that_agree() -> None:
    """Of tenths, most rows are within half of a tenth of their mean."""
    scores = (datasets.load_cranfield("ap").iloc[:60, :4] / 4).round(1)
    assert refused(scores, scores.mean().round(4) + 0.0) == "mean" or len(
        ScoreMatrix.of(pd.concat([scores, scores.mean().round(4).to_frame("x").T])).doubts()
    )


def matrices(seed: int, count: int) -> list[np.ndarray]:
    """Return matrices of few systems or topics, whose scores go together by topic and system."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        topics, systems = rng.choice([3, 4, 5, 8, 20, 60]), rng.choice([2, 2, 3, 3, 4, 5, 8])
        by_topic = rng.choice([0, 1, 2]) * rng.normal(size=(topics, 1))
        by_system = rng.choice([0, 0.5, 1]) * rng.normal(size=systems)
        u = norm.cdf((by_topic + by_system + rng.normal(size=(topics, systems))) / 2 - 0.5)
        relevant = rng.integers(1, 30, size=(topics, 1))
        ranks = u.argsort(axis=1).argsort(axis=1) + 1
        kinds = [
            u,
            u.round(4),
            np.rint(u * 10) / 10,
            np.rint(u * 5) / 5,
            np.rint(u * relevant) / relevant,  # recall, with a grid for each topic
            1 / np.ceil(1 / np.maximum(u, 0.01)),
            (u > 0.5) * 1.0,
            np.where(u > 0.6, np.rint(u * 10) / 10, 0.0),
            np.rint(u * 4) + 1,
            norm.ppf(ranks / (systems + 1)),  # symmetric, so that the middle is the mean
            np.linspace(0.1, 0.9, systems)[ranks - 1],
        ]
        found.append(kinds[rng.integers(len(kinds))])
    return found


def as_frame(values: np.ndarray) -> pd.DataFrame:
    topics, systems = values.shape
    return pd.DataFrame(values, [f"t{i}" for i in range(topics)], [f"s{i}" for i in range(systems)])


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", range(4))
def test_no_matrix_and_no_output_is_refused(seed: int, long: bool) -> None:
    rng = np.random.default_rng(seed)
    schemes = ["empirical", "normal", "uniform", "minmax", "z", "sum", "kernel", "exponential"]
    tried = doubts = 0
    for values in matrices(seed, 250 if long else 80):
        scores = as_scores(as_frame(values))
        scheme = schemes[rng.integers(len(schemes))]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", CdfscoreWarning)
                standardized = Standardizer(scheme).fit_transform(scores)
        except (FitError, SchemeError):
            continue
        if np.isfinite(standardized.to_numpy()).all():
            for own in (scores, standardized, standardized.round(4)):
                found = ScoreMatrix.of(own).doubts()
                doubts += sum(each.rule == "numbers" for each in found)
            tried += 1
    assert tried > (200 if long else 60)
    assert doubts <= 1


A = 0.1**0.5
B, C = 0.03**0.5, 0.5 - 0.03**0.5


@pytest.mark.parametrize(
    "values",
    [
        np.linspace(0.1, 0.9, 7001)[:, None],
        norm.ppf(np.arange(1, 32) / 32)[:, None],
        np.arange(14).reshape(7, 2) / 7,
        0.5 ** np.arange(40)[:, None],
        np.array([[0.864, 0.0], [0.864, 0.0], [0.0, 0.0]]) ** 0.5,
        # z scores of three systems: the last is the sum of the others, most of which cancel.
        np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0], [-3, 1, 2], [0, 2, -2], [-3, 3, 0]]) / 7**0.5,
        # Recall of three systems, with another grid on each topic.
        np.array([[1 / 24, 1 / 24, 2 / 24], [5 / 20, 4 / 20, 9 / 20]]),
        np.array([[4 / 29, 3 / 29, 7 / 29], [1 / 3, 1 / 3, 2 / 3]]),
        # Steps of one size; of three rows, one is the sum of the others.
        np.array([[0, A, A, 2 * A]]),
        np.array([[1.165, 1.165, 1.165, 2.33, 2.33, 3.496]]),
        np.array([[B, C, A], [2 * B, 3 * C, A], [B, 2 * C, 0]]) + 0.25 * np.eye(3)[:, [0]] * 0,
        # Columns with steps of their own, and a row that is alone as large as it is.
        np.array([[0, 0, 0, 0], [4, 7, 8, 4], [0, 0, 0, 0], [0, 0, 0, 0], [2, 4, 4, 2]]) * A + B,
        # Outputs of minmax and sum: the best system is 1 everywhere, or has half of all.
        np.array([[0, A, 1, 1 - A], [0, A, 1, 1 - A], [0, 1 - A, 1, A]]),
        np.array([[0, B, 0.5, C], [0, B, 0.5, C], [0, C, 0.5, B], [B, 0, 0.5, C]]),
    ],
)
def test_regular_scores_are_no_summaries(values: np.ndarray) -> None:
    for own in (values, values.T):
        assert ScoreMatrix.of(as_frame(own)).doubts() == []
