"""What is said of each number that falls outside, and where else a user meets it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from validation.coverage.cells import Cell

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Remark:
    """A sentence of the page on cells outside, of these quantities and designs (``*`` for any).

    `above` tells whether they are above the nominal number. `met` is a file that users read, and
    `there` what it says. In both texts {low} and {high} are the smallest and the largest of the
    cells, in percent.
    """

    quantities: tuple[str, ...]
    designs: tuple[str, ...]
    above: bool
    says: str
    met: str
    there: str

    def holds(self, cell: Cell) -> bool:
        """Tell whether the sentence is about a cell."""
        return (
            cell.outside
            and (cell.found > cell.nominal) is self.above
            and any(fnmatchcase(cell.quantity, each) for each in self.quantities)
            and any(fnmatchcase(cell.design, each) for each in self.designs)
        )

    def spelled(self, cells: Sequence[Cell]) -> tuple[str, str]:
        """Return what the page says of the cells, and what the file should say."""
        own = [cell for cell in cells if self.holds(cell)]
        found = [100 * cell.found for cell in own]
        numbers = {"low": f"{min(found):.1f}", "high": f"{max(found):.1f}"}
        return self.says.format(**numbers), self.there.format(**numbers)

    def is_met(self, cells: Sequence[Cell]) -> bool:
        """Tell whether the file says so."""
        said = (ROOT / self.met).read_text(encoding="utf-8")
        return " ".join(self.spelled(cells)[1].split()) in " ".join(said.split())


_TESTS, _PAIRED = "docs/specification/tests.md", "docs/specification/tests_paired.md"
_UNPAIRED = "docs/specification/tests_unpaired.md"
_FAMILIES = "docs/specification/tests_families.md"
_EFFECTS = "docs/specification/effect_sizes.md"
_MODELS, _COMPARISON = "docs/specification/models.md", "docs/specification/comparison.md"
_RANKS = (
    "permutation, p value",
    "permutation_unpaired, p value",
    "kolmogorov_smirnov, p value",
    "wilcoxon_signed_rank, p value",
    "mann_whitney, p value",
    "max_t, p value",
    "max_t_baseline, p value",
    "randomized_tukey_hsd, p value",
    "bootstrap_studentized, p value",
    "conover, p value",
    "nemenyi, p value",
    "variance_ratio, p value",
)
_BY_SCHEME = ("*, by normal", "*, by empirical")
_BY_SCHEME_OF_LEVELS = ("*, by normal, level 1", "*, by empirical, level 1")

REMARKS: tuple[Remark, ...] = (
    Remark(
        ("bootstrap_shift, p value",),
        ("* topics, normal", "* topics, ties"),
        True,
        "`bootstrap_shift` rejects {low} to {high} % of true null hypotheses: the bootstrap "
        "variance of a mean is too small by (n - 1) / n, and its tails are too light. `compare` "
        "warns.",
        "docs/levels.md",
        "Only `bootstrap_shift` rejects too often on normal scores and on scores with ties",
    ),
    Remark(
        _RANKS,
        ("* topics, normal", "* topics, ties"),
        False,
        "These tests reject {low} to {high} %: they have few possible p values with few topics or "
        "with ties, or their distribution is that of scores without ties.",
        _TESTS,
        "Some tests reject less than 5%, and some never with 5 topics: they have few possible p "
        "values with few topics or with ties, or their null distribution is an approximation.",
    ),
    Remark(
        ("bootstrap_shift, interval",),
        ("5 topics, *", "10 topics, *", "20 topics, *"),
        False,
        "The percentile interval of `bootstrap_shift` is too narrow, as its test rejects too "
        "often: with 5 to 20 topics {low} to {high} % are covered.",
        _PAIRED,
        "The coverage of 95% intervals is {low}% to {high}% with 5 to 20 topics",
    ),
    Remark(
        ("bootstrap_studentized, interval",),
        ("10 topics, by empirical",),
        True,
        "The interval of `bootstrap_studentized` is as cautious with few topics as its test: with "
        "10 topics and E-std {high} % are covered.",
        _PAIRED,
        "with 10 topics and scores by `empirical` the coverage of 95% intervals is {high}%",
    ),
    Remark(
        ("wilcoxon_signed_rank, interval",),
        ("6 topics, ties",),
        False,
        "With 6 topics and ties {low} % are covered: differences of 0 are left out, and fewer "
        "than six differences cannot reach the level, which `method` says.",
        _PAIRED,
        "and {low}% with 6 topics, of which those with a difference of 0 are omitted",
    ),
    Remark(
        ("wilcoxon_signed_rank, interval",),
        ("*, normal", "*, by normal"),
        True,
        "The exact interval of `wilcoxon_signed_rank` covers at least 95 %, and {low} to {high} % "
        "with 6 topics, because the places of its ends are whole numbers.",
        _PAIRED,
        "At 95% it is {low}% to {high}% with 6 topics without ties",
    ),
    Remark(
        ("wilcoxon_signed_rank, interval",),
        ("*, ties", "*, by empirical", "9 topics, ties, exact"),
        True,
        "With ties the ends of `wilcoxon_signed_rank` are means that many pairs of differences "
        "have: {low} to {high} % are covered.",
        _PAIRED,
        "with ties it is {low}% to {high}%",
    ),
    Remark(
        ("anova, marginal mean",),
        _BY_SCHEME_OF_LEVELS,
        True,
        "By a scheme that is fitted to the same scores, the mean of all scores of a topic is "
        "nearly the same on all topics, so that the mean of a large part of the systems varies "
        "less than its standard error says: {low} to {high} % are covered. Differences of means "
        "are not affected.",
        _MODELS,
        "For scores that are standardized by a scheme fitted to these scores, 95% intervals of "
        "means cover {low}% to {high}%",
    ),
    Remark(
        ("anova, equal variances over topic",),
        ("25 topics, *", *_BY_SCHEME),
        False,
        "The check of equal variances over topics is cautious, because the residuals of a topic "
        "add up to 0, and by a scheme all topics have nearly the same variance: with 25 topics, "
        "and with 5 and standardized scores, it rejects {low} to {high} %.",
        _MODELS,
        "Simulated at 5% with 5 and 25 topics and 6 or 8 systems, the check of equal variances "
        "rejects {low}% to {high}% of true null hypotheses over 25 topics, and over 5 topics for "
        "standardized scores",
    ),
    Remark(
        ("anova, equal variances over part",),
        ("5 topics, *",),
        False,
        "With 5 topics the check of equal variances over a component rejects {low} to {high} % of "
        "scores that are not standardized, because the residuals of a level add up to 0.",
        _MODELS,
        "and {low}% to {high}% over a factor with 5 topics",
    ),
    Remark(
        (
            "wilcoxon_signed_rank, exact p value",
            "mann_whitney, exact p value",
            "kendall, exact p value",
        ),
        ("6 topics, ties", "9 topics, ties"),
        False,
        "Exact p values are at most 5 % in at most 5 % of data sets. With 6 and 9 topics they "
        "have few possible values: {low} to {high} % are rejected.",
        _TESTS,
        "Some tests reject less than 5%, and some never with 5 topics",
    ),
    Remark(
        ("wilcoxon_signed_rank, interval",),
        ("6 topics, ties, exact",),
        False,
        "With exact p values too, differences of 0 are left out, and {low} % are covered with 6 "
        "topics.",
        _PAIRED,
        "and {low}% with the exact p values of ties",
    ),
    Remark(
        ("max_t, p value", "nemenyi, p value", "randomized_tukey_hsd, p value"),
        ("*, one of 4 systems differs",),
        False,
        "Three of the six pairs have equal true means, so that a single-step test of all pairs "
        "rejects one of them in less than 5 % of families: {low} to {high} %.",
        _FAMILIES,
        "If one of four systems differs, these tests reject a pair of the other three in {low}% "
        "to {high}% of families",
    ),
    Remark(
        ("plan, check of interval against formula",),
        ("pilots of 20 topics*",),
        False,
        "The check of a width from a pilot of 20 topics is {low} % (relative) from the formula: "
        "standard deviations of resampled topics vary more than those of normal scores, and their "
        "mean is smaller.",
        "docs/specification/planning.md",
        "With a pilot of 20 topics the mean width is smaller than by the formula, by 0.6% in "
        "simulations",
    ),
    Remark(
        ("d_z, interval", "d_av, interval"),
        ("5 topics, ties",),
        True,
        "Intervals of `d_z` and `d_av` cover {low} to {high} % for 5 topics with ties.",
        _EFFECTS,
        "with 5 topics and scores with ties, it is up to {high}%",
    ),
    Remark(
        ("d_z, interval",),
        _BY_SCHEME,
        False,
        "The interval of `d_z` is exact for normal differences. Differences of standardized "
        "scores are not normal, and with 5 topics {low} to {high} % are covered.",
        _EFFECTS,
        "For standardized scores the coverage of the 95% interval is {low}% with 5 topics",
    ),
    Remark(
        ("d_av, interval",),
        _BY_SCHEME,
        False,
        "The interval of `d_av` is for many topics. Of standardized scores it covers {low} to "
        "{high} % with up to 20 topics.",
        _EFFECTS,
        "For standardized scores the coverage of the 95% interval is {low}% to {high}% with 5 to "
        "20 topics",
    ),
    Remark(
        ("rank_biserial_paired, interval",),
        ("5 topics, normal", "5 topics, ties"),
        True,
        "With 5 topics whose scores are not standardized, and r below 0.9, the interval of "
        "`rank_biserial_paired` covers {low} to {high} %: where all differences have one sign, its "
        "end is a bound that holds for every distribution.",
        _EFFECTS,
        "its coverage at 95% is {low}% to {high}% with 5 topics that are not standardized, "
        "where r is below 0.9",
    ),
    Remark(
        ("rank_biserial_paired, interval",),
        ("5 topics, by *", "10 topics, normal", "* topics, normal, r = 0.9"),
        False,
        "The interval of `rank_biserial_paired` is for many topics, and for r that is not near 1: "
        "{low} to {high} % are covered with 5 topics and standardized scores, with 10 topics and "
        "normal scores where r is smaller, and with 20 and 50 topics where r is 0.9.",
        _EFFECTS,
        "It is {low}% to {high}% with 5 topics and standardized scores, with 10 topics and "
        "normal scores where r is smaller, and with 20 and 50 topics where r is 0.9",
    ),
    Remark(
        ("rank_biserial, interval",),
        ("5 and 5 topics, *", "20 and 20 topics, *", "5 and 20 topics, normal, r = 0.9"),
        True,
        "The interval of `rank_biserial` is for many scores: with 5 and 5, and with 20 and 20 "
        "topics, and with 5 and 20 where r is 0.9, {low} to {high} % are covered.",
        _EFFECTS,
        "its coverage at 95% is {low}% to {high}% with equal sizes from 5 to 20, and with 5 and 20 "
        "scores where r is 0.9",
    ),
    Remark(
        ("rank_biserial, interval",),
        ("5 and 20 topics, *", "10 and 50 topics, normal, r = 0.9"),
        False,
        "With 5 and 20 topics, and with 10 and 50 where r is 0.9, {low} to {high} % are covered.",
        _EFFECTS,
        "It is {low}% to {high}% with 5 and 20 scores, and with 10 and 50 where r is 0.9",
    ),
    Remark(
        ("mann_whitney, interval",),
        ("*, normal", "*, by normal"),
        True,
        "The exact interval of `mann_whitney` covers at least 95 %, and {low} to {high} % with 5 "
        "topics in one collection, because the places of its ends are whole numbers.",
        _UNPAIRED,
        "it is {low}% to {high}% if one sample has 5 scores without ties",
    ),
    Remark(
        ("mann_whitney, interval",),
        ("*, ties", "*, by empirical"),
        True,
        "With ties the ends of `mann_whitney` are scores that many pairs have: {low} to {high} % "
        "are covered.",
        _UNPAIRED,
        "and with ties {low}% to {high}%",
    ),
    Remark(
        ("variance_ratio, interval",),
        ("*, ties", *_BY_SCHEME),
        True,
        "The interval of `variance_ratio` is for normal scores. Standardized scores, and scores "
        "with ties, have lighter tails: {low} to {high} % are covered.",
        _UNPAIRED,
        "It is {low}% to {high}% for scores with ties and for standardized scores, whose tails "
        "are lighter than those of normal scores",
    ),
    Remark(
        ("mixed model, level of F",),
        ("10 topics, *, 100 % of the mean removed, normal",),
        False,
        "With 10 topics that all have the same mean, and levels of 6, 1 and 1 systems, F rejects "
        "{low} %.",
        _MODELS,
        "With 10 topics that all have the same mean, and levels of 6, 1 and 1 systems, $F$ rejects "
        "{low}% of true null hypotheses at 5%",
    ),
    Remark(
        ("mixed model, level of F",),
        ("30 topics, levels of 2, 2, 2 systems, by normal",),
        True,
        "This is chance: in a balanced design F of a mixed model is that of sums of squares, which "
        "rejects 5.1 % of 20,000 data sets of this design (below). Of these 2,000 it is {low} %.",
        _MODELS,
        "With 30 topics that are standardized by `normal`, the simulation by 2,000 data sets has "
        "{low}% by chance, and one by 20,000 has 5.1%",
    ),
    Remark(
        ("reference uncertainty, variance of * / true variance",),
        ("* 5 other reference systems, normal", "*, empirical*", "*, minmax"),
        True,
        "The variance from both contains the interaction of topics and reference systems three "
        "times. With 5 reference systems, and by E-std and min-max, it is {low} to {high} % of the "
        "true variance.",
        _COMPARISON,
        "In simulations with 25 topics it is {low}% to {high}% of the true variance of differences "
        "with 5 reference systems, and by `empirical` and `minmax` with 15",
    ),
    Remark(
        ("reference uncertainty, difference",),
        ("* 5 other reference systems, normal", "*, minmax"),
        True,
        "For the same reason intervals of differences cover {low} to {high} % with 5 reference "
        "systems, and by min-max.",
        _COMPARISON,
        "those of differences cover {low}% to {high}% with 5 reference systems, and by `minmax` "
        "with 15",
    ),
    Remark(
        ("reference uncertainty, mean",),
        ("* 5 other reference systems, normal",),
        False,
        "With 5 reference systems {low} % of the intervals of means cover: the variance from the "
        "reference systems is too small by a fifth, as every bootstrap variance of 5 is.",
        _COMPARISON,
        "With 25 topics and 5 reference systems, 95% intervals of means cover {low}%",
    ),
    Remark(
        ("dkw_band",),
        ("*",),
        True,
        "The band contains the distribution with probability 95 % or more: {low} to {high} %.",
        "docs/specification/standardization.md",
        "In simulations at 95% it is {low}% to {high}% for 3 to 50 scores, with and without ties",
    ),
    Remark(
        ("d_study, Phi",),
        ("30 systems, *", "50 systems, *"),
        True,
        "The interval of Phi by Arteaga, Jeyaratnam and Franklin is approximate: with 30 or more "
        "systems {low} to {high} % are covered.",
        _MODELS,
        "The interval of $\\Phi$ is approximate, and covers {low}% to {high}% with 30 or more "
        "systems",
    ),
    Remark(
        ("d_study, topics for *",),
        ("30 systems, *", "50 systems, *"),
        True,
        "Numbers of topics are rounded up to whole numbers, so that their intervals cover more: "
        "{low} to {high} % with 30 or more systems.",
        _MODELS,
        "The intervals of numbers of topics cover up to {high}%, because their ends are rounded up",
    ),
    Remark(
        ("reproduce, interval of a percentile",),
        ("100 partitions, *",),
        True,
        "The interval of a percentile covers at least 95 %, because the ranks of its ends are "
        "whole numbers: with 100 partitions {low} to {high} % are covered.",
        "docs/specification/experiments.md",
        "which contains the percentile in 95% of samples or more (with 100 partitions in {low}% "
        "to {high}%)",
    ),
    Remark(
        ("diagnose, CRPS above the best",),
        ("* 5 equal schemes", "* 10 equal schemes"),
        False,
        "The interval of `crps_above` does not allow for the fact that the same topics selected "
        "the best scheme: with 5 and 10 equal schemes {low} to {high} % are covered.",
        "docs/specification/diagnosis.md",
        "with 5 or 10 equal schemes on 30 topics their coverage at 95% is {low}% to {high}%",
    ),
    Remark(
        ("diagnose, band of * bin",),
        ("* of 10 *, fitted to the others",),
        False,
        "The band is for known distributions. If `normal` is fitted to 9 other scores, its end "
        "bins are larger than the band allows: they are inside in {low} % of data sets, and a "
        "middle bin in {high} %.",
        "docs/specification/diagnosis.md",
        "In simulations of 100 topics of 10 scores, an end bin is inside the band in {low}% and a "
        "middle bin in {high}% of data sets",
    ),
    Remark(
        ("diagnose, band of an end bin",),
        ("* of 50 *, fitted to the others",),
        True,
        "With 50 scores the end bins vary less than the band allows: {low} % are inside.",
        "docs/specification/diagnosis.md",
        "With 20 topics of 50 scores an end bin is inside in {high}%",
    ),
)


def without(cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells outside of which no sentence says so."""
    return [
        cell for cell in cells if cell.outside and not any(each.holds(cell) for each in REMARKS)
    ]
