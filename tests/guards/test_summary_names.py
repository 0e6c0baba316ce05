"""Summaries are known by their names, and labels that only look like them are none."""

import re
from pathlib import Path

import pandas as pd
import pytest

from cdfscore import as_scores, datasets
from cdfscore.errors import ScoresError
from cdfscore.scores import cautions
from cdfscore.scores.cautions import named_summaries

ROOT = Path(__file__).parents[2]
#: Labels that people and tools give to rows and columns that are no topics and no systems.
SUMMARIES = [
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
@pytest.mark.parametrize("label", SUMMARIES)
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
