"""Systems, topics and scales in disorder have a caution with a remedy, and clean ones have none."""

import json
import re
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cdfscore import (
    CdfscoreWarning,
    Standardizer,
    as_scores,
    compare,
    datasets,
    load_factors,
    read_scores,
    save_factors,
    standardize_parquet,
    variance_by_topic,
    write_scores,
)
from cdfscore.common.cautions import warn_of
from cdfscore.errors import FactorsError, ScoresError
from cdfscore.scores import cautions
from cdfscore.scores.cautions import Matrix, of_results
from cdfscore.scores.dataframes import notes_of
from cdfscore.scores.labels import Labels
from cdfscore.standardization.cautions import Scale, mixed_scales
from cdfscore.standardization.policies import ScoreMatrix
from tests.cli.conftest import Run, Write
from validation import cautions as measured


def cranfield(topics: int = 60, systems: int = 12) -> pd.DataFrame:
    return datasets.load_cranfield("ap").iloc[:topics, : 5 * systems : 5].round(4)


def rules(scores: pd.DataFrame) -> list[tuple[str, tuple[str, ...]]]:
    found = measured.said_of(scores)
    return [(each.rule, each.labels) for each in found]


def board(rng: np.random.Generator, tasks: int = 12, models: int = 9) -> pd.DataFrame:
    """Return tasks that agree on the order of models."""
    values = 0.5 + 0.1 * rng.normal(size=models) + 0.01 * rng.normal(size=(tasks, models))
    return pd.DataFrame(values, [f"task{t}" for t in "abcdefghijkl"[:tasks]], [*"ABCDEFGHI"])


DEAD = "system 's9' has the score 0 on all 60 topics"


@pytest.mark.clause("disorder.1")
@pytest.mark.parametrize(("topics", "told"), [(9, False), (10, True), (60, True)])
def test_a_dead_system_is_told_where_another_is_near_it(topics: int, told: bool) -> None:
    scores = cranfield(topics)
    scores["dead"] = scores["near"] = 0.0
    scores.iloc[0, -1] = 0.5
    found = [each for each in measured.said_of(scores) if each.rule == "dead"]
    assert [each.labels for each in found] == [("dead",)] * told


def test_factors_save_what_is_said_of_their_reference(tmp_path: Path) -> None:
    path = tmp_path / "f.json"
    save_factors(Standardizer("normal").fit(cranfield()), path)
    assert "doubts" not in json.loads(path.read_text())
    save_factors(Standardizer("normal").fit(cranfield().assign(s9=0.0)), path)
    loaded = load_factors(path)
    assert loaded.doubts == (DEAD,)
    document = json.loads(path.read_text())
    path.write_text(json.dumps({**document, "doubts": 5, "content_digest": None}))
    with pytest.raises(FactorsError, match="'doubts' is 5; expected a list"):
        load_factors(path)
    joined = loaded.joined(Standardizer("normal").fit(cranfield(90)[60:]))
    assert joined.doubts == (DEAD,)


@pytest.mark.clause("disorder.1")
def test_identical_systems_are_named_in_groups() -> None:
    scores = cranfield()
    first, second = scores.columns[:2]
    scores["again"] = scores[first]
    assert rules(scores) == [("copy", ("again",))]
    scores["more"] = scores[first]
    scores["other"] = scores[second]
    (found,) = measured.said_of(scores)
    assert found.labels == ("again", "more", "other")
    assert found.why == (
        f"2 groups of systems have the same scores on all 60 topics ({first} = again = more, "
        f"{second} = other)"
    )
    assert rules(as_scores(scores.mask(scores == scores.iloc[3, 0]))) == [("copy", found.labels)]
    assert found.sentence.endswith(
        "if 'again', 'more' and 'other' are copies by mistake, leave them out by drop_systems="
        "['again', 'more', 'other']; if all are right, keep them by keep_systems=['again', 'more', "
        "'other']"
    )


