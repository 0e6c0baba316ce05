"""The numbers of a topic beside those of R, for every scheme with a twin."""

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import cdfscore.diagnosis
from cdfscore.diagnosis.criteria import resolution_of
from cdfscore.diagnosis.diagnosis import Draws, examine
from cdfscore.r.session import RSession
from cdfscore.stats.schemes import Empirical, Exponential, Kernel, Minmax, Normal, Uniform
from cdfscore.stats.schemes.base import Scheme

R_FILE = Path(cdfscore.diagnosis.__file__).with_name("diagnosis.R")
NUMBERS = ["ks", "ad", "cvm", "log_likelihood", "aic", "bic", "log_score", "crps"]


@pytest.mark.clause("goodness_of_fit.1", "information.1", "log_score.1", "crps.1")
@pytest.mark.one_in(4)
@pytest.mark.parametrize("digits", [1, 4, 17])
@pytest.mark.parametrize(
    "scheme", [Normal(), Exponential(), Minmax(), Uniform(), Empirical(), Kernel(0.1)], ids=str
)
def test_r_has_the_same_numbers(rinterface: ModuleType, scheme: Scheme, digits: int) -> None:
    session = RSession()
    sample = np.round(np.random.default_rng(7).beta(2.0, 4.0, 30), digits)
    written = resolution_of(sample[np.newaxis])
    found = examine(scheme.fit(sample[np.newaxis]), sample, written, Draws(0, 0, 1), "301").row
    parameters = scheme.free_parameters
    by_r = session.function("diagnose_topic", R_FILE)(
        rinterface.FloatSexpVector(sample),
        session.twin(scheme),
        session.settings(scheme),
        written.width,
        np.nan if parameters is None else float(parameters),
    )
    for name, expected in zip(NUMBERS, by_r, strict=True):
        assert found[name] == pytest.approx(expected, rel=1e-8, nan_ok=True), name
