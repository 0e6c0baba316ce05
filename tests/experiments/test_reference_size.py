"""Samples of reference systems: against `Standardizer` and SciPy, draws in R, bad input."""

from __future__ import annotations

import re
from functools import partial
from itertools import combinations, permutations
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from cdfscore import Standardizer
from cdfscore.errors import (
    CdfscoreError,
    CdfscoreWarning,
    ConstantTopicError,
    ExperimentError,
    FitError,
    MissingScoreError,
    SchemeError,
    ScoresError,
)
from cdfscore.experiments import run_trials, standardized
from cdfscore.experiments.designs import AGREEMENTS, ReferenceSize
from cdfscore.experiments.matrices import RefittedSchemes, refitted
from cdfscore.stats.rank_correlation import tau_ap_b
from tests.experiments.test_within_between import r_means
from validation import pages
from validation.papers import reference_systems
from validation.papers.matrices import urbano

ALPHAS = (0.013, 0.047, 0.21, 0.6)
SIZES = (2, 3, 4, 6, 8)
HELD_OUT, HALF, SEED = 5, 6, 40
TRIALS = range(2, 4)


def scores(topics: int = 13, systems: int = 13, seed: int = 3) -> pd.DataFrame:
    """Return scores with many ties, of which some topics have one score only but for a few."""
    values = np.random.default_rng(seed).integers(0, 6, (topics, systems)) / 5
    values[:3, 3:] = 0.2
    return pd.DataFrame(
        values,
        index=[f"q{i}" for i in range(topics)],
        columns=[f"s{i}" for i in range(systems)],
    )


def experiment(scheme: str = "empirical", constant: str = "limit", **settings) -> ReferenceSize:
    chosen = {"held_out": HELD_OUT, "size": HALF, "alphas": ALPHAS, "seed": SEED}
    policies = {name: settings.pop(name) for name in ("ties",) if name in settings}
    schemes = refitted(scores(), {"mine": scheme}, constant=constant, **policies)
    return ReferenceSize(schemes, **{"reference_sizes": SIZES, **chosen, **settings})


class Direct:
    """One trial: what is asked of a fit to some systems, one `Standardizer` after another."""

    def __init__(self, subject: ReferenceSize, trial: int, scheme: str, constant: str) -> None:
        (topics,), (systems,) = subject.draw(range(trial, trial + 1))
        if subject.schemes.reference is None:
            table = scores().iloc[:, systems]
            self.reference, self.evaluated = table.iloc[:, :-HELD_OUT], table.iloc[:, -HELD_OUT:]
        else:
            self.reference = others().loc[scores().index].iloc[:, systems]
            self.evaluated = scores()
        size = subject.size or len(topics)
        self.halves = topics[:size], topics[size:]
        self.standardizer = Standardizer(scheme, constant=constant)

    def fit(self, start: int, stop: int):
        return self.standardizer.fit(self.reference.iloc[:, start:stop])  # to all topics

    def means(self, half: int, start: int, stop: int) -> np.ndarray:
        if self.standardizer.scheme.name == "raw":  # whose means tie as R adds them
            return r_means(self.evaluated.to_numpy(), self.halves[half])
        of_half = self.evaluated.iloc[self.halves[half]]
        return self.fit(start, stop).standardize(of_half).means["mean"].to_numpy()

    def raw_means(self) -> np.ndarray:
        return r_means(self.evaluated.to_numpy(), self.halves[0])

    def values(self, half: int, stop: int) -> np.ndarray:
        return self.fit(0, stop).transform(self.evaluated.iloc[self.halves[half]]).to_numpy().T


