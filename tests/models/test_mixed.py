"""Mixed models beside exact fractions, 50 digits, statsmodels, and dense matrices."""

import warnings
from fractions import Fraction
from functools import partial
from typing import Any

import mpmath
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special
from statsmodels.regression.mixed_linear_model import MixedLM, VCSpec

from cdfscore import Standardizer
from cdfscore.models import mixed_model
from cdfscore.models.formula import Parts
from cdfscore.models.mixed import Estimation, Products, likelihood
from cdfscore.stats.numerics.types import Array
from tests.models.designs import BY_STEMMER, COMPONENTS, RAW, scores
from tests.models.mixed_designs import GRID, PARTS, cut, replicated


@pytest.mark.clause("mixed_model.1")
@pytest.mark.parametrize("of_effects", [1, 1_000, 100_000])
def test_variances_of_a_balanced_design_are_exact(of_effects: int) -> None:
    """Those of mean squares: 12 systems, 3 of each of 4 stemmers, on 7 topics.

    The effects of topics and of stemmers on topics may dwarf the residuals.
    """
    rng = np.random.default_rng(5)
    whole = rng.integers(0, 9, (7, 1)) * 4 + rng.integers(0, 9, (7, 4)).repeat(3, axis=1) * 2
    whole = whole * of_effects + rng.integers(0, 9, (7, 12))
    names = [f"s{i}" for i in range(12)]
    parts = pd.DataFrame({"system": names, "stemmer": [f"m{i // 3}" for i in range(12)]})
    found = mixed_model(
        pd.DataFrame(whole.astype(float), [f"t{i}" for i in range(7)], names),
        "score ~ stemmer",
        parts,
        random=BY_STEMMER,
    )
    y = [[[Fraction(int(v)) for v in row[3 * j : 3 * j + 3]] for j in range(4)] for row in whole]
    cells = [[sum(cell) / 3 for cell in row] for row in y]
    topics = [sum(row) / 4 for row in cells]
    stemmers = [sum(row[j] for row in cells) / 7 for j in range(4)]
    mean = sum(topics) / 7
    of_topics = sum((t - mean) ** 2 for t in topics) * 12 / 6
    of_stemmers = sum((s - mean) ** 2 for s in stemmers) * 21 / 3
    pairs = [(i, j) for i in range(7) for j in range(4)]
    of_both = sum((cells[i][j] - topics[i] - stemmers[j] + mean) ** 2 for i, j in pairs) * 3 / 18
    residual = sum((v - cells[i][j]) ** 2 for i, j in pairs for v in y[i][j]) / 56
    exact = [(of_topics - of_both) / 12, (of_both - residual) / 3, residual]
    np.testing.assert_allclose(found.variances["variance"], np.array(exact, float), rtol=1e-11)
    (row,) = found.table.to_dict("records")
    assert row["statistic"] == pytest.approx(float(of_stemmers / of_both), rel=1e-11)
    assert (row["df"], row["df_error"]) == (3, pytest.approx(18, rel=1e-9))
    # The mean of all scores varies by topics alone.
    assert found.coefficients["stderr"][0] == pytest.approx(np.sqrt(float(of_topics / 84)))
    assert found.coefficients["df"][0] == pytest.approx(6)


def dense(frame: pd.DataFrame, columns: Array, blocks: list[Array]) -> tuple[Array, Array, Any]:
    """Return scores, X, and the covariances V_k of each random term and of the residuals."""
    values = frame.to_numpy()
    topics, slots = np.nonzero(~np.isnan(values))
    same = topics[:, np.newaxis] == topics
    v = [same * (block @ block.T)[np.ix_(slots, slots)] for block in blocks]
    return values[topics, slots], columns[slots], [*v, np.eye(len(slots))]


def in_50_digits(
    y: Array, x: Array, v: list[Array], variances: list[float], method: Estimation
) -> tuple[Any, list[Any]]:
    """Return minus twice the logarithm of the likelihood, and its gradient."""
    matrix = mpmath.matrix
    with mpmath.workdps(50):
        parts = [matrix(each.tolist()) for each in v]
        whole = parts[0] * mpmath.mpf(variances[0])
        for part, variance in zip(parts[1:], variances[1:], strict=True):
            whole += part * mpmath.mpf(variance)
        inverse = whole**-1
        xs, ys = matrix(x.tolist()), matrix(y.tolist())
        xvx = xs.T * inverse * xs
        p = inverse - inverse * xs * xvx**-1 * xs.T * inverse
        py = p * ys
        value = mpmath.log(mpmath.det(whole)) + (ys.T * py)[0]
        degrees, of_traces = len(y), inverse
        if method == "REML":
            value += mpmath.log(mpmath.det(xvx))
            degrees, of_traces = len(y) - x.shape[1], p
        value += degrees * mpmath.log(2 * mpmath.pi)
        gradient = [
            sum((of_traces * part)[i, i] for i in range(len(y))) - (py.T * part * py)[0]
            for part in parts
        ]
    return value, gradient


