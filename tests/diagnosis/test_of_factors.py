"""Diagnosis of factors: known distributions, judged by SciPy, by formulas and by quadrature."""

import inspect
import itertools
import threading
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, stats

from cdfscore import Standardizer, datasets, load_factors, save_factors
from cdfscore.diagnosis import diagnose, diagnose_factors
from cdfscore.errors import CdfscoreWarning, FactorsError, SchemeError
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes import Empirical, Normal
from cdfscore.stats.schemes.base import Distribution, Parameters, Scheme


def halves(topics: int = 6) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return reference scores and scores of other systems."""
    scores = datasets.load_cranfield("ap").iloc[:topics]
    return scores.iloc[:, ::2], scores.iloc[:, 1::2]


@pytest.mark.clause("diagnose_factors.1")
def test_the_test_of_a_known_distribution_is_that_of_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kolmogorov's and Cramer and von Mises' statistics, of a simple hypothesis."""
    monkeypatch.setattr("cdfscore.diagnosis.diagnosis._BLOCK", 20_000)  # of 60,000 scores drawn
    reference, _ = halves()
    factors = Standardizer("normal").fit(reference)
    mean, sd = (factors.fitted.parameters[name][:, 0] for name in ("mean", "sd"))
    rng = np.random.default_rng(1)
    drawn = mean[:, None] + sd[:, None] * (rng.normal(size=(6, 30)) + rng.normal(size=(6, 1)) / 2)
    scores = pd.DataFrame(drawn, reference.index, [f"s{i}" for i in range(30)])
    fits = diagnose_factors(scores, factors, bootstrap=1999, most=1999).fits
    for row, sample in enumerate(drawn):
        cdf = stats.norm(mean[row], sd[row]).cdf
        for name, own in (
            ("ks", stats.kstest(sample, cdf)),
            ("cvm", stats.cramervonmises(sample, cdf)),
        ):
            found = fits.iloc[row]
            assert found[name] == pytest.approx(own.statistic, rel=1e-4)
            assert abs(found[f"{name}_p"] - own.pvalue) < 4 * 0.5 / np.sqrt(2000)
    assert (fits["aic"] == -2 * fits["log_likelihood"]).all()


@pytest.mark.clause("diagnose_factors.1")
@pytest.mark.one_in(8)
@pytest.mark.parametrize("scheme", ["normal", "empirical", "gamma", "kernel:kernel=biweight"])
def test_scores_are_predicted_by_the_distribution_as_it_is(scheme: str) -> None:
    reference, scores = halves(3)
    reference, scores = reference.clip(lower=1e-3), scores.clip(lower=1e-3)
    factors = Standardizer(scheme).fit(reference)
    few = diagnose_factors(scores.iloc[:, :4], factors, bootstrap=0).fits
    for row in range(3):
        own = factors.fitted.take(np.array([row]))
        sample = scores.iloc[row, :4].to_numpy()

        def squared(t: float, y: float, own=own) -> float:
            return float((own(np.array([[t]]))[0, 0] - (t >= y)) ** 2)

        places = np.unique([*reference.iloc[row], *sample, -20.0, 20.0])
        expected = np.mean(
            [
                sum(
                    integrate.quad(squared, a, b, args=(y,), epsabs=1e-10, limit=100)[0]
                    for a, b in itertools.pairwise(places)
                )
                for y in sample
            ]
        )
        assert few["crps"][row] == pytest.approx(expected, rel=2e-6)


def test_topics_without_numbers_have_the_reason() -> None:
    reference, scores = halves()
    reference.iloc[2] = 0.25
    scores.iloc[4, 1:] = np.nan
    factors = Standardizer("normal", missing="omit").fit(reference)
    fits = diagnose_factors(scores, factors, bootstrap=0).fits
    assert fits["reason"][2] == "all its reference scores are equal"
    assert fits["reason"][4] == "there is only one score"
    assert fits["fitted"].tolist() == [True, True, False, True, False, True]
    assert fits["constant"].tolist() == [False, False, True, False, True, False]
    assert fits["n"].tolist() == [33, 33, 33, 33, 1, 33]


def test_settings_that_are_not_given_are_those_of_diagnose() -> None:
    known, other = (inspect.signature(each).parameters for each in (diagnose, diagnose_factors))
    for name in ["alpha", "bootstrap", "most", "seed", "jobs", "progress"]:
        assert other[name].default == known[name].default, name


