"""Factors saved as JSON and loaded again are the same to the bit, for every scheme."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cdfscore import Standardizer, load_factors, parse_scheme, save_factors, scheme_names
from cdfscore.datasets import load_cranfield
from cdfscore.errors import FitError
from tests.suited import suited

pytestmark = pytest.mark.one_in(2)

SPELLINGS = [
    *scheme_names(),
    "empirical:convention=strict",
    "empirical:convention=mid",
    "from_scipy:dist=beta,floc=-0.001,fscale=1.002",
    "from_scipy:dist=gamma,floc=-0.001",
    "kernel:bandwidth=0.1",
    "uniform:A=0.30000000000000004,B=1e-300",
]
# Those that take a few scores of any size.
FAST = [
    spelling
    for spelling in SPELLINGS
    if not spelling.startswith("from_scipy:")
    and np.isinf(parse_scheme(spelling).domain).all()
    and parse_scheme(spelling).minimum_scores <= 2
]
# No score so large that the sum of a few is no double.
SCORES = st.floats(-1e300, 1e300) | st.floats(0, 1).map(lambda x: round(x, 4))


def frame(values: np.ndarray) -> pd.DataFrame:
    topics, systems = values.shape
    return pd.DataFrame(
        values, index=[f"t {i}" for i in range(topics)], columns=[f"s{i}" for i in range(systems)]
    )


def assert_same(loaded, factors, scores: pd.DataFrame) -> None:
    for field in dataclasses.fields(factors):
        if field.name not in ("fitted", "n"):
            assert getattr(loaded, field.name) == getattr(factors, field.name), field.name
    assert loaded.fitted.scheme == factors.fitted.scheme
    assert loaded.n.tolist() == factors.n.tolist()
    assert list(loaded.fitted.parameters) == list(factors.fitted.parameters)
    for name, values in factors.fitted.parameters.items():
        width = (~np.isnan(values)).any(axis=0).sum()  # NaN that pads every topic is not saved
        assert loaded.fitted.parameters[name].tobytes() == values[:, :width].tobytes(), name
    y, expected = loaded.transform(scores), factors.transform(scores)
    assert y.to_numpy().tobytes() == expected.to_numpy().tobytes()
    pd.testing.assert_frame_equal(
        loaded.standardize(scores).means, factors.standardize(scores).means, check_exact=True
    )


@pytest.mark.clause("factors_json.1", "factors_json.2")
@pytest.mark.one_in(4)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_real_scores(spelling, tmp_path) -> None:
    scores = load_cranfield("ap").iloc[:20]
    scores.iloc[3] = 0.5
    scores = suited(parse_scheme(spelling), scores)
    factors = Standardizer(spelling).fit(scores.iloc[:, :50], measure="AP")
    save_factors(factors, tmp_path / "factors.json")
    loaded = load_factors(tmp_path / "factors.json")
    assert_same(loaded, factors, scores)
    save_factors(loaded, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "factors.json").read_bytes()


@pytest.mark.one_in(10)
@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("missing", ["omit", "zero", "drop_topic"])
def test_ragged_scores(spelling, missing, tmp_path) -> None:
    scores = load_cranfield("ap").iloc[:12]
    scores = scores.mask(np.random.default_rng(3).random(scores.shape) < 0.02)
    if missing == "omit":
        scores.iloc[:, 7] = np.nan  # no topic has all systems
    policy = "limit" if spelling == "raw" else "nan"
    scores = suited(parse_scheme(spelling), scores)
    scores.iloc[4, 2] = 0.0  # which some families refuse
    factors = Standardizer(spelling, missing=missing, constant=policy, unfitted="drop_topic").fit(
        scores
    )
    save_factors(factors, tmp_path / "factors.json")
    assert_same(load_factors(tmp_path / "factors.json"), factors, scores)


@pytest.mark.parametrize("lower", [True, ("1", "7")])
@pytest.mark.parametrize("at", [0.0, 1.0, 0.1 + 0.2])
def test_lower_is_better(lower, at, tmp_path) -> None:
    scores = load_cranfield("ap").iloc[:12]
    factors = Standardizer("normal", lower_is_better=lower, reflect_at=at).fit(scores)
    save_factors(factors, tmp_path / "factors.json")
    assert_same(load_factors(tmp_path / "factors.json"), factors, scores)


@pytest.mark.clause("factors_json.2")
@pytest.mark.one_in(8)
@pytest.mark.parametrize("spelling", FAST)
@settings(max_examples=12)
@given(
    values=arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(2, 6)), elements=SCORES),
    gaps=arrays(np.bool_, (4, 6), elements=st.booleans(), fill=st.just(False)),
)
def test_arbitrary_scores(tmp_path_factory, spelling, values, gaps) -> None:
    values[gaps[: values.shape[0], : values.shape[1]]] = np.nan
    try:
        factors = Standardizer(spelling, missing="omit").fit(frame(values))
    except FitError:  # too few scores, or parameters beyond the range of doubles
        assume(False)
    path = tmp_path_factory.getbasetemp() / "factors.json"
    save_factors(factors, path)
    assert_same(load_factors(path), factors, frame(values))


@pytest.mark.long
@settings(max_examples=25)
@given(labels=st.lists(st.text(st.characters(codec="utf-8"), min_size=1), min_size=1, max_size=5))
def test_arbitrary_labels(tmp_path_factory, labels) -> None:
    labels = list(dict.fromkeys(text for label in labels if (text := label.strip())))
    assume(labels)
    scores = pd.DataFrame([[0.1, 0.3]] * len(labels), index=labels, columns=["a", "b"])
    factors = Standardizer("normal").fit(scores, measure=labels[0])
    path = tmp_path_factory.getbasetemp() / "factors.json"
    save_factors(factors, path)
    assert_same(load_factors(path), factors, scores)
