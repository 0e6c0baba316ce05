"""SAFE: lines that are known, ranks of sampled documents, and lists that no line is fitted to."""

import math
from collections.abc import Callable
from statistics import StatisticsError, correlation, linear_regression
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore.errors import FitError, RunError, SchemeError
from cdfscore.retrieval.merging import SafeMerged, Samples, safe
from cdfscore.retrieval.merging.sources import FUNCTIONS
from tests import a_tenth

LENGTH = 8
LIST = {"a": {"1": {f"d{i}": 100.0 - i for i in range(1, LENGTH + 1)}}}  # d1 has rank 1
LINES: dict[str, Callable[[float], float]] = {
    "r": lambda r: 20 - 0.5 * r,
    "log(r)": lambda r: 20 - 3 * math.log(r),
    "sqrt(r)": lambda r: 20 - 2 * math.sqrt(r),
    "1/r": lambda r: 2 + 7 / r,
}
COEFFICIENTS = {"r": (20, -0.5), "log(r)": (20, -3), "sqrt(r)": (20, -2), "1/r": (2, 7)}


def merged(
    broker: dict[str, float], sampled: int, size: float, **settings: Any
) -> tuple[SafeMerged, dict[str, Any]]:
    """Merge LIST by a broker's scores; the sample has these documents and others, never scored."""
    own = [*broker, *(f"other{i}" for i in range(sampled - len(broker)))]
    found = safe(LIST, {"1": broker}, Samples.of({"a": own}, {"a": size}), **settings)
    (fit,) = found.fits.to_dict("records")
    return found, fit


@pytest.mark.clause("safe.1")
@pytest.mark.parametrize("name", LINES)
def test_the_line_of_each_function_is_found(name: str) -> None:
    """Of d1, d2, d5 with the ranks of the list, and three that it lacks, j = 4, 5, 6."""
    line = LINES[name]
    ranks = {"d1": 1.0, "d2": 2.0, "d5": 5.0} | {f"x{j}": (j - 0.5) * 40 / 10 for j in (4, 5, 6)}
    found, fit = merged({document: line(rank) for document, rank in ranks.items()}, 10, 40)
    assert (fit["topic"], fit["source"], fit["n"], fit["reason"]) == ("1", "a", 6, "")
    assert fit["function"] == name
    assert (fit["a"], fit["b"]) == pytest.approx(COEFFICIENTS[name], rel=1e-12)
    assert fit["r_squared"] == pytest.approx(1, abs=1e-14)
    scores = found.frame().set_index("document")["score"]
    assert scores.tolist() == pytest.approx([line(r) for r in range(1, LENGTH + 1)], rel=1e-12)


@pytest.mark.clause("safe.2")
def test_a_sampled_document_that_the_list_should_have_is_left_out() -> None:
    """With |C| = |S_C| the j-th would have the rank j - 1/2, within the list of 8."""
    broker = {"d1": 9.0, "x": 8.5, "d2": 8.0, "d3": 7.0}
    _, fit = merged(broker, 4, 4)
    assert (fit["n"], fit["function"], fit["a"], fit["b"]) == (3, "r", 10, -1)
    # As the 5th of 10 in 20 it has rank 9, after the end of the list.
    broker = {f"d{i}": 10.0 - i for i in range(1, 5)} | {"x": 1.0}
    _, fit = merged(broker, 10, 20)
    assert (fit["n"], fit["a"], fit["b"]) == (5, 10, -1)
    # And as the 4th of 9 in 20 it has rank 7.8.
    _, fit = merged({"d1": 9.0, "d2": 8.0, "d3": 7.0, "x": 1.0}, 9, 20)
    assert (fit["n"], fit["a"], fit["b"]) == (3, 10, -1)


def test_a_depth_shortens_the_list() -> None:
    """d5 is beyond it then, and has the rank 2 * (3 - 1/2) = 5 as the third of the sample."""
    broker = {"d1": 9.0, "d2": 8.0, "d5": 5.0}
    for depth in (4, None):
        found, fit = merged(broker, 10, 20, depth=depth)
        assert (fit["n"], fit["a"], fit["b"]) == (3, 10, pytest.approx(-1, rel=1e-15))
        assert len(found.frame()) == (depth or LENGTH)


