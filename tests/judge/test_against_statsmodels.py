"""Every test against statsmodels and SciPy: all numbers agree, and a changed one is found."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats import multitest

from cdfscore import Standardizer, compare, datasets, diagnose, verify
from cdfscore.comparison import in_r
from cdfscore.comparison.comparison import Tested as Result
from cdfscore.comparison.pairs import adjustment_of, chosen_test, effect_of, needs_baseline
from cdfscore.errors import (
    CdfscoreError,
    RNotAvailableError,
    ScoresError,
    SignificanceError,
    VerificationError,
)
from cdfscore.r import verify as module
from cdfscore.standardization.standardizer import standardize
from cdfscore.stats.adjustment import METHODS
from cdfscore.stats.judge import distributions
from cdfscore.stats.judge import tests as judged
from cdfscore.stats.judge.schemes import SCHEMES
from cdfscore.stats.schemes.bandwidths import RULES
from cdfscore.stats.schemes.base import scheme_names
from cdfscore.stats.significance.contract import QUANTITIES, significance_tests

#: Of the largest number, in relative terms; every tolerance is a tenth of it or less.
CHANGE = 1e-9
SETTINGS = (
    "paired_t:alternative=less,null_value=0.01",
    "student_t:alternative=greater,conf_level=0.8",
    "welch_t:alternative=less",
    "wilcoxon_signed_rank:conf_int=True,alternative=greater,null_value=0.01",
    "wilcoxon_signed_rank:conf_int=True,exact=True",
    "mann_whitney:conf_int=True",
    "mann_whitney:exact=True",
    "kendall:continuity=True",
    "spearman:alternative=less",
    "kolmogorov_smirnov:alternative=less",
    "kolmogorov_smirnov:exact=False",
    "pearson:alternative=less",
    "sign:alternative=greater,null_value=0.01",
    "variance_ratio:alternative=less,null_value=2",
    "dunnett:alternative=greater",
    "permutation:alternative=less,null_value=0.01",
    "bootstrap_shift:alternative=less,null_value=0.01",
    "bootstrap_studentized:alternative=greater,null_value=0.01",
    "max_t:alternative=less",
    "max_t_baseline:alternative=greater",
    "equivalence_t:margin=0.1,centre=0.05",
)


def scores(topics: int = 25, systems: int = 4) -> pd.DataFrame:
    """Return real scores, some tied, none of them constant on a topic."""
    found = datasets.load_cranfield("ap")
    varied = found[found.std(axis=1) > 0]
    step = len(varied) // topics
    return varied.iloc[::step, :: len(varied.columns) // systems].iloc[:topics, :systems]


def of_test(name: str, matrix: pd.DataFrame, scheme: str = "normal", **options: Any) -> Result:
    chosen = chosen_test(name) if ":" in name else significance_tests.load(name).chosen_example()
    done = standardize(matrix, Standardizer(scheme, **options), None, "refuse")
    baselines = [str(matrix.columns[0])] if needs_baseline(chosen.test) else []
    return Result.of(
        done, chosen, baselines, adjustment_of(chosen, None), effect_of(chosen, None), 0.05
    )


def changed(result: Result, number: str, change: float = CHANGE) -> Result:
    """Return the result with the largest of these numbers changed."""
    found, p = result.found, result.p_adjusted.copy()
    if number == "p_adjusted":
        p[np.nanargmax(p)] *= 1 + change
        return replace(result, p_adjusted=p)
    of_effect = number in found.effects
    given = found.effects[number] if of_effect else getattr(found.result, number)
    own = np.array(np.broadcast_to(given, p.shape), dtype=np.float64)
    size = np.where(np.isfinite(own), np.abs(own), -1.0)
    own[size.argmax()] *= 1 + change
    if of_effect:
        return replace(result, found=replace(found, effects={**found.effects, number: own}))
    return replace(result, found=replace(found, result=replace(found.result, **{number: own})))


def has_numbers(result: Result, number: str) -> bool:
    own = result.found.effects.get(number, getattr(result.found.result, number, None))
    return bool((np.isfinite(own) & (np.abs(own) > 1e-6)).any())


@pytest.mark.clause("verify.7")
@pytest.mark.parametrize("name", [*significance_tests.names(), *SETTINGS])
def test_every_number_of_a_test(name: str) -> None:
    result = of_test(name, scores())
    table = verify(result, against="statsmodels")
    assert table["agrees"].all(), table[~table["agrees"]].to_string()
    assert table.attrs["without"] == {}
    assert (table["by"] != "").all()
    check_changes(result, table.attrs["without"], CHANGE)


def check_changes(result: Result, without: Container[str], change: float) -> None:
    numbers = [each for each in (*QUANTITIES, *result.found.effects) if has_numbers(result, each)]
    for number in (*numbers, "p_adjusted"):
        quantity = number.replace("_", " ")
        if quantity in without:
            continue
        wrong = changed(result, number, change)
        again = verify(wrong, against="statsmodels").set_index("quantity")
        assert not again.loc[quantity, "agrees"], quantity


@pytest.mark.parametrize("topics", [6, 12])
@pytest.mark.parametrize("name", significance_tests.names())
def test_few_topics(name: str, topics: int) -> None:
    """All outcomes of a resampling test are enumerated, and other tests have exact p values."""
    table = verify(of_test(name, scores(topics, 3), "raw"), against="statsmodels")
    assert table["agrees"].all(), table[~table["agrees"]].to_string()


def test_missing_scores() -> None:
    holes = scores().copy()
    holes.iloc[3, 1] = holes.iloc[5, 0] = np.nan
    for name in ("paired_t", "welch_t", "wilcoxon_signed_rank", "permutation"):
        table = verify(of_test(name, holes, missing="omit"), against="statsmodels")
        assert table["agrees"].all()


def awkward() -> dict[str, pd.DataFrame]:
    """Return real scores that are changed as real matrices are: equal, far from 0, and missing."""
    found = scores(12, 3)
    names = [str(each) for each in found.columns]
    tenths = found.round(1)
    holes = found.copy()
    holes.iloc[3, 1] = holes.iloc[5, 0] = np.nan
    equal = found.copy()
    equal.iloc[[2, 7]] = 0.0, 0.0, 0.0
    equal.iloc[4] = 0.5
    return {
        "two systems are the same": found.assign(same=found[names[0]]),
        "two systems differ by a constant": found.assign(better=found[names[0]] + 0.1),
        "tenths with ties": tenths.assign(better=tenths[names[0]] + 0.1, same=tenths[names[1]]),
        "constant topics": equal,
        "missing scores": holes,
        "far from 0": (1500 + 400 * (found - 0.5)).round(1),
        "farther from 0": 20_000 + 50 * found,
        "a large difference": found.assign(better=found[names[0]] + 0.01 * found[names[1]] + 3.0),
        "all scores are 0 but one": found * (np.arange(12) == 1)[:, np.newaxis],
        "a system with equal scores": found.assign(equal=0.5),
        "two topics": found.iloc[:2],
    }


def extreme() -> dict[str, pd.DataFrame]:
    """Return scores whose squares are no doubles, or that are few or all equal."""
    found = scores(12, 3)
    one, outlier = found.copy(), found.copy()
    one.iloc[1:, 0] = np.nan
    outlier.iloc[1, 1] = 1e10
    return {
        "tiny": found * 1e-300,
        "small": found * 1e-160,
        "large": found * 1e150,
        "huge": found * 1e300,
        "all equal": found * 0 + 0.5,
        "an outlier": outlier,
        "a system with one score": one,
    }


#: Each test by its usual settings.
CHOSEN = [name for name in significance_tests.names() if name != "one_sample_t"]


@pytest.mark.parametrize("scheme", ["raw", "normal"])
@pytest.mark.parametrize("name", CHOSEN)
def test_awkward_scores(name: str, scheme: str, *, long: bool) -> None:
    """Without --long, half of the kinds as they are, a third standardized; others by each test."""
    kinds = list((awkward() | (extreme() if scheme == "raw" else {})).items())
    step = 1 if long else 2 if scheme == "raw" else 3
    for kind, matrix in kinds[CHOSEN.index(name) % step :: step]:
        missing = {"missing": "omit"} if matrix.isna().any(axis=None) else {}
        try:
            result = of_test(name, matrix, scheme, **missing)
        except (ScoresError, SignificanceError):  # the test takes no missing scores
            assert missing, kind
            continue
        try:
            table = verify(result, against="statsmodels")
        except VerificationError:
            assert kind == "all scores are 0 but one"
            continue
        assert table["agrees"].all(), (kind, table[~table["agrees"]].to_string())


@pytest.mark.parametrize("offset", [1e4, 1e6, -1e8])
@pytest.mark.parametrize("name", CHOSEN)
def test_scores_far_from_0(name: str, offset: float) -> None:
    """Of decimals, which tie, and of numbers with all digits; a part of 1e-6 is found."""
    normal = pd.DataFrame(np.random.default_rng(3).normal(size=(12, 3)), columns=list("abc"))
    tied = normal.round(1).assign(d=normal["a"].round(1) + 0.1)
    assert verify(of_test(name, tied + offset, "raw"), against="statsmodels")["agrees"].all()
    result = of_test(name, normal + offset, "raw")
    table = verify(result, against="statsmodels")
    assert table["agrees"].all(), table[~table["agrees"]].to_string()
    check_changes(result, (), 1e-6)


def test_noncentralities_of_large_t_are_those_of_two_degrees_of_freedom() -> None:
    """Then S^2 is exponential, and P(T > t) is 1 - exp(-c^2 / (t^2 + 2)) / sqrt(1 + 2 / t^2)."""
    for t in (300.0, 3e3, 9.9e4, 1.01e5, 1e13):
        for tail in (0.025, 0.975):
            c = (-(t * t + 2) * (np.log1p(-tail) + np.log1p(2 / t**2) / 2)) ** 0.5
            assert distributions.noncentrality(t, 2, tail) == pytest.approx(c, rel=1e-12)
            assert distributions.noncentrality(-t, 2, 1 - tail) == pytest.approx(-c, rel=1e-12)


def test_the_side_of_an_equivalence_test_is_not_compared_where_rounding_decides_it() -> None:
    matrix = pd.DataFrame({"a": [0.1, 0.3, 0.2, 0.7], "b": [0.3, 0.2, 0.1, 0.7]})
    table = verify(of_test("equivalence_t:margin=0.1", matrix, "raw"), against="statsmodels")
    assert table["agrees"].all()
    assert table.attrs["without"] == {"statistic": 1}


def test_all_orders_of_more_than_nine_scores_are_not_counted() -> None:
    table = verify(of_test("spearman:exact=True", scores(10, 2), "raw"), against="statsmodels")
    assert table["agrees"].all()
    assert table.attrs["without"]["p value"] == 1


@pytest.mark.parametrize("df", [1, 2, 30, 27_000, 1_000_000])
def test_ranges_and_maxima_are_student_t_for_two_systems(df: int) -> None:
    """All at once: of t far from 0, S is elsewhere than for other t."""
    t = np.array([-1e4, -100.0, -3.0, 1e-3, 0.5, 2.0, 5.0, 12.0, 30.0, 100.0])
    one = distributions.dunnett_upper(t, 1, df, "greater")
    assert one == pytest.approx(stats.t.sf(t, df), rel=1e-11, abs=1e-300)
    both = 2 * stats.t.sf(t[3:], df)
    assert distributions.dunnett_upper(t[3:], 1, df, "two-sided") == pytest.approx(both, rel=1e-11)
    assert distributions.range_upper(t[3:] * 2**0.5, 2, df) == pytest.approx(both, rel=1e-11)


@pytest.mark.parametrize("name", ["sign", "wilcoxon_signed_rank", "mann_whitney:null_value=0.1"])
def test_ties_are_those_of_cdfscore(name: str) -> None:
    """0.1 + 0.2 is no whole number of tenths, so that it is above 0.3."""
    rows = [[0.3, 0.1 + 0.2], [0.5, 0.4], [0.7, 0.3], [0.2, 0.6], [0.9, 0.1], [0.4, 0.2]]
    matrix = pd.DataFrame(rows, list("uvwxyz"), ["a", "b"])
    assert verify(of_test(name, matrix, "raw"), against="statsmodels")["agrees"].all()


def test_effect_sizes_of_systems_that_differ_by_a_constant() -> None:
    """Of scores that are all equal there is no effect size, and 0 / 0 is not compared."""
    matrix = awkward()["tenths with ties"]
    for effect in ("d_z", "d_av", "hedges_g"):
        table = verify(compare(matrix, "paired_t", effect=effect), against="statsmodels")
        assert table["agrees"].all()


@pytest.mark.parametrize("method", METHODS)
def test_corrections_are_computed_apart_from_those_of_cdfscore(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault of `multipletests`, which cdfscore calls, is found."""
    for matrix in (scores(), awkward()["tenths with ties"]):
        result = compare(matrix, "sign", adjust=method)
        assert verify(result, against="statsmodels")["agrees"].all()
    wrong = partial(multitest.multipletests, is_sorted=True)
    if method not in ("none", "holm", "bonferroni"):
        monkeypatch.setattr(multitest, "multipletests", wrong)
        result = compare(scores(), "paired_t", adjust=method)
        table = verify(result, against="statsmodels").set_index("quantity")
        assert not table.loc["p adjusted", "agrees"]


