"""The names that a type checker accepts are those of the registries."""

from collections.abc import Mapping
from typing import Any, get_args

import pytest

from cdfscore.stats.schemes.bandwidths import RULES
from cdfscore.stats.schemes.empirical import POSITIONS, Position
from cdfscore.stats.schemes.kernel import BOUNDARIES, KERNELS, BoundaryName, KernelName, RuleName


@pytest.mark.parametrize(
    ("names", "registry"),
    [(KernelName, KERNELS), (RuleName, RULES), (BoundaryName, BOUNDARIES), (Position, POSITIONS)],
)
def test_a_literal_has_the_names_of_the_registry(names: Any, registry: Mapping[str, Any]) -> None:
    assert get_args(names) == tuple(registry)
