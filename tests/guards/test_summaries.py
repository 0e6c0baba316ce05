"""Summaries and columns of no tasks are refused by names and numbers, and nothing else is."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from cdfscore import (
    CdfscoreWarning,
    Standardizer,
    as_scores,
    compare,
    datasets,
    read_scores,
    write_scores,
)
from cdfscore.errors import FitError, SchemeError, ScoresError
from cdfscore.scores import cautions
from cdfscore.scores.cautions import Rows, named_summaries, no_scores
from tests.cli.conftest import Run, Write

SUMMARIES: dict[str, Callable[[pd.DataFrame], pd.Series[float]]] = {
    "mean": lambda scores: scores.mean(),
    "sum": lambda scores: scores.sum(),
}


def cranfield(systems: int = 8) -> pd.DataFrame:
    return datasets.load_cranfield("ap").iloc[:40, :systems]


@pytest.mark.clause("summary.2")
@pytest.mark.parametrize("decimals", [3, 4, 6, None])
@pytest.mark.parametrize("what", sorted(SUMMARIES))
@pytest.mark.parametrize("of_systems", [False, True])
def test_a_summary_is_known_by_its_numbers(
    what: str, decimals: int | None, of_systems: bool
) -> None:
    """The summary is of scores that were printed, or of those before they were, as trec_eval's."""
    scores = cranfield().T if of_systems else cranfield()
    for own in (scores, scores.round(4)):
        row = SUMMARIES[what](own)
        row = row if decimals is None else row.round(decimals)
        found = pd.concat([own.round(4) if decimals else own, row.to_frame("x9").T])
        kind = "system" if of_systems else "topic"
        with pytest.raises(ScoresError, match=f"{kind} 'x9' has the {what} of the scores"):
            as_scores(found.T if of_systems else found)


@pytest.mark.clause("summary.3")
@pytest.mark.parametrize("what", sorted(SUMMARIES))
@pytest.mark.parametrize(("measure", "decimals"), [("ap", 4), ("ap", None), ("p10", 4)])
def test_five_cells_are_evidence_and_four_are_none(
    what: str, measure: str, decimals: int | None
) -> None:
    scores = datasets.load_cranfield(measure).iloc[:50, [40, 3, 17, 29, 52, 8, 45, 12]]
    found = {}
    for systems in (1, 2, 4, 8):
        own = scores.iloc[:, :systems]
        row = SUMMARIES[what](own)
        row = row if decimals is None else row.round(decimals)
        try:
            as_scores(pd.concat([own, row.to_frame("x").T]))
            found[systems] = ""
        except ScoresError as error:
            found[systems] = str(error).partition("topic 'x' has the ")[2].split()[0]
    assert found == {1: "", 2: "", 4: "", 8: what}


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
    tried = 0
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
            for own in (standardized, standardized.round(4)):
                assert as_scores(own).shape == values.shape
            tried += 1
    assert tried > (200 if long else 60)


A = 0.1**0.5
B, C = 0.03**0.5, 0.5 - 0.03**0.5


