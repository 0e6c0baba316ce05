"""Members that other packages add to a catalogue, and settings that may be None."""

from importlib.metadata import EntryPoint

import pytest
from cdfscore_plug_in import Laplace

from cdfscore.common import catalogue
from cdfscore.common.catalogue import Catalogue, FunctionCatalogue
from cdfscore.errors import SchemeError, SignificanceError
from cdfscore.stats.effect_size import d_z
from cdfscore.stats.schemes import Empirical
from cdfscore.stats.schemes.base import parse_scheme


def added(monkeypatch: pytest.MonkeyPatch, name: str, module: str) -> Catalogue:
    """Return the schemes beside which a package adds one."""
    points = {"cdfscore.schemes": [EntryPoint(name, module, "cdfscore.schemes")]}
    monkeypatch.setattr(catalogue, "entry_points", lambda group: points[group])
    return Catalogue("cdfscore.stats.schemes", "scheme", SchemeError)


def test_an_entry_point_adds_the_class_of_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    found = added(monkeypatch, "laplace", "cdfscore_plug_in.laplace")
    assert found.names()[-1] == "laplace"
    assert found.parse("laplace:centre=mean") == Laplace("mean")


def test_an_entry_point_adds_the_function_of_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("d_z", "cdfscore.stats.effect_size.effects", "statistics")
    monkeypatch.setattr(catalogue, "entry_points", lambda group: [point])
    assert FunctionCatalogue("statistics", "effect size", SignificanceError).load("d_z") is d_z


def test_dashes_of_an_entry_point_are_underscores(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("two-words", "cdfscore.stats.schemes:Empirical", "cdfscore.schemes")
    monkeypatch.setattr(catalogue, "entry_points", lambda group: [point])
    fresh = Catalogue("cdfscore.stats.schemes", "scheme", SchemeError)
    assert fresh.load("two-words") is fresh.load("two_words") is Empirical


@pytest.mark.parametrize(
    ("name", "module", "fragment"),
    [
        (
            "normal",
            "other.normal",
            "the scheme 'normal' is in cdfscore and in other.normal; expected one of them, without "
            "the others in the environment",
        ),
        (
            "gumbel",
            "no_such_package",
            "'gumbel' cannot be loaded: the plug-in module no_such_package cannot be imported (",
        ),
        ("two_words", "cdfscore_plug_in", "expected TwoWords in the module cdfscore_plug_in ("),
    ],
)
def test_an_entry_point_that_adds_no_scheme_is_refused(
    monkeypatch: pytest.MonkeyPatch, name: str, module: str, fragment: str
) -> None:
    with pytest.raises(SchemeError) as caught:
        added(monkeypatch, name, module).load(name)
    assert fragment in str(caught.value)


@pytest.mark.clause("scheme.8")
def test_none_is_a_setting_where_it_is_the_default() -> None:
    assert parse_scheme("empirical:position=None") == Empirical()
    with pytest.raises(SchemeError, match="uniform: A=None is not accepted; expected a number"):
        parse_scheme("uniform:A=None")
