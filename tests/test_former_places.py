"""Names that README and guide showed before the layout changed are importable from there."""

import importlib

import pytest

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
