"""Systems of two collections: Welch's test beside SciPy, other tests beside R, what is refused."""

from __future__ import annotations

import json
import re
import subprocess
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from cdfscore import Standardizer, compare, datasets
from cdfscore.comparison.comparison import Comparison
from cdfscore.comparison.two_collections import compare_collections
from cdfscore.errors import CdfscoreWarning, ScoresError, SignificanceError
from cdfscore.experiments.papers.webber2008 import better_systems, read_collections
from cdfscore.report.comparison import caption
from cdfscore.report.writing import as_json
from cdfscore.scores.dataframes import remember
from cdfscore.standardization.standardized import Standardized
from cdfscore.stats.adjustment import adjust

WIDE = datasets.load_cranfield("ap")
WIDE.attrs.clear()  # of no measure that is named
SCORES = WIDE.iloc[:, :20]
FACTORS = Standardizer("normal").fit(SCORES)
FIRST, SECOND = SCORES.iloc[:100, :15], SCORES.iloc[100:, 5:]


@pytest.mark.clause("two_collections.1")
def test_pairs_of_a_system_with_itself_are_those_of_scipy() -> None:
    """By one set of factors, as of two years."""
    a, b = FACTORS.standardize(FIRST), FACTORS.standardize(SECOND)
    table = compare_collections(a, b, "welch_t").table
    found = table[table["system_a"] == table["system_b"]]
    both = list(FIRST.columns[5:])
    assert found["system_a"].tolist() == both
    theirs = scipy.stats.ttest_ind(a.scores[both], b.scores[both], equal_var=False)
    np.testing.assert_allclose(found["p_value"], theirs.pvalue, rtol=1e-12)
    np.testing.assert_allclose(found["conf_low"], theirs.confidence_interval().low)
    np.testing.assert_allclose(found["p_adjusted"], adjust(theirs.pvalue, "holm"))


def standardized_by_own(scheme: str = "normal") -> tuple[Standardized, Standardized]:
    """Return two collections of other systems, each standardized by all its systems."""
    factors = [Standardizer(scheme).fit(part) for part in (SCORES.iloc[:100], SCORES.iloc[100:])]
    return factors[0].standardize(FIRST), factors[1].standardize(SECOND)


@pytest.mark.clause("two_collections.1")
@pytest.mark.parametrize(
    ("test", "in_r"),
    [
        ("welch_t", "t.test(x, y)"),
        ("student_t", "t.test(x, y, var.equal = TRUE)"),
        # What differs by rounding errors only is tied (compare.7).
        ("mann_whitney:exact=false", "wilcox.test(round(x, 11), round(y, 11), exact = FALSE)"),
    ],
)
def test_each_pair_is_that_of_r(test: str, in_r: str, tmp_path: Path) -> None:
    a, b = standardized_by_own()
    found = compare_collections(a, b, test, adjust="holm").table
    for side, name in ((a, "a"), (b, "b")):
        # Doubles, because R's reader is sometimes one unit off, which would break ties.
        (tmp_path / name).write_bytes(side.frame.to_numpy().tobytes("F"))
        (tmp_path / f"{name}.txt").write_text("\n".join(side.frame.columns) + "\n")
    code = f"""
    scores <- function(file) {{
      systems <- readLines(paste0(file, ".txt")); x <- readBin(file, "double", 1e6)
      as.data.frame(matrix(x, ncol = length(systems), dimnames = list(NULL, systems)))
    }}
    a <- scores("{tmp_path}/a"); b <- scores("{tmp_path}/b")
    pairs <- expand.grid(j = names(b), i = names(a), stringsAsFactors = FALSE)
    p <- mapply(function(i, j) {{ x <- a[[i]]; y <- b[[j]]; suppressWarnings({in_r}$p.value) }},
                pairs$i, pairs$j)
    own <- pairs$i == pairs$j; q <- p
    q[own] <- p.adjust(p[own], "holm"); q[!own] <- p.adjust(p[!own], "holm")
    write.csv(data.frame(pairs$i, pairs$j, p, q), "{tmp_path}/r.csv", row.names = FALSE)
    """
    subprocess.run(["Rscript", "--vanilla", "-e", code], check=True)
    theirs = pd.read_csv(tmp_path / "r.csv")
    assert list(theirs["pairs.i"]) == list(found["system_a"])
    assert list(theirs["pairs.j"]) == list(found["system_b"])
    np.testing.assert_allclose(found["p_value"], theirs["p"], rtol=1e-9)
    np.testing.assert_allclose(found["p_adjusted"], theirs["q"], rtol=1e-9)


