"""Designs of systems that are built of components, complete and not, for the tests of models."""

import itertools

import numpy as np
import pandas as pd

from cdfscore import Standardizer

COMPONENTS = pd.DataFrame(
    [
        (f"{a}_{b}_{c}", a, b, c)
        for a, b, c in itertools.product(["none", "s", "porter"], "pqrs", ["short", "long"])
    ],
    columns=["system", "stemmer", "model", "stoplist"],
)
RAW = Standardizer("raw", missing="omit")
BY_STEMMER = ["topic", "topic:stemmer"]
FORMULAS = [
    "score ~ topic + system",
    "score ~ topic + stemmer * model + stoplist",
    "score ~ stemmer * model",
    "score ~ model + topic * stemmer",
    "score ~ stemmer + topic + model + topic:stemmer + topic:stoplist + stoplist",
    "score ~ topic * stemmer * stoplist",
]


def scores(*, missing: float = 0.0, systems: int = 24, topics: int = 9) -> pd.DataFrame:
    """Return scores with effects of topics, components and interactions; some are missing."""
    rng = np.random.default_rng([topics, systems])
    effect = COMPONENTS["model"].map({"p": 0.0, "q": 0.3, "r": -0.2, "s": 0.1}).to_numpy()
    frame = pd.DataFrame(
        rng.normal(size=(topics, 1)) + rng.normal(size=(topics, 24)) + effect,
        index=pd.Index([f"t{i}" for i in range(topics)], name="topic"),
        columns=COMPONENTS["system"].tolist(),
    )
    return frame.mask(rng.random(frame.shape) < missing).iloc[:, :systems]


FRAMES = {"complete": scores(), "holes": scores(missing=0.1, systems=23)}


def long(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each score that is not missing, with its topic, system and components."""
    melted = frame.rename_axis(columns="system").stack().rename("score").reset_index()
    return melted.dropna().merge(COMPONENTS, on="system")
