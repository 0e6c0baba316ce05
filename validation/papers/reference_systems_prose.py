"""The sentences of docs/reference_systems.md that have numbers: what they say is asserted."""

from __future__ import annotations

from textwrap import fill

import pandas as pd

from validation.papers.reference_systems_found import LARGE, PAIRED, WELCH, Found


def summary(found: Found) -> str:
    """Write the list at the top of the page."""
    paired = {
        name: found.at(PAIRED, 0.05, scheme, m)["Robust AP"]
        for name, scheme, m in (("raw", "raw", None), ("ten", "E-std", 10), ("all", "E-std", None))
    }
    topics = found.at("tau", "halves", "E-std")
    away = {m: (topics - found.at("tau", "halves", "E-std", m)).max() for m in (10, 20)}
    few = found.at("tau", "disjoint", "E-std", 20)
    forty = found.wide("tau", "disjoint")["E-std"].xs(40, level="reference_systems")
    three = found.at("tau", "disjoint", "E-std", 3)
    assert (three > topics).all()
    assert not (found.at("tau", "disjoint", "E-std", 2) > topics).all()
    falls = {
        label: found.at(WELCH, 0.05, label, 10) - found.at(WELCH, 0.05, label)
        for label in ("min-max", "exponential")
    }
    assert min(each.min() for each in falls.values()) > 0
    disjoint = found.wide("tau", "disjoint")
    for label in ("N-std", "U-std", "kernel"):
        assert (disjoint[label] > disjoint["E-std"]).all()
    kernel = found.at("tau", "disjoint", "kernel", 20)
    gap = found.wide(WELCH, 0.05, "rate")
    above = gap["kernel"] - gap["E-std"]
    assert above.min() > -0.0005
    return "\n".join(
        [
            _item(
                "**By E-std, tests with 10 to 20 reference systems come near to tests with all; "
                "with 2 they do not.** The power with 10 is lower than with all by up to "
                f"{found.lost('E-std', 10, 0.05):.3f} at alpha = 0.05, and with 20 by up to "
                f"{found.lost('E-std', 20, 0.05):.3f} ({found.lost('E-std', 10):.3f} and "
                f"{found.lost('E-std', 20):.3f} at any of the 19 levels from 0.001 to 0.1); with "
                f"2, by up to {found.lost('E-std', 2, 0.05):.3f}. Rankings by two halves of the "
                f"topics agree less than with all by up to {away[10]:.3f} in mean tau_b with 10, "
                f"and {away[20]:.3f} with 20. That is no promise of a gain over raw scores: on "
                f"Robust AP the paired t test has a power of {paired['raw']:.3f} by raw scores, "
                f"{paired['ten']:.3f} by E-std with 10, and {paired['all']:.3f} with all."
            ),
            _item(
                "**For rankings there is no number from which they stay the same.** Two "
                "laboratories with 20 reference systems each, and none in common, rank by E-std "
                f"with a mean tau_b of {_span(few)}; 40 each, on the two matrices that have as "
                f"many, make it {_span(forty)}."
            ),
            _item(
                "**E-std needs more reference systems than N-std, U-std and kernel.** Two "
                "references agree better by these three at every number, on every matrix. N-std "
                f"has a mean tau_b of {_span(found.at('tau', 'disjoint', 'N-std', 10))} with 10, "
                f"E-std of {_span(few)} with 20. kernel, which is E-std made smooth, has "
                f"{_span(kernel)} with 20; by it Welch's t test has the power that it has by "
                f"E-std, or up to {above.max():.3f} more. z-std is the least stable of all below "
                "10."
            ),
            _item(
                "**More are not always better.** By min-max and exponential, which rest on the "
                "lowest score, and min-max on the highest, Welch's t test has less power with all "
                "reference systems than with 10, on every matrix: by min-max "
                f"{_span(falls['min-max'])} less, by exponential {_span(falls['exponential'])}."
            ),
            _item(
                "**From 3 reference systems on the topics matter more.** Rankings by E-std with "
                "all reference systems agree on two halves of the topics with a mean tau_b of "
                f"{_span(topics)}; two references of 3 agree with {_span(three)}, more on each of "
                "the four matrices."
            ),
        ]
    )


def of_disjoint(found: Found) -> str:
    """Write what is below the table of two references."""
    taus = found.wide("tau", "disjoint").drop(columns=["raw", "sum"])
    below = taus[taus.index.get_level_values("reference_systems") < 10]
    assert (below.idxmin(axis=1) == "z-std").all()
    tops = found.wide("tauAP", "disjoint").drop(columns=["raw", "sum"])
    assert (tops["N-std"] > tops["E-std"]).all()
    best = (tops.idxmax(axis=1) == "N-std").sum()
    robust = tops.loc["Robust AP"]
    return _paragraphs(
        "Terabyte has too few systems for two references of 40. Of raw scores tau_b is 1: nothing "
        "is fitted. By tau_ap,b, which weighs the top, N-std is before E-std again in every row, "
        f"and before all other schemes in {best} of {len(tops)}: on Robust AP N-std has "
        f"{robust['N-std'][20]:.3f} with 20 reference systems and {robust['N-std'][40]:.3f} with "
        f"40, E-std {robust['E-std'][20]:.3f} and {robust['E-std'][40]:.3f}. A reason may lie in "
        "the definition: shares of m systems move in steps of 1/m, and do not tell apart two "
        "systems that are both above all of the reference; kernel has no such steps."
    )


