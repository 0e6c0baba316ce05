"""What the choice of a scheme does to conclusions: rankings, and pairs that differ."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore.comparison.comparison import Comparison, Test, chosen_test, compare
from cdfscore.errors import SchemeError, ScoresError, SignificanceError
from cdfscore.io.scores import as_scores, topic_labels
from cdfscore.numerics.ranks import midranks
from cdfscore.numerics.types import Array, BoolArray
from cdfscore.significance.contract.contract import ChosenTest
from cdfscore.standardization.policies import missing as missing_scores
from cdfscore.standardization.policies.unfitted import fit_where_possible
from cdfscore.standardization.standardizer import Standardizer

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.schemes.base import Scheme


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity:
    """What `sensitivity` found, in tables.

    `systems` has a row a system and scheme: ``scheme``, ``system``, ``mean`` and
    ``rank``, 1 for the largest mean, tied systems sharing their mean rank. The other tables
    have a row for each two schemes a and b, in the order in which they were asked for.
    `agreement`: ``tau_b`` and ``tau_ap_b`` between the rankings of ``systems`` systems, NaN
    where one ties them all. Means closer than 1e-12 of the largest are ties, which rounding
    would break otherwise. `moves` has the systems whose ranks differ most: ``system``,
    ``rank_a``, ``rank_b`` and ``places``, rank_a - rank_b: above 0 where b ranks it higher.
    `conclusions`: of ``pairs`` pairs of systems, those that differ at alpha by a
    (``significant_a``) and by b; ``gained`` by b alone, ``lost`` by a alone, ``reversed`` by
    both with the means of the two systems in the opposite order, and ``kept`` by both in the
    same order. `comparison` has every test.
    """

    systems: pd.DataFrame
    agreement: pd.DataFrame
    moves: pd.DataFrame
    conclusions: pd.DataFrame
    comparison: Comparison
    notes: list[str] = field(default_factory=list)

    def __repr__(self) -> str:
        return f"<sensitivity to {', '.join(self.comparison.schemes)}>"


def sensitivity(
    scores: pd.DataFrame,
    schemes: Sequence[Scheme | str],
    *,
    test: Test = "paired_t",
    adjust: str | None = None,
    alpha: float = 0.05,
    reference: pd.DataFrame | None = None,
    most: int = 5,
    degenerate: str = "limit",
    missing: str = "raise",
    unfitted: str = "raise",
) -> Sensitivity:
    """Rank the systems and test all their pairs by each scheme, and compare the conclusions.

    Parameters
    ----------
    scores
        Topics x systems.
    schemes
        Two schemes or more; "raw" is the scores as they are.
    test, adjust, alpha, reference, degenerate, missing
        As `cdfscore.compare` has them; all pairs of systems are a family for each scheme.
    unfitted
        As `Standardizer` has it, but that "drop_topic" leaves out a topic for all schemes where
        one of them cannot be fitted to it, so that all are compared on the same topics. A
        scheme that cannot be fitted to half of the topics is left out itself, with a note.
    most
        How many systems `Sensitivity.moves` has for each two schemes; those that move as far
        as the last of them are there too.

    Raises
    ------
    SchemeError
        For fewer than two schemes.
    CdfscoreError
        For whatever `compare` refuses.

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
    """
    import pandas as pd

    if isinstance(schemes, str) or len(schemes) < 2:
        raise SchemeError(
            f"the sensitivity to {schemes!r} was asked for; expected two schemes or more"
        )
    if most < 0:
        raise SchemeError(f"most={most} is not accepted; expected a whole number, 0 or more")
    _check_test(chosen_test(test))
    chosen = [Standardizer(one, degenerate, missing).parsed for one in schemes]
    fitted_on = as_scores(scores if reference is None else reference)
    refused: dict[str, str] = {}
    notes: list[str] = []
    if unfitted == "drop_topic":
        chosen, refused, notes = _fitted_often(chosen, fitted_on, missing)
    if refused:
        fitted_on, scores = (_without(frame, set(refused)) for frame in (fitted_on, scores))
        notes.append(
            f"{len(refused)} topics left out for all schemes, as one of them has no fit; the first "
            f"is {_said(refused)}"
        )
    found = compare(
        scores,
        test,
        scheme=chosen,
        reference=None if reference is None else fitted_on,
        adjust=adjust,
        alpha=alpha,
        degenerate=degenerate,
        missing=missing,
        unfitted=unfitted,
    )
    ranks = {scheme: _ranks(found, scheme) for scheme in found.schemes}
    differs = {scheme: _differences(found, scheme) for scheme in found.schemes}
    names = ("scheme_a", "scheme_b")
    agreement, moves, conclusions = [], [], []
    for a, b in itertools.combinations(found.schemes, 2):
        which = dict(zip(names, (a, b), strict=True))
        means = _with_ties(found.means[a].to_numpy()), _with_ties(found.means[b].to_numpy())
        agreement.append(which | _agreement(*means))
        moves += [which | row for row in _moves(found.systems, ranks[a], ranks[b], most)]
        conclusions.append(which | _conclusions(*differs[a], *differs[b]))
    of_moves = [*names, "system", "rank_a", "rank_b", "places"]
    return Sensitivity(
        systems=pd.concat([_systems(found, s, ranks[s]) for s in found.schemes]).reset_index(
            drop=True
        ),
        agreement=pd.DataFrame(agreement),
        moves=pd.DataFrame(moves, columns=of_moves),
        conclusions=pd.DataFrame(conclusions),
        comparison=found,
        notes=[*notes, *found.notes],
    )


def _check_test(chosen: ChosenTest) -> None:
    """Raise `SignificanceError` for a test whose small p values are of no difference."""
    shows, settings = chosen.test.shows, chosen.settings
    if shows != "difference":
        raise SignificanceError(
            f"a small p value of {chosen} shows {shows}, and conclusions are of differences; "
            "expected a test of a difference"
        )
    if settings.get("alternative", "two-sided") != "two-sided" or settings.get("null_value", 0):
        raise SignificanceError(
            f"conclusions of {chosen} depend on which system is first; expected a two-sided test "
            "of no difference"
        )


def _fitted_often(
    schemes: Sequence[Scheme], reference: pd.DataFrame, missing: str
) -> tuple[list[Scheme], dict[str, str], list[str]]:
    """Return the schemes that fit half of the topics or more, and what they refuse.

    The topics that one of them cannot be fitted to come with the first reason; the notes are of
    the schemes that are left out.
    """
    kept = missing_scores.resolve(missing, reference, "reference scores")
    topics = topic_labels(kept)
    fitted: list[Scheme] = []
    notes: list[str] = []
    refused: dict[str, str] = {}
    for scheme in schemes:
        _, _, reasons = fit_where_possible(scheme, kept.to_numpy())
        own = {topics[row]: reason for row, reason in sorted(reasons.items())}
        if 2 * len(own) > len(topics):
            notes.append(
                f"{scheme} is not compared, since it has no fit on {len(own)} of {len(topics)} "
                f"topics; the first is {_said(own)}"
            )
        else:
            fitted.append(scheme)
            refused = own | refused
    if len(fitted) < 2 or len(refused) == len(topics):
        raise ScoresError(
            f"there is no topic on which two of {', '.join(map(str, schemes))} can be compared; "
            f"{'; '.join(notes) or _said(refused)}"
        )
    return fitted, refused, notes


def _said(refused: dict[str, str]) -> str:
    topic, reason = next(iter(refused.items()))
    return f"{topic}: {reason}"


def _without(scores: pd.DataFrame, topics: set[str]) -> pd.DataFrame:
    checked = as_scores(scores)
    return checked[[topic not in topics for topic in topic_labels(checked)]]


def _ranks(found: Comparison, scheme: str) -> Array:
    means = found.means[scheme].to_numpy()
    undefined = ~np.isfinite(means)
    if undefined.any():
        system = found.systems[int(undefined.argmax())]
        raise ScoresError(
            f"{scheme}: system {system!r} has the mean {means[undefined][0]} and no rank; "
            "expected a finite mean"
        )
    ranks: Array = midranks(-_with_ties(means)[np.newaxis])[0][0]
    return ranks


def _with_ties(means: Array) -> Array:
    """Round means, so that equal ones are equal in whatever order scores were added."""
    largest = float(np.abs(means).max()) or 1.0
    rounded: Array = np.round(means / largest, 12)
    return rounded


def _systems(found: Comparison, scheme: str, ranks: Array) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(
        {
            "scheme": scheme,
            "system": found.systems,
            "mean": found.means[scheme].to_numpy(),
            "rank": ranks,
        }
    )


def _agreement(a: Array, b: Array) -> dict[str, float]:
    # Imported here because numba, which counts the pairs, takes half a second.
    from cdfscore.rank_correlation import tau_ap_b, tau_b

    tied = (a == a[0]).all() or (b == b[0]).all()
    return {
        "systems": len(a),
        "tau_b": np.nan if tied else float(tau_b(a, b)),
        "tau_ap_b": np.nan if tied else float(tau_ap_b(a, b)),
    }


def _moves(systems: list[str], a: Array, b: Array, most: int) -> list[dict[str, Any]]:
    places = a - b
    order = np.argsort(-np.abs(places), kind="stable")
    if most == 0 or not len(order):
        return []
    least = np.abs(places[order[:most][-1]])
    return [
        {"system": systems[i], "rank_a": a[i], "rank_b": b[i], "places": places[i]}
        for i in order
        if abs(places[i]) >= least and places[i] != 0
    ]


def _differences(found: Comparison, scheme: str) -> tuple[BoolArray, Array]:
    """Return which pairs differ at alpha, and which of the two has the larger mean."""
    rows = found.table[found.table["scheme"] == scheme]
    differ: BoolArray = (rows["p_adjusted"] <= found.alpha).to_numpy()
    # Estimates are of many kinds, and some tests give none; means are what rankings are by.
    means = dict(zip(found.systems, _with_ties(found.means[scheme].to_numpy()), strict=True))
    order = [means[a] - means[b] for a, b in zip(rows["system_a"], rows["system_b"], strict=True)]
    return differ, np.sign(order)


def _conclusions(a: BoolArray, sign_a: Array, b: BoolArray, sign_b: Array) -> dict[str, int]:
    same = sign_a == sign_b
    return {
        "pairs": len(a),
        "significant_a": int(a.sum()),
        "significant_b": int(b.sum()),
        "gained": int((b & ~a).sum()),
        "lost": int((a & ~b).sum()),
        "reversed": int((a & b & ~same).sum()),
        "kept": int((a & b & same).sum()),
    }
