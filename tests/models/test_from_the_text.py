"""Clauses of models, each computed from its text alone with plain NumPy and SciPy."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from threadpoolctl import threadpool_limits

from cdfscore.models import d_study, g_study, mixed_model
from cdfscore.stats.numerics.types import Array
from tests.models.designs import COMPONENTS, RAW, scores
from tests.models.mixed_designs import cut


def contrasts(labels: Array) -> Array:
    """Return the columns of a factor: 1 for a level, and -1 for the last that appears."""
    codes = pd.factorize(labels)[0]
    last = codes.max()
    return np.array([[1.0 * (c == i) - (c == last) for i in range(last)] for c in codes])


def second_derivatives(f: Callable[[Array], float], at: Array) -> Array:
    """Return the Hessian by central differences."""
    steps = np.diag(1e-3 * at)
    both = [(h, k) for h in steps for k in steps]
    found = [f(at + h + k) - f(at + h - k) - f(at - h + k) + f(at - h - k) for h, k in both]
    sizes = [4 * h.sum() * k.sum() for h, k in both]
    return np.divide(found, sizes).reshape(len(at), len(at))


@pytest.mark.clause("mixed_model.2", "mixed_model.3")
@pytest.mark.one_in(2)
@pytest.mark.parametrize("method", ["REML", "ML"])
def test_tests_of_fixed_effects(method: str) -> None:
    parts = COMPONENTS.iloc[::2]
    of_models = np.random.default_rng(1).normal(size=(12, 4))[:, pd.factorize(parts["model"])[0]]
    frame = cut(scores(topics=12).iloc[:, ::2] + of_models, 0.2, seed=3)
    arguments = {"random": ["topic", "topic:model"], "method": method, "schemes": [RAW]}
    found = mixed_model(frame, "score ~ stemmer + model", parts, **arguments)  # type: ignore[arg-type]
    v = found.variances["variance"].to_numpy()
    assert (v > 0).all()
    topic, system = np.nonzero(frame.notna().to_numpy())
    y = frame.to_numpy()[topic, system]
    stemmer, model = (contrasts(parts[name].to_numpy())[system] for name in ("stemmer", "model"))
    x = np.hstack([np.ones((len(y), 1)), stemmer, model])
    own = pd.factorize(parts["model"])[0][system]
    same = topic[:, np.newaxis] == topic
    parts_of_v = [1.0 * same, same * (own[:, np.newaxis] == own), np.eye(len(y))]

    def fixed(variances: Array) -> tuple[Array, Array, Array]:
        inverse = np.linalg.inv(sum(a * b for a, b in zip(variances, parts_of_v, strict=True)))
        c = np.linalg.inv(x.T @ inverse @ x)
        return inverse, c, c @ x.T @ inverse @ y

    def d(variances: Array) -> float:
        inverse, c, b = fixed(variances)
        left = y - x @ b
        value = -np.linalg.slogdet(inverse)[1] + left @ inverse @ left
        return float(value - np.linalg.slogdet(c)[1] if method == "REML" else value)

    with threadpool_limits(1):  # two wait for each other longer than they work
        h = np.linalg.inv(second_derivatives(d, v))
    inverse, c, b = fixed(v)

    def degrees(row: Array) -> float:
        moved = inverse @ x @ c @ row
        g = np.array([moved @ own @ moved for own in parts_of_v])
        return float((row @ c @ row) ** 2 / (g @ h @ g))

    for place, row in enumerate(found.coefficients.to_dict("records")):
        alone = np.eye(len(b))[place]
        assert row["estimate"] == pytest.approx(b[place], rel=1e-6, abs=1e-8)
        assert row["statistic"] == pytest.approx(b[place] / np.sqrt(c[place, place]), rel=1e-6)
        assert row["df"] == pytest.approx(degrees(alone), rel=1e-4)
    for row, place, levels in zip(
        found.table.to_dict("records"), (slice(1, 3), slice(3, 6)), (3, 4), strict=True
    ):
        m = levels - 1
        rows = np.zeros((m, len(b)))
        rows[:, place] = np.linalg.qr(np.vstack([np.eye(m), -np.ones(m)]))[1]
        of_rows = rows @ c @ rows.T
        f = rows @ b @ np.linalg.solve(of_rows, rows @ b) / m
        axes = np.linalg.eigh(of_rows)[1]
        expected = sum(nu / (nu - 2) for nu in (degrees(axis @ rows) for axis in axes.T))
        assert row["statistic"] == pytest.approx(f, rel=1e-6)
        assert row["df_error"] == pytest.approx(2 * expected / (expected - m), rel=1e-4)


@pytest.mark.clause("d_study.1", "d_study.2", "d_study.3")
@pytest.mark.parametrize("confidence", [0.8, 0.95])
@pytest.mark.parametrize("noise", [0.3, 3.0])
def test_intervals_of_reliabilities(noise: float, confidence: float) -> None:
    rng = np.random.default_rng(5)
    n, k = 20, 6
    values = rng.normal(size=(n, 1)) + 0.5 * rng.normal(size=k) + noise * rng.normal(size=(n, k))
    names = pd.Index([f"t{i}" for i in range(n)], name="topic")
    study = g_study(pd.DataFrame(values, index=names, columns=list("abcdef")))
    found = d_study(study, [7, 90], [0.6, 0.9], confidence=confidence)
    s, t, e = study.components["mean_square"]
    ends: dict[str, list[float]] = {"relative": [], "absolute": []}
    for p in ((1 + confidence) / 2, (1 - confidence) / 2):
        f_e, f_t = stats.f.ppf(p, k - 1, (k - 1) * (n - 1)), stats.f.ppf(p, k - 1, n - 1)
        c = stats.chi2.ppf(p, k - 1) / (k - 1)
        ends["relative"].append(max((s / (e * f_e) - 1) / n, 0.0))
        above = s**2 - c * s * e + (c - f_e) * f_e * e**2
        ends["absolute"].append(max(k / n * above / ((k - 1) * c * s * e + f_t * s * t), 0.0))
    for kind, (low, high) in ends.items():
        for row in found.reliability.to_dict("records"):
            expected = [row["topics"] * x / (1 + row["topics"] * x) for x in (low, high)]
            assert [row[f"{kind}_low"], row[f"{kind}_high"]] == pytest.approx(expected, rel=1e-9)
        for row in found.topics_needed.to_dict("records"):
            r = row["reliability"]
            topics = [np.ceil(r / ((1 - r) * x)) if x else np.inf for x in (high, low)]
            assert [row[f"{kind}_low"], row[f"{kind}_high"]] == topics
