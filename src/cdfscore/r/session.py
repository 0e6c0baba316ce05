"""Twins in a running R: each in an environment of its own, many topics in one call."""

from __future__ import annotations

import logging
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from cdfscore.errors import RNotAvailableError
from cdfscore.numerics.types import Array
from cdfscore.schemes import Scheme

_FOLDER = Path(__file__).parent


@dataclass
class RSession:
    """R in this process, through rpy2, with the functions of ``rows.R``.

    Raises `RNotAvailableError` where R or rpy2 is not installed, or does not start.
    """

    rinterface: Any = field(init=False, repr=False)
    _sources: dict[Path, Any] = field(default_factory=dict, init=False, repr=False)
    _twins: dict[Path, Any] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        self.rinterface = _started()

    def source(self, path: Path) -> Any:
        """Return the environment that holds what an R file defines, read once."""
        if path not in self._sources:
            base = self.rinterface.baseenv
            self._sources[path] = base["new.env"]()
            base["sys.source"](str(path), self._sources[path])
        return self._sources[path]

    def standardize(self, scheme: Scheme, x: Array, scores: Array) -> Array:
        """Return y of the twin for topics x (t, m) with reference scores (t, n)."""
        y = self.source(_FOLDER / "rows.R")["each_row"](
            self.twin(scheme), self.matrix(x), self.matrix(scores), self.settings(scheme)
        )
        return np.array(y.memoryview()).reshape(x.shape, order="F")

    def twin(self, scheme: Scheme) -> Any:
        """Return the function of the scheme's twin."""
        path = scheme.twin()
        if path not in self._twins:
            self._twins[path] = self.source(_FOLDER / "rows.R")["twin"](str(path))
        return self._twins[path]

    def settings(self, scheme: Scheme) -> Any:
        """Return the settings of a scheme as a list of R."""
        return self.rinterface.baseenv["list"](**scheme.settings())

    def call(self, name: str, *arguments: Array) -> Array:
        """Call a function of R by name on vectors."""
        return np.array(self.rinterface.globalenv.find(name)(*map(self.vector, arguments)))

    def column_means(self, values: Array) -> Array:
        """Return R's colMeans of a matrix."""
        return np.array(self.rinterface.baseenv["colMeans"](self.matrix(values)))

    @property
    def error(self) -> type[Exception]:
        """The exception that an error in R becomes."""
        from rpy2.rinterface_lib.embedded import RRuntimeError

        error: type[Exception] = RRuntimeError
        return error

    def matrix(self, values: Array) -> Any:
        """Return a matrix of R of the same shape."""
        return self.rinterface.baseenv["matrix"](self.vector(values), nrow=len(values))

    def vector(self, values: Array) -> Any:
        """Return a numeric vector of R, by columns."""
        flat = np.asarray(values, dtype=np.float64).ravel(order="F")
        return self.rinterface.FloatSexpVector.from_memoryview(flat.data)


def _started() -> Any:
    """Return rpy2's low-level interface after R was started."""
    if shutil.which("R") is None:
        raise RNotAvailableError(
            "R is not installed; install it (Debian: apt-get install r-base-core; others: "
            "https://www.r-project.org)"
        )
    # rpy2 notes at its import that it calls R without a compiled module; nothing is missing.
    logging.getLogger("rpy2.rinterface_lib.openrlib").setLevel(logging.ERROR)
    try:
        from rpy2 import rinterface

        rinterface.initr()
    except Exception as error:  # what the loader of the shared library of R raises
        raise RNotAvailableError(
            f"R cannot be started through rpy2 ({error}); expected the extra 'validation' "
            "(pip install 'cdfscore[validation]'), or say --via rscript"
        ) from error
    return rinterface
