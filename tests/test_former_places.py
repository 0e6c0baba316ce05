"""Names that README and guide showed before the layout changed are importable from there."""

import importlib

import pytest

from cdfscore import distributions

FORMER = {
    "cdfscore.adjustment": ("cdfscore.comparison.adjustment", ("METHODS", "adjust")),
    "cdfscore.distributions": ("cdfscore.schemes", ("Normal", "Empirical", "Kernel", "FromScipy")),
    "cdfscore.factors": (
        "cdfscore.standardization.formats",
        ("read_webber_moffat", "write_trec_eval_factors", "load_factors"),
    ),
    "cdfscore.inference.contract": (
        "cdfscore.significance.contract",
        ("paired", "unpaired", "one_sample", "all_systems", "simultaneous"),
    ),
    "cdfscore.inference.result": ("cdfscore.significance.contract", ("Rows", "TestResult")),
    "cdfscore.inference.settings": ("cdfscore.significance.contract", ("Alternative", "Seed")),
    "cdfscore.linear": ("cdfscore.schemes", ("Raw", "Sum", "Z")),
    "cdfscore.schemes": ("cdfscore.schemes.base", ("Distribution", "LinearScheme", "Parameters")),
    "cdfscore.r_random": ("cdfscore.r_random.generator", ("RRandom", "samples")),
}


@pytest.mark.parametrize("place", FORMER)
def test_former_places_have_the_same_objects(place: str) -> None:
    now, names = FORMER[place]
    there, here = importlib.import_module(place), importlib.import_module(now)
    assert {name for name in names if getattr(there, name) is not getattr(here, name)} == set()


@pytest.mark.parametrize("name", ["__path__", "__wrapped__", "registry", "normal", "Nrmal"])
def test_distributions_has_the_names_of_the_list_alone(name: str) -> None:
    place = importlib.import_module("cdfscore.distributions")
    with pytest.raises(AttributeError, match=f"'cdfscore.distributions' has no attribute '{name}'"):
        getattr(place, name)
    assert set(place.__all__) == set(importlib.import_module("cdfscore.schemes").__all__)


def test_distributions_is_no_package_whose_classes_are_others() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"'cdfscore\.distributions' is not a p"):
        importlib.import_module("cdfscore.distributions.normal")


def test_the_names_of_distributions_are_listed() -> None:
    assert set(distributions.__all__) <= set(dir(distributions))
