"""Analysis of variance of systems that are built of components, by each scheme."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.errors import ModelError
from cdfscore.models.components import factors_of
from cdfscore.models.design import Design
from cdfscore.models.formula import Formula, name_of, parse_formula
from cdfscore.models.sums_of_squares import Sums, SumsType, check_type, sums_of_squares
from cdfscore.significance.null.f_distribution import upper_tail
from cdfscore.standardization.factors import ExtraTopics
from cdfscore.standardization.standardizer import How, check_extra_of, standardize

if TYPE_CHECKING:
    import pandas as pd
    from narwhals.typing import IntoFrame

RESIDUAL = "residual"


@dataclass(frozen=True, eq=False)
class Anova:
    """Result of `anova`.

    `table` has a row for each scheme and term, and one for the residuals: ``scheme``, ``term``,
    ``df``, ``sum_of_squares``, ``mean_square``, ``statistic`` (F), ``p_value``,
    ``partial_eta_squared`` and ``partial_omega_squared``.
    """

    table: pd.DataFrame
    formula: Formula
    type: SumsType
    notes: list[str] = field(default_factory=list)


def anova(
    scores: IntoFrame,
    formula: str,
    components: pd.DataFrame | None = None,
    *,
    schemes: Sequence[How] = ("raw",),
    type: SumsType = "III",
    reference: IntoFrame | None = None,
    extra_topics: ExtraTopics = "refuse",
) -> Anova:
    """Analyse the variance of scores by topics and components of systems, for each scheme.

    F = (SS / df) / (SS_residual / df_residual) for each term of a linear model with independent
    normal errors of one variance, in which the topics and all factors are fixed. Effect sizes are
    partial: eta^2 = SS / (SS + SS_residual), and omega^2 = df (F - 1) / (df (F - 1) + N) for N
    scores (Olejnik and Algina, 2003; Ferro and Silvello, 2016, Eq. 9).
    """
    import pandas as pd

    check_type(type)
    check_extra_of(schemes, reference, extra_topics)
    found, notes = [], []
    parsed: Formula | None = None
    for how in schemes:
        standardized = standardize(scores, how, reference, extra_topics)
        frame = standardized.frame
        factors = factors_of(components, list(map(str, frame.columns)))
        parsed = parse_formula(formula, list(factors))
        design = Design.of(frame.to_numpy(), factors, parsed.terms)
        sums = sums_of_squares(design, type)
        found.append(_table(str(standardized.factors.fitted.scheme), sums))
        notes += standardized.notes
    if parsed is None:
        raise ModelError("there is no scheme; expected one or more, such as 'raw'")
    return Anova(pd.concat(found, ignore_index=True), parsed, type, list(dict.fromkeys(notes)))


def _table(scheme: str, sums: Sums) -> pd.DataFrame:
    import pandas as pd

    of_residuals, df_residual = sums.residual
    if df_residual < 1:
        raise ModelError(
            f"the model has as many coefficients as there are scores, {sums.n}; expected fewer "
            "terms, so that residuals are left to compare with"
        )
    squares = np.array([each[0] for each in sums.terms.values()])
    df = np.array([each[1] for each in sums.terms.values()])
    error = of_residuals / df_residual
    f = squares / df / error
    effect = df * (f - 1)
    p_values = [upper_tail(np.array(x), k, df_residual).item() for x, k in zip(f, df, strict=True)]
    none = [np.nan]
    return pd.DataFrame(
        {
            "scheme": scheme,
            "term": [*map(name_of, sums.terms), RESIDUAL],
            "df": [*df, df_residual],
            "sum_of_squares": [*squares, of_residuals],
            "mean_square": [*(squares / df), error],
            "statistic": [*f, *none],
            "p_value": [*p_values, *none],
            "partial_eta_squared": [*(squares / (squares + of_residuals)), *none],
            "partial_omega_squared": [*(effect / (effect + sums.n)), *none],
        }
    )