@pytest.mark.clause("disorder.1")
@pytest.mark.parametrize("copies", [1, 4])
def test_copies_are_warned_of_and_kept_in_factors(copies: int, tmp_path: Path) -> None:
    scores = cranfield(60, 12)
    many = scores.assign(**{f"c{k}": scores.iloc[:, 0] for k in range(copies)})
    with pytest.warns(CdfscoreWarning, match="have the same scores on all 60 topics"):
        factors = Standardizer("z").standardize(many).factors
    save_factors(factors, tmp_path / "f.json")
    (doubt,) = load_factors(tmp_path / "f.json").doubts
    assert "have the same scores on all 60 topics" in doubt
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (
            as_scores(many, keep_systems=[*many.columns]).pipe(Standardizer("z").fit).doubts == ()
        )


@pytest.mark.clause("disorder.1")
def test_a_warning_says_who_takes_the_arguments_that_it_names(tmp_path: Path) -> None:
    scores = cranfield(60, 12)
    scores["again"] = scores.iloc[:, 0]
    write_scores(scores, tmp_path / "x.parquet")
    doors: dict[str, Callable[[], object]] = {
        "as_scores takes drop_systems=... and keep_systems=...": lambda: compare(
            scores, "paired_t"
        ),
        "a stream takes no drop_systems=...: change the file": lambda: standardize_parquet(
            tmp_path / "x.parquet", tmp_path / "y.parquet", "z"
        ),
    }
    for says, door in doors.items():
        with pytest.warns(CdfscoreWarning, match=rf"keep_systems=\['again'\]; {re.escape(says)}"):
            door()


@pytest.mark.clause("disorder.2")
@pytest.mark.parametrize("factor", [-50.0, 1e3, 1e300])
def test_a_system_that_takes_the_spread_is_named(factor: float) -> None:
    scores = cranfield()
    scores["far"] = factor * (1 + scores.iloc[:, 4])
    assert rules(scores) == [("spread", ("far",))]
    told = measured.said_of(scores)[0].sentence
    assert "without it the standard deviation of the topics is about" in told
    few = Matrix(["t"] * 60, list(scores.columns), scores.to_numpy(), reference=False)
    assert [each.rule for each in of_results(few)] == []  # of new systems nothing is fitted


@pytest.mark.clause("disorder.2")
@pytest.mark.parametrize("count", [2, 3, 5])
def test_systems_far_from_all_others_hide_none(count: int) -> None:
    scores = cranfield()
    rng = np.random.default_rng(count)
    names = [f"far{k}" for k in range(count)]
    for k, name in enumerate(names):
        scores[name] = (300.0 + 200 * k) * rng.random(60)
    (found,) = (each for each in measured.said_of(scores) if each.rule == "spread")
    assert found.labels == tuple(names)
    assert "are far from all others: without them the standard deviation" in found.why
    kept = as_scores(scores, keep_systems=names[:1])
    (left,) = Standardizer("z").fit(kept.mask(kept.isna())).doubts or ("",)
    assert names[0] not in left
    assert names[1] in left


@pytest.mark.clause("disorder.3")
@pytest.mark.parametrize("turned", [1, 2, 4])
def test_topics_in_the_other_direction_are_named(turned: int) -> None:
    scores = board(np.random.default_rng(3))
    assert rules(scores) == []
    chosen = list(scores.index[2 : 2 + turned])
    scores.loc[chosen] = 1 - scores.loc[chosen]
    assert rules(scores) == [("direction", tuple(chosen))]
    with pytest.warns(CdfscoreWarning, match="against most of the other"):
        Standardizer("normal").standardize(scores)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*against most")
        Standardizer("normal", lower_is_better=chosen).fit_transform(scores)
        kept = as_scores(scores, keep_topics=chosen)
        compare(kept, "sign", scheme="normal")
    with pytest.warns(CdfscoreWarning, match="against most of the other"):  # of those without
        Standardizer("normal", lower_is_better=list(scores.index[:1])).fit_transform(scores)


