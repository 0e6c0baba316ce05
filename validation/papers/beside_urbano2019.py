"""Statements of Urbano, Lima and Hanjalic (2019) beside computed numbers, for the pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pandas as pd

from validation.papers.recorded_urbano2019 import SCHEMES, frame

STANDARDIZED = SCHEMES[1:]
#: The coefficients by the names of their files.
NAMES = {"tau": "tau", "tauAP": "tau_ap"}
#: Level of the table of rates; the statements are about all levels.
ALPHA = 0.05


@dataclass(frozen=True)
class Printed:
    """Number of Section 2: what it is, as it is printed, and computed."""

    what: str
    printed: str
    computed: str
    same: bool
    reason: str = ""


@dataclass(frozen=True)
class Statement:
    """Statement of Section 3, and what the numbers of each matrix show."""

    text: str
    results: Mapping[str, str]

    @property
    def exceptions(self) -> bool:
        """Whether the statement is not true of some matrix, or not at all levels."""
        return any(result.startswith("**") for result in self.results.values())


def section2() -> list[Printed]:
    """Return the numbers of Section 2 on the AP scores of TREC 2004 Robust."""
    table = frame("section2").set_index("scheme")
    found = []
    for scheme, column, printed in (
        ("N-std", "lowest_mean", "0.45"),
        ("N-std", "highest_mean", "0.55"),
        ("N-std", "lowest_sd", "0.14"),
        ("N-std", "highest_sd", "0.31"),
    ):
        value = float(table.loc[scheme, column])
        what = f"{scheme}, {column.replace('_', ' ')} of a topic"
        same = f"{value:.2f}" == printed
        reason = "" if same else _why_another(table.loc[scheme], column)
        found.append(Printed(what, printed, f"{value:.5f}", same, reason))
    return found


def _why_another(row: pd.Series[float], column: str) -> str:
    assert column == "lowest_mean"
    return (
        f"1 of the {row['topics']:.0f} topics has a mean below 0.45; "
        f"the second lowest mean is {row['second_lowest_mean']:.3f}"
    )


def matrices() -> list[str]:
    """Return the names of the matrices, in the order of the paper."""
    return list(dict.fromkeys(frame("means")["matrix"]))


def label(matrix: str) -> str:
    """Return words that fit a narrow column, such as "Robust AP" for ``robust2004_ap``."""
    collection, _, measure = matrix.partition("_")
    words = {"robust2004": "Robust", "terabyte2006": "Terabyte", "ap": "AP", "ndcg": "nDCG"}
    return f"{words[collection]} {words[measure]}"


def means(experiment: str, statistic: str) -> pd.DataFrame:
    """Return mean coefficients over the trials: a row per matrix, a column per scheme."""
    return _of("means", experiment, statistic).set_index("matrix")[list(SCHEMES)]


def rates(experiment: str, statistic: str) -> dict[str, pd.DataFrame]:
    """Return rates by matrix: a row per level, a column per scheme."""
    table = _of("rates", experiment, statistic)
    return {
        str(matrix): own.set_index("alpha")[list(SCHEMES)]
        for matrix, own in table.groupby("matrix", sort=False)
    }


def rates_at(experiment: str, statistic: str) -> pd.DataFrame:
    """Return rates at one level: a row per matrix, a column per scheme."""
    found = rates(experiment, statistic)
    return pd.DataFrame({matrix: table.loc[ALPHA] for matrix, table in found.items()}).T


def statements() -> dict[str, list[Statement]]:
    """Return the statements on Figure 2 ("within") and on Figure 3 ("between")."""
    lowest, highest = _first(ascending=True), _first(ascending=False)
    within = [
        _apart("tau"),
        _on_means("E-std has the lowest tau", "within", "tau", lowest("E-std", STANDARDIZED)),
        _on_means("N-std has the second lowest tau", "within", "tau", _second_lowest),
        _apart("tauAP"),
        _on_means("E-std has the lowest tau_ap", "within", "tauAP", lowest("E-std", STANDARDIZED)),
        _on_means("N-std has the second lowest tau_ap", "within", "tauAP", _second_lowest),
        _on_rates("Every scheme has more power than raw scores", "within", _above_raw),
        _on_rates("N-std and E-std have more power than U-std and z-std", "within", _above_linear),
        _on_rates("E-std has the most power", "within", highest("E-std", SCHEMES)),
    ]
    between = [
        _on_means("Raw scores have the lowest tau", "between", "tau", lowest("raw", SCHEMES)),
        _on_means("E-std has the highest tau", "between", "tau", highest("E-std", SCHEMES)),
        _on_means("Raw scores have the lowest tau_ap", "between", "tauAP", lowest("raw", SCHEMES)),
        _on_means("E-std has the highest tau_ap", "between", "tauAP", highest("E-std", SCHEMES)),
        Statement("All type I error rates are near alpha", _from_alpha()),
        _on_rates("Every scheme has more power than raw scores", "between", _above_raw),
        Statement("About twice as much power as raw scores", _ratios()),
        _on_rates("E-std has the most power", "between", highest("E-std", SCHEMES)),
    ]
    return {"within": within, "between": between}


def values() -> dict[str, object]:
    """Return what the templates show."""
    return {
        "section2": section2(),
        "topics": frame("section2").set_index("scheme"),
        "files": frame("files").to_dict("records"),
        "matrices": matrices(),
        "labels": {matrix: label(matrix) for matrix in matrices()},
        "schemes": SCHEMES,
        "means": means,
        "rates_at": rates_at,
        "alpha": ALPHA,
        "statements": statements(),
    }


def claims() -> dict[str, bool]:
    """Return what the page says in words, and whether it is so."""
    table = frame("section2").set_index("scheme")
    return {
        "Only one topic has an N-std mean below 0.45": table.loc["N-std", "lowest_mean"] < 0.445
        and f"{table.loc['N-std', 'second_lowest_mean']:.2f}" == "0.45",
        "E-std means are slightly above 0.5": table.loc["E-std", "lowest_mean"] > 0.5
        and table.loc["E-std", "highest_mean"] < 0.515,
        "is equal to the published file in every byte": bool(frame("files")["same"].all()),
        "at least 89 %": table.loc["U-std", "least_share_within_limits"] >= 0.89,
    }


def _of(name: str, experiment: str, statistic: str) -> pd.DataFrame:
    table = frame(name)
    return table[(table["experiment"] == experiment) & (table["statistic"] == statistic)]


#: A condition on means or rates by scheme.
_Condition = Callable[["pd.Series[float]"], bool]


def _on_means(text: str, experiment: str, statistic: str, holds: _Condition) -> Statement:
    table = means(experiment, statistic)
    return Statement(
        text, {str(m): "yes" if holds(row) else "**no**" for m, row in table.iterrows()}
    )


def _on_rates(text: str, experiment: str, holds: _Condition) -> Statement:
    found = {}
    for matrix, table in rates(experiment, "power").items():
        levels = sum(holds(row) for _, row in table.iterrows())
        every = levels == len(table)
        found[matrix] = "yes" if every else f"**at {levels} of {len(table)} levels**"
    return Statement(text, found)


def _apart(statistic: str) -> Statement:
    """Return how far apart two schemes are that the paper calls very similar."""
    table = means("within", statistic)
    apart = (table["U-std"] - table["z-std"]).abs()
    text = f"U-std and z-std have very similar {NAMES[statistic]}"
    return Statement(text, {str(m): f"differ by {value:.4f}" for m, value in apart.items()})


def _from_alpha() -> dict[str, str]:
    """Return the largest distance of a rate of type I errors from its level."""
    apart = {
        matrix: table.sub(table.index, axis=0).abs().to_numpy().max()
        for matrix, table in rates("between", "type1").items()
    }
    return {matrix: f"within {value:.4f}" for matrix, value in apart.items()}


def _ratios() -> dict[str, str]:
    """Return the least and greatest ratio of powers, over all levels and schemes."""
    found = {}
    for matrix, table in rates("between", "power").items():
        ratios = table[list(STANDARDIZED)].div(table["raw"], axis=0).to_numpy()
        found[matrix] = f"{ratios.min():.1f} to {ratios.max():.1f} times"
    return found


def _first(*, ascending: bool) -> Callable[[str, tuple[str, ...]], _Condition]:
    """Return what makes the condition that a scheme is the lowest, or the highest, of some."""

    def condition(scheme: str, of: tuple[str, ...]) -> _Condition:
        return lambda row: row[list(of)].sort_values(ascending=ascending).index[0] == scheme

    return condition


def _second_lowest(row: pd.Series[float]) -> bool:
    return bool(row[list(STANDARDIZED)].sort_values().index[1] == "N-std")


def _above_raw(row: pd.Series[float]) -> bool:
    return bool((row[list(STANDARDIZED)] > row["raw"]).all())


def _above_linear(row: pd.Series[float]) -> bool:
    return bool(row[["N-std", "E-std"]].min() > row[["U-std", "z-std"]].max())