@pytest.mark.clause("mixed_model.2", "mixed_model.4")
@pytest.mark.long
@pytest.mark.one_in(2)
@pytest.mark.parametrize("method", ["REML", "ML"])
def test_the_optimum_and_the_ends_of_intervals_hold_in_50_digits(method: Estimation) -> None:
    frame = cut(GRID.iloc[:3, ::12], 0.1)
    parts = PARTS.set_index("system").loc[list(frame.columns)]
    found = mixed_model(
        frame, "score ~ stemmer", PARTS, random=BY_STEMMER, method=method, schemes=[RAW]
    )
    codes, levels = pd.factorize(parts["stemmer"])
    contrasts = np.vstack([np.eye(len(levels) - 1), -np.ones((1, len(levels) - 1))])
    columns = np.hstack([np.ones((len(codes), 1)), contrasts[codes]])
    blocks = [np.ones((len(codes), 1)), np.eye(len(levels))[codes]]
    y, x, v = dense(frame, columns, blocks)
    variances = found.variances["variance"].tolist()
    value, gradient = in_50_digits(y, x, v, variances, method)
    assert min(variances) > 0
    assert float(value) == pytest.approx(-2 * found.log_likelihood["raw"], abs=1e-11)
    for slope, variance in zip(gradient, variances, strict=True):
        assert abs(float(slope) * variance) < 1e-7
    # The residuals' interval: of the others' best, the gradient is 0; the value is above by q.
    for end in found.variances.loc[2, ["conf_low", "conf_high"]]:
        assert _least(
            partial(in_50_digits, y, x, v, method=method), variances, end
        ) == pytest.approx(float(value) + special.chdtri(1, 0.05), abs=1e-6)


def _least(at: Any, variances: list[float], residual: float) -> float:
    """Return the least value over other variances, by steps of secants on the gradient."""
    start = np.log(variances[:-1])
    for _ in range(30):
        here = [*np.exp(start).tolist(), residual]
        gradient = np.array([float(g) for g in at(variances=here)[1][:-1]]) * here[:-1]
        slopes = []
        for k in range(len(start)):
            moved = start.copy()
            moved[k] += 1e-6
            there = [*np.exp(moved).tolist(), residual]
            own = np.array([float(g) for g in at(variances=there)[1][:-1]]) * there[:-1]
            slopes.append((own - gradient) / 1e-6)
        step = np.linalg.solve(np.array(slopes).T, -gradient)
        start = start + np.clip(step, -1, 1)
        if np.abs(step).max() < 1e-5:
            return float(at(variances=[*np.exp(start).tolist(), residual])[0])
    raise AssertionError("no least value")