@pytest.mark.clause("disorder.4")
def test_the_share_of_the_variance_is_that_of_pandas() -> None:
    scores = cranfield().mask(np.arange(720).reshape(60, 12) % 13 == 5)
    found = variance_by_topic(scores)
    expected = scores.var(axis=1).rename_axis(index="topic")
    np.testing.assert_allclose(found["variance"], expected[found.index], rtol=1e-12)
    np.testing.assert_allclose(found["share"], expected[found.index] / expected.sum(), rtol=1e-12)
    assert found["share"].is_monotonic_decreasing
    large = variance_by_topic(scores * 1e160)
    np.testing.assert_allclose(large["share"], found["share"], rtol=1e-12)


@pytest.mark.clause("disorder.4")
def test_a_topic_that_decides_raw_means_is_named(cdfscore: Run, tmp_path: Path) -> None:
    scores = 100 * cranfield(10, 5)
    scores.iloc[4] *= 1000
    name = scores.index[4]
    (found,) = measured.said_of(scores)
    assert (found.rule, found.labels) == ("deciding", (name,))
    share = variance_by_topic(scores)["share"].iloc[0]
    assert f"has {100 * share:.0f}% of the sum of the variances of 10 topics" in found.why
    write_scores(scores, tmp_path / "s.csv")
    assert "and decides the means" in cdfscore("compare", "s.csv", "--test", "sign").err
    for scheme in ("normal", "z"):
        done = cdfscore("compare", "s.csv", "--test", "sign", "--scheme", scheme)
        assert "decides the means" not in done.err


@pytest.mark.clause("disorder.5")
@pytest.mark.parametrize("first", [0, 1, 42])
@pytest.mark.parametrize(
    "pattern",
    [
        *("{}/{}", "{}_fold{}", "{} #{}", "{}-seed={}", "{}[{}]", "{}@{}", "{}-f{}", "{}.cv{}"),
        *("{} (seed {})", "{}, run {}", "{}:s{}", "{}_rep_{}", "{}Fold{}", "{}-{}", "{}_{}"),
        *(
            "{}_trial{}",
            "{} Trial {}",
            "{}Trial{}",
            "{}2Trial_{}",
            "fold{1}/{0}",
            "seed_{1}_{0}",
            "Rep {1}: {0}",
            "{}-{}.csv",
        ),
        *("rep1/{}/fold{}", "fold{1}/{0}.json"),
    ],
)
def test_topics_named_as_replicates_are_told(pattern: str, first: int) -> None:
    scores = cranfield(24)
    stems, numbers = ("adult", "iris", "wine"), range(first, first + 8)
    names = [pattern.format(stem, k) for stem in stems for k in numbers]
    (found,) = measured.said_of(scores.set_axis(names))
    assert found.rule == "replicates"
    assert "24 topics are named as 8 replicates of each of 3" in found.why
    assert "as replicate=... does of a table" in found.sentence
    (found,) = measured.said_of(scores.set_axis(names).iloc[1:])  # one is lost
    assert "23 topics are named as 7 to 8 replicates of each of 3" in found.why
    (found,) = measured.said_of(scores.set_axis([*names[1:-1], "other", "more"]))
    assert "22 topics are named as 7 to 8 replicates" in found.why


