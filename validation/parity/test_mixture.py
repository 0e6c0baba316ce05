"""Mixtures of two normals beside R: the twin on real topics, and mclust as a third opinion."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from cdfscore.datasets import load_cranfield
from cdfscore.r.session import RSession
from cdfscore.stats.schemes import Mixture
from validation.parity.matrices import Matrix


@pytest.mark.parametrize("name", ["robust2004/robust2004_ap.csv", "robust2004/robust2004_p10.csv"])
def test_the_twin_finds_the_same_maximum(name: str, matrices: list[Matrix], r: RSession) -> None:
    """Of all 249 topics of either the largest distance seen is 1e-14."""
    scores = next(matrix.scores for matrix in matrices if matrix.name == name)[::25]
    x = np.hstack([scores, scores + 0.01])
    fitted, by_r = Mixture().fit(scores), r.standardize(Mixture(), x, scores)
    np.testing.assert_allclose(fitted(x), by_r, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("scheme", "other"),
    [
        (Mixture(starts=0), Mixture()),
        (Mixture(seed=1), Mixture()),
        (Mixture(starts=40, seed=1), Mixture(seed=1)),
    ],
)
def test_the_twin_has_the_same_starts(scheme: Mixture, other: Mixture, r: RSession) -> None:
    """On topics whose maximum depends on them."""
    scores = load_cranfield("ap").to_numpy()[[52, 59]]
    y, by_r = scheme.fit(scores)(scores), r.standardize(scheme, scores, scores)
    np.testing.assert_allclose(y, by_r, rtol=0, atol=1e-12)
    assert np.abs(y - other.fit(scores)(scores)).max() > 1e-2


def test_mclust_finds_the_same_components(
    r: RSession, require_r_package: Callable[[str], None]
) -> None:
    """On groups far apart, where its likelihood without a penalty has the same maximum nearly."""
    require_r_package("mclust")
    rng = np.random.default_rng(11)
    sample = np.concatenate([rng.normal(0.2, 0.04, 60), rng.normal(0.7, 0.1, 140)])
    code = r.rinterface.baseenv["parse"](
        text="""function(x) {
          suppressMessages(library(mclust))
          p <- Mclust(x, G = 2, modelNames = "V", verbose = FALSE)$parameters
          sd <- sqrt(p$variance$sigmasq)
          c(p$pro[1], p$mean[1], sd[1], p$mean[2], sd[2])
        }"""
    )
    by_mclust = np.array(r.rinterface.baseenv["eval"](code)(r.vector(sample)))
    fitted = Mixture().fit(sample).parameters
    own = [fitted[name][0] for name in ("weight", "mean_1", "sd_1", "mean_2", "sd_2")]
    np.testing.assert_allclose(own, by_mclust, rtol=5e-3)