def test_labels_name_what_computed_the_number() -> None:
    name = "mann_whitney:conf_int=True"
    by = verify(of_test(name, scores()), against="statsmodels").set_index("quantity")["by"]
    assert by["p value"] == "SciPy: stats.mannwhitneyu"
    assert by["conf low"] == "NumPy: order statistics"


#: Settings that each scheme needs for these scores, and schemes without a counterpart.
NEEDED = {"beta": "ends=shrink", "logit_normal": "ends=shrink", "kumaraswamy": "ends=shrink"}
NEEDED |= {"from_scipy": "dist=gumbel_r", "beta_binomial": "size=10"}
ALONE = {"logspline"}
#: Bandwidths where the searches of R end, which no other search reaches.
SEARCHED = {"sj", "ucv"}
OF_KERNELS = [
    f"kernel:kernel={kernel},boundary={boundary}"
    for kernel in ("cosine", "epanechnikov", "logistic", "triangular")
    for boundary in ("none", "reflection", "truncation")
]


@pytest.mark.parametrize(
    "scheme",
    [
        *scheme_names(),
        *OF_KERNELS,
        "beta:method=moments",
        "zero_inflated:family=gamma",
        "kernel:boundary=beta",
        "kernel:bandwidth=0.1",
        "from_scipy:dist=skewnorm",
        *(f"kernel:bandwidth={rule},boundary=logit" for rule in RULES if rule != "bcv"),
        "empirical:convention=mid,position=hazen",
        "empirical:convention=strict",
        "empirical:position=blom,interpolation=linear",
    ],
)
def test_every_score(scheme: str) -> None:
    matrix = scores(systems=12).clip(0.001, 0.999)
    if scheme == "beta_binomial":
        matrix = matrix.round(1)
    spelled = f"{scheme}:{NEEDED[scheme]}" if scheme in NEEDED else scheme
    done = standardize(matrix, Standardizer(spelled, unfitted="drop_topic"), None, "refuse")
    if scheme in ALONE:
        with pytest.raises(VerificationError, match=f"no number of the scheme {scheme} has a"):
            verify(done, against="statsmodels")
        return
    table = verify(done, against="statsmodels").set_index("quantity")
    assert table["agrees"].all(), table.to_string()
    # Some topics are constant if rounded.
    without = {"standardized score"} if scheme == "beta_binomial" else set()
    if done.factors.fitted.scheme.settings().get("bandwidth") in SEARCHED:
        without = {"bandwidth"}
    assert table.attrs["without"].keys() == without
    wrong = done.frame.copy()
    change = 10 * SCHEMES[done.factors.fitted.scheme.name].apart
    wrong.iloc[np.unravel_index(np.nanargmax(wrong.to_numpy()), wrong.shape)] *= 1 + change
    again = verify(replace(done, frame=wrong), against="statsmodels").set_index("quantity")
    assert not again.loc["standardized score", "agrees"]


