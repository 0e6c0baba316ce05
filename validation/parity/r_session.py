"""Twins in a running R: each in an environment of its own, many topics in one call."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from cdfscore.catalogue import schemes
from cdfscore.numerics.types import Array, BoolArray
from cdfscore.schemes import Scheme

# rpy2 notes at its import that it calls R without a compiled module; nothing is missing.
logging.getLogger("rpy2.rinterface_lib.openrlib").setLevel(logging.ERROR)


@dataclass
class RSession:
    """R, with the helper functions of ``rows.R``; `rinterface` is rpy2's, initialized."""

    rinterface: Any
    twins: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        base = self.rinterface.baseenv
        self.helpers = base["new.env"]()
        base["sys.source"](str(Path(__file__).with_name("rows.R")), self.helpers)

    def standardize(self, scheme: Scheme, x: Array, scores: Array) -> Array:
        """Return y of the twin for topics x (t, m) with reference scores (t, n)."""
        y = self.helpers["each_row"](*self._arguments(scheme, x, scores))
        return np.array(y.memoryview()).reshape(x.shape, order="F")

    def refuses(self, scheme: Scheme, x: Array, scores: Array) -> BoolArray:
        """Tell for which topics the twin gives an error or no number."""
        return np.array(self.helpers["refuses"](*self._arguments(scheme, x, scores)), dtype=bool)

    def call(self, name: str, *arguments: Array) -> Array:
        """Call a function of R by name on vectors."""
        return np.array(self.rinterface.globalenv.find(name)(*map(self._vector, arguments)))

    def column_means(self, values: Array) -> Array:
        """Return R's colMeans of a matrix."""
        return np.array(self.rinterface.baseenv["colMeans"](self._matrix(values)))

    @property
    def error(self) -> type[Exception]:
        """The exception that an error in R becomes."""
        from rpy2.rinterface_lib.embedded import RRuntimeError

        return RRuntimeError

    def _arguments(self, scheme: Scheme, x: Array, scores: Array) -> tuple[Any, ...]:
        if scheme.name not in self.twins:
            self.twins[scheme.name] = self.helpers["twin"](str(schemes.twin(scheme.name)))
        settings = self.rinterface.baseenv["list"](**scheme.settings())
        return self.twins[scheme.name], self._matrix(x), self._matrix(scores), settings

    def _matrix(self, values: Array) -> Any:
        return self.rinterface.baseenv["matrix"](self._vector(values), nrow=len(values))

    def _vector(self, values: Array) -> Any:
        flat = np.asarray(values, dtype=np.float64).ravel(order="F")
        return self.rinterface.FloatSexpVector.from_memoryview(memoryview(flat))
