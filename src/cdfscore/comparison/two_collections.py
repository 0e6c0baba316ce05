"""Systems in two collections, or years: each of the one against each of the other."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from cdfscore.common.cautions import each_once, warn_of
from cdfscore.common.text import counted, part_of, written
from cdfscore.comparison import comparison, pairs
from cdfscore.comparison.attainable import cautions_on, with_enough_resamples
from cdfscore.errors import ScoresError, SignificanceError
from cdfscore.scores.dataframes import measure_of, same_measure
from cdfscore.standardization.cautions import topics_are
from cdfscore.standardization.standardized import Factors, Standardized, reference_of
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance.contract import ChosenTest


def compare_collections(
    a: Standardized | Sequence[Standardized],
    b: Standardized | Sequence[Standardized],
    test: pairs.Test | None = None,
    *,
    adjust: str | None = None,
    effect: str | None = None,
    alpha: float = 0.05,
) -> comparison.Comparison:
    """Test each system of one collection against each system of another.

    Each collection is standardized by reference systems, and those of both must be comparable: a
    caution says so, unless they are the same. The topics are two independent samples, so that the
    test is unpaired. A system with itself is a false positive if it is significant without a
    correction. These pairs are a family of their own for the correction, and the pairs of
    different systems are another. `Comparison.significant` has the proportions.

    Parameters
    ----------
    a, b
        The collections, each standardized by its own factors; or one of each for several schemes,
        in the same order. A system is the same in both if its name is.
    test
        An unpaired test, such as ``"welch_t"``.
    adjust, effect, alpha
        As in `cdfscore.compare`.

    Raises
    ------
    ScoresError
        If a collection is no result of `Standardizer.standardize`, if the measures differ, if a
        topic is in both collections, or a standardized score is infinite.
    SignificanceError
        If the test is not unpaired, if the schemes differ or one is given twice, or as in
        `cdfscore.compare`.

    Notes
    -----
    Source: Webber, Moffat and Zobel (2008), Section 5. Specified in two_collections.1 and
    two_collections.2.

    Examples
    --------
    >>> from cdfscore import Standardizer, datasets
    >>> from cdfscore.comparison.two_collections import compare_collections
    >>> scores = datasets.load_cranfield("ap").iloc[:, :20]
    >>> normal, parts = Standardizer("normal"), (scores.iloc[:100], scores.iloc[100:])
    >>> found = compare_collections(*(normal.fit(p).standardize(p) for p in parts), "welch_t")
    >>> found.significant[["pairs", "tested", "significant"]]
                               pairs  tested  significant
    0  pairs of a system with itself      20            0
    1     pairs of different systems     380          136
    """
    chosen = pairs.chosen_test(test)
    pairs.check_of_collections(chosen)
    sides = [[each] if isinstance(each, Standardized) else list(each) for each in (a, b)]
    for each in (*sides[0], *sides[1]):
        if not isinstance(each, Standardized):
            raise ScoresError(
                f"a collection is {type(each).__name__}; expected what Standardizer.standardize "
                "returns, such as Standardizer('normal').standardize(scores)"
            )
        comparison.refuse_infinite(each)
    with each_once():
        found = compared_collections(
            sides[0],
            sides[1],
            chosen,
            pairs.adjustment_of(chosen, adjust),
            pairs.effect_of(chosen, effect),
            pairs.check_alpha(alpha),
        )
        warn_of(found.cautions)
    return found


def compared_collections(
    a: Sequence[Standardized],
    b: Sequence[Standardized],
    chosen: ChosenTest,
    adjust: str,
    effect: str,
    alpha: float,
) -> comparison.Comparison:
    """Test all pairs of two collections by each scheme, after the checks of the arguments."""
    for side in (a, b):
        pairs.check_different([each.factors for each in side])
        pairs.check_directions(side)
    schemes, others = ([str(each.factors.fitted.scheme) for each in side] for side in (a, b))
    if schemes != others:
        raise SignificanceError(
            f"the first collection is standardized by {', '.join(schemes)}, and the second by "
            f"{', '.join(others)}; expected the same schemes"
        )
    same_measure(
        (measure_of(each.given.frame) or each.factors.measure, f"the {which} collection")
        for which, side in (("first", a), ("second", b))
        for each in side
    )
    family = pairs.Family.of_collections(list(a[0].frame.columns), list(b[0].frame.columns))
    there = {topic for each in b for topic in each.used.topics}
    if shared := [topic for topic in a[0].used.topics if topic in there]:
        raise ScoresError(
            f"{topics_are(shared)} in both collections, so that the topics are not two independent "
            "samples; expected different topics (a file without a column of topics numbers its "
            "rows), or one file with all systems and a paired test"
        )
    most = max(len(each.used.topics) for each in (*a, *b))
    chosen, of_test = with_enough_resamples(chosen, family, most, adjust, alpha)
    tables, means, intervals, reversals = [], {}, {}, {}
    factors, topics = dict[str, Factors](), dict[str, tuple[str, ...]]()
    notes, cautions = dict[str, list[str]](), dict[str, list[str]]()
    for name, x, y in zip(schemes, a, b, strict=True):
        matrix = _side_by_side(x.frame.to_numpy(), y.frame.to_numpy())
        sizes_a, sizes_b = (comparison.sizes_of_ties(each, chosen, effect) for each in (x, y))
        of_ties = None
        if sizes_a is not None and sizes_b is not None:
            of_ties = _side_by_side(sizes_a, sizes_b)
        tested = comparison.differences_of_pairs(matrix, of_ties, chosen, family, effect)
        tables.append(comparison.table_of(tested, family, adjust, name))
        cautions[name] = cautions_on(chosen, family, adjust, alpha, matrix, tables[-1])
        cautions[name] += _apart_from_themselves(chosen, family, tables[-1], alpha)
        of_both = [f"of the second collection: {note}" for note in y.notes if note not in x.notes]
        notes[name] = [*x.notes, *of_both, *comparison.ties_notes(matrix, tested.matrix)]
        labelled: list[Any] = []
        for which, own in (("first", x), ("second", y)):
            factors[f"{name}, {which} collection"] = own.factors
            centers, ends = comparison.centers_of(own, chosen)
            labels = [f"{system}, {which} collection" for system in ends.index]
            labelled += [each.set_axis(labels) for each in (centers, ends)]
        means[name], intervals[name] = pd.concat(labelled[::2]), pd.concat(labelled[1::2])
        topics[name] = (*x.topics_with_scores, *y.topics_with_scores)
        reversals[name] = x.reversal
        if x.reversal != y.reversal:
            both = ((x.reversal, "A"), (y.reversal, "B"))
            reversals[name] = ", ".join(f"{own} on {side}" for own, side in both if own)
    conditions, same_references = _conditions(schemes, a, b)
    of_names = []
    if same := sum(a == b for a, b in zip(*family.names, strict=True)):
        have, count = ("has", "counts") if same == 1 else ("have", "count")
        of_names.append(
            f"{counted(same, 'system')} {have} the same name in both collections, and thus {count} "
            "as the same"
        )
    of_test = [*of_names, *same_references, *of_test, *pairs.traces_of(chosen, effect)]
    first = [*conditions, *pairs.joined(cautions)]
    references = [" or ".join(dict.fromkeys(filter(None, map(reference_of, s)))) for s in (a, b)]
    return comparison.Comparison(
        pd.concat(tables, ignore_index=True),
        pd.DataFrame(means),
        chosen,
        family,
        adjust,
        effect,
        alpha,
        **comparison.described([*a, *b], factors, topics, first, notes, of_test),
        reference=" for A, and ".join(references) + " for B" if all(references) else "",
        reversals=reversals,
        mean_intervals=intervals,
    )


def _side_by_side(a: Array, b: Array) -> Array:
    matrix = np.full((len(a) + len(b), a.shape[1] + b.shape[1]), np.nan)
    matrix[: len(a), : a.shape[1]] = a
    matrix[len(a) :, a.shape[1] :] = b
    return matrix


def _conditions(
    schemes: Sequence[str], a: Sequence[Standardized], b: Sequence[Standardized]
) -> tuple[list[str], list[str]]:
    doubts, others = ({scheme: list[str]() for scheme in schemes} for _ in range(2))
    for scheme, one, other in zip(schemes, a, b, strict=True):
        first, second = (set(each.factors.systems or ()) for each in (one, other))
        if scheme == "raw":
            doubts[scheme].append(
                "scores as given of two collections are on one scale only if they were "
                "standardized before, with comparable reference systems; raw scores are not, "
                "because topics differ in difficulty, which a scheme with comparable reference "
                "systems on each can correct"
            )
        elif not (first and second):  # of a published file they are not known
            doubts[scheme].append(f"{_ON_ONE_SCALE}; the tests do not show whether they are")
        elif first == second:
            many = counted(len(first), "reference system")
            others[scheme].append(f"both collections are standardized by the same {many}")
        else:
            shared = len(first & second)
            common = f"only {shared} in common" if shared else "no system in common"
            doubts[scheme].append(
                f"the references of the two collections have {common} ({len(first)} and "
                f"{len(second)} systems): {_ON_ONE_SCALE}; beside weaker reference systems every "
                "system looks better"
            )
    return pairs.joined(doubts), pairs.joined(others)


_ON_ONE_SCALE = (
    "the scores of the two collections are on one scale only if the reference systems of both are "
    "from comparable populations of systems"
)


def _apart_from_themselves(
    chosen: ChosenTest, family: pairs.Family, table: pd.DataFrame, alpha: float
) -> list[str]:
    own = family.kinds.get(pairs.ITSELF)
    if own is None or chosen.test.shows != "difference":
        return []
    p = table["p_value"].to_numpy()[own]
    tested, small = int((~np.isnan(p)).sum()), int((p <= alpha).sum())
    if tested < _FEW_SELVES or 2 * small <= tested:
        return []
    return [
        f"{part_of(small, tested, 'system')} differ significantly from themselves on the other "
        f"collection at {written(alpha)} without a correction: the two collections are not "
        "on one scale, and differences of other systems are not to be trusted"
    ]


# Systems in both collections that tell whether the collections are on one scale.
_FEW_SELVES = 5