#: Topics that are enough to find what is wrong; the judge takes up to 0.1 s to fit one.
FEW = 6
#: Schemes whose parameters are judged by the likelihood or the rule, and not fitted again.
JUDGED = (
    *("gamma", "beta", "kumaraswamy:ends=shrink", "beta_binomial:size=10", "mixture", "johnson_su"),
    *("truncated_normal", "from_scipy:dist=gumbel_r", "from_scipy:dist=expon"),
    *("from_scipy:dist=t,f0=5", "from_scipy:dist=skewnorm"),
    "from_scipy:dist=norm,floc=0.1,fscale=0.2",
    *(f"kernel:bandwidth={rule}" for rule in (0.1, *RULES) if rule not in {*SEARCHED, "bcv"}),
)


@pytest.mark.parametrize("factor", [1.01, 1 - 1e-6])
@pytest.mark.parametrize("scheme", JUDGED)
def test_a_changed_parameter_of_factors_is_found(scheme: str, factor: float, *, long: bool) -> None:
    matrix = scores(25 if long else FEW, systems=12).clip(0.001, 0.999)
    matrix = matrix.round(1) if scheme.startswith("beta_binomial") else matrix
    factors = Standardizer(scheme, unfitted="drop_topic").fit(matrix)
    parameters = factors.fitted.parameters
    for name in parameters.keys() - {"min", "max", "spread", "sample"}:
        if (parameters[name] == 0).all():
            continue
        own = {**parameters, name: parameters[name] * factor}
        changed = replace(factors, fitted=replace(factors.fitted, parameters=own))
        done = changed.standardize(matrix)
        table = verify(done, reference=matrix, against="statsmodels").set_index("quantity")
        assert not table.loc["standardized score", "agrees"], name


