"""Further analyses: a model, a plan, or the uncertainty from the reference systems."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore.comparison.reference_uncertainty import resampling_of
from cdfscore.errors import ModelError, SignificanceError
from cdfscore.io.text import listed
from cdfscore.numerics.tolerance import Tolerance
from cdfscore.numerics.types import Array
from cdfscore.r.distances import Quantity
from cdfscore.r.draws import sets_in_r
from cdfscore.significance.contract import Draws
from cdfscore.spelling import argument, option

if TYPE_CHECKING:
    import pandas as pd
    from narwhals.typing import IntoFrame

    from cdfscore.models.anova import SumsType
    from cdfscore.models.goals import Goal
    from cdfscore.models.mixed import Method
    from cdfscore.models.replicates import Replicates
    from cdfscore.r.analysis import TestAnalysis
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


def asked_of(
    tested: TestAnalysis | None,
    *,
    formula: str | None = None,
    components: pd.DataFrame | None = None,
    sums_of_squares: SumsType | None = None,
    goal: Goal | str | None = None,
    random: Sequence[str] | None = None,
    method: Method | None = None,
    reference_uncertainty: int = 0,
    seed: int | None = None,
    replicates: Replicates | None = None,
    correlate: Asked | None = None,
    diagnose: bool = False,
) -> Asked | None:
    """Return the model, the plan or the uncertainty that the user asks for, or None.

    With `random` terms the model is a mixed model, whose scores may have `replicates`.

    Raises `ModelError` for two of a test, a formula and a goal; for arguments of a model without a
    formula; for a type of sums of squares with a mixed model; for a method or replicates without
    one; and for a type, method or goal that is not accepted. Raises `SignificanceError` for a
    `reference_uncertainty` without a test of pairs, and for a number or seed that is not accepted.
    """
    resampled = reference_uncertainty != 0 or isinstance(reference_uncertainty, bool)
    if tested is None and (resampled or seed is not None):
        name = "reference_uncertainty" if resampled else "seed"
        value = reference_uncertainty if resampled else seed
        raise SignificanceError(
            f"{argument(name, value)} is for the differences of a test of pairs; expected "
            f"{option('test')} too, such as paired_t"
        )
    given = {"test": tested, "formula": formula, "goal": goal, "correlate": correlate}
    given["diagnose"] = "diagnose" if diagnose else None
    names = [option(name) for name, value in given.items() if value is not None]
    if len(names) > 1:
        raise ModelError(
            f"{listed(names)} are given, and each is a separate analysis of the scores; expected "
            "one of them"
        )
    of_model = {
        "components": components,
        "sums_of_squares": sums_of_squares,
        "random": random,
        "method": method,
    }
    others = [option(name) for name, value in of_model.items() if value is not None]
    if formula is None and others:
        raise ModelError(
            f"{_are(others)} for a model; expected {option('formula')} too, such as 'score ~ topic "
            "+ system'"
        )
    if random is None and method is not None:
        raise ModelError(
            f"{argument('method', method)} is for a mixed model; expected {option('random')} too, "
            "such as topic"
        )
    if random is None and replicates is not None:
        raise ModelError(
            "several scores of a system on a topic need a mixed model; expected "
            f"{option('random')} too, such as topic"
        )
    if random is not None and sums_of_squares is not None:
        raise ModelError(
            f"{argument('sums_of_squares', sums_of_squares)} is for a model without random terms, "
            f"and {option('random')} is given; expected one of them"
        )
    # Imported here because models load SciPy, and no other verification needs them.
    if formula is not None and random is not None:
        from cdfscore.models.mixed import check_method
        from cdfscore.r.mixed import MixedAsked

        way = check_method("REML" if method is None else method)
        return MixedAsked(formula, components, random, way, replicates)
    if formula is not None:
        from cdfscore.models.anova import check_type
        from cdfscore.r.modelled import ModelAsked

        kind = check_type("III" if sums_of_squares is None else sums_of_squares)
        return ModelAsked(formula, components, kind)
    if correlate is not None:
        return correlate
    if diagnose:
        from cdfscore.r.diagnosed import DiagnosisAsked

        return DiagnosisAsked()
    if goal is not None:
        from cdfscore.models.goals import as_goal
        from cdfscore.r.planned import PlanAsked

        return PlanAsked(as_goal(goal))
    if tested is None:
        return None
    from cdfscore.r.uncertain import UncertaintyAsked

    resampling = resampling_of(tested.chosen, reference_uncertainty, seed)
    if resampling is None:
        return None
    return UncertaintyAsked(tested.baselines, resampling, tested.chosen.conf_level)


def without_replicates(
    scores: IntoFrame | Replicates,
) -> tuple[IntoFrame, Replicates | None]:
    """Return the frame of scores, and the replicates or None."""
    if not hasattr(scores, "factors"):  # of no frame; models load SciPy
        return scores, None
    from cdfscore.models.replicates import Replicates

    return (scores.scores, scores) if isinstance(scores, Replicates) else (scores, None)


def _are(names: list[str]) -> str:
    """Return names with their verb.

    >>> _are(["--components"])
    '--components is'
    """
    return f"{listed(names)} {'is' if len(names) == 1 else 'are'}"