def test_topics_are_examined_in_the_threads_that_are_asked_for() -> None:
    reference, scores = halves()
    factors = Standardizer(Watched()).fit(reference)
    for jobs in (None, 2):
        WATCHED.clear()
        diagnose_factors(scores, factors, bootstrap=0, jobs=jobs)
        others = set(WATCHED) - {threading.get_ident()}
        assert bool(others) == (jobs == 2)


def test_two_scores_are_enough_for_numbers() -> None:
    reference, scores = halves(1)
    factors = Standardizer("normal").fit(reference)
    fits = diagnose_factors(scores.iloc[:, :2], factors, bootstrap=0).fits
    assert fits["fitted"].all()
    assert fits["n"].tolist() == [2]


def test_directions_and_notes_are_those_of_the_factors() -> None:
    reference, scores = halves()
    factors = Standardizer("normal", lower_is_better=True).fit(-reference)
    found = diagnose_factors(-scores, factors, bootstrap=99)
    same = diagnose_factors(scores, Standardizer("normal").fit(reference), bootstrap=99)
    assert found.fits["crps"].tolist() == same.fits["crps"].tolist()
    assert found.notes[0].startswith("N-std is used as it was fitted to other scores, and")
    assert any("negated" in note for note in found.notes)


@pytest.mark.clause("diagnose_factors.1")
def test_what_is_refused() -> None:
    reference, scores = halves()
    factors = Standardizer("normal").fit(reference)
    with pytest.raises(FactorsError, match="were fitted to these scores"):
        diagnose_factors(reference, factors)
    with pytest.raises(SchemeError, match="raw is not a distribution"):
        diagnose_factors(scores, Standardizer("raw").fit(reference))
    with pytest.raises(SchemeError, match="alpha"):
        diagnose_factors(scores, factors, alpha=2)
    extra = pd.concat([scores, scores.iloc[:1].rename(index={"1": "x"})])
    with pytest.raises(FactorsError, match="1 of 7 topics has no factors, such as 'x'"):
        diagnose_factors(extra, factors)
    assert diagnose_factors(extra, factors, extra_topics="drop", bootstrap=0).topics == 6


@pytest.mark.parametrize("seed", range(3))
def test_the_reference_is_known_in_any_order(seed: int) -> None:
    reference, _ = halves()
    reference.iloc[2] = 0.25  # a constant topic
    factors = Standardizer("normal").fit(reference)
    rng = np.random.default_rng(seed)
    topics, systems = (rng.permutation(n) for n in reference.shape)
    for same in (
        reference.iloc[topics],
        reference.iloc[:, systems],
        reference.iloc[topics, systems],
    ):
        with pytest.raises(FactorsError, match="were fitted to these scores"):
            diagnose_factors(same, factors)
        assert factors.standardize(same).fitted_to == "these scores"
    other = reference.iloc[topics, systems] + 1e-9
    assert factors.standardize(other).fitted_to == "other scores"


def test_systems_named_as_a_reference_system_are_told() -> None:
    reference, scores = halves()
    factors = Standardizer("normal").fit(reference)
    n = reference.shape[1]
    for given, common in (
        (pd.concat([reference, scores.iloc[:, :2]], axis=1), f"{n} of {n + 2} systems ("),
        (reference.iloc[:4], f"{n} of {n} systems ("),
        (reference.iloc[:, :5], "5 of 5 systems ("),
        (
            pd.concat([scores, reference.iloc[:, :1]], axis=1),
            f"1 of {scores.shape[1] + 1} systems ({reference.columns[0]}) has the name of a",
        ),
    ):
        with pytest.warns(CdfscoreWarning, match="every test is too favorable"):
            found = diagnose_factors(given, factors, bootstrap=0)
        assert found.notes[0].startswith(common)
        assert "name of a reference system" in found.notes[0]
        assert not any("other scores" in note for note in found.notes)
    for given, known in ((scores, factors), (reference.iloc[:4], replace(factors, systems=None))):
        notes = diagnose_factors(given, known, bootstrap=0).notes
        assert not any("too favorable" in note for note in notes)