@pytest.mark.parametrize(
    ("scheme", "name", "change"),
    [
        ("beta", "a", lambda a: 1e4 * a),
        ("beta", "b", lambda b: 1e-3 * b),
        ("mixture", "mean_1", lambda mean: mean + 5),
        ("mixture", "weight", lambda weight: weight + 1),
        ("truncated_normal", "curvature", lambda _: -1.0),
        ("truncated_normal", "curvature", lambda _: 0.0),
        ("johnson_su", "location", lambda location: location + 5),
        ("beta_binomial:size=10", "rho", lambda _: -0.01),
        ("from_scipy:dist=skewnorm", "a", lambda _: 1e6),
        ("from_scipy:dist=loggamma", "c", lambda _: 1e6),
        ("from_scipy:dist=genlogistic", "loc", lambda loc: loc + 5),
    ],
)
def test_a_parameter_that_is_far_off_in_one_topic_is_found(
    scheme: str, name: str, change: Callable[[float], float], *, long: bool
) -> None:
    matrix = scores(25 if long else FEW, systems=12).clip(0.001, 0.999)
    matrix = matrix.round(1) if scheme.startswith("beta_binomial") else matrix
    factors = Standardizer(scheme, unfitted="drop_topic").fit(matrix)
    y = factors.standardize(matrix).frame.to_numpy()
    changes = 0
    for topic in range(0, len(factors.topics), 2):
        own = {**factors.fitted.parameters, name: factors.fitted.parameters[name].copy()}
        own[name][topic] = change(float(own[name][topic, 0]))
        done = replace(factors, fitted=replace(factors.fitted, parameters=own)).standardize(matrix)
        if np.nanmax(np.abs(done.frame.to_numpy() - y)) > 1e-3:
            changes += 1
            table = verify(done, reference=matrix, against="statsmodels").set_index("quantity")
            assert not table.loc["standardized score", "agrees"], topic
    assert changes