def agree(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return np.nan, np.nan
    return stats.kendalltau(x, y).statistic, tau_ap_b(x, y)


def counted(p_values: list[float]) -> tuple[list[int], int]:
    p = np.array(p_values)
    p = p[~np.isnan(p)]
    return [int((p <= alpha).sum()) for alpha in ALPHAS], len(p)


def paired_p(x: np.ndarray, y: np.ndarray) -> float:
    return np.nan if np.ptp(x - y) < 1e-12 else stats.ttest_rel(x, y).pvalue


def welch_p(x: np.ndarray, y: np.ndarray) -> float:
    constant = np.ptp(x) < 1e-12 and np.ptp(y) < 1e-12
    return np.nan if constant else stats.ttest_ind(x, y, equal_var=False).pvalue


def others(systems: int = 9, seed: int = 11) -> pd.DataFrame:
    """Return scores of other systems on the same topics, in another order, with one more topic."""
    return scores(14, systems, seed).iloc[::-1]


def of_others(scheme: str = "empirical", constant: str = "limit", **settings) -> ReferenceSize:
    schemes = refitted(scores(), {"mine": scheme}, reference=others(), constant=constant)
    chosen = {"reference_sizes": (2, 3, 5, 9), "alphas": ALPHAS, "seed": SEED}
    return ReferenceSize(schemes, **{**chosen, **settings})


@pytest.mark.clause("refitted.1", "reference_size.1", "reference_size.2")
@pytest.mark.filterwarnings("ignore:Precision loss")
@pytest.mark.parametrize(
    ("scheme", "constant"),
    [
        pytest.param("empirical", "limit", marks=pytest.mark.one_in(2)),
        pytest.param("normal", "limit", marks=pytest.mark.one_in(2)),
        pytest.param("uniform", "urbano2019", marks=pytest.mark.one_in(2)),
        *(
            pytest.param(*each, marks=pytest.mark.one_in(24))
            for each in [
                ("empirical", "half"),
                ("empirical:convention=mid", "half"),
                ("empirical:convention=strict", "urbano2019"),
                ("normal", "half"),
                ("z", "urbano2019"),
                ("z", "trec_eval"),
                ("z", "matters"),
                ("minmax", "half"),
                ("raw", "limit"),
            ]
        ),
    ],
)
@pytest.mark.parametrize(
    "subject_of",
    [experiment, of_others, partial(of_others, size=HALF)],
    ids=["held out", "others", "others, on halves"],
)
def test_each_trial_is_that_of_the_standardizer_and_scipy(scheme, constant, subject_of) -> None:
    subject = subject_of(scheme, constant)
    found, largest, sizes = subject.run(TRIALS), subject.largest, subject.reference_sizes
    assert (largest, subject.held_out) == ((8, HELD_OUT) if subject_of is experiment else (9, 13))
    for row, trial in enumerate(TRIALS):
        direct = Direct(subject, trial, scheme, constant)
        has_halves = len(direct.halves[1]) > 0
        assert ("false" in found, "tau_halves" in found) == (has_halves,) * 2
        for i, m in enumerate(sizes):
            means = direct.means(0, 0, m)
            expected = {
                "largest": agree(means, direct.means(0, 0, largest)),
                "raw": agree(means, direct.raw_means()),
                "raw_largest": agree(direct.means(0, 0, largest), direct.raw_means()),
                "disjoint": (
                    agree(means, direct.means(0, m, 2 * m)) if 2 * m <= largest else (np.nan,) * 2
                ),
            }
            x, systems = direct.values(0, m), range(subject.held_out)
            of_pairs = [paired_p(x[a], x[b]) for a, b in combinations(systems, 2)]
            tested = {("paired", "pairs"): of_pairs}
            if has_halves:
                expected["halves"] = agree(means, direct.means(1, 0, m))
                y = direct.values(1, m)
                of_others_p = [welch_p(x[a], y[b]) for a, b in permutations(systems, 2)]
                tested["unpaired", "others"] = of_others_p
                tested["false", "own"] = [welch_p(x[a], y[a]) for a in systems]
            for agreement, coefficients in expected.items():
                got = [found[f"{name}_{agreement}"][row, 0, i] for name in ("tau", "tauAP")]
                assert_allclose(got, coefficients, rtol=0, atol=1e-12)
            for (rejected, tests), p in tested.items():
                assert (found[rejected][row, 0, i].tolist(), found[tests][row, 0, i]) == counted(p)
            sample = direct.reference.iloc[np.concatenate(direct.halves), :m]
            assert found["constant"][row, i] == (sample.nunique(axis=1) == 1).sum()


@pytest.mark.clause("reference_size.1")
def test_samples_and_held_out_systems_are_drawn_as_in_r(rinterface: ModuleType) -> None:
    in_r = rinterface.evalr("function(seed) { set.seed(seed); c(sample(1:13, 12), sample(1:13)) }")
    topics, systems = experiment().draw(range(4))
    for trial in range(4):
        drawn = np.array(in_r(rinterface.IntSexpVector([SEED + trial]))) - 1
        assert_array_equal(np.concatenate([topics[trial], systems[trial]]), drawn)


@pytest.mark.clause("reference_size.2")
def test_samples_of_other_systems_are_drawn_as_in_r(rinterface: ModuleType) -> None:
    for size, topics in ((None, ""), (HALF, "sample(1:13, 12), ")):
        in_r = rinterface.evalr(f"function(seed) {{ set.seed(seed); c({topics}sample(1:9)) }}")
        drawn, systems = of_others(size=size).draw(range(4))
        for trial in range(4):
            ours = [systems[trial]] if size is None else [drawn[trial], systems[trial]]
            expected = np.array(in_r(rinterface.IntSexpVector([SEED + trial]))) - 1
            assert_array_equal(np.concatenate(ours), expected)
        if size is None:
            assert_array_equal(drawn, np.tile(np.arange(13), (4, 1)))


def holed(table: pd.DataFrame, value: float = np.nan) -> pd.DataFrame:
    table = table.copy()
    table.loc["q2", "s4"] = value
    return table


@pytest.mark.parametrize(
    ("reference", "settings", "error", "fragment"),
    [
        (others().drop("q3"), {}, CdfscoreError, "q3"),
        (others().rename(index="new{}".format), {}, CdfscoreError, "q0"),
        (others().iloc[:, :1], {"scheme": "z"}, ScoresError, "1 system; expected 2 or more"),
        (others().loc[["q3"]], {"topics": ["q3"]}, ScoresError, "is 1 topic; expected 2 or more"),
        (others(), {"topics": ["q3", "q4"], "size": 1}, ScoresError, "2 topics; expected 4 or"),
        (others(), {"held_out": 3}, ExperimentError, "held_out=3 is not accepted with a reference"),
        (others(), {"reference_sizes": (2, 10)}, ExperimentError, "from 2 to 9"),
        (others(), {"size": 7}, ExperimentError, "size=7 is not accepted"),
        (holed(others()), {}, MissingScoreError, "reference scores, topic 'q2', system 's4'"),
        (holed(others(), np.inf), {}, ScoresError, "'q2'"),
        (holed(others()), {"missing": "omit"}, ScoresError, "the reference scores: nan"),
        (others().iloc[:0], {}, CdfscoreError, ""),
    ],
)
def test_references_are_refused(reference, settings, error, fragment) -> None:
    how = {"missing": settings.pop("missing")} if "missing" in settings else {}
    scheme, given = settings.pop("scheme", "normal"), scores()
    given = given.loc[settings.pop("topics", given.index)]
    with pytest.raises(error) as caught:
        ReferenceSize(refitted(given, {"a": scheme}, reference=reference, **how), **settings)
    assert fragment in str(caught.value)


@pytest.mark.clause("reference_size.2")
def test_few_reference_systems_and_constant_topics_are_said() -> None:
    """Of the systems that samples are drawn of, with and without a reference."""
    equal = others().copy()
    equal.loc["q2"] = 0.0
    schemes = {"N": "normal", "E": "empirical", "raw": "raw"}
    with pytest.warns(CdfscoreWarning, match="^with 9 reference systems, fewer than 10"):
        found = refitted(scores(), schemes, reference=equal)
    said = [each for each in found.cautions if "constant" in each]
    assert len(said) == 2
    assert "topic q2 is constant in the reference: under the policy limit, N-std gives 0" in said[0]
    assert "E-std gives 0 below their common score and 1 at and above it" in said[1]
    many = refitted(scores(systems=20), schemes)
    assert many.cautions == ()


@pytest.mark.clause("constant.2")
@pytest.mark.parametrize("policy", ["limit", "drop_topic"])
def test_constant_topics_are_said_of_a_scheme_that_is_fitted_once(policy: str) -> None:
    equal = scores()
    equal.loc["q2"] = 0.0
    found = standardized(equal, {"raw": "raw", "N": "normal"}, constant=policy)
    assert [each for each in found.cautions if each.startswith("topic q2 is constant")]
    assert found.topics == len(equal) - (policy == "drop_topic")


def test_topics_that_the_reference_lacks_can_be_dropped() -> None:
    for reference, how in (
        (others().drop("q2"), {"extra_topics": "drop"}),
        (holed(others()), {"missing": "drop_topic"}),
    ):
        found = refitted(scores(), {"E": "empirical"}, reference=reference, **how)
        assert found.names == tuple(name for name in scores().index if name != "q2")
        assert_array_equal(found.raw, scores().drop("q2").to_numpy())
        assert_array_equal(found.reference, others().loc[list(found.names)].to_numpy())


def test_tables_have_means_percentiles_and_rates_of_all_trials() -> None:
    schemes = refitted(scores(), {"raw": "raw", "E": "empirical"})
    subject = ReferenceSize(schemes, (2, 4, 6), HELD_OUT, HALF, ALPHAS, SEED)
    results = run_trials(subject, 30)
    tables = subject.tables(results)
    for name in ("tau", "tauAP"):
        table = tables[name].set_index(["agreement", "reference_systems", "scheme"])
        assert set(table.index) == {
            (agreement, m, scheme)
            for agreement in AGREEMENTS
            for m in ((8,) if agreement == "raw_largest" else (2, 4, 6))
            for scheme in ("raw", "E")
            if (agreement, m) != ("disjoint", 6)
        }
        of_largest = results[f"{name}_raw_largest"][:, 1, 0]
        assert_allclose(table.loc[("raw_largest", 8, "E"), "mean"], of_largest.mean())
        values = results[f"{name}_disjoint"][:, 1, 1]
        row = table.loc[("disjoint", 4, "E")]
        assert row["trials"] == np.isfinite(values).sum()
        values = values[np.isfinite(values)]
        assert_allclose(row["mean"], values.mean())
        assert_allclose(row[["p1", "p5", "p50", "p95"]], np.percentile(values, [1, 5, 50, 95]))
    for name, rejected, tests in (
        ("power_paired", "paired", "pairs"),
        ("power_unpaired", "unpaired", "others"),
        ("type1", "false", "own"),
    ):
        table = tables[name]
        assert list(table) == ["reference_systems", "alpha", "raw", "E"]
        assert table["reference_systems"].tolist() == [m for m in (2, 4, 6) for _ in ALPHAS]
        shares = results[rejected][:, 1, 2] / results[tests][:, 1, 2, np.newaxis]
        assert_allclose(table[table["reference_systems"] == 6]["E"], shares.mean(axis=0))
    constant = tables["constant"].set_index("reference_systems")
    assert constant.index.tolist() == [2, 4, 6]
    for name, value in (("topics", 2 * HALF), ("held_out", HELD_OUT), ("trials", 30)):
        assert constant[name].tolist() == [value] * 3
    assert_allclose(constant["constant"], results["constant"].mean(axis=0))


def test_rankings_that_are_never_defined_have_no_percentiles() -> None:
    same = scores()
    same.iloc[:] = np.linspace(0, 1, len(same))[:, np.newaxis]
    subject = ReferenceSize(refitted(same, {"E": "empirical"}), (2,), HELD_OUT, HALF)
    tables = subject.tables(run_trials(subject, 3))
    assert tables["tau"]["trials"].tolist() == [0] * 5
    assert tables["tau"][["mean", "p50"]].isna().all(axis=None)
    assert tables["power_paired"]["E"].isna().all()
    assert tables["constant"]["constant"].tolist() == [2 * HALF]


def test_defaults() -> None:
    schemes = refitted(scores(20, 37), {"E": "empirical"})
    subject = ReferenceSize(schemes)
    assert (subject.held_out, subject.size, subject.reference_sizes) == (9, 10, (2, 5, 10, 20, 28))
    assert ReferenceSize(refitted(scores(4, 4), {"raw": "raw"})).reference_sizes == (2,)


@pytest.mark.clause("refitted.1")
@pytest.mark.parametrize(
    ("scheme", "constant", "error", "fragments"),
    [
        ("z", "limit", ExperimentError, ("z: topic 'q", "sample of 8 systems of equal", "inf")),
        ("sum", "limit", ExperimentError, ("sum: topic 'q", "expected larger samples")),
        ("normal", "nan", ExperimentError, ("normal: topic 'q", "becomes nan")),
        ("empirical", "nan", ExperimentError, ("becomes nan", "no mean")),
        ("normal", "raise", ConstantTopicError, ("topic 'q", "all equal", "larger samples")),
        (
            "z",
            "raise",
            ConstantTopicError,
            ("all equal", "topics that is finite"),
        ),
        ("from_scipy:dist=gamma,floc=0.2", "limit", FitError, ("topic 'q", "sample of 8 systems")),
    ],
)
def test_what_small_samples_make_impossible_is_named(scheme, constant, error, fragments) -> None:
    subject = experiment(scheme, constant)
    with pytest.raises(error) as caught:
        subject.run(range(10))
    for fragment in fragments:
        assert fragment in str(caught.value)


def test_the_topic_that_is_named_is_the_one_of_equal_scores() -> None:
    table = scores()
    table.iloc[:] = np.random.default_rng(5).permuted(np.tile(np.arange(13.0), (13, 1)), axis=1)
    table.loc["q5"] = 0.4
    schemes = refitted(table, {"z": "z"}, constant="raise")
    subject = ReferenceSize(schemes, (2, 8), HELD_OUT, HALF, seed=SEED)
    drawn = subject.draw(range(20))[0]
    halves = {
        trial: int((row == 5).nonzero()[0][0] >= HALF)
        for trial, row in enumerate(drawn)
        if 5 in row
    }
    assert len(halves) < 20
    assert set(halves.values()) == {0, 1}
    for trial in range(20):
        if trial not in halves:
            assert subject.run(range(trial, trial + 1))["constant"].tolist() == [[0, 0]]
            continue
        # The first half is ranked by all systems that are not held out, before all else.
        with pytest.raises(ConstantTopicError) as caught:
            subject.run(range(trial, trial + 1))
        assert f"z: topic 'q5', fitted to a sample of {(8, 2)[halves[trial]]}" in str(caught.value)
        assert caught.value.row is None  # of the topics drawn, which the caller does not have


@pytest.mark.parametrize(
    ("settings", "fragments"),
    [
        ({"reference_sizes": (2, 9)}, ("reference_sizes=9 ", "from 2 to 8")),
        ({"reference_sizes": (1, 3)}, ("reference_sizes=1 ", "from 2 to 8")),
        ({"reference_sizes": (0, 3)}, ("reference_sizes=0 ",)),
        ({"reference_sizes": (3, 3)}, ("rising",)),
        ({"reference_sizes": (5, 3)}, ("rising",)),
        ({"reference_sizes": ()}, ("reference_sizes=()",)),
        ({"reference_sizes": (2.5, 3)}, ("reference_sizes=2.5 ", "whole")),
        ({"held_out": 1}, ("held_out=1 is not", "from 2 to 11")),
        ({"reference_sizes": (True, 3)}, ("reference_sizes=True", "whole")),
        ({"held_out": True}, ("held_out=True",)),
        ({"held_out": 0}, ("held_out=0",)),
        ({"held_out": -1}, ("held_out=-1",)),
        ({"held_out": 12}, ("held_out=12", "from 2 to 11")),
        ({"held_out": 2.0}, ("held_out=2.0",)),
        ({"size": 1}, ("size=1 is not accepted", "from 2 to 6")),
        ({"size": 7}, ("size=7 is not accepted", "from 2 to 6")),
        ({"alphas": (0.1, 0.05)}, ("rising",)),
        ({"alphas": (0.0,)}, ("alphas=(0.0,)",)),
        ({"alphas": (1.5,)}, ("alphas=(1.5,)",)),
        ({"seed": 2**31}, ("seed=2147483648", "whole number from")),
        ({"seed": 1.5}, ("seed=1.5",)),
    ],
)
def test_settings_are_refused(settings, fragments) -> None:
    with pytest.raises(ExperimentError) as caught:
        experiment("normal", **settings)
    for fragment in fragments:
        assert fragment in str(caught.value)


def test_too_few_systems_to_hold_out_and_to_fit_to() -> None:
    few = refitted(scores(systems=3), {"mine": "z"})
    with pytest.raises(ScoresError, match=r"^there are 3 systems; expected 4 or more: 2 to"):
        ReferenceSize(few)


def test_the_page_has_the_numbers_of_the_scheme_sum(shared_data: Path) -> None:
    data = {"terabyte2006_ap": urbano(shared_data)["terabyte2006_ap"]}
    rows = (
        pd.concat(reference_systems.measure(data, "sum")).set_index(["table", "kind"]).sort_index()
    )
    page = reference_systems.PAGE.read_text(encoding="utf-8")
    written = {match[2]: match[0] for match in pages.BLOCK.finditer(page)}
    for block, key in {"halves": ("tau", "halves"), "paired": ("power_paired", 0.05)}.items():
        found = rows.loc[key].query("statistic in ('mean', 'rate')")
        sums = dict(re.findall(r"\| Terabyte AP \| (\d+) \|.* ([\d.]+) \|\n", written[block]))
        values = found.set_index("reference_systems")["value"]
        assert {m: sums[m] for m in ("20", "46")} == {str(m): f"{values[m]:.3f}" for m in (20, 46)}


@pytest.mark.parametrize(
    ("settings", "error", "fragments"),
    [
        ({"schemes": {}}, ExperimentError, ("no scheme",)),
        ({"schemes": {"a": "gumbel"}}, SchemeError, ("no scheme 'gumbel'",)),
        ({"ties": "none"}, ExperimentError, ("ties='none'",)),
        ({"constant": "trec_eval"}, SchemeError, ("'trec_eval'", "not for empirical")),
        ({"missing": "foo"}, SchemeError, ("missing='foo'",)),
        ({"missing": "raise"}, MissingScoreError, ("topic 'q2', system 's4'",)),
        ({"missing": "omit"}, ScoresError, ("nan", "'q2'", "'s4'")),
    ],
)
def test_scores_and_schemes_are_refused(settings, error, fragments) -> None:
    table = scores()
    table.iloc[2, 4] = np.nan
    with pytest.raises(error) as caught:
        refitted(table, **{"schemes": {"E": "empirical"}, "missing": "zero", **settings})
    for fragment in fragments:
        assert fragment in str(caught.value)


def test_missing_scores_become_zero_or_leave_out_their_topic() -> None:
    table = scores()
    table.iloc[2, 4] = np.nan
    zero: RefittedSchemes = refitted(table, {"E": "empirical"}, missing="zero")
    assert zero.raw[2, 4] == 0
    dropped = refitted(table, {"E": "empirical"}, missing="drop_topic")
    assert dropped.names == tuple(name for name in table.index if name != "q2")
    assert_array_equal(dropped.raw, table.drop("q2").to_numpy())
