"""Errors and warnings of cdfscore. Each error is a `CdfscoreError`, which is a `ValueError`.

A message is one sentence. It names the argument, the topic or system, or the line of the file,
with the value found and the values that are accepted. An argument is written as a keyword with its
value, or ``name=...`` without one; the command line writes its own options in these places.

All errors can be caught together:

>>> from cdfscore import Standardizer
>>> from cdfscore.errors import CdfscoreError
>>> try:
...     Standardizer("gaussian")
... except CdfscoreError as error:
...     print(type(error).__name__)
SchemeError
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeVar

_Word = TypeVar("_Word", bound=str)


class CdfscoreError(ValueError):
    """Base class of all errors that cdfscore raises on purpose.

    ``of_reference`` is True if the error is in the reference scores and these are another matrix,
    and ``of_parts`` if files are not parts of one matrix: they share no topics, or a system.
    """

    of_reference = of_parts = False


class CdfscoreWarning(UserWarning):
    """Category of warnings: a result that a careful reader could misunderstand."""


class ScoresError(CdfscoreError):
    """Raised when a score matrix cannot be read or is not valid."""


class MissingScoreError(ScoresError):
    """Raised when a score is missing and the policy does not allow it; ``cell`` is the first."""

    def __init__(self, message: str, *, cell: tuple[str, str] | None = None) -> None:
        super().__init__(message)
        self.cell = cell


class RunError(CdfscoreError):
    """Raised when a run or qrels cannot be read or are not valid, or have different topics."""


class MeasureError(CdfscoreError):
    """Raised for an unknown measure, and for one that no installed program computes."""


class SchemeError(CdfscoreError):
    """Raised for an unknown scheme, an unknown setting, or a setting out of range."""


class FitError(CdfscoreError):
    """Raised when a scheme cannot be fitted to the reference scores of a topic.

    ``row`` is the index of the first such topic in the batch, or None. ``rows`` has the reason for
    each such topic, by its index. Without ``rows``, the reason for ``row`` is the message without
    its beginning, such as "row 3: ".
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
        """The reason for ``row``, or the message if ``row`` is None."""
        return str(self) if self.row is None else self.rows.get(self.row, str(self))


class ConstantTopicError(FitError):
    """Raised under ``constant="raise"`` when all reference scores of a topic are equal."""


class FactorsError(CdfscoreError):
    """Raised when factors cannot be read or written, or do not cover a topic."""


class OutputError(CdfscoreError):
    """Raised when a result cannot be written to the given file."""


class MissingDependencyError(CdfscoreError):
    """Raised when an optional dependency is needed and not installed."""


class VerificationError(CdfscoreError):
    """Raised when R stops with an error, or its result cannot be compared with that of Python."""


class RNotAvailableError(MissingDependencyError):
    """Raised when R is needed and is not installed or does not start."""


class SignificanceError(CdfscoreError):
    """Raised for an unknown test or setting, and for data that a test is not defined for."""


class PlugInError(CdfscoreError):
    """Raised when a function that does not come with cdfscore raises its ``__cause__``."""


class ModelError(CdfscoreError):
    """Raised for a formula, components or scores that do not define a linear model."""


class SpecificationError(ModelError):
    """Raised for a formula, a term or a table of components that is not accepted."""


class PlotError(CdfscoreError):
    """Raised for a figure with too much in it to be read; the message names a figure to use."""


class ExperimentError(CdfscoreError):
    """Raised for invalid settings of an experiment, and when it cannot continue."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return " (did you mean 'bm25'?)" if another known name is similar in any case, else ""."""
    folded = {each: each.casefold() for each in known if each != name}
    near = difflib.get_close_matches(name.casefold(), folded.values(), n=1)
    alike = [each for each in folded if [folded[each]] == near]
    found = difflib.get_close_matches(name, alike, n=1, cutoff=0)
    return f" (did you mean {found[0]!r}?)" if found else ""


def alternatives(names: Sequence[str], last: str = "or") -> str:
    """List alternatives, or all of them with another word before the last."""
    *others, end = names
    return f"{', '.join(others)} {last} {end}" if others else end


def check_one_of(
    name: str, value: object, accepted: Collection[_Word], error: type[CdfscoreError]
) -> _Word:
    """Return the accepted value of an argument that this is, as plain text, or raise `error`."""
    for each in accepted:
        if isinstance(value, str) and value == each:
            return each
    hint = did_you_mean(str(value), accepted)
    raise error(f"{name}={value!r} is not accepted{hint}; expected one of {', '.join(accepted)}")