UNFITTED = {
    "a line needs 3 sampled documents with ranks and there are 2": {"d1": 2.0, "d2": 1.0},
    "a line needs 3 sampled documents with ranks and there are 0": {},
    "the fitted scores increase with the rank": {"d1": 1.0, "d2": 2.0, "d3": 3.0},
}


@pytest.mark.clause("safe.1")
@pytest.mark.parametrize("reason", UNFITTED)
def test_lists_without_a_line(reason: str) -> None:
    broker = UNFITTED[reason]
    lists = {"b": {"1": {"b1": 3.0, "b2": 2.0, "b3": 1.0}}, **LIST}
    samples = Samples.of({"a": [*broker, "y"], "b": ["b1", "b2", "b3"]}, {"a": 40, "b": 40})
    run = {"1": broker | {"b1": 30.0, "b2": 20.0, "b3": 10.0}}
    with pytest.raises(FitError, match=f"^source 'a', topic '1': {reason}; expected longer lists"):
        safe(lists, run, samples)
    lists["a"]["2"] = LIST["a"]["1"]
    found = safe(lists, run, samples, unfitted="drop_list")
    assert found.run.topics == ("1",)  # no list of topic 2 is left
    assert found.frame()["source"].tolist() == ["b"] * 3
    assert found.notes[-1] == (
        f"2 lists omitted, because no line is fitted: source 'a', topic '1': {reason}, and others"
    )
    row = found.fits.set_index(["source", "topic"]).loc["a", "1"]
    assert (row["function"], row["reason"]) == ("", reason)
    assert np.isnan([row["a"], row["b"], row["r_squared"]]).all()


def test_no_list_with_a_line_is_no_run() -> None:
    samples = Samples.of({"a": ["d1"]}, {"a": 40})
    with pytest.raises(RunError, match="no document is left in any list"):
        safe(LIST, {"1": {"d1": 1.0}}, samples, unfitted="drop_list")


@pytest.mark.parametrize(
    ("samples", "broker", "message"),
    [
        (({"b": ["d1"]}, {"b": 9}), {"d1": 1.0}, "source 'a' has no sample; expected one for eac"),
        (({"a": ["d1"]}, {"a": 9}), {"d2": 1.0}, "document 'd2' is in no sample; expected docume"),
    ],
)
def test_what_is_sampled_is_known(samples: Any, broker: dict[str, float], message: str) -> None:
    with pytest.raises(RunError, match=message):
        safe(LIST, {"1": broker}, Samples.of(*samples))


BAD_SAMPLES: list[tuple[Any, Any, str]] = [
    ({"a": ["d1"]}, {"b": 9}, "the size of source 'a' is not given; expected a number"),
    ({"a": []}, {"a": 9}, "source 'a' has 0 sampled documents and 9 documents; expected 1 or more"),
    ({"a": ["d1", "d2"]}, {"a": 1.5}, "has 2 sampled documents and 1.5 documents; expected 1 or m"),
    ({"a": ["d1"]}, {"a": math.nan}, "has 1 sampled documents and nan documents"),
    ({"a": ["d1"]}, {"a": math.inf}, "has 1 sampled documents and inf documents"),
    ({"a": ["d1"]}, {"a": "9"}, "has 1 sampled documents and '9' documents"),
    ({"a": "d1"}, {"a": 9}, "of source 'a' are the text 'd1'; expected a list of ids"),
    ({"a": ["d1"], "b": ["d2", "d1"]}, {"a": 9, "b": 9}, "'d1' was sampled from the sources 'a' a"),
]


@pytest.mark.parametrize(("documents", "sizes", "message"), BAD_SAMPLES, ids=str)
def test_samples_are_refused(documents: Any, sizes: Any, message: str) -> None:
    with pytest.raises(RunError, match=message):
        Samples.of(documents, sizes)


