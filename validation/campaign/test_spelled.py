"""A line that is printed for R or Python has the y of the campaign, to the last bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from cdfscore.r.session import RSession
from cdfscore.stats.schemes.base import parse_scheme
from validation.campaign.inputs import ADVERSARIAL, trial
from validation.campaign.spelled import in_python, in_r

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("spelling", ["minmax", "kernel:bandwidth=0.1", "empirical"])
def test_lines_have_the_bits_of_the_trial(
    spelling: str, rinterface: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    scheme, r = parse_scheme(spelling), RSession()
    seen = set()
    for number in range(40):
        one = trial(5, scheme, number)
        seen.add(one.kind)
        x, sample = one.x.tolist(), one.sample.tolist()
        typed = np.array(rinterface.evalr(in_r(scheme, x, sample)))
        assert_array_equal(typed, r.standardize(scheme, one.x[None], one.sample[None])[0])
        names = {"parse_scheme": parse_scheme, "nan": np.nan}
        assert_array_equal(eval(in_python(scheme, x, sample), names), scheme.fit(one.sample)(one.x))
    assert seen >= set(ADVERSARIAL)