@pytest.mark.parametrize(("factor", "added"), [(1e200, 0), (1e-200, 0), (1, 1e6)], ids=str)
@pytest.mark.parametrize("scheme", ["raw", "z", "centered", "uniform", "normal", *JUDGED[4:]])
def test_scores_of_other_units(scheme: str, factor: float, added: float, *, long: bool) -> None:
    if scheme == "truncated_normal" or "floc" in scheme:
        return  # they are of scores in [0, 1]
    matrix = scores(25 if long else FEW, systems=12) * factor + added
    done = standardize(matrix, Standardizer(scheme, unfitted="drop_topic"), None, "refuse")
    table = verify(done, against="statsmodels")
    assert table["agrees"].all(), table.to_string()
    if added and scheme in JUDGED:
        wrong = done.frame.copy()
        wrong[:] = np.where(wrong.eq(wrong.max(axis=1), axis=0), wrong + 1e-6, wrong)
        again = verify(replace(done, frame=wrong), against="statsmodels").set_index("quantity")
        assert not again.loc["standardized score", "agrees"]


def test_an_analysis_without_a_counterpart_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = scores()
    plug_in = of_test("sign", matrix)
    monkeypatch.delitem(judged.TESTS, "sign")
    uncertain = compare(scores(systems=6), "paired_t", scheme="normal", reference_uncertainty=200)
    for result, told in (
        (plug_in, "the test sign"),
        (diagnose(matrix, ["normal"], bootstrap=0), "the diagnosis of 25 topics"),
        (uncertain, "the reference systems resampled"),
    ):
        with pytest.raises(VerificationError, match=f"no number of {told}.* has a counterpart"):
            verify(result, against="statsmodels")


@pytest.mark.parametrize("error", [ZeroDivisionError, OverflowError, IndexError, ValueError])
def test_a_judge_that_cannot_compute_says_so(
    error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stops(*_: object, **settings: object) -> None:
        raise error("too large")

    monkeypatch.setitem(SCHEMES, "raw", replace(SCHEMES["raw"], compute=stops))
    told = f"statsmodels or SciPy stops .{error.__name__}: too large.; expected R as the judge"
    with pytest.raises(VerificationError, match=told):
        verify(standardize(scores(), "raw", None, "refuse"), against="statsmodels")


def test_pairs_that_are_not_tested_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_r, "_A_MINUTE", 1e6)
    table = verify(of_test("permutation", scores()), against="statsmodels")
    assert any(note.startswith("the judge tests ") for note in table.attrs["notes"])
    assert 0 < table.set_index("quantity").loc["p value", "count"] < 6


