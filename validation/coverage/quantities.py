"""Every interval, standard error, df and p value whose R twin is no judge of it.

A twin that transcribes our own formula shows that two programs agree, and not that the number
means what it says. Each quantity here has a simulation instead. `WITHOUT` has the twins without
such a quantity; a test makes sure that every R file of the package is in one of the two tables.
"""

from __future__ import annotations

from dataclasses import dataclass

RESAMPLED = "it counts the same random draws by the same formula"
WHOLE = "it sums the distribution of the same formula; base R has no such test"
FORMULA = "it is the same formula, written in R"
NONE = "there is no twin: R is not asked"


@dataclass(frozen=True)
class Quantity:
    """Numbers without a judge in R.

    `cells` are the names of the numbers in the record; `level` is a test of the record of
    docs/levels.md. `twin` is an R file below src/cdfscore, "" if there is none, and `why` says why
    it is no judge. `of` says what is covered, or which null hypothesis is true, given what.
    """

    name: str
    group: str
    twin: str
    why: str
    of: str
    cells: tuple[str, ...] = ()
    level: str = ""


def _test(name: str, why: str, of: str, *cells: str, group: str = "tests") -> Quantity:
    own = tuple(f"{name}, {cell}" for cell in cells)
    return Quantity(name, group, f"stats/significance/{name}.R", why, of, own, name)


def _effect(name: str, of: str, why: str = FORMULA) -> Quantity:
    return Quantity(
        f"{name}, interval",
        "effects",
        f"stats/effect_size/{name}.R",
        why,
        of,
        (f"{name}, interval",),
    )


_MEAN = "the mean difference in the population that the topics are drawn from"
_FAMILY = "all pairs of systems with equal true means; topics are drawn, the systems are fixed"
_ANOVA = "the systems on these topics: topics are fixed, residuals are drawn"
_MIXED = "the population that the topics are drawn from; the systems are fixed"
_STUDY = "the populations that systems and topics are drawn from"
_UNCERTAIN = (
    "the expectation over samples of so many topics and so many reference systems, with the "
    "compared systems fixed"
)
_VERIFIED = "models/mixed.R"

