"""What docs/statsmodels.md says in words, and whether it is so."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy import stats

from validation.statsmodels_judge.compared import quietly
from validation.statsmodels_judge.counterparts.counts_and_spread import goldfeld_quandt
from validation.statsmodels_judge.expected import failures
from validation.statsmodels_judge.nist import Digits
from validation.statsmodels_judge.outcome import LIMIT, Outcome, Tally

#: What SciPy rounds on the way, in digits.
_ROUNDING = 1e-9
#: Digits beside which two numbers of digits are alike.
_ALIKE = 0.2


def page_claims(found: Mapping[str, Outcome], digits: Mapping[str, Digits]) -> dict[str, bool]:
    """Return the claims of the page."""
    tukey = [
        found['Anova.contrasts("system", "tukey")'].numbers["p_adjusted"],
        found["tukey_hsd"].numbers["p_value"],
    ]
    power, solved = found["power_t(strict=True)"], found["power_t(strict=True), solved"]
    g_study, mixed = found["g_study"], found["mixed_model"]
    # In the case where it is farthest off, it stops far from the maximum; the others are near it.
    second = {name: each.largest[1].size for name, each in mixed.numbers.items()}
    of_variances = [second[name] for name in ("topic", "topic:a", "residual")]
    return {
        "inaccurate if its error there is more than 1e-9": LIMIT == 1e-9,
        "In all numbers of the table, cdfscore is accurate": not any(
            each.off("ours") for each in found.values()
        ),
        "explains each inaccurate result of statsmodels": not failures(found),
        "takes the degrees of freedom of its one-sided p values in the wrong order": _swapped(
            found["variance_ratio"]
        ),
        "The absolute differences are not more than 1e-10": max(each.absolute for each in tukey)
        < 1e-10,
        "The error of p is up to 2 %, and that of q up to 0.4 %": _worst(
            found, "studentized_range.upper_tail"
        )
        < 0.02
        and _worst(found, "studentized_range.upper_quantile") < 0.004,
        "The relative error is up to 1.3 %": 1e-3 < _worst(found, "hedges_g") < 0.013,
        "have errors up to 1e-5": 1e-7 < _worst(found, "d_z") < 1e-5,
        "if they are not 0, have errors up to 1 %": 1e-4 < _worst(found, "anova, one way") < 0.01,
        "In most others its error is about its own tolerance": solved.stopped > 0
        and solved.absent[1] > solved.stopped
        and solved.numbers["solution"].beyond > solved.cases / 2,
        "the error is more than 1 %": solved.difference > 0.01,
        "is NaN in a few cases of a two-sided test": power.absent[1] > 0
        and not power.off("statsmodels"),
        "to 3 or 4 digits": all(1e-5 < each < 1e-3 for each in (g_study.difference, *of_variances)),
        "coefficients are correct to 5 digits or more": second["estimate"] < 1e-5,
        "reports that it has not converged": 0 < mixed.stopped < mixed.cases / 10,
        "differ by up to 1 % from those": 1e-3 < second["stderr"] < 0.011,
        "In one case it stops far from the maximum": second["log_likelihood"] < LIMIT
        and mixed.numbers["topic:a"].difference > 0.5,
        "The square of a tiny score counts as 0": _tiny(
            found["Anova.checks"].numbers["additivity"]
        ),
        "gives the same bits": found["adjust"].difference == 0,
        "cdfscore has as many correct digits as the limit allows": all(
            ours >= limit - 2 * _ALIKE or ours > 13
            for each in digits.values()
            for ours, limit in zip(each.ours, each.limit, strict=True)
        ),
    }


def _worst(found: Mapping[str, Outcome], ours: str) -> float:
    return max(each.worst("statsmodels") for each in found[ours].numbers.values() if each.errors)


def _tiny(additivity: Tally) -> bool:
    """Tell whether F has no digit on the scores where statsmodels is most off, which are tiny."""
    return all(
        each.size > 0.1 and np.nanmax(np.abs(each.given["scores"])) < 1e-7
        for each in additivity.largest
    )


def _swapped(outcome: Outcome) -> bool:
    """Tell whether p is that of swapped degrees of freedom, where statsmodels is most off."""
    for each in outcome.numbers["p_value"].largest:
        x, y = each.given["x"], each.given["y"]
        f, n, m = x.var(ddof=1) / y.var(ddof=1), len(x) - 1, len(y) - 1
        swapped = {"greater": stats.f.sf(f, m, n), "less": stats.f.sf(1 / f, n, m)}
        theirs = quietly(goldfeld_quandt, each.given)["p_value"]
        if abs(theirs - swapped.get(each.given["alternative"], -1)) > _ROUNDING * theirs:
            return False
    return True
