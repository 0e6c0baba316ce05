"""The words of docs/what_fits.md, with the numbers of the run in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from validation.diagnosis.real import Result

INTRODUCTION = """# What fits, and what it changes

Written by `python -m validation.diagnosis.real docs/what_fits.md` from the public Robust,
Terabyte and Web matrices. `cdfscore diagnose` does the same for your scores.

Each family is fitted to the scores that all systems have on a topic. It is judged by the scores
that were left out: the mean log probability of a score as it is written, under the fit to the
other systems (see the [decision](decisions/0014-scores-as-written.md)). "Best log score" counts
the topics in which no family predicts better, "AIC near best" those in which a family's AIC is at
most 2 above the best; families that follow the scores have no AIC. "Rejected" is by Anderson-
Darling with Holm's correction over the topics tested, some 25 to 30 taken evenly from the matrix.
"PIT sd" is 0.289 where a family is as spread out as the scores; below, it is too wide, above, too
narrow. Families on (0, 1) take scores of exactly 0 and 1 under `ends=shrink`.

Systems that share methods are not independent draws, and a family that is not rejected is not
thereby true. What the tables can show is which assumption misses, how often, and whether that
matters."""


def findings(results: Sequence[Result]) -> Iterator[str]:
    """Yield the section of what holds over all collections, as the tables have it."""
    yield "\n## In short\n"
    yield from _normal(results)
    yield from _best(results)
    yield from _changes(results)


def _normal(results: Sequence[Result]) -> Iterator[str]:
    rows = [(each, _row(each.all.summary, "normal")) for each in results]
    won = sum(int(row["log_score_wins"]) for _, row in rows)
    topics = sum(each.all.topics for each, _ in rows)
    tested = [_row(each.tested.summary, "normal") for each in results]
    rejected = sum(int(row["ad_rejected"]) for row in tested)
    of = sum(int(row["tested"]) for row in tested)
    yield (
        f"- **The normal distribution seldom holds.** It is rejected in {rejected} of {of} topics "
        f"that were tested, and predicts best in {won} of {topics}. Scores are skewed and end at "
        "0, which `truncated_normal` mends in part."
    )
    wide = [_row(each.all.summary, "uniform") for each in results if not each.collection.size]
    low, high = min(r["pit_sd"] for r in wide), max(r["pit_sd"] for r in wide)
    yield (
        "- **U-std is no model of the scores**, and is not meant as one: with A = 0.15 its PIT has "
        f"a standard deviation of {low:.3f} to {high:.3f}, so that y lies in the middle of [0, 1]."
    )


def _best(results: Sequence[Result]) -> Iterator[str]:
    parts = []
    for each in results:
        order = each.all.summary.sort_values("log_score_wins", ascending=False, kind="stable")
        first, second = order.iloc[0], order.iloc[1]
        parts.append(
            f"{each.collection.name}: `{first['scheme']}` in {first['log_score_wins']} of "
            f"{each.all.topics} topics, then `{second['scheme']}` in {second['log_score_wins']}"
        )
    yield "- **What predicts best.** " + "; ".join(parts) + "."
    yield (
        "- On average precision smooth estimates (`logspline`, `kernel` with "
        "`boundary=reflection`) predict best, and a family of two parameters wins in few topics; "
        "two groups of systems, `mixture`, are the best of the families with an AIC. On the Web "
        "measures many systems have exactly 0, and what gives that a probability of its own, "
        "`zero_inflated`, is ahead. On P@10 and P@20 a family on the grid, `beta_binomial`, is "
        "within 0.07 of the best smoothed estimate in mean log score, with two numbers a topic."
    )


def _changes(results: Sequence[Result]) -> Iterator[str]:
    rows = [
        (each.collection.name, row)
        for each in results
        for row in each.changes.conclusions.to_dict("records")
        if row["scheme_a"] == "raw"
    ]
    reversals = sum(int(row["reversed"]) for _, row in rows)
    name, most = max(rows, key=lambda r: (r[1]["gained"] + r[1]["lost"]) / r[1]["significant_a"])
    taus = [
        (row["tau_b"], each.collection.name, row["scheme_b"])
        for each in results
        for row in each.changes.agreement.to_dict("records")
        if row["scheme_a"] == "raw"
    ]
    among = [
        row["tau_b"]
        for each in results
        for row in each.changes.agreement.to_dict("records")
        if row["scheme_a"] != "raw"
    ]
    raw = [tau for tau, *_ in taus]
    yield (
        f"- **What it changes.** From raw to standardized scores tau_b is {min(raw):.2f} "
        f"({min(taus)[1]}, `{min(taus)[2]}`) to {max(raw):.2f}, {sum(raw) / len(raw):.2f} on "
        f"average; between two standardizations {min(among):.2f} to {max(among):.2f}, "
        f"{sum(among) / len(among):.2f} on average. Over all collections and schemes {reversals} "
        "conclusions about a pair of systems are reversed; what changes is which pairs differ at "
        f"all, most on {name} with `{most['scheme_b']}`: {most['significant_a']} pairs differ by "
        f"raw scores, of which {most['lost']} are lost, and {most['gained']} are gained."
    )


def _row(summary: pd.DataFrame, name: str) -> pd.Series[float]:
    """Return the row of a scheme by the name that it begins with."""
    return summary[summary["scheme"].str.partition(":")[0] == name].iloc[0]
