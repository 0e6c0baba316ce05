"""Tables of a mixed model by one scheme."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.models.formula import Term, name_of
from cdfscore.models.mixed.fit import Fit
from cdfscore.models.mixed.random_effects import RESIDUAL
from cdfscore.numerics.student_t import interval, p_value
from cdfscore.numerics.types import Array
from cdfscore.significance.null.f_distribution import upper_tail

if TYPE_CHECKING:
    import pandas as pd

#: The name of the intercept among coefficients, as R has it.
INTERCEPT = "(Intercept)"


def table_of_tests(scheme: str, fit: Fit) -> pd.DataFrame:
    """Return the F test of each fixed term."""
    import pandas as pd

    tests = [fit.fixed.f_test(fit.tested(term)) for term in fit.places]
    df = [place.stop - place.start for place in fit.places.values()]
    return pd.DataFrame(
        {
            "scheme": scheme,
            "term": [name_of(term) for term in fit.places],
            "df": df,
            "df_error": [error for _, error in tests],
            "statistic": [f for f, _ in tests],
            "p_value": [
                upper_tail(np.array(f), k, error).item()
                for (f, error), k in zip(tests, df, strict=True)
            ],
        }
    )


def variances_of(scheme: str, fit: Fit, terms: Sequence[Term], intervals: Array) -> pd.DataFrame:
    """Return the variances of random terms and residuals, with their intervals (k + 1, 2)."""
    import pandas as pd

    return pd.DataFrame(
        {
            "scheme": scheme,
            "component": [*map(name_of, terms), RESIDUAL],
            "variance": fit.variances,
            "sd": fit.sds,
            "proportion": fit.proportions,
            "conf_low": intervals[:, 0],
            "conf_high": intervals[:, 1],
        }
    )


def coefficients_of(scheme: str, fit: Fit, alpha: float) -> pd.DataFrame:
    """Return the coefficients of fixed terms, each with its t test and interval."""
    import pandas as pd

    names = {term: fit.contrasts(term) for term in fit.places}
    estimate, stderr, df, t = fit.fixed.estimates(np.eye(len(fit.fixed.coefficients)))
    low, high = interval(estimate, stderr, df, "two-sided", 1 - alpha)
    return pd.DataFrame(
        {
            "scheme": scheme,
            "term": [INTERCEPT, *(name_of(term) for term, own in names.items() for _ in own)],
            "contrast": ["", *(each for own in names.values() for each in own)],
            "estimate": estimate,
            "stderr": stderr,
            "df": df,
            "statistic": t,
            "p_value": p_value(t, df, "two-sided"),
            "conf_low": low,
            "conf_high": high,
        }
    )
