"""Effect of the choice of a scheme: rankings, the pairs that differ, and grids of conclusions."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from cdfscore.common.cautions import each_once, warn_of
from cdfscore.common.text import capitalized, each_in_units, part_of
from cdfscore.comparison import ranking
from cdfscore.comparison.comparison import Comparison, compared
from cdfscore.comparison.pairs import (
    Test,
    adjustment_of,
    check_alpha,
    check_different,
    check_letters,
    conclusive_test,
    joined,
)
from cdfscore.errors import FitError, SchemeError, ScoresError, SignificanceError
from cdfscore.scores.dataframes import IntoFrame, both_as_pandas
from cdfscore.showing import Drawn, Shown
from cdfscore.standardization import standardizer
from cdfscore.standardization.cautions import topics_are
from cdfscore.standardization.standardized import ExtraTopics, Standardized
from cdfscore.stats.numerics.numbers import whole_number_from
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.rank_correlation import tau_ap_b, tau_b
from cdfscore.stats.schemes.base import scheme_label
from cdfscore.stats.significance.contract import MEAN_RANKS, SIGNS

Row = dict[Hashable, Any]


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(Shown):
    """Result of `sensitivity`, in tables.

    `systems` has one row per system and scheme: ``scheme``, ``system``, ``mean`` and ``rank``. Rank
    1 is the largest mean; tied systems have the mean of their ranks. A test that declares another
    ``location`` has that one, by its name, in place of means.

    The other tables have one row per pair of schemes a and b, in the order of `schemes`:

    - `agreement`: ``tau_b`` and ``tau_ap_b`` between the two rankings of ``systems`` systems; NaN
      if all systems are tied in one ranking. Neighbouring means tie if they differ by
      at most 1e-12 of the range of the means plus 2e-15 of the largest.
    - `moves`: the systems whose ranks differ most, with ``system``, ``rank_a``, ``rank_b`` and
      ``places`` = rank_a - rank_b. ``places`` is above 0 if b ranks the system higher.
    - `conclusions`: of ``pairs`` pairs of systems, how many differ at alpha by a
      (``significant_a``) and by b (``significant_b``); only by b (``gained``); only by a
      (``lost``); by both in opposite directions (``reversed``), and in the same (``kept``).

    `comparison` has all tests, without effect sizes. `verdict` explains the counts and recommends
    what to report.

    Examples
    --------
    >>> from cdfscore import datasets, sensitivity
    >>> found = sensitivity(datasets.load_cranfield("ap").iloc[:, :12], ["raw", "normal"])
    >>> found.conclusions[["pairs", "gained", "lost", "reversed", "kept"]].iloc[0].to_dict()
    {'pairs': 66, 'gained': 12, 'lost': 1, 'reversed': 0, 'kept': 31}
    """

    systems: pd.DataFrame
    agreement: pd.DataFrame
    moves: pd.DataFrame
    conclusions: pd.DataFrame
    comparison: Comparison
    notes: list[str] = field(default_factory=list)

    @property
    def left_out(self) -> list[str]:
        """Sentences about the schemes and topics that are left out."""
        return [note for note in self.notes if note not in self.comparison.notes]

    @property
    def verdict(self) -> list[str]:
        """Sentences that explain the counts of `conclusions` and recommend what to report."""
        chosen = self.comparison.chosen
        of_signs = chosen.test.estimates == SIGNS and chosen.settings["null_value"] == 0
        by_order = of_signs or chosen.test.estimates == MEAN_RANKS
        told = meaning_of(self.conclusions, by_order=by_order, center=chosen.test.center)
        return each_in_units(self.comparison.units, told)

    def __repr__(self) -> str:
        counts = self.conclusions
        otherwise = counts["gained"] + counts["lost"] + counts["reversed"]
        schemes = zip(counts["scheme_a"], counts["scheme_b"], strict=True)
        numbers = zip(self.agreement["tau_b"], otherwise, counts["pairs"], strict=True)
        found = "; ".join(
            f"{a} and {b}: tau_b {tau_b:.3f}, {number} of {pairs} conclusions differ"
            for (a, b), (tau_b, number, pairs) in zip(schemes, numbers, strict=True)
        )
        return f"<sensitivity of conclusions; {found}>"


def sensitivity(
    scores: IntoFrame,
    schemes: Sequence[standardizer.How],
    *,
    test: Test = "paired_t",
    adjust: str | None = None,
    alpha: float = 0.05,
    reference: IntoFrame | None = None,
    extra_topics: ExtraTopics = "refuse",
    most: int = 5,
) -> Sensitivity:
    """Rank the systems and test all pairs by each scheme, and compare the conclusions.

    Parameters
    ----------
    scores
        Topics x systems, in a data frame of any kind; the tables of the result are of pandas.
    schemes
        Two or more schemes; "raw" is the scores as they are. A `Standardizer` has policies. All
        schemes are compared on the same topics. A topic is left out for all schemes if one scheme
        drops it (because it is unfitted or constant, has a missing score or has no factors), or if
        the policies of only some schemes add it. A scheme that cannot be fitted to more than half
        of the topics is left out, with a note.
    test, adjust, alpha, reference, extra_topics
        As for `cdfscore.compare`. For each scheme, all pairs of systems are one family.
    most
        Number of systems in `Sensitivity.moves` for each pair of schemes. Systems whose ranks
        differ as much as those of the last system are added.

    Raises
    ------
    SchemeError
        For fewer than two schemes.
    SignificanceError
        For a scheme that is given twice.
    CdfscoreError
        For input that `compare` does not accept.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> found = sensitivity(datasets.load_cranfield("ap"), ["normal", "empirical"])
    >>> found.agreement.round(3)
      scheme_a                   scheme_b  systems  tau_b  tau_ap_b
    0   normal  empirical:convention=weak       67  0.948     0.873
    >>> found.conclusions[["pairs", "gained", "lost", "reversed", "kept"]]
       pairs  gained  lost  reversed  kept
    0   2211      84    44         0  1427
    >>> print(found.verdict[-1])  # doctest: +ELLIPSIS
    To report: fix the scheme before you look at the results. Report the results by raw ...
    """
    if isinstance(schemes, str) or not isinstance(schemes, Sequence) or len(schemes) < 2:
        raise SchemeError(
            f"schemes={schemes!r} is not accepted; expected a list of two or more schemes"
        )
    check_different(schemes)
    standardizer.check_extra_of(schemes, reference, extra_topics)
    moving = whole_number_from("most", most, 0, None, SchemeError)
    chosen = conclusive_test(test)
    level = check_alpha(alpha)
    correction = adjustment_of(chosen, adjust)
    frame, fitted_on = both_as_pandas(scores, reference)
    with each_once():
        standardized, notes = _on_common_topics(frame, schemes, fitted_on, extra_topics)
    found = compared(
        standardized,
        chosen,
        (),
        correction,
        "",  # no table shows effect sizes, and they take longer than the tests
        level,
    )
    warn_of(found.cautions)
    ranks = {scheme: _ranks(found, scheme) for scheme in found.schemes}
    tied = {scheme: ranking.tied(found.means[scheme].to_numpy()) for scheme in found.schemes}
    significant = (found.table["p_adjusted"] <= found.alpha).to_numpy()
    apart = dict(zip(found.schemes, significant.reshape(len(ranks), -1), strict=True))
    first, second = found.family.first, found.family.second
    # Estimates differ between tests, and some tests give none; rankings are by means.
    signs = {scheme: np.sign(own[first] - own[second]) for scheme, own in tied.items()}
    names = ("scheme_a", "scheme_b")
    agreement, moves, conclusions = [], [], []
    for a, b in itertools.combinations(found.schemes, 2):
        which = dict(zip(names, (a, b), strict=True))
        x, y = tied[a], tied[b]
        of_ties = (x == x[0]).all() or (y == y[0]).all()
        taus = [np.nan if of_ties else float(tau(x, y)) for tau in (tau_b, tau_ap_b)]
        agreement.append(which | {"systems": len(x), "tau_b": taus[0], "tau_ap_b": taus[1]})
        places = ranks[a] - ranks[b]
        order = np.argsort(-np.abs(places), kind="stable")
        least = np.abs(places[order[:moving][-1]]) if moving and len(order) else np.inf
        for i in order[(np.abs(places[order]) >= least) & (places[order] != 0)]:
            of_system = {"rank_a": ranks[a][i], "rank_b": ranks[b][i], "places": places[i]}
            moves.append(which | {"system": found.systems[i]} | of_system)
        by_a, by_b, same = apart[a], apart[b], signs[a] == signs[b]
        counts = {
            "pairs": np.ones_like(same),
            "significant_a": by_a,
            "significant_b": by_b,
            "gained": by_b & ~by_a,
            "lost": by_a & ~by_b,
            "reversed": by_a & by_b & ~same,
            "kept": by_a & by_b & same,
        }
        conclusions.append(which | {name: int(own.sum()) for name, own in counts.items()})
    of_moves = [*names, "system", "rank_a", "rank_b", "places"]
    return Sensitivity(
        systems=pd.concat(
            [
                pd.DataFrame(
                    {
                        "scheme": s,
                        "system": found.systems,
                        chosen.test.center: found.means[s],
                        "rank": ranks[s],
                    }
                )
                for s in found.schemes
            ],
            ignore_index=True,
        ),
        agreement=pd.DataFrame(agreement),
        moves=pd.DataFrame(moves, columns=of_moves),
        conclusions=pd.DataFrame(conclusions),
        comparison=found,
        notes=[*each_in_units(found.units, notes), *found.notes],
    )


def _on_common_topics(
    scores: pd.DataFrame,
    schemes: Sequence[standardizer.How],
    reference: pd.DataFrame | None,
    extra_topics: ExtraTopics,
) -> tuple[list[Standardized], list[str]]:
    """Standardize by each scheme, on the topics that all have; notes say what is left out."""
    fitted: list[Standardized] = []
    notes: list[str] = []
    unfitted: dict[str, str] = {}
    for how in schemes:
        try:
            found = standardizer.standardize(scores, how, reference, extra_topics)
        except FitError as error:
            if not isinstance(how, standardizer.Standardizer) or how.unfitted != "drop_topic":
                raise
            notes.append(f"{scheme_label(str(how.scheme))} is not compared: {error}")
            continue
        own = found.unfitted_topics if found.factors.unfitted == "drop_topic" else {}
        topics = len(own) + len(found.used.topics)
        if 2 * len(own) > topics:
            are = "is" if len(own) == 1 else "are"
            notes.append(
                f"{scheme_label(str(found.factors.fitted.scheme))} is not compared, since "
                f"{part_of(len(own), topics, 'topic')} {are} unfitted; {_said(own)}"
            )
        else:
            fitted.append(found)
            unfitted = own | unfitted
    if unfitted:
        notes.append(
            f"{topics_are(list(unfitted))} left out for all schemes, since one scheme cannot be "
            f"fitted to them; {_said(unfitted)}"
        )
    left_out = {*unfitted}
    of_topics: dict[str, list[Sequence[str]]] = {
        "one scheme drops topics with missing scores": [e.dropped_topics for e in fitted],
        "one scheme drops constant topics": [
            e.constant_topics if e.factors.constant == "drop_topic" else [] for e in fitted
        ],
        "one scheme has no factors for {it}": [e.extra_topics for e in fitted],
        "the scores lack {it} and only one scheme sets {it} to 0": [
            e.topics_taken_as_zero for e in fitted
        ],
    }
    for why, of_schemes in of_topics.items():
        every = list(dict.fromkeys(topic for own in of_schemes for topic in own))
        if any(set(own) != set(every) for own in of_schemes):  # else they are in the notes of each
            it = "it" if len(every) == 1 else "them"
            notes.append(f"{topics_are(every)} left out for all schemes, since {why.format(it=it)}")
            left_out.update(every)
    common = [found.without(left_out) for found in fitted]
    if len(common) < 2 or not all(found.used.topics for found in common):
        raise ScoresError(
            "there is no topic on which two of "
            f"{', '.join(map(standardizer.name_of, schemes))} can be compared; {'; '.join(notes)}"
        )
    return common, notes


def _said(unfitted: dict[str, str]) -> str:
    topic, reason = next(iter(unfitted.items()))
    return f"topic {topic}: {reason}"


def _ranks(found: Comparison, scheme: str) -> Array:
    means = found.means[scheme].to_numpy()
    undefined = ~np.isfinite(means)
    if undefined.any():
        system, center = found.systems[int(undefined.argmax())], found.chosen.test.center
        raise ScoresError(
            f"{scheme}: system {system!r} has the {center} {means[undefined][0]} and no rank; "
            f"expected a finite {center}"
        )
    return ranking.ranks(means)


def meaning_of(
    conclusions: pd.DataFrame, *, by_order: bool = False, center: str = "mean"
) -> list[str]:
    """Return sentences on the counts of `Sensitivity.conclusions`, and on what to report.

    A test `by_order` uses only which of two systems has the higher score on a topic. `center` is
    what the test compares.
    """
    rows = conclusions.to_dict("records")
    with_raw = [row for row in rows if "raw" in (row["scheme_a"], row["scheme_b"])]
    others = [row for row in rows if row not in with_raw]
    sentences = [_changed(row) for row in (with_raw or rows)]
    if with_raw and others:
        counts = [_otherwise(row) for row in others]
        ends = sorted({min(counts), max(counts)})
        span = " to ".join(f"{end:,}" for end in ends)
        sentences.append(
            f"Any two of the other schemes disagree on {span} of {others[0]['pairs']:,} pairs."
        )
    if any(map(_otherwise, rows)):
        return [*sentences, f"{_TO_REPORT}{center}s answer different questions."]
    return [*sentences, _SAME_BY_ORDER if by_order else _SAME]


def _changed(row: Row) -> str:
    raw = [row[name] == "raw" for name in ("scheme_a", "scheme_b")]
    a, b = (scheme_label(row[name]) for name in ("scheme_a", "scheme_b"))
    only_b, only_a = f"only by {b} (gained)", f"only by {a} (lost)"
    if raw[0]:
        only_b = f"only after standardization by {b} (gained)"
        only_a = "only before it (lost)"
    elif raw[1]:
        only_b = "only before standardization (gained)"
        only_a = f"only after it, by {a} (lost)"
    reversed_pairs = f", {row['reversed']:,} by both in opposite directions" * bool(row["reversed"])
    return (
        f"{capitalized(a) if raw[0] else a} and {b}: {part_of(row['kept'], row['pairs'], 'pair')} "
        f"of systems differ significantly by both{reversed_pairs}, {row['gained']:,} {only_b} and "
        f"{row['lost']:,} {only_a}."
    )


def _otherwise(row: Row) -> int:
    return int(row["gained"] + row["lost"] + row["reversed"])


_SAME_BY_ORDER = (
    "To report: name the scheme that you fixed. The other schemes give the same conclusions, but "
    "this agreement is no evidence: the test uses only the order of systems within each topic, and "
    "a scheme keeps this order unless it makes ties."
)
_SAME = (
    "To report: name the scheme that you fixed, and state that the other schemes give the same "
    "conclusions."
)
_TO_REPORT = (
    "To report: fix the scheme before you look at the results. Report the results by raw scores as "
    "well. If a pair differs by one scheme only, report it for that scheme; it does not show that "
    "the scheme is better. Raw and standardized "
)


@dataclass(frozen=True, eq=False)
class ConclusionGrid(Drawn):
    """Comparisons of the same systems by the same schemes, with different tests.

    Parameters
    ----------
    comparisons
        Results of `cdfscore.compare` for all pairs.

    Raises
    ------
    SignificanceError
        If there is no comparison, if two comparisons have the same test, if they have different
        systems, schemes or levels, if one is not of all pairs, or if one is not a two-sided test
        of no difference.

    Examples
    --------
    >>> from cdfscore import compare, datasets
    >>> scores = datasets.load_cranfield("ap").iloc[:, :12]
    >>> schemes = ["raw", "normal"]
    >>> tests = ["paired_t", "sign"]
    >>> grid = ConclusionGrid([compare(scores, test, scheme=schemes) for test in tests])
    >>> grid.pairs, grid.counts
    (66,         paired_t  sign
    raw           32    43
    normal        43    43)
    """

    comparisons: Sequence[Comparison]

    def __post_init__(self) -> None:
        if not self.comparisons:
            raise SignificanceError("there is no comparison in the grid; expected one or more")
        first, tests = self.comparisons[0], list[str]()
        for each in self.comparisons:
            check_letters(each.chosen, each.family.baselines)
            if each.test in tests:
                raise SignificanceError(
                    f"two comparisons of the grid are by {each.test}; expected different tests"
                )
            tests.append(each.test)
            for name in ("schemes", "systems", "alpha"):
                own, others = getattr(each, name), getattr(first, name)
                if own != others:
                    raise SignificanceError(
                        f"the comparison by {each.test} has the {name} {own}, and the comparison "
                        f"by {first.test} has {others}; expected the same {name} in all"
                    )

    @property
    def schemes(self) -> list[str]:
        """The schemes, in the order in which they were given."""
        return self.comparisons[0].schemes

    @property
    def pairs(self) -> int:
        """The number of pairs of systems."""
        return len(self.comparisons[0].family)

    @property
    def notes(self) -> list[str]:
        """The notes of all comparisons, each once; a note of some tests names them."""
        return joined({each.test: each.notes for each in self.comparisons})

    @property
    def counts(self) -> pd.DataFrame:
        """The number of pairs that differ significantly at alpha, schemes x tests."""
        found = {}
        for each in self.comparisons:
            differ = each.table["p_adjusted"] <= each.alpha
            found[each.test] = differ.groupby(each.table["scheme"], sort=False).sum()
        return pd.DataFrame(found).loc[self.schemes].rename_axis(None)
