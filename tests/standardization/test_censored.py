"""Scores beyond the ends of a distribution: their numbers by topic, and the note on them."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore import Standardizer, write_scores
from cdfscore.standardization.cautions import censored_notes
from cdfscore.standardization.leave_one_out import left_out
from tests.cli.conftest import cdfscore as cdfscore


def matrix(seed: int = 1, topics: int = 7, systems: int = 25) -> pd.DataFrame:
    values = np.random.default_rng(seed).beta(0.3, 3, (topics, systems))
    return pd.DataFrame(values, index=[f"t{i}" for i in range(topics)])


@pytest.mark.clause("censored.1")
@given(st.floats(0.05, 2), st.floats(0, 1), st.integers(0, 50))
def test_u_std_is_censored_where_its_line_leaves_0_and_1(a: float, b: float, seed: int) -> None:
    """Sakai (2016): y = max(0, min(1, A z + B)). Lines that end at 0 or 1 are not beyond it."""
    scores = matrix(seed)
    z = scores.sub(scores.mean(axis=1), axis=0).div(scores.std(axis=1), axis=0)
    line = a * z + b
    found = Standardizer(f"uniform:A={a!r},B={b!r}").standardize(scores)
    near = ((line.abs() < 1e-9) | ((line - 1).abs() < 1e-9)).any(axis=1)
    counts = {t: ((line.loc[t] < 0).sum(), (line.loc[t] > 1).sum()) for t in scores.index[~near]}
    expected = {topic: own for topic, own in counts.items() if any(own)}
    assert {t: own for t, own in found.censored.items() if t in counts} == expected


@pytest.mark.clause("censored.1")
@pytest.mark.parametrize(
    ("scheme", "beyond"),
    [
        ("minmax", True),
        ("empirical", True),
        ("exponential", True),
        ("uniform", True),
        ("normal", False),
        ("kernel", False),
        ("z", False),
        ("sum", False),
        ("raw", False),
    ],
)
def test_other_systems_may_be_beyond_the_reference(scheme: str, beyond: bool) -> None:
    reference = matrix().clip(0.01, 0.6)
    others = matrix(2)
    others.iloc[0, 0], others.iloc[1, 1] = 0.0, 0.99
    found = Standardizer(scheme).standardize(others, reference)
    assert bool(found.censored) == beyond
    y = found.scores.to_numpy()
    if scheme in ("minmax", "empirical"):
        low, high = (reference.agg(f, axis=1).to_numpy()[:, np.newaxis] for f in ("min", "max"))
        counts = {
            t: (int(below), int(above))
            for t, below, above in zip(
                others.index, (others < low).sum(axis=1), (others > high).sum(axis=1), strict=True
            )
            if below or above
        }
        assert found.censored == counts
        assert (y[(others < low).to_numpy()] == 0).all()
        assert (y[(others > high).to_numpy()] == 1).all()


def test_constant_and_reversed_topics() -> None:
    """A constant topic has a note of its own; of errors, the lowest are above the distribution."""
    scores = matrix()
    scores.loc["t3"] = 0.5
    found = Standardizer("uniform:A=0.5").standardize(scores)
    assert "t3" not in found.censored
    errors = Standardizer("uniform:A=0.5", lower_is_better=True).standardize(-scores)
    assert errors.censored == found.censored


def test_topics_that_are_left_out_are_not_counted() -> None:
    reference, others = matrix(), matrix(2).iloc[::-1]
    others.iloc[0, 0] = np.nan
    standardizer = Standardizer("uniform:A=1", missing="drop_topic")
    found = standardizer.standardize(others, reference.iloc[1:], extra_topics="drop")
    assert found.censored.keys() <= {"t1", "t2", "t3", "t4", "t5"}
    assert len(found.censored) > 2
    whole = Standardizer("uniform:A=1").standardize(others.iloc[1:], reference)
    assert found.censored.items() <= whole.censored.items()


@pytest.mark.clause("censored.1")
@pytest.mark.parametrize("stream", [(), ("--stream",)])
def test_the_commands_state_the_numbers(cdfscore, tmp_path: Path, stream) -> None:
    write_scores(matrix(), tmp_path / "scores.parquet")
    given = "standardize scores.parquet --scheme uniform:A=0.5 --out y.parquet"
    status, _, err = cdfscore(*given.split(), *stream)
    (note,) = censored_notes(Standardizer("uniform:A=0.5").standardize(matrix()).censored)
    assert (status, f"cdfscore: {note}\n" in err) == (0, True)


@pytest.mark.clause("censored.1", "leave_one_out.1")
@pytest.mark.parametrize(
    "how",
    [
        Standardizer("uniform:A=0.5", missing="omit"),
        Standardizer("uniform:A=0.5", missing="omit", lower_is_better=True),
        Standardizer("empirical", missing="omit"),
        Standardizer("minmax", missing="omit", constant="half"),
        Standardizer("exponential", missing="omit"),
        Standardizer("normal", missing="omit"),
        Standardizer("z", missing="omit", constant="nan"),
        Standardizer("gamma", missing="omit", unfitted="drop_topic"),
        Standardizer("uniform:A=0.5", missing="drop_topic"),
    ],
    ids=str,
)
def test_without_a_system_its_scores_are_beside_those_of_the_others(how: Standardizer) -> None:
    """As by a fit to the others, system by system."""
    scores = matrix(systems=12)
    scores.loc["t3"] = 0.5
    scores.loc["t4"] = [0.7, *[0.2] * 11]
    scores.iloc[5, 2] = np.nan
    left = left_out(scores, how)
    expected = dict.fromkeys(left.scores.index, (0, 0))
    for system in scores:
        alone = how.fit(scores.drop(columns=system)).standardize(scores[[system]])
        for topic, (low, high) in alone.censored.items():
            if topic in expected:
                below, above = expected[topic]
                expected[topic] = below + low, above + high
    assert left.censored == {topic: own for topic, own in expected.items() if any(own)}
    assert bool(left.censored) == (
        how.scheme.name in ("uniform", "empirical", "minmax", "exponential")
    )


@pytest.mark.clause("censored.1")
def test_the_note_of_leave_one_out(cdfscore, tmp_path: Path) -> None:
    write_scores(matrix(), tmp_path / "scores.csv")
    given = "standardize scores.csv --scheme uniform:A=0.5 --leave-one-out -o y.csv"
    status, _, err = cdfscore(*given.split())
    (note,) = censored_notes(left_out(matrix(), Standardizer("uniform:A=0.5")).censored)
    assert (status, f"cdfscore: {note}\n" in err) == (0, True)


def test_the_note_has_the_numbers_of_each_topic() -> None:
    assert censored_notes({}) == []
    assert censored_notes({"401": (1, 0)}) == [
        "1 score is below the distribution of the topic and censored at 0, and 0 above it and "
        "censored at 1, on 1 topic: 401 (1 and 0)"
    ]
    (many,) = censored_notes({f"t{i}": (i, 2) for i in range(7)})
    assert many.startswith("21 scores are below")
    topics = ", ".join(f"t{i} ({i} and 2)" for i in range(5))
    assert many.endswith(f"and 14 above it and censored at 1, on 7 topics: {topics}, ...")
