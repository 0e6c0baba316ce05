"""A running R for the traps."""

from typing import Any

import pytest

from validation.traps.r_functions import RFunctions


@pytest.fixture(scope="session")
def r(rinterface: Any) -> RFunctions:
    """R's functions by name."""
    return RFunctions(rinterface)
