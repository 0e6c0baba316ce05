"""Errors that cdfscore raises, each a `CdfscoreError`, a `ValueError`; and its warnings.

A message is one sentence. It names the argument, the topic or system, the line of the file,
the value found and the values that are accepted.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping


class CdfscoreError(ValueError):
    """Base of every error that cdfscore raises on purpose.

    ``of_reference`` is True for an error of the reference scores, if these are another matrix.
    """

    of_reference = False


class CdfscoreWarning(UserWarning):
    """Category of warnings of results that a careful person could misread."""


class ScoresError(CdfscoreError):
    """Raised when a score matrix cannot be read or is not valid."""


class MissingScoreError(ScoresError):
    """Raised when a score is missing and the policy for missing scores does not allow it.

    ``cell`` has the topic and the system of the first such score, or is None.
    """

    def __init__(self, message: str, *, cell: tuple[str, str] | None = None) -> None:
        super().__init__(message)
        self.cell = cell


class RunError(CdfscoreError):
    """Raised when a run or qrels cannot be read, are not valid, or do not go together."""


class MeasureError(CdfscoreError):
    """Raised for an unknown measure, and for one that nothing installed measures."""


class SchemeError(CdfscoreError):
    """Raised for an unknown scheme, an unknown setting, or a setting out of range."""


class FitError(CdfscoreError):
    """Raised when a scheme cannot be fitted to the reference scores of a topic.

    ``row`` is the index of the first such topic in the batch, or None; ``rows`` are all such
    topics, each with its reason. Without ``rows``, the reason for ``row`` is the message, without
    "row 3: " for row 3.
    """

    def __init__(
        self, message: str, *, row: int | None = None, rows: Mapping[int, str] | None = None
    ) -> None:
        super().__init__(message)
        self.row = row
        own = {} if row is None else {row: message.removeprefix(f"row {row}: ")}
        self.rows = dict(rows or own)

    @property
    def reason(self) -> str:
        """The reason for ``row``, or the message if the error is of no row."""
        return str(self) if self.row is None else self.rows.get(self.row, str(self))


class ConstantTopicError(FitError):
    """Raised under ``constant="raise"`` when all reference scores of a topic are equal."""


#: The former name of `ConstantTopicError`.
DegenerateTopicError = ConstantTopicError


class FactorsError(CdfscoreError):
    """Raised when factors cannot be read or written, or do not cover a topic."""


class OutputError(CdfscoreError):
    """Raised when a result cannot be written where it was asked for."""


class MissingDependencyError(CdfscoreError):
    """Raised when an optional dependency is needed and not installed."""


class VerificationError(CdfscoreError):
    """Raised when R stops with an error, or its result cannot be compared with Python's."""


class RNotAvailableError(MissingDependencyError):
    """Raised when R is needed and is not installed or does not start."""


class SignificanceError(CdfscoreError):
    """Raised for an unknown test or setting, and for data for which a test is undefined."""


class ModelError(CdfscoreError):
    """Raised for a formula, a table of components or scores that define no linear model."""


class SpecificationError(ModelError):
    """Raised for a formula, a term or a table of components that is not accepted."""


class PlotError(CdfscoreError):
    """Raised for a figure that nobody could read; the message names one that can be read."""


class ExperimentError(CdfscoreError):
    """Raised for invalid settings of an experiment, and when it cannot continue."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return " (did you mean 'bm25'?)" if one of the known names is similar, else ""."""
    near = difflib.get_close_matches(name, list(known), n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""