@pytest.mark.parametrize(
    "values",
    [
        np.linspace(0.1, 0.9, 7001)[:, None],
        np.arange(30.0).reshape(10, 3) / 7,
        np.arange(63.0).reshape(9, 7).round(2),
        (np.arange(70.0).reshape(14, 5) / 7).round(4),
        (np.arange(97.0)[:, None] * 31 + [0, 7, 14]) % 1000 / 1000,
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
        assert as_scores(as_frame(own)).shape == own.shape


def test_labels_to_keep_are_a_list_of_anything_that_has_a_text(tmp_path: Path) -> None:
    scores = cranfield().set_axis(range(301, 341))
    kept = as_scores(scores, keep_topics=[301])
    write_scores(
        kept.rename(index={301: "all"}).pipe(as_scores, keep_topics=["all"]), tmp_path / "k.parquet"
    )
    assert "all" in read_scores(tmp_path / "k.parquet").index
    for wrong in ("301", None, 301):
        with pytest.raises(ScoresError, match="expected a list of labels"):
            as_scores(scores, keep_topics=wrong)  # type: ignore[arg-type]
    scores.attrs["cdfscore"] = "text"
    assert as_scores(scores).shape == (40, 8)


@pytest.mark.clause("summary.5")
@pytest.mark.parametrize("missing", [False, True])
def test_a_row_that_is_replaced_is_seen(missing: bool) -> None:
    """The shape of the scores, and with z scores the sum of each row, is that of before."""
    scores = as_scores(cranfield().mask(np.arange(320).reshape(40, 8) % 29 == 3 * missing - 1))
    for own in (scores, Standardizer("z", missing="omit").fit_transform(scores)):
        changed = own.copy()
        assert changed.attrs == own.attrs != {}
        changed.iloc[7] = changed.drop(index=changed.index[7]).mean()
        with pytest.raises(ScoresError, match="has the mean of the scores"):
            as_scores(changed)


@pytest.mark.clause("summary.3")
@settings(max_examples=60)
@given(
    st.integers(2, 30), st.integers(1, 12), st.sampled_from([1, 2, 4, 16]), st.integers(0, 2**31)
)
def test_scores_at_random_have_no_summary(
    topics: int, systems: int, decimals: int, seed: int
) -> None:
    scores = np.random.default_rng(seed).beta(1, 2, (topics, systems)).round(decimals)
    frame = pd.DataFrame(scores, [f"t{i}" for i in range(topics)])
    assert as_scores(frame).shape == scores.shape


@pytest.mark.clause("summary.3")
def test_no_summary_is_refused_among_the_real_matrices(
    shared_tables: dict[Path, pd.DataFrame | ScoresError],
) -> None:
    errors = {path.name: str(e) for path, e in shared_tables.items() if isinstance(e, ScoresError)}
    of_summaries = ("summary", "of the scores of all other")
    refused = [name for name, e in errors.items() if any(words in e for words in of_summaries)]
    assert refused == []  # those of the leaderboards are asked for something else first
    assert len(shared_tables) - len(errors) > 50


def test_labels_of_systems_are_no_scores(cdfscore: Run, write: Write) -> None:
    """A table with a row a score, of systems with numbers, under headers that do not say so."""
    write({"l.csv": "query_id,run_id,AP\n301,1,.1\n302,1,.2\n303,2,.3\n"})
    found = cdfscore("compare", "l.csv")
    assert found.status == 2
    assert (
        "l.csv has the column 'run_id' of whole numbers, which are labels of systems" in found.err
    )
    assert cdfscore("compare", "l.csv", "--keep-system", "run_id").status == 0
    frame = pd.DataFrame({"query_id": ["301", "302"], "run_id": [1, 1], "AP": [0.1, 0.2]})
    with pytest.raises(ScoresError, match="the column 'run_id' of whole numbers"):
        compare(frame, "paired_t")
    assert as_scores(frame.assign(run_id=[0.5, 0.25])).shape == (2, 2)


@pytest.mark.parametrize("missing", ["zero", "omit", "raise"])
def test_files_without_a_common_topic_are_refused(
    cdfscore: Run, write: Write, missing: str
) -> None:
    write({"a.csv": "topic,a\n301,.1\n302,.2\n", "b.csv": "topic,b\nq301,.1\nq302,.3\n"})
    found = cdfscore("compare", "a.csv", "b.csv", "--missing", missing)
    assert found.status == 2
    assert "a.csv and b.csv have no topic in common, such as '301' and 'q301'" in found.err


@pytest.mark.clause("summary.5")
@pytest.mark.parametrize("of_systems", [False, True])
def test_a_label_to_keep_that_no_row_has_is_refused(of_systems: bool, tmp_path: Path) -> None:
    scores = cranfield().rename(index={"3": "304"})
    scores.to_csv(tmp_path / "s.csv")
    scores.to_parquet(tmp_path / "s.parquet")
    label = f"{scores.columns[2]}x" if of_systems else "3045"
    topics, systems = ([], [label]) if of_systems else ([label], [])
    kind = "system" if of_systems else "topic"
    meant = scores.columns[2] if of_systems else "304"
    for source in (scores, tmp_path / "s.csv", tmp_path / "s.parquet"):
        read: Callable[..., object] = read_scores if isinstance(source, Path) else as_scores
        with pytest.raises(ScoresError) as caught:
            read(source, keep_topics=topics, keep_systems=systems)
        assert f"has no {kind} {label!r}, which is to be kept" in str(caught.value)
        assert f"(did you mean {meant!r}?)" in str(caught.value)
    # A label that is remembered may be left out later.
    assert as_scores(as_scores(scores, keep_topics=["304"]).drop(index="304")).shape == (39, 8)


ROOT = Path(__file__).parents[2]
#: Labels that people and tools give to rows and columns that are no topics and no systems.
NAMES_OF_SUMMARIES = [
    *("mean", "Mean", "MEAN:", "(mean)", "**Average**", "Avg.", "avg", "amean", "gmean", "median"),
    *("sum", "Total:", "totals", "Overall", "overall mean", "grand mean", "weighted avg", "std"),
    *("macro avg", "Micro-Average", "Mean AP", "mean_ndcg", "avg_map", "gm_map", "gm_ap"),
    *("gm_bpref", "mean of all topics", "Mean score", "25%", "50%", "75%"),
    *("Mean (n=50)", "Mean over 50", "mean of 50 topics", "mean P@10"),
    *("avg nDCG@20", "P_10 mean", "MeanAP", "avgPrecision", "MeanNDCG@20", "GMAP", "MEAN nDCG"),
    *("average precision", "mean reciprocal rank", "std dev", "Standard Error", "stderr"),
    *("mean ± sd", "mean ± std", "mean AP over 249 queries"),
    *("Average WER", "Avg. Word Error Rate", "avg_ndcg_cut_10", "ndcg_cut_10_mean", "mean F1"),
    *("Average Recall", "total recall", "row mean", "column mean", "Averaged", "unweighted avg"),
    *("aggregate", "mean BLEU", "mean accuracy", "Mean (Task)", "Average (8 tasks)"),
    *("num_q", "num_ret", "num_rel", "num_rel_ret", "runid", "measure"),
]
#: Labels of rows alone; a system may have one.
OF_TOPICS = ["MAP", "all", "ALL", "All topics", "all queries"]
#: Labels of topics and systems.
OTHERS = [
    *("bm25-mean-pooling", "allMiniLM", "all-MiniLM-L6-v2", "mean_reversion", "sum-of-parts"),
    *(
        "max",
        "min",
        "count",
        "avg11",
        "(mean 10)",
        "MEAN9",
        "macro",
        "micro",
        "gm",
        "std::map",
        "stdlib",
    ),
    *("meanpool", "averaged-perceptron", "301", "summary", "overallist", "macro f1", "avg1", "--"),
    *("mean-pooling-bm25", "bm25-mean", "run50", "run11", "sum2vec", "sum-n", "mean-p", "mean10.5"),
    *("mean-rank", "MeanPooling", "sumRank", "MeanRun", "GM11", "AP11", "all11", "meanTopicModel"),
    *("P@10", "n=50", "AP@10", "sd", "standard", "mean50", "word average", "WER", "error rate"),
]


def refused(label: str, *, of_systems: bool) -> bool:
    scores = datasets.load_cranfield("ap").iloc[:12, :9]
    frame = scores.set_axis([label, *"bcdefghi"], axis=1) if of_systems else renamed(scores, label)
    kept = as_scores(frame, **{"keep_systems" if of_systems else "keep_topics": [label]})
    assert label in (kept.columns if of_systems else kept.index)
    kind = "system" if of_systems else "topic"
    try:
        as_scores(frame)
    except ScoresError as error:
        return f"{kind} {label!r}, the name of a summary and not of a {kind}" in str(error)
    return False


def renamed(scores: pd.DataFrame, *labels: str) -> pd.DataFrame:
    return scores.set_axis([*labels, *scores.index[len(labels) :]], axis=0)


@pytest.mark.clause("summary.1")
@pytest.mark.one_in(5)
@pytest.mark.parametrize("label", NAMES_OF_SUMMARIES)
def test_names_of_summaries_are_refused(label: str) -> None:
    assert refused(label, of_systems=False)
    assert refused(label, of_systems=True)


def test_no_label_of_the_real_matrices_is_the_name_of_a_summary(shared_data: Path) -> None:
    found: set[tuple[str, str]] = set()
    for path in sorted(shared_data.rglob("*.csv")):
        table = pd.read_csv(path, dtype=str)
        for labels in (table.columns.tolist(), table.iloc[:, 0].fillna("").tolist()):
            for kind in ("topic", "system"):
                found.update((path.name, label) for label in named_summaries(kind, labels))
    assert found == {("asr_multilingual.csv", "Avg"), ("asr_english.csv", "Avg. WER")}


@pytest.mark.clause("summary.1")
@pytest.mark.parametrize("label", OF_TOPICS)
def test_all_is_a_row_of_trec_eval_and_may_be_a_system(label: str) -> None:
    assert refused(label, of_systems=False)
    assert not refused(label, of_systems=True)


@pytest.mark.clause("summary.1")
@pytest.mark.one_in(3)
@pytest.mark.parametrize("label", OTHERS)
def test_other_labels_are_accepted(label: str) -> None:
    assert not refused(label, of_systems=False)
    assert not refused(label, of_systems=True)


def test_the_rows_of_describe_are_refused() -> None:
    scores = datasets.load_cranfield("ap").iloc[:12, :9]
    described = scores.describe()
    for first in range(len(described) - 1):
        tail = described.iloc[first:]
        with pytest.raises(ScoresError, match=f"topic '{tail.index[0]}', the name of a summary"):
            as_scores(pd.concat([scores, tail]))
    with pytest.raises(ScoresError, match="topic 'min', the name"):
        as_scores(pd.concat([scores, scores.agg(["min", "max"])]))
    with pytest.raises(ScoresError, match="system 'count', the name"):
        as_scores(pd.concat([scores, scores.T.describe().T[["count", "max"]]], axis=1))


@pytest.mark.clause("summary.1")
def test_the_clause_lists_the_words() -> None:
    """Its table is what a reader implements, with the role of each word."""
    text = (ROOT / "docs/specification/score_matrix.md").read_text(encoding="utf-8")
    clause = text[text.index("### summary.1") : text.index("### summary.2")]
    cells = re.findall(r"^\| (.+?) \| (?!role)", clause, flags=re.MULTILINE)
    telling, alone, others, measures, before, numbered, counted, beside = (
        frozenset(cell.split(", ")) for cell in cells
    )
    assert (telling, alone, others, numbered, counted) == (
        cautions._SUMMARIES,
        cautions._ALONE,
        cautions._WITH_OTHERS,
        cautions._WITH_NUMBER,
        cautions._COUNTED,
    )
    assert measures == cautions._MEASURES
    assert measures | before | numbered == cautions._BEFORE_NUMBERS
    assert measures | before | counted | beside == cautions._BESIDE


NO_TASKS = ["RTFx", "Model size (B)"]


def asr(shared_data: Path) -> pd.DataFrame:
    """The English leaderboard of speech recognizers, with its tasks alone: models x tasks."""
    path = shared_data / "leaderboards" / "asr_english.csv"
    return read_scores(path, drop_topics=NO_TASKS).T.rename_axis(index="model")


def may_be_no_tasks(labels: list[str], columns: np.ndarray) -> dict[str, str]:
    return no_scores(Rows("topic", labels, columns, of_board=True))


def found_in(board: pd.DataFrame) -> dict[str, str]:
    return may_be_no_tasks(list(board.columns), board.to_numpy(np.float64).T)


@pytest.mark.clause("leaderboard.1")
@pytest.mark.parametrize(
    ("header", "word"),
    [
        ("Embedding Dimensions", "dimensions"),
        ("dim", "dim"),
        ("GFLOPs", "gflops"),
        ("#Params (M)", "params"),
        ("modelSize", "size"),
        ("time(s)", "time"),
        ("Training time [h]", "time"),
        ("AMI WER_std", "std"),
        ("AMI WER (sd)", "sd"),
        ("AMI WER ±", "±"),
        ("± of AMI", "±"),
        ("AMI WER +/-", "+/-"),
    ],
)
def test_a_column_is_no_task_by_its_name(shared_data: Path, header: str, word: str) -> None:
    board = asr(shared_data)
    board[header] = board["LS Clean WER"] + 0.25
    assert found_in(board) == {header: f"by its name, {word}"}


@pytest.mark.clause("leaderboard.1")
@pytest.mark.parametrize(
    "header", ["car_price", "taxi_time", "House Cost", "Ames size", "bike_rank", "Flight Hours (h)"]
)
def test_a_task_may_end_in_such_a_word_unless_its_numbers_say_so(
    shared_data: Path, header: str
) -> None:
    board = asr(shared_data)
    board[header] = board["LS Clean WER"] + 0.25
    assert found_in(board) == {}
    board[header] = 140.0 + 3.1 * np.arange(len(board))
    assert list(found_in(board)) == [header]
    board[header] = np.arange(len(board)) + 12.0
    assert found_in(board)[header].startswith("by its name, ")
    accuracies = 1 - board / 100
    accuracies[header] = board["LS Clean WER"] / 100
    assert found_in(accuracies) == {}
    accuracies[header] = 1.5 + np.arange(len(board)) / 7
    assert list(found_in(accuracies)) == [header]
    errors = 40 * board
    errors[header] = errors.max(axis=1) + 12.5
    assert found_in(errors) == {}


@pytest.mark.parametrize(
    "header",
    [
        *("sd", "ci_fleurs", "SE", "Var", "Dimensional", "Tokenization", "Timed", "Epochal"),
        *("TimeQA", "Dim Reasoning", "Year Questions (s)", "date_understanding", "SpeedDating"),
    ],
)
def test_other_names_are_those_of_tasks(shared_data: Path, header: str) -> None:
    board = asr(shared_data)
    board[header] = board["LS Clean WER"]
    assert found_in(board) == {}


@pytest.mark.clause("leaderboard.1")
def test_the_clause_lists_the_words_of_no_scores() -> None:
    page = Path(__file__).parents[2] / "docs/specification/score_matrix.md"
    clause = page.read_text(encoding="utf-8").partition("### leaderboard.1")[2]
    rows = re.findall(r"^\| (.+?) \| (?!role)", clause.partition("###")[0], flags=re.MULTILINE)
    assert [frozenset(row.split(", ")) for row in rows] == [
        *(cautions._NO_SCORES, cautions._COUNTS, cautions._EXTREMES, cautions._DESCRIBING)
    ]


def test_a_language_may_be_called_sd(shared_data: Path) -> None:
    board = asr(shared_data)
    board["AMI WER sd"] = board["AMI WER"] + 1.25
    assert found_in(board) == {}
    board["AMI WER sd"] = board["AMI WER"] / 8
    assert found_in(board) == {"AMI WER sd": "by its name, sd"}


@pytest.mark.clause("leaderboard.1")
@pytest.mark.parametrize(
    ("numbers", "reason"),
    [
        ([384, 768, 1024, 4096], "about "),
        ([1201.5, 3312.25, 988.75], "about "),
        ([110e6, 335e6, 7.1e9], "about "),
        ([512], "about 512, and most others are at most "),
        ([128], "about 128, and most others are at most "),
    ],
)
def test_a_column_is_no_task_by_its_numbers(
    shared_data: Path, numbers: list[float], reason: str
) -> None:
    board = asr(shared_data)
    board["x"] = np.resize(numbers, len(board))
    found = found_in(board)
    assert list(found) == ["x"]
    assert found["x"].startswith(reason)
    percent = board.assign(x=board["x"] / 1.0).drop(columns="x") / 100
    assert list(found_in(percent.assign(x=np.resize(numbers, len(board))))) == ["x"]


def test_a_column_without_a_score_is_no_task(shared_data: Path, tmp_path: Path) -> None:
    """Such as one for remarks that nobody has made."""
    board = asr(shared_data).assign(Notes=np.nan)
    assert found_in(board) == {"Notes": "no score"}
    path = tmp_path / "s.csv"
    board.to_csv(path)
    with pytest.raises(ScoresError, match=r"the column 'Notes' \(no score\) may not be a task;"):
        read_scores(path)
    assert "Notes" not in read_scores(path, drop_topics=["Notes"]).index
    assert read_scores(path, keep_topics=["Notes"]).loc["Notes"].isna().all()


def parts(values: np.ndarray, rng: np.random.Generator, count: int) -> list[np.ndarray]:
    """Return random parts of a matrix and of its transpose."""
    found = []
    for own in (values, values.T):
        for _ in range(count):
            rows = rng.permutation(len(own))[: rng.choice([3, 4, 5, 6, 8, 12, 20, 40])]
            columns = rng.permutation(own.shape[1])[: rng.choice([2, 3, 4, 5, 8, 12, 30])]
            found.append(own[np.ix_(rows, columns)])
    return found


@pytest.mark.long
def test_no_part_of_a_real_matrix_has_a_column_that_is_no_task(
    shared_data: Path, shared_matrices: dict[Path, pd.DataFrame], long: bool
) -> None:
    rng = np.random.default_rng(1)
    alarms, tried = [], 0
    boards = sorted(shared_data.rglob("asr_*.csv"))
    asked = {path: read_scores(path, drop_topics=NO_TASKS) for path in boards}
    for path, scores in {**shared_matrices, **asked}.items():
        values = scores.to_numpy()
        for own in (values, values.T, *parts(values, rng, 300 if long else 20)):
            tried += 1
            found = may_be_no_tasks([f"t{i}" for i in range(len(own))], own)
            # Of a third of the scores that are missing, a part may have none in a column.
            alarms += [(path.name, own.shape, why) for why in found.values() if why != "no score"]
    assert alarms == []
    assert tried > (20_000 if long else 2000)


def test_columns_near_the_largest_double_are_compared() -> None:
    """The median of two such numbers is no sum of them."""
    frame = pd.DataFrame({"system": ["a", "b"], "r0": [0.0, 0.5], "r1": [8.99e307, 1.7e308]})
    found = as_scores(frame, keep_topics=["r1"])
    assert found.loc["r1"].tolist() == [8.99e307, 1.7e308]
    frame["r2"], frame["r3"] = [0.25, 0.75], [0.5, 0.125]
    with pytest.raises(ScoresError, match=r"the column 'r1' \(about 1.299e\+308, and most others"):
        as_scores(frame)