@pytest.mark.parametrize(
    "names",
    [
        [f"q{i}" for i in range(24)],
        [f"topic-{i}" for i in range(24)],
        [f"{300 + i}" for i in range(24)],
        [f"2004-{i}" for i in range(51, 63)] + [f"2005-{i}" for i in range(63, 75)],
        [f"{31 + i}_{k}" for i, n in enumerate((3, 5, 4, 6, 2, 4)) for k in range(1, n + 1)],
        [f"q{i}_{k}" for i, n in enumerate((3, 5, 4, 6, 2, 4)) for k in range(1, n + 1)],
        [f"robust-{i}" for i in range(301, 313)] + [f"adhoc-{i}" for i in range(401, 413)],
        [f"glass{i}" for i in (0, 1, 4, 6)] + [f"ecoli{i}" for i in range(1, 21)],  # of KEEL
        [f"monks-{i}" for i in (1, 2, 3)] + [f"set{i}" for i in "abcdefghijklmnopqrstu"],
        [f"ecoli-0-1_vs_{i}" for i in (2, 3, 5)] + [f"x{i}" for i in "abcdefghijklmnopqrstu"],
        [f"{track}-{year}" for track in ("robust", "gov2", "web") for year in range(2003, 2011)],
        [f"en-{to}-{year}" for to in ("de", "fr", "ru") for year in range(12, 20)],
        [f"{to}_{year:02}" for to in ("de", "fr", "ru") for year in range(8, 16)],
        [f"{what}-{year}" for what in ("industrial", "terrestrial") for year in range(2000, 2012)],
        [f"Trial {i}" for i in range(24)],
        [f"trial-{i}" for i in range(24)],
        [f"Trial {i} of {what}" for what in ("recall", "naming") for i in range(12)],
        [f"industrial {i}" for i in range(24)],
    ],
)
def test_other_numbered_topics_are_no_replicates(names: list[str]) -> None:
    assert rules(cranfield(24).set_axis(names)) == []


@pytest.mark.clause("disorder.2")
def test_fractions_beside_percentages_are_named() -> None:
    scores = cranfield(20, 9).clip(lower=0.01)
    assert measured.said_of(scores) == measured.said_of(100 * scores) == []
    for percent in (3, 4, 5):  # the fewer are named
        mixed = scores.copy()
        mixed.iloc[:, :percent] *= 100
        names = mixed.columns[:percent] if percent < 5 else mixed.columns[5:]
        (found,) = measured.said_of(mixed)
        assert found.labels == tuple(names)
        if percent < 5:  # all of them are far from the others, which is enough
            assert found.rule == "spread"
            continue
        assert found.rule == "units"
        assert "as fractions and percentages have: write all in one unit, leave" in found.sentence
        kept = Labels(systems=frozenset(names))
        assert of_results(Matrix(mixed.index, mixed.columns, mixed.to_numpy(), kept)) == []
    assert measured.said_of((mixed + 1).clip(upper=100)) == []  # of no fractions


NO_SCORES = [
    *(
        "rank",
        "Mean Rank",
        "Avg. Rank",
        "Average rank",
        "Wins",
        "W/T/L",
        "W-T-L",
        "win-tie-loss",
        "Losses",
    ),
    *("MPCE", "p-value", "pvalue", "P value", "Wilcoxon p", "Friedman rank", "n_classes"),
    *("train_size", "time", "Cost", "memory", "Mean time (s)", "year", "Nb. wins"),
    *(
        "time_training_seconds",
        "# classes",
        "numClasses",
        "Number of instances",
        "FLOPs",
        "Model size (M)",
    ),
]


@pytest.mark.clause("leaderboard.1")
@pytest.mark.one_in(3)
@pytest.mark.parametrize("label", NO_SCORES)
@pytest.mark.parametrize("of_systems", [False, True])
def test_labels_of_no_scores_are_refused_on_both_sides(label: str, of_systems: bool) -> None:
    scores = cranfield(12, 9)
    kind = "system" if of_systems else "topic"
    labels = [*scores.columns[:-1], label] if of_systems else [*scores.index[:-1], label]
    frame = scores.set_axis(labels, axis=1 if of_systems else 0)
    with pytest.raises(ScoresError, match=rf"the {kind} .* \(by its name.* may have no scores"):
        as_scores(frame)
    kept = as_scores(frame, **{f"keep_{kind}s": [label]})
    assert kept.shape == frame.shape


@pytest.mark.parametrize(
    "label",
    [
        *("LambdaRank", "pagerank-bm25", "rank-fusion", "bestmatch25", "count-based", "BM25", "n"),
        *(
            "best",
            "worst",
            "winsor",
            "size-matters",
            "TimesFM",
            "seconds-to-none",
            "w",
            "t5-large",
            "p",
            "value",
        ),
    ],
)
def test_other_labels_have_scores(label: str) -> None:
    scores = cranfield(12, 9)
    assert as_scores(scores.set_axis([label, *scores.columns[1:]], axis=1)).shape == (12, 9)
    if label not in ("best", "worst"):
        assert as_scores(scores.set_axis([label, *scores.index[1:]])).shape == (12, 9)