def test_policies_are_checked_before_reading() -> None:
    samples = Samples.of({"a": ["d1"]}, {"a": 9})
    wrong: dict[str, dict[str, Any]] = {
        "unfitted='nan' is not accepted; expected": {"unfitted": "nan"},
        "duplicates='drop' is not accepted": {"duplicates": "drop"},
        "depth=0 is not accepted": {"depth": 0},
        "keep=0 is not accepted": {"keep": 0},
    }
    for message, settings in wrong.items():
        with pytest.raises(SchemeError, match=message):
            safe("none.run", "none.run", samples, **settings)


SOURCES = ("a", "b", "c")
TOPICS = ("7", "8")


def slow_fit(pairs: list[tuple[float, float]]) -> tuple[str, float, float] | None:
    """Return the function, and the line, of the highest R^2 by `statistics`."""
    best: tuple[float, str, float, float] | None = None
    ranks, scores = [r for r, _ in pairs], [s for _, s in pairs]
    if len(pairs) < 3:
        return None
    if len(set(scores)) == 1:
        return "r", scores[0], 0.0
    for name, f in FUNCTIONS.items():
        x = [float(f(np.float64(r))) for r in ranks]
        try:
            squared = correlation(x, scores) ** 2
        except StatisticsError:
            return None
        if best is None or squared > best[0]:
            line = linear_regression(x, scores)
            best = squared, name, line.intercept, line.slope
    assert best is not None
    _, name, a, b = best
    return None if (b if name != "1/r" else -b) > 0 else (name, a, b)


@pytest.mark.clause("safe.1", "safe.2")
@a_tenth
@given(st.data())
def test_fits_are_those_of_the_definition(data: st.DataObject) -> None:
    """Sources of 12 documents, of which lists have the first few, and samples any."""
    documents = {source: [f"{source}{i}" for i in range(12)] for source in SOURCES}
    lists: dict[str, dict[str, dict[str, float]]] = {}
    samples: dict[str, list[str]] = {}
    for source, own in documents.items():
        lists[source] = {}
        for topic in TOPICS:
            order = data.draw(st.permutations(own))[: data.draw(st.integers(1, 8))]
            lists[source][topic] = {each: -float(i) for i, each in enumerate(order)}
        samples[source] = data.draw(st.lists(st.sampled_from(own), min_size=1, unique=True))
    sizes = {source: data.draw(st.sampled_from([12.0, 30.0, 31.5])) for source in SOURCES}
    sampled = [each for own in samples.values() for each in own]
    broker = {
        topic: {each: data.draw(st.integers(0, 9)) + i / 100 for i, each in enumerate(sampled)}
        for topic in TOPICS
    }
    settings: Any = {"unfitted": "drop_list"}
    try:
        found = safe(lists, broker, Samples.of(samples, sizes), **settings)
    except RunError:
        found = None
    fits = {} if found is None else found.fits.set_index(["topic", "source"]).to_dict("index")
    for topic in TOPICS:
        order = sorted(sampled, key=lambda each: -broker[topic][each])
        for source in SOURCES:
            ranking = list(lists[source][topic])
            pairs = []
            for j, each in enumerate((d for d in order if d in samples[source]), start=1):
                rank = (j - 0.5) * sizes[source] / len(samples[source])
                if each in ranking:
                    pairs.append((ranking.index(each) + 1.0, broker[topic][each]))
                elif rank > len(ranking):
                    pairs.append((rank, broker[topic][each]))
            expected = slow_fit(pairs)
            if found is None:
                assert expected is None
                continue
            row = fits[topic, source]
            assert row["n"] == len(pairs)
            if expected is None:
                assert row["function"] == ""
            else:
                assert (row["function"], row["a"], row["b"]) == (
                    expected[0],
                    pytest.approx(expected[1], rel=1e-9, abs=1e-9),
                    pytest.approx(expected[2], rel=1e-9, abs=1e-9),
                )
