"""A scheme beside its R twin."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from cdfscore.r.session import RSession
from cdfscore.standardization.policies import fit_where_possible
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes.base import Scheme, schemes
from validation.parity.strategies import is_solved
from validation.references.samples import points, topics


class SchemeSubject:
    """One spelling of a scheme: from `scores` and `x` to `y`, topic by topic."""

    def __init__(self, spelling: str) -> None:
        self.scheme: Scheme = schemes.parse(spelling)
        self.tolerance = self.scheme.tolerance

    def call(self) -> dict[str, Any]:
        text = self.scheme.twin().read_text(encoding="utf-8")  # with \n on every machine
        return {
            "function": "standardize(x, scores, ...)",
            "settings": self.scheme.settings(),
            "twin": self.scheme.twin().name,
            "twin_sha256": hashlib.sha256(text.encode()).hexdigest(),
        }

    def inputs(self) -> dict[str, dict[str, Array]]:
        ordinary = is_solved(self.scheme)
        samples = topics(least=self.scheme.minimum_scores, ordinary=ordinary)
        return {
            label: {"scores": scores, "x": points(scores)}
            for label, scores in samples.items()
            if fit_where_possible(self.scheme, scores[np.newaxis])[1].size
        }

    def by_python(self, inputs: dict[str, Array]) -> dict[str, Array]:
        return {"y": self.scheme.fit(inputs["scores"])(inputs["x"])}

    def by_r(self, r: RSession, inputs: dict[str, Array]) -> dict[str, Array]:
        x, scores = (inputs[name][np.newaxis] for name in ("x", "scores"))
        return {"y": r.standardize(self.scheme, x, scores)[0]}