@pytest.mark.clause("leaderboard.1")
@pytest.mark.parametrize("of_systems", [False, True])
@pytest.mark.parametrize(("what", "label"), [("max", "Max"), ("max", "best"), ("min", "Worst")])
def test_the_best_of_all_others_is_no_system(of_systems: bool, what: str, label: str) -> None:
    scores = cranfield(40, 9)
    found = scores.assign(**{label: scores.agg(what, axis=1)})
    kind = "system" if of_systems else "topic"
    with pytest.raises(ScoresError, match=rf"{kind} '{label}' \(the largest or the least of all o"):
        as_scores(found if of_systems else found.T.rename_axis("topic"))
    other = found.assign(**{label: scores.iloc[:, 0]})  # a system may be called so
    assert as_scores(other if of_systems else other.T.rename_axis("topic")).size == found.size


@pytest.mark.clause("leaderboard.1")
@pytest.mark.parametrize("ascending", [False, True])
@pytest.mark.parametrize("decimals", [2, 4, 5, 6, "float32"])
def test_average_ranks_are_no_scores(ascending: bool, decimals: int | str) -> None:
    scores = cranfield(23, 12)
    row = scores.rank(axis=1, ascending=ascending).mean()
    row = row.round(decimals) if isinstance(decimals, int) else row.astype(decimals).astype(float)
    with pytest.raises(ScoresError, match=r"'AR' \(the average ranks of the systems on the oth"):
        as_scores(pd.concat([scores, row.to_frame("AR").T]))
    ranks = scores.rank(axis=1, method="first")
    assert as_scores(ranks).shape == scores.shape  # all topics may have ranks
    near = row + np.where(np.arange(len(row)) == 0, 0.003, 0.0)  # of another sum, as by chance
    assert len(as_scores(pd.concat([scores, near.to_frame("42").T + 1e-7]))) == len(scores) + 1


@pytest.mark.clause("matrix.3")
def test_words_on_both_sides_are_asked_about(cdfscore: Run, write: Write) -> None:
    """As pandas writes a table of models by tasks."""
    frame = board(np.random.default_rng(1), 4, 9).T.set_axis(["ARC", "MMLU", "GSM", "BBH"], axis=1)
    write({"s.csv": frame.to_csv()})
    asked = cdfscore("standardize", "s.csv", "--scheme", "normal")
    assert asked.status == 2
    assert "no header says if rows are topics (A, B, C, D, E, ...), columns are" in asked.err
    assert "--systems-as-rows" in asked.err
    assert cdfscore("standardize", "s.csv", "--scheme", "z", "--systems-as-rows").status == 0
    assert cdfscore("standardize", "s.csv", "--scheme", "z", "--topics-as-rows").status == 0
    (note,) = notes_of(Standardizer("z").standardize(as_scores(frame)).given.frame)
    assert note.startswith("scores: rows are topics (A, B, C, D, E, ...), columns are systems (ARC")
    assert as_scores(frame, systems_as_rows=True).attrs["cdfscore"].get("notes") == []


def test_there_is_no_false_alarm_on_parts_of_real_matrices(shared_data: Path, long: bool) -> None:
    matrices = measured.clean(shared_data)
    assert len(matrices) > 40
    alarms = measured.alarms(list(matrices.values()))
    alarms += measured.alarms(measured.parts(matrices, 2000 if long else 150, seed=2))
    assert {*alarms} <= {*measured.TRUE_THERE}


@pytest.mark.parametrize("fault", [*measured.FAULTS, *measured.OF_FILES])
def test_planted_faults_are_found(shared_data: Path, fault: str) -> None:
    """In all sizes on topics that agree on the order of the systems."""
    path = shared_data / "leaderboards" / "asr_english.csv"
    scores = read_scores(path, drop_topics=measured.NO_TASKS)
    least = {
        "a copy of a system": 0.3,
        "a system by another measure (P@10, AP; accuracy among errors)": 0.7,
        "one topic in the other direction": 0.7,
        "two systems in other units (up to 500 and 900)": 0.7,
        "a system in other units (10 times its scores)": 0.3,
    }
    found = measured.found_of(scores, fault, (8, 30), 10)
    assert found >= 10 * least.get(fault, 0.9), fault