@pytest.mark.clause("two_collections.2")
@pytest.mark.parametrize("test", ["welch_t", "permutation_unpaired:B=99", "kolmogorov_smirnov"])
def test_the_proportions_are_counted_from_the_table(test: str) -> None:
    a, b = standardized_by_own()
    found = compare_collections([a], [b], test, adjust="none", alpha=0.1)
    same = found.table["system_a"] == found.table["system_b"]
    small = found.table["p_value"] <= 0.1
    assert len(found.table) == 15 * 15
    assert found.significant["tested"].tolist() == [10, 215]
    assert found.significant["significant"].tolist() == [small[same].sum(), small[~same].sum()]
    share = f"({100 * small[~same].mean():.1f} %, the discriminative power)"
    assert share in caption(found)


@pytest.mark.clause("two_collections.2")
def test_exchanging_the_collections_exchanges_the_pairs() -> None:
    a, b = standardized_by_own()
    there, back = (compare_collections(*each, "welch_t") for each in ((a, b), (b, a)))
    assert there.significant["significant"].tolist() == back.significant["significant"].tolist()
    keys = ["system_a", "system_b"]
    turned = back.table.rename(columns={"system_a": "system_b", "system_b": "system_a"})
    both = there.table.merge(turned, on=keys)
    np.testing.assert_allclose(both["estimate_x"], -both["estimate_y"], rtol=1e-12)


@pytest.mark.clause("two_collections.2")
def test_rates_of_webber_2008(shared_data: Path) -> None:
    both = read_collections(shared_data)
    for c, d in (("T7.adh", "T8.adh"), ("T7.adh", "T04.rob"), ("T8.adh", "T04.rob")):
        for scheme in ("raw", "normal"):
            a, b = (
                Standardizer(scheme)
                .fit(both.originals(x, "AP"))
                .standardize(both.evaluated(x, "AP"))
                for x in (c, d)
            )
            found = compare_collections(a, b, "student_t", adjust="none", effect="").significant
            better = [
                better_systems(both, *order, standardized=scheme == "normal")
                for order in ((c, d), (d, c))
            ]
            assert found["significant"][0] == sum(better)


@pytest.mark.clause("two_collections.1")
def test_what_cannot_be_compared_is_refused() -> None:
    a, b = standardized_by_own()
    with pytest.raises(
        SignificanceError, match=r"expected an unpaired test: .*mann_whitney.*welch"
    ):
        compare_collections(a, b, "paired_t")
    with pytest.raises(SignificanceError, match="unpaired"):
        compare_collections(a, b, "max_t")
    with pytest.raises(ScoresError, match="topic 100 is in both collections"):
        compare_collections(a, FACTORS.standardize(SCORES.iloc[99:]), "welch_t")
    other = Standardizer("uniform").fit(SECOND).standardize(SECOND)
    for first, second, fragment in (
        (a, other, "first collection is standardized by normal, and the second by uniform"),
        ([a, other], b, "by normal, uniform.*, and the second by normal; expected the same"),
        ([a, a], [b, b], "the scheme normal is given twice"),
        ([a], [b, b], "the scheme normal is given twice"),
        ([], [], "no scheme is given"),
        (a, [], "no scheme is given"),
    ):
        with pytest.raises(SignificanceError, match=fragment):
            compare_collections(first, second, "welch_t")
    for wrong, kind in ((FIRST, "str"), ([FIRST], "DataFrame"), ([a, "raw"], "str")):
        with pytest.raises(ScoresError, match=f"a collection is {kind}; expected what Stand"):
            compare_collections(wrong, b, "welch_t")  # type: ignore[arg-type]
    with pytest.raises(SignificanceError, match="letters need systems of one collection"):
        compare_collections(a, b, "welch_t").letters()


