"""What follows the standardization, beside a test: a model, or the number of topics for a goal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdfscore.errors import ModelError
from cdfscore.io.text import listed
from cdfscore.r.analysis import TestAnalysis
from cdfscore.r.further import Asked
from cdfscore.spelling import option

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.models.goals._goal import Goal
    from cdfscore.models.sums_of_squares import SumsType


def asked_of(
    tested: TestAnalysis | None,
    formula: str | None,
    components: pd.DataFrame | None,
    sums_of_squares: SumsType | None,
    goal: Goal | str | None,
) -> Asked | None:
    """Return the model or the plan that is asked for, None if neither is.

    Raises `ModelError` for two of a test, a formula and a goal, for components or a type without a
    formula, and for a type or goal that is not accepted.
    """
    given = {"test": tested, "formula": formula, "goal": goal}
    names = [option(name) for name, value in given.items() if value is not None]
    if len(names) > 1:
        raise ModelError(
            f"{listed(names)} are given; expected one of them, as each is another analysis of the "
            "scores"
        )
    if formula is None and (components is not None or sums_of_squares is not None):
        others = f"{option('components')} and {option('sums_of_squares')}"
        raise ModelError(
            f"{others} are of a model, and none is given by {option('formula')}; expected such as "
            "'score ~ topic + system'"
        )
    # Imported here because models load SciPy, and no other verification needs them.
    if formula is not None:
        from cdfscore.models.sums_of_squares import check_type
        from cdfscore.r.modelled import ModelAsked

        kind: SumsType = "III" if sums_of_squares is None else sums_of_squares
        check_type(kind)
        return ModelAsked(formula, components, kind)
    if goal is not None:
        from cdfscore.models.goals.registry import as_goal
        from cdfscore.r.planned import PlanAsked

        return PlanAsked(as_goal(goal))
    return None