QUANTITIES = (
    _test("bootstrap_shift", RESAMPLED, _MEAN, "interval", "squared error of p"),
    _test("bootstrap_studentized", RESAMPLED, _MEAN, "interval", "squared error of p"),
    _test("permutation", RESAMPLED, _MEAN, "squared error of p"),
    _test(
        "permutation_unpaired",
        RESAMPLED,
        "the difference of two populations of topics",
        "squared error of p",
    ),
    _test(
        "equivalence_t",
        "`t.test` has the two tests; their combination is ours",
        f"{_MEAN}, at a bound of the margin",
        "interval",
    ),
    _test(
        "variance_ratio",
        "only F is that of `var.test`: p and ends are from `pf` and `qf` by our formula",
        "the ratio of two variances of normal scores",
        "interval",
    ),
    _test(
        "kolmogorov_smirnov",
        "without an exact p, it sums the same series as we do",
        "two distributions that are equal",
    ),
    _test(
        "wilcoxon_signed_rank",
        "`wilcox.test` has p and the ends; with exact ties, and where it lowers the level, they "
        "are by our rule",
        "the pseudomedian of the differences in the population of topics",
        "interval",
        "exact p value",
    ),
    _test(
        "mann_whitney",
        "`wilcox.test` has p and the ends, but not the exact p value with ties",
        "the shift between two populations of topics",
        "interval",
        "exact p value",
    ),
    *(
        Quantity(
            name,
            "tests",
            f"stats/significance/{name}.R",
            "`cor.test` has p, but not the exact p value with ties",
            "two systems with independent scores",
            (f"{name}, exact p value",),
        )
        for name in ("spearman", "kendall")
    ),
    _test("conover", FORMULA, _FAMILY, "p value", group="families"),
    _test("nemenyi", WHOLE, _FAMILY, "p value", group="families"),
    _test("tukey_hsd", WHOLE, _FAMILY, "p value", "intervals", group="families"),
    _test(
        "dunnett",
        "multcomp draws random points; it sums the same integral as we do",
        "all differences from one baseline; topics are drawn, the systems are fixed",
        "p value",
        "intervals",
        group="families",
    ),
    _test("max_t", RESAMPLED, _FAMILY, "p value", group="families"),
    _test(
        "max_t_baseline",
        RESAMPLED,
        "all differences from one baseline; topics are drawn, the systems are fixed",
        "p value",
        "intervals",
        group="families",
    ),
    _test("randomized_tukey_hsd", RESAMPLED, _FAMILY, "p value", group="families"),
    _effect(
        "d_z",
        "the mean difference over its standard deviation, in the population of topics",
        "it sums the noncentral t by the same formula",
    ),
    _effect("d_av", "the mean difference over the standard deviation of scores, in the same"),
    _effect(
        "hedges_g",
        "the difference of two populations of topics over their standard deviation",
        "it sums the noncentral t by the same formula",
    ),
    _effect("rank_biserial", "P(X > Y) - P(X < Y) of two populations of topics"),
    _effect(
        "rank_biserial_paired", "P(D + D' > 0) - P(D + D' < 0) of the differences on two topics"
    ),
    Quantity(
        "anova: marginal means, their differences, p by Tukey",
        "anova",
        "models/anova.R",
        "`lm` has the covariance; the weights of means, and the studentized range, are ours",
        _ANOVA,
        ("anova, marginal mean", "anova, difference", "anova, p by tukey"),
    ),
    Quantity(
        "anova: checks of the assumptions",
        "anova",
        "models/anova.R",
        "`anova` of residuals of the model: whether residuals may be tested so, R does not say",
        "additive normal scores with one variance",
        (
            "anova, additivity",
            "anova, equal variances over topic",
            "anova, equal variances over part",
        ),
    ),
    Quantity(
        "anova: interval of partial eta squared",
        "anova",
        "models/modelled.R",
        NONE,
        "lambda / (lambda + N) of the noncentrality lambda of F, on these topics",
        ("anova, partial eta squared",),
    ),
    Quantity(
        "mixed_model: intercept, marginal means, differences, F and Tukey",
        "mixed",
        _VERIFIED,
        "`nlme::lme` has the variances; standard errors, df and tests are by our formulas",
        _MIXED,
        (
            "mixed model, coverage of intercept",
            "mixed model, variance of mean / true variance",
            "mixed model, variance of intercept / true variance",
            "mixed model, coverage of mean",
            "mixed model, coverage of difference",
            "mixed model, level of F",
            "mixed model, level of F by sums of squares",
            "mixed model, level by tukey",
        ),
    ),
    Quantity(
        "mixed_model: profile intervals of variances",
        "mixed",
        "models/mixed_model.R",
        NONE,
        "the variances in the population of topics",
        (
            "mixed model, variance of topic",
            "mixed model, variance of topic:part",
            "mixed model, variance of residual",
        ),
    ),
    Quantity(
        "d_study: intervals of E rho^2, Phi and the numbers of topics",
        "studies",
        "models/studied.R",
        FORMULA,
        _STUDY,
        (
            "d_study, E rho^2",
            "d_study, Phi",
            "d_study, topics for E rho^2",
            "d_study, topics for Phi",
        ),
    ),
    Quantity(
        "reference_uncertainty: standard errors, share, df and intervals",
        "references",
        "comparison/reference_uncertainty.R",
        FORMULA,
        _UNCERTAIN,
        (
            "reference uncertainty, mean",
            "reference uncertainty, difference",
            "reference uncertainty, variance of mean / true variance",
            "reference uncertainty, variance of difference / true variance",
        ),
    ),
    Quantity(
        "leave_one_out: tests and intervals of its scores",
        "references",
        "",
        "the twin of the scheme has the scores; that tests may take them is our claim",
        "systems on a population of topics, scored by these other systems",
        ("leave-one-out, p of paired_t", "leave-one-out, mean"),
    ),
    Quantity(
        "dkw_band",
        "references",
        "",
        NONE,
        "the whole distribution that independent scores are drawn from",
        ("dkw_band",),
    ),
    Quantity(
        "plan: power, width and reliability",
        "plans",
        "models/goals.R",
        "`power.t.test` has the power of pairs; all other goals are our formulas",
        "new topics, with the variances that the plan assumes",
        (
            "plan, power of paired_t",
            "plan, power of one_way",
            "plan, power of two_way",
            "plan, width of interval",
            "plan, generalizability",
            "plan, dependability",
        ),
    ),
    Quantity(
        "plan: the check by resampling",
        "plans",
        "",
        NONE,
        "the relative difference from the formula, with the variances of the same pilot",
        (
            "plan, check of paired_t against formula",
            "plan, check of interval against formula",
            "plan, check of two_way against formula",
        ),
    ),
    Quantity(
        "diagnose: p values of goodness of fit",
        "diagnosis",
        "diagnosis/diagnosis.R",
        "it has the statistics, and no p values",
        "scores of the family that is tested",
        ("diagnose, p of ks", "diagnose, p of ad", "diagnose, p of cvm"),
    ),
    Quantity(
        "diagnose: interval of the CRPS above the best",
        "diagnosis",
        "",
        "`t.test` has the interval; that the data chose the best scheme, R does not know",
        "the expected difference from the scheme that these topics chose as best",
        ("diagnose, CRPS above the best",),
    ),
    Quantity(
        "diagnose: band of the PIT histogram",
        "diagnosis",
        "",
        "`qbinom` has the band; that bins of a fitted distribution follow it is our claim",
        "scores of the family that is fitted",
        ("diagnose, band of an end bin", "diagnose, band of a middle bin"),
    ),
    Quantity(
        "reproduce: interval of a percentile over partitions",
        "papers",
        "",
        NONE,
        "the percentile over all random partitions",
        ("reproduce, interval of a percentile",),
    ),
)