def test_decisions_are_those_of_p_values_that_were_compared() -> None:
    """All p values are without a counterpart, as the exact test has ties."""
    matrix = scores(8, 3).round(1)
    table = verify(of_test("kendall:exact=True", matrix, "raw"), against="statsmodels")
    assert "p value" in table.attrs["without"]
    assert table.attrs["alpha"] is None
    assert verify(of_test("sign", matrix), against="statsmodels").attrs["alpha"] == 0.05


def test_a_changed_mean_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    done = standardize(scores(), "raw", None, "refuse")
    wrong = done.frame_of_means.copy()
    wrong.iloc[0, 0] *= 1 + CHANGE
    monkeypatch.setattr(type(done), "means", wrong)
    again = verify(done, against="statsmodels").set_index("quantity")
    assert again["agrees"].to_dict() == {"standardized score": True, "system mean": False}


@pytest.mark.parametrize(
    ("scheme", "equal"),
    [("normal", 0.5), ("beta_binomial:size=10", [0.0, 1e-100, 0.0, 1e-13])],
)
def test_topics_whose_scores_are_all_equal_have_no_counterpart(scheme: str, equal: Any) -> None:
    """Also those that are equal on the grid of the scheme."""
    matrix = scores().round(1)
    matrix = matrix[matrix.std(axis=1) > 0]
    matrix.iloc[2] = equal
    table = verify(of_test("paired_t", matrix, scheme), against="statsmodels")
    assert table["agrees"].all()
    assert table.attrs["without"] == {"standardized score": 4}
    assert table.set_index("quantity").loc["standardized score", "count"] == matrix.size - 4


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"against": "foo"}, "against='foo' is not accepted; expected r or statsmodels"),
        ({"against": "statsmodels", "via": "rpy2"}, "via=... is for R, and against='statsmodels'"),
        ({"against": "statsmodels", "published": "a.csv"}, "published=... is for R, and against="),
    ],
)
def test_bad_input(options: Any, expected: str) -> None:
    with pytest.raises(CdfscoreError, match=expected):
        verify(standardize(scores(), "raw", None, "refuse"), **options)