def test_the_page_has_all_rules() -> None:
    page = Path(__file__).parents[2] / "docs/cautions.md"
    table = page.read_text(encoding="utf-8").partition("| --- |")[2].partition("\n\n")[0]
    rules = [line.split(" | ")[0].strip("| ") for line in table.splitlines()[1:]]
    assert rules == [*cautions.OF_READING, *cautions.OF_RESULTS]


def whole_cranfield(measure: str = "ap") -> pd.DataFrame:
    found = datasets.load_cranfield(measure)
    found.attrs.clear()  # of no measure that is named
    return found


def cautions_of(reference: pd.DataFrame, scores: pd.DataFrame) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = Standardizer("normal").fit(reference).standardize(scores)
    said = [str(each.message).partition("; as_scores takes ")[0] for each in caught]
    assert said == found.cautions
    assert [note for note in found.notes if note in found.cautions] == found.cautions
    return found.cautions


@pytest.mark.clause("warnings.1")
def test_scores_in_percent_are_told() -> None:
    ap = whole_cranfield()
    (caution,) = cautions_of(ap.iloc[:, :40], 100 * ap.iloc[:, 40:])
    assert "outside of the range of the reference scores, 0 to 1" in caution
    assert "in the same unit?" in caution


@pytest.mark.clause("scale.2")
def test_scores_of_another_grid_are_told() -> None:
    ap, p10 = whole_cranfield(), whole_cranfield("p10")
    (coarse,) = cautions_of(ap.iloc[:, :40], p10.iloc[:, 40:])
    assert coarse.startswith("the scores are multiples of 1/10, and the reference scores are not")
    (fine,) = cautions_of(p10.iloc[:, :40], ap.iloc[:, 40:])
    assert fine.startswith("the reference scores are multiples of 1/10, and ")
    five = (p10.iloc[:, 40:] * 5).round() / 5
    _, said = cautions_of(p10.iloc[:, :40], five)  # the other is of three with 0 on all topics
    assert said.startswith("the scores are multiples of 1/5, and the reference scores are of 1/10")


@pytest.mark.parametrize("measure", ["ap", "ndcg10", "p10", "rr"])
def test_new_systems_of_the_same_measure_give_no_caution(measure: str) -> None:
    scores = whole_cranfield(measure)
    for own in (scores.iloc[:, 40:], scores.iloc[:, [50]], scores.iloc[:, 40:45]):
        assert cautions_of(scores.iloc[:, :40], own) == []


@pytest.mark.parametrize("lower", ["ppl", True, "a"])
def test_a_scale_is_of_the_topics_on_which_higher_is_better(lower: str | bool) -> None:
    """Perplexity beside accuracies has a scale of its own, unless lower is better on all."""
    values = np.random.default_rng(3).random((6, 24)).round(3)
    values[4] = 20 + 30 * values[4]
    scores = pd.DataFrame(values, [*"abcd", "ppl", "e"], [f"s{i}" for i in range(24)])
    factors = Standardizer("normal", lower_is_better=lower).fit(scores.iloc[:, :20])
    new = scores.iloc[:, 20:]
    percent = new.copy()
    percent.loc[[*"abcde"]] *= 100
    assert factors.scale is not None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CdfscoreWarning)
        found = {
            "same": factors.standardize(new).cautions,
            "percent": factors.standardize(percent).cautions,
            "ppl": factors.standardize(new.loc[["ppl"]]).cautions,
        }
    high = values[[0, 1, 2, 3, 5], :20].max() if lower == "ppl" else values[:, :20].max()
    assert factors.scale.high == high
    told = [each for each in found["percent"] if "outside of the range of the reference" in each]
    assert bool(told) == (lower == "ppl")
    for part in ("same", "ppl"):
        assert not any("reference scores" in each for each in found[part])


