"""Further analyses that the user asks for: a model, a plan, or an uncertainty."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cdfscore.comparison.reference_uncertainty.resampling import resampling_of
from cdfscore.errors import ModelError, SignificanceError
from cdfscore.io.text import listed
from cdfscore.r.analysis import TestAnalysis
from cdfscore.r.further import Asked
from cdfscore.spelling import argument, option

if TYPE_CHECKING:
    import pandas as pd
    from narwhals.typing import IntoFrame

    from cdfscore.models.goals._goal import Goal
    from cdfscore.models.mixed.likelihood import Method
    from cdfscore.models.mixed.replicates import Replicates
    from cdfscore.models.sums_of_squares import SumsType


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
        from cdfscore.models.mixed.likelihood import check_method
        from cdfscore.r.mixed import MixedAsked

        way = check_method("REML" if method is None else method)
        return MixedAsked(formula, components, random, way, replicates)
    if formula is not None:
        from cdfscore.models.sums_of_squares import check_type
        from cdfscore.r.modelled import ModelAsked

        kind = check_type("III" if sums_of_squares is None else sums_of_squares)
        return ModelAsked(formula, components, kind)
    if correlate is not None:
        return correlate
    if diagnose:
        from cdfscore.r.diagnosed import DiagnosisAsked

        return DiagnosisAsked()
    if goal is not None:
        from cdfscore.models.goals.registry import as_goal
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
    from cdfscore.models.mixed.replicates import Replicates

    return (scores.scores, scores) if isinstance(scores, Replicates) else (scores, None)


def _are(names: list[str]) -> str:
    """Return names with their verb.

    >>> _are(["--components"])
    '--components is'
    """
    return f"{listed(names)} {'is' if len(names) == 1 else 'are'}"