def of_halves(found: Found) -> str:
    """Write what is below the table of two halves of the topics."""
    means, raw = found.wide("tau", "halves"), found.at("tau", "halves", "raw")
    two = means.xs(2, level="reference_systems").drop(columns=["raw", "sum"])
    assert two.lt(raw, axis=0).to_numpy().all()
    for label in ("exponential", "sum"):
        assert not (means[label] >= means["raw"]).any()
    return _paragraphs(
        "With 2 reference systems rankings by every scheme are less stable over topics than "
        "rankings by raw scores. Those by N-std are more stable with "
        f"{found.above_raw('tau', 'halves', 'N-std')}; by E-std with "
        f"{found.above_raw('tau', 'halves', 'E-std')}. Those by exponential and sum are less "
        "stable with any number of reference systems that they were run with, on all four matrices."
    )


def of_welch(found: Found) -> str:
    """Write what is below the table of Welch's t test."""
    two = found.wide(WELCH, 0.05, "rate").xs(2, level="reference_systems")
    cdfs = two.drop(columns=["raw", "sum", "z-std"])
    assert cdfs.gt(two["raw"], axis=0).to_numpy().all()
    rows = found.wide("type1", 0.05, "rate")
    m = rows.index.get_level_values("reference_systems")
    three = [rows[label] for label in ("N-std", "U-std", "E-std")]
    others = [rows[label].dropna() for label in ("kernel", "min-max", "exponential", "sum")]
    return _paragraphs(
        "Standardization pays from the start: two reference systems give every cdf more power "
        "than raw scores have, on all four matrices. z-std is above raw scores with "
        f"{found.above_raw(WELCH, 0.05, 'z-std')}.",
        f"Type I errors of Welch's test at 0.05 are from {_span(*three)} for N-std, U-std and "
        f"E-std, and from {_span(*others)} for kernel, min-max, exponential and sum, with any "
        f"number of reference systems. z-std has {_span(rows['z-std'][m == 2])} with 2 and "
        f"{_span(rows['z-std'][m == 3])} with 3: a sample whose scores happen to be close makes "
        "huge z-scores on its topic, and the t test has no power where one topic outweighs all "
        "others.",
    )


def of_paired(found: Found) -> str:
    """Write what is below the table of the paired t test."""
    rates = found.wide(PAIRED, 0.05, "rate")
    assert not (rates["exponential"] >= rates["raw"]).any()
    gained = found.at(PAIRED, 0.05, "E-std") - found.at(PAIRED, 0.05, "raw")
    return _paragraphs(
        "Here there is less to gain. E-std has more power than raw scores with "
        f"{found.above_raw(PAIRED, 0.05, 'E-std')}. With all reference systems it has "
        f"{gained['Robust AP']:+.3f} on Robust AP and {gained['Terabyte AP']:+.3f} on Terabyte "
        f"AP, {gained['Robust nDCG']:+.3f} and {gained['Terabyte nDCG']:+.3f} of nDCG. "
        "exponential has less power than raw scores with any number, on every matrix."
    )


def of_constant(found: Found) -> str:
    """Write how often all scores of a sample are equal, and what the policies make of it."""
    of = found.constant
    assert (of[list(LARGE)] == 0).to_numpy().all()
    limit, half = (
        [f"{found.apart(*names, statistic):.3f}" for statistic in ("mean", "rate", "p5")]
        for names in (("paper", "cdfs"), ("half", "cdfs"))
    )
    assert {limit[2], half[2]} == {f"{2 / 105:.3f}"}
    return _paragraphs(
        f"Small samples have them: {of[2].min():.2f} to {of[2].max():.2f} of 98 or 100 topics a "
        f"trial with 2 systems, at most {of[3].max():.2f} with 3, {of[5].max():.2f} with 5 and "
        f"{of[10].max():.3f} with 10, and none from 20 on (`constant.csv`). What they get is the "
        'choice of `--constant`, and for cdfs there is little in it. Between "urbano2019" and '
        '"limit" no mean tau_b or tau_ap,b of N-std, U-std and E-std differs by more than '
        f'{limit[0]}, and no rate by more than {limit[1]}; between "half" and "limit", with 2, '
        f"3 and 5 systems and all six cdfs, by more than {half[0]} and {half[1]}. A 5th "
        f"percentile differs by {half[2]} at most, which is one pair of the 15 systems of "
        "Terabyte."
    )


def _span(*values: pd.Series[float]) -> str:
    together = pd.concat(values)
    return f"{together.min():.3f} to {together.max():.3f}"


def _item(text: str) -> str:
    return _filled(f"- {text}", "  ")


def _paragraphs(*texts: str) -> str:
    return "\n\n".join(_filled(text, "") for text in texts)


def _filled(text: str, indent: str) -> str:
    return fill(text, 100, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False)