def of_measure(scores: pd.DataFrame, measure: str | None) -> pd.DataFrame:
    scores = scores.copy()
    remember(scores, measure=measure)
    return scores


@pytest.mark.clause("two_collections.1")
@pytest.mark.parametrize("one", ["scores", "factors"])
@pytest.mark.parametrize("other", ["scores", "factors"])
@pytest.mark.parametrize(
    ("first", "second"),
    [("AP", "P@10"), ("nDCG@10", "nDCG"), ("AP", "map"), ("P_10", "P@10"), ("AP", None)],
)
def test_another_measure_is_refused(one: str, other: str, first: str, second: str | None) -> None:
    """The measure that scores or factors name, by any of its names."""

    def side(scores: pd.DataFrame, where: str, measure: str | None) -> Standardized:
        named = of_measure(scores, measure)
        fitted = Standardizer("normal").fit(named if where == "factors" else scores)
        return fitted.standardize(named if where == "scores" else scores)

    a, b = side(SCORES[:100], one, first), side(SCORES[100:], other, second)
    allowed = second in (None, "map") or first == "P_10"
    if allowed:
        compare_collections(a, b, "welch_t")
        return
    with pytest.raises(ScoresError) as caught:
        compare_collections(a, b, "welch_t")
    assert str(caught.value) == (
        f"the first collection has scores of {first} and the second collection of {second}; "
        "expected one measure of all"
    )


@pytest.mark.filterwarnings("ignore::cdfscore.errors.CdfscoreWarning")
@pytest.mark.clause("two_collections.1")
def test_schemes_on_different_topics_are_told() -> None:
    first, second = (SCORES.iloc[rows].clip(0, 1) for rows in (slice(100), slice(100, None)))
    pairs = [
        [Standardizer(name, unfitted="drop_topic").standardize(each) for each in (first, second)]
        for name in ("normal", "beta")
    ]
    found = compare_collections(*zip(*pairs, strict=True), "welch_t")  # type: ignore[call-arg]
    numbers = [sum(len(each.used.topics) for each in pair) for pair in pairs]
    assert numbers[0] > numbers[1] > 0
    assert list(found.topics_by_scheme.values()) == numbers
    assert found.topics == numbers[0]
    (note,) = (each for each in found.notes if "different numbers of topics" in each)
    assert note.endswith(f"N-std on {numbers[0]}, beta on {numbers[1]}")


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ((), (), ""),
        (True, True, "negated on every topic"),
        (True, (), "negated on every topic on A"),
        ((), True, "negated on every topic on B"),
        (("1",), ("101",), "negated on topic 1 on A, negated on topic 101 on B"),
    ],
)
@pytest.mark.clause("two_collections.1")
def test_a_reversal_is_told_of_both_collections(a: Any, b: Any, expected: str) -> None:
    sides = [
        Standardizer("normal", lower_is_better=lower).standardize(SCORES[rows])
        for lower, rows in ((a, slice(100)), (b, slice(100, None)))
    ]
    found = compare_collections(*sides, "welch_t")  # type: ignore[arg-type]
    assert found.reversals == {"normal": expected}
    raw = compare_collections(
        *(
            Standardizer("raw", lower_is_better=lower).standardize(SCORES[rows])
            for lower, rows in ((a, slice(100)), (b, slice(100, None)))
        ),
        "welch_t",
    )
    assert expected in caption(raw)


def test_directions_that_differ_by_scheme_are_refused() -> None:
    a = standardized_by_own()[0]
    other = Standardizer("z", lower_is_better=True).standardize(FIRST)
    b = [standardized_by_own(name)[1] for name in ("normal", "z")]
    with pytest.raises(SignificanceError, match="expected the same lower_is_better for all"):
        compare_collections([a, other], b, "welch_t")


