"""Tables of a comparison: the tests of the pairs, and the intervals of the means."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cdfscore.comparison.adjustment import adjust as adjusted
from cdfscore.comparison.differences import Differences
from cdfscore.comparison.pairs import Family
from cdfscore.significance.one_sample_t import one_sample_t
from cdfscore.standardization.standardized import Standardized

if TYPE_CHECKING:
    import pandas as pd


def mean_intervals(found: Standardized, conf_level: float) -> pd.DataFrame:
    """Return n, low and high of the mean of each system, by t over its topics."""
    import pandas as pd

    of_systems = one_sample_t(found.scores.to_numpy().T, conf_level=conf_level)
    ends = {"n": of_systems.n, "low": of_systems.conf_low, "high": of_systems.conf_high}
    return pd.DataFrame(ends, index=found.scores.columns)


def table_of(tested: Differences, family: Family, adjust: str, scheme: str) -> pd.DataFrame:
    """Return a row for each pair of a scheme, with its adjusted p value and effect size."""
    import pandas as pd

    found = tested.result
    first, second = (np.array(names, dtype=object) for names in family.names)
    return pd.DataFrame(
        {
            "scheme": scheme,
            "system_a": first,
            "system_b": second,
            "n": found.n,
            "n_b": found.n_y,
            "estimate": found.estimate,
            "conf_low": found.conf_low,
            "conf_high": found.conf_high,
            "statistic": found.statistic,
            "parameter": found.parameter,
            "p_value": found.p_value,
            "p_value_stderr": found.p_value_stderr,
            "p_adjusted": adjusted(found.p_value, adjust),
            **tested.effects,
            "method": found.method,
            "reason": found.reason,
        }
    )
