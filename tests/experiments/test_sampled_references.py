"""Samples of the reference systems: against `Standardizer` on each sample, and bad input."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from cdfscore import Standardizer
from cdfscore.errors import ConstantTopicError, ExperimentError, FitError, SchemeError, ScoresError
from cdfscore.experiments.engine.trials import run_trials
from cdfscore.experiments.sampled_references import SampledReferences
from cdfscore.numerics.moments import single_pass_mean
from cdfscore.r_random import samples

SIZES = (2, 3, 5, 9)
TRIALS = range(4, 24)


def scores(seed: int, systems: int) -> np.ndarray:
    """Return scores with ties, on 8 topics, the last two with few that are not 0."""
    matrix = np.random.default_rng(seed).integers(0, 5, (8, systems)) / 4
    matrix[6:, 2:] = 0.0
    return matrix


def experiment(**settings) -> SampledReferences:
    chosen = {
        "reference": scores(1, 9),
        "evaluated": scores(2, 7),
        "sizes": SIZES,
        "seed": 31,
        "scheme": "normal",
        "constant": "limit",
    }
    return SampledReferences(**{**chosen, **settings})


@pytest.mark.clause("sampled_references.1")
@pytest.mark.one_in(8)
@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("scheme", "constant"),
    [
        ("normal", "limit"),
        ("normal", "half"),
        ("normal", "nan"),
        ("normal", "urbano2019"),
        ("normal", "matters"),
        ("empirical", "limit"),
        ("empirical", "half"),
        ("empirical", "nan"),
        ("empirical:convention=mid", "half"),
        ("uniform", "limit"),
        ("minmax", "half"),
        ("z", "trec_eval"),
        ("z", "limit"),
        ("sum", "limit"),
        ("raw", "limit"),
    ],
)
def test_each_sample_is_that_of_the_standardizer(scheme, constant) -> None:
    subject = experiment(scheme=scheme, constant=constant)
    found = subject.run(TRIALS)
    standardizer = Standardizer(scheme, constant=constant)
    reference, evaluated = (
        pd.DataFrame(matrix, index=[f"t{i}" for i in range(8)])
        for matrix in (subject.reference, subject.evaluated)
    )
    constant = 0

    def means(systems: np.ndarray) -> np.ndarray:
        nonlocal constant
        factors = standardizer.fit(reference.iloc[:, systems])
        constant = len(factors.constant_topics)
        done = factors.standardize(evaluated)
        if done.counts is None:  # experiments have R's means, of which rounding may break ties
            with np.errstate(invalid="ignore"):  # infinite scores of constant topics
                return single_pass_mean(done.scores.to_numpy().T)[:, 0]
        return done.means["mean"].to_numpy()

    full = means(np.arange(9))
    for row, k in enumerate(TRIALS):
        for column, size in enumerate(SIZES):
            sampled = means(samples([31 + k], 9, size)[0] - 1)
            assert found["constant"][row, column] == constant
            tau = found["tau"][row, column]
            if not np.isfinite([*sampled, *full]).all():
                assert np.isnan(tau)
            else:
                kendall = stats.kendalltau(sampled, full).statistic
                np.testing.assert_allclose(tau, kendall, rtol=1e-12)
    if scheme != "raw":
        assert found["constant"].any()


def test_means_of_counts_have_one_half_where_topics_are_constant() -> None:
    reference = np.array([[0.1, 0.2, 0.3, 0.4], [0.5, 0.5, 0.5, 0.5]])
    evaluated = np.array([[0.3, 0.0], [0.9, 0.1]])
    subject = experiment(
        reference=reference,
        evaluated=evaluated,
        sizes=(4,),
        scheme="empirical",
        constant="half",
    )
    means, constant = subject.means(np.arange(4)[np.newaxis])
    assert means.tolist() == [[(3 / 4 + 1 / 2) / 2, (0 + 1 / 2) / 2]]
    assert constant.tolist() == [1]


def test_means_are_the_same_bit_for_bit_in_large_batches() -> None:
    """Samples are standardized in blocks; the last one is shorter."""
    random = np.random.default_rng(3)
    reference, evaluated = random.random((50, 30)), random.random((50, 110))
    subject = experiment(reference=reference, evaluated=evaluated, sizes=(5,))
    drawn = samples(np.arange(40), 30, 5) - 1
    means, _ = subject.means(drawn)
    for row, systems in zip(means, drawn, strict=True):
        factors = Standardizer("normal").fit(pd.DataFrame(reference[:, systems]))
        one = factors.system_means(pd.DataFrame(evaluated))["mean"]
        np.testing.assert_array_equal(row, one.to_numpy())


@pytest.mark.clause("sampled_references.1")
def test_all_reference_systems_rank_as_all_of_them_do() -> None:
    subject = experiment(scheme="empirical", sizes=(9,))
    assert (subject.run(range(10))["tau"] == 1).all()


def test_a_trial_depends_on_its_number_and_a_size_not_on_the_others() -> None:
    whole = run_trials(experiment(), 260)
    part = experiment(sizes=(5,)).run(range(245, 255))
    for name, values in part.items():
        np.testing.assert_array_equal(values[:, 0], whole[name][245:255, 2])


def test_more_systems_give_a_ranking_closer_to_that_of_all() -> None:
    random = np.random.default_rng(4)
    scale = random.uniform(0.05, 1, (30, 1))
    reference, evaluated = scale * random.random((30, 40)), scale * random.random((30, 20))
    subject = experiment(reference=reference, evaluated=evaluated, sizes=(2, 5, 10, 20, 39))
    median = np.median(subject.run(range(200))["tau"], axis=0)
    assert (np.diff(median) > 0).all()


def test_a_sample_that_cannot_be_fitted_is_named_by_its_topic() -> None:
    """And not by its row among those of all samples and topics."""
    reference = 0.1 + scores(1, 9)
    reference[5] = [0.0, *np.linspace(0.1, 0.9, 8)]
    subject = experiment(scheme="gamma", reference=reference, sizes=(3,))
    message = r"^topic 6, fitted to a sample of 3 systems: of 3 reference scores 1 is exactly 0"
    with pytest.raises(FitError, match=message):
        subject.means(np.array([[1, 2, 3], [4, 5, 6], [2, 0, 7]]))


def test_constant_topics_can_be_refused() -> None:
    with pytest.raises(
        ConstantTopicError, match=r"topic \d, fitted to a sample of 2 systems: the"
    ) as caught:
        experiment(constant="raise").run(TRIALS)
    assert caught.value.row is None  # a number within the samples and topics of a block
    assert caught.value.rows == {}
    positive = np.random.default_rng(5).random((8, 9))
    found = experiment(constant="raise", reference=positive).run(TRIALS)
    assert not found["constant"].any()


def test_the_scheme_may_be_an_object() -> None:
    from cdfscore.schemes import Normal

    by_name, by_object = experiment(), experiment(scheme=Normal())
    assert by_name.scheme == by_object.scheme
    np.testing.assert_array_equal(by_name.run(TRIALS)["tau"], by_object.run(TRIALS)["tau"])


def test_chunks_are_cached_apart_by_policy(tmp_path) -> None:
    half = run_trials(experiment(constant="half"), 5, cache=tmp_path)
    limit = run_trials(experiment(), 5, cache=tmp_path)
    again = run_trials(experiment(), 5, cache=tmp_path, resume=True)
    np.testing.assert_array_equal(limit["tau"], again["tau"])
    assert not np.array_equal(half["tau"], limit["tau"])


@pytest.mark.parametrize(
    ("settings", "error", "fragment"),
    [
        ({"scheme": "norm"}, SchemeError, "there is no scheme 'norm'"),
        ({"scheme": 3}, SchemeError, "scheme=3 is not accepted"),
        ({"constant": "zero"}, SchemeError, "constant='zero' is not accepted"),
        ({"constant": "trec_eval"}, SchemeError, "is defined for z, not for normal"),
        ({"sizes": ()}, ExperimentError, "there are no sizes"),
        ({"sizes": (2, 1)}, ExperimentError, "sizes[1]=1 is not accepted; expected a whole number"),
        (
            {"sizes": (10,)},
            ExperimentError,
            "sizes[0]=10 is not accepted; expected a whole number from 2 to 9",
        ),
        ({"sizes": (2.0,)}, ExperimentError, "sizes[0]=2.0 is not accepted"),
        ({"sizes": (3, True)}, ExperimentError, "sizes[1]=True is not accepted"),
        ({"seed": 0.5}, ExperimentError, "seed=0.5 is not accepted; expected a whole number"),
        ({"evaluated": scores(2, 7)[1:]}, ScoresError, "(8, 9) and evaluated ones (7, 7)"),
        ({"evaluated": scores(2, 3)[:, :1]}, ScoresError, "expected 2 systems or more"),
        ({"reference": scores(1, 9)[0]}, ScoresError, "have shape (9,)"),
        ({"reference": np.full((8, 3), np.nan)}, ScoresError, "reference scores: [0, 0] is nan"),
        ({"evaluated": np.full((8, 3), np.inf)}, ScoresError, "evaluated scores: [0, 0] is inf"),
    ],
)
def test_bad_input(settings, error, fragment) -> None:
    with pytest.raises(error) as caught:
        experiment(**settings)
    assert fragment in str(caught.value)


def test_settings_of_numpy_are_those_of_python() -> None:
    found = experiment(sizes=tuple(np.array(SIZES, dtype=np.uint8)), seed=np.uint64(31))
    assert (found.sizes, found.seed) == (SIZES, 31)
    assert {*map(type, found.sizes), type(found.seed)} == {int}
    np.testing.assert_array_equal(found.run(TRIALS)["tau"], experiment().run(TRIALS)["tau"])


def test_a_policy_can_be_replaced() -> None:
    assert replace(experiment(), constant="half").constant == "half"


def test_a_topic_on_which_all_are_equal_leaves_no_ranking() -> None:
    """z of other scores is infinite there, in every sample."""
    reference = scores(1, 9)
    reference[3] = 0.5
    found = experiment(scheme="z", reference=reference).run(TRIALS)
    assert np.isnan(found["tau"]).all()
    assert (found["constant"] >= 1).all()