@pytest.mark.clause("two_collections.2")
@pytest.mark.parametrize("adjust", ["none", "bonferroni", "holm"])
def test_false_positives_are_without_the_correction(adjust: str) -> None:
    a, b = standardized_by_own("raw")
    found = compare_collections(a, b, "welch_t", adjust=adjust, alpha=0.4)
    own = found.table[found.table["system_a"] == found.table["system_b"]]
    false = int((own["p_value"] <= 0.4).sum())
    itself, others = found.significant.to_dict("records")
    assert itself["false_positives"] == false > 0
    assert itself["false_positive_rate"] == false / len(own)
    assert itself["significant"] == (own["p_adjusted"] <= 0.4).sum()
    assert (itself["significant"] < false) == (adjust != "none")
    assert pd.isna(others["false_positives"])
    assert f"{100 * false / len(own):.1f} %" in caption(found)
    content = json.loads(as_json(found))["significant"]["raw"]
    assert content["pairs of a system with itself"] == {
        name: value for name, value in itself.items() if name not in ("scheme", "pairs")
    }
    assert content["pairs of different systems"]["false_positives"] is None
    one = compare(SCORES, "paired_t", effect="")
    assert list(one.significant) == ["scheme", "pairs", "tested", "significant", "proportion"]


@pytest.mark.clause("two_collections.1")
@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (slice(20), slice(20), None),
        (slice(20), slice(20, 40), r"no system in common \(20 and 20 systems\)"),
        (slice(20), slice(15, 32), r"only 5 in common \(20 and 17 systems\)"),
        (slice(20), slice(40), r"only 20 in common \(20 and 40 systems\)"),
    ],
)
def test_the_condition_on_the_references(first: slice, second: slice, said: str | None) -> None:
    """It is a caution, also as a warning, unless the references are of the same systems."""
    normal = Standardizer("normal")
    a, b = (
        normal.fit(part[WIDE.columns[own]]).standardize(part[WIDE.columns[50:]])
        for part, own in ((WIDE.iloc[:100], first), (WIDE.iloc[100:], second))
    )
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always", CdfscoreWarning)
        found = compare_collections(a, b, "welch_t")
    assert [str(each.message) for each in given] == found.cautions
    if said is None:
        same = "both collections are standardized by the same 20 reference systems"
        assert same in found.notes
        assert found.cautions == []
    else:
        assert re.match(rf"the references of the two collections have {said}", found.cautions[0])
        assert "comparable populations" in found.cautions[0]
        assert found.cautions[0] in found.notes


def test_the_condition_without_names_of_reference_systems() -> None:
    sides = standardized_by_own()
    unknown = [replace(each.factors, systems=None).standardize(each.given.frame) for each in sides]
    found = compare_collections(*unknown, "welch_t")
    assert "the tests do not show whether they are" in found.cautions[0]
    raw = compare_collections(*standardized_by_own("raw"), "welch_t")
    assert "on one scale only if they were standardized" in raw.cautions[0]


@pytest.mark.clause("two_collections.1")
@pytest.mark.parametrize("scheme", ["normal", "empirical", "uniform", "minmax", "kernel"])
def test_weak_and_strong_references(scheme: str) -> None:
    """Of the guide: by weak systems on one half of the topics, and by strong ones on the other."""
    order = WIDE.mean().sort_values(kind="stable").index
    weak, own, strong = order[:20], order[20:50], order[50:]
    halves = WIDE.iloc[::2], WIDE.iloc[1::2]
    how = Standardizer(scheme)

    def compared(*references: pd.Index) -> Comparison:
        sides = (
            how.fit(half[reference]).standardize(half[own])
            for half, reference in zip(halves, references, strict=True)
        )
        return compare_collections(*sides, "welch_t")

    apart = compared(weak, strong)
    themselves = apart.significant.iloc[0]
    assert (themselves["tested"], themselves["significant"]) == (30, 30)
    assert any(
        "30 of 30 systems differ significantly from themselves" in each for each in apart.cautions
    )
    assert any("no system in common" in each for each in apart.cautions)
    same = compared(weak.append(strong), weak.append(strong))
    assert same.significant.iloc[0]["significant"] == 0
    assert same.cautions == []
