"""Summaries are known by their names, and labels that only look like them are none."""

from __future__ import annotations

import pandas as pd
import pytest

from cdfscore import as_scores, datasets
from cdfscore.errors import ScoresError

#: Labels that people and tools give to rows and columns that are no topics and no systems.
SUMMARIES = [
    *("mean", "Mean", "MEAN:", "(mean)", "**Average**", "Avg.", "avg", "amean", "gmean", "median"),
    *("sum", "Total:", "totals", "Overall", "overall mean", "grand mean", "weighted avg", "std"),
    *("macro avg", "Micro-Average", "Mean AP", "mean_ndcg", "avg_map", "gm_map", "gm_ap"),
    *("gm_bpref", "mean of all topics", "Mean score", "25%", "50%", "75%"),
    *("num_q", "num_ret", "num_rel", "num_rel_ret", "runid", "measure"),
]
#: Labels of rows alone; a system may have one.
OF_TOPICS = ["all", "ALL", "All topics", "all queries"]
#: Labels of topics and systems.
OTHERS = [
    *("bm25-mean-pooling", "allMiniLM", "all-MiniLM-L6-v2", "mean_reversion", "sum-of-parts"),
    *("max", "min", "count", "map", "macro", "micro", "gm", "total recall", "std::map", "stdlib"),
    *("meanpool", "averaged-perceptron", "301", "summary", "overallist", "macro f1", "avg1", "--"),
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


@pytest.mark.parametrize("label", SUMMARIES)
def test_names_of_summaries_are_refused(label: str) -> None:
    assert refused(label, of_systems=False)
    assert refused(label, of_systems=True)


@pytest.mark.parametrize("label", OF_TOPICS)
def test_all_is_a_row_of_trec_eval_and_may_be_a_system(label: str) -> None:
    assert refused(label, of_systems=False)
    assert not refused(label, of_systems=True)


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
