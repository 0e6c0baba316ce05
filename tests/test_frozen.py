"""What users are given does not change: every public dataclass is frozen."""

import importlib
import pkgutil
from collections.abc import Iterator

import pytest

# Sums over resamples, which no result has, and tests, which their decorators make.
ADDED_TO = {"Variances", "SignificanceTest", "Paired", "Unpaired", "AllSystems", "PairsTogether"}
PACKAGES = [
    "comparison",
    "diagnosis",
    "stats.rank_correlation",
    "stats.schemes",
    "stats.significance",
    "standardization",
]


def dataclasses_of(package: str) -> Iterator[type]:
    top = importlib.import_module(f"cdfscore.{package}")
    for found in pkgutil.walk_packages(top.__path__, f"{top.__name__}."):
        module = importlib.import_module(found.name)
        for name, each in vars(module).items():
            own = isinstance(each, type) and each.__module__ == module.__name__
            if own and "__dataclass_params__" in vars(each) and not name.startswith("_"):
                yield each


@pytest.mark.parametrize("package", PACKAGES)
def test_dataclasses_are_frozen(package: str) -> None:
    found = list(dataclasses_of(package))
    assert found or package == "rank_correlation"
    changing = {each.__name__ for each in found if not vars(each)["__dataclass_params__"].frozen}
    assert changing <= ADDED_TO
