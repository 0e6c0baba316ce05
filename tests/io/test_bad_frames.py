"""Data frames that are refused, each with what the message must say about it."""

import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer, as_scores
from cdfscore.errors import ScoresError

TOPICS = ["q1", "q2"]
TWO_LEVELS = pd.MultiIndex.from_tuples([("a", 1), ("a", 2)])


def of(column: object) -> pd.DataFrame:
    """Make a frame whose second system has this column."""
    return pd.DataFrame({"a": [0.1, 0.2], "b": column}, index=TOPICS)


def plain(index: object = None, columns: object = None) -> pd.DataFrame:
    return pd.DataFrame([[0.1, 0.2], [0.3, 0.4]], index=index, columns=columns)


@pytest.mark.clause("matrix.1", "matrix.2", "errors.2")
@pytest.mark.parametrize(
    ("frame", "fragments"),
    [
        (None, ["is None; expected a data frame", "as_scores"]),
        (pd.Series([0.1]), ["Series", "expected a data frame", "as_scores"]),
        (
            plain(index=TWO_LEVELS),
            ["rows with 2 labels each, such as ('a', '1')", "one label for each topic"],
        ),
        (plain(columns=TWO_LEVELS), ["columns with 2 labels each, such as ('a', '1')"]),
        (pd.DataFrame(), ["(0, 0)", "topics x systems"]),
        (pd.DataFrame(index=TOPICS), ["(2, 0)"]),
        (pd.DataFrame({"a": []}), ["(0, 1)"]),
        (pd.DataFrame({"topic": TOPICS}), ["(2, 0)"]),
        (plain(index=["q1", "q1"]), ["topic 'q1' appears twice", "row 1", "row 2"]),
        (plain(index=[1, "1"]), ["topic '1' appears twice"]),
        (plain(index=["q1", None]), ["row 2", "no name"]),
        (plain(index=["q1", np.nan]), ["row 2", "no name"]),
        (plain(index=pd.Index(["q1", pd.NA], dtype=object)), ["row 2", "no name"]),
        (plain(index=["q1", " "]), ["row 2", "no name"]),
        (plain(columns=["a", "a"]), ["system 'a' appears twice", "column 1", "column 2"]),
        (plain(columns=["a", None]), ["column 2", "no name"]),
        (of([0.1, "x"]), ["topic 'q2'", "system 'b'", "'x' is not a number", "expected a score"]),
        (of(["0.1", "0,2"]), ["topic 'q2'", "system 'b'", "'0,2'"]),
        (of(["0.1", "1_000"]), ["topic 'q2'", "'1_000'"]),
        (of(["0.1", "NA"]), ["topic 'q2'", "'NA'", "NaN where it is missing"]),
        (of(["x" * 999, "0.1"]), ["topic 'q1'", "xxx...xxx"]),
        (of([[0.1], 0.2]), ["topic 'q1'", "[0.1]"]),
        (of([b"0.1", 0.2]), ["topic 'q1'", "b'0.1'"]),
        (
            of(pd.Series([10**400, 0.1], index=TOPICS, dtype=object)),
            ["topic 'q1'", "is not a number"],
        ),
        (of([True, False]), ["system 'b'", "bool", "expected numbers"]),
        (of(np.array([0.1, True], dtype=object)), ["topic 'q2'", "system 'b'", "True"]),
        (of(np.array([0.1, np.True_], dtype=object)), ["topic 'q2'", "system 'b'", "True"]),
        (of(pd.array([True, None], dtype="boolean")), ["system 'b'", "boolean"]),
        (of([1 + 2j, 0.1]), ["system 'b'", "complex"]),
        (of(pd.to_datetime(["2004", "2005"])), ["system 'b'", "datetime"]),
        (of(pd.to_timedelta([1, 2])), ["system 'b'", "timedelta"]),
        (of(pd.period_range("2004", periods=2, freq="D")), ["system 'b'"]),
        (of(pd.Categorical([0.1, "x"])), ["topic 'q2'", "system 'b'", "'x'"]),
        (of([0.1, np.inf]), ["topic 'q2'", "system 'b'", "inf is not finite"]),
        (of(["-inf", 0.1]), ["topic 'q1'", "system 'b'", "-inf is not finite"]),
        (pd.DataFrame({"id": [301, 302], "a": [1, 2]}), ["'id'", "301 to 302", "topic_column"]),
        (
            pd.DataFrame({"id": [301, 302], "a": [1, 2]}, index=[5, 3]),
            ["'id'", "301 to 302", "topic_column"],
        ),
        (pd.DataFrame({"a": [0.1, 0.2], "topic": [301, 302]}), ["column 'topic'", "topic_column"]),
        (
            pd.DataFrame({"topic": [301, 302], "a": [1, 2]}, index=["x", "y"]),
            ["column 'topic'", "topic_column"],
        ),
    ],
)
def test_frame_is_refused(frame: object, fragments: list[str]) -> None:
    with pytest.raises(ScoresError) as caught:
        as_scores(frame, source="my scores")  # type: ignore[arg-type]
    message = str(caught.value)
    assert message.startswith("my scores")
    assert len(message) < 400
    for fragment in fragments:
        assert fragment in message


@pytest.mark.parametrize(
    ("frame", "options", "fragments"),
    [
        (plain(columns=["a", "b"]), {"topic_column": "topic"}, ["no column 'topic'"]),
        (plain(columns=["t", "t"]), {"topic_column": "t"}, ["two columns 't'", "expected one"]),
        (plain(), {"systems_as_rows": True}, ["no column of system names"]),
        (
            pd.DataFrame({"run": ["x", "y"], "301": [0.1, 0.2]}),
            {"systems_as_rows": False},
            ["'run'", "taken as topics", "systems_as_rows"],
        ),
        (
            pd.DataFrame({"topic": ["q1"], "a": [0.1]}),
            {"systems_as_rows": True},
            ["'topic'", "taken as systems", "systems_as_rows"],
        ),
        (
            of([0.1, "x"]),
            {"systems_as_rows": True},
            ["topic 'b'", "system 'q2'", "'x' is not a number"],
        ),
    ],
)
def test_options_that_do_not_fit_are_refused(
    frame: pd.DataFrame, options: dict, fragments: list[str]
) -> None:
    with pytest.raises(ScoresError) as caught:
        as_scores(frame, **options)
    for fragment in fragments:
        assert fragment in str(caught.value)


@pytest.mark.parametrize(
    ("frame", "told"),
    [
        (
            plain(index=["q1", "all"]),
            "keep it by keep_topics=['all']; as_scores takes drop_topics=... and keep_topics=...",
        ),
        (of(["OOM", 0.2]), "na=['OOM'] says that the score is missing; as_scores takes na=..."),
    ],
)
def test_a_message_says_who_takes_the_arguments_that_it_names(
    frame: pd.DataFrame, told: str
) -> None:
    for takes_a_frame in (Standardizer("normal").fit, Standardizer("empirical").standardize):
        with pytest.raises(ScoresError) as error:
            takes_a_frame(frame)
        assert str(error.value).endswith(told)
    with pytest.raises(ScoresError) as error:
        as_scores(frame)
    assert str(error.value).endswith(told.partition("; as_scores")[0])
