"""Which numbers of statsmodels are off, as the page says; ours must never be."""

from __future__ import annotations

from collections.abc import Mapping

from cdfscore.stats.judge.effects import EFFECTS
from cdfscore.stats.judge.tests import TESTS
from validation.statsmodels_judge.counterpart import GOAL
from validation.statsmodels_judge.outcome import Outcome

#: Our function, and the numbers of its counterpart that have an error beyond the limit.
STATSMODELS_OFF: Mapping[str, frozenset[str]] = {
    "variance_ratio": frozenset({"p_value"}),
    'Anova.contrasts("system", "tukey")': frozenset({"p_adjusted"}),
    "studentized_range.upper_tail": frozenset({"p_value"}),
    "studentized_range.upper_quantile": frozenset({"point"}),
    "d_z": frozenset({"conf_low", "conf_high"}),
    "hedges_g": frozenset({"estimate"}),
    "power_t(strict=True), solved": frozenset({"solution"}),
    "anova, one way": frozenset({"effect_low", "effect_high"}),
    "g_study": frozenset({"system", "topic", "residual"}),
    "mixed_model": frozenset(
        {"topic", "topic:a", "residual", "estimate", "stderr", "log_likelihood"}
    ),
    "Anova.checks": frozenset({"additivity", "p_of_additivity"}),
    "tukey_hsd": frozenset({"p_value"}),
}

#: Our function, and the numbers that R has nothing for.
R_WITHOUT: Mapping[str, frozenset[str]] = {}

#: Our functions, methods and goals that neither statsmodels nor SciPy has, and that nothing of
#: `verify(result, against="statsmodels")` computes.
WITHOUT = (
    "swap_rate",
    "tau_ap",
    "tau_ap_a",
)

#: Those that `verify` compares, and that no row of the page has.
BY_VERIFY = frozenset(
    {
        *TESTS,
        *EFFECTS,
        *(f"{name}{GOAL}" for name in ("dependability", "generalizability", "interval")),
        "Anova.means",
        "MixedModel.contrasts",
        "MixedModel.means",
        "d_study",
        "drmse",
        "drmse_geometric",
        "tau",
        "tau_ap_b",
        "tau_b",
    }
)


def failures(found: Mapping[str, Outcome]) -> list[str]:
    """Return a line for each number of ours that is off, and for each surprise of the others."""
    lines = []
    for ours, outcome in found.items():
        for name in sorted(outcome.off("ours")):
            lines.append(
                f"{ours}: {name} has an error of {outcome.numbers[name].worst('ours'):.2g}"
            )
        lines += [f"{ours}: {name} was not judged" for name in sorted(outcome.unjudged)]
        for name in sorted(outcome.unanswered ^ R_WITHOUT.get(ours, frozenset())):
            said = "has no answer" if name in outcome.unanswered else "now has an answer"
            lines.append(f"{ours}: {name} {said} in R, unlike R_WITHOUT")
        off, known = outcome.off("statsmodels"), STATSMODELS_OFF.get(ours, frozenset())
        for name in sorted(off ^ known):
            said = "is off" if name in off else "is no longer off"
            lines.append(f"{ours}: {name} of statsmodels {said}, which the page does not say")
    return lines
