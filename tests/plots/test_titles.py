"""Long titles and labels of figures of comparisons are in lines, and none is cut off."""

import warnings

import pytest

from cdfscore import Standardizer, compare
from cdfscore.comparison.comparison import Comparison
from cdfscore.errors import PlotError
from cdfscore.plots.kinds import KINDS, Kind, panels
from cdfscore.scores.dataframes import remember
from cdfscore.standardization.standardized import Standardized
from tests.plots.legibility import problems
from tests.plots.test_every_kind import scores

# Of the figures that are not of each test, and one with mean ranks.
TEST = {"means": "nemenyi", "critical_difference": "conover"}
SCHEME = "kernel:bandwidth=sj,kernel=epanechnikov,boundary=none"
OF_COMPARISONS = [kind for kind in KINDS if kind.of in (Comparison, Standardized)]


@pytest.mark.one_in(6)
@pytest.mark.parametrize("kind", OF_COMPARISONS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("case", ["two", "same", "large", "negative"])
def test_two_systems_and_scores_of_any_size(kind: Kind, case: str) -> None:
    two = scores(2, 12)
    frame = {
        "two": two,
        "same": two.assign(run1=two["run0"]),
        "large": 1e6 * two,
        "negative": -100 * two,
    }[case]
    test = "nemenyi" if kind.name == "means" else "paired_t"
    with warnings.catch_warnings(action="ignore"):
        of_means = kind.of is Standardized
        result = Standardizer("normal").standardize(frame) if of_means else compare(frame, test)
    undefined = ("volcano", "rank_gap", "pairs", "critical_difference", "dkw", "wins")
    if case == "same" and kind.name in undefined:
        with pytest.raises(PlotError, match="expected"):
            panels(kind, [(result, {})])
    else:
        assert problems(panels(kind, [(result, {})])) == []


@pytest.mark.one_in(7)
@pytest.mark.parametrize("systems", [3, 25])
@pytest.mark.parametrize("kind", OF_COMPARISONS, ids=lambda kind: kind.name)
def test_nothing_is_cut_off(kind: Kind, systems: int) -> None:
    frame = scores(systems, 12)
    remember(frame, measure="normalized_expected_reciprocal_rank@1000")
    how = Standardizer(SCHEME, lower_is_better=True)
    with warnings.catch_warnings(action="ignore"):
        if kind.of is Standardized:
            result: object = how.standardize(frame)
        else:
            test = TEST.get(kind.name, "wilcoxon_signed_rank:alternative=two-sided,exact=False")
            result = compare(frame, test, scheme=how)
    assert problems(panels(kind, [(result, {})])) == []