_NO_NUMBER = "no interval, standard error, df or p value"
#: R files, or folders of them, below src/cdfscore, without such a quantity.
WITHOUT = {
    "comparison/correlated.R": _NO_NUMBER,
    "comparison/systems.R": "`t.test`",
    "comparison/uncertain.R": _NO_NUMBER,
    "diagnosis/diagnosed.R": _NO_NUMBER,
    "retrieval/merging/": _NO_NUMBER,
    "models/long_frame.R": _NO_NUMBER,
    "models/planned.R": _NO_NUMBER,
    "stats/adjustment.R": "`p.adjust`",
    "stats/power/power_t.R": "`power.t.test`",
    "r/": _NO_NUMBER,
    "stats/rank_correlation/": _NO_NUMBER,
    "stats/schemes/": _NO_NUMBER,
    "stats/significance/anova_two_way.R": "`aov`, `pf`",
    "stats/significance/friedman.R": "`friedman.test`",
    "stats/significance/one_sample_t.R": "`t.test`",
    "stats/significance/paired_t.R": "`t.test`",
    "stats/significance/pearson.R": "`cor.test`",
    "stats/significance/sign.R": "`binom.test`",
    "stats/significance/student_t.R": "`t.test`",
    "stats/significance/welch_t.R": "`t.test`",
    "standardization/": _NO_NUMBER,
}

#: The sections of the page, in their order.
GROUPS = {
    "tests": "Tests of one pair",
    "families": "Families of pairs",
    "effects": "Effect sizes",
    "anova": "Analysis of variance",
    "mixed": "Mixed models",
    "studies": "Generalizability",
    "references": "Reference systems",
    "plans": "Plans",
    "diagnosis": "Diagnosis",
    "papers": "Reproduced papers",
}
