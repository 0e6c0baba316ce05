"""What is analysed beside a test: a model, a plan, or what the reference systems contribute."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore.numerics.tolerance import Tolerance
from cdfscore.numerics.types import Array
from cdfscore.r.draws import sets_in_r
from cdfscore.r.quantities import Quantity
from cdfscore.significance.resampling.draws import Draws

if TYPE_CHECKING:
    from cdfscore.r.session import RSession


@dataclass(frozen=True)
class Checked:
    """Numbers of Python, how far R's may be apart, and the size of terms that they are made of."""

    quantity: Quantity
    tolerance: Tolerance
    terms: Array
    #: The number of a test, by its name there, that differs as this one where the scores do; None
    #: if the terms allow for that.
    like: str | None

    @classmethod
    def row(
        cls,
        name: str,
        labels: Sequence[str],
        values: Array,
        tolerance: Tolerance,
        terms: Array | float = 0.0,
        like: str | None = "estimate",
    ) -> Checked:
        """Return numbers of a row of labels.

        For `terms` see `Tolerance.distance`, and for `like` `on_scores_apart`.
        """
        numbers = np.asarray(values, dtype=np.float64)[np.newaxis]
        sizes = np.broadcast_to(np.asarray(terms, dtype=np.float64), numbers.shape)
        return cls(Quantity(name, [""], list(labels), numbers), tolerance, sizes, like)


class Further(ABC):
    """An analysis in Python, and the function of R that does the same."""

    #: The R files that define the function, in addition to those of the standardization, and of the
    #: test if there is one.
    sources: tuple[Path, ...]
    #: The name of the function.
    function: str
    #: What it is given before `arguments`, as ``script.R`` calls it: the standardized scores y, or
    #: the settled scores and how they are standardized.
    given: tuple[str, ...] = ("y",)

    @property
    @abstractmethod
    def numbers(self) -> list[Checked]:
        """The numbers to compare, in the order in which R gives them."""

    @property
    @abstractmethod
    def arguments(self) -> dict[str, Any]:
        """The arguments of the function by name: text, numbers, lists of them, dicts, or None."""

    @property
    def draws(self) -> Mapping[str, Draws]:
        """Random draws by the names that the function asks for them by, its argument ``draws``."""
        return {}

    @property
    @abstractmethod
    def told(self) -> str:
        """What is analysed, for the first lines of a script."""

    @property
    def notes(self) -> list[str]:
        """What a reader should know of the comparison with R."""
        return []

    def run(self, session: RSession, there: Mapping[str, Any]) -> Any:
        """Call the function of R on what is in R, by the names of `given`."""
        function = session.function(self.function, *self.sources)
        given = [there[name] for name in self.given]
        own = {name: _in_r(session, value) for name, value in self.arguments.items()}
        if not self.draws:
            return function(*given, **own)
        with sets_in_r(session, self.draws) as draws:
            return function(*given, **own, draws=draws)


class Asked(ABC):
    """A further analysis that was asked for, before the scores are known."""

    @abstractmethod
    def on(self, scores: Any) -> Further:
        """Return the analysis of scores, a `Standardized`."""


def _in_r(session: RSession, value: Any) -> Any:
    """Return a value as R has it; a list of text or numbers is a vector, a dict a list."""
    if isinstance(value, dict):
        return session.as_list({name: _in_r(session, each) for name, each in value.items()})
    if isinstance(value, list):
        if all(isinstance(each, str) for each in value):
            return session.strings(value)
        return session.vector(np.array(value))
    return session.rinterface.NULL if value is None else value
