"""What docs/reference_systems.md says of its numbers in words, and whether it is so."""

from __future__ import annotations

import pandas as pd

from validation.papers.reference_systems_found import LARGE, PAIRED, WELCH, Found

#: A loss of power, up to which tests come near to those with all reference systems.
NEAR = 0.05


def page_claims(found: Found) -> dict[str, bool]:
    """Return the claims of every block of the page."""
    return {
        **_of_summary(found),
        **_of_references(found),
        **_of_topics(found),
        **_of_power(found),
        **_of_policies(found),
    }


def kernel_above_empirical(found: Found) -> pd.Series:
    """Return by how much the power of Welch's test is higher by kernel than by E-std."""
    rates = found.wide(WELCH, 0.05, "rate")
    return rates["kernel"] - rates["E-std"]


def falls(found: Found) -> dict[str, pd.Series]:
    """Return by how much the power of Welch's test is lower with all systems than with 10."""
    return {
        label: found.at(WELCH, 0.05, label, 10) - found.at(WELCH, 0.05, label)
        for label in ("min-max", "exponential")
    }


def at_the_top(found: Found) -> pd.DataFrame:
    """Return the mean tau_ap,b of two references, of the schemes that are fitted."""
    return found.wide("tauAP", "disjoint").drop(columns=["raw", "sum"])


def _of_summary(found: Found) -> dict[str, bool]:
    topics = found.at("tau", "halves", "E-std")
    two, three = (found.at("tau", "disjoint", "E-std", m) for m in (2, 3))
    forty = found.some_at("tau", "disjoint", "E-std", 40)
    raw, ten = found.at(PAIRED, 0.05, "raw"), found.at(PAIRED, 0.05, "E-std", 10)
    return {
        "10 to 20 reference systems have almost the power of tests with all; with 2 they do not": (
            found.lost("E-std", 10, 0.05) < NEAR < found.lost("E-std", 2, 0.05)
        ),
        "This does not mean that E-std has more power than raw scores": ten["Robust AP"]
        < raw["Robust AP"],
        "With 40 each, on the two matrices that have enough systems": len(forty) == 2,
        "Rankings do not become constant at any number of reference systems": forty.max() < 1,
        "With 3 or more reference systems, the choice of topics matters more": not (
            two > topics
        ).all(),
        "more on each of the four matrices": (three > topics).all(),
        "less power with all reference systems than with 10, on every matrix": all(
            fall.min() > 0 for fall in falls(found).values()
        ),
    }


def _of_references(found: Found) -> dict[str, bool]:
    taus = found.wide("tau", "disjoint").drop(columns=["raw", "sum"])
    below = taus[taus.index.get_level_values("reference_systems") < 10]
    tops = at_the_top(found)
    return {
        "agree better than with E-std, at every number and on every matrix": all(
            (taus[label] > taus["E-std"]).all() for label in ("N-std", "U-std", "kernel")
        ),
        "With fewer than 10 reference systems, z-std is the least stable scheme": (
            below.idxmin(axis=1) == "z-std"
        ).all(),
        "N-std is again above E-std in every row": (tops["N-std"] > tops["E-std"]).all(),
    }


def _of_topics(found: Found) -> dict[str, bool]:
    means, raw = found.wide("tau", "halves"), found.at("tau", "halves", "raw")
    two = means.xs(2, level="reference_systems").drop(columns=["raw", "sum"])
    return {
        "With 2 reference systems, rankings by every scheme are less stable over topics than "
        "rankings by raw scores": two.lt(raw, axis=0).to_numpy().all(),
        "Rankings by N-std are more stable with": found.rises("tau", "halves", "N-std"),
        "Rankings by E-std are more stable with": found.rises("tau", "halves", "E-std"),
        "Rankings by exponential and sum are less stable with every": not any(
            (means[label] >= means["raw"]).any() for label in ("exponential", "sum")
        ),
    }


def _of_power(found: Found) -> dict[str, bool]:
    two = found.wide(WELCH, 0.05, "rate").xs(2, level="reference_systems")
    cdfs = two.drop(columns=["raw", "sum", "z-std"])
    rates = found.wide(PAIRED, 0.05, "rate")
    paired = rates.xs(2, level="reference_systems")
    return {
        "Welch's t test has the same power as with E-std, or up to": (
            kernel_above_empirical(found).min() > -0.0005
        ),
        "With two reference systems every scheme has less power than raw scores, on all four "
        "matrices": paired.drop(columns=["raw", "sum"]).lt(paired["raw"], axis=0).to_numpy().all(),
        "every cdf with two reference systems has more power than raw scores, on all four "
        "matrices": cdfs.gt(two["raw"], axis=0).to_numpy().all(),
        "z-std has more power than raw scores with": found.rises(WELCH, 0.05, "z-std"),
        "E-std has more power than raw scores with": found.rises(PAIRED, 0.05, "E-std"),
        "exponential has less power than raw scores with any number of reference systems": not (
            (rates["exponential"] >= rates["raw"]).any()
        ),
    }


def _of_policies(found: Found) -> dict[str, bool]:
    percentiles = {f"{found.apart(one, 'cdfs', 'p5'):.3f}" for one in ("paper", "half")}
    return {
        "and none with 20 or more": (found.constant[list(LARGE)] == 0).to_numpy().all(),
        "which is one pair of the 15 systems of Terabyte": percentiles == {f"{2 / 105:.3f}"},
    }