@pytest.mark.clause("mixed_model.2")
@pytest.mark.one_in(2)
@pytest.mark.parametrize("missing", [0.0, 0.15])
@pytest.mark.parametrize("method", ["REML", "ML"])
def test_the_likelihood_is_that_of_statsmodels_and_not_less(
    method: Estimation, missing: float
) -> None:
    given = replicated(missing=missing)
    random = ["topic", "topic:stemmer", "topic:system"]
    found = mixed_model(
        given, "score ~ model", COMPONENTS, random=random, method=method, schemes=[RAW]
    )
    values = given.scores.to_numpy()
    rows = COMPONENTS.set_index("system").loc[list(given.systems)]
    columns = np.hstack([np.ones((len(rows), 1)), pd.get_dummies(rows["model"]).to_numpy(float)])
    columns[:, 1:] -= columns[:, -1:]
    columns = columns[:, :-1]
    present = ~np.isnan(values)
    own = {
        "topic:stemmer": pd.get_dummies(rows["stemmer"]).to_numpy(float),
        "topic:system": pd.get_dummies(pd.Series(given.systems)).to_numpy(float),
    }
    names = [[[str(i) for i in range(z.shape[1])] for _ in values] for z in own.values()]
    model = MixedLM(
        values[present],
        np.concatenate([columns[has] for has in present]),
        groups=np.nonzero(present)[0],
        exog_re=np.ones((int(present.sum()), 1)),
        exog_vc=VCSpec(list(own), names, [[z[has] for has in present] for z in own.values()]),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = model.fit(reml=method == "REML")
    variance = found.variances["variance"].to_numpy()
    relative = variance[:-1] / variance[-1]
    at_ours = model.loglike(np.sqrt(relative), profile_fe=True)
    ours = found.log_likelihood["raw"]
    assert ours >= theirs.llf - 1e-9
    assert at_ours == pytest.approx(ours, abs=1e-7)
    stopped = np.array([theirs.cov_re[0, 0], *theirs.vcomp, theirs.scale])
    np.testing.assert_allclose(variance, stopped, rtol=5e-3)


@pytest.mark.clause("mixed_model.2")
@given(
    seed=st.integers(0, 10**6),
    missing=st.sampled_from([0.0, 0.3]),
    variances=st.lists(st.sampled_from([0.0, 0.3, 2.0, 1e5]), min_size=2, max_size=2),
    method=st.sampled_from(["REML", "ML"]),
)
def test_likelihood_and_derivatives_are_those_of_dense_matrices(
    seed: int, missing: float, variances: list[float], method: Estimation
) -> None:
    rng = np.random.default_rng(seed)
    frame = cut(pd.DataFrame(rng.normal(size=(4, 8))), missing, seed)
    frame = frame.iloc[: (~frame.isna().all(axis=1)).sum()]
    columns = np.hstack([np.ones((8, 1)), rng.normal(size=(8, 2))])
    blocks = [np.ones((8, 1)), np.eye(3)[rng.integers(0, 3, 8)]]
    y, x, v = dense(frame, columns, blocks)
    sums = Products.of(Parts.of(frame.to_numpy()), columns, blocks)
    scale = sums.scale * 2.0**sums.parts.exponent
    point = likelihood(sums, np.array([*variances, 1.0]) / scale**2, method)
    whole = sum(a * b for a, b in zip([*variances, 1.0], v, strict=True))
    inverse = np.linalg.inv(whole)
    xvx = x.T @ inverse @ x
    p = inverse - inverse @ x @ np.linalg.solve(xvx, x.T @ inverse)
    value = np.linalg.slogdet(whole)[1] + y @ p @ y
    of_traces, degrees = inverse, len(y)
    if method == "REML":
        value += np.linalg.slogdet(xvx)[1]
        of_traces, degrees = p, len(y) - 3
    value += degrees * np.log(2 * np.pi)
    gradient = [np.trace(of_traces @ k) - y @ p @ k @ p @ y for k in v]
    hessian = [
        [-np.trace(of_traces @ j @ of_traces @ k) + 2 * y @ p @ j @ p @ k @ p @ y for k in v]
        for j in v
    ]
    scale = scale**2
    own = point.value + 2 * degrees * np.log(sums.scale * 2.0**sums.parts.exponent)
    assert own == pytest.approx(value, rel=1e-7)
    np.testing.assert_allclose(point.gradient, np.array(gradient) * scale, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(point.hessian, np.array(hessian) * scale**2, rtol=1e-5, atol=1e-5)


def test_the_grid_has_three_components_on_topics() -> None:
    """Each scheme has its own variances; the effects of models differ most between topics."""
    random = ["topic", "topic:stemmer", "topic:stoplist", "topic:model"]
    found = mixed_model(
        GRID, "score ~ stemmer + stoplist + model", PARTS, random=random, schemes=["raw", "normal"]
    )
    by = found.variances.set_index(["scheme", "component"])["proportion"].unstack(0)
    assert by["raw"]["topic"] > 0.8
    assert by["normal"]["topic"] == 0
    assert (by.drop("topic").loc["topic:model"] >= by.drop("topic").max()).all()
    assert found.topics == {"raw": 225, "normal": 225}
    assert found.scores == {"raw": 16200, "normal": 16200}
    assert repr(found) == (
        "<mixed model by REML, score ~ stemmer + stoplist + model, random topic + topic:stemmer + "
        "topic:stoplist + topic:model; p <= 0.05: stemmer, stoplist, model by raw; stemmer, "
        "stoplist, model by normal>"
    )


def test_schemes_on_different_topics_are_noted() -> None:
    """Two topics of nine have a missing score, and one scheme leaves them out."""
    frame = scores()
    frame.iloc[0, 0] = frame.iloc[5, 1] = np.nan
    note = "the schemes have different numbers of topics"
    dropped = Standardizer("z", missing="drop_topic")
    for first, differ in (("omit", True), ("drop_topic", False)):
        found = mixed_model(
            frame,
            "score ~ stemmer",
            COMPONENTS,
            schemes=[Standardizer("raw", missing=first), dropped],
        )
        assert (note in found.notes) == differ