@pytest.mark.parametrize(
    ("there", "expected"),
    [
        ({"R", "Rscript", "rpy2"}, ("rpy2", "")),
        ({"R", "Rscript"}, ("rscript", "rpy2 is not installed; R is run by Rscript")),
        ({"rpy2"}, ("statsmodels", "R is not installed; the judge is statsmodels")),
        (set(), ("statsmodels", "R is not installed; the judge is statsmodels")),
    ],
)
def test_who_judges(
    there: set[str], expected: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("R_HOME", raising=False)
    monkeypatch.setattr(module.shutil, "which", lambda name: name if name in there else None)
    monkeypatch.setattr(module, "find_spec", lambda name: True if name in there else None)
    way, note = module.way_of(None, None, of_table=False)
    assert way == expected[0]
    assert note.startswith(expected[1])
    assert bool(note) == bool(expected[1])


def test_without_r_statsmodels_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("R_HOME", raising=False)
    monkeypatch.setenv("PATH", "")
    done = standardize(scores(), "raw", None, "refuse")
    assert verify(done).attrs["notes"][0] == "R is not installed; the judge is statsmodels"
    with pytest.raises(RNotAvailableError):
        verify(done, against="r")


RANDOM = np.random.default_rng(0).beta(2, 5, 12)


@pytest.mark.parametrize(
    ("scheme", "scores"),
    [
        ("beta", 1e-6 * RANDOM),
        ("beta", 0.5 + 1e-4 * RANDOM),
        ("beta", 1 - 1e-7 * RANDOM),
        ("zero_inflated", np.append(1e-8 * RANDOM, 0.0)),
        ("from_scipy:dist=beta,floc=0,fscale=1", 1e-100 * RANDOM),
        ("from_scipy:dist=gamma,floc=0", 0.5 + 2e-4 * RANDOM),
        ("kumaraswamy", np.append(np.full(8, 1 - 1e-12), np.full(4, 1e-12))),
        ("beta_binomial:size=10", [0.0, 1.0, 1.0]),
        ("beta_binomial:size=10", [0.9, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]),
        ("beta_binomial:size=100", [0.9, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]),
        ("beta_binomial:size=5", [0.0, 0.0, 0.2, 0.4, 0.4]),
        ("johnson_su", [0.1, 0.2, 0.2, 0.2, 0.3, 0.3, 0.4, 0.4, 0.5, 0.5, 0.5, 0.6]),
        ("from_scipy:dist=gamma,floc=-0.01", 1 - np.random.default_rng(0).gamma(0.7, 0.01, 40)),
        (
            "from_scipy:dist=beta,floc=-0.01,fscale=1.02",
            np.random.default_rng(0).gamma(2, 1e-3, 12),
        ),
    ],
)
def test_where_digits_of_a_likelihood_cancel(scheme: str, scores: Any) -> None:
    """Symmetric scores of a flat law, and shapes in the thousands and more."""
    frame = pd.DataFrame([scores], index=["t"], columns=[f"s{i}" for i in range(len(scores))])
    table = verify(Standardizer(scheme).standardize(frame), against="statsmodels")
    assert table["agrees"].all()
    assert table.attrs["without"] == {}


def frames_of(result: Any) -> Iterator[tuple[str, str | None, pd.DataFrame]]:
    """Yield the tables of a result: the field, and the key in it if there are several."""
    for field, value in vars(result).items():
        for key, table in value.items() if isinstance(value, dict) else [(None, value)]:
            if isinstance(table, pd.DataFrame):
                yield field, key, table


def with_change(table: pd.DataFrame, column: Any, row: int, number: float) -> pd.DataFrame:
    wrong = table.astype({column: np.float64})
    wrong.iloc[row, wrong.columns.get_loc(column)] = number
    return wrong


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("paired_t", "tenths with ties"),
        ("welch_t", "far from 0"),
        ("sign", "tenths with ties"),
        ("mann_whitney:conf_int=True", "tenths with ties"),
        ("tukey_hsd", "far from 0"),
        ("permutation", "missing scores"),
        ("friedman", "tenths with ties"),
        ("pearson", "two systems differ by a constant"),
    ],
)
def test_every_number_of_the_tables_that_a_user_sees(name: str, kind: str) -> None:
    """One number at a time, also of a pair without a p value."""
    missing = "omit" if kind == "missing scores" else "raise"
    result = compare(awkward()[kind], name, scheme=Standardizer("raw", missing=missing))
    before = verify(result, against="statsmodels")
    assert before["agrees"].all(), before[~before["agrees"]].to_string()
    alone = before.attrs["without"]
    for field, key, table in frames_of(result):
        for column, values in table.select_dtypes("number").items():
            for row in range(len(table)):
                number = float(values.iloc[row])
                if not np.isfinite(number):
                    continue
                wrong = with_change(table, column, row, number * (1 + 1e-6) + 1e-6)
                again = verify(
                    replace(result, **{field: wrong if key is None else {key: wrong}}),
                    against="statsmodels",
                )
                is_listed = (
                    str(column).replace("_", " ") in alone or field == "critical_differences"
                )
                assert is_listed or not again["agrees"].all(), (field, column, row)


@pytest.mark.parametrize("name", ["paired_t", "welch_t", "wilcoxon_signed_rank", "tukey_hsd"])
def test_a_pair_that_is_refused_without_a_reason_is_found(name: str) -> None:
    result = compare(scores(), name)
    wrong = with_change(result.table, "p_value", 1, np.nan).assign(reason="no number")
    again = verify(replace(result, table=wrong), against="statsmodels").set_index("quantity")
    assert not again.loc["p value", "agrees"]


def test_numbers_without_a_counterpart_are_listed() -> None:
    result = compare(scores(), "tukey_hsd")
    table = verify(result, against="statsmodels")
    assert table.attrs["without"] == {"critical differences": 1}
    more = replace(result, table=result.table.assign(other=np.arange(6) + 0.5))
    listed = verify(more, against="statsmodels").attrs["without"]
    assert listed == {"critical differences": 1, "table: other": 6}
    same = replace(result, table=result.table.assign(other=result.table["p_value"]))
    assert verify(same, against="statsmodels").attrs["without"] == listed


@pytest.mark.parametrize("offset", [0.0, 1e6, 1e9])
def test_intervals_of_means_are_compared_by_their_width(offset: float) -> None:
    normal = pd.DataFrame(np.random.default_rng(3).normal(size=(12, 3)), columns=list("abc"))
    result = compare(normal + offset, "paired_t")
    table = verify(result, against="statsmodels").set_index("quantity")
    for end in ("low", "high"):
        assert table.loc[f"mean: conf {end}", ["count", "agrees"]].tolist() == [3, True]
        (found,) = result.mean_intervals.values()
        wrong = with_change(found, end, 0, found[end].iloc[0] + 1e-5)
        again = verify(replace(result, mean_intervals={"raw": wrong}), against="statsmodels")
        assert not again.set_index("quantity").loc[f"mean: conf {end}", "agrees"]