def test_a_grid_needs_scores_between_the_ends() -> None:
    assert Scale.of(np.array([[0, 1.0, 1.0]] * 20)) == Scale(0.0, 1.0, None, 1.0)
    assert Scale.of(np.array([[0.1, 0.3, 0.5]] * 50)) == Scale(0.1, 0.5, 10, 0.3, 1.0)
    assert Scale.of(np.array([[0.1, 0.3, 0.5]] * 10)) == Scale(0.1, 0.5, None, 0.3)
    assert Scale.of(np.array([[0.1, 0.3001, 0.5], [0.2, 1 / 3, 0.5]])) == Scale(
        0.1, 0.5, None, 1 / 3, 3 / 4
    )
    assert Scale.of(np.full((2, 2), np.nan)) is None


def mixed(change: Callable[[np.ndarray], None]) -> list[str]:
    values = np.random.default_rng(3).random((50, 30)).round(4)
    change(values)
    frame = pd.DataFrame(values, [f"t{i}" for i in range(50)], [f"s{i}" for i in range(30)])
    return mixed_scales(ScoreMatrix.of(frame))


def put(place: object, by: float) -> Callable[[np.ndarray], None]:
    def change(values: np.ndarray) -> None:
        values[place] *= by  # type: ignore[index]

    return change


@pytest.mark.clause("scale.3")
def test_scores_that_do_not_belong_are_named() -> None:
    def one(values: np.ndarray) -> None:
        values[4, 7] = 4.0

    assert mixed(one) == [
        "1 of 1,500 scores is above 1, such as 4 of system 's7' on topic 't4', and all others are "
        "from 0 to 1: are they on one scale?"
    ]
    assert mixed(put((slice(None), 3), 100))[0].startswith("system 's3' has scores up to 9")
    assert mixed(put(6, 100))[0].startswith("topic 't6' has scores up to 9")


@pytest.mark.parametrize("change", [put(..., 1), put(..., 100), put(..., 1.5), put(..., -1)])
def test_scores_on_one_scale_give_no_caution(change: Callable[[np.ndarray], None]) -> None:
    assert mixed(change) == []


def test_a_comparison_says_so_too() -> None:
    scores = whole_cranfield().iloc[:, :12].copy()
    scores.iloc[3, 2] = 4.0
    with pytest.warns(CdfscoreWarning, match="1 of 2,700 scores is above 1"):
        found = compare(scores, "paired_t")
    assert "1 of 2,700 scores is above 1" in found.notes[0]


@pytest.mark.parametrize("new", [slice(40, None), slice(50, 51)])
def test_fractions_through_percentages_are_told(new: slice) -> None:
    ap = whole_cranfield()
    (caution,) = cautions_of(100 * ap.iloc[:, :40], ap.iloc[:, new])
    most = f"{ap.iloc[:, new].max(axis=None):g}"
    assert f"scores are at most {most}, and the reference scores go up to 100: are" in caution
    assert caution.endswith("in the same unit?")