@pytest.mark.parametrize("left_out", ["dropped", "unfitted"])
def test_an_order_that_is_not_known_is_not_called_other_scores(left_out: str) -> None:
    """Factors know the order of the topics that they were fitted to, and of no others."""
    reference, _ = halves()
    if left_out == "dropped":
        reference.iloc[2, 3] = np.nan
        factors = Standardizer("normal", missing="drop_topic").fit(reference)
    else:
        reference += 0.01
        reference.iloc[2] = -1
        factors = Standardizer("gamma", unfitted="drop_topic").fit(reference)
    assert factors.standardize(reference).fitted_to == "these scores"
    turned = factors.standardize(reference.iloc[::-1])
    assert turned.fitted_to == "scores not known to be these"
    assert factors.standardize(reference * 2).fitted_to == "other scores"


@pytest.mark.clause("diagnose_factors.1")
def test_steps_at_the_reference_scores_are_not_tested() -> None:
    reference, scores = halves()
    for scheme in ("empirical", "kernel"):
        found = diagnose_factors(scores, Standardizer(scheme).fit(reference), bootstrap=99)
        assert found.summary["tested"].tolist() == [0]
        assert found.fits["reason"][0].startswith("not tested: its parameters are the ref")


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("scheme", "tested"),
    [
        ("logspline", 6),
        ("normal", 6),
        ("mixture", 6),
        ("zero_inflated:family=gamma", 6),
        ("empirical", 0),
        ("kernel", 0),
        ("zero_inflated:family=empirical", 0),
        ("zero_inflated:family=kernel", 0),
    ],
)
def test_nothing_is_fitted_to_the_new_scores(
    scheme: str, tested: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Of fewer new systems than the scheme could be fitted to, from a file and from the fit."""
    reference, scores = halves()
    factors = Standardizer(scheme).fit(reference + 0.01)
    save_factors(factors, tmp_path / "f.json")
    known = (factors, load_factors(tmp_path / "f.json"))

    def refuse(*_: object) -> None:
        raise AssertionError("a scheme is fitted")

    monkeypatch.setattr(Scheme, "fit", refuse)
    for own in (*known, replace(factors, n=None)):
        found = diagnose_factors(scores.iloc[:, :4] + 0.01, own, bootstrap=19, most=19)
        assert found.summary["tested"].tolist() == [tested]
        assert found.summary["fitted"].tolist() == [6]
        reasons = set(found.fits["reason"])
        assert reasons == (
            {""} if tested else {"not tested: its parameters are the reference scores"}
        )


#: The threads in which the cdf of `Watched` was computed.
WATCHED: list[int] = []


@dataclass(frozen=True)
class Watched(Normal):
    """A normal distribution that tells where it is computed."""

    def evaluate(self, x: Array, mean: Array, sd: Array) -> Array:
        WATCHED.append(threading.get_ident())
        return super().evaluate(x, mean, sd)


@dataclass(frozen=True)
class Steps(Distribution):
    """Steps at the reference scores, with another name for them."""

    formula = "y = count / n"
    source = "a test"

    def estimate(self, scores: Array) -> Parameters:
        return {"values": np.sort(scores, axis=-1)}

    def evaluate(self, x: Array, values: Array) -> Array:
        return np.asarray((values[..., np.newaxis, :] <= x[..., np.newaxis]).mean(axis=-1))

    def support(self, values: Array) -> tuple[Array, Array]:
        return values[..., :1], values[..., -1:]


@dataclass(frozen=True)
class StepsBeside(Steps):
    """Declared steps, with a parameter that has more numbers than the sample."""

    degree_between = 0

    def estimate(self, scores: Array) -> Parameters:
        values = np.sort(scores, axis=-1)
        return {"values": values, "twice": np.concatenate([values, values + 0.5], axis=-1)}

    def evaluate(self, x: Array, values: Array, twice: Array) -> Array:
        return super().evaluate(x, values)

    def support(self, values: Array, twice: Array) -> tuple[Array, Array]:
        return super().support(values)


@dataclass(frozen=True)
class StepsThatSay(StepsBeside):
    def reference(self, parameters: Parameters) -> Array:
        return parameters["values"]


def test_a_scheme_of_a_plug_in_says_which_parameter_is_its_reference() -> None:
    reference, scores = halves()

    def pit(scheme: Distribution) -> list[float]:
        found = diagnose_factors(scores, Standardizer(scheme).fit(reference), bootstrap=0)
        return found.histogram["count"].tolist()

    assert pit(StepsThatSay()) == pit(Empirical())
    with pytest.raises(
        SchemeError, match="parameters values, twice; expected a method `reference`"
    ):
        pit(StepsBeside())
