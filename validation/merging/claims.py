"""The claims of docs/merging-validation.md in words, and whether they hold."""

from __future__ import annotations

import pandas as pd

from validation.merging.found import Bed, Found
from validation.merging.methods import BASELINE, METHODS
from validation.merging.recording import SEEDS, SOURCES
from validation.merging.scores import CENTRAL

#: Those that know more than the lists, or fit nothing to them.
OTHERS = (
    "raw",
    "round robin",
    "RRF",
    *(name for name in METHODS if name.startswith("CORI")),
    "SAFE",
)
#: Means as good as another differ by no more.
ALIKE = 0.01
BELL = ("ql_dirichlet_mu250", "ql_twostage_mu300_lambda0.3")


def page_claims(found: Found) -> dict[str, bool]:
    return {**_of_assumptions(found), **_of_linear(found), **_of_selection(found), **_of_all(found)}


def _of_assumptions(found: Found) -> dict[str, bool]:
    share = found.assumption("with_relevant")
    best = {model: rows["aic_wins"].idxmax() for model, rows in found.fits.items()}
    return {
        "Most lists have no relevant document": share.max() < 0.5,
        "The proportion is lower for sources by topic than for random sources, and lower for 30 "
        "sources than for 10": (share["topics"] < share["chance"]).all()
        and all(share[kind, 30] < share[kind, 10] for kind in ("chance", "topics")),
        "A2 holds in part": 1 / 3 < found.assumption("first_is_relevant").max() < 1 / 2,
        "The exponential distribution fits best for most models": all(
            name == ("normal" if model in BELL else "exponential") for model, name in best.items()
        ),
    }


def _of_linear(found: Found) -> dict[str, bool]:
    minmax, z, sums = (found.ap(name) for name in (BASELINE, "Z-Score", "Sum"))
    apart = [
        found.score((kind, 10), BASELINE)["P@10"] - found.score((kind, 10), "round robin")["P@10"]
        for kind in ("chance", "topics")
    ]

    def loses(bed: Bed) -> bool:
        return bool(found.pair(bed, "all", "10", of="Sum", family="depth")["high"] < 0)

    return {
        "Z-Score is above MinMax in all four testbeds, and in all": all(
            found.pair(bed, "Z-Score", BASELINE, family="linear")["low"] > 0 for bed in found.beds
        )
        and _always(found, "Z-Score", BASELINE),
        "Sum is above MinMax with random sources and below it with sources by topic": (
            sums > minmax
        )["chance"].all()
        and (sums < minmax)["topics"].all(),
        "P@10 is close to that of round robin": max(map(abs, apart)) < ALIKE / 2,
        '"MinMax improves up to depth 100, and not beyond": only slightly': found.largest_gain
        < 0.047 / 3,
        '"Sum gets worse with depth": with sources by topic': [loses(bed) for bed in found.beds]
        == [bed[0] == "topics" for bed in found.beds],
        "Z-Score improves with depth, as in the slides with 30 sources": (
            z > found.ap("Z-Score", "10")
        ).all(),
    }


def _of_selection(found: Found) -> dict[str, bool]:
    cori, infinite, samples = "CORI (0.4)", "CORI (inf)", "CORI (0.4), samples"

    def shown(a: str, b: str) -> dict[Bed, int]:
        """Tell whether a is above b, 1, or below, -1, by the interval, or neither, 0."""
        rows = {bed: found.pair(bed, a, b) for bed in found.beds}
        return {bed: int(row["low"] > 0) - int(row["high"] < 0) for bed, row in rows.items()}

    def is_so(a: str, b: str, chance: list[int], topics: list[int]) -> bool:
        return list(shown(a, b).values()) == [*chance, *topics]

    return {
        '"CORI is above MinMax": yes': is_so(cori, BASELINE, [1, 1], [1, 1]),
        "CORI is above MinMax with sources by topic, but not with 10 random sources": is_so(
            samples, BASELINE, [0, 1], [1, 1]
        ),
        "There it is above λ = 0.4": is_so(infinite, cori, [-1, -1], [1, 1]),
        "cross-validation gives the same result": bool(
            (found.ap("CORI (cv)") - found.ap(infinite))["topics"].abs().max() < ALIKE / 10
        ),
        "Cross-validation is above λ = 0.4 in all testbeds": is_so(
            "CORI (cv)", cori, [1, 1], [1, 1]
        ),
        "There it is below CORI with λ = 0.4": is_so("SAFE", cori, [-1, -1], [0, 0]),
        "and does not differ significantly from MinMax": is_so("SAFE", BASELINE, [0, 0], [1, 1]),
        "is below SAFE with 30 sources by topic, above it with 30 random sources, and does not "
        "differ significantly with 10 sources": is_so("SAFE", samples, [0, -1], [0, 1]),
        "Cross-validated CORI is above SAFE in all testbeds": is_so(
            "CORI (cv)", "SAFE", [1, 1], [1, 1]
        ),
    }


def _of_all(found: Found) -> dict[str, bool]:
    whole = pd.DataFrame({name: found.ap(name) for name in METHODS})
    few, many = (whole.xs(sources, level=1) for sources in SOURCES)
    rises = (many > few).stack()
    fitted = whole.drop(columns=list(OTHERS))
    return {
        "Every method is lower with 30 sources than with 10, except raw scores with sources by "
        "topic": (rises[rises].index.tolist() == [("topics", "raw")]),
        "No method reaches one index": whole.lt(found.ap(CENTRAL), axis=0).all(axis=None),
        "Z-Score and `normal` are the best of the methods that use the lists only": (
            fitted.idxmax(axis=1).isin(["Z-Score", "normal"]).all()
            and found.apart("Z-Score", "normal") < ALIKE
        ),
        "`exponential` is above Sum in all testbeds": _always(found, "exponential", "Sum"),
        "`uniform` has the same order as Z-Score, but is lower": (
            whole["uniform"] < whole["Z-Score"]
        ).all(),
        "`empirical` uses ranks only": found.apart("empirical", "RRF") < 2 * ALIKE,
    }


def _always(found: Found, a: str, b: str) -> bool:
    """Tell whether a is above b in every partition."""
    return all(found.above(bed, a, b) == len(SEEDS) for bed in found.beds)
