"""Further analyses: a model, a plan, or the uncertainty from the reference systems."""

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
    import pandas as pd

    from cdfscore.r.session import RSession


@dataclass(frozen=True)
class Checked:
    """Numbers of Python, the tolerance for those of R, and the size of the terms of their sums."""

    quantity: Quantity
    tolerance: Tolerance
    terms: Array
    #: The number of a test, by its name, that depends on differences of the scores in the same way;
    #: None if the terms already allow for them.
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
    #: The level of decisions, that of the results of models.
    alpha = 0.05
    #: The arguments before `arguments`, by their names in ``script.R``: the standardized scores y,
    #: the numbers of the test ("tested"), or the scores after the policies ("settled", and those of
    #: `other`) and "how" they are standardized.
    given: tuple[str, ...] = ("y",)
    #: Scores that are standardized by themselves, for the argument "other" after their policies.
    other: pd.DataFrame | None = None

    @property
    @abstractmethod
    def numbers(self) -> list[Checked]:
        """The numbers to compare, in the order of R."""

    @property
    @abstractmethod
    def arguments(self) -> dict[str, Any]:
        """The arguments of the function by name: text, numbers, lists of them, dicts, or None."""

    @property
    def called(self) -> tuple[str, ...]:
        """The R functions that an argument names, which a script must have."""
        return ()

    @property
    def draws(self) -> Mapping[str, Draws]:
        """Random draws by their names in the function, for its argument ``draws``."""
        return {}

    @property
    @abstractmethod
    def told(self) -> str:
        """The description of the analysis in the first lines of a script."""

    @property
    def notes(self) -> list[str]:
        """Notes on the comparison with R."""
        return []

    def run(self, session: RSession, there: Mapping[str, Any]) -> Any:
        """Call the function of R on the objects in R with the names of `given`."""
        function = session.function(self.function, *self.sources)
        given = [there[name] for name in self.given]
        own = {name: as_value(session, value) for name, value in self.arguments.items()}
        if not self.draws:
            return session.noted(function, *given, **own)
        with sets_in_r(session, self.draws) as draws:
            return session.noted(function, *given, **own, draws=draws)


class Asked(ABC):
    """The options of a further analysis, before the scores are known."""

    @abstractmethod
    def on(self, scores: Any) -> Further:
        """Return the analysis of scores, a `Standardized`."""


def as_value(session: RSession, value: Any) -> Any:
    """Return a value in R; a list of text or numbers becomes a vector, a dict a list."""
    if isinstance(value, dict):
        return session.as_list({name: as_value(session, each) for name, each in value.items()})
    if isinstance(value, list):
        if all(isinstance(each, str) for each in value):
            return session.strings(value)
        return session.vector(np.array(value))
    return session.rinterface.NULL if value is None else value
