"""What a frame of scores remembers in its `attrs`, under one name."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from cdfscore.errors import ScoresError
from cdfscore.io.results.names import is_same_measure

if TYPE_CHECKING:
    import pandas as pd

_NAME = "cdfscore"
# Headers of tables of models on tasks.
_OF_MODELS = {
    *("model", "classifier", "learner", "recognizer", "llm", "algorithm", "method", "approache"),
    *("approach", "task", "dataset", "data set", "data_set", "benchmark"),
}
_LISTS = {"notes", "keep_topics", "keep_systems"}


def remembered(frame: pd.DataFrame) -> dict[str, Any]:
    """Return what a frame remembers: labels to keep, notes and the measure."""
    known = frame.attrs.get(_NAME)
    return known if isinstance(known, dict) else {}


def refuse_damaged_memory(source: str, frame: pd.DataFrame) -> None:
    """Raise `ScoresError` for a frame of a file that remembers what no frame does."""
    for name, what in remembered(frame).items():
        expected = None
        if name in _LISTS and not (
            isinstance(what, list) and all(isinstance(each, str) for each in what)
        ):
            expected = "a list of text"
        elif name == "measure" and not isinstance(what, str | None):
            expected = "text"
        if expected is not None:
            raise ScoresError(
                f"{source} is damaged: {name} that it remembers are {reprlib.repr(what)}; "
                f"expected {expected}"
            )


def remember(frame: pd.DataFrame, /, **what: object) -> None:
    """Make a frame remember more; other frames that share its memory do not."""
    frame.attrs[_NAME] = {**remembered(frame), **what}


def systems_were_rows(frame: pd.DataFrame) -> bool:
    """Return True if systems were the rows of all files, as models of a leaderboard are."""
    return bool(remembered(frame).get("systems_were_rows"))


def units_of(frame: pd.DataFrame) -> tuple[str, str]:
    """Return what is compared, and on what: models on tasks if the header says so."""
    header = str(remembered(frame).get("header") or "").strip().lower().removesuffix("s")
    return ("model", "task") if header in _OF_MODELS else ("system", "topic")


def is_standardized(frame: pd.DataFrame) -> bool:
    """Return True if the scores are the result of a standardization."""
    return bool(remembered(frame).get("standardized"))


def notes_of(frame: pd.DataFrame) -> list[str]:
    """Return sentences on what the reading of a frame left out, took for granted or checked."""
    return list(remembered(frame).get("notes", []))


def same_measure(measures: Iterable[tuple[str | None, str]]) -> None:
    """Raise `ScoresError` for different measures of two sources; None is that of any."""
    known = [(measure, source) for measure, source in measures if measure is not None]
    for measure, source in known[1:]:
        first, here = known[0]
        if not is_same_measure(measure, first):
            raise ScoresError(
                f"{here} has scores of {first} and {source} of {measure}; expected one measure of "
                "all"
            )


def measure_of(frame: pd.DataFrame) -> str | None:
    """Return the measure of the scores, if their file named it."""
    return remembered(frame).get("measure")
