"""Lambda by cross-validation, against a slow loop over topics."""

import math
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cdfscore.errors import MeasureError, RunError, SchemeError
from cdfscore.retrieval import measure
from cdfscore.retrieval.merging import cross_validated_lambda, merge, merging, selection_weights

TOPICS = [f"{i}" for i in range(5)]
SOURCES = ("a", "b", "c")
LAMBDAS = [0.4, 0.0, 5.0, math.inf]


def lists(scores: list[int]) -> dict[str, dict[str, dict[str, float]]]:
    found: dict[str, dict[str, dict[str, float]]] = {}
    numbers = iter(scores)
    for source in SOURCES:
        found[source] = {
            topic: {f"{source}{i}": next(numbers) / 7 for i in range(3)} for topic in TOPICS
        }
    return found


@pytest.mark.long
@pytest.mark.clause("cross_validated_lambda.1")
@given(
    st.lists(st.integers(0, 20), min_size=45, max_size=45),
    st.lists(st.integers(0, 9), min_size=15, max_size=15),
    st.dictionaries(
        st.sampled_from([*TOPICS[:4], "x"]),  # the last topic is not judged, and x not searched
        st.dictionaries(
            st.sampled_from([f"{s}{i}" for s in SOURCES for i in range(3)]), st.just(1), min_size=1
        ),
        min_size=4,
    ),
)
@settings(max_examples=5)
def test_the_choice_is_that_of_a_slow_loop(
    scores: list[int], of_sources: list[int], judged: dict[str, dict[str, int]]
) -> None:
    runs = lists(scores)
    rows = [of_sources[i : i + 3] for i in range(0, 15, 3)]
    selection = pd.DataFrame(rows, index=TOPICS, columns=SOURCES, dtype=float)
    found = cross_validated_lambda(runs, selection, judged, "AP", lambdas=LAMBDAS, depth=2)
    values = sorted(LAMBDAS)
    table: dict[float, dict[str, float]] = {}
    for value in values:
        run = merge(runs, weights=selection_weights(selection, value), depth=2).run
        measured = measure(run, judged, "AP", missing_topics="omit")["AP"]
        table[value] = measured.iloc[:, 0].dropna().to_dict()
    assert found.scores.to_dict() == table
    for topic in TOPICS:
        means = {
            value: sum(Fraction(y) for other, y in own.items() if other != topic)
            for value, own in table.items()
        }
        best = max(values, key=lambda value: (round(float(means[value]), 12), -value))
        assert found.by_topic[topic] == best
        assert found.weights.loc[topic].equals(selection_weights(selection, best).loc[topic])
    assert list(found.weights.index) == TOPICS


@pytest.mark.clause("cross_validated_lambda.1")
def test_equal_means_have_the_smallest_lambda(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both have 1/9, 1/3, 1/5 and 1/3 on the others, whose sums in doubles differ by the order."""
    columns = [[1 / k for k in own] for own in ([9, 3, 5, 3, 5], [3, 5, 3, 9, 10])]
    assert sum(columns[0][:4]) < sum(columns[1][:4])
    frames = (pd.DataFrame({"merged": each}, index=TOPICS) for each in columns)
    monkeypatch.setattr(
        merging, "measured_by", lambda *_, **__: SimpleNamespace(matrices={"RR": next(frames)})
    )
    found = cross_validated_lambda(RUNS, SELECTION, JUDGED, "RR", lambdas=[0, 1])
    assert found.by_topic[TOPICS[-1]] == 0


RUNS = lists(list(range(45)))
SELECTION = pd.DataFrame(1.0, index=TOPICS, columns=list(SOURCES))
JUDGED = {"1": {"a1": 1}, "2": {"b1": 1}}


def test_equal_scores_of_selection_leave_the_choice_to_the_smallest() -> None:
    found = cross_validated_lambda(RUNS, SELECTION, JUDGED)
    assert found.by_topic.tolist() == [0.0] * 5
    assert found.note == (
        "lambda is chosen for each topic by the mean over all other judged topics; 3 topics "
        "without judgments, by all judged topics: 0 (5 topics)"
    )
    assert repr(found) == f"<ChosenLambda: {found.note}>"


WRONG: dict[str, tuple[type[Exception], dict[str, Any]]] = {
    "there is one value of lambda to choose from": (SchemeError, {"lambdas": [1, 1.0]}),
    "there are no values of lambda to choose from": (SchemeError, {"lambdas": []}),
    "lam=-1 is not accepted": (SchemeError, {"lambdas": [0, -1]}),
    "1 of the topics are judged; expected at least two": (RunError, {"qrels": {"1": {"a1": 1}}}),
    "measure 'map' is not known": (MeasureError, {"measure": "map", "runs": "none.run"}),
    "none.qrels cannot be read": (RunError, {"qrels": "none.qrels", "runs": "none.run"}),
}


@pytest.mark.parametrize("message", WRONG)
def test_what_cannot_be_chosen_by_is_refused(message: str) -> None:
    error, settings = WRONG[message]
    given: dict[str, Any] = {"runs": RUNS, "selection": SELECTION, "qrels": JUDGED}
    with pytest.raises(error, match=message):
        cross_validated_lambda(**{**given, **settings})


def test_two_measures_are_refused() -> None:
    measures: Any = ["AP", "P@5"]
    with pytest.raises(MeasureError):
        cross_validated_lambda(RUNS, SELECTION, JUDGED, measures)
