"""Scores with random effects of topics, of systems that are built of components."""

import numpy as np
import pandas as pd

from cdfscore import datasets
from cdfscore.models import Replicates, as_replicates
from tests.models.designs import COMPONENTS

GRID = datasets.load_cranfield_grid("ap")
PARTS = datasets.load_cranfield_components()


def long(
    variances: tuple[float, float, float, float],
    *,
    seed: int,
    topics: int = 12,
    shards: int = 2,
    missing: float = 0.0,
) -> pd.DataFrame:
    """Return a row for each score: topic, system, shard, score.

    The variances are those of topic, topic:stemmer, topic:system and residuals; shards have effects
    on topics too. A part of the rows is `missing`.
    """
    rng = np.random.default_rng(seed)
    sd = np.sqrt(variances)
    stemmers = pd.factorize(COMPONENTS["stemmer"])[0]
    shape = (topics, len(COMPONENTS), shards)
    y = sd[3] * rng.normal(size=shape) + sd[2] * rng.normal(size=(*shape[:2], 1))
    y += sd[0] * rng.normal(size=(topics, 1, 1))
    y += (sd[1] * rng.normal(size=(topics, 3)))[:, stemmers, np.newaxis]
    y += 0.2 * (COMPONENTS["model"] == "q").to_numpy()[:, np.newaxis]
    y += 0.3 * rng.normal(size=(topics, 1, shards))
    kept = np.argwhere(rng.random(shape) >= missing)
    return pd.DataFrame(
        {
            "topic": [f"t{i}" for i in kept[:, 0]],
            "system": COMPONENTS["system"].to_numpy()[kept[:, 1]],
            "shard": [f"s{i}" for i in kept[:, 2]],
            "score": y[tuple(kept.T)],
        }
    )


def replicated(
    variances: tuple[float, float, float, float] = (1.0, 0.1, 0.2, 0.5),
    *,
    seed: int = 1,
    missing: float = 0.0,
) -> Replicates:
    return as_replicates(long(variances, seed=seed, missing=missing), "shard")


def uneven() -> Replicates:
    """Return scores of which topics and systems have few or many; topic t7 has a single one."""
    frame = long((1.0, 0.3, 0.4, 0.5), seed=9, topics=15, shards=4)
    topics, systems = pd.factorize(frame["topic"])[0], pd.factorize(frame["system"])[0]
    kept = np.random.default_rng(5).random(len(frame)) < 0.18 * (topics % 5 + 0.6)
    kept &= (frame["shard"] == "s0") | (systems % 3 > 0)
    kept &= topics != 7
    kept |= (topics == 7) & (frame["shard"] == "s0") & (systems == 4)
    return as_replicates(frame[kept], "shard")


def cut(frame: pd.DataFrame, missing: float, seed: int = 0) -> pd.DataFrame:
    """Return scores of which a part is missing, at random."""
    rng = np.random.default_rng(seed)
    return frame.mask(rng.random(frame.shape) < missing)