@pytest.mark.clause("scale.1")
@pytest.mark.long
@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", range(2))
def test_no_caution_on_random_parts_of_the_real_matrices(
    shared_matrices: dict[Path, pd.DataFrame], seed: int
) -> None:
    """Few and many new systems, on few and all topics, through the scale of the others.

    Published tables are left out: their columns are levels and powers, not systems.
    """
    rng = np.random.default_rng(seed)
    alarms, tried = [], 0
    for path, scores in shared_matrices.items():
        values = scores.to_numpy()
        topics, systems = values.shape
        if systems < 6 or np.isnan(values).any() or "published" in path.parts:
            continue
        for new in (1, 1, 1, 2, systems // 2, systems - 5, systems - 3):
            order, rows = rng.permutation(systems), rng.permutation(topics)
            reference = values[:, order[new:]]
            for count in (3, 10, topics):
                part = values[np.ix_(rows[:count], order[:new])]
                scale = Scale.of(reference)
                assert scale is not None
                tried += 1
                alarms += [(path.name, each) for each in scale.cautions(part, systems - new)]
    assert alarms == []
    assert tried > 700


def test_no_caution_on_the_real_matrices(shared_matrices: dict[Path, pd.DataFrame]) -> None:
    """Half of the systems through factors of the others: 0 false alarms; some runs are copies."""
    alarms, tried = {}, 0
    for path, scores in shared_matrices.items():
        if scores.shape[1] < 20 or scores.isna().any(axis=None):
            continue
        tried += 1
        half = scores.shape[1] // 2
        how = Standardizer("empirical")
        found = how.standardize(scores.iloc[:, half:], scores.iloc[:, :half])
        said = [*found.cautions, *how.standardize(scores).cautions]
        if false := [each for each in said if "have the same scores on all" not in each]:
            alarms[path.name] = false
    assert alarms == {}
    assert tried > 20


@pytest.mark.clause("factors.4")
def test_factors_keep_the_scale_and_the_measure(
    cdfscore: Run, write: Write, tmp_path: Path
) -> None:
    ap, p10 = whole_cranfield(), whole_cranfield("p10")
    write({"ap.csv": ap.iloc[:, :40].to_csv(), "p10.csv": p10.iloc[:, 40:].to_csv()})
    fit = ("standardize", "ap.csv", "--scheme", "normal", "--measure", "ap")
    assert cdfscore(*fit, "--save-factors", "f.json", "-o", "s.csv").status == 0
    assert load_factors(tmp_path / "f.json").scale == Scale.of(ap.iloc[:, :40].to_numpy())
    applied = cdfscore("apply", "f.json", "p10.csv", "-o", "y.csv")
    assert applied.status == 0
    assert "the scores are multiples of 1/10, and the reference scores are not" in applied.err
    assert "the factors are of the measure ap" in applied.err
    other = cdfscore("apply", "f.json", "p10.csv", "--measure", "p10", "-o", "z.csv")
    assert (other.status, "factors of the measure ap, not p10" in other.err) == (2, True)
    assert not (tmp_path / "z.csv").exists()
    assert cdfscore(*fit[:4], "--save-factors", "g.json", "-o", "s.csv").status == 0
    assert "measure" not in cdfscore("apply", "g.json", "ap.csv", "-o", "y.csv").err
    unnamed = cdfscore("apply", "g.json", "p10.csv", "--measure", "p10", "-o", "z.csv")
    assert unnamed.status == 0
    assert "p10.csv names no measure, and its scores are taken as of p10" in unnamed.err
    assert "the factors name no measure; p10 is assumed" in unnamed.err
    with pytest.raises(FactorsError, match=r"g.json does not name the measure of its factors, and"):
        load_factors(tmp_path / "g.json", measure="p10")


def test_a_damaged_scale_is_refused(tmp_path: Path) -> None:
    from cdfscore import save_factors

    path = tmp_path / "f.json"
    save_factors(Standardizer("normal").fit(whole_cranfield()), path)
    text = path.read_text()
    for entry in (
        '{"low": 1, "high": 0, "grid": null}',
        '{"low": 0}',
        '{"low": 0, "high": 1, "grid": 0}',
        '{"low": 0, "high": 1, "grid": null, "middle": 2}',
        '{"low": 0, "high": 1, "grid": null, "middle": 0.5, "coarse": 0}',
    ):
        lines = [
            f' "scale": {entry},' if line.startswith(' "scale"') else line
            for line in text.splitlines()
        ]
        path.write_text("\n".join(lines))
        with pytest.raises(FactorsError, match="'scale'"):
            load_factors(path)


@pytest.mark.clause("warnings.1")
def test_a_caution_is_a_warning_at_the_line_that_called() -> None:
    with pytest.warns(CdfscoreWarning, match="only two systems") as caught:
        warn_of(["only two systems"])
    assert caught[0].filename == __file__


def test_nothing_is_warned_of_without_a_caution() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of([])