@pytest.mark.parametrize("name", ["bootstrap_studentized:B=200", "bootstrap_shift:B=200"])
def test_resamples_of_nearly_constant_differences(name: str) -> None:
    rng = np.random.default_rng(0)
    a = rng.random(20)
    found = pd.DataFrame({"a": a, "b": a + 2 + rng.normal(0, 1e-10, 20), "c": rng.random(20)})
    table = verify(compare(found, name), against="statsmodels")
    assert table["agrees"].all(), table[~table["agrees"]].to_string()
    assert table.attrs["without"]["stderr"] == 1


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("equal", [2, 4])
def test_a_ratio_of_two_variances_of_0_has_no_p_value(alternative: str, equal: int) -> None:
    found = pd.DataFrame(np.random.default_rng(7).normal(size=(9, 4)), columns=list("abcd"))
    found.iloc[:, :equal] = np.arange(equal) / 10 + 0.3
    result = compare(found, f"variance_ratio:alternative={alternative}")
    table = verify(result, against="statsmodels")
    assert table["agrees"].all(), table[~table["agrees"]].to_string()


@pytest.mark.parametrize(
    "name",
    ["tukey_hsd", "dunnett", "anova_two_way", "pearson", "paired_t", "randomized_tukey_hsd"],
)
@pytest.mark.parametrize("far", ["topics", "system", "first system"])
def test_some_scores_are_far_from_others(name: str, far: str) -> None:
    """A change of 1e-9 of any number is found, and of a difference by its own size."""
    found = pd.DataFrame(np.random.default_rng(5).normal(size=(12, 4)), columns=list("abcd"))
    if far == "topics":
        found += 1e3 * np.random.default_rng(6).normal(size=(12, 1))
    else:
        found["d" if far == "system" else "a"] += 1e3
    result = of_test(name, found, "raw")
    table = verify(result, against="statsmodels")
    assert table["agrees"].all(), table[~table["agrees"]].to_string()
    check_changes(result, table.attrs["without"], CHANGE)
    if name in ("tukey_hsd", "paired_t") and far != "topics":  # of systems that are not far
        wrong = result.found.result.estimate + np.where(np.arange(6) == 3, 1e-10, 0.0)
        found_wrong = replace(result.found, result=replace(result.found.result, estimate=wrong))
        again = verify(replace(result, found=found_wrong), against="statsmodels")
        assert not again.set_index("quantity").loc["estimate", "agrees"]


@pytest.mark.parametrize(
    "name", ["paired_t", "student_t", "welch_t", "equivalence_t:margin=0.5", "tukey_hsd"]
)
@pytest.mark.parametrize("size", [1e8, 1e10, 1e11])
def test_a_pair_is_judged_by_its_own_scores(name: str, size: float) -> None:
    """Two systems are far from 0; a change of 1e-11 of a number of others is found."""
    found = pd.DataFrame(np.random.default_rng(2).normal(size=(12, 4)), columns=list("abcd"))
    found["c"] += size
    found["d"] = size + found["b"].round(1)
    result = of_test(name, found, "raw")
    table = verify(result, against="statsmodels").set_index("quantity")
    assert table["agrees"].all(), table[~table["agrees"]].to_string()
    own = result.found.result
    for number in ("estimate", "stderr", "statistic"):
        if name == "tukey_hsd":
            continue  # its variance is that of all systems
        wrong = getattr(own, number) * (1 + np.where(np.arange(6) == 0, 1e-11, 0.0))
        changed = replace(result.found, result=replace(own, **{number: wrong}))
        again = verify(replace(result, found=changed), against="statsmodels").set_index("quantity")
        assert not again.loc[number, "agrees"]


def test_the_scores_of_exponnorm_at_its_least_shape() -> None:
    matrix = pd.DataFrame(np.random.default_rng(1).normal(size=(6, 40))).add_prefix("s")
    done = Standardizer("from_scipy:dist=exponnorm").standardize(matrix.rename(index=str))
    assert (done.factors.fitted.parameters["K"] == 1e-3).any()
    table = verify(done, against="statsmodels")
    assert table["agrees"].all(), table.to_string()
